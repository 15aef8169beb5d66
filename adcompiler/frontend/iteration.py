"""What loops and comprehensions read, and comprehensions themselves."""

import operator
from contextlib import suppress
from functools import lru_cache
from typing import Any

import gast

from adcompiler.errors import Refusal, problem_at
from adcompiler.frontend.expressions import Expressions
from adcompiler.frontend.iterators import Generated, Iteration, Once, View
from adcompiler.frontend.joins import restore
from adcompiler.frontend.kinds import MAX_UNROLLED, Elements, Known, ListOf, is_set
from adcompiler.frontend.narrower import category, least
from adcompiler.frontend.operations import rebuild
from adcompiler.frontend.parts import is_flat
from adcompiler.frontend.records import Record
from adcompiler.frontend.scope import Callback, Closure, Frame, Poison, moment, poison_problem
from adcompiler.frontend.static import Unroll
from adcompiler.frontend.words import describe, spelled
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import For, Region, Value, leaves, walk
from rules.cotangent import length
from rules.kind import Array, Num, Seq, Unfilled, array_or_number, constant, element_of, length_of

INDICES = "loop over indices: for i in range(n)"
READ_AGAIN = "make it where it is read, or make a list of it"


class Storing(Exception):
    """A comprehension, by its wall, stores to an object from outside: it is lowered as a loop."""

    def __init__(self, wall: int) -> None:
        super().__init__(wall)
        self.wall = wall


class Apart(Exception):
    """What a comprehension over a known range makes is changed in place: each element is made by itself then."""

    def __init__(self, comprehension: Any) -> None:
        super().__init__(comprehension)
        self.comprehension = comprehension


