"""What is given by equations: its derivatives by the implicit function theorem, and a test that the equations hold.

Where F(x, a) = 0, the derivative of x by a is -(dF/dx)^-1 dF/da. How a solver got there does not count, nor where it
began. `ad` is the differentiator that a rule asks for.
"""

from typing import Any

import numpy as np

from rules.kind import ONE, Array, KindError, kind_of
from rules.numpy.shape import array_kind
from rules.operands import rank
from rules.rule import borrows, nondifferentiable, primitive, rule


def pulled(ad: Any, f: Any, x: Any, d_x: Any, solver: str, success: Any = True) -> Any:
    """The cotangent of what F = f closes over, from that of the x at which F(x) = 0."""
    slope = _slope(ad, f, x, d_x, solver, success)
    u = -d_x / slope if not rank(x) else -np.linalg.solve(slope.T, d_x)
    return ad.vjp(f, x)[1](u)[0]


def pushed(ad: Any, f: Any, x: Any, t_f: Any, solver: str, success: Any = True) -> Any:
    """The tangent of x."""
    t = ad.jvp(f, (x,), (None,), t_f)[1]
    slope = _slope(ad, f, x, 1.0, solver, success)
    return -t / slope if not rank(x) else -np.linalg.solve(slope, t)


def _slope(ad: Any, f: Any, x: Any, d: Any, solver: str, success: Any) -> Any:
    name = "jacobian" if rank(x) else "slope"
    slope = ad.named(name, ad.jacobian(f, x, rows=x.shape[0] if rank(x) else None)[1])
    return ad.named(name, well_posed(slope, f(x), x, d, solver, success))


@primitive
def well_posed(slope: Any, residual: Any, x: Any, d: Any, solver: str, success: Any = True) -> Any:
    """The slope dF/dx itself. Raises ValueError where x is no solution of F(x) = 0, or no isolated one.

    How far away a solution is tells a step of Newton's method. Where the solver says that it has failed, which some do
    at the limit of what they can compute, it has to be very close. What is no solution is not used where d, the
    cotangent of x, is zero: there the slope is the identity.
    """
    try:
        with np.errstate(all="ignore"):
            step = np.linalg.solve(slope, residual) if np.ndim(slope) else residual / np.float64(slope)
    except np.linalg.LinAlgError:
        step = np.inf
    if not np.all(np.isfinite(slope)) and np.any(d):
        raise ValueError(f"what {solver} gave has no derivative: the slope of the equations is infinite there")
    away, size = (np.max(np.abs(v), initial=0.0) for v in (step, x))
    if away <= (1e-3 + 1e-2 * size if success else 1e-7 * (1.0 + size)):
        return slope
    if not np.any(d):
        return np.eye(len(slope), dtype=slope.dtype) if np.ndim(slope) else type(slope)(1)
    if not success:
        raise ValueError(f"{solver} has not converged: what it gave has no derivative")
    if not np.isfinite(away):
        raise ValueError(f"what {solver} gave has no derivative: the equations do not determine it")
    raise ValueError(f"what {solver} gave is {away:.1e} away from a smooth solution: it has no derivative")


@rule("y = well_posed(slope, residual, x, d, solver, success=True)", well_posed)
class well_posed_rule:
    static = "solver"
    view = "slope"
    constant = "residual x d"
    def kind(slope): return kind_of(slope)
    @borrows("d_y")
    def d_slope(d_y): return d_y
    def t_y(t_slope): return t_slope


@primitive
def starting(x0: Any) -> Any:
    """Where a solver of real equations begins: a vector of floats."""
    return np.atleast_1d(np.array(x0, dtype=float))


def _start(x0: Any) -> Array:
    x0 = array_kind(x0)
    if x0.dtype.kind not in "fiub" or x0.ndim > 1:
        raise KindError(f"a solver that begins with {x0} is not supported", "begin with a vector of real numbers")
    return Array(np.dtype(float), x0.shape or (ONE,))


nondifferentiable("start = starting(x0)", starting, kind=_start)
