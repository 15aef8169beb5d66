def misfit_grad(p, t, y):
    """Gradient of `misfit` (source.py:8) with respect to p."""
    # forward
    part = p[0]                                   # source.py:9
    e = np.exp(-p[1] * t)                         # source.py:5
    part_2 = p[2]                                 # source.py:9
    e_2 = np.exp(-p[3] * t)                       # source.py:5
    r = part * e + part_2 * e_2 - y               # source.py:9
    # backward
    d_r = 2.0 * r                                 # source.py:10
    d_p = zeros_like(p)                           # source.py:9
    d_p[3] -= np.sum(d_r * part_2 * e_2 * t)
    d_p[2] = np.sum(d_r * e_2)
    d = d_r * part                                # source.py:5
    d *= e
    d *= t
    d_p[1] -= np.sum(d)                           # source.py:9
    d_p[0] = np.sum(d_r * e)
    return d_p
