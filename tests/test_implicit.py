"""Programs that call solvers, quadrature and integrators of SciPy with functions of their own."""

import functools

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.integrate import odeint, quad, solve_ivp
from scipy.optimize import brentq, minimize, root

from adcompiler import (
    checkpoint,
    differentiable,
    grad,
    jvp,
    vjp,
)
from adcompiler.compile import interpret
from adcompiler.ir.callee import reachable
from adcompiler.ir.core import walk
from rules.rule import find, registry
from tests.numerics import differences

RNG = np.random.default_rng(0)
P = np.array([1.2, 0.9, 0.7])
TIMES = np.linspace(0.0, 2.0, 5)
EXACT = {"rtol": 1e-10, "atol": 1e-12}
A = np.array([[3.0, 1.0, 0.2], [1.0, 2.0, 0.3], [0.2, 0.3, 1.5]])
STIFFNESS = 2.0


# ------------------------------------------------------------------------------------------------- equations
def helper(E, M, e):
    return E - e * np.sin(E) - M


def kepler(p):
    return brentq(helper, 0, 7.0, args=(p[0], 0.3 * p[1]), xtol=1e-14) * p[2]


def bracketed(p):
    def f(x):
        return x**3 + STIFFNESS * x - p[0]

    found = optimize.bisect(f, 0, 3, xtol=1e-14) + 2 * optimize.ridder(f, 0, 3, xtol=1e-14)
    return found + 3 * optimize.brenth(f, 0, 3, xtol=1e-14) + 4 * optimize.toms748(f, 0, 3, xtol=1e-14) * p[1]


def newton(p):
    x = optimize.newton(lambda x: x**3 - p[0], 1, tol=1e-14)
    return x * optimize.newton(lambda x, c: x * x - c, p[1], fprime=lambda x, c: 2 * x, args=(p[2],), tol=1e-14)


def of_root_scalar(p):
    sol = optimize.root_scalar(lambda x, c: x * x * c - p[0], args=(p[1] + 1.0,), bracket=[0, 3], xtol=1e-14)
    if not sol.converged:
        raise RuntimeError(sol.flag)
    more = optimize.root_scalar(lambda x: x**3 - p[2], x0=1.0, fprime=lambda x: 3 * x * x, method="newton", xtol=1e-14)
    return sol.root * more.root


def system(p):
    def F(x, q):
        return [3 * x[0] + np.sin(x[1]) * p[1] - p[0] * q, x[0] * x[1] + 2 * x[1] - q * p[2]]

    sol = root(F, [0.1, 0.2], args=(p[2] * 2,), tol=1e-13)
    if not sol.success:
        raise RuntimeError(sol.message)
    return sol.x[0] * np.exp(sol.x[1]) + np.sum(sol["x"]) + np.sum(sol.fun)


def of_fsolve(p):
    x = optimize.fsolve(lambda x: x**3 + x - p, np.zeros(3), fprime=lambda x: np.diag(3 * x**2 + 1), xtol=1e-13)
    return np.sum(x**2)


def fixed(p):
    x = optimize.fixed_point(lambda x: np.cos(p * x) * 0.5, np.array([0.5, 0.2, 0.1]), xtol=1e-14)
    return np.sum(x**2) * optimize.fixed_point(lambda x, c: np.cos(c * x), 0.5, args=(p[0],), xtol=1e-14)


# -------------------------------------------------------------------------------------------------- minimisers
def minimum(p):
    def f(x, b):
        return 0.5 * x @ A @ x - b @ x + p[0] * np.sum(x**4)

    def slope(x, b):
        return A @ x - b + 4 * p[0] * x**3

    sol = minimize(f, np.zeros(3), args=(p,), jac=slope, tol=1e-12)
    return np.sum(sol.x**2) + sol.fun


def with_gradient(p):
    def f(x):
        r = x - p
        return np.sum(r**2) + np.sum(x**4), 2 * r + 4 * x**3

    return np.sum(minimize(f, [0.0, 0.0, 0.0], jac=True, tol=1e-12).x ** 3)


