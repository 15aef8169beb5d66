"""Distances between points, the rows of arrays; at a distance of 0 the subgradient of least norm, 0.

Those by squares move a point i by sum_j G_ij (x_i - z_j), with a matrix G of the cotangents: `pulls`. SciPy computes in
double precision.
"""

from typing import Any

import numpy as np
from scipy.spatial import distance

from rules.cotangent import direction, strong_divide
from rules.kind import Array, KindError, constant, lengths, library
from rules.numpy.shape import array_kind
from rules.operands import is_complex, rank
from rules.rule import Like, primitive, recorded, rule, unsupported

METRICS = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "cosine")
DOUBLE = np.dtype(float)


# ----------------------------------------------------------------------------------------------- primitives
@primitive
def pulls(G: Any, X: Any, Z: Any) -> Any:
    """sum_j G_ij (x_i - z_j), for each row x_i of X; G is m by n, X m by k and Z n by k."""
    out = np.empty(X.shape, np.result_type(G, X, Z))
    for k in range(X.shape[1]):  # a product with Z would lose the digits of points that are near to each other
        out[:, k] = np.einsum("ij,ij->i", G, np.subtract.outer(X[:, k], Z[:, k]))
    return out


@primitive
def products(V: Any, X: Any, Z: Any) -> Any:
    """sum_k v_ik (x_ik - z_jk), for each i and j: of rows of V, X and Z."""
    out = np.zeros((len(X), len(Z)), np.result_type(V, X, Z))
    for k in range(X.shape[1]):
        out += V[:, k, None] * np.subtract.outer(X[:, k], Z[:, k])
    return out


def _spread(G: Any, V: Any) -> Any:
    return np.sum(G, axis=1)[:, None] * V


@rule("y = pulls(G, X, Z)", pulls)
class pulls_rule:
    def kind(G, X, Z): return Array(np.result_type(G.dtype, X.dtype, Z.dtype), X.shape, X.xp)
    def d_G(d_y, X, Z): return products(d_y, X, Z)
    def d_X(d_y, G): return _spread(G, d_y)
    def d_Z(d_y, G): return -(G.T @ d_y)
    def t_y(G, X, Z, t_G, t_X, t_Z): return pulls(t_G, X, Z) + _spread(G, t_X) - G @ t_Z


@rule("P = products(V, X, Z)", products)
class products_rule:
    def kind(V, X, Z): return Array(np.result_type(V.dtype, X.dtype, Z.dtype), (X.shape[0], Z.shape[0]), X.xp)
    def d_V(d_P, X, Z): return pulls(d_P, X, Z)
    def d_X(d_P, V): return _spread(d_P, V)
    def d_Z(d_P, V): return -(d_P.T @ V)

    def t_P(V, X, Z, t_V, t_X, t_Z):
        return products(t_V, X, Z) + np.sum(V * t_X, axis=1)[:, None] - V @ t_Z.T


# ------------------------------------------------------------------------------------------------ metrics
def _points(name: str, metric: Any, p: Any, w: Any, out: Any, *arrays: Any) -> tuple[Array, ...]:
    kinds = tuple(map(array_kind, arrays))
    if any(k.ndim != 2 for k in kinds):
        raise KindError(f"distance.{name} takes arrays of two axes, a row for each point", "write x[:, None]")
    if any(map(is_complex, kinds)):
        raise KindError(f"distance.{name} of complex points is not defined", "give their parts, side by side")
    if not isinstance(metric, str) or metric not in METRICS:
        raise KindError(f"distance.{name} with another metric than {', '.join(METRICS)} is not supported",
                        "write it with NumPy: X[:, None] - Z[None]")  # fmt: skip
    if w is not None or out is not None:
        raise KindError(f"distance.{name} with w or out is not supported", "scale the columns: X * w**0.5")
    return kinds


def _by_squares(metric: str, p: Any) -> bool:
    return metric in ("euclidean", "sqeuclidean") or (metric == "minkowski" and _is(p, 2))


