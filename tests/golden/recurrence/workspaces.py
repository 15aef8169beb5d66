def recurrence_grad(a, x, *, ws):
    """Gradient of `recurrence` (source.py:4) with respect to a, x."""
    # forward
    n = x.shape[0]                                # source.py:5
    h = ws.h = zeros((n,), ws.h)
    h[0] = x[0]                                   # source.py:6
    steps = range(1, n)                           # source.py:7
    tape = []
    for i in steps:
        part = h[i - 1]                           # source.py:8
        h[i] = a * part + x[i]
        tape.append(part)
    # backward
    d_h = np.multiply(2.0, h, h)                  # source.py:9
    d_x = zeros_like(x)                           # source.py:7
    d_a = 0.0
    for i, part in zip(reversed(steps), reversed(tape)):
        d = d_h[i]                                # source.py:8
        d_x[i] += d
        d_a += d * part
        d_h[i] = 0
        d_h[i - 1] += d * a
    d_x[0] += d_h[0]                              # source.py:6
    return float(d_a), d_x
