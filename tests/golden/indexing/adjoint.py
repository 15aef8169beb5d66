def roughness_grad(table, tokens, keep):
    """Gradient of `roughness` (source.py:4) with respect to table."""
    # forward
    rows = table[tokens]                          # source.py:5
    steps = rows[1:] - rows[:-1]                  # source.py:6
    first = rows[0]                               # source.py:7
    last = rows[-1, ::2]
    # backward
    d_last = products_before(last) * products_before(last, reverse=True)  # source.py:8
    d_first = 2.0 * first
    d_steps = zeros_like(steps)
    d_steps[keep] += 2.0 * steps[keep]
    d_rows = zeros_like(rows)                     # source.py:7
    d_rows[-1, ::2] += d_last
    d_rows[0] += d_first
    d_rows[:-1] -= d_steps                        # source.py:6
    d_rows[1:] += d_steps
    d_table = zeros_like(table)                   # source.py:5
    np.add.at(d_table, tokens, d_rows)
    return d_table
