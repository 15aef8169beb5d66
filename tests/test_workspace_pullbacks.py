"""`vjp` and `jvp` that compute into arrays of earlier calls; a pullback has what is kept for it until it is gone."""

import collections
import copy
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from adcompiler import GradientError, api, differentiable, jvp, release, vjp
from adcompiler.compile import build
from adcompiler.request import Request, from_call
from benchmarks.allocations import allocations, large_arrays
from rules.kind import Lengths
from rules.workspace import AT_ONCE, MAX_WORKSPACES

from .fuzz.arguments import random_tangent, same_bits
from .test_stores import NAMES as STORED
from .test_stores import PROGRAMS as STORES
from .test_vjp import PROGRAMS as SPLIT
from .test_workspace_loops import PROGRAMS as LOOPS
from .test_workspace_loops import at
from .test_workspaces import PROGRAMS
from .workspaces import call, follow_pullbacks, idle_arrays, shared_pools, spoil, unseen

rng = np.random.default_rng(5)
W, X, Y = rng.normal(size=(4, 4)), rng.normal(size=4), rng.normal(size=4)


@pytest.fixture(autouse=True)
def alone():
    """Each test begins with no arrays of others."""
    for pool in shared_pools():
        pool.clear()
    yield
    for pool in shared_pools():
        pool.clear()


def chain(x):
    e = np.exp(x)
    s = np.sin(e)
    return s * e * x


def mlp(W, x):
    h = np.tanh(W @ x)
    return np.tanh(W @ h) @ h


def recurrent(W, x):
    h = np.exp(x)
    for _ in range(6):
        h = np.tanh(W @ h + x)
    return h


def text(f, args, argnums):
    request = Request(f, argnums, mode="vjp", max_workspaces=1)
    return build(request, from_call(request, args, {}), Lengths()).text


# ------------------------------------------------------------------------------------------ the same results
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_without_workspaces_whatever_was_computed_before(name):
    program = PROGRAMS[name]
    a, b, other = call(*program.at(0, 4)), call(*program.at(1, 4)), call(*program.at(2, 6))
    bits = name != "recurrent, transposed"  # what is copied for the pullback lies in memory as it came
    follow_pullbacks(program.f, a, b, a, other, a, b, argnums=program.argnums, bits=bits)


@pytest.mark.parametrize(("f", "args"), SPLIT, ids=lambda f: getattr(f, "__name__", ""))
@pytest.mark.parametrize("alive", [0, 3])
def test_of_values_that_are_arrays(f, args, alive):
    other = call(*(a[::-1] * 0.9 for a in args))
    follow_pullbacks(f, call(*args), other, call(*args), other, call(*args), argnums=(0, 1), alive=alive)


