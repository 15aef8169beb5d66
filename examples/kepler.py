"""The orbit of a planet from the velocity of its star, through Newton's method for Kepler's equation.

The eccentric anomaly E solves E - e sin E = M, iteratively; the star comes towards us with a velocity that E tells
(Murray and Correia, Keplerian Orbits and Dynamics of Exoplanets, 2010, equations 37, 42 and 65). The gradient goes
through the iterations. Run `python examples/kepler.py`.
"""

import numpy as np
from scipy.optimize import minimize

import adcompiler


def eccentric_anomaly(M, e):
    E = M + e * np.sin(M)
    error = E - e * np.sin(E) - M
    while np.max(np.abs(error)) > 1e-12:
        E = E - error / (1 - e * np.cos(E))
        error = E - e * np.sin(E) - M
    return E


def velocity(orbit, time):
    """Towards the observer, of the star; the elements of `orbit` are numbers."""
    E = eccentric_anomaly(2 * np.pi * (time / orbit["period"] - orbit["phase"]), orbit["e"])
    nu = 2 * np.arctan(np.sqrt((1 + orbit["e"]) / (1 - orbit["e"])) * np.tan(E / 2))
    return orbit["K"] * (np.cos(nu + orbit["omega"]) + orbit["e"] * np.cos(orbit["omega"]))


def misfit(orbit, time, measured):
    return np.mean((velocity(orbit, time) - measured) ** 2)


def fit(guess, time, measured):
    """The orbit that fits best, starting from a guess."""
    value_and_grad = adcompiler.value_and_grad(misfit)

    def objective(elements):
        value, gradient = value_and_grad(dict(zip(guess, elements)), time, measured)
        return value, np.array(list(gradient.values()))

    bounds = [(0.0, 0.95) if name == "e" else (None, None) for name in guess]
    found = minimize(objective, list(guess.values()), jac=True, bounds=bounds)
    return dict(zip(guess, found.x))


def main():
    truth = {"period": 4.23, "phase": 0.1, "e": 0.4, "omega": 1.0, "K": 55.0}
    time = np.sort(np.random.default_rng(0).uniform(0, 30, 60))
    guess = {"period": 4.2, "phase": 0.15, "e": 0.2, "omega": 0.7, "K": 40.0}
    found = fit(guess, time, velocity(truth, time))
    for name in truth:
        print(f"{name:8}{found[name]:8.4f}, simulated with {truth[name]}")


if __name__ == "__main__":
    main()
