def loss_grad(w, b, X, y, *, ws):
    """Gradient of `loss` (source.py:4) with respect to w, b."""
    # forward
    z = ws.z = np.dot(X, w, ws.z)                 # source.py:5
    z += b
    r = np.negative(z, z)                         # source.py:6
    e = np.exp(r, r)
    s = ws.s = np.add(1, e, ws.s)
    p = ws.p = np.divide(1, s, ws.p)
    r_2 = ws.r_2 = np.subtract(1, y, ws.r_2)      # source.py:7
    r = ws.r = np.subtract(1, p, ws.r)
    # backward
    q = -1.0 / y.size                             # source.py:7
    r_2 *= q
    r_2 /= r
    d_p = ws.r = np.multiply(q, y, ws.r)
    d_p /= p
    d_p -= r_2
    p /= s                                        # source.py:6
    d_p *= p
    d_p *= e
    d_b = np.sum(d_p)                             # source.py:5
    d_w = X.T @ d_p
    return d_w, d_b
