"""What derivatives are where there is none, or an infinite one: each row of docs/conventions.md."""

import math
import operator
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import interpolate, linalg, special, stats
from scipy.spatial import distance

from rules.rule import find, find_method
from rules.scipy.interpolate import spline_values
from rules.sequences import largest, smallest
from rules.tape import Pullbacks, Tape
from tests.rules import test_second_conventions

Z, ONE, INF = 0.0, 1.0, math.inf


def pulled(function: Any, *args: Any, d: Any = None, wrt: int | str = 0, **kwargs: Any) -> Any:
    """The cotangent of an argument, from `d` of the result (ones, if not given)."""
    rule = find_method(function) if isinstance(function, str) else find(function)
    assert rule is not None
    bound = rule.bind(args, kwargs)
    with np.errstate(all="ignore"):
        plain, named = rule.normal(bound)
        result = function(*plain, **named)
        name = wrt if isinstance(wrt, str) else rule.parameters[wrt].name
        return Pullbacks(rule, bound, result).projected(name, np.ones_like(result)[()] if d is None else d)


def arrays(*rows: Any) -> list[np.ndarray]:
    return [np.array(row, dtype=float) for row in rows]


@pytest.mark.parametrize(
    "function, point",
    [(np.sqrt, Z), (np.cbrt, Z), (np.arcsin, ONE), (np.arcsin, -ONE), (np.arccos, ONE), (np.arccosh, ONE)],
)
def test_strong_zero(function: Any, point: float) -> None:
    x, d = arrays([point, point], [0, 1])
    got = pulled(function, x, d=d)
    assert got[0] == 0 and np.isinf(got[1])


@pytest.mark.parametrize("p", [0.5, 0.3, np.full(2, 0.3)], ids=str)
def test_strong_zero_of_a_power(p: Any) -> None:
    x, d = arrays([0, 0], [0, 1])
    np.testing.assert_array_equal(pulled(operator.pow, x, p, d=d), [0, INF])


@pytest.mark.parametrize(
    "function, point", [(math.sqrt, Z), (math.cbrt, Z), (math.asin, ONE), (math.acosh, ONE)]
)
def test_numbers_do_not_raise(function: Any, point: float) -> None:
    assert pulled(function, point, d=0.0) == 0
    assert pulled(function, point, d=1.0) == INF


@pytest.mark.parametrize("x, p", [(0.0, 0.5), (0.0, 0.3), (1e-300, -0.5), (0.0, 1.0), (0.0, 2.0), (0.0, 0.0)])
def test_numbers_do_not_raise_in_a_power(x: float, p: float) -> None:
    for wrt in (0, 1):
        assert not math.isnan(pulled(operator.pow, x, p, d=1.0, wrt=wrt))


def test_power_with_exponent_zero() -> None:
    x, p = arrays([0, 2], [0, 0])
    np.testing.assert_array_equal(pulled(np.power, x, p), [0, 0])
    np.testing.assert_array_equal(pulled(operator.pow, x, 0), [0, 0])


def test_power_of_zero_in_its_exponent() -> None:
    x, p = arrays([0, 0], [0, 2])
    np.testing.assert_array_equal(pulled(np.power, x, p, wrt=1), [0, 0])


@pytest.mark.parametrize("function", [np.log, np.log2, np.log10, np.reciprocal])
def test_infinite_at_pole(function: Any) -> None:
    rule = find(function)
    assert rule is not None and rule.infinite_at_pole
    assert np.isinf(pulled(function, np.zeros(1)))[0]


def test_infinite_at_pole_in_division() -> None:
    rule = find(np.true_divide)
    assert rule is not None and rule.infinite_at_pole
    assert pulled(np.true_divide, *arrays([1], [0]), wrt=0)[0] == INF
    assert pulled(np.true_divide, *arrays([1], [0]), wrt=1)[0] == -INF


@pytest.mark.parametrize("function", [np.absolute, np.fabs])
def test_absolute_value_at_zero(function: Any) -> None:
    np.testing.assert_array_equal(pulled(function, *arrays([-2, 0, 2])), [-1, 0, 1])


def test_absolute_value_of_complex_zero() -> None:
    np.testing.assert_array_equal(pulled(np.absolute, np.array([0j, 2j])), [0, -1j])


def test_hypot_at_the_origin() -> None:
    for wrt in (0, 1):
        assert pulled(np.hypot, *arrays([0], [0]), wrt=wrt)[0] == 0
        assert pulled(math.hypot, Z, Z, d=1.0, wrt=wrt) == 0


