def softmax_loss_grad(params, X, Y, decay):
    """Value and gradient of `softmax_loss` (source.py:4) with respect to params."""
    # forward
    W = params["W"]
    b = params["b"]
    logits = X @ W + b                            # source.py:5
    top = np.max(logits, axis=1, keepdims=True)   # source.py:6
    logits_2 = logits - top
    e = np.exp(logits_2)                          # source.py:7
    total = np.sum(e, axis=1, keepdims=True)
    logp = logits_2 - np.log(total)
    total_2 = np.sum(Y * logp, axis=1)            # source.py:8
    value = decay * np.sum(W**2) - np.mean(total_2)
    # backward
    d_W = decay * (2 * W)                         # source.py:8
    q = -1.0 / total_2.size
    d_logp = q * Y
    d_logp += np.sum(-q * Y, axis=1, keepdims=True) / total * e  # source.py:7
    t = logits == top                             # source.py:6
    d_logp += (
        np.sum(-d_logp, axis=1, keepdims=True)
        / np.sum(t, axis=1, dtype=np.float64, keepdims=True)
        * t
    )
    d_b = np.sum(d_logp, axis=0)                  # source.py:5
    d_W += X.T @ d_logp
    return value, {"W": d_W, "b": d_b}
