"""A Kalman filter: how noisy a track and its measurements are, by maximum likelihood.

A body moves in the plane with a velocity that drifts at random, and its position is measured. The filter gives
the density of each measurement given those before it, and their product is the likelihood (Harvey, Forecasting,
Structural Time Series Models and the Kalman Filter, section 3.4). Run `python examples/kalman.py`.
"""

import numpy as np
from scipy.optimize import minimize

import adcompiler

# The state is (x, y, velocity in x, velocity in y); a unit of time lies between measurements.
F = np.kron([[1.0, 1.0], [0.0, 1.0]], np.eye(2))
H = np.kron([[1.0, 0.0]], np.eye(2))
DRIFT = np.kron([[1 / 3, 1 / 2], [1 / 2, 1.0]], np.eye(2))


def minus_log_likelihood(log_q, log_r, track):
    """Of variances exp(log_q) of the drift of the velocity and exp(log_r) of the measurements, up to a constant."""
    Q = np.exp(log_q) * DRIFT
    R = np.exp(log_r) * np.eye(2)
    mean = np.zeros(4)
    P = 10.0 * np.eye(4)
    total = 0.0
    for measured in track:
        mean = F @ mean
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        surprise = measured - H @ mean
        total += 0.5 * (surprise @ np.linalg.solve(S, surprise) + np.linalg.slogdet(S)[1])
        gain = np.linalg.solve(S, H @ P).T
        mean = mean + gain @ surprise
        P = P - gain @ H @ P
    return total


def measure(rng, q, r, n=300):
    """Measured positions of a track, with these variances."""
    state = np.zeros(4)
    track = np.empty((n, 2))
    for t in range(n):
        state = F @ state + rng.multivariate_normal(np.zeros(4), q * DRIFT)
        track[t] = H @ state + np.sqrt(r) * rng.standard_normal(2)
    return track


def fit(track):
    """The most likely (q, r)."""
    value_and_grad = adcompiler.value_and_grad(minus_log_likelihood, argnums=("log_q", "log_r"))
    found = minimize(lambda logs: value_and_grad(*logs, track), np.zeros(2), jac=True)
    return np.exp(found.x)


def main():
    q, r = fit(measure(np.random.default_rng(0), q=0.01, r=2.0))
    print(f"drift: {q:.4f}, simulated with 0.01; measurements: {r:.3f}, simulated with 2")


if __name__ == "__main__":
    main()
