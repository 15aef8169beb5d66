"""Counts the operations that a generated gradient executes, those inside of the rules included.

The source of the gradient is parsed, every operator and every call in it is made to report itself, and the result
runs in place of the original. A function of `rules` or of the generated module that it calls is treated likewise
when it is called. Nothing is taken from the text: what is counted did run.
"""

import ast
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

from adcompiler.compile import Build, build
from adcompiler.request import Request, from_call
from rules.kind import Lengths

OPERATORS = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.MatMult: "matmul",
    ast.Pow: "power", ast.FloorDiv: "floor_divide", ast.Mod: "remainder",
}  # fmt: skip

#: Every way to multiply matrices, vectors or tensors.
PRODUCTS = frozenset(
    "matmul dot vdot inner outer einsum tensordot kron matvec vecmat vecdot multi_dot linalg_matmul".split()
)


class _Reporting(ast.NodeTransformer):
    """`a @ b` becomes `a @ _operator("matmul", b)`; `f(x)` becomes `_called(f)(x)`. Nothing is evaluated twice."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        node = self.generic_visit(node)  # type: ignore[assignment]
        node.right = self.report(node.op, node.right)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        node = self.generic_visit(node)  # type: ignore[assignment]
        node.value = self.report(node.op, node.value)
        return node

    def report(self, op: ast.operator, value: ast.expr) -> ast.expr:
        name = ast.Constant(OPERATORS.get(type(op), type(op).__name__))
        return ast.Call(ast.Name("_operator", ast.Load()), [name, value], [])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node = self.generic_visit(node)  # type: ignore[assignment]
        node.func = ast.Call(ast.Name("_called", ast.Load()), [node.func], [])
        return node


class Counts(Counter[str]):
    """How often each operation ran, by NumPy's name for it."""

    @property
    def products(self) -> int:
        """How many products of matrices or vectors ran, by any name."""
        return sum(n for name, n in self.items() if name in PRODUCTS)

    def _operator(self, name: str, right: Any) -> Any:
        self[name] += 1
        return right

    def _called(self, f: Any) -> Any:
        self[getattr(f, "__name__", type(f).__name__)] += 1
        return self.reporting(f) if isinstance(f, FunctionType) and _ours(f) else f

    def reporting(self, f: FunctionType) -> Callable[..., Any]:
        """`f`, which reports here what it does."""
        f = inspect.unwrap(f)  # of a primitive, what generated code calls
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(f))).body
        if not isinstance(definition, ast.FunctionDef):
            return f
        definition.decorator_list = []
        definition.args.defaults, definition.args.kw_defaults = [], [None] * len(definition.args.kwonlyargs)
        definition.returns = None
        for a in ast.walk(definition.args):
            if isinstance(a, ast.arg):
                a.annotation = None
        free = f.__code__.co_freevars
        parameters = ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, [])
        result = ast.Return(ast.Name(definition.name, ast.Load()))
        outer = ast.FunctionDef("_outer", parameters, [_Reporting().visit(definition), result], [])
        scope = {**f.__globals__, "_operator": self._operator, "_called": self._called}
        exec(compile(ast.fix_missing_locations(ast.Module([outer], [])), "<counting>", "exec"), scope)
        cells: list[CellType] = list(f.__closure__ or ())
        made: FunctionType = scope["_outer"](*(c.cell_contents for c in cells))
        made.__defaults__, made.__kwdefaults__ = f.__defaults__, f.__kwdefaults__
        return made


def _ours(f: FunctionType) -> bool:
    return f.__code__.co_filename.startswith("<adcompiler") or f.__module__.split(".")[0] == "rules"


def compiled(f: Callable[..., Any], *args: Any, argnums: Any = 0, value: bool = False) -> Build:
    """The gradient of `f` for these arguments, with all its stages."""
    request = Request(f, argnums, value)
    return build(request, from_call(request, args, {}), Lengths())


def counted(f: Callable[..., Any], *args: Any, argnums: Any = 0, value: bool = False) -> tuple[Any, Counts]:
    """The gradient of `f` at these arguments, or (value, gradient), and what ran to compute it."""
    run = compiled(f, *args, argnums=argnums, value=value).run
    assert isinstance(run, FunctionType)
    counts = Counts()
    return counts.reporting(run)(*args), counts
