def recurrence_grad(a, x):
    """Gradient of `recurrence` (source.py:4) with respect to a, x."""
    # forward
    n = x.shape[0]                                # source.py:5
    h = np.zeros((n,))
    h[0] = x[0]                                   # source.py:6
    steps = range(1, n)                           # source.py:7
    for i in steps:
        h[i] = a * h[i - 1] + x[i]                # source.py:8
    # backward
    d_h = 2.0 * h                                 # source.py:9
    d_x = zeros_like(x)                           # source.py:7
    d_a = 0.0
    for i in reversed(steps):
        r = i - 1
        d = d_h[i]                                # source.py:8
        d_x[i] = d
        d_a += d * h[r]
        d_h[i] = 0
        d_h[r] += d * a
    d_x[0] = d_h[0]                               # source.py:6
    return float(d_a), d_x
