import numpy as np


def robust(w, X, y, delta):
    total = 0.0
    for x, target in zip(X, y):
        r = w @ x - target
        if abs(r) <= delta:
            total += 0.5 * r * r
        elif abs(r) <= 3 * delta:
            total += delta * (abs(r) - 0.5 * delta)
        else:
            total += delta * delta * np.log(abs(r))
    return total
