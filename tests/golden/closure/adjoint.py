def penalty_grad(w):
    """Gradient of `penalty` (source.py:7) with respect to w."""
    # backward
    d_w = strong_divide(0.5 * strength, np.sqrt(w * w + EPSILON)) * w  # source.py:8
    d_w *= 2.0
    return d_w