@pytest.mark.parametrize("f", LOOPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_any_number_of_iterations_after_any_other(f, dtype):
    counts = (0, 3, 0, 5, 1, 2, 3)
    calls = [(*at(k % 2, 6 if k == 5 else 4), n) for k, n in enumerate(counts)]
    follow_pullbacks(f, *(call(W.astype(dtype), x.astype(dtype), n) for W, x, n in calls), argnums=(0, 1))


@pytest.mark.parametrize(("f", "args"), STORES, ids=STORED)
def test_stores(f, args):
    moving = tuple(i for i, a in enumerate(args) if random_tangent(a, rng) is not None and not isinstance(a, int))
    with np.errstate(all="ignore"):  # one of them stores over a pole
        follow_pullbacks(f, *[call(*copy.deepcopy(args)) for _ in range(4)], argnums=moving)


def test_of_values_of_any_structure():
    def f(p, n):
        h = np.tanh(p["W"] @ p["x"])
        states = []
        for _ in range(n):
            h = np.sin(p["W"] @ h)
            states.append(h * p["x"])
        return {"h": h, "again": h, "states": states, "tail": h[1:], "sum": np.sum(h), "n": n, "x": p["x"]}

    calls = [call({"W": W, "x": x}, n) for x, n in ((X, 2), (Y, 3), (X, 0), (Y, 3))]
    follow_pullbacks(f, *calls, *calls)


def test_cotangents_may_lie_in_memory_as_they_like():
    f = lambda W: np.exp(W) * W
    d = rng.normal(size=(8, 8))
    _, plain = vjp(f, W, reuse_buffers=False)
    for cotangent in (d[:4, :4], d[::2, ::-2], d[:4, :4].T, np.broadcast_to(d[0, :4], (4, 4))):
        _, pullback = vjp(f, W)
        for _ in range(2):
            spoil()
            np.testing.assert_array_equal(pullback(cotangent)[0], plain(cotangent)[0])


def test_the_dtype_of_a_value_that_is_not_known_when_compiling_is_that_of_its_cotangent():
    """In single precision, times a double of NumPy or a number of Python: what comes of it is double, or single."""

    def f(x, t, c):
        s = t if c > 0 else 0.3
        return np.sin(x * s)

    x = Y.astype("float32")
    for order in ((-1.0, 1.0, -1.0, 1.0, 1.0), (1.0, -1.0, 1.0)):
        follow_pullbacks(f, *[call(x, np.float64(0.7), c) for c in order], argnums=(0, 1), alive=0)


def test_the_shape_of_a_value_that_depends_on_the_data_is_that_of_its_cotangent():
    def f(x):
        positive = x[x > 0]
        return np.exp(positive) * positive

    def g(x):
        return x[x > 0] * 2.0 + 1.0

    def h(x, n):
        return np.sin(x)[:n] * 2.0

    for f_ in (f, g):
        follow_pullbacks(f_, *[call(x) for x in (X, Y, np.abs(X), -np.abs(X), X, np.abs(Y))])
    follow_pullbacks(h, *[call(X, n) for n in (3, 4, 2, 3, 0, 4)])


# -------------------------------------------------------------------------------------------- what is allocated
BIG = {
    "chain": (chain, lambda rng, n: (rng.uniform(0.2, 1.2, n),), 0),
    "mlp": (mlp, lambda rng, n: (rng.normal(size=(n, n)) / n, rng.normal(size=n)), (0, 1)),
    "recurrent": (recurrent, lambda rng, n: (rng.normal(size=(n, n)) / n, rng.normal(size=n)), (0, 1)),
}


@pytest.mark.parametrize("name", BIG)
def test_from_the_second_call_on_nothing_is_allocated_but_results(name):
    f, arguments, argnums = BIG[name]
    for seed in range(4):
        args = arguments(np.random.default_rng(seed), 150)
        cotangent = rng.normal(size=np.shape(f(*args)))
        cotangent = cotangent if cotangent.shape else float(cotangent)
        found = []
        forward = allocations(lambda args=args, found=found: found.extend(vjp(f, *args, argnums=argnums)) or found[0])
        value, pullback = found
        backward = [allocations(lambda p=pullback, c=cotangent: p(c)) for _ in range(2)]
        results = large_arrays(pullback(cotangent))
        if seed > 0:
            assert forward.large == large_arrays(value)
            assert [b.large for b in backward] == [results, results]
        del pullback
        found.clear()


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_more_is_allocated_than_without(name):
    program = PROGRAMS[name]
    counts = {}
    for reuse in (True, False):
        for seed in range(3):
            args = program.at(seed, 150)
            made = []
            forward = allocations(lambda a=args, m=made, r=reuse: m.extend(
                vjp(program.f, *a, argnums=program.argnums, reuse_buffers=r)))  # fmt: skip
            value, pullback = made
            cotangent = 1.0 if not isinstance(value, np.ndarray) else np.ones_like(value)
            backward = allocations(lambda p=pullback, c=cotangent: p(c))
            counts[reuse] = forward.large, backward.large
            made.clear()
            del pullback
    assert counts[True] <= counts[False] and counts[True][1] <= counts[False][1]


def test_the_same_arrays_serve_one_pullback_after_another():
    args = at(0, 5)
    value, pullback = vjp(recurrent, *args)
    pullback(value)
    del pullback
    before = {id(a) for a in idle_arrays()}
    assert len(before) > 8
    for _ in range(5):
        value, pullback = vjp(recurrent, *args)
        pullback(value)
        del pullback
        assert {id(a) for a in idle_arrays()} == before


def test_as_many_arrays_are_kept_after_twenty_calls_as_after_two():
    for f in LOOPS:
        counts = []
        for k in range(20):
            _, pullback = vjp(f, *at(k, 4), 3, argnums=(0, 1))
            pullback(1.0), pullback(2.0)
            del pullback
            counts.append(len(idle_arrays()))
        assert counts[2:] == [counts[1]] * 18, f.__name__
        release(f)


def test_source_shows_what_belongs_to_whom():
    shown = text(mlp, (W, X), (0, 1))
    assert "def mlp_vjp(W, x, *, ws):" in shown
    assert "def pullback(d_value, *, ws):" in shown
    f = differentiable(argnums=(0, 1))(mlp)
    assert f.source("vjp", example=(W, X), workspaces=True) == shown
    assert "ws" not in f.source("vjp", example=(W, X))
    forward, pullback = shown.split("def pullback")

    def slots(part):
        return {word.split(" ")[0] for word in part.split("ws.")[1:]}

    assert not {s.strip(",)\n") for s in slots(forward)} & {s.strip(",)\n") for s in slots(pullback)}


def test_only_the_pullback_or_only_the_forward_part_may_need_a_workspace():
    f = lambda x: np.sum(x) * 2.0
    g = lambda x, y: x * y
    follow_pullbacks(f, call(X), call(Y), call(X))
    follow_pullbacks(g, call(X, Y), call(Y, X), call(X, Y), argnums=(0, 1))
    follow_pullbacks(lambda x, y: (x + y) * 3.0, call(X, Y), call(Y, X), argnums=(0, 1))


# ------------------------------------------------------------------------------------- whose the arrays are
def test_a_pullback_has_its_arrays_until_it_is_collected():
    args = at(0, 5)
    _, first = vjp(recurrent, *args)
    assert idle_arrays() == []
    _, second = vjp(recurrent, *args)
    wanted = first(X2 := np.ones(5))
    del second
    (pool,) = (p for p, _, _ in api._KEPT if p.idle)
    assert len(pool.idle) == 1
    spoil()
    vjp(recurrent, *at(1, 5))
    assert same_bits(first(X2), wanted)
    del first
    gc.collect()
    assert len(pool.idle) == 2


def test_release_of_a_pullback_gives_its_arrays_back():
    value, pullback = vjp(recurrent, *at(0, 5))
    wanted = pullback(value)
    kept = copy.deepcopy(wanted)
    pullback.release()
    (pool,) = (p for p, _, _ in api._KEPT if p.idle)
    assert len(pool.idle) == 1
    for _ in range(2):
        with pytest.raises(RuntimeError, match="this pullback of recurrent was released: call vjp again"):
            pullback(value)
        pullback.release()
    assert len(pool.idle) == 1
    assert repr(pullback) == "<pullback of recurrent, released>"
    spoil()
    assert same_bits(vjp(recurrent, *at(0, 5))[1](value), kept) and same_bits(wanted, kept)


def test_every_pullback_can_be_released():
    for options in ({"reuse_buffers": False}, {"lazy": True}):
        value, pullback = vjp(recurrent, *at(0, 5), **options)
        thunks = pullback(value)
        pullback.release()
        with pytest.raises(RuntimeError, match="released"):
            pullback(value)
        if "lazy" in options:
            assert same_bits(tuple(t() for t in thunks), vjp(recurrent, *at(0, 5))[1](value))


def test_a_release_in_the_middle_of_a_call_waits_for_it():
    """Another thread releases, and a third computes the next forward sweep, while a pullback runs."""
    inside, go_on = threading.Event(), threading.Event()

    args = at(0, 5)
    value, pullback = vjp(recurrent, *args)
    wanted = copy.deepcopy(pullback(value))
    own = [pullback._pulls[0]]

    def slowly(d, own=own.pop()):
        inside.set()
        go_on.wait(20)
        return own(d)

    pullback._pulls[0] = slowly
    del slowly
    found = []
    thread = threading.Thread(target=lambda: found.append(pullback(value)))
    thread.start()
    inside.wait(20)
    pullback.release()
    spoil()
    vjp(recurrent, *at(1, 5))
    go_on.set()
    thread.join()
    assert same_bits(found[0], wanted)


def test_release_of_a_function_drops_the_arrays_and_leaves_its_pullbacks():
    value, pullback = vjp(recurrent, *at(0, 5))
    wanted = copy.deepcopy(pullback(value))
    vjp(recurrent, *at(0, 5))[1](value)
    other = vjp(chain, X)[1]
    other(X)
    del other
    references = [weakref.ref(a) for a in idle_arrays()]
    of_chain = sum(1 for a in idle_arrays() if a.shape == X.shape)
    release(recurrent)
    gc.collect()
    assert sum(r() is not None for r in references) == of_chain > 0
    assert same_bits(pullback(value), wanted)
    owned = [weakref.ref(c.cell_contents) for c in inner(pullback).__closure__
             if isinstance(c.cell_contents, np.ndarray)]  # fmt: skip
    assert owned
    del pullback
    gc.collect()
    assert all(r() is None for r in owned)  # they are not kept either
    assert same_bits(vjp(recurrent, *at(0, 5))[1](value), wanted)


def inner(pullback):
    """The generated function that a pullback calls."""
    pull = pullback._pulls[0]
    found = [c.cell_contents for c in pull.__closure__ or () if getattr(c.cell_contents, "__name__", "") == "pullback"]
    return found[0] if found else pull


def test_release_of_a_differentiable_function_is_of_its_pullbacks_too():
    f = differentiable(argnums=(0, 1))(recurrent)
    vjp(f, *at(0, 5))[1](np.ones(5))
    jvp(f, at(0, 5), at(1, 5))
    assert idle_arrays()
    f.release()
    assert idle_arrays() == []


def test_a_release_that_comes_while_a_pullback_is_called_leaves_results_right():
    f = recurrent
    value, pullback = vjp(f, *at(0, 5))
    wanted = copy.deepcopy(pullback(value))
    for _ in range(3):
        release(f)
        spoil()
        assert same_bits(pullback(value), wanted)


def test_for_so_many_shapes_arrays_are_kept_and_no_more():
    for n in range(2, 2 + 3 * MAX_WORKSPACES):
        x = np.linspace(0.1, 1.0, n)
        for f in (chain, lambda x: np.sin(np.exp(x)) * x):
            value, pullback = vjp(f, x)
            pullback(value)
            del pullback
        assert sum(1 for pool, _, _ in api._KEPT if pool.idle) <= MAX_WORKSPACES
    assert same_bits(vjp(chain, X)[1](X), vjp(chain, X, reuse_buffers=False)[1](X))


def test_so_many_pullbacks_at_once_leave_no_more_than_a_bound():
    many = [vjp(chain, X)[1] for _ in range(5 * AT_ONCE)]
    wanted = vjp(chain, X, reuse_buffers=False)[1](Y)
    assert all(same_bits(p(Y), wanted) for p in many)
    many.clear()
    assert all(len(pool.idle) <= AT_ONCE for pool in shared_pools())


def test_nothing_is_kept_where_it_is_turned_off():
    value, pullback = vjp(chain, X, reuse_buffers=False)
    pullback(value)
    jvp(chain, (X,), (Y,), reuse_buffers=False)
    del pullback
    assert idle_arrays() == []


# -------------------------------------------------------------------------------- cut short, at the same time
def test_after_an_exception_in_the_forward_part_results_are_right():
    left = [0]

    def count():
        left[0] -= 1
        if left[0] == 0:
            raise KeyError("on demand")

    interrupt = unseen(count)

    def f(W, x):
        h = np.exp(x)
        for _ in range(4):
            h = np.tanh(W @ h + x)
            interrupt()
        return h * np.sin(h)

    for moment in (1, 3, 4, 2):
        for x in (X, Y):
            left[0] = 0
            _, plain = vjp(f, W, x, reuse_buffers=False)
            value, pullback = vjp(f, W, x)
            left[0] = moment
            with pytest.raises(KeyError):
                vjp(f, W, -x)
            spoil()
            assert same_bits(pullback(value), plain(value))


def test_after_an_exception_in_a_pullback_it_may_be_called_again():
    f = lambda x, y: np.exp(x) / y
    _, plain = vjp(f, X, Y * 1e-200, reuse_buffers=False)
    _, pullback = vjp(f, X, Y * 1e-200)
    for _ in range(3):
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            pullback(X)
        spoil()
        with np.errstate(all="ignore"):
            assert same_bits(pullback(X), plain(X))


def test_a_cotangent_that_does_not_fit_disturbs_nothing():
    value, pullback = vjp(recurrent, W, X)
    wanted = copy.deepcopy(pullback(value))
    with pytest.raises(GradientError, match="cotangent"):
        pullback(value[1:])
    assert same_bits(pullback(value), wanted)


@pytest.mark.parametrize("shared", [True, False], ids=["one pullback", "each its own"])
def test_threads_get_what_they_would_get_alone(shared):
    args = at(0, 30)
    cotangents = [np.linspace(-1.0, k, 30) for k in range(4)]
    value, one = vjp(recurrent, *args)
    plain = vjp(recurrent, *args, reuse_buffers=False)[1]
    wanted, wrong = [plain(c) for c in cotangents], []

    def work(k):
        for _ in range(60):
            pullback = one if shared else vjp(recurrent, *args)[1]
            if not same_bits(pullback(cotangents[k]), wanted[k]):
                wrong.append(k)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))  # raises what a thread raises
    assert not wrong


