"""A Python module of compiled functions, which needs the array library and `rules`, and never the compiler.

Names that are free in the functions become imports and constants above them. Importing the module runs nothing but
definitions, and a test that `rules` is the package that it was made for.
"""

import ast
import builtins
import copy
import itertools
import math
import sys
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompiler.backend.emit import Emitted
from adcompiler.backend.spell import name
from adcompiler.backend.writer import write
from adcompiler.errors import UnsupportedError, problem_at
from adcompiler.ir.core import Loc

MARK = """
if getattr(rules, "ADCOMPILER_RULES", None) != 1:
    raise ImportError(f"{rules!r} is not adcompiler's package `rules`: rename it, or move it")
"""


@dataclass(frozen=True)
class Variant:
    """A compiled function; the kinds of its arguments as `rules.entry.Signature` takes them."""

    emitted: Emitted
    kinds: dict[str, Any]
    guards: tuple[str, ...]


@dataclass(frozen=True)
class _Import:
    """`import module as name` or, with a member, `from module import member as name`; `plain` for `__wrapped__`."""

    module: str
    member: str = ""
    plain: bool = False


@dataclass(frozen=True)
class _Constant:
    """A number, a string, or a tuple of these; told apart by how it is written."""

    text: str
    value: Any = field(compare=False)


def module(function: str, doc: str, constants: dict[str, str], variants: list[Variant], place: Loc, own: str) -> str:
    """The text of a module with one public function, which picks the variant that its arguments fit.

    `constants` are written as they are; `own` is the module that the user's function was taken from.
    Raises UnsupportedError at `place` where a function needs an object that cannot be imported from elsewhere.
    """
    return write(_Module(function, constants, variants, place, own).tree(doc))


