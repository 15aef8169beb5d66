"""Heat in a plate: where it was at the start, and how fast it spreads, from a few thermometers.

The equation du/dt = k (d2u/dx2 + d2u/dy2), by explicit Euler steps on the five-point stencil, in place; the rim
is held at zero (LeVeque, Finite Difference Methods, sections 9.1 and 9.7). Run `python examples/heat.py`.
"""

import numpy as np
from scipy.optimize import minimize

import adcompiler


def readings(start, k, steps):
    """What the thermometers, at every other point, show after each step; `k` in units of dx**2 / dt, up to 1/4."""
    u = np.zeros((start.shape[0] + 2, start.shape[1] + 2))
    u[1:-1, 1:-1] = start
    shown = np.empty((steps, (start.shape[0] + 1) // 2, (start.shape[1] + 1) // 2))
    for t in range(steps):
        u[1:-1, 1:-1] += k * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        shown[t] = u[1:-1:2, 1:-1:2]
    return shown


def misfit(start, k, shown, roughness):
    """How far the readings are from those shown, and a penalty on a start that is not smooth."""
    jumps = np.sum(np.diff(start, axis=0) ** 2) + np.sum(np.diff(start, axis=1) ** 2)
    return np.sum((readings(start, k, len(shown)) - shown) ** 2) + roughness * jumps


def recover(shown, guess, k, roughness=1e-6):
    """The start and the diffusivity that fit best, from a guess."""
    value_and_grad = adcompiler.value_and_grad(misfit, argnums=("start", "k"))

    def objective(vector):
        value, gradients = value_and_grad(vector[:-1].reshape(guess.shape), vector[-1], shown, roughness)
        return value, np.append(*gradients)

    bounds = [(0, None)] * guess.size + [(0.01, 0.25)]
    found = minimize(objective, np.append(guess, k), jac=True, bounds=bounds, options={"maxiter": 500})
    return found.x[:-1].reshape(guess.shape), found.x[-1]


def main():
    truth = np.zeros((12, 12))
    truth[3:6, 2:5], truth[7:10, 6:9] = 1.0, 0.5
    start, k = recover(readings(truth, 0.2, 20), np.zeros_like(truth), 0.1)
    print(f"diffusivity: {k:.5f}, simulated with 0.2")
    print("start, found and simulated with:", *np.round(np.hstack([start, truth])[::2], 1), sep="\n")


if __name__ == "__main__":
    main()
