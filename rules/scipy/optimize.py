"""Rules for `scipy.optimize`: what a solver gives is a function of what its equations close over, implicitly.

What stands for a solver here gives the parts of its result that a program may use; it is called where the solver is,
with the same function, starting point and options.
"""

from typing import Any

import numpy as np
from scipy import optimize

from rules.kind import Array, KindError, Num, Opaque, kind_of
from rules.libraries import follow
from rules.operands import rank
from rules.results import fields
from rules.rule import primitive, recorded, rule, unsupported
from rules.scipy.forms import refused
from rules.scipy.implicit import pulled, pushed, starting, well_posed


def _of_numbers(name: str, f: Any) -> Num:
    """The kind of a root of a function of a number."""
    if not isinstance(f.result, Num | Array) or f.result.ndim or f.result.dtype.kind == "c":
        raise KindError(f"{name} of a function that gives {f.result} is not supported", "let it return a real number")
    return Num(float)


# --------------------------------------------------------------------------------- one equation, in a bracket
#: The relative tolerance that SciPy takes.
_RTOL = float(4 * np.finfo(float).eps)


def _bracketed(solver: Any, more: str = "") -> None:
    """The rule of a solver that begins with a bracket, of which x does not depend."""
    name = solver.__name__

    class bracketed:
        constant = "a b xtol rtol maxiter" + more.partition("=")[0]

        def calls_f(): return (Num(float),)
        def kind(f): return _of_numbers(name, f)
        def d_f(ad, d_x, f, x): return pulled(ad, f, x, d_x, name)
        def t_x(ad, f, x, t_f): return pushed(ad, f, x, t_f, name)

    rest = f", {more.strip()}" if more else ""
    rule(f"x = {name}(f, a, b, args=(){rest}, xtol=2e-12, rtol={_RTOL!r}, maxiter=100)",
         solver)(bracketed)  # fmt: skip


_bracketed(optimize.brentq)
_bracketed(optimize.brenth)
_bracketed(optimize.bisect)
_bracketed(optimize.ridder)
_bracketed(optimize.toms748, " k=1")


# ------------------------------------------------------------------------------ one equation, from a guess
@rule("x = newton(func, x0, fprime=None, args=(), tol=1.48e-08, maxiter=50, fprime2=None, x1=None, rtol=0.0)",
      optimize.newton)  # fmt: skip
class newton:
    """Of a number alone."""

    constant = "x0 x1 fprime fprime2 tol maxiter rtol"

    def calls_func(): return (Num(np.float64),)
    def calls_fprime(): return (Num(np.float64),)
    def calls_fprime2(): return (Num(np.float64),)

    def kind(func, x0):
        if kind_of(x0).ndim or kind_of(x0).dtype.kind == "c":
            raise KindError("optimize.newton of an array, or of complex numbers, is not supported",
                            "write optimize.root, or a loop over the elements")  # fmt: skip
        _of_numbers("newton", func)
        return Num(np.float64)

    def d_func(ad, d_x, func, x): return pulled(ad, func, x, d_x, "newton")
    def t_x(ad, func, x, t_func): return pushed(ad, func, x, t_func, "newton")


@primitive
def root_of_number(f: Any, method: Any = None, bracket: Any = None, fprime: Any = None, fprime2: Any = None,
                   x0: Any = None, x1: Any = None, xtol: Any = None, rtol: Any = None, maxiter: Any = None,
                   options: Any = None) -> Any:  # fmt: skip
    """The root that `optimize.root_scalar` finds, whether it has converged, and how it ended."""
    found = optimize.root_scalar(f, (), method, bracket, fprime, fprime2, x0, x1, xtol, rtol, maxiter, options)
    return float(found.root), bool(found.converged), found.flag


@rule("sol = root_of_number(f, method=None, bracket=None, fprime=None, fprime2=None, x0=None, x1=None, xtol=None, "
      "rtol=None, maxiter=None, options=None)", root_of_number)  # fmt: skip
