"""The primitives that adjoints are made of, which are differentiated like anything else."""

from rules.cotangent import (
    accumulate,
    appended,
    direction,
    element,
    given_back,
    listed,
    or_zeros,
    project,
    restack,
    spread,
    strong,
    strong_divide,
    unless_zero,
    unstack,
    update,
    where_given,
    without_last,
)
from rules.finiteness import finite
from rules.sequences import backwards, largest, smallest
from tests.rules.case import case, normal

A, B, S = normal(3, 4), normal(3, 4, seed=2), normal(2, 3, 4)

CASES = [
    case(spread, normal(4), A, axis=0).but(wrt="d"),
    case(spread, normal(3), A, axis=-1).but(wrt="d"),
    case(spread, normal(3, 1), A, axis=1, keepdims=True).but(wrt="d"),
    case(spread, 1.5, A).but(wrt="d"),
    case(project, S, A).but(wrt="d"),
    case(project, S, A[:, :1]).but(wrt="d"),
    case(project, A, B).but(wrt="d"),
    *[case(project, x, y).but(wrt="d") for x, y in [(A[:1], A[:, :1]), (S[:, :1], A[:1]), (A[0], A[:, :1])]],
    case(project, A + 1j * B, B).but(wrt="d"),
    case(project, A, 1.5).but(wrt="d"),
    case(accumulate, A, B).but(skip="broadcast mixed"),
    case(element, A, 1).but(skip="empty"),  # where there is none, it is None
    case(element, A, (1, -2)).but(skip="empty"),
    case(given_back, normal(4), A, 1).but(wrt="d", skip="numbers scalars zero-dim"),
    case(given_back, 1.5, A, (1, -2)).but(wrt="d"),
    case(finite, A, "x", "program.py", 1),
    case(finite, 1.5, "x", "program.py", 1),
    case(strong, A, B),
    case(strong, 1.5, -0.5),
    case(strong_divide, A, B),
    case(strong_divide, 1.5, -0.5),
    case(direction, A, B),
    case(direction, 1.5, -0.5),
    case(unless_zero, A, B).but(wrt="term"),
    case(unless_zero, 1.5, A).but(wrt="term"),
    case(or_zeros, A, A).but(wrt="d", upto=1, complex=False),
    case(where_given, A, A).but(wrt="d"),
    case(restack, [A[0], A[1], A[2]], B).but(wrt="items", skip="numbers scalars zero-dim"),
    case(unstack, A),
    case(listed, [A[0], A[1]]).but(skip="numbers scalars zero-dim"),
    case(appended, [A[0], A[1]], A[2]).but(skip="numbers scalars zero-dim"),
    case(without_last, [A[0], A[1], A[2]]).but(wrt="items", skip="numbers scalars zero-dim"),
    *[case(update, A, (1,), op, normal(4, seed=3)).but(wrt="a value") for op in ("set", "add", "sub", "mul")],
    case(update, A, (slice(1, None), 0), "set", normal(4, seed=3)).but(wrt="a value"),
    case(update, A, (slice(1, None), 0), "add", normal(4, seed=3)).but(wrt="a value"),
    *[case(update, A + 0.5j * A.T[:1].T, (part, 1), op, normal(4, seed=3)).but(wrt="a value")
      for part in ("real", "imag") for op in ("set", "sub", "mul")],
    case(backwards, A),
    case(largest, normal(5)).but(skip="numbers scalars zero-dim empty broadcast"),
    case(smallest, normal(5)).but(skip="numbers scalars zero-dim empty broadcast"),
    case(update, A, (1,), "div", normal(4, seed=3)).but(wrt="a"),
]
