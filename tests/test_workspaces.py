"""Gradients that compute into arrays of earlier calls: of programs of every kind, in sequences of calls."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adcompiler import check_grad, checkpoint, differentiable, grad, stop_gradient, value_and_grad
from benchmarks.allocations import allocations, large_arrays

from .fuzz.arguments import tree_map
from .numerics import assert_close, differences
from .workspaces import call, follow, kept_arrays

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Program:
    """A function, and arguments for it of any size."""

    f: Callable[..., Any]
    arguments: Callable[[np.random.Generator, int], Arguments]
    argnums: Any = 0

    def at(self, seed: int, n: int) -> Arguments:
        return self.arguments(np.random.default_rng(seed), n)


def vector(rng, n):
    return (rng.uniform(0.2, 1.2, n),)


def vectors(rng, n):
    return rng.uniform(0.2, 1.2, n), rng.uniform(0.2, 1.2, n)


def matrix(rng, n):
    return rng.normal(size=(n, n)) / n, rng.normal(size=n)


def matrices(rng, n):
    return rng.normal(size=(n, n)) / n, rng.normal(size=(n, n)) / n


# straight line


def chain(x):
    e = np.exp(-x)
    s = np.sin(e) * x
    return np.sum(s * s * e)


def layers(params, x):
    for layer in ("first", "second"):
        x = np.tanh(x @ params[layer]["W"] + params[layer]["b"])
    return np.mean(x * x)


def layers_at(rng, n):
    def layer(a, b):
        return {"W": rng.normal(size=(a, b)) / a, "b": rng.normal(size=b)}

    return {"first": layer(n, n + 1), "second": layer(n + 1, n)}, rng.normal(size=(n, n))


def broadcasts(x, y):
    z = np.exp(x[:, None] * y)
    z *= np.sum(z, axis=0, keepdims=True)
    return np.mean(z * y) + np.sum(z * x[:, None])


def softmax(W, x):
    z = x @ W
    z = z - np.max(z, axis=1, keepdims=True)
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return -np.mean(np.log(p) * x)


def selects(x, y):
    z = np.where(x > y, x * y, np.sin(x))
    z = np.maximum(z, y * 0.5) + np.clip(x * y, 0.3, 0.9)
    return np.sum(z**2 * np.abs(y - 0.5) + np.sqrt(z) + z**-1 + y**1.5)


def views(W, x):
    y = np.exp(W)
    s = np.tanh(y[1:].T * y.T[:, 1:])
    return np.sum(s * s) + np.sum(y.T @ x) + np.sum(y.reshape(-1) ** 2)


def fills(x):
    y = np.zeros_like(x) + np.full_like(x, 0.5) * np.ones_like(x)
    y[1:] = x[:-1] * x[1:]
    y += np.zeros(x.shape)
    return np.sum(y * np.exp(y) * x)


def glued(x, y):
    z = np.concatenate([x * y, np.sin(x)])
    s = np.stack([z, z * z])
    return np.sum(s @ s.T) + np.sum(np.cumsum(z) * z)


def gathered(x, i):
    y = np.exp(x)
    z = y[i] * y[i[::-1]]
    y[i[:2]] += z[:2]
    return np.sum(y * z * x)


def contracted(A, B):
    C = np.einsum("ij,kj->ik", A, B) @ np.sin(A)
    return np.sum(np.tensordot(C, B, 1) * C) + np.sum(np.outer(A[0], B[:, 1]) * C)


def solved(A, b):
    x = np.linalg.solve(A + np.eye(b.shape[0]) * 3.0, np.sin(b))
    return np.sum(x * x * b)


def by_numbers(x, a, b):
    y = np.exp(x * a) + b
    return np.sum(y * np.sin(y)) * a / np.sum(y * y * b)


def of_no_dimension(x, y):
    z = np.sin(x) * y
    return np.sum(np.exp(z) * z) * x


def waves(z, x):
    w = z * x
    for _ in range(3):
        w = w * w * 0.5 + z
    return np.sum(np.abs(w) ** 2) + np.sum((w * np.conj(z)).real * x)


def shaped(W, x):
    n = x.shape[0]
    mask, steps = np.tril(np.ones((n, n))), np.arange(n) * (1.0 / n)
    return np.sum(np.tanh(W * mask) @ (x * steps) * np.diagonal(mask))


def shaped_and_changed(W, x):
    n = x.shape[0]
    weights, mask, rows = np.ones(n), np.eye(n), [np.arange(n) * 0.1]
    weights[0] = 0.5
    for k in range(3):
        weights = weights * x + np.linspace(0.0, 1.0, n)
        mask[k] *= 0.5
        rows.append(np.flip(mask[k]) * 1.0)
    if x[0] > 0.5:
        mask = np.tri(n, n, 1)
    return np.sum((W * mask) @ weights) + np.sum(rows[0] * rows[1] * x)


def shaped_as_a_cotangent_is_called(W, x):
    d = np.clip(np.ones_like(x), -0.8, 0.9)
    d_x = np.linspace(1.0, 2.0, len(x)) * 0.5
    d_W = np.abs(np.eye(len(x)) - 0.25)
    return np.sum(d * (x / (1.5 + np.cos(x)))) * 0.5 + np.sum(d_x * np.sin(x)) + np.sum(d_W * W * np.exp(W) / 3.0)


def shaped_step_by_step(W, x):
    d = np.ones_like(x)
    d = d * 0.5
    d = np.sqrt(d + 0.25)
    d_2 = d * 2.0
    return np.sum(d_2 * np.tanh(W @ (x * d)) * (x / (d_2 + x * x)))


def stops(x, y):
    z = np.exp(x) * stop_gradient(np.sin(y))
    return np.sum(z * z * y)


# loops


def recurrent(W, x):
    h = np.zeros(x.shape[0])
    for _ in range(5):
        h = np.tanh(W @ h + x)
    return np.sum(h * h)


def long_short(p, xs):
    n = p["U"].shape[1]
    h, c, total = np.zeros(n), np.zeros(n), 0.0
    for x in xs:
        z = p["W"] @ x + p["U"] @ h + p["b"]
        i, f, o = [1 / (1 + np.exp(-z[k * n : (k + 1) * n])) for k in range(3)]
        c = f * c + i * np.tanh(z[3 * n :])
        h = o * np.tanh(c)
        total += np.sum(h * h)
    return total


def long_short_at(rng, n):
    p = {"W": rng.normal(size=(4 * n, 3)), "U": rng.normal(size=(4 * n, n)) / n, "b": rng.normal(size=4 * n)}
    return p, rng.normal(size=(5, 3))


def nested(W, x):
    h, total = x, 0.0
    for _ in range(3):
        for _ in range(4):
            h = np.tanh(W @ h)
        total += np.sum(h * h)
        h = h * 0.5 + x
    return total


def until_small(W, x):
    h, k = x, 0
    while np.sum(h * h) > 1e-3 and k < 12:
        h = np.tanh(W @ h) * 0.7
        k += 1
    return np.sum(h * x) + np.sum(h)


def swapped(W, x):
    a, b = x, x * 2.0
    for _ in range(5):
        a, b = b, np.tanh(W @ a) + b
    return np.sum(a * b)


def collected(W, x):
    states, h = [], x
    for _ in range(4):
        h = np.sin(W @ h) + h
        states.append(h)
    return np.sum(np.stack(states) * states[0]) + np.sum(states[-1] ** 2)


def leaves_early(W, x):
    h = x
    for k in range(8):
        h = np.tanh(W @ h) + 0.1 * x
        if k < 2:
            continue
        if np.sum(h * h) < 0.5:
            break
    else:
        return np.sum(h)
    return np.sum(h * h)


def recursive(W, x, n=3):
    return np.sum(x * x) if n == 0 else recursive(W, np.tanh(W @ x), n - 1)


def of_a_list(xs):
    total = 0.0
    for x, y in zip(xs, [np.tanh(x) for x in xs]):
        total += np.sum(x * y * y)
    return total


def checkpointed(W, x):
    @checkpoint
    def step(W, h):
        for _ in range(3):
            h = np.tanh(W @ h)
        return h

    for _ in range(2):
        x = step(W, x)
    return np.sum(x * x)


def helped(W, x):
    def dense(z):
        return activation(W @ z) * x

    for _ in range(3):
        x = dense(x)
    return np.sum(dense(x) ** 2)


def activation(z):
    return 1 / (1 + np.exp(-z))


# branches and stores


def branches(W, x):
    if x[0] > 0:
        y = W @ x
    else:
        y = np.exp(x) * x
    z = np.sin(y)
    return np.sum(z * y)


def branches_in_a_loop(W, x):
    h = x
    for _ in range(6):
        if np.sum(h) > 0:
            h = np.tanh(W @ h)
        else:
            h = h * h * 0.5 - x
    return np.sum(h)


def evolves(W, x):
    u = x * 1.0
    for _ in range(5):
        u[1:] = u[:-1] * u[1:]
        u[0] = np.sin(u[-1])
        u += W @ u * 0.1
    return np.sum(u * u)


def stencil(u):
    for _ in range(4):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u = v
    return np.sum(u * u)


def masked(x, y):
    z = x * y
    z[x > y] *= 2.0
    z[z > 0.5] = np.exp(-z[z > 0.5])
    return np.sum(z * z * y)


def single(make):
    """Arguments in single precision."""
    return lambda rng, n: tree_map(lambda x: x.astype(np.float32), make(rng, n))


def transposed(make):
    """Arguments that lie in memory the other way round."""
    return lambda rng, n: tree_map(np.asfortranarray, make(rng, n))


def positions(rng, n):
    return rng.uniform(0.2, 1.2, n), rng.integers(0, n, n)


def complex_at(rng, n):
    return (rng.normal(size=n) + 1j * rng.normal(size=n)) * 0.4, rng.normal(size=n)


PROGRAMS = {
    "chain": Program(chain, vector),
    "layers": Program(layers, layers_at, (0, 1)),
    "layers, float32": Program(layers, single(layers_at), (0, 1)),
    "layers, transposed": Program(layers, transposed(layers_at), (0, 1)),
    "broadcasts": Program(broadcasts, lambda rng, n: (*vector(rng, n), *vector(rng, n + 1)), (0, 1)),
    "broadcasts an axis of 1": Program(broadcasts, lambda rng, n: (*vector(rng, 1), *vector(rng, n)), (0, 1)),
    "broadcasts a row": Program(broadcasts, lambda rng, n: (*vector(rng, n), rng.uniform(size=(1, n))), (0, 1)),
    "softmax": Program(softmax, matrices, (0, 1)),
    "selects": Program(selects, vectors, (0, 1)),
    "views": Program(views, matrix, (0, 1)),
    "fills": Program(fills, vector),
    "glued": Program(glued, vectors, (0, 1)),
    "gathered": Program(gathered, positions),
    "contracted": Program(contracted, matrices, (0, 1)),
    "solved": Program(solved, matrix, (0, 1)),
    "by numbers": Program(by_numbers, lambda rng, n: (*vector(rng, n), 0.7, np.float64(rng.uniform())), (0, 1, 2)),
    "of no dimension": Program(of_no_dimension, lambda rng, n: (np.array(rng.uniform()), *vector(rng, n)), (0, 1)),
    "of no elements": Program(selects, lambda rng, n: (np.zeros(0), np.zeros(0)), (0, 1)),
    "some of no elements": Program(of_no_dimension, lambda rng, n: (np.array(0.5), np.zeros((0, n))), (0, 1)),
    "waves": Program(waves, complex_at, (0, 1)),
    "stops": Program(stops, vectors),
    "shaped": Program(shaped, matrix, (0, 1)),
    "shaped and changed": Program(shaped_and_changed, matrix, (0, 1)),
    "shaped, as a cotangent is called": Program(shaped_as_a_cotangent_is_called, matrix, (0, 1)),
    "shaped, step by step": Program(shaped_step_by_step, matrix, (0, 1)),
    "recurrent": Program(recurrent, matrix, (0, 1)),
    "recurrent, float32": Program(recurrent, single(matrix), (0, 1)),
    "recurrent, transposed": Program(recurrent, transposed(matrix), (0, 1)),
    "long short": Program(long_short, long_short_at, (0, 1)),
    "nested": Program(nested, matrix, (0, 1)),
    "until small": Program(until_small, matrix, (0, 1)),
    "swapped": Program(swapped, matrix, (0, 1)),
    "collected": Program(collected, matrix, (0, 1)),
    "leaves early": Program(leaves_early, matrix, (0, 1)),
    "recursive": Program(recursive, matrix, (0, 1)),
    "of a list": Program(of_a_list, lambda rng, n: ([*vectors(rng, n), *vector(rng, n)],)),
    "of a list of lengths": Program(of_a_list, lambda rng, n: ([*vector(rng, n), *vector(rng, n + 1)],)),
    "checkpointed": Program(checkpointed, matrix, (0, 1)),
    "helped": Program(helped, matrix, (0, 1)),
    "branches": Program(branches, matrix, (0, 1)),
    "branches in a loop": Program(branches_in_a_loop, matrix, (0, 1)),
    "evolves": Program(evolves, matrix, (0, 1)),
    "stencil": Program(stencil, lambda rng, n: (rng.normal(size=(n, n)),)),
    "masked": Program(masked, vectors, (0, 1)),
}
each = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
#: How many large arrays a gradient allocates beside its results, where it does, and what for.
ALLOCATES = {
    "selects": 8,  # np.where and the masks of strong; NumPy casts a mask that is a factor in an array of its own
    "gathered": 3,  # what an index array takes, and masks of strong
    "contracted": 3,  # tensordot; np.outer of a column copies it
    "solved": 2,  # solve and np.eye
    "shaped": 1,  # np.outer copies a diagonal
    "shaped, as a cotangent is called": 1,  # np.eye, which becomes what is computed once
    "shaped and changed": 13,  # lists of the user; what a loop carries and writes into
    "waves": 4,  # what is real is cast where it meets what is complex; project
    "recurrent": 1,  # np.zeros, with which the loop begins
    "recurrent, float32": 21,  # np.zeros is double: W is cast wherever it meets the state, and d_W is projected
    "recurrent, transposed": 1,  # as without
    "long short": 2,  # the rows of a cotangent are kept, then stacked
    "nested": 16,  # what the inner loop keeps is in lists of the outer one, and not given back
    "until small": 3,  # h begins as the argument, which is not given back: neither are those that follow
    "swapped": 15,  # each array is carried twice
    "collected": 26,  # the states are a list of the user, and so are their cotangents
    "leaves early": 9,  # as in until small; the arms of an `if` join in one variable
    "recursive": 19,  # functions that call themselves have no workspace
    "of a list": 33,  # elements of a list may have any length
    "of a list of lengths": 22,  # as of a list
    "checkpointed": 6,  # as in until small
    "helped": 3,  # as in until small
    "branches": 3,  # the arms of an `if` join in one variable
    "branches in a loop": 25,  # in each iteration, and of what a path may not make
    "stencil": 8,  # an array is written in place, here and backwards
}
#: Their gradients are no limits of real differences, or not to so many digits.
NOT_BY_DIFFERENCES = {"waves", "layers, float32", "recurrent, float32"}


@each
def test_results_are_those_without_workspaces_whatever_was_computed_before(program):
    a, b, other = call(*program.at(0, 4)), call(*program.at(1, 4)), call(*program.at(2, 6))
    follow(program.f, a, b, a, other, a, b, argnums=program.argnums)


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - NOT_BY_DIFFERENCES))
def test_gradients_are_those_of_differences(name):
    program = PROGRAMS[name]
    check_grad(program.f, *program.at(3, 5), argnums=program.argnums)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_allocated_from_the_second_call_on_is_known(name):
    program = PROGRAMS[name]
    gradient = grad(program.f, program.argnums)
    args, other = program.at(0, 150), program.at(1, 150)
    results = large_arrays(gradient(*args))
    gradient(*other)
    for _ in range(2):
        assert allocations(lambda: gradient(*args)).large - results == ALLOCATES.get(name, 0)
        gradient(*other)


@each
def test_as_many_arrays_are_kept_after_twenty_calls_as_after_two(program):
    gradient = grad(program.f, program.argnums)
    counts = []
    for _ in range(20):
        gradient(*program.at(0, 4))
        counts.append(len(kept_arrays(gradient)))
    assert counts[1:] == [counts[0]] * 19


def test_what_shapes_alone_determine_is_computed_once():
    text = differentiable(shaped).source(example=PROGRAMS["shaped"].at(0, 5), workspaces=True)
    assert "np.tril(np.ones((n, n))) if ws.mask is None else ws.mask" in text
    assert "else ws.steps" in text
    text = differentiable(shaped_and_changed).source(example=PROGRAMS["shaped and changed"].at(0, 5), workspaces=True)
    assert text.count(" is None else ") == 1  # what linspace gives: nothing else stays as it is


def test_by_hand():
    """A closed form, beside the programs that are compared with what was compiled another way."""
    gradient = value_and_grad(chain)
    for seed in (0, 1, 0, 2):
        (x,) = PROGRAMS["chain"].at(seed, 4 + seed // 2)
        e = np.exp(-x)
        s = np.sin(e) * x
        value, d_x = gradient(x)
        np.testing.assert_allclose(value, np.sum(s * s * e), rtol=1e-14)
        wanted = 2 * s * e * (np.sin(e) - x * np.cos(e) * e) - s * s * e
        np.testing.assert_allclose(d_x, wanted, rtol=1e-13)


def test_programs_that_keep_arrays_are_most_of_those_here():
    without = {"recursive", "of a list", "of a list of lengths"}
    for name, program in PROGRAMS.items():
        gradient = grad(program.f, program.argnums)
        gradient(*program.at(0, 4))
        assert bool(kept_arrays(gradient)) == (name not in without), name


def test_products_by_dot_have_arrays_that_lie_as_c_has_them():
    """NumPy refuses others, such as what is made like an array of columns."""

    def f(M, N, z):
        s = np.sum(np.sin(M) ** 2)
        return z * s * np.sum(np.dot(N, np.eye(M.shape[1])) * M)

    M, N = np.asfortranarray(np.arange(12.0).reshape(4, 3)), np.ones((4, 3))
    gradient = grad(f, argnums=2)
    for _ in range(2):
        np.testing.assert_allclose(gradient(M, N, 2.0), np.sum(np.sin(M) ** 2) * 66.0)


def carried_by_a_product(A, X):
    C = np.sin(X.T)
    for _ in range(3):
        C = np.dot(A, C)
    return np.sum(C * C)


def made_by_a_product_or_not(A, X):
    C = np.sin(X.T)
    s = 0.0
    if X[0, 0] > 0:
        C = np.dot(A, C)
        s = np.sum(C * C)
        C = np.sin(X.T) * 2
    return s + np.sum(C * C)


def of_numbers_and_stacks(A, X):
    stack = np.dot(np.sin(A), np.reshape(X.T, (3, 3, 1)))
    return np.sum(stack * stack) + np.sum(np.dot(2.0, X) * np.dot(X, X[0, 0]))


@pytest.mark.parametrize("f", [carried_by_a_product, made_by_a_product_or_not, of_numbers_and_stacks])
@pytest.mark.parametrize("columns", [3, 4])
def test_products_into_arrays_that_others_have_made(f, columns):
    if f is of_numbers_and_stacks:
        columns = 3
    A, X = np.linspace(0.1, 1.0, 9).reshape(3, 3), np.cos(np.arange(3.0 * columns)).reshape(columns, 3)
    gradient = grad(f, argnums=(0, 1))
    for sign in (1, 1, -1, -1, 1):
        for k, got in enumerate(gradient(A, sign * X)):
            assert_close(got, differences(f, (A, sign * X), k))


def test_an_operand_that_is_written_stays_a_variable():
    """Of single precision it is doubtful what a product of cotangents is, so that it has no array of its own."""

    def f(A, a):
        row = A
        reach = 0.1
        while reach < 2:
            row = np.sin(row) * (a.dot(A) / 0.5)
            reach += 0.5
        h = row
        for _ in a:
            h = np.clip(row, -0.8, 0.9)
        return np.sin(np.trace(h))

    A, a = np.linspace(0.1, 1.0, 9).reshape(3, 3), np.cos(np.arange(9.0)).reshape(3, 3)
    single = grad(f, argnums=(0, 1))
    for _ in range(3):
        for k, got in enumerate(single(A.astype(np.float32), a.astype(np.float32))):
            assert got.dtype == np.float32
            np.testing.assert_allclose(got, differences(f, (A, a), k), rtol=2e-3, atol=2e-3)