class Iterations(Expressions):
    """Lowers what is iterated over: a known number of elements, or sequences that a loop reads."""

    #: When the comprehensions, and the functions that call themselves, began that are lowered once and run often.
    repeats: list[int]

    # --------------------------------------------------------------------------------------- iteration
    def repeated(self) -> list[int]:
        """When that began which is being lowered once, and runs more than once."""
        raise NotImplementedError

    def check_in_turn(self, mark: int, what: str, node: Any, remedy: str) -> None:
        """Refuse what is seen outside and has been done since `mark`, where it is done in turn with something else."""
        if not self.frame.source.of_rules and any(map(is_seen, walk(Region([], self.builder.region.ops[mark:])))):
            reason = f"what {what} does, besides giving values, is done in turn with what reads them here"
            raise self.refuse(node, reason, f"{remedy}, or make a list of it first")

    def check_first_reading(self, d: Once, node: Any) -> None:
        """Refuse to read an iterator again."""
        if isinstance(d, View):
            return
        if d.read:
            raise self.refuse(node, "this iterator has been read already: a second loop finds it empty", READ_AGAIN)
        if any(d.born < moment for moment in self.repeated()):
            reason = "this iterator is made before the loop around, whose first iteration reads it to its end"
            raise self.refuse(node, reason, READ_AGAIN)

    def iterate(self, d: Any, node: Any, at_once: bool = False) -> list[Any] | Iteration:
        """The elements, if there is a known number of them; else how a loop reads them.

        `at_once`: nothing else happens before the last of them has been read.
        """
        if isinstance(d, Generated):
            return self.iterate(self.listed_generator(d, node, at_once), node)
        if isinstance(d, Once):
            self.check_first_reading(d, node)
            d.read = True
            mark = len(self.builder.region.ops)
            owners = [x for x in d.of if isinstance(x, dict)]
            d = d.make()
            if isinstance(d, list) and not at_once:
                self.read_items += owners
            if isinstance(d, Once):
                return self.iterate(d, node, at_once)
            if not at_once:
                self.check_in_turn(
                    mark, "the function that it calls", node, "call it in the loop: for x in xs: v = f(x)"
                )
        if isinstance(d, Iteration):
            return d
        if is_flat(d):
            d = self.in_order(d.owner)
        if isinstance(d, list) and not at_once:
            self.read_items.append(d)
        if isinstance(d, tuple | list):
            return list(d)
        if isinstance(d, dict):
            return [Known(k) for k in d]
        if isinstance(d, ListOf):
            values = list(leaves(d.element))

            def element(items: list[Value]) -> Any:
                by_leaf = dict(zip(values, items, strict=True))
                made = rebuild(d.element, lambda v: by_leaf[v])
                self.lend(made)
                return made

            return Iteration(list(values), element, values[0].kind.length)
        if isinstance(d, Value) and isinstance(d.kind, Seq):
            if isinstance(d.kind.element, Unfilled):
                raise Refusal(self.unfilled_problem(d.kind.element, self.loc(node)))
            return Iteration([d], self.element_lent, d.kind.length)
        if isinstance(d, Value) and isinstance(d.kind, Array) and d.kind.ndim:
            return Iteration([d], lambda items: items[0], d.kind.shape[0])
        if is_set(d) and not at_once and not _in_order(d.value):
            reason = "the order of the elements of a set is not known when compiling"
            raise self.refuse(node, reason, "loop over sorted(...) of it")
        if isinstance(d, Known) and isinstance(d.value, str | tuple | list | dict | range | frozenset):
            return [Known(x) for x in d.value]
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, "this", self.loc(node)))
        self.refuse_opaque(d)
        if _single(d):
            self.not_iterable(d)
        raise self.refuse(node, f"a loop over {describe(d)} is not supported",
                          "loop over a range, an array, a list, a tuple or the items of a dict")  # fmt: skip

    def element_lent(self, items: list[Value]) -> Value:
        """The element that a loop reads of a list."""
        self.lend(items[0])
        return items[0]

    def not_iterable(self, d: Any) -> None:
        """Go on where it is caught that a thing has no elements."""
        kind = d.kind if isinstance(d, Value) else None
        cls = kind.type if isinstance(kind, Num) else type(d.value) if isinstance(d, Known) else None
        said = "iteration over a 0-d array" if cls is None else f"'{spelled(cls)}' object is not iterable"
        self.raise_here(TypeError, said)

    def elements(self, d: Any, node: Any) -> list[Any]:
        if _single(d):
            self.not_iterable(d)
            raise self.refuse(node, f"{describe(d)} is unpacked, and has no elements",
                              "unpack an array, a list or a tuple")  # fmt: skip
        it = self.iterate(d, node, at_once=True)
        if isinstance(it, list):
            return it
        n = it.length
        if n is not None:
            n = self.env.resolve(n)
        if n is None or not n.constant:
            size = self.env.size(n) if n is not None and not n.anonymous else None
            if size is None:
                raise self.refuse(node, "the number of elements to unpack is not known when compiling",
                                  "index them: x[0], x[1]")  # fmt: skip
            self.env.assume("==", n, constant(size))
            self.env.unify(n, constant(size))
            count = size
        else:
            count = n.offset
        items = [[self.emit(operator.getitem, s, Known(i)) for s in it.sequences] for i in range(count)]
        return [it.element(row) for row in items]

    def unrolled(self, it: Iteration, node: Any, problem: Any) -> list[Any]:
        """The elements of a loop that has to be unrolled. Raises Refusal where it is too long."""
        out: list[list[Any]] = []
        for s in it.sequences:
            op = self.defs.get(s)
            if op is None or op.target is not range:
                raise Refusal(problem)
            try:
                bounds = [self.static(a, node, "the bound of a loop") if isinstance(a, Value) else a for a in op.args]
            except Refusal:
                raise Refusal(problem) from None
            values = range(*bounds)
            if len(values) > MAX_UNROLLED:
                raise Refusal(problem)
            out.append([Known(k) for k in values])
        return [it.element(list(row)) for row in zip(*out, strict=False)]

    def is_short(self, it: Iteration) -> bool:
        """Is this a loop over ranges of which it is known that they are short?"""
        made = [self.defs.get(s) for s in it.sequences]
        known = [
            op.args for op in made if op is not None and op.target is range and all(type(a) is int for a in op.args)
        ]
        return len(known) == len(made) and all(len(range(*args)) <= MAX_UNROLLED for args in known)

    def element_kind(self, kind: Any) -> Any:
        """The kind of one element; lengths that differ from element to element get names of this iteration."""
        if isinstance(kind, Seq):
            return Num(int) if kind.range else element_of(kind.element)
        return array_or_number(kind.dtype, kind.shape[1:], kind.xp)

    def aligned(self, its: list[Iteration], node: Any) -> tuple[list[Any], Any]:
        """The sequences of a zip, cut to one length where they are not known to have one."""
        n = its[0].length
        if n is not None and all(it.length is not None and self._equal(n, it.length) for it in its[1:]):
            return [s for it in its for s in it.sequences], n
        lengths = [self.emit(length, it.sequences[0]) for it in its]
        shortest = lengths[0]
        for other in lengths[1:]:
            shortest = self.emit(min, shortest, other)
        cut = length_of(kind_of_operand(self.operand(shortest)))
        out = []
        for it in its:
            for s in it.sequences:
                out.append(self.emit(operator.getitem, s, slice(Known(None), shortest, Known(None))))
        for v in out:
            if isinstance(v.kind, Seq):
                v.kind = Seq(v.kind.element, v.kind.range, cut)
        return out, cut

    def _equal(self, a: Any, b: Any) -> bool:
        if self.env.same(a, b):
            return True
        x, y = self.env.size(a), self.env.size(b)
        if x is None or y is None or x != y or self.env.resolve(a).anonymous or self.env.resolve(b).anonymous:
            return False
        self.env.agree(a, b)
        return True

    def equally_long(self, its: list[list[Any] | Iteration]) -> bool:
        """Do these surely have one number of elements?"""
        known = [constant(len(it)) if isinstance(it, list) else it.length for it in its]
        return all(n is not None and known[0] is not None and self._equal(known[0], n) for n in known)

    def zip_(self, its: list[list[Any] | Iteration], node: Any) -> list[Any] | Iteration:
        """Several things read side by side."""
        if not its:
            return []
        if any(isinstance(it, list) for it in its):
            shortest = min(len(it) for it in its if isinstance(it, list))
            try:
                rows = [it if isinstance(it, list) else self._first(it, shortest, node) for it in its]
                return [tuple(row) for row in zip(*rows, strict=False)]
            except Refusal:
                if not shortest:
                    return []
                its = [self.iterate(self.opened(it, it[0], "what is read side by side", node), node)
                       if isinstance(it, list) else it for it in its]  # fmt: skip
        dynamic = [it for it in its if isinstance(it, Iteration)]
        sequences, n = self.aligned(dynamic, node)

        def element(items: list[Value]) -> Any:
            out, k = [], 0
            for it in dynamic:
                out.append(it.element(items[k : k + len(it.sequences)]))
                k += len(it.sequences)
            return tuple(out)

        return Iteration(sequences, element, n)

    def _first(self, it: Iteration, count: int, node: Any) -> list[Any]:
        """The first elements of a sequence that is read beside something of known structure."""
        self.read_early += [s for s in it.sequences if isinstance(s.kind, Array) and s.kind.ndim == 1]
        if it.length is None or self.env.at_least(it.length, count) is not True:
            if all(s in self.defs and self.defs[s].target is range for s in it.sequences):
                return self.unrolled(
                    it,
                    node,
                    problem_at(self.loc(node), "the number of elements read side by side is not known", INDICES),
                )
            return self.elements(it, node)[:count]
        return [it.element([self.emit(operator.getitem, s, Known(i)) for s in it.sequences]) for i in range(count)]

    # ---------------------------------------------------------------------------------- comprehensions
    def collected(self, node: Any) -> Any:
        """What a comprehension collects: an element, or a key with its value."""
        if isinstance(node, gast.DictComp):
            return self.static(self.expr(node.key), node.key, "the key of a dict"), self.expr(node.value)
        return self.expr(node.elt)

    def expr_DictComp(self, node: Any) -> Any:
        return dict(self._comprehension(node, node.generators))

    def expr_SetComp(self, node: Any) -> Any:
        made = self._comprehension(gast.copy_location(gast.ListComp(node.elt, node.generators), node), node.generators)
        if not isinstance(made, list):
            raise self.refuse(node, "a set of what is computed is not supported", "use a list comprehension")
        return Known(Elements(self.static(d, node, "the element of a set", "use a list comprehension") for d in
                              self.elements(made, node)))  # fmt: skip

    def expr_ListComp(self, node: Any) -> Any:
        return self._comprehension(node, node.generators)

    def unpacked(self, node: Any) -> Any:
        """What a comprehension collects that is unpacked into names: where a range is known, each element is made by
        itself, so that it can be changed in place."""
        return self._comprehension(node, node.generators, apart=True)

    def _comprehension(self, node: Any, generators: list[Any], apart: bool = False) -> Any:
        """What the loops `generators` of a comprehension collect; elements that are made one by one if `apart`.

        None for inner ones that do not collect a known number of elements: then all of them make one loop.
        """
        problems, wall = len(self.problems), moment()
        read: list[Any] = []
        try:
            return self._comprehended(node, generators, wall, read, apart)
        except Storing as storing:
            if storing.wall != wall:
                raise
            it, mark, before = read
            del self.builder.region.ops[mark:]
            del self.problems[problems:]
            restore(before)
            return self.grown(node, it)
        finally:
            self.comprehensions.pop(wall, None)

    def _comprehended(self, node: Any, generators: list[Any], wall: int, read: list[Any], apart: bool) -> Any:
        """The same; what is `read` is put there. Raises Storing where it has to be a loop, with a statement."""
        whole = generators[0] is node.generators[0]
        g, more = generators[0], generators[1:]
        source = self.expr(g.iter)
        if isinstance(source, Generated) and whole and isinstance(node, gast.ListComp):
            return self.grown(node, source)
        it = self.iterate(source, g.iter)
        before = [(f, dict(f.env)) for f in self.frames()]  # of what is stored by elements that are lowered again
        read += [it, len(self.builder.region.ops), before]
        place = self.loc(node)
        apart = apart or (place.file, place.line, place.col) in self.scope.made_apart
        if apart and isinstance(it, Iteration):
            with suppress(Refusal):
                it = self.unrolled(it, g.iter, None)
        outer = self.frame
        if isinstance(it, Iteration) and (more or g.ifs) and not isinstance(node, gast.DictComp):
            return self.grown(node, it) if whole else None
        self.frame = Frame(outer.source, {}, outer, assigned_names([g]))
        self.walls.append(wall)
        if whole and not isinstance(it, Iteration):
            self.comprehensions[wall] = True
        elif whole and isinstance(node, gast.ListComp):
            self.comprehensions[wall] = False
        try:
            if isinstance(it, Iteration):
                mark = len(self.builder.region.ops)
                try:
                    collected = self._collect(node, g, it)
                    if all(self.is_range(s) for s in it.sequences):
                        parts = leaves(collected.element if isinstance(collected, ListOf) else collected)
                        self.comprehended.update(dict.fromkeys(parts, (place.file, place.line, place.col)))
                    return collected
                except Unroll as unroll:
                    if unroll.loop is not g:
                        raise
                    del self.builder.region.ops[mark:]
                    it = self.unrolled(it, g.iter, unroll.problem)
                    self.comprehensions[wall] = whole
            out: list[Any] = []
            for item in it:
                self.assign(g.target, item)
                try:
                    passes = all(self._static_filter(test) for test in g.ifs)
                except Refusal:
                    if isinstance(node, gast.DictComp):
                        raise
                    return self.instead(node, it, outer, read) if whole else None
                if not passes:
                    continue
                if more:
                    inner = self._comprehension(node, more)
                    if not isinstance(inner, list):
                        return self.instead(node, it, outer, read) if whole else None
                    out.extend(inner)
                else:
                    out.append(self.collected(node))
            return out
        finally:
            self.walls.pop()
            self.frame = outer

    def is_range(self, s: Any) -> bool:
        """Is this what `range` gives?"""
        return s in self.defs and self.defs[s].target is range

    def instead(self, node: Any, it: list[Any], frame: Frame, read: list[Any]) -> Any:
        """The list that a loop makes, in place of what has been lowered of it; it is as when its source was `read`."""
        _, start, before = read
        self.frame = frame
        del self.builder.region.ops[start:]
        restore(before)
        return self.grown(node, it)

    def _static_filter(self, test: Any) -> bool:
        t = self.condition(test)
        return t if isinstance(t, bool) else bool(self.static(t, test, "the condition of a comprehension"))

    def narrow_elements(self, elements: list[Value], it: Iteration) -> None:
        """Note of the elements of sequences what they may be in the user's program: see `narrower`."""
        for e, s in zip(elements, it.sequences, strict=True):
            lowest = least(s, self.lowest, self.defs, {})
            if 0 <= lowest < category(e.kind) >= 2:
                self.lowest[e] = lowest

    def _collect(self, node: Any, g: Any, it: Iteration) -> Any:
        if isinstance(node, gast.DictComp):
            reason = "a dict comprehension of unknown size is not supported"
            raise Unroll(g, problem_at(self.loc(node), reason, "make a list, or a dict with its keys written out"))
        region = Region()
        region.params = [Value(self.element_kind(kind_of_operand(s)), "", self.loc(node)) for s in it.sequences]
        self.narrow_elements(region.params, it)
        outer, self.builder.region = self.builder.region, region
        self.repeats.append(moment())
        for p, s in zip(region.params, it.sequences, strict=True):
            if kind_of_operand(s).__class__ is Seq and s.kind.range:
                self.loop_elements[p] = g
        try:
            self.assign(g.target, it.element(region.params))
            d = self.expr(node.elt)
        finally:
            self.repeats.pop()
            self.builder.region = outer
        op = For(
            "for",
            (list(it.sequences), []),
            {},
            [],
            False,
            any(o.effect for o in region.ops),
            self.loc(node),
            region,
        )

        def collect(x: Any) -> Value:
            if isinstance(x, Record):
                reason = f"a list of any length of objects of class {x.cls.__name__} is not supported"
                raise Unroll(g, problem_at(self.loc(node.elt), reason, "write a range of known length"))
            if isinstance(x, Closure | Callback) or (isinstance(x, Known) and callable(x.value)):
                reason = f"a list of any length of {describe(x)} is not supported"
                raise Unroll(g, problem_at(self.loc(node.elt), reason, "write the functions out in a list"))
            operand = self.operand(x)
            kind = kind_of_operand(operand)
            if not isinstance(kind, Num | Array | Seq):
                raise self.refuse(node.elt, f"a list of any length of {describe(x)} is not supported")
            value = Value(Seq(_anonymous(kind, region, self.env), length=it.length), "", self.loc(node))
            region.results.append(operand)
            op.results.append(value)
            return value

        out = rebuild(d, collect)
        if not op.results:
            reason = f"a list of any length of {describe(d)} is not supported"
            remedy = "write a range of known length, or append what is filled in a loop"
            raise Unroll(g, problem_at(self.loc(node.elt), reason, remedy))
        self.lend(d)
        outer.ops.append(op)
        for v in op.results:
            self.defs[v] = op
        return out if isinstance(out, Value) else ListOf(out)

    def grown(self, made: Any, source: Any) -> Any:
        """The list of a comprehension whose length is not known."""
        raise NotImplementedError

    def opened(self, items: list[Any], like: Any, text: str, node: Any) -> Any:
        """A list of known structure as one of any length, with elements like `like`. Raises Refusal."""
        raise NotImplementedError

    def listed_generator(self, g: Generated, node: Any, at_once: bool) -> Any:
        """The list of what a generator yields. `at_once`: nothing else happens before it has been read to its end."""
        raise NotImplementedError

    def assign(self, target: Any, d: Any) -> None:
        raise NotImplementedError


