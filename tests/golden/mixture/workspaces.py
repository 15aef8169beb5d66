def mixture_grad(logits, means, scales, x, *, ws):
    """Gradient of `mixture` (source.py:9) with respect to logits, means, scales."""
    # forward
    z = ws.z = np.subtract(x[:, None], means, ws.z)  # source.py:10
    z /= scales
    power = ws.power = np.square(z, ws.power)     # source.py:11
    power *= 0.5
    joint = np.subtract(logits, power, power)
    l = ws.l = np.log(scales, ws.l)
    joint -= l
    top = ws.top = np.max(joint, axis=1, keepdims=True, out=ws.top)  # source.py:5
    r = ws.r = np.subtract(joint, top, ws.r)      # source.py:6
    e = np.exp(r, r)
    total = ws.total = np.sum(e, axis=1, out=ws.total)
    # backward
    q = -1.0 / x.size                             # source.py:12
    d = np.divide(q, total, total)                # source.py:6
    part = d[:, None]
    d_joint = ws.d_joint = np.multiply(part, e, ws.d_joint)
    d_top = np.negative(e, e)
    d_top *= part
    d_top = ws.d_top = np.sum(d_top, axis=1, keepdims=True, out=ws.d_top)
    d_top[:, 0] += spread(q, x)
    t = ws.t = np.equal(joint, top, ws.t)         # source.py:5
    total = ws.top = np.sum(t, axis=1, dtype=np.float64, keepdims=True, out=ws.top)
    d_top /= total
    d_joint_2 = ws.r = np.multiply(d_top, t, ws.r)
    d_joint += d_joint_2
    d_logits = np.sum(d_joint, axis=0)            # source.py:11
    d_joint *= -0.5
    m = ws.r = np.multiply(2, z, ws.r)
    d_joint *= m
    d_scales = np.negative(z, z)                  # source.py:10
    d_scales /= scales
    d_scales *= d_joint
    d_scales = np.sum(d_scales, axis=0)
    d_scales_2 = ws.l = np.divide(d_logits, scales, ws.l)  # source.py:11
    d_scales -= d_scales_2                        # source.py:10
    total = np.sum(d_joint, axis=0)
    total /= scales
    d_means = np.negative(total, total)
    return d_logits, d_means, d_scales
