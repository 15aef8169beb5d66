import numpy as np

from adcompiler import grad


def energy(x, A):
    return np.sum(np.sin(x) * (A @ x))


force = grad(energy)


def slope(x, A):
    f = force(x, A)
    return 0.5 * np.sum(f * f)