def test_norm_at_the_origin() -> None:
    np.testing.assert_array_equal(pulled(np.linalg.norm, np.zeros(3)), np.zeros(3))


def test_angles_at_the_origin() -> None:
    for wrt in (0, 1):
        assert pulled(np.arctan2, *arrays([0], [0]), wrt=wrt)[0] == 0
        assert pulled(math.atan2, Z, Z, d=1.0, wrt=wrt) == 0
    assert pulled(np.angle, np.array([0j]))[0] == 0


def test_deviation_of_equal_elements() -> None:
    np.testing.assert_array_equal(pulled(np.std, np.full(4, 2.0)), np.zeros(4))
    np.testing.assert_array_equal(pulled(np.std, np.full((2, 4), 2.0), axis=1), np.zeros((2, 4)))


@pytest.mark.parametrize("function", [np.max, np.min])
def test_ties_of_an_extremum(function: Any) -> None:
    np.testing.assert_array_equal(pulled(function, *arrays([2, 2, 2, 2])), [0.25] * 4)
    a = np.array([[1.0, 3, 3], [2, 2, 0]]) * (1 if function is np.max else -1)
    np.testing.assert_array_equal(pulled(function, a, axis=1), [[0, 0.5, 0.5], [0.5, 0.5, 0]])


@pytest.mark.parametrize("function", [largest, smallest])
def test_ties_in_a_sequence(function: Any) -> None:
    """Python's `max` and `min` of an array; of a list, see tests/test_lists.py."""
    np.testing.assert_array_equal(pulled(function, *arrays([2, 2, 2, 2])), [0.25] * 4)
    np.testing.assert_array_equal(pulled(function, *arrays([3, 3, 3])), [1 / 3] * 3)


@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_ties_of_two(function: Any) -> None:
    for wrt in (0, 1):
        assert pulled(function, *arrays([2], [2]), wrt=wrt)[0] == 0.5


@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_ties_with_a_number_of_the_program(function: Any) -> None:
    assert pulled(function, *arrays([0]), 0)[0] == 0


def test_clip_at_its_bounds() -> None:
    x = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    np.testing.assert_array_equal(pulled(np.clip, x, 0, 1), [0, 0, 1, 0, 0])


def test_clip_at_bounds_that_are_arrays() -> None:
    x, low, high = arrays([0, 0.5, 1], [0, 0, 0], [1, 1, 1])
    np.testing.assert_array_equal(pulled(np.clip, x, low, high), [0.5, 1, 0.5])
    np.testing.assert_array_equal(pulled(np.clip, x, low, high, wrt=1), [0.5, 0, 0])
    np.testing.assert_array_equal(pulled(np.clip, x, low, high, wrt=2), [0, 0, 0.5])


def test_selection() -> None:
    d = np.array([1.0, np.nan])
    chosen = pulled(np.where, np.array([True, False]), *arrays([1, 1], [2, 2]), d=d, wrt="x")
    np.testing.assert_array_equal(chosen, [1, 0])


@pytest.mark.parametrize(
    "a, want", [([2, 0, 3], [0, 6, 0]), ([0, 0, 3], [0, 0, 0]), ([2, 5, 3], [15, 6, 10])]
)
def test_products_with_zeros(a: Any, want: Any) -> None:
    np.testing.assert_array_equal(pulled(np.prod, *arrays(a)), want)


def test_products_with_zeros_to_second_order() -> None:
    """d2/dadb of a * b * c is c, also where a and b are 0."""
    rule = find(np.prod)
    assert rule is not None
    tape = Tape()
    a = tape.wrap(np.array([0.0, 0.0, 3.0]))
    gradient = Pullbacks(rule, rule.bind((a,), {}), tape.wrap(np.float64(0))).projected("a", 1.0)
    np.testing.assert_array_equal(tape.pull(gradient, np.array([1.0, 0, 0]))[a], [0, 3, 0])


def test_steps_have_no_derivative() -> None:
    rounding = (np.sign, np.floor, np.ceil, np.trunc, np.rint, np.round, np.floor_divide, round, int)
    for function in (*rounding, np.argmax):
        rule = find(function)
        assert rule is not None and not rule.differentiable and not rule.why


def test_remainders() -> None:
    for function in (np.remainder, operator.mod):
        assert pulled(function, *arrays([-7], [2]))[0] == 1
        assert pulled(function, *arrays([-7], [2]), wrt=1)[0] == 4  # minus the floor of -3.5
    assert pulled(np.fmod, *arrays([-7], [2]), wrt=1)[0] == 3  # minus -3.5 cut