def _in_order(values: frozenset[Any]) -> bool:
    """Has every set of these elements one order?"""
    return len(values) < 2 or all(type(v) is int and 0 <= v < 8 for v in values)


def is_seen(op: Any) -> bool:
    """Does an operation do something that is seen outside, such as printing?"""
    ours = getattr(op.target, "__module__", None) or ""
    return bool(op.effect) and not op.regions and ours.split(".")[0] not in ("rules", "adcompiler")


def _anonymous(kind: Any, region: Region, env: Any) -> Any:
    """A collected element's kind: what varies with the iteration has no name outside."""
    if isinstance(kind, Array):
        return Array(kind.dtype, tuple(env.fresh() if n.anonymous else n for n in kind.shape), kind.xp)
    return Num(kind.type) if isinstance(kind, Num) else kind


def _single(d: Any) -> bool:
    """Is this one thing, without elements?"""
    if isinstance(d, Value):
        return isinstance(d.kind, Num) or (isinstance(d.kind, Array) and not d.kind.ndim)
    return isinstance(d, Known) and not hasattr(d.value, "__iter__")


class _Names(gast.NodeVisitor):
    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def visit_Name(self, node: Any) -> None:
        if isinstance(node.ctx, gast.Store | gast.Del):
            self.names[node.id] = None

    def visit_FunctionDef(self, node: Any) -> None:
        self.names[node.name] = None

    visit_ClassDef = visit_FunctionDef

    def visit_Import(self, node: Any) -> None:
        for alias in node.names:
            self.names[alias.asname or alias.name.split(".")[0]] = None

    visit_ImportFrom = visit_Import

    def visit_MatchAs(self, node: Any) -> None:
        name = node.rest if isinstance(node, gast.MatchMapping) else node.name
        if name is not None:
            self.names[name] = None
        self.generic_visit(node)

    def visit_Attempts(self, node: Any) -> None:
        for name in (node.attempt.raised, node.attempt.passed, node.attempt.error if node.attempt.needs_error else ""):
            if name:
                self.names[name] = None
        self.generic_visit(node)

    visit_MatchStar = visit_MatchMapping = visit_MatchAs

    def visit_Lambda(self, node: Any) -> None:
        pass

    def visit_ListComp(self, node: Any) -> None:
        for n in ast_walk_walrus(node):
            self.names[n] = None

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp


