def loss_grad(w, b, X, y):
    """Gradient of `loss` (source.py:4) with respect to w, b."""
    # forward
    z = X @ w + b                                 # source.py:5
    e = np.exp(-z)                                # source.py:6
    s = 1 + e
    p = 1 / s
    r = 1 - y                                     # source.py:7
    r_2 = 1 - p
    # backward
    d = mean.d_a(-1.0, y * np.log(p) + r * np.log(r_2), None, False)  # source.py:7
    d_p = subtract.d_y(log.d_x(multiply.d_y(add.d_y(d), r), r_2))
    d_p = d_p + log.d_x(multiply.d_y(add.d_x(d), y), p)
    d_z = negative.d_x(exp.d_x(add.d_y(true_divide.d_y(d_p, s, p)), e))  # source.py:6
    d_b = add.d_y(d_z)                            # source.py:5
    d_b = np.sum(d_b)
    d_w = matmul.d_B(add.d_x(d_z), X, w)
    return d_w.copy(), d_b
