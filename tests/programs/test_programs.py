"""Programs that update arrays in place: against differences, with pullbacks called again, ahead of time, in float32."""

import copy
import functools
import importlib.util
from typing import Any

import numpy as np
import pytest

from adcompiler import UnsupportedError, compile_module, grad, value_and_grad, vjp
from tests.numerics import assert_close, assert_same, check, floats
from tests.programs import dynamics, factorisations, learning, refused, solvers, stencils, tables
from tests.signatures import signature_of
from tests.test_readable import kept, source

PROGRAMS = [p for m in (stencils, solvers, factorisations, tables, dynamics, learning) for p in m.PROGRAMS]


def each(programs: Any) -> Any:
    return pytest.mark.parametrize(("f", "args"), programs, ids=[f.__name__ for f, _ in programs])


def on_leaves(function: Any, x: Any) -> Any:
    """The same structure, with a function of each array and number in it."""
    if isinstance(x, tuple | list):
        return type(x)(on_leaves(function, e) for e in x)
    if isinstance(x, dict):
        return {k: on_leaves(function, e) for k, e in x.items()}
    return function(x)


def active(args: tuple[Any, ...]) -> tuple[int, ...]:
    """The arguments that have gradients."""
    found: list[int] = []
    for i, x in enumerate(args):
        on_leaves(lambda y, i=i: found.append(i) if floats(y) else None, x)
    return tuple(dict.fromkeys(found))


@functools.cache
def compiled(f: Any, argnums: tuple[int, ...]) -> Any:
    return value_and_grad(f, argnums)


def retyped(x: Any, real: Any, other: Any) -> Any:
    """Arrays of floats and of complex numbers in these dtypes."""

    def leaf(y: Any) -> Any:
        return y.astype(real if y.dtype.kind == "f" else other) if isinstance(y, np.ndarray) and floats(y) else y

    return on_leaves(leaf, x)


def overwrite(x: Any) -> None:
    if isinstance(x, np.ndarray):
        x[...] = 1


@each(PROGRAMS)
def test_gradient(f, args):
    check(f, *args)


@each(PROGRAMS)
def test_pullback_is_called_twice_after_the_arguments_are_overwritten(f, args):
    mine = copy.deepcopy(args)
    wanted, gradients = compiled(f, active(args))(*args)
    value, pull = vjp(f, *mine, argnums=active(args))
    on_leaves(overwrite, mine)
    assert_close(value, wanted, 1e-12, 0.0)
    for cotangent in (2.0, -0.5):
        scaled = on_leaves(lambda g: g if g is None else cotangent * g, gradients)
        assert_close(tuple(pull(cotangent)), scaled, 1e-9, 1e-12)


@each(PROGRAMS[::2])
def test_ahead_of_time(f, args, tmp_path):
    compile_module(f, tmp_path / "written.py", signatures=signature_of(args), argnums=active(args), value=True)
    spec = importlib.util.spec_from_file_location("written", tmp_path / "written.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (name,) = module.__all__
    assert_same(getattr(module, name)(*args), compiled(f, active(args))(*args))


@each(PROGRAMS[1::2])
def test_single_precision_stays(f, args):
    singles = retyped(args, np.float32, np.complex64)
    got, wanted = (compiled(f, active(args))(*a)[1] for a in (singles, retyped(singles, float, complex)))

    def compare(g: Any, w: Any, x: Any) -> None:
        if isinstance(x, tuple | list | dict):
            for k in x if isinstance(x, dict) else range(len(x)):
                compare(g[k], w[k], x[k])
        elif isinstance(x, np.ndarray) and floats(x):
            assert g.dtype == x.dtype
            np.testing.assert_allclose(g, w, rtol=2e-3, atol=2e-4 * np.max(np.abs(w)))

    compare(tuple(got), tuple(wanted), tuple(singles[i] for i in active(args)))


#: Linear in the first argument, or only squared at the end.
LINEAR = {
    "heat_swapped", "heat_alternating", "heat_ping_pong", "heat_into_rows", "heat_in_the_plane", "heat_in_space",
    "wave_rotated", "leap_frog", "fields_put_anew", "edges_reflected", "over_relaxed", "histogram", "prefix_sums",
    "lifted", "filtered", "im2col",
}  # fmt: skip


@each([p for p in PROGRAMS if p[0].__name__ in LINEAR])
def test_what_is_linear_keeps_nothing(f, args):
    assert kept(f, *args) == 0


def test_what_is_added_in_place_has_the_shape_that_it_had():
    """Lengths that are not known to agree: the sum is in place, and it is tested once that it fits, by NumPy."""
    args = dict(learning.PROGRAMS)[learning.shifted_convolution]
    assert "out += kernel[i, j] * image" in source(learning.shifted_convolution, *args, argnums=(0, 1))
    written = source(tables.assembled, *dict(tables.PROGRAMS)[tables.assembled])
    assert "K[e:s, e:s] += t * x[e]" in written and "fits" not in written


@pytest.mark.parametrize(("f", "args", "words"), refused.REFUSED, ids=[f.__name__ for f, _, _ in refused.REFUSED])
def test_what_is_refused_says_why(f, args, words):
    with pytest.raises(UnsupportedError, match=words):
        grad(f)(*args)
