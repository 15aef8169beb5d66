def discounted_grad(w, rate, xs, ys):
    """Gradient of `discounted` (source.py:1) with respect to w, rate."""
    # forward
    steps = range(xs.shape[0])                    # source.py:3
    tape = []
    for t, x, y in zip(steps, xs, ys):
        r = w @ x - y                             # source.py:4
        tape.append((r**2, rate**t, r))
    # backward
    d_w = zeros_like(w)                           # source.py:3
    d_rate = 0.0
    for (d, t, r), x, t_2 in zip(reversed(tape), reversed(xs), reversed(steps)):
        d_w += 1.0 * t * (2 * r) * x              # source.py:4
        d_rate = d_rate + strong(d * t_2, quiet_power(rate, t_2 - 1))
    return d_w, float(d_rate)
