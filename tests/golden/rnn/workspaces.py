def rnn_grad(params, xs, h, *, ws):
    """Gradient of `rnn` (source.py:4) with respect to params."""
    # forward
    W = params["W"]
    U = params["U"]
    b = params["b"]
    spare_h_next = ws.spares("h_next")
    spare_d_h_next = ws.spares("d_h_next")
    tape = []                                     # source.py:6
    for x in xs:
        p = ws.p = np.dot(W, h, ws.p)             # source.py:7
        p_2 = ws.p_2 = np.dot(U, x, ws.p_2)
        p += p_2
        p += b
        h_next = np.tanh(p, spare_h_next.pop() if spare_h_next else None)
        tape.append((h, h_next))
        h = h_next
    # backward
    d_h = zeroed(h, spare_d_h_next.pop() if spare_d_h_next else None)  # source.py:6
    d_W = zeros_like(W)
    d_U = zeros_like(U)
    d_b = zeros_like(b)
    for x, (h, h_next) in zip(reversed(xs), reversed(tape)):
        d_h_2 = ws.p_2 = np.multiply(2.0, h_next, ws.p_2)  # source.py:8
        d_h += d_h_2
        m = ws.p_2 = np.multiply(h_next, h_next, ws.p_2)  # source.py:7
        r = np.subtract(1, m, m)
        d_h *= r
        d_b += d_h
        d_U_2 = ws.d_U_2 = np.outer(d_h, x, ws.d_U_2)
        d_U += d_U_2
        d_W_2 = ws.d_W_2 = np.outer(d_h, h, ws.d_W_2)
        d_W += d_W_2
        d_h_next = np.dot(W.T, d_h, spare_d_h_next.pop() if spare_d_h_next else None)
        spare_d_h_next.append(d_h)
        spare_h_next.append(h_next)
        d_h = d_h_next
    spare_d_h_next.append(d_h)                    # source.py:7
    return {"W": d_W, "U": d_U, "b": d_b}
