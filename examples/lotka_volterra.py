"""Hares and lynxes: the rates of a predator-prey model, from how many animals there were.

Lotka's and Volterra's equations, integrated by the classical Runge-Kutta method (Hairer, Norsett and Wanner, Solving
Ordinary Differential Equations I, sections I.16 and II.1). The gradient goes through the integrator. Run
`python examples/lotka_volterra.py`.
"""

import numpy as np
from scipy.optimize import minimize

import adcompiler


def rate(state, rates):
    prey, predators = state
    birth, hunt, growth, death = rates
    return np.array([prey * (birth - hunt * predators), predators * (growth * prey - death)])


def trajectory(start, rates, dt, steps):
    """The state after 0, 1, ..., `steps` steps of length `dt`, a row each."""
    states = np.empty((steps + 1, 2))
    states[0] = start
    for i in range(steps):
        y = states[i].copy()
        k1 = rate(y, rates)
        k2 = rate(y + dt / 2 * k1, rates)
        k3 = rate(y + dt / 2 * k2, rates)
        k4 = rate(y + dt * k3, rates)
        states[i + 1] = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return states


def misfit(start, rates, dt, counted):
    return np.mean((trajectory(start, rates, dt, len(counted) - 1) - counted) ** 2)


def fit(start, rates, dt, counted):
    """The start and the rates that fit best, from a guess."""
    value_and_grad = adcompiler.value_and_grad(misfit, argnums=("start", "rates"))

    def objective(vector):
        value, gradients = value_and_grad(vector[:2], vector[2:], dt, counted)
        return value, np.concatenate(gradients)

    found = minimize(objective, np.concatenate([start, rates]), jac=True, method="L-BFGS-B")
    return found.x[:2], found.x[2:]


def main():
    start, rates = np.array([3.0, 1.0]), np.array([1.0, 0.4, 0.1, 0.4])
    counted = trajectory(start, rates, 0.1, 200)
    found = fit(1.1 * start, 0.9 * rates, 0.1, counted)
    print("start:", np.round(found[0], 4), "simulated with", start)
    print("rates:", np.round(found[1], 4), "simulated with", rates)


if __name__ == "__main__":
    main()