def ast_walk_walrus(node: Any) -> list[str]:
    """The names that `:=` binds inside a comprehension: they are the function's."""
    return [n.target.id for n in gast.walk(node) if isinstance(n, gast.NamedExpr)]


def assigned_names(nodes: list[Any]) -> frozenset[str]:
    """The names that these statements bind in their own scope."""
    return frozenset().union(*map(_assigned, nodes))


@lru_cache(4096)
def _assigned(node: Any) -> frozenset[str]:
    visitor = _Names()
    visitor.visit(node.target if isinstance(node, gast.comprehension) else node)
    return frozenset(visitor.names)


@lru_cache(4096)
def declared_names(node: Any) -> frozenset[str]:
    """The names that a function declares to be those of functions around it."""
    found: set[str] = set()
    stack = list(node.body) if isinstance(node.body, list) else []
    while stack:
        n = stack.pop()
        if isinstance(n, gast.Nonlocal):
            found.update(n.names)
        if not isinstance(n, gast.FunctionDef | gast.Lambda | gast.ClassDef):
            stack.extend(gast.iter_child_nodes(n))
    return frozenset(found)


def changed_names(nodes: list[Any]) -> frozenset[str]:
    """The names that these statements bind, and those that denote what they store into."""
    grown = {path[0] for path in grown_places(nodes)}
    return assigned_names(nodes).union(grown, *map(_stored_into, nodes))


