"""Rules for `least_squares` and `curve_fit` of `scipy.optimize`: minimisers of a sum of squares.

They are given the residuals; the derivative is that of a minimiser of half of the sum of their squares.
"""

from typing import Any

import numpy as np
from scipy import optimize

from rules.kind import Array, KindError, Num, Opaque
from rules.libraries import follow
from rules.results import fields, unknown
from rules.rule import primitive, rule
from rules.scipy.forms import refused
from rules.scipy.implicit import starting
from rules.scipy.minimize import least, limits, pulled_back, pushed_forward


@primitive
def fitted(fun: Any, cost: Any, x0: Any, method: Any = "trf", jac: Any = None, bounds: Any = None, ftol: Any = 1e-8,
           xtol: Any = 1e-8, gtol: Any = 1e-8, max_nfev: Any = None) -> Any:  # fmt: skip
    """The place where `optimize.least_squares` finds the least `cost`, whether it has converged, and how it ended."""
    slope = "2-point" if jac is None else jac
    interval = (-np.inf, np.inf) if bounds is None else (bounds["lb"], bounds["ub"])
    found = optimize.least_squares(fun, x0, slope, interval, method, ftol, xtol, gtol, max_nfev=max_nfev)
    return np.array(found.x), bool(found.success), str(found.message)


@primitive
def fitted_curve(fun: Any, cost: Any, x0: Any, method: Any = "lm", jac: Any = None, bounds: Any = None,
                 ftol: Any = 1.5e-8, xtol: Any = 1.5e-8, gtol: Any = 0.0, max_nfev: Any = 0) -> Any:  # fmt: skip
    """The same as `optimize.curve_fit` finds it by the method "lm"."""
    x, _, _, message, status = optimize.leastsq(fun, x0, Dfun=jac, full_output=True, ftol=ftol, xtol=xtol, gtol=gtol,
                                                maxfev=max_nfev)  # fmt: skip
    return np.array(x), status in (1, 2, 3, 4), message


def _rule(signature: str, function: Any, solver: str) -> None:
    class fit:
        static = "method"
        constant = "fun x0 jac ftol xtol gtol max_nfev"
        why_bounds = "what is at a bound moves with it; write bounds that are constants"

        def calls_fun(x0): return (Array(np.dtype(float), x0.shape),)
        def calls_cost(x0): return (Array(np.dtype(float), x0.shape),)
        def calls_jac(x0): return (Array(np.dtype(float), x0.shape),)

        def kind(fun, cost, x0):
            if not isinstance(fun.result, Array) or fun.result.ndim != 1 or fun.result.dtype.kind != "f":
                raise KindError(f"residuals that are {fun.result} are not supported", "return a vector of real numbers")
            return Array(np.dtype(float), x0.shape), Num(bool), Opaque("str")

        def d_cost(ad, d_sol, cost, sol, bounds): return pulled_back(ad, cost, d_sol, sol, bounds, solver)
        def t_sol(ad, cost, sol, bounds, t_cost): return pushed_forward(ad, cost, t_cost, sol, bounds, solver)

    rule(signature, function)(fit)


_rule("sol = fitted(fun, cost, x0, method='trf', jac=None, bounds=None, ftol=1e-08, xtol=1e-08, gtol=1e-08, "
      "max_nfev=None)", fitted, "least_squares")  # fmt: skip
_rule("sol = fitted_curve(fun, cost, x0, method='lm', jac=None, bounds=None, ftol=1.5e-08, xtol=1.5e-08, "
      "gtol=0.0, max_nfev=0)", fitted_curve, "curve_fit")  # fmt: skip


def least_squares(fun: Any, x0: Any, jac: Any = "2-point", bounds: Any = None, method: Any = "trf", ftol: Any = 1e-8,
                  xtol: Any = 1e-8, gtol: Any = 1e-8, *, loss: Any = "linear", max_nfev: Any = None, verbose: Any = 0,
                  args: Any = ()) -> Any:  # fmt: skip
    """`optimize.least_squares`."""
    if loss != "linear":
        refused("least_squares with another loss than linear", "write minimize of the sum of the losses")
    args = args if isinstance(args, tuple) else (args,)
    f = lambda x: np.atleast_1d(fun(x, *args))  # of the two neither calls the other: they stand in one place
    cost = lambda x: 0.5 * np.sum(np.atleast_1d(fun(x, *args)) ** 2)
    slope = None if isinstance(jac, str) else lambda x: jac(x, *args)
    ends = None if bounds is None else limits(bounds[0], bounds[1])
    x, success, message = fitted(f, cost, starting(np.asarray(x0)), method, slope, ends, ftol, xtol, gtol, max_nfev)
    return fields("least_squares", x=x, success=success, message=message, fun=f(x), cost=least(cost, x, ends))


def curve_fit(f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: Any = False,
              check_finite: Any = None, bounds: Any = None, method: Any = None, jac: Any = None, *,
              ftol: Any = 1.49012e-8, xtol: Any = 1.49012e-8, gtol: Any = 0.0, maxfev: Any = 0) -> Any:  # fmt: skip
    """`optimize.curve_fit`, whose covariances are left out."""
    if p0 is None:
        refused("curve_fit without p0", "give it where to begin: p0=[1.0, 1.0]")
    if method not in (None, "lm") or bounds is not None:
        refused("curve_fit with bounds, or another method than lm", "write least_squares")
    weights = None if sigma is None else 1.0 / np.asarray(sigma)
    if weights is not None and weights.ndim != 1:
        refused("curve_fit with a matrix of covariances", "transform the residuals, and write least_squares")
    start = starting(np.asarray(p0))
    if weights is None:
        fun, cost = lambda p: f(xdata, *p) - ydata, lambda p: 0.5 * np.sum((f(xdata, *p) - ydata) ** 2)
        slope = None if jac is None else lambda p: jac(xdata, *p)
    else:
        fun = lambda p: weights * (f(xdata, *p) - ydata)
        cost = lambda p: 0.5 * np.sum((weights * (f(xdata, *p) - ydata)) ** 2)
        slope = None if jac is None else lambda p: weights[:, None] * np.asarray(jac(xdata, *p))
    x, success, message = fitted_curve(fun, cost, start, "lm", slope, None, ftol, xtol, gtol, maxfev)
    return x, unknown("the covariances that curve_fit gives are not supported", "compute them from the Jacobian")


follow(least_squares, optimize.least_squares)
follow(curve_fit, optimize.curve_fit)
