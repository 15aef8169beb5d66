def misfit_grad(c, scale, x, y, *, ws):
    """Gradient of `misfit` (source.py:4) with respect to c, scale."""
    # forward
    spare_q = ws.spares("q")
    steps = range(4)                              # source.py:5
    tape = []
    tape_2 = []
    for k in steps:
        q = np.divide(x, scale, spare_q.pop() if spare_q else None)
        tape.append(q**k)
        tape_2.append(q)
    powers = np.stack(tape, axis=1)               # source.py:5
    p = ws.p = np.dot(powers, c, ws.p)            # source.py:6
    p -= y
    # backward
    p *= 2                                        # source.py:6
    p *= 1.0 / x.size
    d_powers = ws.d_powers = np.outer(p, c, ws.d_powers)
    d_c = powers.T @ p
    d_scale = 0.0                                 # source.py:5
    for d, k, q in zip(reversed(np.moveaxis(d_powers, 1, 0)), reversed(steps), reversed(tape_2)):
        m = ws.p = np.multiply(d, k, ws.p)
        d_scale_2 = ws.d_scale_2 = strong(m, quiet_power(q, k - 1), ws.d_scale_2)
        r = ws.p = np.negative(q, ws.p)
        r /= scale
        d_scale_2 *= r
        d_scale += np.sum(d_scale_2)
        spare_q.append(q)
    return d_c, float(d_scale)
