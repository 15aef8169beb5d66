def network_loss_grad(params, X, Y, decay):
    """Value and gradient of `network_loss` (source.py:4) with respect to params."""
    # forward
    W1 = params["W1"]
    b1 = params["b1"]
    W2 = params["W2"]
    b2 = params["b2"]
    z = np.tanh(X @ W1 + b1)                      # source.py:5
    logits = z @ W2 + b2                          # source.py:6
    top = np.max(logits, axis=1, keepdims=True)   # source.py:7
    logits_2 = logits - top
    e = np.exp(logits_2)                          # source.py:8
    total = np.sum(e, axis=1, keepdims=True)
    logp = logits_2 - np.log(total)
    weights = np.sum(W1**2) + np.sum(W2**2)       # source.py:9
    total_2 = np.sum(Y * logp, axis=1)            # source.py:10
    value = decay * weights - np.mean(total_2)
    # backward
    q = -1.0 / total_2.size                       # source.py:10
    d_logp = q * Y
    d_W2 = decay * (2 * W2)                       # source.py:9
    d_W1 = decay * (2 * W1)
    d_logp += np.sum(-q * Y, axis=1, keepdims=True) / total * e  # source.py:8
    t = logits == top                             # source.py:7
    d_logp += (
        np.sum(-d_logp, axis=1, keepdims=True)
        / np.sum(t, axis=1, dtype=np.float64, keepdims=True)
        * t
    )
    d_b2 = np.sum(d_logp, axis=0)                 # source.py:6
    d_z = d_logp @ W2.T
    d_W2 += z.T @ d_logp
    d_z *= 1 - z * z                              # source.py:5
    d_b1 = np.sum(d_z, axis=0)
    d_W1 += X.T @ d_z
    return value, {"W1": d_W1, "b1": d_b1, "W2": d_W2, "b2": d_b2}
