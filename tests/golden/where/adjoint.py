def cross_entropy_grad(q, y):
    """Gradient of `cross_entropy` (source.py:4) with respect to q."""
    # forward
    p = np.maximum(q, 0.0)                        # source.py:5
    total = np.sum(p)                             # source.py:6
    p /= total
    # backward
    d_p = strong_divide(np.where(y > 0, spread(-1.0, q), 0) * y, p)  # source.py:7
    d_p_2 = strong_divide(d_p, total)             # source.py:6
    d_p_2 += np.sum(strong(d_p, -p / total))
    d_p_2 *= q > 0.0                              # source.py:5
    return d_p_2