class _Module:
    def __init__(self, function: str, constants: dict[str, str], variants: list[Variant], place: Loc, own: str) -> None:
        self.function = function
        self.constants = constants
        self.variants = variants
        self.place = place
        self.own = own
        #: What each name of the module means.
        self.definitions: dict[str, _Import | _Constant] = {}
        self.fixed = {function, "rules", "__all__", *constants}
        trees = [copy.deepcopy([*v.emitted.helpers, v.emitted.tree]) for v in variants]
        self.taken = {*self.fixed, *dir(builtins), *(n for parts in trees for part in parts for n in _names(part))}
        self.taken -= {part.name for *helpers, _ in trees for part in helpers}
        #: The functions that variants call.
        self.helpers: list[ast.FunctionDef] = []
        self.trees = []
        for (*helpers, tree), v in zip(trees, variants, strict=True):
            called = {h.name: self.unused(h.name, 1)[0] for h in helpers}
            parts = [self.renamed(part, v.emitted.free, called) for part in (*helpers, tree)]
            self.helpers += parts[:-1]
            self.trees.append(parts[-1])

    def tree(self, doc: str) -> ast.Module:
        """Imports, the test of `rules`, constants, signatures, functions."""
        signatures = self.unused("_KINDS", len(self.trees))
        functions = self.functions(signatures)
        calls = [self.signature(kinds, v) for kinds, v in zip(signatures, self.variants, strict=True)]
        kept = [self.workspaces(p, v.emitted.workspace) for p, v in zip(self.pools, self.variants, strict=False) if p]
        imported = {n: i for n, i in self.definitions.items() if isinstance(i, _Import)}
        ours = {n: i for n, i in imported.items() if i.module.split(".")[0] == "rules"}
        body: list[ast.stmt] = [ast.Expr(ast.Constant(doc))]
        body += _imports({**{n: i for n, i in imported.items() if n not in ours}, "rules": _Import("rules")})
        body += ast.parse(MARK).body
        body += _imports(ours)
        body.append(_assign("__all__", ast.List([ast.Constant(self.function)], ast.Load())))
        body += [_assign(n, ast.Constant(text)) for n, text in self.constants.items()]
        plain = [_assign(n, name(f"{n}.__wrapped__")) for n, i in sorted(imported.items()) if i.plain]
        body += _headed("the functions themselves, without the test whether they are traced", plain)
        values = [_assign(n, self.constant(i.value)) for n, i in self.definitions.items() if isinstance(i, _Constant)]
        body += _headed("read from outside of the function when this was written", values)
        body += _headed("what the arguments have to be", calls)
        body += _headed("arrays of earlier calls", kept)
        return ast.fix_missing_locations(ast.Module([*body, *self.helpers, *functions], []))

    # --------------------------------------------------------------------------------------------- functions
    def functions(self, signatures: list[str]) -> list[ast.stmt]:
        """The function that is called, and its variants if there are several."""
        public = self.trees[0]
        arguments = _without(public.args) if self.variants[0].emitted.workspace else public.args
        parameters = [a.arg for a in _parameters(arguments)]
        given: list[ast.expr] = [name(p) for p in parameters]
        pools = self.unused("_WORKSPACES", len(self.trees)) if any(v.emitted.workspace for v in self.variants) else []
        self.pools = [p if v.emitted.workspace else "" for p, v in zip(pools, self.variants, strict=False)]
        if len(self.trees) == 1 and self.pools:
            check = ast.Expr(ast.Call(name(f"{signatures[0]}.check"), given, []))
            private = self.unused(f"_{self.function}", 1)
            run = ast.Return(self.called(0, private[0], given))
            outer = ast.FunctionDef(self.function, arguments, [public.body[0], check, run], [], None)
            return [outer, self.inner(public, private[0], parameters, self.variants[0].emitted.workspace)]
        if len(self.trees) == 1:
            check = ast.Expr(ast.Call(name(f"{signatures[0]}.check"), given, []))
            public.name = self.function
            public.body.insert(1, check)
            return [public]
        private = self.unused(f"_{self.function}", len(self.trees))
        body: list[ast.stmt] = [public.body[0]]
        for signature, variant in zip(signatures, private, strict=True):
            call = ast.Return(self.called(private.index(variant), variant, given))
            body.append(ast.If(ast.Call(name(f"{signature}.fits"), given, []), [call], []))
        kinds: list[ast.expr] = [name(s) for s in signatures]
        error = ast.Call(name(self.entry("mismatch")), [ast.Tuple(given, ast.Load()), *kinds], [])
        body.append(ast.Raise(error))
        dispatch = ast.FunctionDef(self.function, arguments, body, [], None)
        for signature, variant, tree, v in zip(signatures, private, self.trees, self.variants, strict=True):
            self.inner(tree, variant, parameters, v.emitted.workspace)
            tree.comment_before = f"for {signature}"  # type: ignore[attr-defined]
        return [dispatch, *self.trees]

    def called(self, variant: int, function: str, given: list[ast.expr]) -> ast.expr:
        """The call of a function, with a workspace where it has one."""
        pool = self.pools[variant] if self.pools else ""
        if not pool:
            return ast.Call(name(function), given, [])
        return ast.Call(name(f"{pool}.call"), [name(function), *given], [])

    def inner(self, tree: ast.FunctionDef, function: str, parameters: list[str], workspace: str) -> ast.FunctionDef:
        """A function as the public one calls it: without a docstring, defaults and stars."""
        del tree.body[0]
        tree.name = function
        kept = [ast.arg(workspace)] if workspace else []
        tree.args = ast.arguments([], [ast.arg(p) for p in parameters], None, kept, [None] * len(kept), None, [])
        return tree

    def signature(self, target: str, variant: Variant) -> ast.stmt:
        kinds = ast.Dict([ast.Constant(p) for p in variant.kinds], [_literal(k) for k in variant.kinds.values()])
        guards = [ast.Constant(g) for g in variant.guards]
        made = ast.Call(name(self.entry("Signature")), [ast.Constant(self.function), kinds, *guards], [])
        return _assign(target, made)

    def workspaces(self, target: str, parameter: str) -> ast.stmt:
        given: list[ast.expr] = [] if parameter == "ws" else [ast.Constant(parameter)]
        return _assign(target, ast.Call(name(self.entry("Workspaces", "rules.workspace")), given, []))

    def entry(self, member: str, module: str = "rules.entry") -> str:
        """The name of what `rules.entry` or another module has by this one."""
        return self.imported(_Import(module, member), member)

    def imported(self, wanted: _Import, local: str) -> str:
        """The name that an import has, or gets."""
        known = next((n for n, i in self.definitions.items() if i == wanted), None)
        found = known or self.unused(local, 1)[0]
        self.definitions[found] = wanted
        return found

    def unused(self, wanted: str, count: int) -> list[str]:
        """Names that mean nothing yet, numbered if there are several."""
        out: list[str] = []
        n = 1
        while len(out) < count:
            text = wanted if n == 1 and count == 1 else f"{wanted}_{n}"
            if text not in self.taken:
                out.append(text)
            n += 1
        self.taken.update(out)
        return out

    # ---------------------------------------------------------------------------------------------- free names
    def renamed(self, tree: ast.FunctionDef, free: dict[str, Any], called: dict[str, str]) -> ast.FunctionDef:
        """The function with its free names defined, under another name where one means two things.

        `called` are the new names of the functions beside it.
        """
        used, new = _names(tree), dict(called)
        tree.name = called.get(tree.name, tree.name)
        modules_first = sorted(free, key=lambda text: (not isinstance(free[text], types.ModuleType), text))
        for text in modules_first:
            obj = free[text]
            if text not in used:
                continue
            definition = self.definition(text, obj)
            local = text
            if self.definitions.get(text, definition) != definition or text in self.fixed:
                local = new[text] = self.unused(text, 1)[0]
            self.definitions[local] = definition
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                node.id = new.get(node.id, node.id)
        return tree

    def definition(self, text: str, obj: Any) -> _Import | _Constant:
        """How a module gets at an object."""
        if isinstance(obj, types.SimpleNamespace):  # the pullbacks of a rule that are called by name
            owners = {_import_of(f, outer=True) for f in vars(obj).values()}
            found = owners.pop() if len(owners) == 1 else None
        elif isinstance(obj, types.ModuleType):
            found = _Import(obj.__name__) if sys.modules.get(obj.__name__) is obj else None
        elif isinstance(obj, np.generic | tuple | bool | int | float | complex | str | bytes | None):
            self.constant(obj)  # it may need NumPy, which the names of the next one must not hide
            return _Constant(repr(obj), obj)
        else:
            found = _import_of(obj)
        if found is None or found.module in (self.own, "__main__") or found.module.split(".")[0] == "adcompiler":
            where = "" if found is None else f", which is defined in {found.module},"
            reason = f"{text}{where} is called by the gradient, and a module has no way to import it"
            remedy = "define it in a module of its own and import that, or write it with functions that have rules"
            raise UnsupportedError(problem_at(self.place, reason, remedy))
        return found

    def constant(self, value: Any) -> ast.expr:
        if isinstance(value, tuple):
            return ast.Tuple([self.constant(x) for x in value], ast.Load())
        if isinstance(value, np.generic):
            return ast.Call(name(f"{self.numpy()}.{_scalar(value)}"), [self.constant(value.item())], [])
        if type(value) is float and not math.isfinite(value):
            text = f"{self.numpy()}.{'nan' if value != value else 'inf'}"
            return ast.UnaryOp(ast.USub(), name(text)) if value < 0 else name(text)
        return ast.Constant(value)

    def numpy(self) -> str:
        return self.imported(_Import("numpy"), "np")