def test_sign_of_another() -> None:
    np.testing.assert_array_equal(pulled(np.copysign, *arrays([-2, 0, 2], [1, 1, -1])), [-1, 0, -1])
    np.testing.assert_array_equal(pulled(np.copysign, *arrays([-2, 0, 2], [1, 1, -1]), wrt=1), [0, 0, 0])


def test_sinc_at_zero() -> None:
    assert pulled(np.sinc, np.zeros(1))[0] == 0


def test_not_a_number_beside_a_number() -> None:
    for function in (np.fmax, np.fmin):
        assert pulled(function, *arrays([np.nan], [2]), wrt=0)[0] == 0
        assert pulled(function, *arrays([np.nan], [2]), wrt=1)[0] == 1


@pytest.mark.parametrize("z", [1 + 2j, -0.5 + 0.3j])
def test_complex_cotangents(z: complex) -> None:
    """Of L by z = x + iy it is dL/dx - i dL/dy: holomorphic functions multiply by their derivative."""
    z_ = np.array([z])
    assert pulled(np.real, z_, d=np.ones(1))[0] == 1
    assert pulled(np.imag, z_, d=np.ones(1))[0] == -1j
    assert pulled(np.conjugate, z_, d=np.array([1j]))[0] == -1j
    assert pulled(np.exp, z_, d=np.array([1 + 0j]))[0] == np.exp(z_)[0]
    h = 1e-6
    by_x, by_y = (abs(z + h) - abs(z - h)) / (2 * h), (abs(z + 1j * h) - abs(z - 1j * h)) / (2 * h)
    assert abs(pulled(np.absolute, z_)[0] - (by_x - 1j * by_y)) < 1e-8


def test_dtype_and_shape_are_the_arguments() -> None:
    x, y = np.ones((3, 1), np.float32), np.ones((2, 3, 4))
    d = pulled(np.multiply, x, y)
    assert d.dtype == np.float32 and d.shape == (3, 1) and d[0, 0] == 8
    assert pulled(np.multiply, 2.0, y) == 24 and type(pulled(np.multiply, 2.0, y)) is float
    assert type(pulled(np.multiply, np.float32(2), y)) is np.float32


def test_real_arguments_have_real_cotangents() -> None:
    got = pulled(np.multiply, np.ones(2), np.full(2, 1j), d=np.array([1j, 1]))
    assert got.dtype == np.float64
    np.testing.assert_array_equal(got, [-1, 0])


def test_the_page_and_the_tests_have_the_same_rows() -> None:
    page = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    tests = {name for name in (*globals(), *vars(test_second_conventions)) if name.startswith("test_")}
    assert named == tests - {"test_the_page_and_the_tests_have_the_same_rows", "test_second_conventions"}


NAN_REDUCTIONS = [np.nansum, np.nanmean, np.nanprod, np.nanvar, np.nanstd, np.nanmax, np.nanmin, np.nanmedian]


@pytest.mark.parametrize("function", NAN_REDUCTIONS)
def test_elements_that_are_left_out(function: Any) -> None:
    """What is NaN gets 0, the rest what the plain function gives it without."""
    plain = {f: getattr(np, f.__name__.removeprefix("nan")) for f in NAN_REDUCTIONS}
    (x,) = arrays([1.5, math.nan, 0.5, 3.0, math.nan])
    kept = ~np.isnan(x)
    got = pulled(function, x)
    np.testing.assert_allclose(got[kept], pulled(plain[function], x[kept]))
    np.testing.assert_array_equal(got[~kept], [0, 0])


@pytest.mark.filterwarnings("ignore:(All-NaN|Mean of empty|Degrees of freedom)")
@pytest.mark.parametrize("function", NAN_REDUCTIONS)
def test_rows_without_a_number(function: Any) -> None:
    """A row whose result is not used gets 0, also where it is NaN throughout."""
    x = np.array([[math.nan, math.nan], [1.0, 2.0]])
    np.testing.assert_array_equal(pulled(function, x, d=np.array([0.0, 1.0]), axis=1)[0], [0, 0])


def test_numbers_in_place_of_what_is_none() -> None:
    (x,) = arrays([-INF, math.nan, 2.0, INF])
    np.testing.assert_array_equal(pulled(np.nan_to_num, x), [0, 0, 1, 0])
    z = np.array([complex(math.nan, 1.0), complex(1.0, INF)])
    np.testing.assert_array_equal(pulled(np.nan_to_num, z, d=np.array([2 + 3j, 2 + 3j])), [3j, 2])


