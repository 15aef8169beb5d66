import numpy as np


def decay(t, amplitude, rate):
    return amplitude * np.exp(-rate * t)


def misfit(p, t, y):
    r = decay(t, p[0], p[1]) + decay(t, p[2], p[3]) - y
    return np.sum(r * r)
