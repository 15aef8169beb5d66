"""What a loop carries, found by lowering its body until the kinds of all names are the same at both ends."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import gast
import numpy as np

from adcompiler.frontend.carried import CarriedObjects
from adcompiler.frontend.desugar import hint
from adcompiler.frontend.growth import Grow
from adcompiler.frontend.iterators import Iteration
from adcompiler.frontend.joins import changes, mixed
from adcompiler.frontend.kinds import Deque, Known, ListOf, join_kinds
from adcompiler.frontend.narrower import category, least
from adcompiler.frontend.ownership import containers
from adcompiler.frontend.records import Record, of_heap
from adcompiler.frontend.scope import (
    Maybe,
    Poison,
    moment,
)
from adcompiler.frontend.shared import Shared
from adcompiler.frontend.started import arithmetic, begins, elementwise
from adcompiler.frontend.walk import walk_denotation
from adcompiler.frontend.words import describe, one_kind
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import (
    UNDEF,
    Region,
    Value,
)
from adcompiler.ir.library import of_kind
from rules.cotangent import listed
from rules.kind import Array, Lengths, Num, Seq, Unfilled
from rules.sequences import must_run


class Header:
    """What a loop carries: a parameter and an initial operand for each leaf of each assigned name."""

    def __init__(
        self,
        lowerer: Any,
        entry: dict[str, Any],
        grown: frozenset[tuple[Any, ...]],
        it: Iteration | None,
        node: Any,
    ) -> None:
        self.lowerer = lowerer
        self.it = it  # what a `for` reads
        self.node = node if isinstance(node, gast.For) else None
        self.entry = entry
        self.frame = lowerer.frame
        self.before = {**lowerer.heap.env, **lowerer.frame.env}
        self.first: set[str] = set()  # attributes that only the loop assigns
        self.kinds: dict[tuple[Any, ...], Any] = {}
        self.grown = grown
        self.elements: dict[tuple[Any, ...], Any] = {}
        self.lists: dict[tuple[Any, ...], Any] = {}
        self.poisoned: dict[str, Poison] = {}
        self.kept: dict[str, Any] = {}
        self.reported = False
        self.open_lengths: set[Any] = set()
        self.frozen: set[tuple[Any, ...]] = set()
        self.begun: dict[tuple[Any, ...], Any] = {}  # numbers that begin as arrays
        self.region = Region()
        self.tested = False  # does the generated code test that the loop runs?
        self.mark = 0  # values that are made in the body have greater numbers
        self.shared = Shared(self)
        self.objects = CarriedObjects(self)
        self.at_start: dict[Any, Any] = {}  # lists and dicts, by place
        self.aliased: list[tuple[Any, Any]] = []  # places that may denote one list or dict after an iteration
        self.live = lowerer.frame.at_head()
        self.owned = lowerer.owned_names(lowerer.frame.env, list(entry), self.live)

    def lacks(self, frame: Any, name: str) -> bool:
        """Has this name a meaning before the loop that it does not carry? Is this attribute not carried so far?"""
        if frame is self.lowerer.heap:
            return name not in self.entry and name not in self.first
        return frame is not self.frame or (name in self.before and name not in self.entry)

    def carry(self, name: str) -> None:
        """Carry one name more, whose list or dict the loop changes by another name or in a function."""
        if name not in self.before and (default := self.lowerer.absent(self.lowerer.heap, name)) is not UNDEF:
            self.before[name] = default
            if isinstance(default, Poison):
                self.poisoned[name] = default
        elif name not in self.before or isinstance(self.before[name], Poison):
            self.first.add(name)
            return
        self.entry = dict(sorted({**self.entry, name: self.before[name]}.items()))
        self.owned |= self.lowerer.owned_names(self.before, [name], self.live)

    def start(self) -> tuple[dict[str, Any], list[Value], list[Any], dict[Value, tuple[Any, ...]]]:
        """Names as the body finds them, with the parameters, the initial operands and each parameter's path.

        What denotes an array that is carried for several names still denotes that of before the loop: see `Shared`.
        """
        self.mark = moment()
        self.objects.begin()
        self.shared.start()
        self.params: list[Value] = []
        self.inits: list[Any] = []
        self.paths: dict[Value, tuple[Any, ...]] = {}
        names = {}
        for name, d in self.entry.items():
            d = d.value if isinstance(d, Maybe) else d
            names[name] = self.poisoned[name] if name in self.poisoned else self.leaf((name,), d, name)
        for name, d in self.kept.items():  # assigned by some iterations alone: it keeps its value through the others
            kept = Maybe(self.kept_leaf((name,), d, name))
            names[name] = self.poisoned.get(name, kept)
        for root, param in self.shared.parameters().items():
            self.params.append(param)
            self.inits.append(root)
        return names, self.params, self.inits, self.paths

    def found(self) -> dict[Any, Any]:
        """The lists and dicts that names denote now, by place."""
        lowerer = self.lowerer
        named = [(id(f), n, d) for f in lowerer.frames() for n, d in f.env.items()]
        named += [(i, str(k), d) for i, read in enumerate(lowerer.evaluated[:-1]) for k, d in enumerate(read)]
        found = {(f, label): x for f, n, d in named for label, x in self.within(d, n, ()) if not of_heap(n)}
        return {**found, ("", ""): lowerer.elements_lent}

    def within(self, d: Any, label: str, around: tuple[Record, ...]) -> Iterator[tuple[str, Any]]:
        """The lists, dicts and objects in a denotation, those in its objects too, by the ways to them."""
        for inner, x in containers(d, label):
            yield inner, x
            if isinstance(x, Record) and x not in around:
                for k, y in self.lowerer.attributes(x).items():
                    yield from self.within(y, f"{inner}.{k}", (*around, x))

    def begin_iteration(self) -> None:
        """Note where names denote lists, dicts and objects as an iteration begins, and which may be the same then."""
        self.at_start = self.found()
        for p, q in self.aliased:
            if p in self.at_start and q in self.at_start:
                x, y = self.at_start[p], self.at_start[q]
                if isinstance(x, Record) and isinstance(y, Record):
                    x.may |= y.may
                    y.may |= {x} & x.may
                else:
                    self.lowerer.same_objects.append((x, y))
        self.known = groups(self.lowerer.same_objects)

    def settle_containers(self) -> bool:
        """Two places that may denote one list or dict after an iteration may do so at the start of the next.

        False: the body is lowered again, where that is known, so that a change of an item is refused.
        """
        group, start = groups(self.lowerer.same_objects), self.at_start
        together: dict[int, list[Any]] = {}
        objects = []
        for key, x in self.found().items():
            if key in start and isinstance(x, Record) and isinstance(start[key], Record):
                objects.append((key, x))
            elif key in start:
                together.setdefault(group(x), []).append(key)
        new = [
            (p, q)
            for keys in together.values()
            for p, q in itertools.combinations(keys, 2)
            if self.known(start[p]) != self.known(start[q])
        ]
        new += [
            (p, q)
            for (p, x), (q, y) in itertools.combinations(objects, 2)
            if (x is y or x.may_be(y)) and not (start[p] is start[q] or start[p].may_be(start[q]))
        ]
        self.aliased += new
        return not new

    def source_of(self, param: Value) -> Value | None:
        """The array before the loop that a parameter is at first, or is a view of; None where it is no parameter."""
        if param not in self.params:
            return None
        init = self.inits[self.params.index(param)]
        return self.lowerer.lens(init).root if isinstance(init, Value) else None

    def keep(self, name: str, d: Any) -> None:
        """Carry a name that some iterations alone assign, to what `d` is like."""

        def like(x: Any) -> Any:
            if not isinstance(x, Value):
                return walk_denotation(x, (), lambda y, _: like(y))
            kind = after_loop(plain_kind(x.kind), None, self.lowerer.env)
            self.open_lengths.update(n for n in getattr(kind, "shape", ()) if n.anonymous)
            return Value(kind)

        self.kept[name] = like(d)

    def kept_leaf(self, path: tuple[Any, ...], d: Any, name: str) -> Any:
        if not isinstance(d, Value):
            return walk_denotation(d, path, lambda x, p: self.kept_leaf(p, x, name))
        param = Value(self.kinds.get(path, d.kind), hint(name), self.lowerer.builder.loc)
        self.params.append(param)
        self.inits.append(UNDEF)
        self.paths[param] = path
        return param

    def learn(self, grow: Grow) -> bool:
        """Take note of what the elements are of a list that is empty before the loop, if it is one of this loop."""
        empty = (p for p, d in self.lists.items() if isinstance(d, Value) and d.kind.element == grow.unfilled)
        path = next(empty, None)
        if path is None:
            return False
        del self.lists[path]
        self.elements[path] = grow.element
        return True

    def grows(self, path: tuple[Any, ...]) -> bool:
        """May the loop append to the list at this place?"""
        return any(len(g) == len(path) and all(map(self.may_be, g, path)) for g in self.grown)

    def may_be(self, key: Any, at: Any) -> bool:
        """May this be the key at a place, as far as it is known before the loop?"""
        if not isinstance(key, gast.AST):
            return bool(key == at)
        known = self.before.get(key.id) if isinstance(key, gast.Name) and key.id not in self.entry else None
        return at != "*" and (not isinstance(known, Known) or bool(known.value == at))

    def opened(self, path: tuple[Any, ...], d: list[Any]) -> Any:
        """A list of known structure that the loop appends to, as one of any length: made once, before the loop."""
        if path not in self.lists:
            lowerer, text = self.lowerer, place(path)
            like = self.elements.get(path, d[0] if d else None)
            if like is None:
                made: Any = lowerer.sequence(listed, [], element=Unfilled(text), hint=hint(path[0]))
            else:
                made = lowerer.opened(d, like, hint(text), lowerer.builder.loc)
            self.lists[path] = made
            if not lowerer.in_argument(d) and not lowerer.same_container(d, text, self.live):
                self.owned.add(text)
        return self.lists[path]

    def leaf(self, path: tuple[Any, ...], d: Any, name: str) -> Any:
        if isinstance(d, Record):
            return self.objects.enter(path, d, name)
        d = self.begun.get(path, d)
        if self.shared.takes(place(path), d):
            return d
        if isinstance(d, list) and self.grows(path) and not isinstance(d, Deque):
            d = self.opened(path, d)
        if isinstance(d, Value) or (isinstance(d, Known) and isinstance(d.value, bool | int | float | complex)):
            operand = self.lowerer.operand(d)
            kind = self.kinds.get(path)
            if kind is None:
                kind = plain_kind(kind_of_operand(operand))
            param = Value(kind, hint(name), self.lowerer.builder.loc)
            self.params.append(param)
            self.inits.append(operand)
            self.paths[param] = path
            lowest = least(operand, self.lowerer.lowest, self.lowerer.defs, {})
            if 0 <= lowest < category(kind) >= 2:
                self.lowerer.lowest[param] = lowest
            self.lowerer.note_classes(param, operand)
            if path in self.frozen or self.lowerer.shares_scalar(kind, operand):
                self.lowerer.frozen_joins.add(param)
            if place(path) in self.owned:
                self.lowerer.owned_joins.add(param)
            return param
        return walk_denotation(d, path, lambda x, p: self.leaf(p, x, name))

    def accept(self, path: tuple[Any, ...], d: Any, end: Any, yields: dict[Value, Any]) -> bool:
        """Compare what the body found (`d`) with what it leaves (`end`). False: the header has changed."""
        end = end.value if isinstance(end, Maybe) else end
        d = d.value if isinstance(d, Maybe) else d
        name = path[0]
        if isinstance(d, Record):
            return self.objects.accept(path, d, end, yields)
        if isinstance(d, Poison) or self.shared.takes(place(path), d):
            return True
        if isinstance(d, Value) and d in self.paths:
            if isinstance(end, Value) or (
                isinstance(end, Known) and isinstance(end.value, bool | int | float | complex)
            ):
                operand = self.lowerer.operand(end)
                if isinstance(self.entry.get(name), Maybe) and changes(d, operand):
                    self.poisoned[name] = mixed(d, operand, self.lowerer.builder.loc)
                    return False
                kind = self.join(d.kind, kind_of_operand(operand))
                if kind is None and self.begin(path, d, operand):
                    return False
                if isinstance(kind, Array) and isinstance(d.kind, Num) and self.begin_there(path, d, kind):
                    return False
                if kind is not None:
                    yields[d] = operand
                    claimed = d in self.lowerer.owned_joins and end is not d
                    if claimed and not self.lowerer.alone(end, place(path), self.live):
                        self.owned.discard(place(path))
                        return False
                    if str(kind) != str(d.kind) or kind != d.kind:
                        self.kinds[path] = kind
                        return False
                    if d not in self.lowerer.frozen_joins and self.lowerer.shares_scalar(kind, operand):
                        self.frozen.add(path)
                        return False
                    return True
            return self.poison(name, d, end)
        if isinstance(d, tuple | list) and type(d) is type(end) and len(d) == len(end):
            accepted = [self.accept((*path, i), x, y, yields) for i, (x, y) in enumerate(zip(d, end, strict=True))]
            return all(accepted)
        if isinstance(d, dict) and isinstance(end, dict) and list(d) == list(end):
            accepted = [self.accept((*path, k), d[k], end[k], yields) for k in d]
            return all(accepted)
        if isinstance(d, ListOf) and isinstance(end, ListOf):
            return self.accept((*path, "*"), d.element, end.element, yields)
        if d is end or (isinstance(d, Known) and isinstance(end, Known) and d.value is end.value):
            return True
        return self.poison(name, d, end)

    def begin(self, path: tuple[Any, ...], p: Value, y: Any) -> bool:
        """Let a constant number that the body makes an array begin as one; False where that is not the same."""
        init = self.inits[self.params.index(p)]
        if self.it is None or type(init) not in (int, float) or not isinstance(y, Value) or not y.kind.ndim:
            return False
        others = [v for n, d in self.lowerer.frame.env.items() if n != path[0] for v in _values(d)]
        if not elementwise(self.region, p, y, others):
            return False
        if self.node is not None and not arithmetic(self.node.body, path[0], self.lowerer.meaning):
            return False
        array = begins(self.lowerer, y.kind, init, hint(path[0]))
        if array is None:
            return False
        length = self.it.length
        after = self.lowerer.frame.liveness.after.get(id(self.node))
        read = after is None or path[0] in after
        if read and not self.tested and (length is None or self.lowerer.env.at_least(length, 1) is not True):
            self.lowerer.builder.effect(must_run, place(path), *self.it.sequences)
            self.tested = True
        self.begun[path] = array
        self.owned.add(place(path))
        return True

    def begin_there(self, path: tuple[Any, ...], p: Value, kind: Array) -> bool:
        """Let a number that the body makes an array without axes of another library begin as one."""
        init = self.inits[self.params.index(p)]
        if init is UNDEF:
            return False
        self.begun[path] = self.lowerer.emit(of_kind(np.asarray, kind), init, Known(kind.dtype), hint=hint(path[0]))
        self.owned.add(place(path))
        return True

    def poison(self, name: str, d: Any, end: Any) -> bool:
        if isinstance(end, Poison):
            self.poisoned[name] = end
            self.reported |= end.reported
        else:
            self.poisoned[name] = Poison(
                "{name} is " + describe(d) + " before the loop and " + describe(end) + " after its body",
                one_kind(d, end, "before and in the loop"), self.lowerer.builder.loc)  # fmt: skip
        return False

    def join(self, a: Any, b: Any) -> Any:
        """The kind that holds on entry and after each iteration; lengths that vary stay open."""
        env = self.lowerer.env
        if isinstance(a, Array) and isinstance(b, Array) and a.ndim == b.ndim and a.xp == b.xp:
            shape = []
            for x, y in zip(a.shape, b.shape, strict=True):
                if x in self.open_lengths or env.same(x, y):
                    shape.append(x)
                elif not x.anonymous and not y.anonymous and env.size(x) is not None and env.size(x) == env.size(y):
                    shape.append(env.agree(x, y))
                else:
                    shape.append(env.fresh())
                    self.open_lengths.add(shape[-1])
            joined = join_kinds(a, b, env)
            return Array(joined.dtype, tuple(shape), a.xp)
        if isinstance(a, Seq) and isinstance(b, Seq):
            if isinstance(a.element, Unfilled) or isinstance(b.element, Unfilled):
                return b if isinstance(a.element, Unfilled) else a
            element = self.join(a.element, b.element)
            mixed = isinstance(a.element, Array) is not isinstance(b.element, Array)
            return None if element is None or mixed else Seq(element, a.range and b.range)
        kind = join_kinds(a, b, env)
        return plain_kind(kind) if kind is not None else None


def groups(pairs: list[tuple[Any, Any]]) -> Callable[[Any], int]:
    """A number for each object, the same for those that pairs connect."""
    parent: dict[int, int] = {}

    def root(i: int) -> int:
        while (up := parent.get(i, i)) != i:
            i = up
        return i

    for a, b in pairs:
        parent[root(id(a))] = root(id(b))
    return lambda x: root(id(x))


def place(path: tuple[Any, ...]) -> str:
    """The source text of a name and the keys of containers below it."""
    return path[0] + "".join(f"[{k!r}]" for k in itertools.takewhile(lambda k: k != "*", path[1:]))


def plain_kind(kind: Any) -> Any:
    """A kind as a loop carries it: an int is no longer known to be a certain length."""
    if isinstance(kind, Num):
        return Num(kind.type)
    return Seq(kind.element, kind.range) if isinstance(kind, Seq) else kind


def after_loop(kind: Any, open_lengths: set[Any] | None, env: Lengths) -> Any:
    """The kind of a loop's result: lengths that vary from iteration to iteration are new ones after the last."""
    if isinstance(kind, Array):
        shape = tuple(
            env.fresh() if n.anonymous and (open_lengths is None or n in open_lengths) else n for n in kind.shape
        )
        return Array(kind.dtype, shape, kind.xp)
    if isinstance(kind, Seq):
        return Seq(after_loop(kind.element, open_lengths, env), kind.range)
    return kind


def _values(d: Any) -> list[Value]:
    """The values that a denotation consists of."""
    if isinstance(d, Maybe | ListOf):
        return _values(d.value if isinstance(d, Maybe) else d.element)
    parts = list(d.values()) if isinstance(d, dict) else d if isinstance(d, tuple | list) else []
    return [d] if isinstance(d, Value) else [v for x in parts for v in _values(x)]
