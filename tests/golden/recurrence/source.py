import numpy as np


def recurrence(a, x):
    h = np.zeros(x.shape)
    h[0] = x[0]
    for i in range(1, x.shape[0]):
        h[i] = a * h[i - 1] + x[i]
    return np.sum(h * h)
