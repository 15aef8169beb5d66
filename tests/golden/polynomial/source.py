import numpy as np


def misfit(c, scale, x, y):
    powers = np.stack([(x / scale) ** k for k in range(4)], axis=1)
    return np.mean((powers @ c - y) ** 2)
