"""Forms of calls that the other tables leave at their defaults, and values of keywords that are refused.

`REFUSED` are calls that a rule refuses when they are compiled, each with words of the reason. Keywords that change
nothing but how something is computed, and those that would write into an argument, are tried on a case of another
table.
"""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy import linalg, ndimage, signal, special, stats
from scipy.spatial import distance

from rules.rule import REQUIRED, Rule
from tests.rules.case import Case, case, normal, positive, within

A, S, V = normal(3, 4), normal(3, 3) + 3 * np.eye(3), normal(4)
Q = within(0.1, 0.9, 3, 4)
COUNTS = np.array([[0, 1, 2, 4], [1, 5, 3, 2], [2, 0, 1, 1]])
FEW = {"complex": False, "skip": "broadcast layout scalars zero-dim"}
FLAT = {"skip": "numbers scalars zero-dim"}

#: Values that change no result, and values with which a function would write into its arguments.
WITHOUT_EFFECT = {"check_finite": (False, True), "workers": (2,), "lwork": (64,), "balanced": (False,),
                  "driver": ("ev",), "type": (2,), "use_umfpack": (False,), "permc_spec": ("NATURAL",)}  # fmt: skip
WRITING = {"overwrite_a", "overwrite_b", "overwrite_ab", "overwrite_x", "overwrite_data", "overwrite_input"}


def others() -> Iterator[Case]:
    """The cases of all other tables."""
    for path in sorted(Path(__file__).parent.glob("cases_*.py")):
        if path.stem != "cases_keywords":
            yield from import_module(f"tests.rules.{path.stem}").CASES


def given(c: Case) -> set[str]:
    """The arguments to which a case gives another value than the default."""
    rule = c.rule
    assert rule is not None
    bound = rule.bind(c.args, c.kwargs)
    return {p.name for p in rule.parameters if p.default is REQUIRED or not _same(bound[p.name], p.default)}


def _same(x: Any, default: Any) -> bool:
    return x is default or (type(x) is type(default) and bool(np.all(x == default)))


def options(rule: Rule) -> set[str]:
    return {p.name for p in rule.parameters if not p.star and p.default is not REQUIRED}


def _first(table: list[Case]) -> dict[int, Case]:
    return {id(c.rule): c for c in reversed(table)}


def _changed() -> tuple[list[Case], list[tuple[str, Case]]]:
    """Cases of other tables with keywords that change no result, and with those that are refused."""
    table = list(others())
    tried = {(id(c.rule), name) for c in table for name in given(c)}
    plain: list[Case] = []
    writing: list[tuple[str, Case]] = []
    for c in _first(table).values():
        rule = c.rule
        assert rule is not None
        if not rule.pullbacks:
            continue
        free = [name for name in options(rule) if (id(rule), name) not in tried]
        for name in sorted(free):
            default = next(p.default for p in rule.parameters if p.name == name)
            values = [v for v in WITHOUT_EFFECT.get(name, ()) if v != default]
            if values:
                plain.append(replace(c, kwargs={**c.kwargs, name: values[0]}).but(upto=1, skip=" ".join(VARIANTS)))
            elif name in WRITING:
                writing.append(("write", replace(c, kwargs={**c.kwargs, name: True})))
    return plain, writing


#: Arguments that have one value alone.
ALONE = {"partition": {"kind"}}
VARIANTS = "float32 complex numbers scalars zero-dim empty broadcast layout uniform".split()
_plain, _writing = _changed()


def refused(words: str, function: object, *args: object, **kwargs: object) -> tuple[str, Case]:
    return words, case(function, *args, **kwargs)


ORDERS = ((np.median, ()), (np.nanmedian, ()), (np.quantile, (0.3,)), (np.nanquantile, (0.3,)),
          (np.percentile, (30,)), (np.nanpercentile, (30,)))  # fmt: skip
