def loss_grad(w, b, X, y):
    """Gradient of `loss` (source.py:4) with respect to w, b."""
    # forward
    z = X @ w + b                                 # source.py:5
    e = np.exp(-z)                                # source.py:6
    s = 1 + e
    p = 1 / s
    # backward
    q = -1.0 / y.size                             # source.py:7
    d_p = q * y / p
    d_p -= q * (1 - y) / (1 - p)
    d_p *= p / s                                  # source.py:6
    d_p *= e
    d_b = np.sum(d_p)                             # source.py:5
    d_w = X.T @ d_p
    return d_w, d_b
