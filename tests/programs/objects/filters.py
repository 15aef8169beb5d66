"""Filters, controllers and likelihoods: the state is in attributes, which methods change step by step."""

from dataclasses import dataclass, field

import numpy as np

RNG = np.random.default_rng(11)


class KalmanFilter:
    """A linear filter in the manner of filterpy: `predict` and `update` change the state."""

    def __init__(self, dim_x, dim_z):
        self.dim_x = dim_x
        self.x = np.zeros(dim_x)
        self.P = np.eye(dim_x)
        self.F = np.eye(dim_x)
        self.H = np.zeros((dim_z, dim_x))
        self.Q = np.eye(dim_x) * 0.1
        self.R = np.eye(dim_z)
        self._log_likelihood = 0.0
        self.y = None

    def predict(self, u=None):
        self.x = self.F @ self.x
        if u is not None:
            self.x = self.x + u
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        self.y = z - self.H @ self.x
        PHT = self.P @ self.H.T
        S = self.H @ PHT + self.R
        K = PHT @ np.linalg.inv(S)
        self.x = self.x + K @ self.y
        I_KH = np.eye(self.dim_x) - K @ self.H
        self.P = I_KH @ self.P @ I_KH.T + K @ self.R @ K.T
        self._log_likelihood -= 0.5 * (self.y @ np.linalg.solve(S, self.y) + np.log(np.linalg.det(S)))

    @property
    def log_likelihood(self):
        return self._log_likelihood


def tracked(kf, zs):
    """The likelihood of measurements, by a filter that the caller has made."""
    for z in zs:
        kf.predict()
        kf.update(z)
    return kf.log_likelihood + np.sum(kf.x**2)


def tracked_from_scratch(q, r, zs):
    """A filter that is made, set up and run."""
    kf = KalmanFilter(dim_x=2, dim_z=1)
    kf.F = np.array([[1.0, 0.5], [0.0, 1.0]])
    kf.H = np.array([[1.0, 0.0]])
    kf.Q = kf.Q * q
    kf.R *= r
    for i in range(len(zs)):
        if i > 1:
            kf.predict(u=np.array([0.0, 0.1]))
        else:
            kf.predict()
        kf.update(zs[i])
    return -kf.log_likelihood


class ExtendedFilter(KalmanFilter):
    """A filter of a system that is not linear: the model is given as functions."""

    def __init__(self, x, f, jacobian):
        super().__init__(len(x), 1)
        self.x = x
        self.f, self.jacobian = f, jacobian
        self.H[0, 0] = 1.0

    def predict(self, u=None):
        F = self.jacobian(self.x)
        self.x = self.f(self.x)
        self.P = F @ self.P @ F.T + self.Q

    def run(self, zs):
        for z in zs:
            self.predict()
            self.update(z)
        return self


def pendulum_tracked(x0, length, zs):
    dt = 0.1

    def f(x):
        return np.array([x[0] + dt * x[1], x[1] - dt * np.sin(x[0]) / length])

    def jacobian(x):
        return np.array([[1.0, dt], [-dt * np.cos(x[0]) / length, 1.0]])

    return ExtendedFilter(x0, f, jacobian).run(zs).log_likelihood


@dataclass
class Garch:
    """Variances that follow one another, in a list."""

    omega: float
    alpha: float = 0.1
    beta: float = 0.8
    sigma2: list = field(default_factory=list)

    def filter(self, r):
        last = np.mean(r**2)
        for k in range(len(r)):
            self.sigma2.append(last)
            last = self.omega + self.alpha * r[k] ** 2 + self.beta * last
        return np.array(self.sigma2)

    def loglik(self, r):
        s2 = self.filter(r)
        return -0.5 * np.sum(np.log(s2) + r**2 / s2)


def garch_likelihood(omega, alpha, beta, r):
    model = Garch(omega, alpha, beta=beta)
    return -model.loglik(r) / len(r)


def garch_as_argument(model, r):
    return -model.loglik(r) / len(r) + model.sigma2[-1]


class PID:
    """A controller that keeps the sum and the last of its errors."""

    output_limits = (-2.0, 2.0)

    def __init__(self, kp, ki, kd, setpoint=1.0):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.setpoint = setpoint
        self.reset()

    def reset(self):
        self._integral = 0.0
        self._last_error = None

    def __call__(self, measured, dt):
        error = self.setpoint - measured
        self._integral += error * dt
        derivative = 0.0
        if self._last_error is not None:
            derivative = (error - self._last_error) / dt
        self._last_error = error
        low, high = self.output_limits
        return min(max(self.kp * error + self.ki * self._integral + self.kd * derivative, low), high)


def controlled(gains, drag):
    """A first step by itself, since the controller has no last error there; then a loop."""
    pid = PID(gains[0], gains[1], gains[2])
    x, v, cost = 0.0, 0.0, 0.0
    v = v + 0.05 * (pid(x, 0.05) - drag * v)
    for _ in range(30):
        x = x + 0.05 * v
        v = v + 0.05 * (pid(x, 0.05) - drag * v)
        cost += (pid.setpoint - x) ** 2
    return cost


class HiddenMarkov:
    """The forward pass of a hidden Markov model; the messages are kept in a list."""

    def __init__(self, start, transition, means):
        self.log_start = np.log(start)
        self.transition = transition
        self.means = means

    def _emission(self, x):
        return np.exp(-0.5 * (x - self.means) ** 2)

    def forward(self, xs):
        self.alphas = [np.exp(self.log_start) * self._emission(xs[0])]
        for t in range(1, len(xs)):
            self.alphas.append((self.alphas[-1] @ self.transition) * self._emission(xs[t]))
        return np.log(np.sum(self.alphas[-1]))


def hidden_chain(transition, means, xs):
    p = np.exp(transition)
    model = HiddenMarkov(np.array([0.6, 0.4]), p / np.sum(p, axis=1, keepdims=True), means)
    return model.forward(xs)


def _filter():
    kf = KalmanFilter(2, 1)
    kf.x, kf.F, kf.H = np.array([0.2, 1.0]), np.array([[1.0, 0.5], [0.1, 1.0]]), np.array([[1.0, 0.3]])
    return kf


ZS = RNG.normal(size=(4, 1))
PROGRAMS = [
    (tracked, (_filter(), ZS)),
    (tracked_from_scratch, (0.3, 1.2, ZS)),
    (pendulum_tracked, (np.array([0.3, 0.1]), 1.3, ZS)),
    (garch_likelihood, (0.05, 0.1, 0.8, RNG.normal(size=6))),
    (garch_as_argument, (Garch(0.05), RNG.normal(size=6))),
    (controlled, (np.array([1.5, 0.4, 0.2]), 0.3)),
    (hidden_chain, (RNG.normal(size=(2, 2)), np.array([-0.5, 0.8]), RNG.normal(size=5))),
]
