def softmax_loss_grad(params, X, Y, decay, *, ws):
    """Value and gradient of `softmax_loss` (source.py:4) with respect to params."""
    # forward
    W = params["W"]
    b = params["b"]
    logits = ws.logits = np.dot(X, W, ws.logits)  # source.py:5
    logits += b
    top = ws.top = np.max(logits, axis=1, keepdims=True, out=ws.top)  # source.py:6
    logits_2 = ws.logits_2 = np.subtract(logits, top, ws.logits_2)
    d_logits = ws.d_logits = np.exp(logits_2, ws.d_logits)  # source.py:7
    total = ws.total = np.sum(d_logits, axis=1, keepdims=True, out=ws.total)
    l = ws.l = np.log(total, ws.l)
    logits_2 -= l
    logits_2 *= Y                                 # source.py:8
    total_2 = ws.total_2 = np.sum(logits_2, axis=1, out=ws.total_2)
    power = ws.power = np.square(W, ws.power)
    value = decay * np.sum(power) - np.mean(total_2)
    # backward
    d_W = 2 * W                                   # source.py:8
    d_W *= decay
    q = -1.0 / total_2.size
    d_logp = ws.logits_2 = np.multiply(q, Y, ws.logits_2)
    d = ws.d = np.multiply(-q, Y, ws.d)           # source.py:7
    d = ws.l = np.sum(d, axis=1, keepdims=True, out=ws.l)
    d /= total
    d_logits *= d
    d_logp += d_logits
    d = ws.d = np.negative(d_logp, ws.d)          # source.py:6
    d = ws.l = np.sum(d, axis=1, keepdims=True, out=ws.l)
    t = ws.t = np.equal(logits, top, ws.t)
    total = ws.total = np.sum(t, axis=1, dtype=np.float64, keepdims=True, out=ws.total)
    d /= total
    d_logits = ws.d = np.multiply(d, t, ws.d)
    d_logp += d_logits
    d_b = np.sum(d_logp, axis=0)                  # source.py:5
    d_W_2 = ws.power = np.matmul(X.T, d_logp, ws.power)
    d_W += d_W_2
    return value, {"W": d_W, "b": d_b}
