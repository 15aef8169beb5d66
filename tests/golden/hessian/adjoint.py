def slope_grad(x, A):
    """Gradient of `slope` (source.py:13) with respect to x."""
    # forward
    d = np.sin(x)                                 # source.py:7
    d_2 = A @ x
    t = A.T
    d_x = t @ d
    t_2 = np.cos(x)
    d_x += d_2 * t_2
    # backward
    d_d = d_x * t_2                               # source.py:7
    d_x_2 = d_x * d_2 * -d
    d_d_2 = A @ d_x
    d_x_2 += t @ d_d
    d_d_2 *= t_2
    d_x_2 += d_d_2
    return d_x_2
