def cross_entropy_grad(q, y, *, ws):
    """Gradient of `cross_entropy` (source.py:4) with respect to q."""
    # forward
    p = ws.p = np.maximum(q, 0.0, out=ws.p)       # source.py:5
    total = np.sum(p)                             # source.py:6
    p /= total
    t = ws.t = np.greater(y, 0, ws.t)             # source.py:7
    # backward
    d = np.where(t, spread(-1.0, q), 0)           # source.py:7
    d *= y
    d_p = ws.d_p = strong_divide(d, p, ws.d_p)
    d_p_2 = strong_divide(d_p, total)             # source.py:6
    r = np.negative(p, p)
    r /= total
    d = ws.d = strong(d_p, r, ws.d)
    d_p_2 += np.sum(d)
    t = ws.t = np.greater(q, 0.0, ws.t)           # source.py:5
    d_p_2 *= t
    return d_p_2
