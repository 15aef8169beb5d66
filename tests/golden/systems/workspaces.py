def implicit_grad(K, u, dt, steps, *, ws):
    """Value and gradient of `implicit` (source.py:4) with respect to K, u."""
    # forward
    spare_state = ws.spares("state")
    tape = []                                     # source.py:6
    for _ in range(steps):
        t = ws.t = np.eye(u.shape[0]) if ws.t is None else ws.t  # source.py:7
        m = ws.m = np.multiply(u, u, ws.m)
        M = ws.M = np.add(K, np.diag(m), ws.M)
        M *= dt
        M += t
        u_next, state = solve.forward(spare_state.pop() if spare_state else None, M, u)  # source.py:8
        tape.append((u, u_next, state))
        u = u_next
    m = ws.m = np.multiply(u, u, ws.m)            # source.py:9
    value = np.sum(m)
    # backward
    d_u = 2.0 * u                                 # source.py:9
    d_K = zeros_like(K)                           # source.py:6
    for u, u_next, state in reversed(tape):
        d_u = solve.with_state_d_b(d_u, state)    # source.py:8
        outer = ws.M = np.outer(d_u, u_next, ws.M)
        d_M = np.negative(outer, outer)
        d_M *= dt                                 # source.py:7
        d_K += d_M
        d_u_2 = ws.m = np.multiply(np.diagonal(d_M), u, ws.m)
        d_u_2 *= 2.0
        d_u += d_u_2
        spare_state.append(state)                 # source.py:8
    return value, (d_K, d_u)
