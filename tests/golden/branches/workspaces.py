def robust_grad(w, X, y, delta, *, ws):
    """Gradient of `robust` (source.py:4) with respect to w."""
    # forward
    tape = []                                     # source.py:6
    for x, target in zip(X, y):
        r = w @ x - target                        # source.py:7
        tape.append(r)
    # backward
    d_w = zeros_like(w)                           # source.py:6
    for x, r in zip(reversed(X), reversed(tape)):
        t = abs(r)
        if t <= delta:                            # source.py:8
            d_r = r
        elif t <= 3 * delta:                      # source.py:10
            d_r = delta * np.sign(r)              # source.py:11
        else:
            d_r = delta * delta / t * np.sign(r)  # source.py:13
        d_w_2 = ws.d_w_2 = np.multiply(d_r, x, ws.d_w_2)  # source.py:7
        d_w += d_w_2
    return d_w
