"""Names: frames of the functions being lowered, what their free names mean, and what is captured of them."""

import builtins
import collections
import inspect
import sys
import types
import weakref
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import gast
import numpy as np

from adcompiler.errors import Problem, Refusal, problem_at
from adcompiler.frontend.desugar import attempting as attempting_
from adcompiler.frontend.desugar import desugar, is_flag
from adcompiler.frontend.kinds import Describe, Known, Leaf, is_array, static_value
from adcompiler.frontend.liveness import Liveness, parameters_of, read
from adcompiler.frontend.source import Source
from adcompiler.ir.core import UNDEF, Loc, Value
from rules.kind import KindError, Lengths
from rules.libraries import operation


class Unreturned(Exception):
    """A function calls itself, and what it returns is not known so far: as good as a `raise`."""


@dataclass
class Poison:
    """A name whose value cannot be had. Using it is a problem; one that was reported is not reported again."""

    reason: str = ""
    remedy: str = ""
    loc: Loc | None = None
    reported: bool = False


class Deleted(Poison):
    """An attribute that has been deleted."""


@dataclass(frozen=True)
class Maybe:
    """A name that one path of a branch does not assign: reading it checks that another did."""

    value: Any


@dataclass(eq=False)
class Body:
    """The statements of a function as they are lowered, each time that it is called."""

    statements: list[Any]
    grafts: list[list[Any]] = field(default_factory=list)

    @cached_property
    def liveness(self) -> Liveness:
        return Liveness(self.statements)

    @cached_property
    def rebound(self) -> frozenset[str]:
        """The names that nested functions declare to be those of functions around them."""
        nodes = (n for s in self.statements for n in gast.walk(s))
        return frozenset(name for n in nodes if isinstance(n, gast.Nonlocal) for name in n.names)

    def graft(self, statements: list[Any], place: Any) -> None:
        """Take note of statements that are lowered in place of one of these."""
        out = self.liveness.after.get(id(place))
        if out is not None:
            self.grafts.append(statements)  # they are known by identity
            self.liveness.graft(statements, out)


@dataclass(eq=False)
class Frame:
    """A function that is being lowered: its names so far, and the frame it was defined in."""

    source: Source
    env: dict[str, Any] = field(default_factory=dict)
    parent: "Frame | None" = None
    locals: frozenset[str] = frozenset()
    name: str = ""
    body: "Body" = field(default_factory=lambda: Body([]))
    here: Any = None
    #: What the caller catches that this function may raise; None where it is not asked for.
    catches: tuple[Any, ...] | None = None
    needs_error: bool = False
    #: Which frames have variables of this one for now; what this one has of others, and declares to be theirs.
    lent: dict[str, "Frame"] = field(default_factory=dict)
    borrowed: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()
    born: int = field(default_factory=lambda: moment())

    @property
    def liveness(self) -> Liveness:
        return self.body.liveness

    def later(self) -> frozenset[str] | None:
        """The names that may be read after the statement that is being lowered; None where that is not known."""
        return self.liveness.after.get(id(self.here))

    def now(self) -> frozenset[str] | None:
        """The names that this statement or a later one may read."""
        later = self.later()
        return None if later is None else later | read(self.here)

    def at_head(self) -> frozenset[str] | None:
        """The names that the loop that is being lowered, or a later statement, may read before they are assigned."""
        return self.liveness.before.get(id(self.here))


@dataclass(eq=False)
class Closure:
    """A function defined inside one that is being lowered; its free names are those of `frame`, live.

    With `checkpoint`, the reverse sweep computes the inside of its calls again.
    """

    node: Any
    frame: Frame
    name: str
    defaults: dict[str, Any] = field(default_factory=dict)
    checkpoint: bool = False


@dataclass(frozen=True)
class Method:
    """A method of a value, before it is called."""

    owner: Any
    name: str


