"""Turns generated source into a function that lives in the user's module without leaving a trace there.

The function's globals are the module's own dictionary, read when it is called and never written. Names that
generated code adds, and the variables of the user's closure, are free variables. The text is known to
`linecache` for as long as any code of it is alive, so that tracebacks, `inspect` and `pdb` show it.
"""

import ast
import linecache
import weakref
from collections.abc import Iterator, Mapping
from types import CellType, CodeType, FunctionType
from typing import Any

#: The functions around the generated ones; no name of the source can be equal to theirs.
_CLOSURE, _SCOPE = "<closure>", "<scope>"


def load(
    source: str,
    name: str,
    filename: str,
    user_globals: dict[str, Any],
    free: Mapping[str, object],
    cells: Mapping[str, CellType],
) -> FunctionType:
    """The function called `name` among the definitions in `source`, which see each other.

    Args:
        source: one or several function definitions.
        name: the one that is wanted.
        filename: what tracebacks call the source, such as `<adcompiler loss_grad 1>`; one for each source.
        user_globals: becomes the `__globals__` of the functions, itself and unchanged.
        free: free variables with their values; they hide globals, and defaults see them too.
        cells: free variables that share the given cells, so that both sides see what is assigned later.

    Raises:
        ValueError: a name is in both `free` and `cells`, or is no identifier.
    """
    for variable in [*free, *cells]:
        if not variable.isidentifier():
            raise ValueError(f"{variable!r} is no name for a free variable")
    if both := free.keys() & cells.keys():
        raise ValueError(f"free variables with two values: {', '.join(sorted(both))}")
    tree = ast.parse(source, filename)
    result = ast.Return(ast.Name(name, ast.Load()))
    # Nesting the definitions, rather than executing them as a module, is what makes the names free variables.
    scope = _function(_SCOPE, list(free), [*tree.body, result])
    module = ast.Module([_function(_CLOSURE, list(cells), [scope])], [])
    # The nodes of the source keep their line numbers, so the functions around them shift nothing.
    code = compile(ast.fix_missing_locations(module), filename, "exec", dont_inherit=True)
    code = _renamed(_constant(_constant(code, _CLOSURE), _SCOPE))
    define = FunctionType(code, user_globals, closure=tuple(cells[variable] for variable in code.co_freevars))
    function: FunctionType = define(**free)
    _register(source, filename, code)
    return function


def _function(name: str, parameters: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(parameter) for parameter in parameters],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    return ast.FunctionDef(name=name, args=arguments, body=body, decorator_list=[], lineno=1, col_offset=0)


def _constant(code: CodeType, name: str) -> CodeType:
    return next(inner for inner in _inner(code) if inner.co_name == name)


def _inner(code: CodeType) -> Iterator[CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def _renamed(code: CodeType) -> CodeType:
    """The code with the qualified names that its functions have in their source."""
    prefix = f"{_CLOSURE}.<locals>.{_SCOPE}.<locals>."
    constants = tuple(_renamed(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_consts=constants, co_qualname=code.co_qualname.removeprefix(prefix))


def _register(source: str, filename: str, scope: CodeType) -> None:
    """Shows the source to linecache until the last of the scope's functions, pullbacks included, is gone."""
    # Entries without a time of modification are never checked against a file.
    entry = (len(source), None, source.splitlines(keepends=True), filename)
    linecache.cache[filename] = entry
    codes = [code for each in _inner(scope) for code in _with_inner(each)]
    alive = set(range(len(codes)))

    def forget(index: int) -> None:
        alive.discard(index)
        if not alive and linecache.cache.get(filename) is entry:
            linecache.cache.pop(filename, None)

    for index, code in enumerate(codes):
        weakref.finalize(code, forget, index).atexit = False


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in _inner(code):
        yield from _with_inner(inner)
