"""Rules for `integrate.solve_ivp` and `odeint`: by what the right-hand side closes over, by initial values and times.

The derivative S of a solution of dy/dt = f(t, y, a) by a solves the tangent equations dS/dt = df/dy S + df/da. They are
solved together with those of y, by the same method and to the same tolerances, at the same times.
"""

from typing import Any

import numpy as np
from scipy import integrate

from rules.cotangent import update
from rules.kind import ONE, Array, KindError, Num, Opaque, kind_of, lengths
from rules.libraries import follow
from rules.numpy.shape import reshape_like
from rules.operands import rank
from rules.results import fields
from rules.rule import Like, borrows, primitive, rule
from rules.scipy.forms import refused
from rules.scipy.packing import unpacked

_FLOAT = np.dtype(float)


@primitive
def solved(z: Any, d: Any, success: Any, again: Any, solver: str) -> Any:
    """A solution with its tangents itself. Raises ValueError where the solver has failed, in the program or with them.

    Where d, the cotangent of the program's solution, is zero, a failure does not count.
    """
    if success and again:
        return z
    if not np.any(d):
        return np.zeros((len(z), d.shape[1]))
    raise ValueError(f"{solver} has failed{'' if not success else ' with the tangents'}: "
                     "what it gave has no derivative")  # fmt: skip


@rule("y = solved(z, d, success, again, solver)", solved)
class solved_rule:
    static = "solver"
    view = "z"
    constant = "d"
    def kind(z): return Array(z.dtype, (z.shape[0], lengths().fresh()))
    @borrows("d_y")
    def d_z(d_y): return d_y
    def t_y(t_z): return t_z


@primitive
def with_tangents(y0: Any, starts: bool, columns: Any) -> Any:
    """Initial values, then those of their derivatives by themselves (with `starts`) and by so many others."""
    n = len(y0)
    tangents = np.eye(n, n + columns) if starts else np.zeros((n, columns))
    return np.concatenate([y0, tangents.ravel()])


@rule("z0 = with_tangents(y0, starts, columns)", with_tangents)
class with_tangents_rule:
    static = "starts"
    def kind(): return Array(_FLOAT, (lengths().fresh(),))
    @borrows("d_z0")
    def d_y0(d_z0, y0: Like): return reshape_like(d_z0[: y0.shape[0]], y0)
    def t_z0(t_y0, z0): return update(np.zeros_like(z0), (slice(None, t_y0.shape[0]),), "set", t_y0)


# ----------------------------------------------------------------------------------------- tangent equations
def _of_system(name: str, fun: Any, y0: Any, *tolerances: Any) -> None:
    """Refuse equations that are not of real vectors, and tolerances that are not for all elements alike."""
    if not all(t is None or kind_of(t).ndim == 0 for t in tolerances):
        raise KindError(f"{name} with a tolerance for each element is not supported", "give it one number")
    vector = isinstance(y0, Array) and y0.ndim == 1 and isinstance(fun.result, Array) and fun.result.ndim == 1
    if not vector or fun.result.dtype.kind != "f" or y0.dtype.kind == "c":
        raise KindError(f"{name} of {y0} by a function that returns {fun.result} is not supported",
                        "let y be a vector of real numbers, and its derivative likewise")  # fmt: skip
    n, m = lengths().resolve(y0.shape[0]), lengths().resolve(fun.result.shape[0])
    if (n == ONE) != (m == ONE) or (n != m and n.constant and m.constant):
        raise KindError(f"{name} of {y0} by a function that returns {fun.result} is not supported",
                        "return as many elements as y has")  # fmt: skip
    lengths().unify(m, n)  # the solver raises an error where they differ