def test_ties_in_a_median() -> None:
    """Equal elements share what the places in the order that they fill get."""
    for row, want in (([1, 2, 2], [0, 0.5, 0.5]), ([1, 2, 2, 3], [0, 0.5, 0.5, 0]), ([2, 1, 2, 5], [0.5, 0, 0.5, 0]),
                      ([1, 2, 5, 2, 7, 5], [0, 0.25, 0.25, 0.25, 0, 0.25]), ([3], [1])):  # fmt: skip
        np.testing.assert_array_equal(pulled(np.median, *arrays(row)), want)
    np.testing.assert_allclose(pulled(np.quantile, np.array([4.0, 1.0, 2.0, 2.0]), 0.25), [0, 0.25, 0.375, 0.375])


def test_median_of_what_is_none() -> None:
    got = pulled(np.median, np.array([[1.0, math.nan, 2.0], [1.0, 2.0, 3.0]]), axis=1)
    np.testing.assert_array_equal(got, [[math.nan] * 3, [0, 1, 0]])


@pytest.mark.parametrize(
    "values, want",
    [([0, 1, 3], 1), ([0, 2, 3], 1), ([3, 1, 0], -1), ([0, 1, 0], 0), ([1, 0, 3], 0), ([0, 0, 1], 0)],
    ids=str,
)
def test_interpolation_at_a_knot(values: Any, want: float) -> None:
    """The flatter of the two slopes, or 0 where the line turns; beyond the ends it is level."""
    knots, fp = arrays([0, 1, 2], values)
    got = pulled(np.interp, np.array([-1.0, 0.0, 1.0, 2.0, 3.0]), knots, fp)
    np.testing.assert_array_equal(got, [0, 0, want, 0, 0])


@pytest.mark.parametrize("function, plain, neutral", [(np.nancumsum, np.cumsum, 0), (np.nancumprod, np.cumprod, 1)])
def test_elements_that_are_left_out_of_a_running_sum(function: Any, plain: Any, neutral: int) -> None:
    (x,) = arrays([1.5, math.nan, 0.5, 3.0, math.nan])
    d, missing = np.array([1.0, -2.0, 0.5, 3.0, 1.0]), np.isnan(x)
    filled = pulled(plain, np.where(missing, neutral, x), d=d)
    np.testing.assert_array_equal(pulled(function, x, d=d), np.where(missing, 0, filled))


def test_step_and_its_value_at_zero() -> None:
    x, h = arrays([-1, 0, 2], [5, 5, 5])
    np.testing.assert_array_equal(pulled(np.heaviside, x, h), [0, 0, 0])
    np.testing.assert_array_equal(pulled(np.heaviside, x, h, d=np.array([INF, 2, math.nan]), wrt="h"), [0, 2, 0])


def test_parts_of_a_number() -> None:
    (x,) = arrays([2.5])
    for function, args, want in ((np.modf, (), 1), (np.frexp, (), 0.25), (np.divmod, (2.0,), 1)):
        first, second = function(x, *args)
        exact = (np.ones(1), np.zeros(1)) if function is not np.divmod else (np.zeros(1), np.ones(1))
        assert pulled(function, x, *args, d=exact)[0] == want
        assert pulled(function, x, *args, d=exact[::-1])[0] == 0
    assert pulled(np.divmod, *arrays([-7], [2]), d=(np.zeros(1), np.ones(1)), wrt=1)[0] == 4


def test_phases() -> None:
    phases = np.array([0.0, 3.0, -3.0, 9.0])
    np.testing.assert_array_equal(pulled(np.unwrap, phases, d=np.arange(4.0)), np.arange(4.0))


def test_histogram_of_data() -> None:
    (x,) = arrays([1, 2, 2, 5, 5])
    counts, edges = np.ones(2), np.array([1.0, 10.0, 100.0])
    np.testing.assert_array_equal(pulled(np.histogram, x, 2, d=(counts, edges)), [6, 0, 0, 52.5, 52.5])
    np.testing.assert_array_equal(pulled(np.histogram, x, 2, range=(0.0, 6.0), d=(counts, edges)), np.zeros(5))


def test_leading_zeros_of_a_polynomial() -> None:
    p, q = arrays([0, 2, 3], [1, 4])
    np.testing.assert_array_equal(pulled(np.polymul, p, q), [0, 5, 5])
    np.testing.assert_array_equal(pulled(np.polymul, p, q, wrt="a2"), [5, 5])


