def slope_grad(x, A, *, ws):
    """Gradient of `slope` (source.py:13) with respect to x."""
    # forward
    t = ws.t = np.sin(x, ws.t)                    # source.py:7
    d_x = ws.d_x = np.dot(A, x, ws.d_x)
    t_2 = A.T
    d_x_2 = ws.d_x_2 = np.dot(t_2, t, ws.d_x_2)
    t_3 = ws.t_3 = np.cos(x, ws.t_3)
    d_x_3 = ws.d_x_3 = np.multiply(d_x, t_3, ws.d_x_3)
    d_x_2 += d_x_3
    # backward
    d = ws.d_x_3 = np.multiply(d_x_2, t_3, ws.d_x_3)  # source.py:7
    d_x *= d_x_2
    d_x_2 = ws.d_x_2_2 = np.dot(A, d_x_2, ws.d_x_2_2)
    d_x_3 = t_2 @ d
    d_x *= t
    d_x_3 -= d_x
    d_x_2 *= t_3
    d_x_3 += d_x_2
    return d_x_3