class Callback:
    """A function that the compiler makes for the user to call, such as a pullback or a partial application."""

    name = "function"
    loc: Loc | None = None

    def called(self, lowerer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The denotation of a call of it."""
        raise NotImplementedError

    @property
    def parts(self) -> tuple[Any, ...]:
        """What it has been made of, and keeps."""
        return ()


@dataclass(frozen=True)
class Access:
    """How generated code reaches something outside: an expression, and objects its names are bound to."""

    text: str
    free: tuple[tuple[str, Any], ...] = ()
    cell: str | None = None


@dataclass
class Captured:
    """An input that is no argument: read where the function is entered, guarded by its kind."""

    access: Access
    tree: Any
    value: Any
    name: str = ""
    loc: Loc | None = None

    @property
    def label(self) -> str:
        """What it is called in messages: an attribute of a class by the name of the class."""
        text = self.access.text
        for local, x in self.access.free:
            if isinstance(x, type):
                text = text.replace(f"{local}.", f"{x.__name__}.", 1)
        return text


@dataclass(frozen=True)
class Identity:
    """The specialisation holds while `access` still is `value`."""

    access: Access
    value: Any


def moment() -> int:
    """A number greater than those of all values made so far, and less than those of all made from here on."""
    return Value(None).id


#: The modules of this package, whose globals stay as they are.
_OWN = frozenset({"adcompiler", "rules"})
CONSTANT_MODULES = frozenset({"numpy", "math", "scipy", "cmath"})


#: The bodies of functions, by their trees.
_bodies: "weakref.WeakKeyDictionary[Any, Body]" = weakref.WeakKeyDictionary()
_attempting: "weakref.WeakKeyDictionary[Any, Body]" = weakref.WeakKeyDictionary()


class Scope:
    """Resolves free names; captures the arrays and numbers among them."""

    def __init__(
        self, main: Source, env: Lengths, by_value: frozenset[tuple[Any, ...]],
        recursive: dict[Any, tuple[int, ...]], made_apart: set[tuple[str, int, int]],
    ) -> None:  # fmt: skip
        self.main = main
        self.describe = Describe(env, by_value)
        self.captured: dict[tuple[Any, str], Captured] = {}
        self.identities: dict[tuple[Any, str], Identity] = {}
        #: The globals of modules, by their id, with the builtins that are read there.
        self.builtins: dict[int, tuple[dict[str, Any], set[str]]] = {}
        self.free_names: dict[str, Any] = {}
        self.sources: dict[Any, Source] = {main.node: main}
        #: Functions known to call themselves, with which axes of their arguments are equal; those being lowered apart,
        #: those that have been; and what a call has to pass to them besides their arguments.
        self.recursive = recursive
        #: Comprehensions whose elements are changed in place: each is made by itself.
        self.made_apart = made_apart
        #: Objects outside, of classes of the user's, of which something is read, by their ids.
        self.touched: dict[int, Any] = {}
        self.in_progress: list[Any] = []
        self.finished: dict[Any, Any] = {}
        self.around: dict[Any, list[Any]] = {}

    @property
    def leaves(self) -> list[Leaf]:
        return self.describe.leaves

    def is_unfinished(self, callee: Any) -> bool:
        """Is this function, or what it is a derivative of, one that calls itself and is being lowered?"""
        lowered = callee.lowered
        made = (p.callee for p in (*self.in_progress, *self.finished.values()))
        return lowered not in self.around and any(lowered is c for c in made)

    def body(self, node: Any, attempting: bool = False) -> Body:
        """The body of a function's tree. With `attempting` it returns what it raises, too."""
        bodies = _attempting if attempting else _bodies
        if node not in bodies:
            bodies[node] = Body(attempting_(node.body) if attempting else desugar(node.body))
        return bodies[node]

    def free_name(self, name: str, obj: Any) -> str:
        """A name for an object in generated code, which it hides: nothing else that the function reads has it."""
        name = name if name.isidentifier() else "_object"
        taken, n = name, 2
        while self.free_names.get(taken, obj) is not obj or self._is_another(taken, obj):
            taken, n = f"{name}_{n}", n + 1
        self.free_names[taken] = obj
        return taken

    def _is_another(self, name: str, obj: Any) -> bool:
        """Does a name stand for something else in the function: a parameter, a variable around it, a global?"""
        if name in parameters_of(self.main.node):
            return True
        if name in self.main.cells:
            cell = self.main.cells[name]
            return cell is not obj and _content(cell) is not obj
        return self.main.globals.get(name, obj) is not obj

    def lookup(self, frame: Frame, name: str, loc: Loc) -> Any:
        """The denotation of a name read in `frame`. Raises Refusal where it has none."""
        scope: Frame | None = frame
        while scope is not None:
            if name in scope.env:
                return scope.env[name]
            if is_flag(name) and name.startswith(("error ", "value ")):  # on a path that is never taken
                return UNDEF
            if name in scope.locals:
                raise Refusal(problem_at(loc, f"{name} may be read before it is assigned",
                                         f"assign {name} before this line on every path"))  # fmt: skip
            if scope.parent is None:
                break
            scope = scope.parent
        source = frame.source
        if name in source.cells:
            try:
                value = source.cells[name].cell_contents
            except ValueError:
                raise Refusal(problem_at(loc, f"the free variable {name} has no value yet",
                                         "call this after it is assigned")) from None  # fmt: skip
            return self.outside((id(source.cells[name]), ""), self._cell(source, name), value, name, loc)
        if name in source.globals:
            return self.outside((id(source.globals), name), self._global(source, name), source.globals[name], name, loc)
        if hasattr(builtins, name):
            if source.globals.get("__name__", "").partition(".")[0] not in _OWN:
                self.builtins.setdefault(id(source.globals), (source.globals, set()))[1].add(name)
            return Known(getattr(builtins, name))
        raise Refusal(problem_at(loc, f"{name} is not defined", "define it, or import it"))

    def _cell(self, source: Source, name: str) -> Access:
        if source is self.main:
            return Access(name, cell=name)
        cell = self.free_name(f"{name}_cell", source.cells[name])
        return Access(f"{cell}.cell_contents", ((cell, source.cells[name]),))

    def _global(self, source: Source, name: str) -> Access:
        hidden = name in self.main.cells or name in parameters_of(self.main.node)
        if source.globals is self.main.globals and not hidden:
            return Access(name)
        module = sys.modules.get(source.globals.get("__name__", ""))
        if module is not None and vars(module) is source.globals:
            local = self.free_name(module.__name__.rpartition(".")[2], module)
            return Access(f"{local}.{name}", ((local, module),))
        local = self.free_name("_globals", source.globals)
        return Access(f"{local}[{name!r}]", ((local, source.globals),))

    def method_outside(self, frame: Frame, name: str, method: str) -> Any:
        """The method of a list, dict, set or deque outside of a function, which is called as it is; None of others."""
        scope: Frame | None = frame
        while scope is not None:
            if name in scope.env or name in scope.locals:
                return None
            scope = scope.parent
        source = frame.source
        cell = name in source.cells
        owner = source.cells[name].cell_contents if cell else source.globals.get(name)
        if not isinstance(owner, list | dict | set | collections.deque):
            return None
        access = self._cell(source, name) if cell else self._global(source, name)
        key = (id(source.cells[name]), "") if cell else (id(source.globals), name)
        self.identities.setdefault(key, Identity(access, owner))
        made = getattr(owner, method)
        self.free_name(f"{name}_{method}", made)
        return made

    def outside(self, key: tuple[Any, str], access: Access, value: Any, name: str, loc: Loc) -> Any:
        """The denotation of something that exists outside the function."""
        if key in self.captured:
            return self.captured[key].tree
        if isinstance(value, set | collections.deque | bytearray):
            what = type(value).__name__
            raise Refusal(problem_at(loc, f"{name} is a {what} from outside, which may change from call to call",
                                     "make it a frozenset" if what == "set" else "make it a tuple"))  # fmt: skip
        if static_value(value) or not _data(value):
            self.identities.setdefault(key, Identity(access, value))
            if not static_value(value) or operation(value, "__call__") is not None:
                self.free_name(name, value)  # what operations of it are written with
            return Known(value)
        try:
            tree = self.describe.tree(value, (f"capture {len(self.captured)}",), name)
        except KindError as error:
            raise Refusal(problem_at(loc, f"{name}: {error}", error.remedy)) from None
        self.captured[key] = Captured(access, tree, value, name, loc)
        return tree

    def watch(self, owner: Any, text: str, value: Any, *using: Any) -> None:
        """Guard what an expression of something outside, `it`, gives; `using` are the builtins in it."""
        access = Access(text, (("it", owner), *((f.__name__, f) for f in using)))
        self.identities.setdefault((id(owner), text), Identity(access, value))

    def guarded(self) -> list[Identity]:
        """What has to be as it was: also that no global has got the name of a builtin that is read."""
        test = "names if it.keys().isdisjoint(names) else it"
        unhidden = ((d, frozenset(names)) for d, names in self.builtins.values())
        return [*self.identities.values(),
                *(Identity(Access(test, (("it", d), ("names", names))), names) for d, names in unhidden)]  # fmt: skip

    def attribute(self, owner: Any, name: str, loc: Loc) -> Any:
        """An attribute of an object known when compiling: a module's, a class's, an instance's."""
        try:
            value = getattr(owner, name)
        except AttributeError as error:
            raise Refusal(problem_at(loc, str(error), "check the name")) from None
        if isinstance(owner, types.ModuleType):
            if owner.__name__.split(".")[0] in CONSTANT_MODULES:
                return Known(value)
            local = self.free_name(owner.__name__.rpartition(".")[2], owner)
        elif isinstance(owner, np.dtype) or (
            isinstance(owner, type) and owner.__module__.split(".")[0] in CONSTANT_MODULES
        ):
            return Known(value)
        else:
            own = inspect.getattr_static(owner, "__name__", None)  # none of the user's code is run for it
            named = owner.__name__ if isinstance(owner, type) else own if type(own) is str else type(owner).__name__
            local = self.free_name(named.lower(), owner)
        if isinstance(value, types.MethodType):  # it may be made anew at each access
            access = Access(f"{local}.{name}", ((local, owner),))
            self.identities.setdefault((id(owner), name), Identity(access, value))
            return Known(value)
        if isinstance(value, types.BuiltinMethodType) and operation(owner, name) is not None:
            return Known(value)
        if not (static_value(value) or _data(value) or callable(value)) and getattr(owner, name) is not value:
            reason = f"the attribute {name} is another {type(value).__name__} whenever it is read"
            raise Refusal(problem_at(loc, reason, "read it outside of the function, once, and use what it was"))
        return self.outside((id(owner), name), Access(f"{local}.{name}", ((local, owner),)), value, name, loc)


def is_changeable(x: Any) -> bool:
    """Can this get attributes that it has not, and lose those that it has?"""
    module = x.__name__ if isinstance(x, types.ModuleType) else getattr(x, "__module__", None) or ""
    return hasattr(x, "__dict__") and str(module).partition(".")[0] not in CONSTANT_MODULES | {"builtins"}


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _data(value: Any) -> bool:
    """Is this data, taken by kind: numbers, arrays, containers of them?"""
    if isinstance(value, np.ndarray | np.generic) or is_array(value) or type(value) in (int, float, complex):
        return True
    return isinstance(value, tuple | list | dict)


def poison_problem(p: Poison, name: str, loc: Loc) -> Problem | None:
    """What is wrong with using a poisoned name here; None if that has been said."""
    if p.reported:
        return None
    told = problem_at(loc, p.reason.replace("{name}", name), p.remedy.replace("{name}", name))
    return replace(told, origin=(p.loc, name))
