"""Finds a function's source and parses it: the tree, and what its free names mean."""

import ast
import copy
import dis
import functools
import linecache
import types
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gast

from adcompiler.errors import Problem, UnsupportedError

#: The code of all functions that `functools.singledispatch` makes, and what is said of those.
DISPATCHING = functools.singledispatch(len).__code__  # type: ignore[attr-defined]
DISPATCHED = "is made by functools.singledispatch, which keeps what it has picked, for all calls"


@dataclass(eq=False)
class Source:
    """A function's tree and names: parameters with defaults, file, the live cells and globals."""

    node: Any
    file: str
    name: str
    globals: dict[str, Any]
    cells: dict[str, types.CellType] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    function: Any = None

    @property
    def of_rules(self) -> bool:
        """Is it followed in place of a library's? What is refused of it is refused where the user calls it."""
        return str(self.globals.get("__name__", "")).startswith("rules.")

    @property
    def line(self) -> int:
        return int(self.node.lineno)


def _fail(name: str, reason: str, remedy: str) -> UnsupportedError:
    return UnsupportedError(Problem("", 0, 0, "", f"the source of {name} is not available: {reason}", remedy))


@functools.lru_cache(256)
def _parse(file: str, text: str) -> list[Any]:
    """The function and lambda nodes of a file, as standard-library nodes with end positions."""
    tree = ast.parse(text)
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)]


def _find(code: types.CodeType, text: str) -> Any:
    candidates: list[Any] = []
    for node in _parse(code.co_filename, text):
        if isinstance(node, ast.Lambda):
            if code.co_name == "<lambda>" and node.lineno <= code.co_firstlineno <= (node.end_lineno or 0):
                candidates.append(node)
        elif node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno:
                candidates.append(node)
    if len(candidates) > 1:
        candidates = [n for n in candidates if _spans(n, code)] or candidates
        candidates.sort(key=lambda n: (n.end_lineno - n.lineno, n.end_col_offset - n.col_offset))
        names = code.co_varnames[: code.co_argcount]
        candidates = [n for n in candidates if tuple(a.arg for a in n.args.args) == names] or candidates
        if len({ast.dump(n) for n in candidates}) > 1 and not any(None not in p for p in code.co_positions()):
            raise _fail(code.co_name, "several functions begin in its line, and positions are not recorded",
                        "put each on a line of its own")  # fmt: skip
    return candidates[0] if candidates else None


@functools.lru_cache(256)
def _changed(node: Any, code: types.CodeType) -> bool:
    """Does the text say something else than the code that runs: other names, constants or operators?

    The code may say more than the text (test runners rewrite assertions), never less.
    """
    bare = copy.copy(node)
    if isinstance(node, ast.Lambda):
        module: Any = ast.Expression(bare)
    else:
        bare.decorator_list = []
        module = ast.Module([_with_names_of_outside(bare)], [])
    outer = compile(
        ast.fix_missing_locations(module), code.co_filename, "eval" if isinstance(node, ast.Lambda) else "exec"
    )
    if isinstance(module, ast.Module) and module.body[0] is not bare:
        outer = _codes(outer)[0]
    inner = next(c for c in _codes(outer) if c.co_name == code.co_name)
    known = {*code.co_names, *code.co_freevars, *code.co_cellvars, *code.co_varnames}
    names = {n for n in (*inner.co_names, *inner.co_varnames) if not n.startswith("__")}
    return bool(names - known or _constants(inner) - _constants(code) or _operators(inner) - _operators(code))


def _with_names_of_outside(function: Any) -> Any:
    """The function itself, or in a function that binds the names that it declares nonlocal."""
    names = sorted({name for n in ast.walk(function) if isinstance(n, ast.Nonlocal) for name in n.names})
    if not names:
        return function
    outside = ast.parse(f"def outside({', '.join(names)}): pass").body[0]
    outside.body = [function]  # type: ignore[attr-defined]
    return outside


def _codes(code: types.CodeType) -> list[types.CodeType]:
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


def _constants(code: types.CodeType) -> set[Any]:
    return {(type(c), repr(c)) for c in code.co_consts if not isinstance(c, types.CodeType)}


def _operators(code: types.CodeType) -> Counter[Any]:
    return Counter((i.opname, i.arg) for i in dis.get_instructions(code) if i.opname in ("BINARY_OP", "COMPARE_OP"))


