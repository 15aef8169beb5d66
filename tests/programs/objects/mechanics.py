"""Bodies, arms and fields: dataclasses of state, chained transforms, particles with slots, vectors with operators."""

import dataclasses
from dataclasses import dataclass
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

RNG = np.random.default_rng(13)


@dataclass
class State:
    """Water at rest or not: heights and flows of cells."""

    h: np.ndarray
    hu: np.ndarray
    t: float = 0.0

    @property
    def velocity(self):
        return self.hu / self.h


class ShallowWater:
    """A finite-volume solver with fluxes of Rusanov."""

    g = 9.81

    def __init__(self, state, dx, cfl=0.4):
        self.state, self.dx, self.cfl = state, dx, cfl

    def flux(self, h, hu):
        return np.stack([hu, hu * hu / h + 0.5 * self.g * h * h])

    def step(self, dt):
        s = self.state
        q = np.stack([s.h, s.hu])
        f = self.flux(s.h, s.hu)
        speed = np.abs(s.velocity) + np.sqrt(self.g * s.h)
        a = np.maximum(speed[1:], speed[:-1])
        F = 0.5 * (f[:, 1:] + f[:, :-1]) - 0.5 * a * (q[:, 1:] - q[:, :-1])
        s.h[1:-1] -= dt / self.dx * (F[0, 1:] - F[0, :-1])
        s.hu[1:-1] -= dt / self.dx * (F[1, 1:] - F[1, :-1])
        s.t += dt


def waves(solver, steps):
    for _ in range(steps):
        solver.step(0.02)
    return np.sum(solver.state.h**2) + np.sum(solver.state.hu) * solver.state.t


@dataclass(frozen=True)
class Swing:
    """A state that is made anew in each step."""

    theta: float
    omega: float
    energy: float = 0.0

    def stepped(self, dt, length):
        omega = self.omega - dt * 9.81 / length * np.sin(self.theta)
        return dataclasses.replace(self, theta=self.theta + dt * omega, omega=omega)


def swung(start, length):
    state = start
    for _ in range(6):
        state = state.stepped(0.05, length)
        if state.omega < -0.2:
            state = dataclasses.replace(state, energy=state.energy + 0.5 * (length * state.omega) ** 2)
    return state.energy + state.theta**2


class Transform:
    """A turn and a shift in the plane; transforms are chained by `@`."""

    def __init__(self, R, t):
        self.R, self.t = R, t

    @classmethod
    def rotation(cls, angle):
        c, s = np.cos(angle), np.sin(angle)
        return cls(np.array([[c, -s], [s, c]]), np.zeros(2))

    @staticmethod
    def translation(x, y):
        return Transform(np.eye(2), np.array([x, y]))

    def __matmul__(self, other):
        if isinstance(other, Transform):
            return Transform(self.R @ other.R, self.R @ other.t + self.t)
        return self.R @ other + self.t

    @property
    def inverse(self):
        return Transform(self.R.T, -self.R.T @ self.t)


class Link:
    def __init__(self, length, offset=0.0):
        self.length, self.offset = length, offset

    def transform(self, angle):
        return Transform.rotation(angle + self.offset) @ Transform.translation(self.length, 0.0)


class Arm:
    def __init__(self, *links):
        self.links = list(links)
        self.base = Transform.rotation(0.1)

    def __len__(self):
        return len(self.links)

    def __getitem__(self, i):
        return self.links[i]

    def tip(self, angles):
        T = self.base
        for link, angle in zip(self.links, angles):
            T = T @ link.transform(angle)
        return T


def reached(arm, angles, target):
    T = arm.tip(angles)
    d = T @ np.zeros(2) - target
    return d @ d + 0.1 * np.sum((T.inverse @ target) ** 2) + arm[0].length * len(arm)


class Vec:
    """A vector with operators of its own."""

    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return self + (-other)

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __mul__(self, k):
        return self.x * k.x + self.y * k.y if isinstance(k, Vec) else Vec(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __abs__(self):
        return np.sqrt(self * self)


class Particle:
    __slots__ = ("pos", "vel", "mass", "__dict__")

    def __init__(self, pos, vel, mass=1.0):
        self.pos, self.vel, self.mass = pos, vel, mass

    def kick(self, force, dt):
        self.vel += force * (dt / self.mass)

    def drift(self, dt):
        self.pos = self.pos + dt * self.vel


def orbits(sun, planets, dt):
    """Particles in a list, pulled by one another; loops over them within a loop over time."""
    bodies = [sun, *planets]
    for _ in range(3):
        for a in bodies:
            for b in bodies:
                if a is not b:
                    r = b.pos - a.pos
                    a.kick(r * (a.mass * b.mass / abs(r) ** 3), dt)
        for body in bodies:
            body.drift(dt)
    return sum(0.5 * b.mass * (b.vel * b.vel) + abs(b.pos) for b in bodies)


class Material(NamedTuple):
    """What a spring is made of."""

    k: float
    damping: float = 0.1

    def force(self, x, v):
        return -self.k * x - self.damping * v


def damped(material, start):
    """A mass on a spring, with its state in a namespace, and half of it made of a softer spring after a while."""
    s = SimpleNamespace(x=start[0], v=start[1], history=[])
    for i in range(8):
        m = material._replace(k=material.k / 2) if i > 3 else material
        s.v = s.v + 0.1 * m.force(s.x, s.v)
        s.x += 0.1 * s.v
        s.history.append(s.x)
    k, c = material
    return np.sum(np.array(s.history) ** 2) + 0.1 * k * c


H = np.array([1.0, 1.2, 1.1, 0.9, 1.0])
PROGRAMS = [
    (waves, (ShallowWater(State(H, 0.1 * H[::-1] ** 2), 0.5), 4)),
    (swung, (Swing(0.8, -0.1), 1.1)),
    (reached, (Arm(Link(1.0), Link(0.8, 0.2), Link(0.5)), np.array([0.3, -0.4, 0.9]), np.array([1.0, 1.2]))),
    (orbits, (Particle(Vec(0.0, 0.1), Vec(0.0, 0.0), 5.0),
              [Particle(Vec(1.0, 0.0), Vec(0.1, 2.0)), Particle(Vec(-1.4, 0.3), Vec(0.2, -1.7), 0.5)], 0.01)),
    (damped, (Material(2.0), np.array([1.0, 0.2]))),
]  # fmt: skip
