def misfit_grad(c, scale, x, y):
    """Gradient of `misfit` (source.py:4) with respect to c, scale."""
    # forward
    steps = range(4)                              # source.py:5
    tape = []
    tape_2 = []
    for k in steps:
        q = x / scale
        tape.append(q**k)
        tape_2.append(q)
    powers = np.stack(tape, axis=1)               # source.py:5
    # backward
    d = 1.0 / x.size * (2 * (powers @ c - y))     # source.py:6
    d_powers = np.outer(d, c)
    d_c = powers.T @ d
    d_scale = 0.0                                 # source.py:5
    for d, k, q in zip(reversed(np.moveaxis(d_powers, 1, 0)), reversed(steps), reversed(tape_2)):
        d_scale_2 = strong(d * k, quiet_power(q, k - 1)) * (-q / scale)
        d_scale += np.sum(d_scale_2)
    return d_c, float(d_scale)
