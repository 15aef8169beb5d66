"""Values for `check_rule`: the same call in other forms, random directions, and walks over nested values."""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rules.tape import is_active, rebuilt


# ------------------------------------------------------------------------------------------------ other forms
def forms(bound: dict[str, Any], wrt: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same call with its arguments in other forms, by name."""
    floats = {k: v for k, v in bound.items() if k in wrt}
    rng = np.random.default_rng(5)
    yield "float32", narrowed(bound)
    yield "float16", narrowed(bound, half=True)
    several = [k for k in floats if arrays(floats[k])]
    if len(several) > 1:
        for k in several:
            yield "mixed", bound | {k: narrowed(bound[k])}
    if not any(np.iscomplexobj(a) for a in arrays(floats)):
        # Real parts stay where they are: the point was chosen off the kinks.
        yield (
            "complex",
            bound
            | map_arrays(
                floats, lambda a: a + 0.3j * rng.standard_normal(a.shape) if a.dtype.kind == "f" else a
            ),
        )
    if arrays(floats):
        for name, make in (("numbers", lambda a: a.flat[0].item()), ("scalars", lambda a: a.flat[0]),
                           ("zero-dim", lambda a: np.array(a.flat[0]))):  # fmt: skip
            if all(a.size for a in arrays(bound)):
                yield name, map_arrays(bound, make)
        sizes = [n for a in arrays(floats) for n in a.shape]
        if sizes:
            yield (
                "empty",
                map_arrays(bound, lambda a: np.zeros([0 if n == sizes[0] else n for n in a.shape], a.dtype)),
            )
        yield "layout", map_arrays(bound, strided)
        yield "layout", map_arrays(bound, lambda a: a.copy(order="F"))
        yield "layout", map_arrays(bound, lambda a: a[::-1].copy()[::-1] if a.ndim else a)
    pair = [
        k for k in bound if k in wrt and isinstance(bound[k], np.ndarray) and bound[k].ndim and bound[k].size
    ]
    for a, b in itertools.permutations(pair, 2):
        x = bound[a]
        for small in (x[:1].copy(), x[..., :1].copy(), x[0], x.flat[0].item()):
            yield "broadcast", bound | {a: small, b: bound[b]}


def narrowed(x: Any, half: bool = False) -> Any:
    """Single precision for double in arrays and NumPy scalars, or half; a Python number has none."""
    if isinstance(x, dict):
        return {k: narrowed(v, half) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return rebuilt(x, [narrowed(v, half) for v in x])
    if isinstance(x, np.ndarray | np.generic) and x.dtype in (np.float64, np.complex128):
        return x.astype(np.complex64 if x.dtype.kind == "c" else np.float16 if half else np.float32)
    return x


def unreadable(x: Any) -> Any:
    """Values of the same shapes and dtypes that no formula may depend on: NaN where there is one."""
    if isinstance(x, list | tuple):
        return rebuilt(x, [unreadable(v) for v in x])
    if isinstance(x, np.ndarray):
        return np.full_like(x, np.nan if x.dtype.kind in "fc" else 1, subok=False)
    return type(x)(math.nan) if isinstance(x, float | complex | np.inexact) else x


def strided(a: np.ndarray) -> np.ndarray:
    if not a.ndim:
        return a
    wide = np.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
    wide[..., ::2] = a
    return wide[..., ::2]


# ----------------------------------------------------------------------------------------------------- trees
def map_arrays(x: Any, f: Callable[[np.ndarray], Any]) -> Any:
    if isinstance(x, dict):
        return {k: map_arrays(v, f) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return (list if isinstance(x, list) else tuple)(map_arrays(v, f) for v in x)
    return f(x) if isinstance(x, np.ndarray) else x


def copied(x: Any) -> Any:
    return map_arrays(x, lambda a: a.copy(order="K"))


def leaves(x: Any) -> list[Any]:
    if isinstance(x, dict):
        return [leaf for v in x.values() for leaf in leaves(v)]
    if isinstance(x, list | tuple):
        return [leaf for v in x for leaf in leaves(v)]
    return [x]


def arrays(x: Any) -> list[np.ndarray]:
    return [leaf for leaf in leaves(x) if isinstance(leaf, np.ndarray)]


def finite(x: Any) -> bool:
    return all(bool(np.all(np.isfinite(leaf))) for leaf in leaves(x) if is_active(leaf))


def any_nonzero(x: Any) -> bool:
    return any(bool(np.any(leaf)) for leaf in leaves(x) if leaf is not None)


def precision(x: Any, which: Callable[..., int] = max) -> int:
    """Bytes of the widest (or narrowest) real number in arrays and NumPy scalars; of a double if none."""
    widths = [np.asarray(leaf).real.itemsize for leaf in leaves(x)
              if is_active(leaf) and isinstance(leaf, np.ndarray | np.generic)]  # fmt: skip
    return which(widths, default=8)


def random_like(x: Any, rng: np.random.Generator) -> Any:
    """A random value of the same structure; zeros where `x` is no float or complex."""
    if isinstance(x, list | tuple):
        return [random_like(v, rng) for v in x]
    if not is_active(x):
        return zeros_of(x)
    y = rng.standard_normal(np.shape(x))
    if np.iscomplexobj(x):
        y = y + 1j * rng.standard_normal(np.shape(x))
    return as_like(y, x)


def as_like(y: Any, x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.asarray(y, x.dtype)
    return x.dtype.type(y) if isinstance(x, np.generic) else np.asarray(y).item()


def zeros_of(x: Any) -> Any:
    if isinstance(x, list | tuple):
        return [zeros_of(v) for v in x]
    return (
        as_like(np.zeros(np.shape(x), complex if np.iscomplexobj(x) else float), x) if is_active(x) else 0.0
    )


def moved(x: Any, t: Any, step: float) -> Any:
    if isinstance(x, list | tuple):
        return rebuilt(x, [moved(a, b, step) for a, b in zip(x, t, strict=True)])
    return as_like(x + step * t, x) if is_active(x) else x


def combined(terms: list[tuple[int, Any]], scale: float) -> Any:
    first = terms[0][1]
    if isinstance(first, list | tuple):
        return [combined([(k, x[i]) for k, x in terms], scale) for i in range(len(first))]
    return sum(k * np.asarray(x) for k, x in terms) / scale if is_active(first) else 0.0


def inner(d: Any, t: Any) -> Any:
    """The real pairing under which the cotangent of L by x + iy is dL/dx - i dL/dy."""
    return sum(float(np.sum(np.real(np.asarray(a) * b))) for a, b in zip(leaves(d), leaves(t), strict=True))


def shaped_like(pushed: Any, result: Any) -> Any:
    if isinstance(result, list | tuple):
        return [shaped_like(p, r) for p, r in zip(pushed, result, strict=True)]
    return np.broadcast_to(pushed, np.shape(result))


def gathered(found: dict[Any, Any], traced: Any) -> Any:
    if isinstance(traced, list | tuple):
        return [gathered(found, t) for t in traced]
    return found.get(traced, zeros_of(traced.value)) if hasattr(traced, "value") else 0.0
