def rnn_grad(params, xs, h):
    """Gradient of `rnn` (source.py:4) with respect to params."""
    # forward
    W = params["W"]
    U = params["U"]
    b = params["b"]
    tape = []                                     # source.py:6
    for x in xs:
        h_next = np.tanh(W @ h + U @ x + b)       # source.py:7
        tape.append((h, h_next))
        h = h_next
    # backward
    d_h = zeros_like(h)                           # source.py:6
    d_W = zeros_like(W)
    d_U = zeros_like(U)
    d_b = zeros_like(b)
    for x, (h, h_next) in zip(reversed(xs), reversed(tape)):
        d_h += 2.0 * h_next                       # source.py:8
        d_h *= 1 - h_next * h_next                # source.py:7
        d_b += d_h
        d_U += np.outer(d_h, x)
        d_W += np.outer(d_h, h)
        d_h = W.T @ d_h
    return {"W": d_W, "U": d_U, "b": d_b}