class root_of_number_rule:
    static = "method"
    constant = "bracket x0 x1 fprime fprime2 xtol rtol maxiter options"

    def calls_f(): return (Num(float),)
    def calls_fprime(): return (Num(float),)
    def calls_fprime2(): return (Num(float),)
    def kind(f): return _of_numbers("root_scalar", f), Num(bool), Opaque("str")

    def d_f(ad, d_sol, f, sol):
        return pulled(ad, f, sol[0], d_sol[0], "root_scalar", sol[1])

    def t_sol(ad, f, sol, t_f):
        return pushed(ad, f, sol[0], t_f, "root_scalar", sol[1]), 0.0, 0.0


def root_scalar(f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None,
                fprime2: Any = None, x0: Any = None, x1: Any = None, xtol: Any = None, rtol: Any = None,
                maxiter: Any = None, options: Any = None) -> Any:  # fmt: skip
    """`optimize.root_scalar`."""
    args = args if isinstance(args, tuple) else (args,)
    if isinstance(fprime, bool) or isinstance(fprime2, bool):
        refused("root_scalar with fprime=True", "give it a function for the derivative, or leave it out")
    x, converged, flag = root_of_number(
        lambda x: f(x, *args), method, bracket,
        None if fprime is None else lambda x: fprime(x, *args),
        None if fprime2 is None else lambda x: fprime2(x, *args),
        x0, x1, xtol, rtol, maxiter, options)  # fmt: skip
    return fields("root_scalar", root=x, converged=converged, flag=flag)


# ------------------------------------------------------------------------------------------- several equations
def _vectors(name: str, f: Any, x0: Any) -> Array:
    """The kind of a root of a function of a vector."""
    if x0.ndim != 1 or not isinstance(f.result, Array) or f.result.ndim != 1 or f.result.dtype.kind == "c":
        raise KindError(f"{name} of a function of {x0} that gives {f.result} is not supported",
                        "let it take and return vectors of real numbers")  # fmt: skip
    return Array(np.dtype(float), x0.shape)


@primitive
def root_of(fun: Any, x0: Any, method: Any = "hybr", jac: Any = None, tol: Any = None, options: Any = None) -> Any:
    """The root that `optimize.root` finds, whether it has converged, and how it ended."""
    found = optimize.root(fun, x0, (), method, jac, tol, None, options)
    return np.array(found.x), bool(found.success), found.message


@rule("sol = root_of(fun, x0, method='hybr', jac=None, tol=None, options=None)", root_of)
class root_of_rule:
    static = "method"
    constant = "x0 jac tol options"

    def calls_fun(x0): return (Array(np.dtype(float), x0.shape),)
    def calls_jac(x0): return (Array(np.dtype(float), x0.shape),)
    def kind(fun, x0): return _vectors("root", fun, x0), Num(bool), Opaque("str")

    def d_fun(ad, d_sol, fun, sol):
        return pulled(ad, fun, sol[0], d_sol[0], "root", sol[1])

    def t_sol(ad, fun, sol, t_fun):
        return pushed(ad, fun, sol[0], t_fun, "root", sol[1]), 0.0, 0.0


def root(fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, tol: Any = None,
         callback: Any = None, options: Any = None) -> Any:  # fmt: skip
    """`optimize.root`."""
    args = args if isinstance(args, tuple) else (args,)
    if callback is not None:
        refused("root with a callback", "leave it out")
    if method not in ("hybr", "lm") and isinstance(x0, (int, float, np.number)):
        refused("root of a number by this method", "begin with a vector of one: [x0]")
    f = lambda x: np.atleast_1d(fun(x, *args))
    if isinstance(jac, bool):
        if jac:
            refused("root with jac=True", "give it a function for the Jacobian, or leave it out")
        jac = None
    x, success, message = root_of(
        lambda x: np.atleast_1d(fun(x, *args)), starting(np.asarray(x0)), method,
        None if jac is None else lambda x: jac(x, *args), tol, options)  # fmt: skip
    return fields("root", x=x, success=success, message=message, fun=f(x))


