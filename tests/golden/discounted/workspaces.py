def discounted_grad(w, rate, xs, ys, *, ws):
    """Gradient of `discounted` (source.py:1) with respect to w, rate."""
    # forward
    steps = range(xs.shape[0])                    # source.py:3
    tape = []
    for t, x, y in zip(steps, xs, ys):
        r = w @ x - y                             # source.py:4
        tape.append((rate**t, r, r**2))
    # backward
    d_w = zeros_like(w)                           # source.py:3
    d_rate = 0.0
    for x, t, (power_2, r, power) in zip(reversed(xs), reversed(steps), reversed(tape)):
        d_w_2 = ws.d_w_2 = np.multiply(power_2 * (2 * r), x, ws.d_w_2)  # source.py:4
        d_w += d_w_2
        d_rate += strong(power * t, quiet_power(rate, t - 1))
    return d_w, float(d_rate)
