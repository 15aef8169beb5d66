def network_loss_grad(params, X, Y, decay, *, ws):
    """Value and gradient of `network_loss` (source.py:4) with respect to params."""
    # forward
    W1 = params["W1"]
    b1 = params["b1"]
    W2 = params["W2"]
    b2 = params["b2"]
    p = ws.p = np.dot(X, W1, ws.p)                # source.py:5
    p += b1
    z = np.tanh(p, p)
    logits = ws.logits = np.dot(z, W2, ws.logits)  # source.py:6
    logits += b2
    top = ws.top = np.max(logits, axis=1, keepdims=True, out=ws.top)  # source.py:7
    logits_2 = ws.logits_2 = np.subtract(logits, top, ws.logits_2)
    d_logits = ws.d_logits = np.exp(logits_2, ws.d_logits)  # source.py:8
    total = ws.total = np.sum(d_logits, axis=1, keepdims=True, out=ws.total)
    l = ws.l = np.log(total, ws.l)
    logits_2 -= l
    power = ws.power = np.square(W1, ws.power)    # source.py:9
    power_2 = ws.power_2 = np.square(W2, ws.power_2)
    weights = np.sum(power) + np.sum(power_2)
    logits_2 *= Y                                 # source.py:10
    total_2 = ws.total_2 = np.sum(logits_2, axis=1, out=ws.total_2)
    value = decay * weights - np.mean(total_2)
    # backward
    q = -1.0 / total_2.size                       # source.py:10
    d_logp = ws.logits_2 = np.multiply(q, Y, ws.logits_2)
    d_W2 = 2 * W2                                 # source.py:9
    d_W2 *= decay
    d_W1 = 2 * W1
    d_W1 *= decay
    d = ws.d = np.multiply(-q, Y, ws.d)           # source.py:8
    d = ws.l = np.sum(d, axis=1, keepdims=True, out=ws.l)
    d /= total
    d_logits *= d
    d_logp += d_logits
    d = ws.d = np.negative(d_logp, ws.d)          # source.py:7
    d = ws.l = np.sum(d, axis=1, keepdims=True, out=ws.l)
    t = ws.t = np.equal(logits, top, ws.t)
    total = ws.total = np.sum(t, axis=1, dtype=np.float64, keepdims=True, out=ws.total)
    d /= total
    d_logits = ws.d = np.multiply(d, t, ws.d)
    d_logp += d_logits
    d_b2 = np.sum(d_logp, axis=0)                 # source.py:6
    d_z = ws.d_z = np.dot(d_logp, W2.T, ws.d_z)
    d_W2_2 = ws.power_2 = np.matmul(z.T, d_logp, ws.power_2)
    d_W2 += d_W2_2
    z *= z                                        # source.py:5
    r = np.subtract(1, z, z)
    d_z *= r
    d_b1 = np.sum(d_z, axis=0)
    d_W1_2 = ws.power = np.matmul(X.T, d_z, ws.power)
    d_W1 += d_W1_2
    return value, {"W1": d_W1, "b1": d_b1, "W2": d_W2, "b2": d_b2}