# -------------------------------------------------------------------------------------------------- objects
def _import_of(obj: Any, outer: bool = False) -> _Import | None:
    """The import that gives an object, or with `outer` the class that it is defined in; None if there is none."""
    path = getattr(obj, "__qualname__", getattr(obj, "__name__", "")).split(".")
    home = sys.modules.get(getattr(obj, "__module__", None) or "")
    if home is None or len(path) != 1 + outer:
        return None
    found: Any = home
    for part in path:
        found = getattr(found, part, None)
    if found is obj:
        return _Import(home.__name__, path[0])
    wrapped = not outer and home.__name__.startswith("rules") and getattr(found, "__wrapped__", None) is obj
    return _Import(home.__name__, path[0], plain=True) if wrapped else None


# ---------------------------------------------------------------------------------------------------- trees
def _names(tree: ast.AST) -> set[str]:
    """Every name that is read, assigned or a parameter."""
    nodes = list(ast.walk(tree))
    return {n.id for n in nodes if isinstance(n, ast.Name)} | {n.arg for n in nodes if isinstance(n, ast.arg)}


def _without(a: ast.arguments) -> ast.arguments:
    """The parameters but the last by keyword, which is the workspace."""
    out = copy.copy(a)
    out.kwonlyargs, out.kw_defaults = a.kwonlyargs[:-1], a.kw_defaults[:-1]
    return out


def _parameters(a: ast.arguments) -> Iterator[ast.arg]:
    """Parameters in the order in which a signature names them."""
    yield from (*a.posonlyargs, *a.args, *filter(None, [a.vararg]), *a.kwonlyargs, *filter(None, [a.kwarg]))


def _imports(named: dict[str, _Import]) -> Iterable[ast.stmt]:
    """Import statements in the order that isort gives them: the standard library first."""

    def alias(original: str, local: str) -> ast.alias:
        return ast.alias(original, None if local == original else local)

    def rank(root: str) -> int:
        return 0 if root in sys.stdlib_module_names else 1

    out: list[tuple[tuple[Any, ...], ast.stmt]] = []
    for local, i in named.items():
        if not i.member:
            out.append(((rank(i.module.split(".")[0]), 0, i.module), ast.Import([alias(i.module, local)])))
    for origin in {i.module for i in named.values() if i.member}:
        members = sorted((i.member, local) for local, i in named.items() if i.module == origin and i.member)
        names = [alias(member, local) for member, local in members]
        out.append(((rank(origin.split(".")[0]), 1, origin), ast.ImportFrom(origin, names, 0)))
    out.sort(key=lambda pair: pair[0])
    for ((before, *_), _), ((after, *_), statement) in itertools.pairwise(out):
        if before != after:
            statement.blank_before = True  # type: ignore[attr-defined]
    return [statement for _, statement in out]


def _scalar(value: np.generic) -> str:
    return "bool_" if isinstance(value, np.bool_) else value.dtype.name


def _headed(heading: str, statements: list[ast.stmt]) -> list[ast.stmt]:
    if statements:
        statements[0].comment_before = heading  # type: ignore[attr-defined]
        statements[0].blank_before = True  # type: ignore[attr-defined]
    return statements


def _assign(target: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(target, ast.Store())], value)


def _literal(kind: Any) -> ast.expr:
    """Kinds in their structure, as a display."""
    if isinstance(kind, tuple):
        return ast.Tuple([_literal(k) for k in kind], ast.Load())
    if isinstance(kind, list):
        return ast.List([_literal(k) for k in kind], ast.Load())
    if isinstance(kind, dict):
        return ast.Dict([ast.Constant(k) for k in kind], [_literal(k) for k in kind.values()])
    return ast.Constant(kind)
