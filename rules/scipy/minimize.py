"""Rules for the minimisers of `scipy.optimize`: there the gradient of the function is zero, which determines them.

Where df/dx(x, a) = 0, the derivative of x by a is -H^-1 d2f/dxda with the Hessian H; the derivative of f(x, a) is that
by a alone (the envelope theorem).
"""

from typing import Any

import numpy as np
from scipy import optimize

from rules.kind import Array, KindError, Num, Opaque, kind_of
from rules.libraries import follow
from rules.results import fields
from rules.rule import borrows, nondifferentiable, primitive, rule
from rules.scipy.forms import refused
from rules.scipy.implicit import pulled, pushed, starting, well_posed


def _of_reals(name: str, f: Any) -> None:
    if not isinstance(f.result, Num | Array) or f.result.ndim or f.result.dtype.kind != "f":
        raise KindError(f"{name} of a function that returns {f.result} is not supported", "let it return one number")


# ----------------------------------------------------------------------------------------------- of a vector
@primitive
def minimizer(fun: Any, x0: Any, method: Any = None, jac: Any = None, hess: Any = None, bounds: Any = None,
              tol: Any = None, options: Any = None) -> Any:  # fmt: skip
    """The place that `optimize.minimize` finds, whether it has converged, and how it ended."""
    found = optimize.minimize(fun, x0, (), method, jac, hess, None, _limits(bounds), (), tol, None, options)
    return np.array(found.x), bool(found.success), str(found.message)


def _limits(bounds: Any) -> Any:
    """As SciPy takes them."""
    return optimize.Bounds(**bounds) if isinstance(bounds, dict) else bounds


@primitive
def inside(x: Any, bounds: Any) -> Any:
    """Which elements of x are not at a bound."""
    bounds = _limits(bounds)
    lower, upper = (bounds.lb, bounds.ub) if isinstance(bounds, optimize.Bounds) else zip(*bounds, strict=True)
    low = np.array([-np.inf if v is None else v for v in np.broadcast_to(np.array(lower, dtype=object), x.shape)])
    high = np.array([np.inf if v is None else v for v in np.broadcast_to(np.array(upper, dtype=object), x.shape)])
    near = 1e-7 * (1.0 + np.abs(x))
    return (x - low.astype(float) > near) & (high.astype(float) - x > near)


nondifferentiable("free = inside(x, bounds)", inside, kind=lambda x: Array(np.dtype(bool), x.shape))


# ------------------------------------------------------------------------------------------ the least value
@primitive
def least(fun: Any, x: Any, bounds: Any = None) -> Any:
    """The value at a minimiser x, by which it has the derivative zero."""
    return fun(x)


@primitive
def at_least(d: Any, gradient: Any, value: Any) -> Any:
    """A cotangent or tangent d of a least value itself. Raises ValueError where that is none: where it has a slope."""
    steep = np.max(np.abs(gradient), initial=0.0)
    if np.any(d) and not steep <= 1e-2 * (1.0 + np.abs(value)):
        raise ValueError(f"what a minimiser gave has a slope of {steep:.1e}, and is no smooth minimum: "
                         "its value has no derivative")  # fmt: skip
    return d


@rule("y = at_least(d, gradient, value)", at_least)
class at_least_rule:
    view = "d"
    constant = "gradient value"
    def kind(d): return kind_of(d)
    @borrows("d_y")
    def d_d(d_y): return d_y
    def t_y(t_d): return t_d


@rule("y = least(fun, x, bounds=None)", least)
class least_rule:
    constant = "x bounds"
    def calls_fun(x): return (kind_of(x),)
    def kind(fun): return fun.result
    def d_fun(ad, d_y, fun, x, bounds, y): return ad.vjp(fun, x)[1](at_least(d_y, _slope(ad, fun, x, bounds), y))[0]

    def t_y(ad, fun, x, bounds, y, t_fun):
        return at_least(ad.jvp(fun, (x,), (None,), t_fun)[1], _slope(ad, fun, x, bounds), y)


def _slope(ad: Any, fun: Any, x: Any, bounds: Any) -> Any:
    """The gradient by what is not at a bound."""
    gradient = ad.grad(fun)(x)
    return gradient if bounds is None else np.where(inside(x, bounds), gradient, 0.0)


def pulled_back(ad: Any, fun: Any, d_sol: Any, sol: Any, bounds: Any, solver: str) -> Any:
    """The cotangent of what `fun` closes over, from those of its minimiser and of what else a solver gives."""
    x, success, _ = sol
    u = -_solved(ad, fun, x, d_sol[0], bounds, solver, success, d_sol[0])
    return ad.vjp(ad.grad(fun), x)[1](u)[0][:-1]


def pushed_forward(ad: Any, fun: Any, t_fun: Any, sol: Any, bounds: Any, solver: str) -> Any:
    """The tangents of a minimiser, and of what else a solver gives."""
    x, success, _ = sol
    t = ad.jvp(ad.grad(fun), (x,), (None,), t_fun)[1]
    return -_solved(ad, fun, x, t, bounds, solver, success, 1.0), 0.0, 0.0


