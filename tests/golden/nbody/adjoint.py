def energy_grad(positions, charges, n):
    """Gradient of `energy` (source.py:4) with respect to positions."""
    # forward
    steps = range(n)                              # source.py:6
    tape = []
    for i in steps:
        tape_4 = []                               # source.py:7
        tape_5 = []
        tape_6 = []
        for j in range(i):
            r = positions[i] - positions[j]       # source.py:8
            root = np.sqrt(np.sum(r * r))         # source.py:9
            tape_4.append(root)
            tape_5.append(charges[i] * charges[j] / root)
            tape_6.append(r)
        tape.append((tape_4, tape_5, tape_6))
    # backward
    d_positions = zeros_like(positions)           # source.py:6
    for i, (tape_4, tape_5, tape_6) in zip(reversed(steps), reversed(tape)):
        for t, t_2, r, j in zip(
            reversed(tape_4), reversed(tape_5), reversed(tape_6), reversed(range(i))
        ):                                        # source.py:7
            d_r = strong_divide(0.5 * (-t_2 / t), t) * r  # source.py:9
            d_r *= 2.0
            d_positions[j] -= d_r                 # source.py:8
            d_positions[i] += d_r
    return d_positions
