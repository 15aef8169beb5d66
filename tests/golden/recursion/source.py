import numpy as np


def log_sum(x):
    n = len(x)
    if n == 1:
        return x[0]
    return np.logaddexp(log_sum(x[: n // 2]), log_sum(x[n // 2 :]))


def evidence(x, scale):
    return log_sum(x * scale)