FILTERS = ((ndimage.correlate, (S,)), (ndimage.convolve, (S,)), (ndimage.correlate1d, (V,)),
           (ndimage.convolve1d, (V,)), (ndimage.gaussian_filter, (0.8,)), (ndimage.gaussian_filter1d, (0.8,)),
           (ndimage.uniform_filter, ()), (ndimage.uniform_filter1d, (3,)), (ndimage.sobel, ()), (ndimage.prewitt, ()),
           (ndimage.laplace, ()))  # fmt: skip

REFUSED = [
    *_writing,
    refused("returned=True", np.average, A, returned=True),
    refused("copy=False", np.nan_to_num, A, copy=False),
    *[refused("hermitian=True", f, S, hermitian=True) for f in (np.linalg.svd, np.linalg.pinv)],
    *[refused("rcond, full or cov", np.polyfit, V, V, 1, **k)
      for k in ({"rcond": 1e-9}, {"full": True}, {"cov": True})],
    *[refused("to_end or to_begin", np.ediff1d, A, **k) for k in ({"to_end": V}, {"to_begin": V})],
    *[refused("axisa, axisb or axisc", np.cross, A[:, :3], A[:, :3], **{k: 0}) for k in ("axisa", "axisb", "axisc")],
    *[refused("allow_singular=True", f, A[:, :3], V[:3], S, allow_singular=True)
      for f in (stats.multivariate_normal.logpdf, stats.multivariate_normal.pdf)],
    refused("density=True", np.histogram, V, density=True),
    refused("period=", np.interp, V, np.arange(4.0), V, period=4.0),
    *[refused("include_initial", f, V, include_initial=True) for f in (np.cumulative_sum, np.cumulative_prod)],
    *[refused("out", f, A, *q, out=np.empty(())) for f, q in ORDERS],
    *[refused("method=", f, A, *q, method="lower") for f, q in ORDERS[2:]],
    *[refused("imaginary", f, A + 1j, dtype=np.float64) for f in (np.sum, np.mean, np.var, np.prod, np.cumprod)],
    *[refused("two matrices", f, S, b=S) for f in (linalg.eigh, linalg.eigvalsh, linalg.eigvals)],
    *[refused("some eigenvalues", f, S, **k) for f in (linalg.eigh, linalg.eigvalsh)
      for k in ({"subset_by_index": [0, 1]}, {"subset_by_value": [0.0, 1.0]})],
    *[refused("permute_l or p_indices", linalg.lu, S, **k) for k in ({"permute_l": True}, {"p_indices": True})],
    refused("assume_a='pos'", linalg.inv, S, assume_a="pos", lower=True),
    refused("return_rank=True", linalg.pinv, S, return_rank=True),
    refused("pivoting", linalg.qr, S, mode="economic", pivoting=True),
    refused("two matrices", linalg.eigvals, S, homogeneous_eigvals=True),
    refused("gelsy", linalg.lstsq, S, S, lapack_driver="gelsy"),
    *[refused("e or s", f, S, S, S, S, **k) for f in (linalg.solve_continuous_are, linalg.solve_discrete_are)
      for k in ({"e": S}, {"s": S})],
    *[refused("output", f, A, *more, output=np.empty((3, 4))) for f, more in FILTERS],
    *[refused("axes", f, A, *more, axes=(0,)) for f, more in (FILTERS[0], FILTERS[1], FILTERS[-1])],
    *[refused("zeros outside", f, A, S, boundary="wrap") for f in (signal.convolve2d, signal.correlate2d)],
    *[refused("zeros outside", f, A, S, fillvalue=1.0) for f in (signal.convolve2d, signal.correlate2d)],
    refused("another length", signal.hilbert, V, 6),
    refused("with a state", signal.sosfilt, np.ones((1, 6)), A, zi=np.zeros((1, 3, 2))),
    *[refused("w or out", distance.cdist, A, A, **k) for k in ({"w": V}, {"out": np.empty((3, 3))})],
    *[refused("w or out", distance.pdist, A, **k) for k in ({"w": V}, {"out": np.empty(3)})],
    refused("force", distance.squareform, V, force="tomatrix"),
    refused("return_sign=True", special.logsumexp, A, return_sign=True),
    *[refused("is not supported", np.pad, V, 1, **k) for k in ({"mode": "empty"}, {"reflect_type": "odd"})],
]  # fmt: skip