def test_selection_among_several() -> None:
    d, masks = np.array([1.0, math.nan, 3.0]), [np.array([True, False, False]), np.array([True, True, False])]
    first, second = pulled(np.select, masks, arrays([1, 1, 1], [2, 2, 2]), d=d, wrt="choicelist")
    np.testing.assert_array_equal(first, [1, 0, 0])
    np.testing.assert_array_equal(second, [0, math.nan, 0])
    np.testing.assert_array_equal(pulled(np.select, masks, arrays([1, 1, 1], [2, 2, 2]), d=d, wrt="default",
                                         default=np.ones(3)), [0, 0, 3])  # fmt: skip
    chosen = pulled(np.choose, np.array([0, 1, 0]), arrays([1, 1, 1], [2, 2, 2]), d=d, wrt="choices")
    np.testing.assert_array_equal(chosen, [[1, 0, 3], [0, math.nan, 0]])


@pytest.mark.parametrize("function", [special.xlogy, special.rel_entr, special.kl_div])
def test_products_with_a_logarithm(function: Any) -> None:
    """By x as it is next to x = 0, by y zero there, but for the y that is added in x log(x / y) - x + y."""
    x, y, d = arrays([0, 0], [0, 2], [0, 1])
    of_y = 1 if function is special.kl_div else 0
    np.testing.assert_array_equal(pulled(function, x, y, wrt="y"), [of_y, of_y])
    assert pulled(function, x, np.zeros(2) + (function is not special.xlogy), d=d, wrt="x").tolist() == [0, -INF]


def test_entropy_at_zero() -> None:
    x, d = arrays([0, 0], [0, 1])
    np.testing.assert_array_equal(pulled(special.entr, x, d=d), [0, INF])


@pytest.mark.parametrize("b", [None, np.array([1.0, 1.0, 2.0])], ids=["plain", "weighted"])
def test_shares_of_a_sum_of_exponentials(b: Any) -> None:
    a = np.array([[-INF, -INF, -INF], [-INF, 1, 1], [900, 900, -INF]])
    weights = np.ones(3) if b is None else b
    want = np.array([[0, 0, 0], [0, 1, 1], [1, 1, 0]]) * weights
    want[1:] /= want[1:].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(pulled(special.logsumexp, a, axis=1, b=b), want, rtol=1e-12)


def test_shares_of_what_is_masked() -> None:
    a, d = arrays([-INF, 1, 1], [5, 2, 4])
    np.testing.assert_array_equal(pulled(special.softmax, a, d=d), [0, -0.5, 0.5])
    np.testing.assert_array_equal(pulled(special.log_softmax, a, d=d), [5, -3.5, -1.5])


@pytest.mark.parametrize(
    "function, args, wrt",
    [(special.jv, (0.5, Z), "z"), (special.iv, (0.3, Z), "z"), (special.gammainc, (0.5, Z), "x"),
     (special.gammaincc, (0.5, Z), "x"), (special.betainc, (0.5, 2.0, Z), "x"),
     (special.betainc, (2.0, 0.5, ONE), "x")],
)  # fmt: skip
def test_strong_zero_of_special_functions(function: Any, args: Any, wrt: str) -> None:
    points = [np.full(2, a) for a in args]
    got = pulled(function, *points, d=np.array([0.0, 1.0]), wrt=wrt)
    assert got[0] == 0 and np.isinf(got[1])


@pytest.mark.parametrize("function, point", [(special.logit, Z), (special.ndtri, ONE), (special.erfinv, -ONE),
                                             (special.erfcinv, 2 * ONE), (special.exp1, Z)])  # fmt: skip
def test_infinite_at_pole_of_special_functions(function: Any, point: float) -> None:
    rule = find(function)
    assert rule is not None and rule.infinite_at_pole
    assert np.isinf(pulled(function, np.full(1, point)))[0]


def test_densities_at_a_peak_and_outside() -> None:
    for which in ("pdf", "logpdf"):
        for wrt in ("x", "loc"):
            assert np.all(pulled(getattr(stats.laplace, which), np.ones(1), loc=1.0, wrt=wrt) == 0)
            assert np.all(pulled(getattr(stats.expon, which), -np.ones(1), loc=0.0, wrt=wrt) == 0)


