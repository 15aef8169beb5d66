"""Values, operations, regions, functions: the whole of the IR's data.

SSA with structured control flow. An operand is a `Value` or a Python constant; arguments of an operation are
trees (tuples, lists, dicts, slices) of operands. Passes build new operations and never change shared ones.
"""

import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Loc(NamedTuple):
    """A place in the user's source, and how NumPy handles floating-point errors there.

    `errstate` has the keyword arguments of each `with np.errstate(...)` around it, from the outermost inwards.
    What a pass makes of an operation has its place, and so its error handling.
    """

    file: str
    line: int
    col: int = 0
    errstate: tuple[tuple[tuple[str, str], ...], ...] = ()

    @property
    def short(self) -> str:
        """The name of the file and the line, as comments in generated code give them."""
        return f"{os.path.basename(self.file)}:{self.line}"


class _Undef:
    """The value of a variable on a path that never assigned it."""

    def __repr__(self) -> str:
        return "undef"


UNDEF = _Undef()
_ids = itertools.count()


class Value:
    """What an operation defines: a name hint (the user's variable), a kind, a source location."""

    __slots__ = ("hint", "id", "kind", "loc")

    def __init__(self, kind: Any, hint: str = "", loc: Loc | None = None) -> None:
        self.kind = kind
        self.hint = hint
        self.loc = loc
        self.id = next(_ids)

    def __repr__(self) -> str:
        return f"%{self.hint or ''}{self.id}"


class CotangentName(str):
    """The hint of a cotangent: `d_x`, or `d` where its primal has none. No variable of the user's has one."""


def is_cotangent(v: Value, named: bool | None = None) -> bool:
    """Is this a cotangent; with `named`, one whose primal has a name, or has none?"""
    return isinstance(v.hint, CotangentName) and named in (None, v.hint != "d")


@dataclass(eq=False, slots=True)
class Region:
    """Parameters, operations in order, and what is yielded at the end."""

    params: list[Value] = field(default_factory=list)
    ops: list["Op"] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Op:
    """A call of `target`, a real Python callable, or one of the structured operations below.

    `lazy` operations have operands but no place yet; `effect` ones stay, in order.
    """

    target: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    results: list[Value] = field(default_factory=list)
    lazy: bool = False
    effect: bool = False
    loc: Loc | None = None

    @property
    def regions(self) -> tuple[Region, ...]:
        return ()

    @property
    def result(self) -> Value:
        return self.results[0]

    def operands(self) -> Iterator[Value]:
        """The values read by this operation itself, not by its regions."""
        return leaves((self.args, self.kwargs) if self.kwargs else self.args)

    def rebuild(self, f: Callable[[Value], Any], g: Callable[[Region], Region]) -> "Op":
        """The same operation with `f` over its operands and `g` over its regions; results are kept."""
        kwargs = map_tree(f, self.kwargs) if self.kwargs else {}
        return Op(self.target, map_tree(f, self.args), kwargs, self.results, self.lazy, self.effect, self.loc)


def errstate_of(op: Op) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The error handling around an operation: see `Loc`."""
    return op.loc.errstate if op.loc is not None else ()


@dataclass(eq=False, slots=True)
class If(Op):
    """Run one of two regions; results are what it yields. `args` is (condition,)."""

    then: Region = field(default_factory=Region)
    orelse: Region = field(default_factory=Region)

    @property
    def cond(self) -> Any:
        return self.args[0]

    @property
    def regions(self) -> tuple[Region, ...]:
        return self.then, self.orelse

    def rebuild(self, f: Callable[[Value], Any], g: Callable[[Region], Region]) -> "If":
        return If(self.target, map_tree(f, self.args), {}, self.results, self.lazy, self.effect, self.loc,
                  g(self.then), g(self.orelse))  # fmt: skip


@dataclass(eq=False, slots=True)
class For(Op):
    """A scan. `args` is (sequences, inits); the body takes an element of each sequence, then the carried values.

    It yields the next carried values, then elements to collect; results are the last carried values, then
    the collected lists. With `stop` the last thing it yields ends the loop when true.
    """

    body: Region = field(default_factory=Region)
    stop: bool = False

    @property
    def sequences(self) -> list[Any]:
        return self.args[0]

    @property
    def inits(self) -> list[Any]:
        return self.args[1]

    @property
    def elements(self) -> list[Value]:
        return self.body.params[: len(self.sequences)]

    @property
    def carried(self) -> list[Value]:
        return self.body.params[len(self.sequences) :]

    @property
    def regions(self) -> tuple[Region, ...]:
        return (self.body,)

    def rebuild(self, f: Callable[[Value], Any], g: Callable[[Region], Region]) -> "For":
        return For(self.target, map_tree(f, self.args), {}, self.results, self.lazy, self.effect, self.loc,
                   g(self.body), self.stop)  # fmt: skip


@dataclass(eq=False, slots=True)
class While(Op):
    """`args` is (inits,). `test` takes the carried values and yields the condition; `body` and `stop` as in `For`."""

    test: Region = field(default_factory=Region)
    body: Region = field(default_factory=Region)
    stop: bool = False

    @property
    def inits(self) -> list[Any]:
        return self.args[0]

    @property
    def carried(self) -> list[Value]:
        return self.body.params

    @property
    def regions(self) -> tuple[Region, ...]:
        return self.test, self.body

    def rebuild(self, f: Callable[[Value], Any], g: Callable[[Region], Region]) -> "While":
        return While(self.target, map_tree(f, self.args), {}, self.results, self.lazy, self.effect, self.loc,
                     g(self.test), g(self.body), self.stop)  # fmt: skip


@dataclass(eq=False, slots=True)
class Checkpoint(Op):
    """Operations that the reverse sweep runs again, rather than keep their values. Results are what `body` yields.

    It has no operands: `body` reads what it needs from outside, and that alone is kept.
    """

    body: Region = field(default_factory=Region)

    @property
    def regions(self) -> tuple[Region, ...]:
        return (self.body,)

    def rebuild(self, f: Callable[[Value], Any], g: Callable[[Region], Region]) -> "Checkpoint":
        return Checkpoint(self.target, (), {}, self.results, self.lazy, self.effect, self.loc, g(self.body))


@dataclass(eq=False, slots=True)
class Function:
    """Parameters, body and results. `result` is the tree that is returned, with the body's results as leaves."""

    name: str
    params: list[Value]
    body: Region
    result: Any = None
    doc: str = ""

    @property
    def results(self) -> list[Any]:
        return self.body.results