def fsolve(func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, col_deriv: Any = 0,
           xtol: Any = 1.49012e-8, maxfev: Any = 0, band: Any = None, epsfcn: Any = None, factor: Any = 100,
           diag: Any = None) -> Any:  # fmt: skip
    """`optimize.fsolve`: `root` by the method "hybr"."""
    if full_output or col_deriv or band is not None or diag is not None or epsfcn is not None:
        refused("fsolve with full_output, col_deriv, band, epsfcn or diag", "write optimize.root(f, x0).x")
    sol = root(func, x0, args, "hybr", fprime, None, None, {"xtol": xtol, "maxfev": maxfev, "factor": factor})
    return sol["x"]


# ----------------------------------------------------------------------------------------------- fixed points
@primitive
def fixed_point_of(func: Any, x0: Any, xtol: Any = 1e-8, maxiter: Any = 500, method: Any = "del2") -> Any:
    """`optimize.fixed_point`."""
    return np.array(optimize.fixed_point(func, x0, (), xtol, maxiter, method))[()]


@rule("x = fixed_point_of(func, x0, xtol=1e-08, maxiter=500, method='del2')", fixed_point_of)
class fixed_point_rule:
    static = "method"
    constant = "x0 xtol maxiter"

    def calls_func(x0): return (_of_floats(x0),)

    def kind(func, x0):
        x = _of_floats(x0)
        if x.ndim > 1 or func.result.ndim != x.ndim or func.result.dtype.kind == "c":
            raise KindError(f"fixed_point of a function of {x} that gives {func.result} is not supported",
                            "let it take and return numbers, or vectors, of floats")  # fmt: skip
        return x

    def d_func(ad, d_x, func, x):
        return ad.vjp(func, x)[1](_solved(_distance(ad, func, x, d_x), d_x, True))[0]

    def t_x(ad, func, x, t_func):
        t = ad.jvp(func, (x,), (None,), t_func)[1]
        return _solved(_distance(ad, func, x, 1.0), t, False)


def _distance(ad: Any, func: Any, x: Any, d: Any) -> Any:
    """The derivative of x - f(x) by x."""
    slope = ad.jacobian(func, x, rows=x.shape[0] if rank(x) else None)[1]
    one = recorded(np.eye, x.shape[0]) if rank(x) else 1.0
    return well_posed(one - slope, x - func(x), x, d, "fixed_point")


def _solved(slope: Any, d: Any, transposed: bool) -> Any:
    return d / slope if not rank(d) else np.linalg.solve(slope.T if transposed else slope, d)


def _of_floats(x: Any) -> Any:
    x = kind_of(x)
    return Array(np.dtype(float), x.shape) if x.ndim else Num(np.float64)


def fixed_point(func: Any, x0: Any, args: Any = (), xtol: Any = 1e-8, maxiter: Any = 500, method: Any = "del2") -> Any:
    """`optimize.fixed_point`."""
    args = args if isinstance(args, tuple) else (args,)
    start = x0 if isinstance(x0, (int, float, np.number)) else np.asarray(x0, dtype=float)
    return fixed_point_of(lambda x: func(x, *args), start, xtol, maxiter, method)


follow(root_scalar, optimize.root_scalar)
follow(root, optimize.root)
follow(fsolve, optimize.fsolve)
follow(fixed_point, optimize.fixed_point)

from rules.scipy import least_squares, minimize  # noqa: E402, F401 - the rules of what minimises

# ---------------------------------------------------------------------------------------------------- refused
unsupported(
    *(getattr(optimize, name) for name in (
        "anderson approx_fprime basinhopping bracket brent broyden1 broyden2 brute check_grad diagbroyden "
        "differential_evolution direct dual_annealing elementwise excitingmixing fmin fmin_bfgs fmin_cg fmin_cobyla "
        "fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc fminbound golden isotonic_regression leastsq "
        "line_search linear_sum_assignment linearmixing linprog linprog_verbose_callback lsq_linear milp "
        "minimize_and_report newton_krylov nnls quadratic_assignment rosen rosen_der rosen_hess rosen_hess_prod shgo "
        "show_options").split() if callable(getattr(optimize, name, None))),
    why="its rule is not written yet; root, root_scalar, fixed_point, minimize and minimize_scalar have one",
)  # fmt: skip
