def burgers_grad(u, n, dt, *, ws):
    """Gradient of `burgers` (source.py:4) with respect to u."""
    # forward
    spare_u = ws.spares("u")
    u = u.copy()                                  # source.py:5
    tape = []
    for _ in range(n):
        tape.append(np.positive(u, spare_u.pop() if spare_u else None))
        m = ws.m = np.multiply(dt, u[1:-1], ws.m)  # source.py:6
        r = ws.r = np.subtract(u[2:], u[:-2], ws.r)
        m *= r
        u[1:-1] -= m
    # backward
    d_u = np.multiply(2.0, u, u)                  # source.py:7
    for u in reversed(tape):                      # source.py:5
        r = ws.r = np.subtract(u[2:], u[:-2], ws.r)
        d = ws.m = np.multiply(-dt, d_u[1:-1], ws.m)  # source.py:6
        d_2 = ws.d_2 = np.multiply(d, u[1:-1], ws.d_2)
        d_u[:-2] -= d_2
        d_u[2:] += d_2
        d *= r
        d_u[1:-1] += d
        spare_u.append(u)                         # source.py:5
    return d_u
