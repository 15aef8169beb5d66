"""Kinds keep lengths: exactly where a symbol plus a constant says them, anonymous where nothing does."""

import itertools
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rules.kind import ONE, Array, KindError, Length, Lengths, Num, Seq, constant, specialising
from rules.rule import find, find_method

N, M, K = Length("n"), Length("m"), Length("k")
F64, I64 = np.dtype(float), np.dtype(int)


def array(*shape: Length | int, dtype: Any = F64) -> Array:
    return Array(np.dtype(dtype), tuple(constant(n) if isinstance(n, int) else n for n in shape))


def integer(length: Length | None = None) -> Num:
    return Num(int, length)


@pytest.fixture(autouse=True)
def env() -> Iterator[Lengths]:
    with specialising(Lengths({"n": 7, "m": 5, "k": 3})) as lengths:
        yield lengths


def kind(function: Any, *args: Any, **kwargs: Any) -> Any:
    rule = find_method(function) if isinstance(function, str) else find(function)
    assert rule is not None and rule.kind is not None
    bound = rule.bind(args, kwargs)
    return rule.kind(*(bound[p] for p in rule.kind.__code__.co_varnames[: rule.kind.__code__.co_argcount]))


def read(*index: Any, of: Any = None) -> str:
    of = array(N, M) if of is None else of
    return str(kind(operator.getitem, of, index if len(index) > 1 else index[0]))


def test_slices_with_static_bounds_are_exact() -> None:
    v = array(N)
    assert read(slice(1, -1), of=v) == "f64[n-2]"
    assert read(slice(None, -1), of=v) == "f64[n-1]"
    assert read(slice(2, None), of=v) == "f64[n-2]"
    assert read(slice(0, 3), of=v) == "f64[3]"
    assert read(slice(-2, None), of=v) == "f64[2]"
    assert read(slice(None, None, -1), of=v) == "f64[n]"
    assert read(slice(None, None, 2), of=v) == "f64[?]"
    assert read(slice(None, None, 2), of=array(5)) == "f64[3]"
    assert read(slice(1, -1), of=array(N + 2)) == "f64[n]"


def test_a_short_axis_is_guarded_and_clipped(env: Lengths) -> None:
    assert read(slice(0, 4), of=array(K)) == "f64[3]"
    assert [str(g) for g in env.guards] == ["k == 3"]


def test_slices_with_lengths_as_bounds() -> None:
    v = array(N)
    assert read(slice(1, integer(N)), of=v) == "f64[n-1]"
    assert read(slice(0, integer(N + -1)), of=v) == "f64[n-1]"
    assert read(slice(None, integer(N + 1)), of=v) == "f64[n]"
    assert read(slice(integer(N + -2), None), of=v) == "f64[2]"
    assert read(slice(integer(), None), of=v) == "f64[?]"
    assert read(slice(None, integer(M)), of=v) == "f64[?]"


def test_reading_one_element_gives_a_number_and_an_ellipsis_an_array() -> None:
    assert read(0, 1) == "f64"
    assert read(integer(), integer()) == "f64"
    assert read(0, 1, ...) == "f64[]"
    assert read(0) == "f64[m]"
    assert read(None, ..., 0) == "f64[1,n]"


def test_advanced_indices_go_where_numpy_puts_them() -> None:
    i, j = array(K, dtype=int), array(K, 1, dtype=int)
    a = array(2, N, M, 9)
    assert read(slice(None), i, of=a) == "f64[2,k,m,9]"
    assert read(0, slice(None), i, of=a) == "f64[k,n,9]"
    assert read(slice(None), j, i, of=a) == "f64[2,k,k,9]"
    assert read(array(N, M, dtype=bool)) == "f64[?]"
    assert read(array(N, dtype=bool), slice(1, None)) == "f64[?,m-1]"
    assert read(Seq(integer())) == "f64[?,m]"


def test_a_list_gives_its_element_or_a_list() -> None:
    rows = Seq(array(N))
    assert read(0, of=rows) == "f64[n]"
    assert read(slice(1, None), of=rows) == "list[f64[n]]"


@pytest.mark.parametrize("index", [1.5, "a", True, array(N), (0, 0, 0), (..., ...), Seq(array(N))])
def test_what_cannot_be_an_index_is_refused(index: Any) -> None:
    with pytest.raises(KindError):
        kind(operator.getitem, array(N, M), index)