def bounded(p):
    def f(x):
        return np.sum((x - p) ** 2) + np.sum(x**4) * 0.1 + x[0] * x[1]

    def slope(x):
        return 2 * (x - p) + 0.4 * x**3 + np.array([x[1], x[0], 0.0])

    limits = [(0, None), (0, 0.05), (None, None)]
    sol = minimize(f, np.zeros(3), jac=slope, bounds=limits, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-12})
    return np.sum(sol.x**3)


def model(t, a, b):
    return a * np.exp(-b * t) + 0.1 * b * b


def fitted(p):
    """With an exact Jacobian: the residuals do not vanish at the minimum."""
    def residuals(x, y):
        return model(TIMES, x[0], x[1]) - y

    def slopes(x, y):
        e = np.exp(-x[1] * TIMES)
        return np.stack([e, 0.2 * x[1] - x[0] * TIMES * e], axis=1)

    y = model(TIMES, p[0], p[1]) + 0.03 * p[2] * np.cos(9 * TIMES)
    sol = optimize.least_squares(residuals, [1.0, 1.0], slopes, args=(y,), ftol=None, xtol=1e-15, gtol=1e-15)
    x, _ = optimize.curve_fit(model, TIMES, y, p0=[1.0, 1.0])
    return sol.x[0] * sol.x[1] * p[2] + sol.cost + 0.0 * x[0]


def of_a_number(p):
    sol = optimize.minimize_scalar(lambda x, c: (x - p[0]) ** 2 + 0.1 * x**4 * c, args=(p[1],), tol=1e-9)
    return sol.fun * p[2]


# --------------------------------------------------------------------------------------------------- integrals
def areas(p):
    value, error = quad(lambda x, c: np.sin(c * x), p[0], p[1] * p[0] + 1, args=(p[2],), epsabs=1e-12)
    assert error < 1e-6
    return value * quad(lambda x: np.sum(p * np.exp(-x * x * p)), -np.inf, np.inf, epsabs=1e-12)[0]


def double(p):
    nested = quad(lambda x: quad(lambda y: np.exp(-p[0] * x * y) * p[1], 0, x * p[2])[0], 0, 1)[0]
    return nested * integrate.dblquad(lambda y, x, c: np.exp(-c * x * y), 0, p[1], lambda x: p[0] * x, 2.0, (p[2],))[0]


def of_vectors(p):
    return np.sum(integrate.quad_vec(lambda x: np.exp(-p * x) * p[0], 0, p[2])[0] ** 2)


# ---------------------------------------------------------------------------------------- differential equations
def logistic(p):
    sol = solve_ivp(lambda t, y: p[0] * y * (1 - y / p[1]), (0, 2.0), [p[2]], t_eval=TIMES, **EXACT)
    return np.sum(sol.y[0] ** 2)


def logistic_in_closed_form(p):
    return np.sum((p[1] / (1 + (p[1] / p[2] - 1) * np.exp(-p[0] * TIMES))) ** 2)


def oscillator(p):
    def f(t, y, k):
        return [y[1], -k * y[0] - p[2] * y[1]]

    sol = solve_ivp(f, (p[2], p[2] + p[1]), p[:2], args=(p[0] * 4,), method="DOP853", **EXACT)
    return sol.y[0, -1] * sol.y[1, -1] + sol.t[-1] * sol.t[0] + np.sum(sol.y[:, 0])


def moving_times(p):
    sol = solve_ivp(lambda t, y: np.sin(p * t) * y[::-1] + p, (p[0], p[0] + 1.5), p * 2,
                    t_eval=p[0] + np.array([0.1, 0.4, 0.9]) * p[1], **EXACT)  # fmt: skip
    if not sol.success:
        return 0.0
    return np.sum(sol.y * np.arange(9.0).reshape(3, 3)) + np.sum(sol.t**2)