def _pulled(ad: Any, d_y: Any, fun: Any, y0: Any, starts: bool, solve: Any) -> tuple[Any, Any]:
    """The cotangents of initial values (with `starts`), and of what the right-hand side closes over.

    `d_y` are those of y at the times, (n, times). `solve` gives the solution of another system
    at these times, if it is wanted for a cotangent that is not zero.
    """
    around, moving = ad.around(fun)
    likes = [around[k] for k in moving]
    ad.smooth(fun, ad.place, ad.moved)
    n = y0.shape[0]

    def tangent(t: Any, z: Any) -> Any:
        y = ad.named("y", z[:n])
        closed, by_y = ad.jacobian(fun, t, y, rows=n).of((0, 2))
        rate = ad.named("jacobian", by_y) @ np.reshape(z[n:], (n, -1))
        direct = [np.reshape(closed[1 + k], (n, -1)) for k in moving]
        direct = [*([ad.call(np.zeros, (n, n))] if starts else []), *direct]
        return np.concatenate([fun(t, y), np.ravel(rate + np.concatenate(direct, axis=1))])

    columns = sum(like.size if rank(like) else 1 for like in likes)
    z0 = ad.named("z0", with_tangents(y0, starts, columns))
    system = ad.function(tangent, 0.0, z0, name="tangent", same=(fun, ("tangent", starts, tuple(moving))))
    z = ad.named("z", solve(system, z0, d_y))
    d = np.einsum("it,ipt->p", d_y, np.reshape(z[n:], (n, n + columns if starts else columns, z.shape[1])))
    parts = dict(zip(moving, unpacked(d[n:] if starts else d, likes)))
    return reshape_like(d[:n], y0) if starts else None, (None, *(parts.get(k, 0.0) for k in range(len(around))))


def _pushed(ad: Any, fun: Any, y0: Any, t_y0: Any, t_fun: Any, solve: Any) -> Any:
    """The tangent of y at the times, from those of the initial values and of what the right-hand side closes over."""
    n = y0.shape[0]
    ad.smooth(fun, ad.place, ad.moved, t_f=t_fun)

    def tangent(t: Any, z: Any) -> Any:
        return np.concatenate(ad.jvp(fun, (t, z[:n]), (None, z[n:]), t_fun))

    z0 = ad.named("z0", np.concatenate([y0, t_y0]))
    return solve(ad.function(tangent, 0.0, z0, name="tangent"), z0, 1.0)[n:]


# -------------------------------------------------------------------------------------------------- solve_ivp
@primitive
def solution(fun: Any, t0: Any, t1: Any, y0: Any, t_eval: Any = None, method: Any = "RK45", rtol: Any = 1e-3,
             atol: Any = 1e-6, max_step: Any = np.inf, first_step: Any = None, jac: Any = None) -> Any:  # fmt: skip
    """The times and values of `integrate.solve_ivp`, whether it has reached the end, and how it ended."""
    more = {} if jac is None else {"jac": jac}
    sol = integrate.solve_ivp(fun, (t0, t1), y0, method, t_eval, rtol=rtol, atol=atol, max_step=max_step,
                              first_step=first_step, **more)  # fmt: skip
    return np.asarray(sol.t), np.asarray(sol.y), bool(sol.success), str(sol.message)


_OPTIONS = "method='RK45', rtol=0.001, atol=1e-06, max_step=1e999, first_step=None, jac=None"