def _spans(node: Any, code: types.CodeType) -> bool:
    """Do all instructions of `code` lie inside this node? Tells two lambdas of one line apart."""
    for line, end_line, col, end_col in code.co_positions():
        if None in (line, end_line, col, end_col) or (line, col) == (end_line, end_col):
            continue
        start, end = (
            (node.body.lineno, node.body.col_offset),
            (node.body.end_lineno, node.body.end_col_offset),
        )
        if not (start <= (line, col) and (end_line, end_col) <= end):
            return False
    return True


def _read(function: types.FunctionType) -> tuple[Any, UnsupportedError | None]:
    """The tree of a function in the text of its file, None if there is none; why there can be none."""
    code, name = function.__code__, function.__name__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        remedy = "define it in a file or in a notebook cell, or put its text into linecache.cache"
        return None, _fail(name, f"there is no text for {code.co_filename}", remedy)
    try:
        node = _find(code, "".join(lines))
    except SyntaxError as error:
        return None, _fail(name, f"{code.co_filename} no longer parses ({error})", "import it again")
    if node is not None and _changed(node, code):
        return node, _fail(name, f"{code.co_filename} has changed since it was imported", "import the file again")
    return node, None


def source_of(function: types.FunctionType) -> Source:
    """Parse `function`. Raises UnsupportedError where its source cannot be had."""
    code = function.__code__
    name = function.__name__
    if code is DISPATCHING:
        remedy = f"take the gradient of the function that it picks: {name}.dispatch(float)"
        raise UnsupportedError(Problem("", 0, 0, "", f"{name} {DISPATCHED}", remedy))
    node, problem = _read(function)
    if node is None or problem is not None:  # the text may be of before a reload
        linecache.checkcache(code.co_filename)
        node, problem = _read(function)
    if problem is not None:
        raise problem
    if node is None:
        raise _fail(name, f"{code.co_filename} holds no such function at line {code.co_firstlineno}; "
                    "the file has changed, or the function was made from text", "import the file again")  # fmt: skip
    arguments = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    values = function.__defaults__ or ()
    defaults = dict(zip(arguments[len(arguments) - len(values) :], values, strict=True))
    defaults.update(function.__kwdefaults__ or {})
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    if isinstance(node, ast.AsyncFunctionDef):
        line = linecache.getline(code.co_filename, node.lineno)
        reason = f"{name} is a coroutine (`async def`)"
        raise UnsupportedError(
            Problem(code.co_filename, node.lineno, node.col_offset, line, reason, "write a plain function")
        )
    return Source(_tree(code, node), code.co_filename, name, function.__globals__, cells, defaults, function)


def _tree(code: types.CodeType, node: Any) -> Any:
    """The gast tree of a function, one for all calls of it: recursion is told by identity."""
    if code not in _trees:
        _trees[code] = _gast(node)
    return _trees[code]


_trees: "weakref.WeakKeyDictionary[types.CodeType, Any]" = weakref.WeakKeyDictionary()


def _gast(node: Any) -> Any:
    module = ast.Module([node if isinstance(node, ast.stmt) else ast.copy_location(ast.Expr(node), node)], [])
    tree = gast.ast_to_gast(module).body[0]
    return tree if isinstance(tree, gast.FunctionDef) else tree.value


def wrapper_of(
    f: Callable[..., Any], name: str, parameters: list[str], defaults: dict[str, Any], left_in: str = ""
) -> Source:
    """The source of a function that only calls `f`: for what has none of its own (ufuncs, partials, methods).

    Parameters are written `x`, `*rest`, `**options`, and `x=` for one by keyword only. With `left_in` it returns that
    parameter, in which `f` leaves its result.
    """
    given = [p.strip("*=") for p in parameters]
    call = ", ".join(
        p if p.startswith("*") else f"{g}={g}" if p.endswith("=") else g for p, g in zip(parameters, given, strict=True)
    )
    heads: list[str] = []
    for p, g in zip(parameters, given, strict=True):
        if p.endswith("=") and not any(h.startswith("*") for h in heads):
            heads.append("*")
        heads.append(f"{g}=None" if g in defaults else p.rstrip("="))
    safe = name if name.isidentifier() and name not in given else "f"
    body = f"{WRAPPED}({call})\n    return {left_in}" if left_in else f"return {WRAPPED}({call})"
    text = f"def {safe}({', '.join(heads)}):\n    {body}\n"
    return Source(_gast(ast.parse(text).body[0]), "<adcompiler>", safe, {WRAPPED: f, "__name__": ""}, {}, defaults, f)


WRAPPED = "_wrapped"
