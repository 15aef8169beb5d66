def loss_grad(w, b, X, y, *, ws):
    """Gradient of `loss` (source.py:4) with respect to w, b."""
    # forward
    z = X @ w                                     # source.py:5
    z += b
    r = np.negative(z, z)                         # source.py:6
    e = np.exp(r, r)
    s = 1 + e
    p = 1 / s
    l = np.log(p)                                 # source.py:7
    l *= y
    r = 1 - y
    r_2 = 1 - p
    l_2 = ws.l_2 = np.log(r_2, ws.l_2)
    l_2 *= r
    l += l_2
    # backward
    d = mean.d_a(-1.0, l, None, False)            # source.py:7
    d_p = subtract.d_y(log.d_x(multiply.d_y(add.d_y(d), r), r_2))
    d_p = d_p + log.d_x(multiply.d_y(add.d_x(d), y), p)
    d_z = negative.d_x(exp.d_x(add.d_y(true_divide.d_y(d_p, s, p)), e))  # source.py:6
    d_b = add.d_y(d_z)                            # source.py:5
    d_b = np.sum(d_b)
    d_w = matmul.d_B(add.d_x(d_z), X, w)
    return d_w.copy(), d_b