def test_a_pullback_may_call_itself_and_vjp_through_code_of_the_user():
    depth, found = [0], []

    def again():
        if depth[0] < 2:
            depth[0] += 1
            found.append(vjp(f, Y)[1](X))
            depth[0] -= 1

    callback = unseen(again)

    def f(x):
        e = np.exp(x)
        callback()
        return np.sin(e) * e * x

    wanted = vjp(chain, X, reuse_buffers=False)[1](Y), vjp(chain, Y, reuse_buffers=False)[1](X)
    for _ in range(3):
        assert same_bits(vjp(f, X)[1](Y), wanted[0])
        assert all(same_bits(d, wanted[1]) for d in found) and len(found) >= 2


def test_what_opaque_code_keeps_stays_what_it_was():
    seen = collections.deque()
    keep = seen.append  # which nobody can see into

    def f(W, x):
        h = np.exp(x)
        keep(np.sin(h))
        for _ in range(3):
            h = np.tanh(W @ h)
            keep(h.copy())
            keep(h * x)
        return np.sin(h) * h

    wanted = []
    for reuse in (False, True):
        seen.clear()
        for x in (X, Y, X):
            vjp(f, W, x, reuse_buffers=reuse)[1](X)
        spoil()
        wanted = wanted or copy.deepcopy(list(seen))
    assert len(wanted) == 21 and same_bits(list(seen), wanted)


# ------------------------------------------------------------------------------------------------ forward mode
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_forward_mode_is_that_without_workspaces(program):
    results, wanted = [], []
    for seed, n in ((0, 4), (1, 4), (0, 4), (2, 6), (1, 4)):
        args = program.at(seed, n)
        moves = program.argnums if isinstance(program.argnums, tuple) else (program.argnums,)
        tangents = tuple(random_tangent(args[i], np.random.default_rng(seed)) for i in moves)
        pristine = copy.deepcopy((args, tangents))
        spoil()
        results.append(jvp(program.f, args, tangents, moves))
        wanted.append(copy.deepcopy(jvp(program.f, args, tangents, moves, reuse_buffers=False)))
        assert same_bits((args, tangents), pristine)
        assert same_bits(results[-1], wanted[-1])
    assert same_bits(results, wanted)


def test_forward_mode_allocates_nothing_but_results():
    for seed in range(3):
        x, t_x = at(seed, 200)[1], at(seed + 10, 200)[1]
        found = allocations(lambda x=x, t_x=t_x: jvp(chain, (x,), (t_x,)))
        assert seed == 0 or found.large == 2
