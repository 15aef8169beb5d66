def rnn_grad(params, xs, h, *, ws):
    """Gradient of `rnn` (source.py:4) with respect to xs."""
    # forward
    W = params["W"]
    U = params["U"]
    b = params["b"]
    spare_h = ws.spares("h")
    spare_d_h_next = ws.spares("d_h_next")
    tape = []                                     # source.py:6
    for x in xs:
        p = ws.p = np.dot(W, h, ws.p)             # source.py:7
        p_2 = ws.p_2 = np.dot(U, x, ws.p_2)
        p += p_2
        p += b
        h = np.tanh(p, spare_h.pop() if spare_h else None)
        tape.append(h)
    # backward
    d_h = zeroed(h, spare_d_h_next.pop() if spare_d_h_next else None)  # source.py:6
    d_xs_rows = []
    for h in reversed(tape):
        d_h_2 = ws.p_2 = np.multiply(2.0, h, ws.p_2)  # source.py:8
        d_h += d_h_2
        m = ws.p_2 = np.multiply(h, h, ws.p_2)    # source.py:7
        r = np.subtract(1, m, m)
        d_h *= r
        d_x = U.T @ d_h
        d_h_next = np.dot(W.T, d_h, spare_d_h_next.pop() if spare_d_h_next else None)
        spare_d_h_next.append(d_h)
        spare_h.append(h)
        d_xs_rows.append(d_x)
        d_h = d_h_next
    spare_d_h_next.append(d_h)                    # source.py:7
    d_xs = restack(d_xs_rows[::-1], xs)           # source.py:6
    return d_xs