def _is(p: Any, value: float) -> bool:
    return isinstance(p, int | float) and p == value


def _factors(d: Any, Y: Any, metric: str) -> Any:
    """G, from the cotangent of the distances Y."""
    return 2 * d if metric == "sqeuclidean" else direction(d, Y)


def _double(x: Any) -> Any:
    return x if x.dtype == DOUBLE else x.astype(DOUBLE)


def _slopes(X: Any, Z: Any, Y: Any, metric: str, p: Any) -> Any:
    """The derivative of the distance Y_ij by x_ik, if that is a function of the difference x_ik - z_jk."""
    D = _double(X)[:, None] - _double(Z)[None]
    if metric == "cityblock" or (metric == "minkowski" and _is(p, 1)):
        return np.sign(D)
    size, Y = np.abs(D), Y[:, :, None]
    if metric == "chebyshev":
        most = size == Y
        return np.sign(D) * (most / np.sum(most, axis=2, keepdims=True, dtype=float))
    return np.sign(D) * strong_divide(size, Y) ** (p - 1)


def _turned(X: Any, Z: Any) -> tuple[Any, Any, Any, Any, Any]:
    """The lengths of the points, the points of length 1, and the cosines between them."""
    X, Z = _double(X), _double(Z)
    m, n = np.sqrt(np.sum(X * X, axis=1))[:, None], np.sqrt(np.sum(Z * Z, axis=1))[:, None]
    return m, n, X / m, Z / n, (X / m) @ (Z / n).T


# -------------------------------------------------------------------------------------------------- cdist
@rule("Y = cdist(XA, XB, metric='euclidean', out=None, p=2, w=None)", distance.cdist)
class cdist:
    static = "metric out w"
    why_p = "the derivative by the order of a distance is not written yet; write the distance with NumPy"

    def kind(XA, XB, metric, out, p, w):
        a, b = _points("cdist", metric, p, w, out, XA, XB)
        lengths().agree(a.shape[1], b.shape[1])
        return Array(DOUBLE, (a.shape[0], b.shape[0]), library(a, b))

    def d_XA(d_Y, XA, XB, Y, metric, p):
        if _by_squares(metric, p):
            return pulls(_factors(d_Y, Y, metric), XA, XB)
        if metric == "cosine":
            m, _, u, v, cosines = _turned(XA, XB)
            return (u * np.sum(d_Y * cosines, axis=1)[:, None] - d_Y @ v) / m
        return np.sum(d_Y[:, :, None] * _slopes(XA, XB, Y, metric, p), axis=1)

    def d_XB(d_Y, XA, XB, Y, metric, p):
        if _by_squares(metric, p):
            return pulls(_factors(d_Y, Y, metric).T, XB, XA)
        if metric == "cosine":
            _, n, u, v, cosines = _turned(XA, XB)
            return (v * np.sum(d_Y * cosines, axis=0)[:, None] - d_Y.T @ u) / n
        return -np.sum(d_Y[:, :, None] * _slopes(XA, XB, Y, metric, p), axis=0)

    def t_Y(XA, XB, Y, metric, p, t_XA, t_XB):
        if _by_squares(metric, p):
            moved = products(t_XA, XA, XB) + products(t_XB, XB, XA).T
            return 2 * moved if metric == "sqeuclidean" else direction(moved, Y)
        if metric == "cosine":
            m, n, u, v, cosines = _turned(XA, XB)
            s, t = t_XA / m, t_XB / n
            lost = np.sum(u * s, axis=1)[:, None] + np.sum(v * t, axis=1)[None]
            return cosines * lost - s @ v.T - u @ t.T
        return np.sum(_slopes(XA, XB, Y, metric, p) * (t_XA[:, None] - t_XB[None]), axis=2)


# -------------------------------------------------------------------------------------------------- pdist
def _square(Y: Any) -> Any:
    return recorded(distance.squareform, Y)


