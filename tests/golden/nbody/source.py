import numpy as np


def energy(positions, charges, n):
    total = 0.0
    for i in range(n):
        for j in range(i):
            r = positions[i] - positions[j]
            total += charges[i] * charges[j] / np.sqrt(np.sum(r * r))
    return total
