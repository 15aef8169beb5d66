def energy_grad(positions, charges, n):
    """Gradient of `energy` (source.py:4) with respect to positions."""
    # forward
    steps = range(n)                              # source.py:6
    tape = []
    for i in steps:
        row = []                                  # source.py:7
        for j in range(i):
            r = positions[i] - positions[j]       # source.py:8
            row.append((r, np.sqrt(np.sum(r * r))))
        tape.append(row)
    # backward
    d_positions = zeros_like(positions)           # source.py:6
    for i, row in zip(reversed(steps), reversed(tape)):
        for j, (r, root) in zip(reversed(range(i)), reversed(row)):  # source.py:7
            d_r = strong_divide(-(charges[i] * charges[j] / root) / root, root) * r  # source.py:9
            d_positions[j] -= d_r                 # source.py:8
            d_positions[i] += d_r
    return d_positions
