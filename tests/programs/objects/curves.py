"""Curves and models of data: properties, caches, operators of polynomials, parameters in named tuples."""

import functools
from abc import ABC, abstractmethod
from collections import namedtuple

import numpy as np

RNG = np.random.default_rng(14)


class Spline:
    """A natural cubic spline; its second derivatives are solved for when they are first asked for."""

    def __init__(self, x, y):
        self._x, self._y = np.asarray(x), np.asarray(y)

    @property
    def knots(self):
        return self._x

    @property
    def spacing(self):
        return self._x[1:] - self._x[:-1]

    @functools.cached_property
    def moments(self):
        n, h = len(self._x), self.spacing
        A, r = np.eye(n), np.zeros(n)
        for i in range(1, n - 1):
            A[i, i - 1], A[i, i], A[i, i + 1] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
            r[i] = 6 * ((self._y[i + 1] - self._y[i]) / h[i] - (self._y[i] - self._y[i - 1]) / h[i - 1])
        return np.linalg.solve(A, r)

    def __call__(self, t):
        i = np.searchsorted(self.knots, t) - 1
        h, a, b = self.spacing[i], self.knots[i + 1] - t, t - self.knots[i]
        m = self.moments
        return (
            (m[i] * a**3 + m[i + 1] * b**3) / (6 * h)
            + (self._y[i] / h - m[i] * h / 6) * a
            + (self._y[i + 1] / h - m[i + 1] * h / 6) * b
        )


def bending(x, y, ts):
    s = Spline(x, y)
    return np.sum(s(ts) ** 2) + np.sum(s.moments**2)


class Polynomial:
    """Coefficients, lowest first."""

    def __init__(self, c):
        self.c = c

    def __call__(self, x):
        y = 0.0
        for c in self.c[::-1]:
            y = y * x + c
        return y

    def __add__(self, other):
        if not isinstance(other, Polynomial):
            other = Polynomial(np.array([other]))
        n = max(len(self), len(other))
        c = np.zeros(n)
        c[: len(self)] += self.c
        c[: len(other)] += other.c
        return Polynomial(c)

    __radd__ = __add__

    def __mul__(self, other):
        if isinstance(other, Polynomial):
            return Polynomial(np.convolve(self.c, other.c))
        return Polynomial(self.c * other)

    __rmul__ = __mul__

    def __len__(self):
        return len(self.c)

    def deriv(self):
        return Polynomial(self.c[1:] * np.arange(1.0, len(self)))


def polynomial(p, q, x):
    r = p * q + 2.0 * q + 1.0
    return r(x) + 3 * r.deriv()(x) + (0.5 + p)(x)


class Kernel(ABC):
    def __init__(self, scale):
        self.scale = scale

    @abstractmethod
    def profile(self, r2): ...

    def __call__(self, X, Z):
        d = X[:, None, :] - Z[None, :, :]
        return self.profile(np.sum(d * d, axis=2) / self.scale**2)

    def __add__(self, other):
        return Sum(self, other)


class Gaussian(Kernel):
    def profile(self, r2):
        return np.exp(-0.5 * r2)


class Rational(Kernel):
    def __init__(self, scale, alpha):
        Kernel.__init__(self, scale)
        self.alpha = alpha

    def profile(self, r2):
        return (1 + r2 / (2 * self.alpha)) ** (-self.alpha)


class Sum(Kernel):
    def __init__(self, a, b):
        super().__init__(1.0)
        self.a, self.b = a, b

    def profile(self, r2):
        raise TypeError("a sum has no profile")

    def __call__(self, X, Z):
        return self.a(X, Z) + self.b(X, Z)


class Process:
    """A Gaussian process with the kernel that it is given."""

    def __init__(self, kernel, noise):
        self.kernel, self.noise = kernel, noise

    def fit(self, X, y):
        self.X, self.y = X, y
        K = self.kernel(X, X) + self.noise**2 * np.eye(len(y))
        self.L = np.linalg.cholesky(K)
        self.alpha = np.linalg.solve(self.L.T, np.linalg.solve(self.L, y))
        return self

    def nll(self):
        return 0.5 * self.y @ self.alpha + np.sum(np.log(np.diag(self.L)))


def process_likelihood(gp, X, y):
    return gp.fit(X, y).nll()


def process_from_parameters(scales, alpha, noise, X, y):
    return Process(Gaussian(scales[0]) + Rational(scales[1], alpha), noise).fit(X, y).nll()


Growth = namedtuple("Growth", ["rate", "capacity", "start"])


def logistic(params, ts, ys):
    """Parameters in a named tuple, taken by name, by place and unpacked."""
    r, K, _ = params
    p = K / (1 + (K / params.start - 1) * np.exp(-r * ts))
    return np.sum((p - ys) ** 2) + 0.01 * params[0] ** 2


X = RNG.normal(size=(4, 2))
PROGRAMS = [
    (bending, (np.array([0.0, 0.7, 1.5, 2.0, 3.1]), RNG.normal(size=5), np.array([0.4, 1.1, 2.6]))),
    (polynomial, (Polynomial(RNG.normal(size=3)), Polynomial(RNG.normal(size=2)), 0.7)),
    (process_likelihood, (Process(Rational(1.1, 0.8), 0.3), X, RNG.normal(size=4))),
    (process_from_parameters, (np.array([0.9, 1.4]), 0.8, 0.3, X, RNG.normal(size=4))),
    (logistic, (Growth(0.8, 2.0, 0.3), np.arange(4.0), np.array([0.3, 0.5, 0.9, 1.2]))),
]
