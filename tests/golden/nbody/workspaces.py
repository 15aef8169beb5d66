def energy_grad(positions, charges, n, *, ws):
    """Gradient of `energy` (source.py:4) with respect to positions."""
    # forward
    steps = range(n)                              # source.py:6
    tape = []
    for i in steps:
        row = []                                  # source.py:7
        for j in range(i):
            r = positions[i] - positions[j]       # source.py:8
            m = ws.m = np.multiply(r, r, ws.m)    # source.py:9
            row.append((r, np.sqrt(np.sum(m))))
        tape.append(row)
    # backward
    d_positions = zeros_like(positions)           # source.py:6
    for i, row in zip(reversed(steps), reversed(tape)):
        for j, (r, root) in zip(reversed(range(i)), reversed(row)):  # source.py:7
            d_r = ws.m = np.multiply(             # source.py:9
                strong_divide(-(charges[i] * charges[j] / root) / root, root), r, ws.m
            )
            d_positions[j] -= d_r                 # source.py:8
            d_positions[i] += d_r
    return d_positions
