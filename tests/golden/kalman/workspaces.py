def log_likelihood_grad(F, Q, H, R, m, P, ys, *, ws):
    """Gradient of `log_likelihood` (source.py:4) with respect to F, Q."""
    # forward
    spare_p_4 = ws.spares("p_4")
    spare_P_2 = ws.spares("P_2")
    spare_K = ws.spares("K")
    spare_v = ws.spares("v")
    spare_p_2_4 = ws.spares("p_2_4")
    spare_p = ws.spares("p")
    spare_d_P_next = ws.spares("d_P_next")
    spare_d_m_next = ws.spares("d_m_next")
    spare_state = ws.spares("state")
    spare_state_2 = ws.spares("state_2")
    tape = []                                     # source.py:6
    for y in ys:
        m_2 = ws.m_2 = np.dot(F, m, ws.m_2)       # source.py:7
        p = np.dot(F, P, spare_p.pop() if spare_p else None)  # source.py:8
        p_2 = ws.p_2 = np.matmul(p, F.T, ws.p_2)
        P_2 = np.add(p_2, Q, spare_P_2.pop() if spare_P_2 else None)
        p_2 = ws.p_2_2 = np.dot(H, P_2, ws.p_2_2)  # source.py:9
        t = H.T
        S = ws.S = np.dot(p_2, t, ws.S)
        S += R
        p_2 = ws.p_2_3 = np.dot(H, m_2, ws.p_2_3)  # source.py:10
        v = np.subtract(y, p_2, spare_v.pop() if spare_v else None)
        w, state = solve.forward(spare_state.pop() if spare_state else None, S, v)  # source.py:11
        t_2, state_2 = det.forward(spare_state_2.pop() if spare_state_2 else None, S)  # source.py:12
        p_2 = np.dot(P_2, t, spare_p_2_4.pop() if spare_p_2_4 else None)  # source.py:13
        t = np.linalg.inv(S)
        K = np.dot(p_2, t, spare_K.pop() if spare_K else None)
        p_3 = ws.p_3 = np.dot(K, v, ws.p_3)       # source.py:14
        p_4 = np.dot(K, H, spare_p_4.pop() if spare_p_4 else None)  # source.py:15
        p_5 = ws.p_2 = np.matmul(p_4, P_2, ws.p_2)
        m_next = m_2 + p_3                        # source.py:14
        P_next = P_2 - p_5                        # source.py:15
        tape.append((P, m, p, P_2, v, w, state, t_2, state_2, p_2, t, K, p_4))
        P = P_next
        m = m_next
    # backward
    d_P = zeroed(P, spare_d_P_next.pop() if spare_d_P_next else None)  # source.py:6
    d_m = zeroed(m, spare_d_m_next.pop() if spare_d_m_next else None)
    d_F = zeros_like(F)
    d_Q = zeros_like(Q)
    for P, m, p, P_2, v, w, state, t_2, state_2, p_2, t, K, p_4 in reversed(tape):
        t_3 = F.T
        t_4 = H.T
        d = ws.p_2 = np.negative(d_P, ws.p_2)     # source.py:15
        d_2 = ws.d_2 = np.matmul(d, P_2.T, ws.d_2)
        d_P_2 = ws.d_P_2 = np.matmul(p_4.T, d, ws.d_P_2)
        d_P += d_P_2
        d_K = ws.d_K = np.dot(d_2, t_4, ws.d_K)
        d_K_2 = ws.d_K_2 = np.outer(d_m, v, ws.d_K_2)  # source.py:14
        d_v = ws.p_2_3 = np.matmul(K.T, d_m, ws.p_2_3)
        d_K += d_K_2
        t = t.T                                   # source.py:13
        d = ws.d_K_2 = np.matmul(d_K, t, ws.d_K_2)
        d_2 = ws.S = np.matmul(p_2.T, d_K, ws.S)
        p_3 = ws.p_3_2 = np.matmul(t, d_2, ws.p_3_2)
        p_3 = ws.S = np.matmul(p_3, t, ws.S)
        d_P_2 = ws.d_P_2 = np.dot(d, H, ws.d_P_2)
        d_P += d_P_2
        d_S = det.with_state_d_A(-0.5 / t_2, t_2, state_2)  # source.py:12
        d_S -= p_3
        d_w = ws.d_w = np.multiply(-0.5, v, ws.d_w)
        d_v_2 = ws.d_v_2 = np.multiply(0.5, w, ws.d_v_2)
        d_v -= d_v_2
        d_v_2 = solve.with_state_d_b(d_w, state)  # source.py:11
        outer = ws.p_3_2 = np.outer(d_v_2, w, ws.p_3_2)
        d_S -= outer
        d_v += d_v_2
        d = np.negative(d_v, d_v)                 # source.py:10
        d_m_2 = ws.p_3 = np.dot(t_4, d, ws.p_3)
        d_m += d_m_2
        d = ws.p_2_2 = np.dot(d_S, H, ws.p_2_2)   # source.py:9
        d_P_2 = ws.d_P_2 = np.dot(t_4, d, ws.d_P_2)
        d_P += d_P_2
        d_Q += d_P                                # source.py:8
        d = ws.d_P_2 = np.dot(d_P, F, ws.d_P_2)
        d_F_2 = ws.d_2 = np.matmul(d_P.T, p, ws.d_2)
        d_F += d_F_2
        d_F_2 = ws.d_2 = np.matmul(d, P.T, ws.d_2)
        d_F += d_F_2
        d_F_2 = ws.d_2 = np.outer(d_m, m, ws.d_2)  # source.py:7
        d_P_next = np.matmul(t_3, d, spare_d_P_next.pop() if spare_d_P_next else None)  # source.py:8
        spare_d_P_next.append(d_P)
        d_m_next = np.dot(t_3, d_m, spare_d_m_next.pop() if spare_d_m_next else None)  # source.py:7
        spare_d_m_next.append(d_m)
        d_F += d_F_2
        spare_p_4.append(p_4)                     # source.py:15
        spare_P_2.append(P_2)                     # source.py:8
        spare_K.append(K)                         # source.py:13
        spare_v.append(v)                         # source.py:10
        spare_p_2_4.append(p_2)                   # source.py:13
        spare_p.append(p)                         # source.py:8
        spare_state.append(state)                 # source.py:11
        spare_state_2.append(state_2)             # source.py:12
        d_P = d_P_next
        d_m = d_m_next
    spare_d_m_next.append(d_m)                    # source.py:7
    spare_d_P_next.append(d_P)                    # source.py:8
    return d_F, d_Q
