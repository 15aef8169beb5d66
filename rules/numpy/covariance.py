"""Covariance and correlation: of the rows (columns, without `rowvar`) of a matrix, or of two vectors.

Both are products of what is centred, C = X Xᵀ / (n - ddof), so that moving the mean does not count.
"""

from typing import Any

import numpy as np

from rules.cotangent import length
from rules.kind import Array, KindError, constant, lengths, library
from rules.numpy.shape import array_kind
from rules.operands import rank
from rules.rule import rule

WIDE, TWO = np.dtype(np.float64), constant(2)


def _checked(name: str, m: Any, y: Any, rowvar: Any) -> Array:
    """The kind of the matrix, 2 by 2 of two vectors. Raises KindError for what is not supported."""
    m, other = array_kind(m), None if y is None else array_kind(y)
    if any(a.dtype.kind == "c" for a in (m, other) if a is not None):
        raise KindError(f"np.{name} of complex numbers is not supported", "write the products of what is centred")
    if other is not None:
        if m.ndim != 1 or other.ndim != 1:
            raise KindError(f"np.{name} of two arrays that are not of rank 1 is not supported", "join them first")
        lengths().agree(m.shape[0], other.shape[0])
        return Array(WIDE, (TWO, TWO), library(m, other))
    if not 1 <= m.ndim <= 2:
        raise KindError(f"np.{name} of an array of rank {m.ndim} is not supported", "give it a matrix")
    p = m.shape[0 if rowvar else 1] if m.ndim == 2 else constant(1)
    return Array(WIDE, () if lengths().is_one(p) else (p, p), m.xp)


def _along(m: Any, rowvar: Any) -> int:
    """The axis along which the samples lie."""
    return 1 if rank(m) == 2 and rowvar else 0


def _centred(m: Any, rowvar: Any = True) -> Any:
    return m - np.mean(m) if rank(m) == 1 else m - np.mean(m, axis=_along(m, rowvar), keepdims=True)


def _degrees(m: Any, rowvar: Any, bias: Any, ddof: Any) -> Any:
    n = length(m, _along(m, rowvar))
    ddof = (0 if bias else 1) if ddof is None else ddof
    return n - ddof if ddof else n


def _times(d: Any, X: Any, rowvar: Any) -> Any:
    """The cotangent of X in X Xᵀ, or in Xᵀ X; of a single row it is a number."""
    if not rank(d):
        return 2 * d * X
    return (d + d.T) @ X if rowvar else X @ (d + d.T)


def _products(t: Any, X: Any, rowvar: Any, single: bool) -> Any:
    """The tangent of X Xᵀ, or of Xᵀ X; a number, if there is a `single` row."""
    if single:
        return 2 * np.sum(X * t)
    half = t @ X.T if rowvar else t.T @ X
    return half + half.T


@rule("c = cov(m, y=None, rowvar=True, bias=False, ddof=None)", np.cov)
class cov:
    static = "rowvar bias"
    def kind(m, y, rowvar): return _checked("cov", m, y, rowvar)

    def d_m(d_c, m, y, rowvar, bias, ddof):
        n = _degrees(m, rowvar, bias, ddof)
        if y is None:
            return _times(d_c, _centred(m, rowvar), rowvar) / n
        return (2 * d_c[0, 0] * _centred(m) + (d_c[0, 1] + d_c[1, 0]) * _centred(y)) / n

    def d_y(d_c, m, y, rowvar, bias, ddof):
        d = 2 * d_c[1, 1] * _centred(y) + (d_c[0, 1] + d_c[1, 0]) * _centred(m)
        return d / _degrees(m, rowvar, bias, ddof)

    def t_c(m, y, c, rowvar, bias, ddof, t_m, t_y):
        n = _degrees(m, rowvar, bias, ddof)
        if y is None:
            return _products(t_m, _centred(m, rowvar), rowvar, not rank(c)) / n
        return _products(np.stack([t_m, t_y]), np.stack([_centred(m), _centred(y)]), True, False) / n


def _unit(m: Any, rowvar: Any = True) -> tuple[Any, Any]:
    """The rows, centred and of norm 1, and what their norms were."""
    w = _centred(m, rowvar)
    norm = np.sqrt(_dots(w, w, rowvar))
    return w / norm, norm


def _dots(u: Any, v: Any, rowvar: Any) -> Any:
    """The inner products of the rows, so shaped that they broadcast against them."""
    return np.sum(u * v) if rank(u) == 1 else np.sum(u * v, axis=_along(u, rowvar), keepdims=True)


def _across(d: Any, u: Any, rowvar: Any) -> Any:
    """The part of `d` that is orthogonal to the unit vectors `u`."""
    return d - u * _dots(u, d, rowvar)


@rule("c = corrcoef(x, y=None, rowvar=True)", np.corrcoef)
class corrcoef:
    """The products of the rows when they are centred and of norm 1: that of a row with itself does not move."""

    static = "rowvar"

    def kind(x, y, rowvar):
        kind = _checked("corrcoef", x, y, rowvar)
        if not kind.ndim:
            raise KindError("np.corrcoef of a single variable is 1", "give it two, or a matrix of several")
        return kind

    def d_x(d_c, x, y, rowvar):
        u, norm = _unit(x, rowvar)
        d = _times(d_c, u, rowvar) if y is None else (d_c[0, 1] + d_c[1, 0]) * _unit(y)[0]
        return _across(d, u, rowvar) / norm

    def d_y(d_c, x, y):
        v, norm = _unit(y)
        return _across((d_c[0, 1] + d_c[1, 0]) * _unit(x)[0], v, True) / norm

    def t_c(x, y, rowvar, t_x, t_y):
        x, t = (x, t_x) if y is None else (np.stack([x, y]), np.stack([t_x, t_y]))
        rowvar = rowvar or y is not None
        u, norm = _unit(x, rowvar)
        return _products(_across(t, u, rowvar) / norm, u, rowvar, False)