def _solved(ad: Any, fun: Any, x: Any, d: Any, bounds: Any, solver: str, success: Any, used: Any) -> Any:
    """H^-1 d, with the Hessian of `fun` at its minimiser by what is not at a bound."""
    gradient = ad.grad(fun)
    hessian, g = ad.named("hessian", ad.jacobian(gradient, x, rows=x.shape[0])[1]), gradient(x)
    if bounds is not None:
        free = ad.named("free", inside(x, bounds))
        d, g, one = np.where(free, d, 0.0), np.where(free, g, 0.0), np.diag(np.where(free, 0.0, 1.0))
        hessian = np.where(np.logical_and(np.expand_dims(free, 1), free), hessian, 0.0) + one
    hessian = ad.named("hessian", well_posed(hessian, g, x, used, solver, success))
    return np.linalg.solve(hessian, d)


@rule("sol = minimizer(fun, x0, method=None, jac=None, hess=None, bounds=None, tol=None, options=None)", minimizer)
class minimizer_rule:
    """What is at a bound stays there."""

    static = "method"
    constant = "x0 jac hess tol options"
    why_bounds = "what is at a bound moves with it; write bounds that are constants"

    def calls_fun(x0): return (Array(np.dtype(float), x0.shape),)
    def calls_jac(x0): return (Array(np.dtype(float), x0.shape),)
    def calls_hess(x0): return (Array(np.dtype(float), x0.shape),)

    def kind(fun, x0):
        _of_reals("minimize", fun)
        if x0.ndim != 1:
            raise KindError(f"minimize of a function of {x0} is not supported", "let it take a vector, and reshape it")
        return Array(np.dtype(float), x0.shape), Num(bool), Opaque("str")

    def d_fun(ad, d_sol, fun, sol, bounds): return pulled_back(ad, fun, d_sol, sol, bounds, "minimize")
    def t_sol(ad, fun, sol, bounds, t_fun): return pushed_forward(ad, fun, t_fun, sol, bounds, "minimize")


def minimize(fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
             hessp: Any = None, bounds: Any = None, constraints: Any = (), tol: Any = None, callback: Any = None,
             options: Any = None) -> Any:  # fmt: skip
    """`optimize.minimize`, without constraints."""
    args = args if isinstance(args, tuple) else (args,)
    if not isinstance(constraints, (tuple, list)) or len(constraints) > 0:
        refused("minimize with constraints", "put them into the function, or substitute them")
    if callback is not None:
        refused("minimize with a callback", "leave it out")
    if hessp is not None:
        refused("minimize with hessp", "give it hess, or leave it out")
    if isinstance(jac, str) or isinstance(hess, str):
        refused("minimize with jac or hess as a string", "leave it out, or give it a function")
    start = starting(np.asarray(x0))
    second = None if hess is None else lambda x: hess(x, *args)
    if isinstance(jac, bool) and jac:
        x, success, message = minimizer(lambda x: fun(x, *args)[0], start, method, lambda x: fun(x, *args)[1], second,
                                        bounds, tol, options)  # fmt: skip
        value = least(lambda x: fun(x, *args)[0], x, bounds)
        return fields("minimize", x=x, success=success, message=message, fun=value)
    first = None if jac is None or isinstance(jac, bool) else lambda x: jac(x, *args)
    x, success, message = minimizer(lambda x: fun(x, *args), start, method, first, second, bounds, tol, options)
    return fields("minimize", x=x, success=success, message=message, fun=least(lambda x: fun(x, *args), x, bounds))


# ----------------------------------------------------------------------------------------------- of a number
@primitive
def minimizer_of_number(fun: Any, bracket: Any = None, bounds: Any = None, method: Any = None, tol: Any = None,
                        options: Any = None) -> Any:  # fmt: skip
    """The place that `optimize.minimize_scalar` finds, whether it has converged, and how it ended."""
    found = optimize.minimize_scalar(fun, bracket, bounds, (), method, tol, options)
    return np.float64(found.x), bool(found.success), str(found.message)


@rule("sol = minimizer_of_number(fun, bracket=None, bounds=None, method=None, tol=None, options=None)",
      minimizer_of_number)  # fmt: skip
class minimizer_of_number_rule:
    """Of one that lies inside of its bounds; at a bound it is no stationary point, which raises an error."""

    static = "method"
    constant = "bracket bounds tol options"

    def calls_fun(): return (Num(np.float64),)

    def kind(fun):
        _of_reals("minimize_scalar", fun)
        return Num(np.float64), Num(bool), Opaque("str")

    def d_fun(ad, d_sol, fun, sol):
        return pulled(ad, ad.grad(fun), sol[0], d_sol[0], "minimize_scalar", sol[1])[:-1]

    def t_sol(ad, fun, sol, t_fun):
        return pushed(ad, ad.grad(fun), sol[0], t_fun, "minimize_scalar", sol[1]), 0.0, 0.0


def minimize_scalar(fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
                    tol: Any = None, options: Any = None) -> Any:  # fmt: skip
    """`optimize.minimize_scalar`."""
    args = args if isinstance(args, tuple) else (args,)
    x, success, message = minimizer_of_number(lambda x: fun(x, *args), bracket, bounds, method, tol, options)
    return fields("minimize_scalar", x=x, success=success, message=message, fun=least(lambda x: fun(x, *args), x))


def limits(lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> Any:
    """`optimize.Bounds`."""
    return fields("Bounds", lb=lb, ub=ub, keep_feasible=keep_feasible)


follow(limits, optimize.Bounds)
follow(minimize, optimize.minimize)
follow(minimize_scalar, optimize.minimize_scalar)

__all__ = ["minimize", "minimize_scalar"]
