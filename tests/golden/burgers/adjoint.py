def burgers_grad(u, n, dt):
    """Gradient of `burgers` (source.py:4) with respect to u."""
    # forward
    u = u.copy()                                  # source.py:5
    tape = []
    for _ in range(n):
        tape.append(u.copy())
        u[1:-1] -= dt * u[1:-1] * (u[2:] - u[:-2])  # source.py:6
    # backward
    d_u = 2.0 * u                                 # source.py:7
    for u in reversed(tape):                      # source.py:5
        d = -dt * d_u[1:-1]                       # source.py:6
        d_2 = d * u[1:-1]
        d_u[:-2] -= d_2
        d_u[2:] += d_2
        d_u[1:-1] += d * (u[2:] - u[:-2])
    return d_u
