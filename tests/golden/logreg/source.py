import numpy as np


def loss(w, b, X, y):
    z = X @ w + b
    p = 1 / (1 + np.exp(-z))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