SUMS = (np.var, np.std, np.prod, np.nanprod, np.nanvar, np.nanstd, np.cumsum, np.cumprod, np.nancumsum, np.nancumprod)
COUNTED = ((stats.poisson, COUNTS, (positive(4),)), (stats.binom, COUNTS, (np.array([[6], [7], [9]]), Q)),
           (stats.bernoulli, 0 * COUNTS, (Q,)), (stats.geom, COUNTS + 1, (Q,)), (stats.nbinom, COUNTS, (3, Q)))
MASSES = ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf")

CASES: list[Case] = [
    *_plain,
    *[case(f, A, dtype=np.float64).but(complex=False) for f in SUMS if f not in (np.std, np.nanstd)],
    *[case(f, A, dtype=np.float64).but(complex=False, **FLAT) for f in (np.std, np.nanstd)],
    *[case(f, V, dtype=np.float64).but(complex=False) for f in (np.cumulative_sum, np.cumulative_prod)],
    *[case(f, x, dtype=np.float64).but(complex=False)
      for f in (np.asarray, np.ascontiguousarray) for x in (A, [1.5, 2.5])],
    case(np.full, (2, 3), 1.5, dtype=np.float64).but(complex=False),
    case(np.full_like, A, 1.5, dtype=np.float64).but(complex=False, wrt="fill_value"),
    *([case(np.astype, A, np.float64, copy=False).but(complex=False)] if hasattr(np, "astype") else []),
    case(np.arange, 0.5, 4.2, 0.7, dtype=np.float64).but(complex=False),
    case(np.linalg.pinv, A, rcond=1e-9),
    case(np.linalg.lstsq, normal(5, 3), normal(5), rcond=1e-9).but(skip="empty broadcast"),
    *[case(f, A, 30, axis=1, keepdims=True).but(complex=False, wrt="a") for f in (np.percentile, np.nanpercentile)],
    case(np.nanquantile, A, 0.3, axis=1, keepdims=True).but(complex=False, wrt="a"),
    *[case(linalg.pinv, A, **k) for k in ({"atol": 1e-9}, {"rtol": 1e-9})],
    case(linalg.lstsq, A, normal(3), cond=1e-9).but(skip="empty broadcast"),
    case(linalg.lstsq, A, normal(3), lapack_driver="gelss").but(skip="empty broadcast"),
    case(linalg.svd, A, lapack_driver="gesvd", full_matrices=False).but(complex=False),
    *[case(linalg.norm, A, axis=k, keepdims=True) for k in (0, (0, 1))],
    case(linalg.solve_discrete_lyapunov, S / 9, S, method="direct").but(complex=False, skip="empty broadcast"),
    *[case(f, A, *more, mode="constant", cval=1.5).but(wrt="input", **FLAT) for f, more in FILTERS
      if f not in (ndimage.gaussian_filter, ndimage.uniform_filter)],
    *[case(ndimage.gaussian_filter1d, A, 0.8, mode="wrap", **k).but(wrt="input", **FLAT)
      for k in ({"truncate": 2.0}, {"radius": 2})],
    *[case(f, 1.5, within(0.5, 3, 3), n).but(wrt="z") for f in (special.h1vp, special.h2vp) for n in (0, 2)],
    case(special.lambertw, positive(3), tol=1e-10),
    *[case(getattr(d, f), k + 2, *shapes, loc=2).but(**FEW, upto=1) for d, k, shapes in COUNTED for f in MASSES],
    *[case(getattr(stats.vonmises, f), within(-1, 1, 3), 2.5, 0.3, 0.8)
      .but(wrt="x kappa loc scale" if "pdf" in f else "x loc scale", **FEW)
      for f in ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf")],
    *[case(getattr(stats.vonmises, f), Q[:1, :2], 2.5, 0.3, 0.8).but(wrt="q loc scale", upto=1, **FEW)
      for f in ("ppf", "isf")],
]  # fmt: skip
