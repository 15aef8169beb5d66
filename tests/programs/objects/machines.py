"""Solvers, mechanisms and fields whose state is an object."""

import copy
from dataclasses import dataclass, replace

import numpy as np

RNG = np.random.default_rng(9)


class State:
    def __init__(self, rho, mom):
        self.rho = rho
        self.mom = mom

    def flux(self, c):
        return self.mom, self.mom**2 / self.rho + c**2 * self.rho


class FiniteVolume:
    """Isothermal flow with Lax and Friedrichs' fluxes, in place."""

    def __init__(self, rho, c, dx=0.1):
        self.state = State(rho.copy(), np.zeros_like(rho))
        self.c = c
        self.dx = dx
        self.t = 0.0

    def step(self, dt):
        s = self.state
        f, g = s.flux(self.c)
        for q, flux in ((s.rho, f), (s.mom, g)):
            speed = self.dx / dt
            face = 0.5 * (flux[1:] + flux[:-1]) - 0.5 * speed * (q[1:] - q[:-1])
            q[1:-1] -= dt / self.dx * (face[1:] - face[:-1])
        self.t += dt

    def mass(self):
        return self.dx * np.sum(self.state.rho)


def finite_volume(rho, c):
    solver = FiniteVolume(rho, c)
    for _ in range(3):
        solver.step(0.02)
    return solver.mass() ** 2 + np.sum(solver.state.mom**2) * solver.t


class Particle:
    __slots__ = ("x", "v", "m")

    def __init__(self, x, v, m):
        self.x, self.v, self.m = x, v, m

    @property
    def energy(self):
        return 0.5 * self.m * np.sum(self.v**2)

    def kick(self, force, dt):
        self.v = self.v + dt * force / self.m

    def drift(self, dt):
        self.x = self.x + dt * self.v


def particles(x, v, masses):
    bodies = [Particle(x[i], v[i], masses[i]) for i in range(3)]
    for _ in range(2):
        for a in bodies:
            force = np.zeros(2)
            for b in bodies:
                if a is not b:
                    d = b.x - a.x
                    force = force + a.m * b.m * d / (np.sum(d**2) + 0.1) ** 1.5
            a.kick(force, 0.05)
        for a in bodies:
            a.drift(0.05)
    return sum(b.energy for b in bodies) + bodies[0].x @ bodies[2].x


class Transform:
    """Homogeneous transforms of the plane, with operators."""

    def __init__(self, matrix):
        self.matrix = matrix

    @classmethod
    def rotation(cls, angle):
        c, s = np.cos(angle), np.sin(angle)
        return cls(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))

    @classmethod
    def shift(cls, x, y=0.0):
        return cls(np.array([[1.0, 0.0, x], [0.0, 1.0, y], [0.0, 0.0, 1.0]]))

    def __matmul__(self, other):
        return Transform(self.matrix @ other.matrix)

    def __call__(self, point):
        return (self.matrix @ np.append(point, 1.0))[:2]

    def __getitem__(self, key):
        return self.matrix[key]

    def __len__(self):
        return 3


def robot_arm(angles, lengths):
    pose = Transform(np.eye(3))
    for q, a in zip(angles, lengths):
        pose = pose @ Transform.rotation(q) @ Transform.shift(a)
    reach = pose(np.zeros(2))
    return np.sum((reach - np.array([1.0, 1.0])) ** 2) + pose[0, 1] * len(pose)


@dataclass(frozen=True)
class Vector:
    x: float
    y: float

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __abs__(self):
        return (self.x**2 + self.y**2) ** 0.5

    def dot(self, other):
        return self.x * other.x + self.y * other.y


def vectors(a, b):
    p, v = Vector(a, 1.0), Vector(b, -0.5)
    for _ in range(3):
        f = -p * (1.0 / abs(p) ** 3)
        v = v + 0.1 * f
        p = p + v * 0.1
    q = replace(p, x=2.0 * p.x)
    return abs(p) + v.dot(q - p)


class Pid:
    def __init__(self, kp, ki, kd):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.integral = 0.0
        self.before = None

    def __call__(self, error, dt):
        self.integral += error * dt
        slope = 0.0 if self.before is None else (error - self.before) / dt
        self.before = error
        return self.kp * error + self.ki * self.integral + self.kd * slope


def pid(kp, ki, kd):
    control = Pid(kp, ki, kd)
    y = cost = 0.0
    for _ in range(6):
        u = control(1.0 - y, 0.1)
        y = y + 0.1 * (u - y)
        cost = cost + (1.0 - y) ** 2
    return cost


class Spring:
    """Properties with setters, and a cached stiffness."""

    def __init__(self, k, rest):
        self._k = k
        self.rest = rest

    @property
    def k(self):
        return self._k

    @k.setter
    def k(self, value):
        self._k = value * 0.5

    @property
    def force(self):
        return lambda x: -self._k * (x - self.rest)


def spring(k, rest):
    s = Spring(k, rest)
    x, v = 1.0, 0.0
    for i in range(4):
        v = v + 0.1 * s.force(x)
        x = x + 0.1 * v
        if i == 1:
            s.k = s.k * 3.0
    return x * x + v


class Grid:
    def __init__(self, u):
        self.u = u.copy()
        self.new = self.u.copy()

    def sweep(self):
        self.new[1:-1] = 0.5 * (self.u[2:] + self.u[:-2])
        self.u, self.new = self.new, self.u


def ping_pong(u):
    g = Grid(u)
    for _ in range(3):
        g.sweep()
    return np.sum(g.u**2) + np.sum(g.new)


class Branching:
    def __init__(self, a):
        self.a = a
        self.count = 0
        self.log = []

    def step(self, x):
        if x > self.a:
            self.a = self.a * 1.5
            self.count += 1
            return x - self.a
        self.log.append(x * self.a)
        self.a = self.a + 0.1 * x
        return x + self.a


def branching(a, x):
    b = Branching(a)
    while b.count < 3:
        x = b.step(x)
    return x * b.a + sum(b.log) + b.count


def copies(a):
    one = Branching(a)
    two = copy.copy(one)
    two.a = two.a * 2.0
    three = copy.deepcopy(two)
    three.step(0.0)
    return one.a * two.a * three.a


PROGRAMS = [
    (finite_volume, (1.0 + 0.1 * RNG.normal(size=6), 1.2)),
    (particles, (RNG.normal(size=(3, 2)), RNG.normal(size=(3, 2)), np.array([1.0, 2.0, 0.5]))),
    (robot_arm, (np.array([0.3, -0.4, 0.8]), np.array([1.0, 0.7, 0.4]))),
    (vectors, (1.5, 0.4)),
    (pid, (1.0, 0.5, 0.1)),
    (spring, (2.0, 0.3)),
    (ping_pong, (RNG.normal(size=6),)),
    (branching, (0.7, 2.0)),
    (copies, (0.7,)),
]