@lru_cache(4096)
def _stored_into(node: Any) -> frozenset[str]:
    found = set()
    for n in gast.walk(node):
        if isinstance(n, gast.Subscript | gast.Attribute) and isinstance(n.ctx, gast.Store):
            root: Any = n
            while isinstance(root, gast.Subscript | gast.Attribute):
                root = root.value
            if isinstance(root, gast.Name):
                found.add(root.id)
    return frozenset(found)


#: Methods that change a list or a dict.
CHANGING = (
    "appendleft", "popleft", "extendleft", "rotate",
    "append", "extend", "insert", "pop", "update", "setdefault", "popitem", "clear", "remove", "sort", "reverse",
)  # fmt: skip
#: Methods that change how many elements a list has.
GROWING = ("append", "extend", "insert", "pop")


@lru_cache(4096)
def in_place_names(node: Any) -> frozenset[str]:
    """The names of lists and dicts that methods called in a statement change."""
    calls = (n.func for n in gast.walk(node) if isinstance(n, gast.Call) and isinstance(n.func, gast.Attribute))
    return frozenset(f.value.id for f in calls if f.attr in CHANGING and isinstance(f.value, gast.Name))


def grown_places(nodes: list[Any]) -> frozenset[tuple[Any, ...]]:
    """The places, a name and constant keys, of lists to which these statements may append, or from which they pop."""
    return frozenset().union(*map(_grown, nodes))


@lru_cache(4096)
def _grown(node: Any) -> frozenset[tuple[Any, ...]]:
    found: set[tuple[Any, ...]] = set()
    for n in gast.walk(node):
        if isinstance(n, gast.Call) and isinstance(n.func, gast.Attribute) and n.func.attr in GROWING:
            owner: Any = n.func.value
        elif isinstance(n, gast.AugAssign) and isinstance(n.op, gast.Add):
            owner = n.target
        else:
            continue
        keys: list[Any] = []
        while isinstance(owner, gast.Subscript):
            keys.insert(0, owner.slice.value if isinstance(owner.slice, gast.Constant) else owner.slice)
            owner = owner.value
        if isinstance(owner, gast.Name):
            found.add((owner.id, *keys))
    return frozenset(found)
