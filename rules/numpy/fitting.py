"""`np.polyfit`: the polynomial c of least squares, (V'V) c = V'y, of the powers V of x.

With g = (V'V)^-1 d, from the cotangent d of c, and r = y - V c, that of y is V g and that of V is r g' - (V g) c'
(Golub and Pereyra, 1973): values at x of the polynomials g and c, and of their derivatives.
"""

from typing import Any

import numpy as np

from rules.kind import Array, KindError, broadcast, kind_of, length_of, lengths, library, promote
from rules.numpy.polynomials import DOUBLE, derived, falling, horner, unpolyval
from rules.numpy.shape import array_kind
from rules.operands import dtype_of
from rules.rule import primitive, rule


@primitive
def gram_solve(V: Any, d: Any, eps: float) -> Any:
    """`(V'V)^-1 d`, by a triangular factor of V, whose columns are scaled to norm 1. V is m by n, of rank n; d is n.

    Raises LinAlgError where `np.polyfit` takes V, of points of the precision `eps`, for one of a lesser rank.
    """
    scale = np.sqrt(np.sum(V * V, axis=0))
    R = np.linalg.qr(V / scale, mode="r")
    size = np.linalg.svd(R, compute_uv=False)
    if len(R) < len(scale) or size[-1] <= len(V) * eps * size[0]:
        raise np.linalg.LinAlgError(
            "np.polyfit has no derivative where its points do not determine the polynomial, which NumPy warns of: "
            "fit one of a lower degree, or more points"
        )
    return np.linalg.solve(R, np.linalg.solve(R.T, d / scale)) / scale


@rule("g = gram_solve(V, d, eps)", gram_solve)
class gram_solve_rule:
    static = "eps"
    def kind(V, d): return Array(promote(V, d), V.shape[1:], V.xp)
    def d_d(d_g, V, eps): return gram_solve(V, d_g, eps)
    def d_V(d_d, V, g): return -V @ (np.outer(g, d_d) + np.outer(d_d, g))
    def t_g(V, g, eps, t_V, t_d): return gram_solve(V, t_d - t_V.T @ (V @ g) - V.T @ (t_V @ g), eps)


def _powers(x: Any, c: Any, w: Any) -> Any:
    """The powers of x, a column for each of the coefficients c; each row times its weight."""
    V = np.vander(x, c.shape[0])
    return V if w is None else V * w[:, None]


def _solved(d: Any, x: Any, c: Any, w: Any) -> Any:
    """(V'V)^-1 d."""
    dtype = dtype_of(x)
    return gram_solve(_powers(x, c, w), d, float(np.finfo(dtype if dtype.kind == "f" else float).eps))


def _weighted(d: Any, w: Any) -> Any:
    return d if w is None else d * (w * w)


def _slopes(p: Any, x: Any) -> Any:
    return horner(derived(p), x)


def _vector(name: str, a: Any) -> Array:
    a = array_kind(a)
    if a.ndim != 1 or a.dtype.kind == "c":
        raise KindError(f"np.polyfit with {name} that is no vector of real numbers is not supported",
                        "call it for each column, and for each part of complex numbers")  # fmt: skip
    return a


@rule("c = polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False)", np.polyfit)
class polyfit:
    static = "rcond full cov"

    def kind(x, y, deg, rcond, full, w, cov):
        if rcond is not None or full or cov is not False:
            raise KindError("np.polyfit with rcond, full or cov is not supported", "leave them out")
        kinds = [_vector(n, a) for n, a in (("x", x), ("y", y), ("w", w)) if a is not None]
        broadcast(*(a.shape for a in kinds))
        return Array(promote(DOUBLE, *kinds), (lengths().resolve(length_of(deg) + 1),), library(*map(kind_of, kinds)))

    def d_y(d_c, x, c, w): return _weighted(horner(_solved(d_c, x, c, w), x), w)

    def d_x(d_c, x, y, c, w):
        g = _solved(d_c, x, c, w)
        return _weighted((y - horner(c, x)) * _slopes(g, x) - horner(g, x) * _slopes(c, x), w)

    def d_w(d_c, x, y, c, w):
        g = _solved(d_c, x, c, w)
        return 2 * w * (y - horner(c, x)) * horner(g, x)

    def t_c(x, y, c, w, t_x, t_y, t_w):
        rest = y - horner(c, x)
        moved = _weighted(t_y - t_x * _slopes(c, x), w)
        moved = moved if w is None else moved + 2 * (w * t_w) * rest
        through = unpolyval(_weighted(rest * t_x, w), x, c[:-1]) * falling(c, 1)
        return _solved(unpolyval(moved, x, c) + np.pad(through, (0, 1)), x, c, w)
