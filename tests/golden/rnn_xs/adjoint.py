def rnn_grad(params, xs, h):
    """Gradient of `rnn` (source.py:4) with respect to xs."""
    # forward
    W = params["W"]
    U = params["U"]
    b = params["b"]
    tape = []                                     # source.py:6
    for x in xs:
        h = np.tanh(W @ h + U @ x + b)            # source.py:7
        tape.append(h)
    # backward
    d_h = zeros_like(h)                           # source.py:6
    d_xs_rows = []
    for h in reversed(tape):
        d_h += 2.0 * h                            # source.py:8
        d_h *= 1 - h * h                          # source.py:7
        d_x = U.T @ d_h
        d_h = W.T @ d_h
        d_xs_rows.append(d_x)
    d_xs = restack(d_xs_rows[::-1], xs)           # source.py:6
    return d_xs
