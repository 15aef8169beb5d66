def slope_grad(x, A):
    """Gradient of `slope` (source.py:13) with respect to x."""
    # forward
    t = np.sin(x)                                 # source.py:7
    p = A @ x
    t_2 = A.T
    d_x = t_2 @ t
    t_3 = np.cos(x)
    d_x += p * t_3
    # backward
    d_x_2 = t_2 @ (d_x * t_3)                     # source.py:7
    d_x_2 -= d_x * p * t
    d_x_2 += A @ d_x * t_3
    return d_x_2
