"""How long the generated source is: at most four lines for each line that the user wrote."""

import ast
import inspect
from types import FunctionType

from tests.golden import cases

LIMIT = 4.0

#: `inline=False` is for reading how the rules are put together, and no plain form.
PLAIN = [name for name in cases.NAMES if cases.case(name).inline]


def emitted_lines(text: str) -> int:
    """Lines that are neither blank, comments, imports, nor docstrings."""
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            left_out.update(range(node.lineno, (node.end_lineno or 0) + 1))
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            doc = node.body[0]
            left_out.update(range(doc.lineno, (doc.end_lineno or 0) + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(
        1 for i, line in lines if i not in left_out and line.strip() and not line.strip().startswith("#")
    )


def user_functions(f: FunctionType) -> list[FunctionType]:
    """The function, and those of its file that it calls, by name or through its closure."""
    seen: list[FunctionType] = []
    waiting = [f]
    while waiting:
        g = waiting.pop()
        if g in seen or g.__code__.co_filename != f.__code__.co_filename:
            continue
        seen.append(g)
        names = [g.__globals__.get(name) for name in g.__code__.co_names]
        closed = [cell.cell_contents for cell in g.__closure__ or ()]
        called = [inspect.unwrap(h) for h in (*names, *closed) if callable(h)]
        waiting += [h for h in called if isinstance(h, FunctionType)]
    return seen


def user_lines(f: FunctionType) -> int:
    """Non-blank lines of these functions, `def` included."""
    return sum(1 for g in user_functions(f) for line in inspect.getsourcelines(g)[0] if line.strip())


def test_what_is_counted():
    text = 'def f(x):\n    """Doc\n    string."""\n    # a comment\n\n    y = g(\n        x)\n    y += 1\n    return y\n'
    assert emitted_lines(text) == 5
    assert user_lines(cases.function("logreg")) == 4
    assert user_lines(cases.function("helper")) == 5
    assert user_lines(cases.function("hessian")) == 5


def test_at_most_four_lines_for_each_of_the_users(capsys):
    counts = {
        name: (emitted_lines(cases.compiled(name).text), user_lines(cases.function(name))) for name in PLAIN
    }
    emitted, written = (sum(side) for side in zip(*counts.values(), strict=True))
    by_ratio = sorted(counts.items(), key=lambda item: -item[1][0] / item[1][1])
    report = [f"golden set: {emitted} lines for {written}, {emitted / written:.2f} emitted for each written"]
    report += [f"  {name:12} {e:3} for {w:2}: {e / w:.2f}" for name, (e, w) in by_ratio]
    with capsys.disabled():
        print("\n" + report[0])
    print("\n".join(report[1:]))
    assert emitted <= LIMIT * written, "\n".join(report)