def raise_(error: Any, cause: Any = None) -> None:
    """The target of a `raise` statement."""
    raise error from cause


# ------------------------------------------------------------------------------------------------- trees
@dataclass(frozen=True)
class ListOf:
    """A list of any length whose elements have a structure: one sequence a leaf, all equally long."""

    element: Any


#: The commonest constants in trees.
_PLAIN = frozenset((int, float, str, bool, type(None)))


def leaves(tree: Any) -> Iterator[Value]:
    """The values in a tree of tuples, lists, dicts and slices."""
    found: list[Value] = []
    _gather(tree, found)
    return iter(found)


def _gather(tree: Any, found: list[Value]) -> None:
    kind = tree.__class__
    if kind is Value:
        found.append(tree)
    elif kind is tuple or kind is list:
        for item in tree:
            if item.__class__ is Value:
                found.append(item)
            elif item.__class__ not in _PLAIN:
                _gather(item, found)
    elif kind is dict:
        for item in tree.values():
            _gather(item, found)
    elif kind is slice:
        _gather((tree.start, tree.stop, tree.step), found)
    elif kind is ListOf:
        _gather(tree.element, found)
    elif isinstance(tree, tuple | list):
        _gather(tuple(tree), found)


def map_tree(f: Callable[[Value], Any], tree: Any) -> Any:
    """The same tree with `f` applied to its values; constants stay."""
    if tree.__class__ is Value:
        return f(tree)
    if isinstance(tree, tuple):
        mapped = [
            f(item) if item.__class__ is Value else item if item.__class__ in _PLAIN else map_tree(f, item)
            for item in tree
        ]
        if tree.__class__ is tuple:
            return tuple(mapped)
        return tuple.__new__(type(tree), mapped) if hasattr(tree, "_fields") else type(tree)(*mapped)
    if isinstance(tree, list):
        return [map_tree(f, item) for item in tree]
    if isinstance(tree, dict):
        return {key: map_tree(f, item) for key, item in tree.items()}
    if isinstance(tree, slice):
        return slice(map_tree(f, tree.start), map_tree(f, tree.stop), map_tree(f, tree.step))
    if isinstance(tree, ListOf):
        return ListOf(map_tree(f, tree.element))
    return tree


def free_values(region: Region) -> list[Value]:
    """What a region reads from outside, in the order of first use."""
    seen: dict[Value, None] = {}
    defined = set(region.params)

    def visit(inner: Region) -> None:
        for op in inner.ops:
            for v in op.operands():
                if v not in defined:
                    seen[v] = None
            for sub in op.regions:
                defined.update(sub.params)
                visit(sub)
            defined.update(op.results)
        for v in leaves(inner.results):
            if v not in defined:
                seen[v] = None

    visit(region)
    return list(seen)


def walk(region: Region) -> Iterator[Op]:
    """Every operation of a region, inner ones included, in order."""
    for op in region.ops:
        yield op
        if op.__class__ is not Op:
            for sub in op.regions:
                yield from walk(sub)


def place_of(op: Op, region: Region) -> tuple[Region, int]:
    """The region under this one in which an operation stands, and where."""
    stack = [region]
    while stack:
        inner = stack.pop()
        for i, o in enumerate(inner.ops):
            if o is op:
                return inner, i
            stack.extend(o.regions)
    raise LookupError(op)


def clone(region: Region, mapping: dict[Value, Any]) -> Region:
    """A copy with fresh values; `mapping` gives the free ones a new meaning and learns the new names."""

    def get(v: Value) -> Any:
        return mapping.get(v, v)

    def fresh(v: Value) -> Value:
        new = Value(v.kind, v.hint, v.loc)
        mapping[v] = new
        return new

    params = [fresh(p) for p in region.params]
    ops = []
    for op in region.ops:
        new = op.rebuild(get, lambda sub: clone(sub, mapping))
        new.results = [fresh(r) for r in op.results]
        ops.append(new)
    return Region(params, ops, map_tree(get, region.results))


def substitute(region: Region, mapping: dict[Value, Any]) -> None:
    """Give free values of a region a new meaning, in place: the region is the pass's own."""
    if not mapping:
        return

    def get(v: Value) -> Any:
        return mapping.get(v, v)

    def inner(sub: Region) -> Region:
        substitute(sub, mapping)
        return sub

    region.ops = [op.rebuild(get, inner) for op in region.ops]
    region.results = map_tree(get, region.results)
