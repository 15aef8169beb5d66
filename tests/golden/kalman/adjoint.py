def log_likelihood_grad(F, Q, H, R, m, P, ys):
    """Gradient of `log_likelihood` (source.py:4) with respect to F, Q."""
    # forward
    tape = []                                     # source.py:6
    for y in ys:
        m_2 = F @ m                               # source.py:7
        p = F @ P                                 # source.py:8
        P_2 = p @ F.T + Q
        t = H.T                                   # source.py:9
        S = H @ P_2 @ t + R
        v = y - H @ m_2                           # source.py:10
        w, state = solve.forward(None, S, v)      # source.py:11
        t_2, state_2 = det.forward(None, S)       # source.py:12
        p_2 = P_2 @ t                             # source.py:13
        t = np.linalg.inv(S)
        K = p_2 @ t
        p_3 = K @ H                               # source.py:15
        m_next = m_2 + K @ v                      # source.py:14
        P_next = P_2 - p_3 @ P_2                  # source.py:15
        tape.append((P, m, p, P_2, v, w, state, t_2, state_2, p_2, t, K, p_3))
        P = P_next
        m = m_next
    # backward
    d_P = zeros_like(P)                           # source.py:6
    d_m = zeros_like(m)
    d_F = zeros_like(F)
    d_Q = zeros_like(Q)
    for P, m, p, P_2, v, w, state, t_2, state_2, p_2, t, K, p_3 in reversed(tape):
        t_3 = F.T
        t_4 = H.T
        d = -d_P                                  # source.py:15
        d_P += p_3.T @ d
        d_K = d @ P_2.T @ t_4
        d_v = K.T @ d_m                           # source.py:14
        d_K += np.outer(d_m, v)
        t = t.T                                   # source.py:13
        d_P += d_K @ t @ H
        d_S = det.with_state_d_A(-0.5 / t_2, t_2, state_2)  # source.py:12
        d_S -= t @ (p_2.T @ d_K) @ t
        d_w = -0.5 * v
        d_v -= 0.5 * w
        d_v_2 = solve.with_state_d_b(d_w, state)  # source.py:11
        d_S -= np.outer(d_v_2, w)
        d_v += d_v_2
        d_m += t_4 @ -d_v                         # source.py:10
        d_P += t_4 @ (d_S @ H)                    # source.py:9
        d_Q += d_P                                # source.py:8
        d = d_P @ F
        d_F += d_P.T @ p
        d_F += d @ P.T
        d_P = t_3 @ d
        d_m_next = t_3 @ d_m                      # source.py:7
        d_F += np.outer(d_m, m)
        d_m = d_m_next
    return d_F, d_Q