def matrix_in_it(p):
    B = A * p
    y = solve_ivp(lambda t, y: -B @ y, (0.0, 1.0), np.ones(3), t_eval=[0.5, 1.0], method="LSODA", **EXACT).y
    return np.sum(y**2)


def pendulum(p):
    def f(y, t, b, c):
        angle, speed = y
        return [speed, -b * speed - c * np.sin(angle) + p[2] * t]

    y = odeint(f, [p[0], 0.1], TIMES * p[1], args=(p[0] * 0.25, p[2] * 5), rtol=1e-11, atol=1e-12)
    return np.sum(y[:, 0] ** 2) + y[-1, 1] + odeint(lambda t, y: -p[1] * y, 1, [0.0, 1.0], tfirst=True, **EXACT)[1, 0]


# ------------------------------------------------------------------------------------------------------- places
def in_place_between(p):
    y = p * 2
    y[0] = brentq(lambda z: z**3 + z - np.sum(y), -9, 9, xtol=1e-14)
    y *= brentq(lambda z: z**3 + z - np.sum(y * p), -9, 9, xtol=1e-14)
    return np.sum(y)


def implicit_steps(p):
    u, seen = p.copy(), np.zeros((4, 3))
    for k in range(4):
        f = lambda v: v - u - 0.1 * (-p * v**2 + np.sin(v[::-1]))
        u[:] = root(f, u, tol=1e-13).x
        seen[k] = u
    return np.sum(seen**2)


def in_intervals(p):
    y, total = np.array([p[0], p[1]]), 0.0
    for k in range(3):
        y = solve_ivp(lambda t, z: np.array([z[1], -p[2] * z[0]]), (0.0, 0.5), y, **EXACT).y[:, -1]
        y[0] += 0.1 * k
        total += y[0] ** 2
    return total


def in_a_loop(p):
    x = p.copy()
    for i in range(3):
        if x[i] > 0.8:
            x[i] = brentq(lambda z: z**3 + z - x[i] * p[0], -5, 5, xtol=1e-14)
    return np.sum(x**2)


def in_a_comprehension(p):
    return np.sum(np.array([brentq(lambda z: z**3 + z - v * p[0], -5, 5, xtol=1e-14) for v in p]) ** 2)


def with_branches_and_loops_inside(p):
    def f(x):
        if x > 0.5:
            s = 0.0
            for k in range(3):
                s += p[k] * x ** (k + 1)
            return s - 2
        if x > 100.0:
            raise ValueError("far away")
        return -2.0

    return brentq(f, 0, 3, xtol=1e-14)


def in_one_another(p):
    def outer(x):
        return brentq(lambda y: y**3 + y - x * p[0], -9, 9, xtol=1e-15) - p[1] * x * x + 0.3

    return brentq(outer, 0.1, 5, xtol=1e-14)


def of_containers(p):
    def F(x, d):
        return x * d["a"] + x**3 - np.sum(d["b"])

    return brentq(F, -5, 5, args=({"a": p[0], "b": p[1:]},), xtol=1e-14)


def with_derivatives_inside(p):
    inner = lambda a: brentq(lambda x: x**3 - a * x - 1, 0, 4, xtol=1e-14)
    value, pullback = vjp(inner, p[1])
    extremum = brentq(grad(lambda x: np.cos(p[0] * x) + x * x), -1.0, 4, xtol=1e-14)
    return grad(inner)(p[0]) * value * pullback(2.0)[0] + extremum + checkpoint(inner)(p[2])


def recursive(b, n, a):
    return b if n == 0 else recursive(brentq(lambda z: z**3 + z - b * a, -5, 5, xtol=1e-14), n - 1, a)


def in_a_recursion(p):
    return recursive(p[0], 2, p[1])


def of_other_callables(p):
    f = functools.partial(helper, M=p[0], e=0.3)
    return brentq(f, 0, 7, xtol=1e-14) * brentq(np.cos, 0.1, 3) * p[1]


