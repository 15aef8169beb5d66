import numpy as np


def mlp(layers, x, target):
    for W, b in layers[:-1]:
        x = np.maximum(W @ x + b, 0.0)
    W, b = layers[-1]
    r = W @ x + b - target
    return 0.5 * np.sum(r * r)
