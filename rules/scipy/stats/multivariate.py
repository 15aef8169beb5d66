"""The multivariate normal distribution and Dirichlet's: densities and their logarithms, of one point or of many.

With e = x - mean and w = C^-1 e the logarithm of the normal density has the slopes -w by x, w by mean and
(w w^T - C^-1) / 2 by the covariance C, of which SciPy reads the lower triangle.
"""

from typing import Any

import numpy as np
from scipy import special, stats

from rules.cotangent import strong_divide
from rules.kind import Array, KindError, Length, Num, array_or_number, lengths
from rules.numpy.matrices import lower, mirrored, square
from rules.operands import rank
from rules.rule import Like, primitive, rule
from rules.scipy.special.kinds import floating


# --------------------------------------------------------------------------------------------------- points
def _densities(points: tuple[Length, ...], name: str, dtype: Any = float) -> Any:
    """The kind of the densities at points: axes of length 1 are left out."""
    try:
        shape = tuple(n for n in points if not lengths().is_one(n))
    except KindError:
        raise KindError(f"stats.{name} of points of which there may be one, or many, is not supported",
                        "write a loop over the points, or its formula") from None
    return array_or_number(np.dtype(dtype), shape)


def _beside(d: Any, shape: tuple[Any, ...]) -> Any:
    """The cotangents of densities in the shape that their points have; a number where there is one."""
    return d if rank(d) in (0, len(shape)) else np.reshape(d, shape)


def _as_densities(t: Any, y: Any) -> Any:
    """The tangents of the densities at points without the axes of length 1."""
    if rank(t) == rank(y):
        return t
    return np.reshape(t, y.shape) if rank(y) else np.sum(t)


# ---------------------------------------------------------------------------------------------- the normal one
def _kind_of_normal(x: Any, mean: Any, cov: Any, allow_singular: Any) -> Any:
    name = "multivariate_normal"
    if allow_singular:
        raise KindError(f"stats.{name} with allow_singular=True is not supported",
                        "leave it out where the covariance has full rank")
    if not isinstance(cov, Array | Num | int | float):
        raise KindError(f"stats.{name} takes a covariance as an array here, not {cov}", "give it the matrix")
    if not isinstance(x, Array) or not x.ndim or (mean is not None and (not isinstance(mean, Array) or mean.ndim != 1)):
        raise KindError(f"stats.{name} of a number, or with a number for the mean, is not supported",
                        "give it arrays, or write stats.norm.logpdf(x, mean, np.sqrt(cov))")
    matrix = isinstance(cov, Array) and cov.ndim == 2
    if mean is None and not matrix:
        raise KindError(f"stats.{name} without a mean or a matrix for the covariance is not supported", "give it both")
    sizes = [k.shape[0] for k in (square(cov) if matrix else None, mean) if k is not None]
    size = lengths().agree(sizes[0], sizes[-1])
    size = x.shape[-1] if lengths().resolve(size).anonymous else size
    if lengths().is_one(size):
        raise KindError(f"stats.{name} in one dimension is not supported",
                        "write stats.norm.logpdf(x, mean, np.sqrt(cov))")
    return _densities(x.shape[:-1], name)


def _whitened(x: Any, mean: Any, cov: Any) -> tuple[Any, Any]:
    """w, and the inverse of the covariance, or of the variances."""
    e = x if mean is None else x - mean
    if rank(cov) < 2:
        return e / cov, 1 / cov
    inverse = np.linalg.inv(mirrored(cov))
    return e @ inverse, inverse


def _weights(d: Any, x: Any) -> Any:
    """The cotangents of densities, so shaped that they multiply points."""
    return d if x.ndim == 1 or not rank(d) else np.expand_dims(_beside(d, x.shape[:-1]), -1)


def _by_mean(d: Any, x: Any, mean: Any, cov: Any) -> Any:
    return _weights(d, x) * _whitened(x, mean, cov)[0]


def _by_cov(d: Any, x: Any, mean: Any, cov: Any) -> Any:
    (w, inverse), d = _whitened(x, mean, cov), _weights(d, x)
    if rank(cov) < 2:
        return 0.5 * d * (w * w - inverse)
    if x.ndim == 1:
        return lower(0.5 * d * (np.outer(w, w) - inverse))
    all_d, all_w = np.reshape(d + 0 * w, (-1, x.shape[-1])), np.reshape(w, (-1, x.shape[-1]))
    return lower(0.5 * ((all_d * all_w).T @ all_w - np.sum(all_d[:, 0]) * inverse))


def _normal_along(x: Any, mean: Any, cov: Any, y: Any, t_x: Any, t_mean: Any, t_cov: Any) -> Any:
    w, inverse = _whitened(x, mean, cov)
    moved = -w * (t_x if mean is None else t_x - t_mean)
    if rank(cov) == 2:
        T = mirrored(t_cov)
        return _as_densities(np.sum(moved + 0.5 * w * (w @ T), axis=-1) - 0.5 * np.sum(inverse * T), y)
    return _as_densities(np.sum(moved + 0.5 * t_cov * (w * w - inverse), axis=-1), y)


@rule("y = multivariate_normal_logpdf(x, mean=None, cov=1, allow_singular=False)", stats.multivariate_normal.logpdf)
class multivariate_normal_logpdf:
    static = "allow_singular"
    def kind(x, mean, cov, allow_singular): return _kind_of_normal(x, mean, cov, allow_singular)
    def d_x(d_y, x, mean, cov): return -_by_mean(d_y, x, mean, cov)
    def d_mean(d_y, x, mean, cov): return _by_mean(d_y, x, mean, cov)
    def d_cov(d_y, x, mean, cov): return _by_cov(d_y, x, mean, cov)
    def t_y(x, mean, cov, y, t_x, t_mean, t_cov): return _normal_along(x, mean, cov, y, t_x, t_mean, t_cov)