PROGRAMS = [
    kepler, bracketed, newton, of_root_scalar, system, of_fsolve, fixed, minimum, with_gradient, bounded, fitted,
    of_a_number, areas, double, of_vectors, logistic, oscillator, moving_times, matrix_in_it, pendulum,
    in_place_between, implicit_steps, in_intervals, in_a_loop,
    in_a_comprehension, with_branches_and_loops_inside, in_one_another, of_containers, with_derivatives_inside,
    in_a_recursion, of_other_callables,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_each_mode_and_second_derivatives(f):
    g, t = differentiable(f), np.array([0.3, -0.7, 0.4])
    d = g.grad(P)
    step = {fitted: 1e-3, minimum: 2e-4}.get(f, 2e-5)  # SciPy knows these to 1e-9 only
    slopes = differences(f, (P,), step=step)
    size = 1.0 + np.max(np.abs(slopes))
    assert np.max(np.abs(d - slopes)) < 3e-7 * size
    np.testing.assert_allclose(g.grad(P), d, rtol=1e-12, atol=1e-14)  # into arrays of the first call
    _, pullback = vjp(f, P)
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], d, rtol=1e-9, atol=1e-9)
    assert abs(jvp(f, (P,), (t,))[1] - slopes @ t) < 3e-7 * size
    moved = differences(lambda p: g.grad(p) @ t, (P,), step=step)
    off = 1e-3 if f is of_a_number else 1e-5  # SciPy knows a minimiser to 1e-8 only
    assert np.max(np.abs(grad(lambda p: g.grad(p) @ t)(P) - moved)) < off * (1.0 + np.max(np.abs(moved)))


