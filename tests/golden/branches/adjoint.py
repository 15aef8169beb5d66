def robust_grad(w, X, y, delta):
    """Gradient of `robust` (source.py:4) with respect to w."""
    # forward
    tape = []                                     # source.py:6
    for x, target in zip(X, y):
        r = w @ x - target                        # source.py:7
        t = abs(r)                                # source.py:8
        t_2 = t <= delta
        if t_2:
            t_3 = 0.5 * r
            t_4 = None
            t_5 = None
            t = None
        else:
            t_4 = t <= 3 * delta                  # source.py:10
            if t_4:
                t_5 = None
                t = None
            else:
                t_5 = delta * delta               # source.py:10
            t_3 = None                            # source.py:8
        tape.append((t_2, r, t_3, t_4, t_5, t))
    # backward
    d_w = zeros_like(w)                           # source.py:6
    for (t_2, r, t_3, t_4, t_5, t), x in zip(reversed(tape), reversed(X)):
        if t_2:                                   # source.py:8
            d_r = t_3 + r * 0.5                   # source.py:9
        elif t_4:                                 # source.py:10
            d_r = 1.0 * delta * np.sign(r)        # source.py:11
        else:
            d_r = 1.0 * t_5 / t * np.sign(r)      # source.py:13
        d_w += d_r * x                            # source.py:7
    return d_w