@rule("y = multivariate_normal_pdf(x, mean=None, cov=1, allow_singular=False)", stats.multivariate_normal.pdf)
class multivariate_normal_pdf:
    static = "allow_singular"
    def kind(x, mean, cov, allow_singular): return _kind_of_normal(x, mean, cov, allow_singular)
    def d_x(d_y, x, mean, cov, y): return -_by_mean(d_y * y, x, mean, cov)
    def d_mean(d_y, x, mean, cov, y): return _by_mean(d_y * y, x, mean, cov)
    def d_cov(d_y, x, mean, cov, y): return _by_cov(d_y * y, x, mean, cov)
    def t_y(x, mean, cov, y, t_x, t_mean, t_cov): return y * _normal_along(x, mean, cov, y, t_x, t_mean, t_cov)


# ------------------------------------------------------------------------------------------------- Dirichlet's
def _shorter(x: Any, like: Any) -> bool:
    return len(x) != len(like)


@primitive
def simplex(x: Any, alpha: Any) -> Any:
    """Points with as many parts as `alpha` has: the last one is 1 less the others where it is left out."""
    return np.concatenate([x, 1 - np.sum(x, axis=0, keepdims=True)]) if _shorter(x, alpha) else x.copy()


@primitive
def along_simplex(t: Any, like: Any) -> Any:
    """Directions with as many parts as `like` has, whose sum is 0 where the last one is left out."""
    return np.concatenate([t, -np.sum(t, axis=0, keepdims=True)]) if _shorter(t, like) else t.copy()


@primitive
def of_free_parts(d: Any, like: Any) -> Any:
    """The adjoint of `along_simplex`: cotangents of the parts that `like` has."""
    return d[:-1] - d[-1] if _shorter(d, like) else d.copy()


@rule("y = simplex(x, alpha)", simplex)
class simplex_rule:
    def kind(x, alpha): return Array(x.dtype, (alpha.shape[0], *x.shape[1:]), x.xp)
    def d_x(d_y, x: Like): return of_free_parts(d_y, x)
    def t_y(t_x, alpha: Like): return along_simplex(t_x, alpha)


@rule("y = along_simplex(t, like)", along_simplex)
class along_simplex_rule:
    def kind(t, like): return Array(t.dtype, (like.shape[0], *t.shape[1:]), t.xp)
    def d_t(d_y, t: Like): return of_free_parts(d_y, t)
    def t_y(t_t, like: Like): return along_simplex(t_t, like)


@rule("y = of_free_parts(d, like)", of_free_parts)
class of_free_parts_rule:
    def kind(d, like): return Array(d.dtype, (like.shape[0], *d.shape[1:]), d.xp)
    def d_d(d_y, d: Like): return along_simplex(d_y, d)
    def t_y(t_d, like: Like): return of_free_parts(t_d, like)


def _kind_of_dirichlet(x: Any, alpha: Any) -> Any:
    if not isinstance(x, Array) or x.ndim not in (1, 2) or not isinstance(alpha, Array) or alpha.ndim != 1:
        raise KindError("stats.dirichlet takes a vector, or a matrix of points as columns, and a vector of parameters",
                        "give it arrays of one axis, or two")
    return _densities(x.shape[1:], "dirichlet", floating(x, alpha))


def _parts(alpha: Any, x: Any) -> Any:
    """Parameters, so shaped that they multiply points, which are columns."""
    return alpha if x.ndim == 1 else np.expand_dims(alpha, -1)


def _by_points(d: Any, x: Any, alpha: Any) -> Any:
    return of_free_parts(_beside(d, x.shape[1:]) * strong_divide(_parts(alpha - 1, x), simplex(x, alpha)), x)


def _by_alpha(x: Any, alpha: Any) -> Any:
    return np.log(simplex(x, alpha)) + _parts(special.psi(np.sum(alpha)) - special.psi(alpha), x)


def _summed(d: Any) -> Any:
    return d if d.ndim == 1 else np.sum(d, axis=1)


def _dirichlet_along(x: Any, alpha: Any, y: Any, t_x: Any, t_alpha: Any) -> Any:
    moved = along_simplex(t_x, alpha) * strong_divide(_parts(alpha - 1, x), simplex(x, alpha))
    return _as_densities(np.sum(moved + _parts(t_alpha, x) * _by_alpha(x, alpha), axis=0), y)


@rule("y = dirichlet_logpdf(x, alpha)", stats.dirichlet.logpdf)
class dirichlet_logpdf:
    infinite_at_pole = True
    def kind(x, alpha): return _kind_of_dirichlet(x, alpha)
    def d_x(d_y, x, alpha): return _by_points(d_y, x, alpha)
    def d_alpha(d_y, x, alpha): return _summed(_beside(d_y, x.shape[1:]) * _by_alpha(x, alpha))
    def t_y(x, alpha, y, t_x, t_alpha): return _dirichlet_along(x, alpha, y, t_x, t_alpha)


@rule("y = dirichlet_pdf(x, alpha)", stats.dirichlet.pdf)
class dirichlet_pdf:
    infinite_at_pole = True
    def kind(x, alpha): return _kind_of_dirichlet(x, alpha)
    def d_x(d_y, x, alpha, y): return _by_points(d_y * y, x, alpha)
    def d_alpha(d_y, x, alpha, y): return _summed(_beside(d_y * y, x.shape[1:]) * _by_alpha(x, alpha))
    def t_y(x, alpha, y, t_x, t_alpha): return y * _dirichlet_along(x, alpha, y, t_x, t_alpha)