@rule(f"sol = solution(fun, t0, t1, y0, t_eval=None, {_OPTIONS})", solution)
class solution_rule:
    """Times that the solver chooses stand still, but for the first and the last."""

    static = "method"
    constant = "rtol atol max_step first_step jac"

    def calls_fun(y0): return Num(float), Array(_FLOAT, y0.shape)
    def calls_jac(y0): return Num(float), Array(_FLOAT, y0.shape)

    def kind(fun, y0, rtol, atol):
        _of_system("solve_ivp", fun, y0, rtol, atol)
        n = lengths().fresh()  # where it fails they are less
        return Array(_FLOAT, (n,)), Array(_FLOAT, (y0.shape[0], n)), Num(bool), Opaque("str")

    def d_fun(ad, d_sol, fun, t0, t1, y0, sol, method, rtol, atol, max_step, first_step):
        solve = _again(sol, t0, t1, method, rtol, atol, max_step, first_step)
        return _pulled(ad, d_sol[1], fun, y0, ad.moves(y0) or ad.moves(t0), solve)[1]

    def d_y0(ad, d_sol, fun, t0, t1, y0, sol, method, rtol, atol, max_step, first_step):
        solve = _again(sol, t0, t1, method, rtol, atol, max_step, first_step)
        return _pulled(ad, d_sol[1], fun, y0, True, solve)[0]

    def d_t0(d_sol, d_y0, fun, t0, y0, t_eval):
        rate = fun(t0, y0)
        d = -(d_y0 @ rate)
        return d if t_eval is not None else d + d_sol[1][:, 0] @ rate + d_sol[0][0]

    def d_t1(d_sol, fun, t1, sol, t_eval):
        if t_eval is not None:
            return 0.0
        y = solved(sol[1], d_sol[1], sol[2], True, "solve_ivp")
        return d_sol[1][:, -1] @ fun(t1, y[:, -1]) + d_sol[0][-1]

    def d_t_eval(ad, d_sol, fun, t_eval, sol):
        y = solved(sol[1], d_sol[1], sol[2], True, "solve_ivp")
        return d_sol[0] + ad.each(lambda t, y, d_y: d_y @ fun(t, y), sol[0], y.T, d_sol[1].T)

    def t_sol(ad, fun, t0, t1, y0, t_eval, sol, method, rtol, atol, max_step, first_step,
              t_fun, t_t0, t_t1, t_y0, t_t_eval):  # fmt: skip
        t, y, success, _ = sol
        y = solved(y, 1.0, success, True, "solve_ivp")
        solve = _again(sol, t0, t1, method, rtol, atol, max_step, first_step)
        t_y, t_t = np.zeros_like(y), np.zeros_like(t)
        if ad.moving(t_fun) or not ad.still(t_y0, t_t0):
            t_y = _pushed(ad, fun, y0, t_y0 if ad.still(t_t0) else t_y0 - fun(t0, y0) * t_t0, t_fun, solve)
        if t_eval is None and not ad.still(t_t0):
            t_y, t_t = update(t_y, ((slice(None), 0),), "add", fun(t0, y0) * t_t0), update(t_t, (0,), "add", t_t0)
        if t_eval is None and not ad.still(t_t1):
            t_y = update(t_y, ((slice(None), -1),), "add", fun(t1, y[:, -1]) * t_t1)
            t_t = update(t_t, (-1,), "add", t_t1)
        if t_eval is not None and not ad.still(t_t_eval):
            t_y = t_y + ad.each(lambda t, y, dt: fun(t, y) * dt, t_eval, y.T, t_t_eval).T
            t_t = t_t_eval
        return t_t, t_y, 0.0, 0.0


def _again(sol: Any, t0: Any, t1: Any, method: Any, rtol: Any, atol: Any, max_step: Any, first_step: Any) -> Any:
    """What solves another system at the times of a solution."""

    def solve(system: Any, z0: Any, d: Any) -> Any:
        _, z, again, _ = solution(system, t0, t1, z0, sol[0], method, rtol, atol, max_step, first_step)
        return solved(z, d, sol[2], again, "solve_ivp")

    return solve


def solve_ivp(fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: Any = False,
              events: Any = None, vectorized: Any = False, args: Any = None, *, rtol: Any = 1e-3, atol: Any = 1e-6,
              max_step: Any = np.inf, first_step: Any = None, jac: Any = None) -> Any:  # fmt: skip
    """`integrate.solve_ivp`."""
    if dense_output or events is not None:
        refused("solve_ivp with events or dense_output", "write the times into t_eval")
    rest = () if args is None else args
    t0, t1 = t_span
    times = None if t_eval is None else np.asarray(t_eval, dtype=float)
    t, y, success, message = solution(
        lambda t, y: fun(t, y, *rest), t0, t1, np.asarray(y0) * 1.0, times, method, rtol, atol, max_step,
        first_step, None if jac is None else lambda t, y: jac(t, y, *rest))  # fmt: skip
    return fields("solve_ivp", t=t, y=y, success=success, message=message)


follow(solve_ivp, integrate.solve_ivp)


# ----------------------------------------------------------------------------------------------------- odeint
@primitive
def integrated(func: Any, y0: Any, t: Any, rtol: Any = None, atol: Any = None, h0: Any = 0.0, hmax: Any = 0.0,
               hmin: Any = 0.0, mxstep: Any = 0) -> Any:  # fmt: skip
    """The values of `integrate.odeint` at these times, a row for each, and whether it has reached the last."""
    y, told = integrate.odeint(func, y0, t, full_output=True, rtol=rtol, atol=atol, h0=h0, hmax=hmax, hmin=hmin,
                               mxstep=mxstep, tfirst=True)  # fmt: skip
    return y, told["message"] == "Integration successful."


