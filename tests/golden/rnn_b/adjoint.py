def rnn_of_bias_grad(b, W, U, xs, h):
    """Gradient of `rnn_of_bias` (source.py:11) with respect to b."""
    # forward
    tape = []                                     # source.py:6
    for x in xs:
        h = np.tanh(W @ h + U @ x + b)            # source.py:7
        tape.append(h)
    # backward
    d_h = zeros_like(h)                           # source.py:6
    d_b = zeros_like(b)
    for h in reversed(tape):
        d_h += 2.0 * h                            # source.py:8
        d_h *= 1 - h * h                          # source.py:7
        d_b += d_h
        d_h = W.T @ d_h
    return d_b
