"""Calls of solvers, quadrature and integrators of SciPy in all their forms, what is refused, and errors."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.integrate import odeint, quad, solve_ivp
from scipy.optimize import brentq, minimize, root

from adcompiler import (
    UnsupportedError,
    check_grad,
    differentiable,
    grad,
    jvp,
    stop_gradient,
    vjp,
)
from adcompiler.ahead import compile_module
from tests.numerics import differences
from tests.test_implicit import EXACT, TIMES, P

# ------------------------------------------------------------------------------------------------ forms of calls
BOUNDS, FINE = [(0.0, None), (0.0, 5.0)], {"rtol": 1e-9, "atol": 1e-11}


class Decay:
    rate = 2.0

    def slope(self, t, y, a):
        return -self.rate * a * y


DECAY = Decay()


def chain(t, y, k):
    first, second = y
    return -k * first, k * first - 0.5 * second


def of_attributes(a):
    sol = solve_ivp(chain, (0, 2), (1.0, 0.0), args=(a,), dense_output=False, **FINE)
    t, y = sol.t, sol.y
    return y[1][-1] + sol["y"][0, -1] + t[-1]


def circle(a):
    def residual(v):
        x, y = v
        return x * x + y * y - a, x - y

    x, y = optimize.fsolve(residual, (1, 1))
    return x * y


def one_or_the_other(a):
    sol = root(lambda x: x**2 - a, [1.0]) if a > 1 else root(lambda x: x**3 - a, [1.0])
    total = 0.0
    for k in range(3):
        total += sol.x[0] * k
        if sol.success:
            sol = root(lambda x: x**2 - total, [1.0])
    return total + sol.x[0]


def shooting(a):
    def miss(slope):
        return solve_ivp(lambda t, y: [y[1], -a * y[0]], (0, 1), [0.0, slope], **FINE).y[0, -1] - 0.7

    return brentq(miss, 0, 5, xtol=1e-13)


def quantile(a):
    return brentq(lambda b: quad(lambda x: np.exp(-a * x * x), 0, b)[0] - 0.4, 0, 3, xtol=1e-13)


def of_made_functions(a):
    def cubic(k):
        return lambda x: x**3 - k * a

    return brentq(cubic(2.0), 0, 4, xtol=1e-14) * brentq(cubic(a), 0, 4, xtol=1e-14)


def van_der_pol(a):
    def f(t, y):
        slope = np.empty_like(y)
        slope[0] = y[1]
        slope[1] = a * (1 - y[0] ** 2) * y[1] - y[0]
        return slope

    return solve_ivp(f, (0, 3), [2.0, 0.0], **FINE).y[0, -1]


FORMS = [
    lambda a: root(lambda x, b: x * x - b, (1.0, 2.0), (a,)).x[1],
    lambda a: root(lambda x, b: x * x - b, [1.0], args=a).x[0],
    lambda a: root(lambda x: np.exp(x) - a, 0.0, method="lm", tol=1e-12).x.sum(),
    lambda a: root(lambda x: np.exp(x) - a, [0.0], method="krylov", tol=1e-12).x[0],
    lambda a: optimize.root_scalar(lambda x: x**3 - a, bracket=(0, a * 3), method="brentq").root,
    lambda a: brentq(f=lambda x: x**3 - a, a=0, b=3),
    lambda a: optimize.newton(lambda x: x**3 - a, a, maxiter=100, rtol=1e-12),
    lambda a: np.sum(minimize(lambda x: np.sum((x - a) ** 2) + x[0] * x[1], [0.1, 0.1], bounds=BOUNDS, tol=1e-12).x),
    lambda a: np.sum(minimize(lambda x: np.sum((x - a) ** 2) + x[0] * x[1], [0, 0], bounds=optimize.Bounds(0, 5)).x),
    lambda a: minimize(lambda x: (x[0] - a) ** 2, x0=[0], method="Nelder-Mead", options={"xatol": 1e-9}).x[0],
    lambda a: optimize.minimize_scalar(lambda x: (x - a) ** 2, bounds=(0, 10), method="bounded").x,
    lambda a: solve_ivp(lambda t, y: -a * y, [0, a], [1, 2], t_eval=[0.1, a * 0.5], **FINE).y[1, 1],
    lambda a: solve_ivp(fun=lambda t, y: -a * y, t_span=np.arange(2.0), y0=np.ones(2), method="RK23", **FINE).y[1, -1],
    lambda a: solve_ivp(DECAY.slope, (0, 1), [1.0], args=(a,), **FINE).y[0, -1],
    lambda a: odeint(lambda y, t, b, c: [y[1] * b, -y[0] * c], [a, 1], TIMES, (a, 2.0), **FINE)[-1, 0],
    lambda a: quad(np.exp, 0, a)[0] + quad(lambda x, c: a * c, 0, 1, (2.0,))[0],
    of_attributes, circle, one_or_the_other, shooting, quantile, of_made_functions, van_der_pol,
]  # fmt: skip


@pytest.mark.parametrize("f", FORMS)
def test_a_call_may_have_any_form(f):
    np.testing.assert_allclose(grad(f)(1.3), differences(f, (1.3,), step=1e-4), rtol=1e-4, atol=1e-4)


def test_what_a_function_prints_is_printed_where_it_is_called(capsys):
    def f(a):
        def g(x):
            print("called")
            return x**3 - a

        y = brentq(g, 0, 3)
        return a * (y if a > 100 else 1.0)

    assert grad(f)(2.0) == 1.0
    assert capsys.readouterr().out.count("called") >= 3


# ------------------------------------------------------------------------------------------ conventions, errors
def test_where_a_solver_begins_does_not_count():
    assert grad(lambda a: optimize.newton(lambda x: x**3 - 2.0, a))(1.2) == 0.0
    assert jvp(lambda a: optimize.brentq(lambda x: x**3 - 2.0, 0.0, a), (2.0,), (1.0,))[1] == 0.0


def test_a_gradient_may_be_stopped_in_the_function():
    g = grad(lambda a: brentq(lambda x: x**3 - stop_gradient(a) - a, 0, 4, xtol=1e-14))(1.0)
    np.testing.assert_allclose(g, 1 / (3 * 2 ** (2 / 3)), rtol=1e-12)


def test_single_precision():
    g = grad(lambda a: brentq(lambda x: x * x - a, 0, 3))(np.float32(2.0))
    assert type(g) is np.float32
    np.testing.assert_allclose(g, 0.5 / np.sqrt(2.0), rtol=1e-6)
    g = grad(lambda p: np.sum(root(lambda x: x**3 - p, np.ones(3, "f4")).x))(P.astype("f4"))
    assert g.dtype == np.float32
    np.testing.assert_allclose(g, P ** (-2 / 3) / 3, rtol=1e-6)


class Quadratic:
    def __init__(self, a):
        self.a = a

    def __call__(self, x):
        return x * x - self.a


def test_an_object_that_is_called():
    def f(a):
        x = brentq(Quadratic(a), 0.0, 9.0) + root(Quadratic(np.array([a])), [1.0], tol=1e-12).x[0]
        return x + quad(Quadratic(a), 0, 1)[0] + brentq(Quadratic(x), 0.0, 9.0)

    check_grad(f, 2.0)
    check_grad(grad(f), 2.0)


def decay(a):
    return quad(lambda t: np.exp(-a * t), 0, 1)[0]


@pytest.mark.parametrize(
    "f",
    [
        lambda a: brentq(lambda x: grad(decay)(a * x) + 0.2, 0.1, 9.0),
        lambda a: root(lambda x: np.array([grad(decay)(x[0]) + 0.2 * a]), [1.0], tol=1e-12).x[0],
        lambda a: quad(lambda s: grad(decay)(a * s), 0, 1)[0],
        lambda a: grad(lambda b: grad(decay)(b * b))(a),
    ],
)
def test_a_solver_within_one_by_its_gradient(f):
    check_grad(f, 1.2)
    check_grad(grad(f), 1.2)


def test_a_recursion_through_a_solver_is_refused():
    def f(a, n):
        return a if n == 0 else quad(lambda t: grad(lambda b: f(b * t, n - 1))(a), 0, 1)[0]

    with pytest.raises(UnsupportedError, match="calls itself"):
        grad(f)(1.2, 2)


@pytest.mark.parametrize("options", [{}, {"ftol": 0.5}, {"xtol": 0.5}, {"gtol": 0.9}])
def test_a_fit_stops_where_the_program_does(options):
    y = np.exp(-0.7 * TIMES)
    fit = lambda y: optimize.curve_fit(lambda t, a, b: a * np.exp(-b * t), TIMES, y, p0=[5.0, 0.1], **options)[0][0]
    assert vjp(fit, y)[0] == fit(y)


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda a: root(lambda x: x * x + a, [1.0]).x[0], "root has not converged"),
        (lambda a: brentq(lambda x: x - a + 5 * np.sign(x - 0.4), -9, 9), "away from a smooth solution"),
        (lambda a: brentq(lambda x: np.sign(x - a), -9, 9.5), "the equations do not determine it"),
        (lambda a: minimize(lambda x: abs(x[0] - a) + 0.1 * (x[0] - 2) ** 2, np.ones(1), method="Nelder-Mead").x[0],
         "away from a smooth solution"),
        (lambda a: np.sum(minimize(lambda x: (x[0] + x[1] - a) ** 2, np.ones(2)).x), "do not determine it"),
        (lambda a: minimize(lambda x: abs(x[0] - a) + 0.1 * (x[0] - 2) ** 2, np.ones(1), method="Nelder-Mead").fun,
         "is no smooth minimum"),
        (lambda a: optimize.minimize_scalar(lambda x: x * a, bounds=(0, 1), method="bounded").fun,
         "is no smooth minimum"),
        (lambda a: solve_ivp(lambda t, y: y * y * a, (0, 2), [1.0]).y[0, -1], "solve_ivp has failed"),
        (lambda a: solve_ivp(lambda t, y: y * y, (0, a), [1.0]).y[0, -1], "solve_ivp has failed"),
    ],
)  # fmt: skip
def test_what_is_no_solution_has_no_derivative(f, words):
    assert np.isfinite(f(1.3))
    for derivative in (grad(f), lambda a: jvp(f, (a,), (1.0,))):
        with pytest.raises(ValueError, match=words):
            derivative(1.3)


def over_a_list(a):
    rates = [a * k for k in np.arange(3.0)]
    return quad(lambda x: sum([k * x for k in rates]), 0, 1)[0]


def test_where_a_failure_is_handled_by_the_program_there_is_none():
    def f(a):
        sol = root(lambda x: x * x + a, [1.0])
        return sol.x[0] if sol.success else 3.0 * a

    assert grad(f)(1.3) == 3.0

    def g(a):
        sol = solve_ivp(lambda t, y: y * y * a, (0, 2), [1.0], t_eval=[1.0, 2.0])
        return np.sum(sol.y) if sol.success else 3.0 * a

    assert grad(g)(1.3) == 3.0
    np.testing.assert_allclose(grad(g)(0.1), 1 / 0.9**2 + 2 / 0.8**2, rtol=3e-3)


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda a: brentq(np.vectorize, 0, 1) * a, "the f of brentq cannot be seen into"),
        (lambda a: brentq(lambda x: "a", 0, 3) * a, "the f of brentq cannot be seen into"),
        (lambda a: brentq(lambda x: x - a, -5, 5, full_output=True)[0], "brentq() with the keyword 'full_output'"),
        (lambda a: np.sum(root(lambda x: x - a, np.ones((2, 2))).x), "a solver that begins with f64[2,2]"),
        (lambda a: np.real(root(lambda x: x - a, [1j]).x[0]), "a solver that begins with c128[1]"),
        (lambda a: root(lambda x: x - a, [1.0]).nfev * a, "the attribute nfev of what root returns"),
        (lambda a: (root(lambda x: x - a, [1.0]) if a > 1 else minimize(lambda x: x[0] ** 2 + a, [1.0])).x[0],
         "one result on one path"),
        (lambda a: root(lambda x: (x - a, 1), [1.0], jac=True).x[0], "root with jac=True"),
        (lambda a: np.sum(optimize.newton(lambda x: x * x - a, np.ones(2))), "optimize.newton of an array"),
        (lambda a: minimize(lambda x: np.sum((x - a) ** 2), [1.0], constraints=({"type": "eq", "fun": np.sum},)).x[0],
         "minimize with constraints"),
        (lambda a: minimize(lambda x: np.sum((x - a) ** 2), [1.0], bounds=[(0, a)]).x[0],
         "what is at a bound moves with it"),
        (lambda a: minimize(lambda x: np.sum((x - a) ** 2), [1.0]).hess_inv[0, 0], "the attribute hess_inv"),
        (lambda a: optimize.leastsq(lambda x: x - a, [1.0])[0], "leastsq has no rule"),
        (lambda a: optimize.least_squares(lambda x: x - a, [1.0], loss="cauchy").x[0], "another loss than linear"),
        (lambda a: optimize.curve_fit(lambda t, b: b * t - a, TIMES, TIMES, p0=[1.0])[1][0, 0], "the covariances that"),
        (lambda a: quad(lambda x: x * a, 0, 1, weight="cos", wvar=2.0)[0], "quad with full_output, weight"),
        (lambda a: quad(lambda x: x * a, 0, 1)[1], "the estimate of the error of an integral has no derivative"),
        (lambda a: np.abs(quad(lambda x: np.exp(1j * x * a), 0, 1)[0]), "quad of a function that returns c128"),
        (over_a_list, "closes over a list, and is integrated over"),
        (lambda a: integrate.tplquad(lambda x, y, z: x * y * a, 0, 1, 0, 1, 0, 1)[0],
         "write quad, one in the function of the other"),
        (lambda a: solve_ivp(lambda t, y: -a * y, (0, 1), [1.0], dense_output=True).y[0, -1], "events or dense_output"),
        (lambda a: solve_ivp(lambda t, y: -a * y, (0, 1), [1.0], atol=[1e-9]).y[0, -1], "a tolerance for each element"),
        (lambda a: np.abs(solve_ivp(lambda t, y: 1j * a * y, (0, 1), [1.0]).y[0, -1]), "that returns c128[1]"),
        (lambda a: np.abs(solve_ivp(lambda t, y: np.real(y) * a, (0, 1), [1j]).y[0, -1]), "solve_ivp of c128[1]"),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_refused_with_the_reason(f, words):
    with pytest.raises(UnsupportedError) as caught:
        grad(f)(1.3)
    assert words in " ".join(str(caught.value).split())


@pytest.mark.parametrize(
    "f",
    [
        lambda a: quad(lambda x: np.where(x < a, 1.0, 0.0), 0, 1)[0],
        lambda a: quad(lambda x: 1.0 if x < a else 0.0, 0, 1)[0],
        lambda a: quad(lambda x: (x * a) % 1.0, 0, 3)[0],
        lambda a: quad(lambda x: float(x < a), 0, 3)[0],
        lambda a: quad(lambda x: quad(lambda y: np.sign(x + y - a), 0, 1)[0], 0, 1)[0],
        lambda a: solve_ivp(lambda t, y: -a * y if y[0] > 0.5 else y * 0.0, (0, 1), [1.0]).y[0, -1],
        lambda a: solve_ivp(lambda t, y: np.where(t < a, 1.0, 2.0) * y, (0, 1), [1.0]).y[0, -1],
        lambda a: odeint(lambda y, t: np.sign(y), a, [0.0, 1.0])[-1, 0],
        grad(lambda a: quad(lambda x: np.maximum(x - a, 0.0), 0, 3)[0]),
        grad(lambda a: solve_ivp(lambda t, y: -a * np.maximum(y, 0.1), (0, 1), [1.0]).y[0, -1]),
    ],
)
def test_a_jump_at_a_place_that_moves_is_refused(f):
    for derivative in (grad(f), lambda a: jvp(f, (a,), (1.0,))):
        with pytest.raises(UnsupportedError, match=r"jumps at line \d+, at a place that moves"):
            derivative(0.7)


def guarded(t, y, a):
    if y[0] < -100.0:
        raise ValueError("far away")
    rate = np.zeros(1)
    for k in range(2):
        rate[0] -= a * y[0] * k
    return rate


@pytest.mark.parametrize(
    "f",
    [
        lambda a: quad(lambda x: a if x < 0.5 else 0.0, 0, 1)[0],
        lambda a: quad(lambda x: x * a if a > 0.2 else 0.0, 0, 3)[0],
        lambda a: quad(lambda x: np.maximum(x - a, 0.0) + np.abs(x - a), 0, 3, points=[a])[0],
        lambda a: odeint(lambda y, t: -a * y if t < 0.5 else y * 0.0, 1.0, [0.0, 0.5, 1.0], **EXACT)[-1, 0],
        lambda a: solve_ivp(lambda t, y: -a * np.maximum(y, 0.1), (0, 1), [1.0], **EXACT).y[0, -1],
        lambda a: solve_ivp(guarded, (0, 1), [1.0], args=(a,), **EXACT).y[0, -1],
    ],
)
def test_jumps_that_stand_still_and_kinks_are_not(f):
    np.testing.assert_allclose(grad(f)(0.7), differences(f, (0.7,), step=1e-4), rtol=1e-4)
    np.testing.assert_allclose(jvp(f, (0.7,), (1.0,))[1], grad(f)(0.7), rtol=1e-7)


def test_what_a_solver_returns_is_not_returned():
    def f(a):
        sol = root(lambda x: x**2 - a, [1.0])
        return sol.x[0], sol

    with pytest.raises(UnsupportedError, match="it returns what root gives"):
        grad(f, has_aux=True)(1.3)
    assert grad(lambda a: f(a)[0])(1.0) == pytest.approx(0.5)


def test_a_function_that_changes_what_is_around_it_is_refused():
    def f(a):
        y = np.zeros(3)

        def g(x):
            y[0] = x
            return x - a

        return brentq(g, -5, 5) + y[0]

    with pytest.raises(UnsupportedError, match="y is changed in place"):
        grad(f)(1.3)


def test_what_is_wrong_in_the_function_is_told_at_its_line():
    def f(a):
        return root(
            lambda x: np.trim_zeros(x) - a,
            [1.0],
        ).x[0]

    with pytest.raises(UnsupportedError, match=rf"line {f.__code__.co_firstlineno + 2}\n"):
        grad(f)(1.3)


def test_a_module_ahead_of_time(tmp_path, monkeypatch):
    source = tmp_path / "orbit.py"
    source.write_text(
        "import numpy as np\nfrom scipy.optimize import brentq, root\n\n\n"
        "def orbit(M, e, q):\n"
        "    E = brentq(lambda E: E - e * np.sin(E) - M, 0.0, 7.0, xtol=1e-14)\n"
        "    return E * np.sum(root(lambda x: x**3 + x * e - q, np.ones(3)).x)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    orbit = __import__("orbit").orbit
    compile_module(orbit, tmp_path / "orbit_grad.py", signatures=("float, float, f64[n]",), argnums=(0, 1, 2))
    run = (
        "import sys, numpy as np; from orbit_grad import orbit_grad; assert 'adcompiler' not in sys.modules; "
        "M, e, q = orbit_grad(1.0, 0.3, np.array([1.2, 0.9, 0.7])); print(M, e, *q)"
    )
    out = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True, cwd=tmp_path)
    M, e, q = grad(orbit, argnums=(0, 1, 2))(1.0, 0.3, P)
    np.testing.assert_allclose([float(x) for x in out.stdout.split()], [M, e, *q], rtol=1e-12)


def test_the_code_reads_as_the_adjoint_method():
    f = lambda p: np.sum(root(lambda x: x**3 + x - p, np.ones(3)).x)
    text = differentiable(f).source(example=(P,))
    body = text[text.index("    # backward") :]
    assert "jacobian = np.stack([fun_grad(x, p, row) for row in np.eye(3)])" in body
    assert "np.linalg.solve(jacobian.T, d_x)" in body
    assert len(body.strip().splitlines()) == 5
