def mixture_grad(logits, means, scales, x):
    """Gradient of `mixture` (source.py:9) with respect to logits, means, scales."""
    # forward
    z = (x[:, None] - means) / scales             # source.py:10
    joint = logits - 0.5 * z**2 - np.log(scales)  # source.py:11
    top = np.max(joint, axis=1, keepdims=True)    # source.py:5
    e = np.exp(joint - top)                       # source.py:6
    # backward
    q = -1.0 / x.size                             # source.py:12
    part = (q / np.sum(e, axis=1))[:, None]
    d_top = part * -e                             # source.py:6
    d_top = np.sum(d_top, axis=1, keepdims=True)
    d_top[:, 0] += spread(q, x)
    t = joint == top                              # source.py:5
    d_top /= np.sum(t, axis=1, dtype=np.float64, keepdims=True)
    d_joint = d_top * t
    d_joint += part * e
    d_logits = np.sum(d_joint, axis=0)            # source.py:11
    d_joint *= -0.5
    d_joint *= 2 * z
    d_scales = d_joint * (-z / scales)            # source.py:10
    d_scales = np.sum(d_scales, axis=0)
    d_scales -= d_logits / scales
    d_means = -(np.sum(d_joint, axis=0) / scales)
    return d_logits, d_means, d_scales
