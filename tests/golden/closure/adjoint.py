def penalty_grad(w):
    """Gradient of `penalty` (source.py:7) with respect to w."""
    # backward
    d_w = strong_divide(strength, np.sqrt(w * w + EPSILON)) * w  # source.py:8
    return d_w
