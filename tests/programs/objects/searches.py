"""Searches, splines, quadrature, simplex methods and the like, as classes."""

import numpy as np

RNG = np.random.default_rng(10)
XS = np.linspace(0.0, 1.0, 5)


class Spline:
    """A natural cubic spline; its coefficients are computed where they are first read."""

    def __init__(self, x, y):
        self.x = x
        self.y = y
        self._m = None

    @property
    def moments(self):
        if self._m is None:
            n, h = len(self.x), self.x[1] - self.x[0]
            A = 4.0 * np.eye(n - 2) + np.eye(n - 2, k=1) + np.eye(n - 2, k=-1)
            b = 6.0 * (self.y[2:] - 2.0 * self.y[1:-1] + self.y[:-2]) / h**2
            self._m = np.concatenate([np.zeros(1), np.linalg.solve(A, b), np.zeros(1)])
        return self._m

    def __call__(self, t):
        m, h = self.moments, self.x[1] - self.x[0]
        i = min(int(t / h), len(self.x) - 2)
        a, b = (self.x[i + 1] - t) / h, (t - self.x[i]) / h
        return a * self.y[i] + b * self.y[i + 1] + ((a**3 - a) * m[i] + (b**3 - b) * m[i + 1]) * h**2 / 6.0


def spline(y):
    s = Spline(XS, y)
    return sum(s(t) ** 2 for t in (0.1, 0.33, 0.7, 0.95))


class Bisection:
    def __init__(self, f, lo, hi, tol=1e-3):
        self.f, self.lo, self.hi = f, lo, hi
        self.tol = tol
        self.iterations = 0

    def run(self):
        while self.hi - self.lo > self.tol:
            mid = 0.5 * (self.lo + self.hi)
            if self.f(mid) > 0.0:
                self.hi = mid
            else:
                self.lo = mid
            self.iterations += 1
        return 0.5 * (self.lo + self.hi)


def bisection(a, lo, hi):
    b = Bisection(lambda t: t**3 - a, lo, hi)
    root = b.run()
    # one step of Newton's method makes it depend on a
    return (root - (root**3 - a) / (3.0 * root**2)) * b.iterations


class Newton:
    def __init__(self, a):
        self.a = a
        self.x = 1.0
        self.trace = []

    def step(self):
        self.x = self.x - (self.x**2 - self.a) / (2.0 * self.x)
        self.trace.append(self.x)

    def solve(self, tol=1e-10):
        for _ in range(50):
            before = self.x
            self.step()
            if abs(self.x - before) < tol:
                break
        else:
            raise RuntimeError("no root")
        return self.x


def newton(a):
    n = Newton(a)
    return n.solve() + np.sum(np.array(n.trace[:3]) ** 2)


class Polynomial:
    def __init__(self, *coefficients):
        self.c = coefficients

    def __call__(self, x):
        total = 0.0
        for c in reversed(self.c):
            total = total * x + c
        return total

    def derivative(self):
        return Polynomial(*[k * c for k, c in enumerate(self.c)][1:])

    def __add__(self, other):
        return Polynomial(*[a + b for a, b in zip(self.c, other.c)])


def polynomial(a, b):
    p = Polynomial(1.0, a, b, a * b)
    q = p + Polynomial(b, b, b, b)
    return p(0.5) * p.derivative()(1.5) + q(0.3)


class Simplex:
    """Reflections of the worst of three points."""

    def __init__(self, points, f):
        self.points = [points[0], points[1], points[2]]
        self.f = f

    def step(self):
        ordered = sorted(self.points, key=self.f)
        best, good, worst = ordered[0], ordered[1], ordered[2]
        centre = 0.5 * (best + good)
        reflected = centre + (centre - worst)
        new = reflected if self.f(reflected) < self.f(worst) else 0.5 * (worst + best)
        self.points = [best, good, new]


def simplex(points, target):
    s = Simplex(points, lambda p: np.sum((p - target) ** 2))
    for _ in range(4):
        s.step()
    return sum(s.f(p) for p in s.points)


class Welford:
    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0

    def add(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)

    @property
    def variance(self):
        return self.m2 / (self.n - 1)


def running(x):
    w = Welford()
    for v in x:
        w.add(v)
    return w.variance + w.mean**2


class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        return self.items.pop()


def calculator(a, b):
    s = Stack()
    for token in ("a", "b", "*", "a", "+", "b", "-", "a", "*"):
        if token == "a":
            s.push(a)
        elif token == "b":
            s.push(b)
        else:
            y, x = s.pop(), s.pop()
            s.push(x * y if token == "*" else x + y if token == "+" else x - y)
    return s.pop()


class Queue:
    """An account book: dict of numbers in an object, changed by key."""

    def __init__(self, start):
        self.books = {"cash": start, "debt": 0.0}

    def pay(self, amount, rate):
        self.books["cash"] -= amount
        if self.books["cash"] < 0.0:
            self.books["debt"] += -self.books["cash"] * (1.0 + rate)
            self.books["cash"] = 0.0


def accounts(start, rate):
    q = Queue(start)
    for k in range(4):
        q.pay(0.5 * (k + 1), rate)
    return q.books["cash"] + 2.0 * q.books["debt"]


PROGRAMS = [
    (spline, (RNG.normal(size=5),)),
    (bisection, (2.0, 0.0, 2.0)),
    (newton, (2.0,)),
    (polynomial, (0.7, -0.3)),
    (simplex, (RNG.normal(size=(3, 2)), RNG.normal(size=2))),
    (running, (RNG.normal(size=6),)),
    (calculator, (1.5, 0.7)),
    (accounts, (2.2, 0.1)),
]
