"""Make a failing program smaller: drop statements, unwrap blocks, put parts of expressions in their place."""

import ast
import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from .check import Compiler, Outcome, check, deadline, quiet
from .generate import Program


def shrink(outcome: Outcome, compiler: Compiler | None = None, seconds: float = 120.0) -> Outcome:
    """The outcome of a smaller program that fails in the same class."""
    first_order = check(outcome.program, compiler).kind == outcome.kind

    def fails(source: str) -> Outcome | None:
        program = replace(outcome.program, source=source)
        smaller = check(program, compiler, second=not first_order, ahead=not first_order)
        return smaller if smaller.kind == outcome.kind and alike(smaller, outcome) else None

    return reduce(outcome, fails, seconds)


def alike(one: Outcome, other: Outcome) -> bool:
    """Whether two failures are of one sort: the same law, or the same type of exception."""
    return one.message.split(":")[0] == other.message.split(":")[0]


def reduce(outcome: Outcome, fails: Callable[[str], Outcome | None], seconds: float) -> Outcome:
    """Take the first edit after which it still fails, until there is none or the time is up."""
    best, until = outcome, time.monotonic() + seconds
    again = True
    while again and time.monotonic() < until:
        again = False
        tree = ast.parse(best.program.source)
        for edit in edits(tree):
            if time.monotonic() > until:
                break
            source = ast.unparse(ast.fix_missing_locations(edit)) + "\n"
            if len(source) < len(ast.unparse(tree)) + 1 and runs(best.program, source) and (found := fails(source)):
                best, again = found, True
                break
    return best


def runs(program: Program, source: str) -> bool:
    """Whether the edited program still does something: most edits leave a name undefined."""
    namespace: dict[str, object] = {"__name__": "smaller"}
    try:
        with quiet(), deadline(2):  # an edit can make a loop endless
            exec(compile(source, "<smaller>", "exec"), namespace)
            namespace["f"](*program.arguments(classes=namespace))  # type: ignore[operator]
    except Exception:
        return False
    return True


def edits(tree: ast.Module) -> Iterator[ast.Module]:
    """Smaller versions of a module, those that drop most first."""
    blocks = [
        (i, name) for i, node in enumerate(ast.walk(tree)) for name in ("body", "orelse") if statements(node, name)
    ]
    for i, name in blocks:
        block = getattr(nth(tree, i), name)
        for j, statement in enumerate(block):
            if i == 0 and isinstance(statement, ast.FunctionDef) and statement.name == "f":
                continue
            edited = copy.deepcopy(tree)
            target = getattr(nth(edited, i), name)
            del target[j]
            if not target and name == "body":
                target.append(ast.Pass())
            yield edited
            inner = getattr(statement, "body", None)
            if isinstance(statement, (ast.If, ast.For, ast.While)) and inner:
                edited = copy.deepcopy(tree)
                target = getattr(nth(edited, i), name)
                target[j : j + 1] = target[j].body
                yield edited
    for i, node in enumerate(list(ast.walk(tree))):
        for field, value in ast.iter_fields(node):
            for k, child in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(child, ast.expr) or isinstance(getattr(child, "ctx", ast.Load()), ast.Store):
                    continue
                parts = [p for p in ast.iter_child_nodes(child) if isinstance(p, ast.expr)]
                if isinstance(child, (ast.Name, ast.Constant)):
                    continue
                for part in [*parts, ast.Constant(1.0)]:
                    edited = copy.deepcopy(tree)
                    target = nth(edited, i)
                    if field == "func" and not isinstance(part, ast.Name | ast.Attribute):
                        continue
                    if isinstance(value, list):
                        getattr(target, field)[k] = copy.deepcopy(part)
                    else:
                        setattr(target, field, copy.deepcopy(part))
                    yield edited


def statements(node: ast.AST, name: str) -> bool:
    """Whether a node has a block of that name."""
    block = getattr(node, name, None)
    return isinstance(block, list) and bool(block) and isinstance(block[0], ast.stmt)


def nth(tree: ast.AST, number: int) -> ast.AST:
    """The node with that number in the order of `ast.walk`."""
    for i, node in enumerate(ast.walk(tree)):
        if i == number:
            return node
    raise IndexError(number)