ENDING = [("rayleigh", ()), ("gamma", (2.5,)), ("chi2", (5.0,)), ("beta", (2.0, 3.0)), ("weibull_min", (1.5,))]
OUTSIDE = [("expon", (), -1.0), ("uniform", (), 2.0), ("lognorm", (0.7,), -1.0), ("pareto", (2.0,), 0.5),
           ("beta", (2.0, 3.0), 2.0), *((name, shapes, -1.0) for name, shapes in ENDING)]  # fmt: skip


def slopes_of(name: str, which: str, x: float, shapes: tuple[float, ...]) -> np.ndarray:
    """The derivatives by all arguments that the function has one by."""
    function = getattr(getattr(stats, name), which)
    rule = find(function)
    assert rule is not None
    return np.array([np.sum(pulled(function, np.full(1, x), *shapes, 0.0, 1.0, wrt=arg)) for arg in rule.pullbacks])


@pytest.mark.parametrize("name, shapes, outside", OUTSIDE)
def test_densities_outside_of_the_support(name: str, shapes: tuple[float, ...], outside: float) -> None:
    for which in ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"):
        assert not np.any(slopes_of(name, which, outside, shapes))


@pytest.mark.parametrize("name, shapes", ENDING)
def test_densities_that_end_at_0(name: str, shapes: tuple[float, ...]) -> None:
    assert not np.any(slopes_of(name, "pdf", 0.0, shapes)) and not np.any(slopes_of(name, "cdf", 0.0, shapes))
    assert np.isinf(slopes_of(name, "logpdf", 0.0, shapes)[0])


def test_a_density_of_what_is_none() -> None:
    for name, shapes in (("norm", ()), ("t", (3.0,)), ("expon", ()), *ENDING):
        assert np.isnan(slopes_of(name, "logpdf", np.nan, shapes)[-1])
    assert np.isnan(pulled(stats.poisson.logpmf, np.full(1, np.nan), np.ones(1), wrt="mu"))


def test_the_end_of_an_interval_may_be_infinite() -> None:
    for name, shapes in (("norm", ()), ("t", (3.0,)), ("lognorm", (0.7,)), *ENDING):
        assert not np.any(slopes_of(name, "cdf", np.inf, shapes))


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski"])
def test_distances_of_zero(metric: str) -> None:
    x = np.array([[1.0, 2.0], [1.0, 2.0]])
    for wrt in ("XA", "XB"):
        assert not np.any(pulled(distance.cdist, x, x, metric, wrt=wrt))
    assert not np.any(pulled(distance.pdist, x, metric))


def test_splines_at_a_knot() -> None:
    spline = interpolate.make_interp_spline(np.arange(4.0), np.array([0.0, 1.0, 5.0, 3.0]), k=1)
    np.testing.assert_allclose(pulled(spline_values, spline, np.array([1.0, 2.0]), wrt="x"), [4, -2], rtol=1e-14)


def test_special_functions_at_zero() -> None:
    for function, want in ((special.exprel, 0.5), (special.i0e, 0), (special.i1e, 0.5), (special.j1, 0.5)):
        assert pulled(function, np.zeros(1))[0] == want
    for x, want in ((Z, 1), (ONE, math.exp(-1))):
        np.testing.assert_allclose(pulled(special.gammainc, 1.0, np.full(1, x), wrt="x"), want, rtol=1e-14)


# -------------------------------------------------------------------- eigenvalues, singular values, rank
TURN = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [1.0, 1.0, 1.0]]))[0]
EQUAL = TURN @ np.diag([1.0, 1.0, 3.0]) @ TURN.T  # equal up to rounding
VALUES = [(np.linalg.eigvalsh, None), (np.linalg.eigvals, None), (np.linalg.svdvals, None),
          (np.linalg.eigh, 0), (np.linalg.eig, 0), (np.linalg.svd, 1)]  # fmt: skip


def along(function: Any, A: np.ndarray, d: Any, t: np.ndarray) -> Any:
    """The derivative of <d, function(A)> along t, by central differences."""
    return sum(np.sum(np.real(d * (function(A + k * 1e-5 * t) - function(A - k * 1e-5 * t)))) * c / 12e-5
               for k, c in ((1, 8.0), (2, -1.0)))  # fmt: skip


@pytest.mark.parametrize("function, which", VALUES)
def test_equal_values(function: Any, which: int | None) -> None:
    """The derivative of the sum of exp(w) is exp(A), which is known here."""
    w = function(EQUAL) if which is None else function(EQUAL)[which]
    d = np.exp(w)
    if which is not None:
        d = tuple(d if k == which else np.zeros_like(part) for k, part in enumerate(function(EQUAL)))
    got = np.real(pulled(function, EQUAL, d=d))
    if function in (np.linalg.eigvalsh, np.linalg.eigh):  # of the lower triangle, which stands for both
        got = (got + got.T) / 2
    np.testing.assert_allclose(got, TURN @ np.diag(np.exp([1.0, 1.0, 3.0])) @ TURN.T, rtol=1e-9)