def _entries(rng: np.random.Generator, n: int) -> Iterator[tuple[Any, int]]:
    """An entry of an index for an axis of length n, and how many axes it takes."""
    bound = lambda: None if rng.random() < 0.3 else int(rng.integers(-n - 2, n + 3))
    yield slice(bound(), bound(), [None, 1, 2, -1, -2][rng.integers(5)]), 1
    yield int(rng.integers(-n, n)), 1
    yield rng.integers(-n, n, [(2,), (3, 2), (1,), ()][rng.integers(4)]), 1
    yield rng.random(n) < 0.5, 1
    yield None, 0
    yield ..., 0


def test_random_subscripts_have_the_shape_that_numpy_gives() -> None:
    rng = np.random.default_rng(3)
    shape = (4, 3, 5)
    x = np.zeros(shape)
    tried = 0
    for _ in range(4000):
        index: list[Any] = []
        axis = 0
        while axis < 3 and rng.random() < 0.8:
            entry, takes = list(_entries(rng, shape[axis]))[rng.integers(6)]
            if entry is ... and any(e is ... for e in index):
                continue
            index.append(entry)
            axis += takes
        try:
            want = x[tuple(index)]
        except IndexError:
            continue
        sizes = {"a": 4, "b": 3, "c": 5}
        with specialising(Lengths(sizes)) as env:
            got = kind(operator.getitem, array(*map(Length, sizes)), tuple(index))
            assert isinstance(got, Array) == isinstance(want, np.ndarray), index
            assert got.ndim == want.ndim, (index, str(got), want.shape)
            for n, size in zip(got.shape, want.shape):
                assert env.size(env.resolve(n)) in (size, None), (index, str(got), want.shape)
            assert all(g.holds(sizes) for g in env.guards)
        tried += 1
    assert tried > 2000


def test_reshape_divides_out_what_it_is_given() -> None:
    a = array(N, M, 4)
    assert str(kind("ndarray.reshape", a, -1)) == "f64[?]"
    assert str(kind("ndarray.reshape", a, integer(N), -1)) == "f64[n,?]"
    assert str(kind("ndarray.reshape", a, (integer(N), 2, 2, -1))) == "f64[n,2,2,m]"
    assert str(kind(np.reshape, array(N), (-1, 1))) == "f64[n,1]"
    assert str(kind(np.reshape, array(6), (2, -1))) == "f64[2,3]"
    assert str(kind(np.ravel, array(N, 1))) == "f64[n]"
    with pytest.raises(KindError):
        kind(np.reshape, a, Seq(integer()))


def test_joining_adds_lengths() -> None:
    v = array(N)
    assert str(kind(np.concatenate, [array(1), v, array(2)])) == "f64[n+3]"
    assert str(kind(np.concatenate, [v, array(M)])) == "f64[?]"
    assert str(kind(np.concatenate, [array(N, M), array(1, M)])) == "f64[n+1,m]"
    assert str(kind(np.stack, [v, v], axis=1)) == "f64[n,2]"
    assert str(kind(np.stack, Seq(v))) == "f64[?,n]"
    assert str(kind(np.array, [[1, 2.5], [integer(), 3]])) == "f64[2,2]"
    assert str(kind(np.pad, v, 2)) == "f64[n+4]"


def test_products_have_the_outer_lengths(env: Lengths) -> None:
    assert str(kind(np.matmul, array(N, M), array(M, K))) == "f64[n,k]"
    assert str(kind(np.matmul, array(N, M), array(M))) == "f64[n]"
    assert str(kind(np.matmul, array(M), array(M))) == "f64"
    assert str(kind(np.dot, array(9, N, M), array(8, M, K))) == "f64[9,n,8,k]"
    assert str(kind(np.einsum, "ij,jk->ki", array(N, M), array(M, K))) == "f64[k,n]"
    assert str(kind(np.tensordot, array(N, M), array(M, K), 1)) == "f64[n,k]"
    assert not env.guards
    with pytest.raises(KindError, match="of a number"):
        kind(np.matmul, array(N, M), Num(float))


def test_diagonals_of_square_matrices_are_exact() -> None:
    assert str(kind(np.diag, array(N, N))) == "f64[n]"
    assert str(kind(np.diag, array(N, N), k=-2)) == "f64[n-2]"
    assert str(kind(np.diag, array(N), k=1)) == "f64[n+1,n+1]"
    assert str(kind(np.diagonal, array(3, 5), 4)) == "f64[1]"
    assert str(kind(np.diagonal, array(N, M))) == "f64[?]"


