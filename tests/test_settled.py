"""What an array has for good is read there, and not kept: right where it is overwritten after all."""

import linecache
import random
from typing import Any

import numpy as np
import pytest

from adcompiler import differentiable, grad, jvp, value_and_grad, vjp
from adcompiler.ir.affine import Ints
from adcompiler.passes import settled
from adcompiler.passes.settled import Settled

from .numerics import assert_close, check

B = np.linspace(0.5, 1.5, 5)
A = np.diag(B + 5.0) + np.cos(np.arange(25.0)).reshape(5, 5)
SPD = A @ A.T


def substitution(A, b):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - A[i, :i] @ x[:i]) / A[i, i]
    return np.sum(x * x)


def substitution_by_elements(A, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= A[i, k] * x[k]
        x[i] = s / A[i, i]
    return np.sum(x * x)


def backwards(A, b):
    n = len(b)
    x = b.copy()
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return np.sum(x**3)


def backwards_in_place(A, b):
    x = b.copy()
    for i in reversed(range(len(b))):
        for j in range(i + 1, len(b)):
            x[i] -= A[i, j] * x[j]
        x[i] /= A[i, i]
    return np.sum(x**3)


def lu_in_place(A, b):
    A = A.copy()
    n = len(b)
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return np.sum(np.log(np.abs(np.diag(A)))) + np.sum(A * A)


def cholesky(A, b):
    n = A.shape[0]
    L = np.zeros_like(A)
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s -= L[j, k] * L[j, k]
        L[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]
    return np.sum(L**3) + L[2] @ b


def cholesky_by_rows(A, b):
    L = np.zeros_like(A)
    for j in range(len(b)):
        L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        for i in range(j + 1, len(b)):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    return np.sum(L**3)


def table(A, b):
    n, m = A.shape
    T = np.zeros((n, m))
    for i in range(1, n):
        for j in range(1, m):
            T[i, j] = 0.1 * A[i, j] * T[i - 1, j] + T[i, j - 1] * T[i - 1, j - 1] + 0.1 * b[j]
    return np.sum(T[-1] * T[-1])


def intervals(A, b):
    n = len(b)
    T = np.zeros((n, n))
    for i in range(n):
        T[i, i] = b[i]
    for d in range(1, n):
        for i in range(n - d):
            if A[d, i] > 0.0:
                T[i, i + d] = 0.5 * T[i + 1, i + d] + T[i, i + d - 1] * b[i] * A[i, d]
            else:
                T[i, i + d] = T[i, i + d - 1] * T[i + 1, i + d]
    return T[0, n - 1]


def recurrence(A, b):
    y = np.zeros(len(b))
    y[0] = b[0]
    for i in range(1, len(b)):
        if A[i, 0] > 0.0:
            y[i] = y[i - 1] * b[i]
        else:
            y[i] = np.sin(y[i - 1]) + b[i]
    return np.sum(y * y)


def until_it_is_large(A, b):
    y = np.zeros(len(b))
    for i in range(1, len(b)):
        if y[i - 1] > 1.5:
            break
        y[i] = y[i - 1] * y[i - 1] + b[i] * b[i - 1]
    return np.sum(y)


def edges_and_inside(A, b):
    y = np.zeros(len(b))
    for i in range(3):
        y[0] = b[i] * 2.0
        y[-1] = y[0] * b[0]
        if i == 0:
            y[1:-1] = b[1:-1]
        else:
            y[0] += np.sum(y[1:-1] ** 2) * b[i]
    return y @ y


NOTHING_KEPT = [substitution, substitution_by_elements, backwards, backwards_in_place, lu_in_place, cholesky,
                cholesky_by_rows, table, intervals]  # fmt: skip


@pytest.mark.parametrize("f", NOTHING_KEPT)
def test_nothing_is_kept_but_the_array(f):
    text = differentiable(f, argnums=(0, 1)).source(example=(A, B))
    assert "tape" not in text and "append" not in text, text
    check(f, SPD if "cholesky" in f.__name__ else A, B, argnums=(0, 1))


def branch_before_a_loop(A, b):
    T = A.copy()
    for i in range(1, 4):
        if i % 2:
            T[0, i] = np.sin(np.sum(b[i:] ** 2) * T[4, i])
        for k in range(2):
            T[1, k] = np.sin(T[1, k]) * b[k]
    return np.sum(T * np.cos(T))


@pytest.mark.parametrize("f", [recurrence, until_it_is_large, edges_and_inside, branch_before_a_loop])
def test_branches_and_early_exits(f):
    check(f, A, B, argnums=(0, 1))


# ------------------------------------------------------------------------- what is overwritten after all
def again_in_the_next_sweep(A, b):
    y = b.copy()
    for _ in range(2):
        for i in range(1, len(b)):
            y[i] = y[i] * y[i - 1]
    return np.sum(y)


def from_the_end(A, b):
    y = b.copy()
    for i in range(len(b)):
        y[i] = y[i - 1] * b[i]
    return np.sum(y)


def slices_from_the_end(A, b):
    y = b.copy()
    for i in range(3):
        y[i + 1] = np.sum(y[: i - 1] * y[: i - 1]) * b[i]
    return np.sum(y * y)


def behind_the_loop(A, b):
    y = b.copy()
    for i in range(1, len(b)):
        y[i] = y[i - 1] * b[i]
    y[2] = b[0] * b[1]
    return np.sum(y * y)


def in_a_later_loop(A, b):
    y = b.copy()
    for i in range(1, len(b)):
        y[i] = y[i - 1] * b[i]
    for i in range(0, len(b), 2):
        y[i] *= y[i]
    return np.sum(y * y)


def two_names(A, b):
    y, z = b.copy(), b * 2.0
    for i in range(1, len(b)):
        y[i] = y[i - 1] * z[i]
        y, z = z, y
    return np.sum(y * z)


def counted_down_and_up(A, b):
    y = b.copy()
    for i, j in zip(range(1, 5), range(4, 0, -1)):
        y[i] = y[i - 1] * y[j] * b[j]
    return np.sum(y)


def by_a_helper(A, b):
    def put(y, i, v):
        y[i] = v

    y = b.copy()
    for i in range(1, len(b)):
        put(y, i, y[i - 1] * b[i])
        put(y, 0, b[i] * y[0])
    return np.sum(y * y)


def by_indices(A, b):
    y = b.copy()
    order = np.array([3, 1, 3, 0])
    for i in range(4):
        y[order[i]] = y[i] * y[i] * b[i]
    return np.sum(y)


def by_masks(A, b):
    y = b.copy()
    for i in range(1, 5):
        y[i] = y[i - 1] * b[i]
        y[y > 0.9] *= 0.5
    return np.sum(y * y)


def other_rows(A, b):
    T = A.copy()
    for i in range(1, 5):
        row = T[i - 1]
        T[i] = row * T[i] * 0.1
        T[:, i] *= b
    return np.sum(T)


def on_one_path(A, b):
    y = b.copy()
    for i in range(1, 5):
        y[i] = y[i - 1] * b[i]
        if i == 3:
            y[1] = y[2] * y[2]
    return np.sum(y)


def made_anew(A, b):
    total = 0.0
    for k in range(3):
        y = np.zeros(len(b))
        y[0] = b[k]
        for i in range(1, len(b)):
            y[i] = y[i - 1] * b[i] + y[0]
        total += np.sum(y * y)
    return total


def while_there_are_some(A, b):
    y = b.copy()
    i = 1
    while i < len(b):
        y[i] = y[i - 1] * b[i]
        i += 1
    return np.sum(y * y)


OVERWRITTEN = [again_in_the_next_sweep, from_the_end, slices_from_the_end, behind_the_loop, in_a_later_loop, two_names,
               counted_down_and_up, by_a_helper, by_indices, by_masks, other_rows, on_one_path, made_anew,
               while_there_are_some]  # fmt: skip


@pytest.mark.parametrize("f", OVERWRITTEN)
def test_what_is_overwritten_later(f):
    check(f, A, B, argnums=(0, 1))


def test_second_derivatives_where_an_index_is_made_again():
    """The place of a value in an array that is there: by an index that a loop, rewritten before, kept no longer."""

    def f(x):
        A, s = np.outer(x, x), 0.0
        for i in range(3):
            A[i, i] = x[0]
            s = A[i - 1, 1] * A[0, -i]
        return s

    x = np.array([0.7, 0.9, 1.1])
    assert_close(vjp(grad(f), x)[1](x)[0], np.array([2.52, 0.98, 0.0]))
    check(lambda y: np.sum(grad(f)(y) * np.cos(y)), x)
    check(lambda y: np.sum(grad(lambda z: np.sum(grad(f)(z) * np.cos(z)))(y) * np.sin(y)), x, rtol=1e-5)


def test_second_derivatives_with_arrays_of_the_function_around():
    w = np.array([1.0, 2.0, 3.0])

    def loss(p):
        total = 0.0
        for i in range(3):
            total += w[i] * p[i] ** 3
        return total

    p = np.array([0.5, 1.0, 2.0])
    assert_close(jvp(grad(loss), (p,), (p,))[1], 6.0 * w * p * p)
    assert_close(grad(lambda q: np.sum(grad(loss)(q) * p))(p), 6.0 * w * p * p)


# ---------------------------------------------------------------------------------------- random loops
class Loops:
    """A random function of loops that read and store elements and slices of arrays, at affine indices."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = ["def f(x, a, M):", "    n = len(x)", "    y = x.copy()", "    T = M.copy()"]
        for _ in range(self.random.choice((1, 1, 2))):
            self.loop([], 1)
        self.lines.append("    return np.sum(y * y) + np.sum(T * np.sin(T))")

    def loop(self, names: list[str], depth: int) -> None:
        choice = self.random.choice
        name = "ijk"[len(names)]
        low = choice(["0", "1", "2", *names, *(f"{v} + 1" for v in names)])
        high = choice(["n", "n - 1", "3", *names, *(f"{v} + 1" for v in names)])
        span = choice([f"range({low}, {high})"] * 4 + [f"range({high} - 1, {low} - 1, -1)", f"range({low}, {high}, 2)",
                       f"reversed(range({low}, {high}))"])  # fmt: skip
        pad = "    " * depth
        self.lines.append(f"{pad}for {name} in {span}:")
        names = [*names, name]
        for _ in range(choice((1, 1, 2))):
            if len(names) < 3 and self.random.random() < 0.45:
                self.loop(names, depth + 1)
            elif self.random.random() < 0.15:
                self.lines.append(f"{pad}    if {self.index(names)} % 2:")
                self.store(names, pad + "        ")
            else:
                self.store(names, pad + "    ")

    def index(self, names: list[str]) -> str:
        v, w = self.random.choice(names), self.random.choice(names)
        forms = [v, v, v, f"{v} - 1", f"{v} + 1", f"n - 1 - {v}", f"{v} - {w}", f"{v} + {w}", f"2 * {v}", "0", "-1"]
        return self.random.choice([*forms, "2"])

    def slice(self, names: list[str]) -> str:
        i = self.index(names)
        return self.random.choice([f":{i}", f"{i}:", "1:-1", ":", f"{i}:{self.index(names)}", "::2"])

    def read(self, names: list[str]) -> str:
        i, j = self.index(names), self.index(names)
        cut = self.slice(names)
        return self.random.choice([
            f"y[{i}]", f"y[{i}]", f"T[{i}, {j}]", f"T[{i}, {j}]", f"np.sum(y[{cut}] ** 2)", f"x[{i}]", f"M[{i}, {j}]",
            f"x[{j}]", f"np.sum(M[{i}, {cut}])",
            f"np.sum(T[{i}, {cut}] ** 2)", f"np.sum(T[{cut}, {i}] ** 2)", f"np.sum(T[{i}] ** 2)",
        ])  # fmt: skip

    def store(self, names: list[str], pad: str) -> None:
        i, j = self.index(names), self.index(names)
        place = self.random.choice([f"y[{i}]"] * 3 + [f"T[{i}, {j}]"] * 3 + [f"y[{self.slice(names)}]",
                                    f"T[{i}, {self.slice(names)}]", f"T[{i}]"])  # fmt: skip
        how = self.random.choice(["=", "=", "=", "+=", "*="])
        value = f"np.sin({self.read(names)} * {self.read(names)} + a)"
        self.lines.append(f"{pad}{place} {how} {value}")

    def function(self) -> Any:
        text = "\n".join(self.lines) + "\n"
        name = f"<loops {hash(text)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        space: dict[str, Any] = {"np": np}
        exec(compile(text, name, "exec"), space)
        return space["f"], text


X = np.array([0.3, 0.7, 1.1, 0.5, 0.9])
M = np.cos(np.arange(25.0)).reshape(5, 5)
SEEDS = range(60)


def differs(seed: int) -> tuple[str, bool] | None:
    """The text of a program and whether it keeps nothing; None if it raises. The gradient is checked."""
    f, text = Loops(seed).function()
    try:
        f(X, 0.4, M)
    except IndexError:
        return None
    gradient = value_and_grad(f, argnums=(0, 1, 2))
    value, (d_x, d_a, d_M) = gradient(X, 0.4, M)
    assert value == f(X, 0.4, M)
    rng = np.random.default_rng(seed)
    u, s, V = rng.normal(size=5), rng.normal(), rng.normal(size=(5, 5))
    h = 1e-200
    along = f(X + h * 1j * u, 0.4 + h * 1j * s, M + h * 1j * V).imag / h
    np.testing.assert_allclose(u @ d_x + s * d_a + np.sum(V * d_M), along, rtol=1e-8, atol=1e-9, err_msg=text)
    return text, "tape" not in differentiable(f).source(example=(X, 0.4, M))


@pytest.mark.parametrize("seeds", [SEEDS[k::4] for k in range(4)], ids=str)
def test_random_loops(seeds):
    found = [made for seed in seeds if (made := differs(seed)) is not None]
    assert len(found) > len(seeds) / 3
    assert any(bare for _, bare in found)


FAULTS = {
    "later iterations are earlier ones": (125, "back", None),
    "what counts from the end does not": (10, "sure", None),
    "stores of this iteration are left out": (1, "elsewhere", lambda s: s.loop is None),
    "stores of inner loops are left out": (30, "elsewhere", lambda s: s.loop is not None and not s.side),
    "stores of later iterations are left out": (19, "elsewhere", lambda s: s.side == "later"),
    "stores of earlier iterations are left out": (1, "elsewhere", lambda s: s.side == "earlier"),
    "two places may be the same": (1, "bound", None),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_random_loops_find_planted_faults(fault, monkeypatch):
    seed, what, change = FAULTS[fault]
    elsewhere, at_least, extent = Settled.elsewhere, Ints.at_least, settled.extent

    def turned(self, x, bound, apart=(), others=None, back=False):
        return at_least(self, x, bound, apart, others, not back)

    if what == "back":
        monkeypatch.setattr(Ints, "at_least", turned)
    elif what == "sure":
        monkeypatch.setattr(settled, "extent", lambda i, shape, expand, _: extent(i, shape, expand, lambda x: True))
    elif what == "elsewhere":
        monkeypatch.setattr(Settled, "elsewhere", lambda self, h, s: change(s) or elsewhere(self, h, s))
    else:
        monkeypatch.setattr(Ints, "at_least", lambda self, x, bound, *more: at_least(self, x, bound - 1, *more))
    with pytest.raises(AssertionError):
        differs(seed)
