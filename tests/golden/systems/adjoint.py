def implicit_grad(K, u, dt, steps):
    """Value and gradient of `implicit` (source.py:4) with respect to K, u."""
    # forward
    tape = []                                     # source.py:6
    for _ in range(steps):
        M = np.eye(u.shape[0]) + dt * (K + np.diag(u * u))  # source.py:7
        u_next, state = solve.forward(None, M, u)  # source.py:8
        tape.append((u, u_next, state))
        u = u_next
    value = np.sum(u * u)                         # source.py:9
    # backward
    d_u = 2.0 * u                                 # source.py:9
    d_K = zeros_like(K)                           # source.py:6
    for u, u_next, state in reversed(tape):
        d_u = solve.with_state_d_b(d_u, state)    # source.py:8
        d_M = -np.outer(d_u, u_next)
        d_M *= dt                                 # source.py:7
        d_K += d_M
        d_u_2 = np.diagonal(d_M) * u
        d_u_2 *= 2.0
        d_u += d_u_2
    return value, (d_K, d_u)