def test_ranges_and_shapes_follow_lengths() -> None:
    assert str(kind(np.zeros, (integer(N), 3))) == "f64[n,3]"
    assert str(kind(np.zeros, integer(N), dtype=np.float32)) == "f32[n]"
    assert str(kind(np.arange, integer(N))) == "i64[n]"
    assert str(kind(np.arange, 2, integer(N + -1))) == "i64[n-3]"
    assert str(kind(np.arange, integer(N + -1), integer(N + 1))) == "i64[2]"
    assert str(kind(np.arange, Num(float))) == "f64[?]"
    assert str(kind(np.eye, integer(N))) == "f64[n,n]"
    assert str(kind(np.full, integer(N), Num(float))) == "f64[n]"
    assert str(kind(np.linspace, 0, 1, integer(N))) == "f64[n]"
    assert str(kind(np.indices, (2, 3))) == "i64[2,2,3]"


@pytest.mark.parametrize(
    "args", [(5,), (2, 5), (5, 2), (1, 8, 3), (8, 1, -2), (-3,), (0.5, 3), (2, 2.5, 0.25)]
)
def test_arange_of_constants(args: tuple[Any, ...]) -> None:
    want = np.arange(*args)
    assert kind(np.arange, *args) == array(len(want), dtype=want.dtype)


def test_squeeze_guards_what_it_decides(env: Lengths) -> None:
    assert str(kind(np.squeeze, array(N + -6, ONE))) == "f64[]"
    assert [str(g) for g in env.guards] == ["n-6 == 1"]
    with pytest.raises(KindError, match="axis"):
        kind(np.squeeze, array(env.fresh()))


def test_every_shape_of_a_stack_is_broadcast() -> None:
    for a, b in itertools.product([(), (N,), (1,), (4, N)], repeat=2):
        got = kind(np.matmul, array(*a, 2, 3), array(*b, 3, 5))
        assert got.shape[-2:] == (constant(2), constant(5)) and got.ndim == max(len(a), len(b)) + 2


def test_a_length_is_never_equal_to_itself_plus_a_constant() -> None:
    lengths = Lengths()  # no sizes, as where a signature is given in words
    assert lengths.broadcast(N + 1, N).anonymous
    assert lengths.agree(N, N + 1).anonymous
    assert lengths.guards == []


def test_the_length_of_a_list_in_a_signature_may_be_one() -> None:
    lengths = Lengths(free={"n"})
    assert (lengths.may_be_one(N), lengths.may_be_one(M)) == (True, False)
    assert not lengths.is_one(N)
    assert [str(g) for g in lengths.guards] == ["n != 1"]


def test_lengths_of_what_is_added_removed_or_joined() -> None:
    v, w = array(N), array(M)
    assert str(kind(np.delete, v, 2)) == str(kind(np.delete, v, integer())) == "f64[n-1]"
    assert str(kind(np.delete, v, [1, 2])) == "f64[?]"
    assert str(kind(np.insert, v, 2, 1.5)) == "f64[n+1]"
    assert str(kind(np.insert, v, [1, 3], w)) == "f64[n+2]"
    assert str(kind(np.insert, array(N, M), 2, w, axis=0)) == "f64[n+1,m]"
    assert str(kind(np.compress, array(N, dtype=bool), array(N, M), axis=0)) == "f64[?,m]"
    assert str(kind(np.block, [[array(N, M), array(N, 2)]])) == "f64[n,m+2]"
    assert str(kind(np.select, [array(M, dtype=bool)], [array(N, M)])) == "f64[n,m]"


def test_lengths_of_polynomials() -> None:
    p = array(N)
    assert [str(kind(f, p)) for f in (np.polyder, np.polyint, np.poly)] == ["f64[n-1]", "f64[n+1]", "f64[n+1]"]
    assert str(kind(np.polyder, p, 3)) == "f64[n-3]" and str(kind(np.polyder, array(2), 3)) == "f64[0]"
    assert str(kind(np.polyadd, p, array(N + -1))) == "f64[n]"
    assert str(kind(np.polymul, p, p)) == "f64[?]"
    assert str(kind(np.polyval, p, array(M, K))) == "f64[m,k]"
    assert str(kind(np.vander, p)) == "f64[n,n]" and str(kind(np.vander, p, 3)) == "f64[n,3]"
    assert str(kind(np.polyfit, p, p, 2)) == "f64[3]"
    assert str(kind(np.histogram, p, 4)[0]) == "i64[4]" and str(kind(np.histogram, p, array(M))[0]) == "i64[m-1]"