@pytest.mark.parametrize("A", [EQUAL, np.eye(3)], ids=["rounded", "exactly"])
def test_vectors_of_equal_values(A: np.ndarray) -> None:
    for function in (np.linalg.eigh, np.linalg.eig, np.linalg.svd):
        parts = function(A)
        d = tuple(np.ones_like(part) for part in parts)
        assert not np.all(np.isfinite(pulled(function, A, d=d))), function


def test_vectors_of_the_singular_value_zero() -> None:
    A = np.array([[1.0, 2.0], [2.0, 4.0], [0.5, 1.0]])
    zeros = np.zeros((3, 2)), np.zeros(2), np.zeros((2, 2))
    first, second = np.zeros((3, 2)), np.zeros((3, 2))
    first[0, 0], second[:, 1] = 1.0, (1.0, -0.7, 0.3)  # not in the plane of the vectors, wherever LAPACK lays it
    got = pulled(np.linalg.svd, A, d=(first, *zeros[1:]), full_matrices=False)
    t = np.array([[0.3, -0.2], [0.1, 0.5], [-0.7, 0.2]])
    want = along(lambda A: np.linalg.svd(A, full_matrices=False)[0], A, first, t)
    np.testing.assert_allclose(np.sum(got * t), want, rtol=1e-6)
    beyond = pulled(np.linalg.svd, A, d=(second, *zeros[1:]), full_matrices=False)
    assert not np.all(np.isfinite(beyond)) or np.max(np.abs(beyond)) > 1e12


def complex_matrix(*shape: int) -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4)], ids=str)
def test_phases_of_singular_vectors(shape: tuple[int, int], full: bool) -> None:
    """|U|^4, |V|^4 and U V^H of the first two do not change with the phases."""
    A, t, K = complex_matrix(*shape), complex_matrix(2, *shape)[1], complex_matrix(*shape)

    def loss(A: np.ndarray) -> Any:
        U, s, W = np.linalg.svd(A, full_matrices=full)
        return np.sum(np.abs(U) ** 4) + np.sum(np.abs(W) ** 4) + np.sum(np.real(K * (U[:, :2] @ W[:2])))

    U, s, W = np.linalg.svd(A, full_matrices=full)
    d_U, d_W = 4 * np.abs(U) ** 2 * np.conj(U), 4 * np.abs(W) ** 2 * np.conj(W)
    d_U[:, :2] += K @ W[:2].T
    d_W[:2] += U[:, :2].T @ K
    got = pulled(np.linalg.svd, A, d=(d_U, np.zeros_like(s), d_W), full_matrices=full)
    np.testing.assert_allclose(np.sum(np.real(got * t)), along(loss, A, 1.0, t), rtol=1e-7)


@pytest.mark.parametrize("UPLO", ["L", "U"])
def test_phases_of_hermitian_eigenvectors(UPLO: str) -> None:
    A, t, K = complex_matrix(3, 3), complex_matrix(2, 3, 3)[1], complex_matrix(3, 3)
    w, V = np.linalg.eigh(A, UPLO)
    W = K * np.array([1.0, 0.5, 0.0])  # weights of |V|^2, and of the projection on two vectors
    d_V = 2 * np.real(W) * np.conj(V) + np.conj((K + K.conj().T) @ V) * [1, 1, 0]

    def loss(A: np.ndarray) -> Any:
        w, V = np.linalg.eigh(A, UPLO)
        return np.sum(np.real(W) * np.abs(V) ** 2) + np.real(np.trace(K @ V[:, :2] @ V[:, :2].conj().T))

    got = pulled(np.linalg.eigh, A, UPLO, d=(np.zeros_like(w), d_V))
    np.testing.assert_allclose(np.sum(np.real(got * t)), along(loss, A, 1.0, t), rtol=1e-7)


@pytest.mark.parametrize("function, d", [(np.linalg.cholesky, 0), (np.linalg.eigvalsh, 0), (np.linalg.eigh, 1)])
def test_triangles_that_are_read(function: Any, d: int) -> None:
    A = complex_matrix(3, 3)
    A = A @ A.conj().T
    d_y = np.ones((3, 3)) if function is np.linalg.cholesky else np.arange(3.0)
    got = pulled(function, A, d=(d_y, np.zeros((3, 3))) if d else d_y)
    assert not np.triu(got, 1).any() and not np.imag(np.diagonal(got)).any() and got[2, 0] != 0