@pytest.mark.parametrize("f", [kepler, system, areas, oscillator, pendulum, in_one_another, in_a_recursion])
def test_each_stage_gives_the_same(f):
    d = grad(f, reuse_buffers=False)(P)
    for stage in ("adjoint", "unthunk", "inline", "simplify", "capture"):
        value, found = interpret(f, (P,), stage, checked=True)
        np.testing.assert_allclose(found, d, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(value, f(P), rtol=1e-8)
    np.testing.assert_allclose(interpret(f, (P,), "lower", checked=True), f(P), rtol=1e-8)


def test_every_rule_that_takes_a_function_is_in_a_program():
    found = set()
    for f in PROGRAMS:
        lowered = differentiable(f)._build("grad", None, None, (P,), True, False).stages["lower"]
        for function in (lowered, *(c.function for c in reachable(lowered))):
            found |= {rule.name for op in walk(function.body) if (rule := find(op.target))}
    assert not {r.name for r in registry() if r.callbacks and r.where.startswith("rules.")} - found - {"integral_error"}


@pytest.mark.parametrize("f", [implicit_steps, in_intervals, minimum])
def test_a_pullback_does_not_see_later_changes(f):
    p = P.copy()
    _, pullback = vjp(f, p)
    p[:] = 77.0
    np.testing.assert_allclose(pullback(1.0)[0], grad(f)(P), rtol=1e-12)
    assert vjp(f, P, lazy=True)[1](1.0)[0]() @ np.ones(3) == pytest.approx(np.sum(grad(f)(P)), rel=1e-12)


# ------------------------------------------------------------------------------------------------ closed forms
def test_keplers_equation():
    M, e = 1.0, 0.3
    f = lambda M, e: brentq(lambda E: E - e * np.sin(E) - M, 0.0, 7.0, xtol=1e-15)
    E = f(M, e)
    by_M, by_e = grad(f, argnums=(0, 1))(M, e)
    q = 1 - e * np.cos(E)
    np.testing.assert_allclose([by_M, by_e], [1 / q, np.sin(E) / q], rtol=1e-13)
    np.testing.assert_allclose(grad(grad(f))(M, e), -e * np.sin(E) / q**3, rtol=1e-12)
    third = grad(grad(grad(f)))(M, e)
    np.testing.assert_allclose(third, (3 * e**2 * np.sin(E) ** 2 - e * np.cos(E) * q) / q**5, rtol=1e-11)


def test_the_minimum_of_a_quadratic_function():
    f = lambda b: minimize(lambda x: 0.5 * x @ A @ x - b @ x, np.zeros(3), jac=lambda x: A @ x - b, tol=1e-12)
    np.testing.assert_allclose(grad(lambda b: f(b).x[1])(P), np.linalg.inv(A)[1], rtol=1e-10)
    np.testing.assert_allclose(grad(lambda b: f(b).fun)(P), -np.linalg.solve(A, P), rtol=1e-8)
    hessian = jvp(grad(lambda b: f(b).fun), (P,), (np.array([0.0, 1.0, 0.0]),))[1]
    np.testing.assert_allclose(hessian, -np.linalg.inv(A)[1], rtol=1e-10)


@pytest.mark.parametrize("sigma", [None, np.linspace(1.0, 2.0, 5)])
def test_a_fit_of_a_line_is_linear_in_the_data(sigma):
    def line(t, a, b):
        return a + b * t

    def f(y):
        if sigma is None:
            (a, b), _ = optimize.curve_fit(line, TIMES, y, p0=[1.0, 1.0])
        else:
            slopes = lambda t, a, b: np.stack([np.ones(5), t], axis=1)
            (a, b), _ = optimize.curve_fit(line, TIMES, y, (1.0, 1.0), sigma, jac=slopes, xtol=1e-12, maxfev=50)
        return b + 0.0 * a

    w = np.ones(5) if sigma is None else 1 / sigma
    expected = (np.linalg.pinv(w[:, None] * np.stack([np.ones(5), TIMES], axis=1)) * w)[1]
    np.testing.assert_allclose(grad(f)(np.cos(TIMES)), expected, rtol=1e-7, atol=1e-9)


def test_integrals_of_gauss():
    f = lambda a: quad(lambda x: np.exp(-a * x * x), -np.inf, np.inf)[0]
    np.testing.assert_allclose(grad(f)(1.3), -0.5 * np.sqrt(np.pi) * 1.3**-1.5, rtol=1e-10)
    np.testing.assert_allclose(grad(grad(f))(1.3), 0.75 * np.sqrt(np.pi) * 1.3**-2.5, rtol=1e-10)


def test_the_logistic_equation():
    np.testing.assert_allclose(grad(logistic)(P), grad(logistic_in_closed_form)(P), rtol=1e-8)


def test_an_oscillator():
    def f(y0, w, T):
        return solve_ivp(lambda t, y: np.array([y[1], -w * w * y[0]]), (0.0, T), y0, **EXACT).y[0, -1]

    y0, w, T = np.array([1.0, 0.5]), 1.3, 2.0
    by_y0, by_w, by_T = grad(f, argnums=(0, 1, 2))(y0, w, T)
    c, s = np.cos(w * T), np.sin(w * T)
    np.testing.assert_allclose(by_y0, [c, s / w], rtol=1e-8)
    np.testing.assert_allclose(by_w, -T * s * y0[0] + y0[1] * (T * c / w - s / w**2), rtol=1e-8)
    np.testing.assert_allclose(by_T, -w * s * y0[0] + c * y0[1], rtol=1e-8)


def test_stiff_equations_by_an_implicit_method():
    def f(k):
        return solve_ivp(lambda t, y: -k * (y - np.cos(t)), (0.0, 1.0), [0.0], "Radau", jac=lambda t, y: [[-k]],
                         rtol=1e-9, atol=1e-11).y[0, -1]  # fmt: skip

    k, c, s = 1000.0, np.cos(1.0), np.sin(1.0)
    np.testing.assert_allclose(grad(f)(k), (2 * k * (k * k + 1) - 2 * k**3) / (k * k + 1) ** 2 * c
                               + (1 - k * k) / (k * k + 1) ** 2 * s, rtol=1e-4)  # fmt: skip