@rule("sol = integrated(func, y0, t, rtol=None, atol=None, h0=0.0, hmax=0.0, hmin=0.0, mxstep=0)", integrated)
class integrated_rule:
    constant = "rtol atol h0 hmax hmin mxstep"

    def calls_func(y0): return Num(float), Array(_FLOAT, y0.shape)

    def kind(func, y0, t, rtol, atol):
        _of_system("odeint", func, y0, rtol, atol)
        if not isinstance(t, Array) or t.ndim != 1:
            raise KindError(f"odeint at the times {t} is not supported", "let them be a vector")
        return Array(_FLOAT, (t.shape[0], y0.shape[0])), Num(bool)

    def d_func(ad, d_sol, func, y0, t, sol, rtol, atol, h0, hmax, hmin, mxstep):
        solve = _at(sol, t, rtol, atol, h0, hmax, hmin, mxstep)
        return _pulled(ad, d_sol[0].T, func, y0, ad.moves(y0) or ad.moves(t), solve)[1]

    def d_y0(ad, d_sol, func, y0, t, sol, rtol, atol, h0, hmax, hmin, mxstep):
        solve = _at(sol, t, rtol, atol, h0, hmax, hmin, mxstep)
        return _pulled(ad, d_sol[0].T, func, y0, True, solve)[0]

    def d_t(ad, d_sol, d_y0, func, y0, t, sol):
        d = ad.each(lambda t, y, d_y: d_y @ func(t, y), t, sol[0], d_sol[0])
        return update(d, (0,), "sub", d_y0 @ func(t[0], y0))

    def t_sol(ad, func, y0, t, sol, rtol, atol, h0, hmax, hmin, mxstep, t_func, t_y0, t_t):
        y, t_y = sol[0], np.zeros_like(sol[0])
        solve = _at(sol, t, rtol, atol, h0, hmax, hmin, mxstep)
        if ad.moving(t_func) or not ad.still(t_y0, t_t):
            start = t_y0 if ad.still(t_t) else t_y0 - func(t[0], y0) * t_t[0]
            t_y = _pushed(ad, func, y0, start, t_func, solve).T
        return t_y if ad.still(t_t) else t_y + ad.each(lambda t, y, dt: func(t, y) * dt, t, y, t_t), 0.0


def _at(sol: Any, t: Any, rtol: Any, atol: Any, h0: Any, hmax: Any, hmin: Any, mxstep: Any) -> Any:
    """What solves another system at the same times."""

    def solve(system: Any, z0: Any, d: Any) -> Any:
        z, again = integrated(system, z0, t, rtol, atol, h0, hmax, hmin, mxstep)
        return solved(z.T, d, sol[1], again, "odeint")

    return solve


def odeint(func: Any, y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: Any = 0, full_output: Any = 0,
           ml: Any = None, mu: Any = None, rtol: Any = None, atol: Any = None, tcrit: Any = None, h0: Any = 0.0,
           hmax: Any = 0.0, hmin: Any = 0.0, ixpr: Any = 0, mxstep: Any = 0, mxhnil: Any = 0, mxordn: Any = 12,
           mxords: Any = 5, printmessg: Any = 0, tfirst: Any = False) -> Any:  # fmt: skip
    """`integrate.odeint`."""
    if full_output or ml is not None or mu is not None or tcrit is not None or Dfun is not None:
        refused("odeint with full_output, Dfun, ml, mu or tcrit", "leave them out, or write solve_ivp")
    rest = args if isinstance(args, tuple) else (args,)
    start, times = np.atleast_1d(np.asarray(y0) * 1.0), np.asarray(t, dtype=float)
    f = lambda t, y: np.atleast_1d(func(t, y, *rest) if tfirst else func(y, t, *rest))
    return integrated(f, start, times, rtol, atol, h0, hmax, hmin, mxstep)[0]


follow(odeint, integrate.odeint)
