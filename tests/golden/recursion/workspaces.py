def log_sum_vjp(x):
    """Value of `log_sum` (source.py:4), and its pullback."""
    n = x.shape[0]                                # source.py:5
    t = n == 1                                    # source.py:6
    if t:
        value = x[0]
    else:
        t_5 = n // 2                              # source.py:8
        t_2, pull_2 = log_sum_vjp(x[:t_5])
        t_4, pull = log_sum_vjp(x[t_5:])
        t_3 = np.logaddexp(t_2, t_4)
        value = t_3                               # source.py:6

    def pullback(d_value):
        if t:                                     # source.py:6
            d_x = zeros_like(x)                   # source.py:7
            d_x[0] += d_value
        else:
            d_x = zeros_like(x)                   # source.py:8
            d_x[t_5:] += pull(d_value * np.exp(t_4 - t_3))
            d_x[:t_5] += pull_2(d_value * np.exp(t_2 - t_3))
        return d_x

    return value, pullback


def evidence_grad(x, scale):
    """Gradient of `evidence` (source.py:11) with respect to x, scale."""
    # forward
    m = x * scale                                 # source.py:12
    _, pull = log_sum_vjp(m)
    # backward
    d_scale = pull(1.0)                           # source.py:12
    d_x = d_scale * scale
    d_scale *= x
    d_scale = np.sum(d_scale)
    return d_x, float(d_scale)
