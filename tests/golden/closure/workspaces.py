def penalty_grad(w, *, ws):
    """Gradient of `penalty` (source.py:7) with respect to w."""
    # forward
    m = ws.m = np.multiply(w, w, ws.m)            # source.py:8
    m += EPSILON
    root = np.sqrt(m, m)
    # backward
    d_w = strong_divide(strength, root)           # source.py:8
    d_w *= w
    return d_w
