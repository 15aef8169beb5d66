def energy_grad(positions, charges, n):
    """Gradient of `energy` (source.py:4) with respect to positions."""
    # forward
    steps = range(n)                              # source.py:6
    tape = []
    for i in steps:
        tape_3 = []                               # source.py:7
        tape_4 = []
        for j in range(i):
            r = positions[i] - positions[j]       # source.py:8
            tape_3.append(np.sqrt(np.sum(r * r)))
            tape_4.append(r)
        tape.append((tape_3, tape_4))
    # backward
    d_positions = zeros_like(positions)           # source.py:6
    for i, (tape_3, tape_4) in zip(reversed(steps), reversed(tape)):
        for t, r, j in zip(reversed(tape_3), reversed(tape_4), reversed(range(i))):  # source.py:7
            d_r = strong_divide(0.5 * (-(charges[i] * charges[j] / t) / t), t) * r  # source.py:9
            d_r *= 2.0
            d_positions[j] -= d_r                 # source.py:8
            d_positions[i] += d_r
    return d_positions
