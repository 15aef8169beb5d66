"""Filters and estimators whose state is in attributes: Kalman filters, smoothers, Markov models, volatility."""

from dataclasses import dataclass, field

import numpy as np

RNG = np.random.default_rng(7)
TRACK = np.cumsum(RNG.normal(size=(6, 2)), axis=0)
BEARINGS = RNG.uniform(0.2, 1.2, size=5)
RETURNS = RNG.normal(size=12) * 0.1
ROLLS = RNG.integers(0, 3, 8)


class Kalman:
    """A linear filter: predict and update change the state."""

    def __init__(self, x, P, F, H, Q, R):
        self.x = x
        self.P = P
        self.F, self.H = F, H
        self.Q, self.R = Q, R
        self.loglik = 0.0

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + K @ y
        self.P = (np.eye(len(self.x)) - K @ self.H) @ self.P
        self.loglik += -0.5 * (y @ np.linalg.solve(S, y) + np.log(np.linalg.det(S)))
        return y


def kalman(q, r, x0):
    F = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    kf = Kalman(x0, np.eye(4), F, np.eye(2, 4), q * np.eye(4), r * np.eye(2))
    for z in TRACK:
        kf.predict()
        kf.update(z)
    return -kf.loglik + np.sum(kf.x**2)


class Extended:
    """An extended filter with callbacks for the model, and their Jacobians."""

    def __init__(self, f, h, F, H, q, r):
        self.f, self.h, self.F, self.H = f, h, F, H
        self.q = q
        self.r = r
        self.x = np.array([1.0, 0.5])
        self.P = np.eye(2)

    def step(self, z):
        F = self.F(self.x)
        self.x = self.f(self.x)
        self.P = F @ self.P @ F.T + self.q * np.eye(2)
        H = self.H(self.x)
        s = H @ self.P @ H + self.r
        k = self.P @ H / s
        e = z - self.h(self.x)
        self.x = self.x + k * e
        self.P = self.P - np.outer(k, H @ self.P)
        return 0.5 * (e * e / s + np.log(s))


def extended(theta):
    w = theta[0]

    def f(x):
        return np.array([x[0] + 0.1 * x[1], x[1] - 0.1 * w * np.sin(x[0])])

    ekf = Extended(
        f,
        lambda x: np.sin(x[0]),
        lambda x: np.array([[1.0, 0.1], [-0.1 * w * np.cos(x[0]), 1.0]]),
        lambda x: np.array([np.cos(x[0]), 0.0]),
        theta[1] ** 2,
        theta[2] ** 2,
    )
    total = 0.0
    for z in BEARINGS:
        total += ekf.step(z)
    return total


class PathSmoother:
    """Gradient descent of a path's roughness, kept in place."""

    def __init__(self, path, weight, rate=0.1):
        self.original = path
        self.path = path.copy()
        self.weight = weight
        self.rate = rate
        self.history = []

    def cost(self):
        rough = self.path[2:] - 2.0 * self.path[1:-1] + self.path[:-2]
        return np.sum(rough**2) + self.weight * np.sum((self.path - self.original) ** 2)

    def step(self):
        rough = self.path[2:] - 2.0 * self.path[1:-1] + self.path[:-2]
        self.path[1:-1] += self.rate * (rough - self.weight * (self.path[1:-1] - self.original[1:-1]))
        self.history.append(self.cost())


def path_smoother(path, weight):
    s = PathSmoother(path, weight)
    for _ in range(4):
        s.step()
    return s.cost() + sum(s.history)


@dataclass
class Garch:
    omega: float
    alpha: float
    beta: float
    variances: list = field(default_factory=list)

    @property
    def long_run(self):
        return self.omega / (1.0 - self.alpha - self.beta)

    def likelihood(self, returns):
        self.variances.append(self.long_run)
        for r in returns[:-1]:
            self.variances.append(self.omega + self.alpha * r**2 + self.beta * self.variances[-1])
        v = np.array(self.variances)
        return -0.5 * np.sum(np.log(2.0 * np.pi * v) + returns**2 / v)


def garch(omega, alpha, beta):
    return Garch(omega, alpha, beta).likelihood(RETURNS)


class HiddenMarkov:
    def __init__(self, transition, emission):
        self.A = _softmax(transition)
        self.B = _softmax(emission)
        self.alphas = []

    def forward(self, observed):
        a = self.B[:, observed[0]] / self.A.shape[0]
        self.alphas.append(a)
        for o in observed[1:]:
            a = (a @ self.A) * self.B[:, o]
            self.alphas.append(a)
        return np.log(np.sum(self.alphas[-1]))


def _softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def hidden_markov(transition, emission):
    model = HiddenMarkov(transition, emission)
    ll = model.forward(ROLLS)
    return ll + sum(np.sum(a) for a in model.alphas)


class Exponential:
    """Holt's smoothing: level and trend as attributes, with a method that a subclass replaces."""

    def __init__(self, alpha, beta):
        self.alpha = alpha
        self.beta = beta
        self.level = RETURNS[0]
        self.trend = RETURNS[1] - RETURNS[0]

    def forecast(self):
        return self.level + self.trend

    def observe(self, y):
        before = self.level
        self.level = self.alpha * y + (1 - self.alpha) * self.forecast()
        self.trend = self.beta * (self.level - before) + (1 - self.beta) * self.trend


class Damped(Exponential):
    def __init__(self, alpha, beta, phi):
        super().__init__(alpha, beta)
        self.phi = phi

    def forecast(self):
        return self.level + self.phi * self.trend

    def observe(self, y):
        super().observe(y)
        self.trend *= self.phi


def holt(alpha, beta, phi):
    total = 0.0
    for model in (Exponential(alpha, beta), Damped(alpha, beta, phi)):
        for y in RETURNS[2:]:
            total += (y - model.forecast()) ** 2
            model.observe(y)
    return total


PROGRAMS = [
    (kalman, (0.1, 0.5, np.array([0.1, 0.2, 0.3, -0.1]))),
    (extended, (np.array([1.1, 0.3, 0.4]),)),
    (path_smoother, (TRACK, 0.3)),
    (garch, (0.01, 0.1, 0.8)),
    (hidden_markov, (RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3)))),
    (holt, (0.4, 0.3, 0.9)),
]
