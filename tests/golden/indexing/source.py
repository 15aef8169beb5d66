import numpy as np


def roughness(table, tokens, keep):
    rows = table[tokens]
    steps = rows[1:] - rows[:-1]
    first, last = rows[0], rows[-1, ::2]
    return np.sum(steps[keep] ** 2) + np.sum(first * first) + np.prod(last)
