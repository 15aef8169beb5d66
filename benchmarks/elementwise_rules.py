"""Each elementwise rule of NumPy, and some of SciPy: the gradient of a weighted sum of f, beside its formula by hand.

The formulas are written from tables of derivatives, as a person writes them: one expression for each argument, what two
of them share computed once, no array kept from call to call. They keep the conventions of docs/conventions.md.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import adcompiler
from benchmarks.measure import Effort, Spread, rounds
from benchmarks.row import Row, agree

SIZE = 100_000
BAR = 1.1

#: A function, its gradients from the weights and the arguments, and between what these lie.
Case = tuple[Callable[..., Any], Callable[..., tuple[Any, ...]], float, float]


def _logaddexp(w: Any, x: Any, y: Any) -> tuple[Any, ...]:
    z = np.logaddexp(x, y)
    return w * np.exp(x - z), w * np.exp(y - z)


def _logaddexp2(w: Any, x: Any, y: Any) -> tuple[Any, ...]:
    z = np.logaddexp2(x, y)
    return w * np.exp2(x - z), w * np.exp2(y - z)


def _power(w: Any, x: Any, y: Any) -> tuple[Any, ...]:
    return w * y * x ** (y - 1), w * x**y * np.log(x)


def _float_power(w: Any, x: Any, y: Any) -> tuple[Any, ...]:
    return w * y * np.float_power(x, y - 1), w * np.float_power(x, y) * np.log(x)


def _hypot(w: Any, x: Any, y: Any) -> tuple[Any, ...]:
    z = np.hypot(x, y)
    return w * x / z, w * y / z


def _arctan2(w: Any, x: Any, y: Any) -> tuple[Any, ...]:
    square = x * x + y * y
    return w * y / square, -w * x / square


def _sinc(w: Any, x: Any) -> tuple[Any, ...]:
    safe = np.where(x == 0, 1.0, x)
    u = np.pi * safe
    return (np.where(x == 0, 0.0, w * (np.cos(u) - np.sin(u) / u) / safe),)


def _to_the_larger(w: Any, x: Any, y: Any) -> tuple[Any, ...]:
    return w * np.where(x > y, 1.0, np.where(x == y, 0.5, 0.0)), w * np.where(y > x, 1.0, np.where(x == y, 0.5, 0.0))


def _to_the_smaller(w: Any, x: Any, y: Any) -> tuple[Any, ...]:
    return _to_the_larger(w, y, x)


CASES: tuple[Case, ...] = (
    (np.sin, lambda w, x: (w * np.cos(x),), -3.0, 3.0),
    (np.cos, lambda w, x: (w * -np.sin(x),), -3.0, 3.0),
    (np.tan, lambda w, x: (w * (1 + np.tan(x) ** 2),), -1.0, 1.0),
    (np.arcsin, lambda w, x: (w / np.sqrt(1 - x * x),), -0.9, 0.9),
    (np.arccos, lambda w, x: (-w / np.sqrt(1 - x * x),), -0.9, 0.9),
    (np.arctan, lambda w, x: (w / (1 + x * x),), -3.0, 3.0),
    (np.sinh, lambda w, x: (w * np.cosh(x),), -3.0, 3.0),
    (np.cosh, lambda w, x: (w * np.sinh(x),), -3.0, 3.0),
    (np.tanh, lambda w, x: (w * (1 - np.tanh(x) ** 2),), -3.0, 3.0),
    (np.arcsinh, lambda w, x: (w / np.sqrt(x * x + 1),), -3.0, 3.0),
    (np.arccosh, lambda w, x: (w / np.sqrt(x * x - 1),), 1.5, 3.0),
    (np.arctanh, lambda w, x: (w / ((1 - x) * (1 + x)),), -0.9, 0.9),
    (np.exp, lambda w, x: (w * np.exp(x),), -3.0, 3.0),
    (np.exp2, lambda w, x: (w * (np.exp2(x) * np.log(2.0)),), -3.0, 3.0),
    (np.expm1, lambda w, x: (w * (np.expm1(x) + 1),), -3.0, 3.0),
    (np.log, lambda w, x: (w / x,), 0.2, 3.0),
    (np.log2, lambda w, x: (w / (x * np.log(2.0)),), 0.2, 3.0),
    (np.log10, lambda w, x: (w / (x * np.log(10.0)),), 0.2, 3.0),
    (np.log1p, lambda w, x: (w / (1 + x),), 0.2, 3.0),
    (np.sqrt, lambda w, x: (0.5 * w / np.sqrt(x),), 0.2, 3.0),
    (np.cbrt, lambda w, x: (w / (3 * np.cbrt(x) ** 2),), 0.2, 3.0),
    (np.square, lambda w, x: (w * (2 * x),), -3.0, 3.0),
    (np.reciprocal, lambda w, x: (-w / (x * x),), 0.2, 3.0),
    (np.negative, lambda w, x: (-w,), -3.0, 3.0),
    (np.positive, lambda w, x: (w.copy(),), -3.0, 3.0),
    (np.absolute, lambda w, x: (w * np.sign(x),), -3.0, 3.0),
    (np.fabs, lambda w, x: (w * np.sign(x),), -3.0, 3.0),
    (np.conjugate, lambda w, x: (w.copy(),), -3.0, 3.0),
    (np.deg2rad, lambda w, x: (w * (np.pi / 180),), -3.0, 3.0),
    (np.radians, lambda w, x: (w * (np.pi / 180),), -3.0, 3.0),
    (np.rad2deg, lambda w, x: (w * (180 / np.pi),), -3.0, 3.0),
    (np.degrees, lambda w, x: (w * (180 / np.pi),), -3.0, 3.0),
    (np.sinc, _sinc, 0.2, 3.0),
    (np.add, lambda w, x, y: (w.copy(), w.copy()), -3.0, 3.0),
    (np.subtract, lambda w, x, y: (w.copy(), -w), -3.0, 3.0),
    (np.multiply, lambda w, x, y: (w * y, w * x), -3.0, 3.0),
    (np.divide, lambda w, x, y: (w / y, -w * x / (y * y)), 0.2, 3.0),
    (np.power, _power, 0.2, 3.0),
    (np.float_power, _float_power, 0.2, 3.0),
    (np.arctan2, _arctan2, 0.2, 3.0),
    (np.hypot, _hypot, 0.2, 3.0),
    (np.logaddexp, _logaddexp, -3.0, 3.0),
    (np.logaddexp2, _logaddexp2, -3.0, 3.0),
    (np.maximum, _to_the_larger, -3.0, 3.0),
    (np.minimum, _to_the_smaller, -3.0, 3.0),
    (np.fmax, _to_the_larger, -3.0, 3.0),
    (np.fmin, _to_the_smaller, -3.0, 3.0),
    (np.remainder, lambda w, x, y: (w.copy(), -w * (x // y)), 0.2, 3.0),
    (np.fmod, lambda w, x, y: (w.copy(), -w * np.trunc(x / y)), 0.2, 3.0),
    (np.copysign, lambda w, x, y: (w * np.sign(x) * np.copysign(1, y), np.zeros_like(y)), -3.0, 3.0),
    (np.heaviside, lambda w, x, y: (np.zeros_like(x), np.where(x == 0, w, 0.0)), -3.0, 3.0),
)  # fmt: skip


def special_cases() -> Iterator[Case]:
    """Those of `scipy.special` that programs call most, where SciPy is installed."""
    try:
        from scipy import special
    except ImportError:
        return
    two = 2 / np.sqrt(np.pi)
    yield special.erf, lambda w, x: (w * (two * np.exp(-x * x)),), -3.0, 3.0
    yield special.erfc, lambda w, x: (w * (-two * np.exp(-x * x)),), -3.0, 3.0
    yield special.gammaln, lambda w, x: (w * special.digamma(x),), 0.2, 3.0
    yield special.gamma, lambda w, x: (w * special.gamma(x) * special.digamma(x),), 0.2, 3.0
    yield special.expit, lambda w, x: (w * special.expit(x) * special.expit(-x),), -3.0, 3.0
    yield special.logit, lambda w, x: (w / (x * (1 - x)),), 0.1, 0.9
    yield special.ndtr, lambda w, x: (w * (np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)),), -3.0, 3.0
    yield special.j0, lambda w, x: (w * -special.j1(x),), -3.0, 3.0

    def xlogy(w: Any, x: Any, y: Any) -> tuple[Any, ...]:
        return np.where(w == 0, 0, w * np.log(y)), np.where(w == 0, 0, w * x / y)

    yield special.xlogy, xlogy, 0.2, 3.0


def measure(case: Case, effort: Effort) -> Row:
    """The gradient by all arguments against the formulas of all. Raises Disagreement where they differ."""
    function, formulas, low, high = case
    rng = np.random.default_rng(0)
    two = getattr(function, "nin", 1) == 2
    w, *args = (rng.uniform(low, high, SIZE) for _ in range(3 if two else 2))
    ours = (
        adcompiler.grad(lambda x, y, w: np.sum(w * function(x, y)), (0, 1))
        if two
        else adcompiler.grad(lambda x, w: np.sum(w * function(x)), (0,))
    )
    found = agree(ours(*args, w), formulas(w, *args))
    calls: dict[str, Callable[[], Any]] = {"ours": partial(ours, *args, w), "hand": partial(formulas, w, *args)}
    samples = rounds(calls, effort.rounds, budget=effort.budget / 6)
    details = {f"{side} us": float(np.median(s) * 1e6) for side, s in samples.items()}
    ratio = Spread.of(samples["ours"] / samples["hand"])
    name = f"rule of {function.__name__}, {SIZE:,} elements"
    return Row(name, "formula by hand", "x", ratio, BAR, found, details)