@pytest.mark.parametrize("function, args", [(linalg.solve, {"b": np.ones(3), "assume_a": "pos"}), (linalg.cholesky, {}),
                                            (linalg.solve_triangular, {"b": np.ones(3)})])  # fmt: skip
def test_triangles_that_scipy_reads(function: Any, args: Any) -> None:
    A = np.eye(3) * 3 + np.ones((3, 3))
    assert not np.tril(pulled(function, A, **args), -1).any()
    lower = pulled(function, A, lower=True, **args)
    assert not np.triu(lower, 1).any() and lower[2, 0] != 0
    got = pulled(linalg.eigh, A, d=(np.arange(3.0), np.zeros((3, 3))))
    assert not np.triu(got, 1).any() and got[2, 0] != 0


@pytest.mark.parametrize("A", [complex_matrix(3, 3), np.real(complex_matrix(4, 4))], ids=["complex", "real"])
def test_phases_of_eigenvectors(A: np.ndarray) -> None:
    """Any function of them is differentiated as they are."""
    d = complex_matrix(*A.shape)
    t = np.real(complex_matrix(2, *A.shape)[1])
    w, V = np.linalg.eig(A)
    assert np.iscomplexobj(V)
    got = pulled(np.linalg.eig, A, d=(np.zeros_like(w), d))
    np.testing.assert_allclose(np.sum(np.real(got * t)), along(lambda A: np.linalg.eig(A)[1], A, d, t), rtol=1e-6)


@pytest.mark.parametrize("function, how", [(np.linalg.svdvals, {}), (np.linalg.norm, {"ord": "nuc"})])
def test_singular_value_zero(function: Any, how: dict[str, Any]) -> None:
    u, v = arrays([0.6, 0.8, 0.0], [1.0, 0.0])
    np.testing.assert_allclose(pulled(function, np.outer(u, v), **how), np.outer(u, v), atol=1e-15)


def test_ties_of_singular_values() -> None:
    np.testing.assert_allclose(pulled(np.linalg.norm, np.eye(3), ord=2), np.eye(3) / 3)
    np.testing.assert_allclose(pulled(np.linalg.norm, np.eye(3), ord=-2), np.eye(3) / 3)
    np.testing.assert_allclose(pulled(np.linalg.cond, np.diag([2.0, 2.0, 1.0])), np.diag([0.5, 0.5, -2.0]))


@pytest.mark.parametrize("ord", [1, -1, INF, -INF])
def test_ties_of_sums(ord: float) -> None:
    np.testing.assert_array_equal(pulled(np.linalg.norm, np.array([[1.0, -2.0], [2.0, 1.0]]), ord=ord),
                                  [[0.5, -0.5], [0.5, 0.5]])  # fmt: skip


def test_pseudoinverse_of_a_rank() -> None:
    rng = np.random.default_rng(0)
    L, R, t, d = (rng.standard_normal(s) for s in ((4, 2), (2, 3), (4, 2), (3, 4)))
    want = along(lambda L: np.linalg.pinv(L @ R), L, d, t)
    np.testing.assert_allclose(np.sum(pulled(np.linalg.pinv, L @ R, d=d) * (t @ R)), want, rtol=1e-6)
    b, weight = rng.standard_normal(4), rng.standard_normal(3)
    x, residuals, rank, s = np.linalg.lstsq(L @ R, b)
    got = pulled(np.linalg.lstsq, L @ R, b, d=(weight, np.zeros_like(residuals), 0, np.zeros_like(s)))
    want = along(lambda L: np.linalg.lstsq(L @ R, b)[0], L, weight, t)
    np.testing.assert_allclose(np.sum(got * (t @ R)), want, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.RankWarning")
def test_a_polynomial_that_its_points_do_not_determine() -> None:
    for x in (np.array([0.3, 1.2]), np.array([0.3, 0.3, 1.2, 1.2])):
        with pytest.raises(np.linalg.LinAlgError, match="points do not determine"):
            pulled(np.polyfit, x, np.cos(x), 2, d=np.ones(3))


def test_factors_of_dependent_columns() -> None:
    for A in (np.zeros((3, 2)), np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]) / 7):
        with pytest.raises(np.linalg.LinAlgError, match="depend"):
            pulled(np.linalg.qr, A, d=(np.ones((3, 2)), np.ones((2, 2))))
