def misfit_grad(p, t, y, *, ws):
    """Gradient of `misfit` (source.py:8) with respect to p."""
    # forward
    part = p[0]                                   # source.py:9
    m = ws.m = np.multiply(-p[1], t, ws.m)        # source.py:5
    e = np.exp(m, m)
    r = ws.r = np.multiply(part, e, ws.r)
    part_2 = p[2]                                 # source.py:9
    m = ws.m_2 = np.multiply(-p[3], t, ws.m_2)    # source.py:5
    e_2 = np.exp(m, m)
    m = ws.m_3 = np.multiply(part_2, e_2, ws.m_3)
    r += m                                        # source.py:9
    r -= y
    # backward
    d_r = np.multiply(2.0, r, r)                  # source.py:10
    d = ws.m_3 = np.multiply(d_r, e_2, ws.m_3)    # source.py:5
    d_2 = ws.d_2 = np.multiply(d_r, part_2, ws.d_2)
    d_2 *= e_2
    d_2 *= t
    d_p = zeros_like(p)                           # source.py:9
    d_p[3] -= np.sum(d_2)
    d_p[2] = np.sum(d)
    d = ws.d_2 = np.multiply(d_r, e, ws.d_2)      # source.py:5
    d_r *= part
    d_r *= e
    d_r *= t
    d_p[1] -= np.sum(d_r)                         # source.py:9
    d_p[0] = np.sum(d)
    return d_p
