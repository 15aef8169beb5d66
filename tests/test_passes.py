"""Every stage of the IR is lawful, has the kinds it claims, and computes what the stage before computed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adcompiler import checkpoint, grad, value_and_grad
from adcompiler.compile import STAGES, Build, build, interpret
from adcompiler.ir.core import walk
from adcompiler.ir.printer import show
from adcompiler.ir.verify import verify
from adcompiler.request import Request, from_call
from rules.kind import Lengths
from rules.workspace import Workspace
from tests.numerics import assert_close, assert_form, differences

RNG = np.random.default_rng(0)
X, Y = RNG.uniform(0.5, 1.5, (2, 4))
A = RNG.uniform(-0.5, 0.5, (4, 4))

#: The stages that compute (value, gradients), in order.
GRADIENTS = STAGES[STAGES.index("adjoint") : STAGES.index("capture") + 1]
WITHOUT_LAZY = GRADIENTS[GRADIENTS.index("unthunk") :]


# ------------------------------------------------------------------------------------------------- programs
def straight(x, W, b):
    p = 1.0 / (1.0 + np.exp(-(W @ x + b)))
    return -np.mean(np.log(p))


def loop(h, W, n):
    total = 0.0
    for _ in range(n):
        h = np.tanh(W @ h)
        total += np.sum(h * h)
    return total


def while_loop(x, limit):
    while np.sum(x) < limit:
        x = x * x + 0.5
    return np.sum(np.sin(x))


def branch(x, a):
    y = np.exp(x) if np.sum(x) > a else np.sin(x)
    if a > 1.0:
        return np.sum(y * a)
    return np.prod(y)


def nested(x, W):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            if W[i, j] > 0.0:
                total += x[i] * np.sin(x[j])
            else:
                total -= x[j] ** 2 * W[i, j]
    return total


def returned_early(x, a):
    total = 0.0
    if a > 10.0:
        return total * x[0] + a * np.sum(x)
    for i, v in enumerate(x):
        if v > a:
            total = total * v + v**3
        elif i % 2:
            total = total - v * a
    return total + x[1]


def layers(ps, x):
    for W, b in ps:
        x = np.tanh(W @ x + b)
    return np.sum(x)


def comprehension(x, W):
    rows = [np.sin(row * x) for row in W]
    return np.sum(np.stack(rows) @ x) + sum([v * v for v in x])


def parameters(p, x):
    z = p["scale"] * (p["W"] @ x)
    return np.sum(z * p["b"]) ** 2


def indexing(x, W, keep):
    y = W[1:, ::-1] * x
    return np.sum(y[:, 0] ** 2) + np.sum(x[[0, 0, 2]] ** 3) + np.sum(np.exp(x)[keep])


def calls(x, y):
    def scaled(v, k):
        return k * np.sum(np.cos(v))

    f = lambda v: scaled(v, y[0]) * v[0]
    return f(x) + f(x * y)


def grad_of_grad(x, W):
    def energy(v):
        return np.sum(np.sin(W @ v) ** 2)

    return np.sum(grad(energy)(x) * x)


def guarded(x):
    safe = np.where(x > 1.0, x, 1.0)
    return np.sum(np.where(x > 1.0, np.log(safe), 0.0)) + np.max(x) * np.linalg.norm(x)


def left_early(x, W, limit):
    total = 0.0
    for i, row in enumerate(W):
        if row[0] > 0.4:
            continue
        for v in row:
            if v > limit:
                break
            total = total + v * x[i]
            if total > limit:
                return total * v
        else:
            total = total * 1.5
    while True:
        total = total * total + 0.1
        if total > 0.2:
            break
        total = total + np.sum(x) * 0.1
    return total


def handled(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 1.0, 1.0 / (x - x[0]), x)
        if np.sum(x) > 100.0:
            return np.sum(y)
    return np.sum(np.where(np.isfinite(y), y, x * x))


def checkpoints(x, W):
    def steps(v, n):
        for _ in range(n):
            v = np.tanh(W @ v) if v[0] < 0.4 else np.sin(v) * v
        return v, n + 1

    n = 1
    for _ in range(2):
        x, n = checkpoint(steps)(x, n)
    return np.sum(grad(lambda v: np.sum(checkpoint(steps)(v, 2)[0] ** 2))(x) * x)


def congruence(P, F, s, n):
    for _ in range(n):
        P = F @ (P + s) @ F.T
    return np.sum(P * P)


def turned(P, F, s, n):
    P = P * s
    for _ in range(n):
        Q = (F @ P).T
        P = np.tanh(F @ Q + s).T
    return np.sum(P * P)


def settled(P, W, x, n):
    for _ in range(n):
        x = np.tanh(W @ x)
    return np.sum(np.linalg.solve(P, x) ** 2)


def unbound_at_first(x, y, n):
    for i in range(n):
        while i < 1:
            t = y * y
            i += 1
    return np.sum(t * x)


def grad_of_appended(x, W):
    def f(v):
        ys = [0.5 * e for e in v]
        ys.append(np.inner(v, np.prod(W, axis=1)))
        return sum(a * b for a, b in zip(ys, ys))

    return np.sum(grad(f)(x) * x)


@dataclass(frozen=True)
class Program:
    f: Callable[..., Any]
    args: tuple[Any, ...]
    argnums: Any = 0


PROGRAMS = [
    Program(straight, (X, A, 0.3), ("x", "W", "b")),
    Program(loop, (X, A, 5), ("h", "W")),
    Program(loop, (X, A, 0), ("h", "W")),
    Program(while_loop, (X, 40.0)),
    Program(while_loop, (X, 0.0)),
    Program(branch, (X, 0.5), ("x", "a")),
    Program(branch, (X, 9.0), ("x", "a")),
    Program(nested, (X, A), ("x", "W")),
    Program(returned_early, (X, 1.0), ("x", "a")),
    Program(returned_early, (X, 99.0), ("x", "a")),
    Program(layers, ([(A, X), (A.T.copy(), Y), (A, Y)], X), ("ps", "x")),
    Program(layers, ([(A, X)], X), ("ps", "x")),
    Program(comprehension, (X, A), ("x", "W")),
    Program(parameters, ({"W": A, "b": Y, "scale": 0.7}, X), ("p", "x")),
    Program(indexing, (X, A, X > 1.0), ("x", "W")),
    Program(calls, (X, Y), ("x", "y")),
    Program(grad_of_grad, (X, A)),
    Program(guarded, (X,)),
    Program(left_early, (X, A, 0.1), ("x", "W")),
    Program(left_early, (X, A, 0.3), ("x", "W")),
    Program(left_early, (X, A, 9.0), ("x", "W")),
    Program(handled, (X,)),
    Program(checkpoints, (X, A), ("x", "W")),
    Program(congruence, (A, A + 0.1, 0.3, 5), ("F", "s")),
    Program(turned, (A, A + 0.1, 0.3, 5), ("F", "s")),
    Program(settled, (A + np.eye(4), A + 0.1, X, 5), ("W",)),
    Program(unbound_at_first, (X, Y, 3)),
    Program(grad_of_appended, (X, A)),
]


every_program = pytest.mark.parametrize("p", PROGRAMS, ids=lambda p: p.f.__name__)


def made(p: Program, reuse: bool = True, inline: bool = True, workspaces: int = 0) -> Build:
    request = Request(p.f, p.argnums, value=True, reuse=reuse, inline=inline, max_workspaces=workspaces)
    return build(request, from_call(request, p.args, {}), Lengths())


@every_program
def test_every_stage_is_lawful(p):
    stages = made(p).stages
    assert {"lower", *GRADIENTS} <= set(stages)
    for stage in ("lower", *GRADIENTS):
        verify(stages[stage])


@every_program
def test_every_stage_computes_what_the_stage_before_computed(p):
    value = interpret(p.f, p.args, "lower", p.argnums, checked=True)
    assert_close(value, p.f(*p.args))
    before = interpret(p.f, p.args, GRADIENTS[0], p.argnums, checked=True)
    assert_close(before[0], value)
    for k, name in enumerate([p.argnums] if isinstance(p.argnums, int) else p.argnums):
        position = name if isinstance(name, int) else p.f.__code__.co_varnames.index(name)
        gradient = before[1] if isinstance(p.argnums, int) else before[1][k]
        assert_close(gradient, differences(p.f, p.args, position))
        assert_form(gradient, p.args[position])
    for stage in GRADIENTS[1:]:
        after = interpret(p.f, p.args, stage, p.argnums, checked=True)
        assert_close(after, before)
        before = after
    assert_close(value_and_grad(p.f, p.argnums)(*p.args), before)


@every_program
def test_nothing_is_lazy_and_nothing_forced_once_thunks_are_gone(p):
    stages = made(p).stages
    assert any(op.lazy for op in walk(stages["adjoint"].body))
    for stage in WITHOUT_LAZY:
        assert not [op for op in walk(stages[stage].body) if op.lazy], stage
        assert "force" not in show(stages[stage]), stage


def bits(tree: Any) -> Any:
    """A result as something that is equal only to the same, to the bit."""
    if isinstance(tree, dict):
        return {k: bits(v) for k, v in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree), [bits(v) for v in tree]
    return type(tree), np.asarray(tree).dtype, np.shape(tree), np.asarray(tree).tobytes()


@every_program
def test_reuse_of_buffers_changes_no_bit(p):
    assert bits(made(p).run(*p.args)) == bits(made(p, reuse=False).run(*p.args))


def kept_arrays(p: Program, calls: int) -> list[np.ndarray]:
    """What so many calls of a gradient have left in its workspace."""
    b, ws = made(p, workspaces=1), Workspace()
    for _ in range(calls):
        b.run(*p.args, **({b.emitted.workspace: ws} if b.emitted.workspace else {}))
    kept = [a for found in vars(ws).values() for a in (found if isinstance(found, list) else [found])]
    return [a for a in kept if isinstance(a, np.ndarray)]  # and not what rules keep as a state


@every_program
def test_what_is_kept_for_the_next_call_is_whole_arrays(p):
    """Of a view the elements may lie in another order: a sum over what is computed into it is another one."""
    arrays = kept_arrays(p, 3)
    assert all(a.base is None for a in arrays)
    assert len({id(a) for a in arrays}) == len(arrays)


@every_program
def test_what_is_kept_for_the_next_call_does_not_grow(p):
    assert len(kept_arrays(p, 6)) == len(kept_arrays(p, 2))