def _pairs(M: Any) -> Any:
    return recorded(distance.squareform, M, checks=False)


@rule("Y = pdist(X, metric='euclidean', out=None, p=2, w=None)", distance.pdist)
class pdist:
    """The distances of each two rows, those above the diagonal of `cdist(X, X)`."""

    static = "metric out w"
    why_p = "the derivative by the order of a distance is not written yet; write the distance with NumPy"

    def kind(X, metric, out, p, w):
        (x,) = _points("pdist", metric, p, w, out, X)
        if lengths().at_least(x.shape[0], 1) is False:
            raise KindError("distance.pdist of no points is not supported", "leave it out")
        return Array(DOUBLE, (_halved(x.shape[0]),), x.xp)

    def d_X(d_Y, X, Y, metric, p):
        d = _square(d_Y)
        if _by_squares(metric, p):
            return pulls(2 * d if metric == "sqeuclidean" else direction(d, _square(Y)), X, X)
        if metric == "cosine":
            m, _, u, _, cosines = _turned(X, X)
            return (u * np.sum(d * cosines, axis=1)[:, None] - d @ u) / m
        return np.sum(d[:, :, None] * _slopes(X, X, _square(Y), metric, p), axis=1)

    def t_Y(X, Y, metric, p, t_X):
        if _by_squares(metric, p):
            moved = products(t_X, X, X)
            moved = _pairs(moved + moved.T)
            return 2 * moved if metric == "sqeuclidean" else direction(moved, Y)
        if metric == "cosine":
            m, _, u, _, cosines = _turned(X, X)
            s = t_X / m
            lost = np.sum(u * s, axis=1)
            moved = s @ u.T
            return _pairs(cosines * (lost[:, None] + lost[None]) - moved - moved.T)
        return _pairs(np.sum(_slopes(X, X, _square(Y), metric, p) * (t_X[:, None] - t_X[None]), axis=2))


def _halved(n: Any) -> Any:
    n = lengths().resolve(n)
    return constant(n.offset * (n.offset - 1) // 2) if n.constant else lengths().derived("pairs", n)


# --------------------------------------------------------------------------------------------- squareform
@rule("Y = squareform(X, force='no', checks=True)", distance.squareform)
class squareform:
    """A symmetric matrix with zeros on its diagonal from a vector; what is above the diagonal from a matrix."""

    static = "force checks"

    def kind(X, force):
        if force != "no":
            raise KindError("distance.squareform with force is not supported", "give it what it turns")
        x = array_kind(X)
        if x.ndim not in (1, 2):
            raise KindError("distance.squareform takes a vector or a matrix", "write a loop")
        if x.ndim == 2:
            return Array(x.dtype, (_halved(x.shape[0]),), x.xp)
        n = lengths().derived("points", x.shape[0])
        return Array(x.dtype, (n, n), x.xp)

    def d_X(d_Y, X: Like):
        return _pairs(d_Y + d_Y.T) if rank(X) == 1 else np.triu(_square(d_Y))

    def t_Y(t_X): return _square(t_X) if rank(t_X) == 1 else _pairs(t_X)


# ------------------------------------------------------------------------------------------------ refused
unsupported(
    *(getattr(distance, name) for name in (
        "braycurtis canberra chebyshev cityblock correlation cosine directed_hausdorff euclidean jensenshannon "
        "mahalanobis minkowski seuclidean sqeuclidean").split()),
    why="its rule is not written yet; write it with NumPy: np.linalg.norm(u - v)",
)
unsupported(
    *(getattr(distance, name) for name in (
        "dice hamming is_valid_dm is_valid_y jaccard num_obs_dm num_obs_y rogerstanimoto russellrao sokalmichener "
        "sokalsneath yule").split() if hasattr(distance, name)),
    why="it compares or counts, and has no derivative; call it outside of what is differentiated",
)  # fmt: skip
