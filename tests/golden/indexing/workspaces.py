def roughness_grad(table, tokens, keep, *, ws):
    """Gradient of `roughness` (source.py:4) with respect to table."""
    # forward
    rows = table[tokens]                          # source.py:5
    steps = ws.steps = np.subtract(rows[1:], rows[:-1], ws.steps)  # source.py:6
    first = rows[0]                               # source.py:7
    last = rows[-1, ::2]
    # backward
    d_last = products_before(last) * products_before(last, reverse=True)  # source.py:8
    d_first = ws.d_first = np.multiply(2.0, first, ws.d_first)
    d_steps = ws.d_steps = zeroed(steps, ws.d_steps)
    d_steps[keep] += 2.0 * steps[keep]
    d_rows = ws.d_rows = zeroed(rows, ws.d_rows)  # source.py:7
    d_rows[-1, ::2] += d_last
    d_rows[0] += d_first
    d_rows[:-1] -= d_steps                        # source.py:6
    d_rows[1:] += d_steps
    d_table = zeros_like(table)                   # source.py:5
    np.add.at(d_table, tokens, d_rows)
    return d_table
