"""Functions that call themselves are lowered apart, once for the kinds of their arguments, and called.

def f(x, n): return x if n == 0 else x * f(x, n - 1)      ->      f(%x, %n) { .. %t = f(%x, %n - 1); .. }

What such a function returns is found out as a fixpoint: at first its calls of itself are taken to return nothing at
all, like a `raise`, so that the other paths tell. Lengths of arguments are symbols of the function: equal ones share
one, and 1 stays 1. What it reads from around it becomes parameters.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from adcompiler.errors import Refusal
from adcompiler.frontend.form import Form, identity_of, is_number, wider
from adcompiler.frontend.joins import DIVERGES
from adcompiler.frontend.kinds import Known, ListOf, join_kinds
from adcompiler.frontend.lifting import lifted
from adcompiler.frontend.liveness import read
from adcompiler.frontend.ownership import containers, may_be_one
from adcompiler.frontend.scope import Frame, Poison, Unreturned, poison_problem
from adcompiler.frontend.storage import Stores
from adcompiler.frontend.words import describe
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.callee import Callee
from adcompiler.ir.core import Function, Loc, Op, Region, Value, leaves
from adcompiler.ir.structure import like
from rules.kind import ONE, Array, Length, Num, Seq

#: How often a function may be lowered inside itself, for arguments that differ in what is known of them.
MAX_DEPTH = 16
#: How often in all within one call of it: a body with two calls may be lowered twice as often at each depth.
MAX_CALLS = 200
#: An axis of a result of which it is not known how long it is.
SOME = Length("?")


class Recursive(Exception):
    """A function turns out to call itself: lowering starts again, with its calls as operations."""

    def __init__(self, form: Any, axes: tuple[int, ...]) -> None:
        super().__init__(form)
        self.form = form
        self.axes = axes


@dataclass(eq=False)
class InProgress:
    """A function that is being lowered apart; `result` is what its calls are taken to return, None for nothing yet."""

    form: Any
    within: Any
    axes: tuple[int, ...]
    callee: Callee
    result: Any = None
    calls: int = 0
    lengths: list[Length] = field(default_factory=list)


class Recursion(Stores):
    """Lowers the calls of functions that call themselves."""

    #: How often each function has been lowered within the first call of it so far.
    unfolded: dict[Any, int]

    def axes(self, lengths: list[Length]) -> tuple[int, ...]:
        """Which axes are equally long, by number; -1 for those of length 1."""
        known: list[Length] = []
        out = []
        for n in map(self.env.resolve, lengths):
            if n != ONE and n not in known:
                known.append(n)
            out.append(-1 if n == ONE else known.index(n))
        return tuple(out)

    def form_of(self, node: Any, frame: Frame, bound: dict[str, Any]) -> tuple[Any, Form]:
        """What tells this call from others of the same function."""
        place = identity_of(node, frame)
        found = Form(lambda path: (place, *path) in self.scope.describe.by_value)
        return (place, found.of(bound, ())), found

    def by_value(self, node: Any, frame: Frame, name: str, bound: dict[str, Any], call: Any) -> dict[str, Any]:
        """The arguments, those known that are needed by value."""
        place = identity_of(node, frame)
        wanted = {path[1:] for path in self.scope.describe.by_value if path[:1] == (place,)}

        def known(d: Any, path: tuple[Any, ...]) -> Any:
            if isinstance(d, Value) and path in wanted:
                return Known(self.static(d, call, f"the argument {path[0]} of {name}"))
            if not any(w[: len(path)] == path for w in wanted):
                return d  # the same object
            made = _mapped(d, known, path)
            self.alike(d, made)
            return made

        return {p: known(d, (p,)) for p, d in bound.items()}

    def entered(self, node: Any, frame: Frame, name: str, bound: dict[str, Any], call: Any) -> Any:
        """The denotation of a call with these arguments: of the body in its place, or of an operation."""
        bound = self.by_value(node, frame, name, bound, call)
        form, found = self.form_of(node, frame, bound)
        axes = self.axes(found.lengths)
        if form in self.scope.recursive:
            return self.called(form, found, axes, node, frame, name, bound, call)
        if any(f == form for f, _ in self.stack):
            before = next(a for f, a in self.stack if f == form)
            raise Recursive(form, wider(before, axes))
        if sum(f[0] == form[0] for f, _ in self.stack) >= MAX_DEPTH:
            reason = (
                f"{name} calls itself with arguments of another structure, or other constants, {MAX_DEPTH} times over"
            )
            raise self.refuse(call, reason, "write it as a loop, or pass arguments of one structure")
        inside = any(f[0] == form[0] for f, _ in self.stack)
        self.unfolded[form[0]] = self.unfolded.get(form[0], 0) + 1 if inside else 0
        if self.unfolded[form[0]] > MAX_CALLS:
            raise self.refuse(call, f"{name} calls itself with other constants, more than {MAX_CALLS} times in all",
                              "write it as a loop, or pass arguments of one structure")  # fmt: skip
        self.stack.append((form, axes))
        try:
            d = self.in_place_of_call(node, frame, bound)
        finally:
            self.stack.pop()
        if isinstance(d, Poison) and d.reported:
            raise Refusal(None)
        return d

    def check_assigns_nothing(self, node: Any, frame: Frame, name: str, call: Any) -> None:
        """Refuse a function that calls itself, and may assign variables of those around it."""
        around = frame.parent
        while around is not None:
            shared = around.body.rebound & read(node)
            if shared:
                reason = f"{name} calls itself, and shares {', '.join(sorted(shared))}, which a function assigns"
                raise self.refuse(call, reason, "pass the value as an argument, and return it")
            around = around.parent

    def called(self, form: Any, found: Form, axes: tuple[int, ...], node: Any, frame: Frame, name: str,
               bound: dict[str, Any], call: Any) -> Any:  # fmt: skip
        """An operation that calls the function; the denotation of what it returns."""
        wanted = self.scope.recursive[form]
        self.check_assigns_nothing(node, frame, name, call)
        if wider(wanted, axes) != wanted:
            raise Recursive(form, wider(wanted, axes))
        within = (id(frame.parent), *found.frames)
        progress = next((p for p in self.scope.in_progress if p.form == form and p.within == within), None)
        if progress is None:
            progress = self.scope.finished.get((form, within))
        if progress is None:
            progress = self.lowered_apart(form, within, wanted, node, frame, name, bound, call)
        progress.calls += 1
        if progress.result is None:
            raise Unreturned
        operands = [self.operand(d) for _, d in found.given]
        sizes = {n.symbol: size for n, size in zip(progress.lengths, found.lengths, strict=True) if n != ONE}
        loc = self.loc(call)

        def fresh(d: Any) -> Any:
            if isinstance(d, Value):
                return Value(self.kind_here(d.kind, sizes), d.hint, loc)
            return _mapped(d, fresh)

        result = fresh(progress.result)
        callee = progress.callee
        op = Op(callee, (*operands, *self.scope.around.get(callee, ())), {}, list(leaves(result)), False,
                callee.effect, loc)  # fmt: skip
        self.builder.region.ops.append(op)
        self.defs.update(dict.fromkeys(op.results, op))
        self.notecontainers(bound, result)
        return result

    def notecontainers(self, bound: dict[str, Any], result: Any) -> None:
        """A list or dict that a function returns may be one that it was given or has read, or be returned twice."""
        made = [x for _, x in containers(result, "")]
        around = [d for _, _, d in self.names()] + [c.tree for c in self.scope.captured.values()]
        outside = [x for d in (bound, *around) for _, x in containers(d, "")]
        self.same_objects += [(x, y) for x in outside for y in made if may_be_one(x, y)]
        self.same_objects += [(x, y) for i, x in enumerate(made) for y in made[i + 1 :] if may_be_one(x, y)]

    def kind_here(self, kind: Any, sizes: dict[Any, Length]) -> Any:
        """A kind of the function's results as the caller sees it."""
        if isinstance(kind, Seq):
            return Seq(self.kind_here(kind.element, sizes), kind.range)
        if not isinstance(kind, Array):
            return kind

        def here(n: Length) -> Length:
            if n == SOME:
                return self.env.fresh()
            return sizes[n.symbol] + n.offset if n.symbol in sizes else n

        return Array(kind.dtype, tuple(map(here, kind.shape)), kind.xp)

    # ------------------------------------------------------------------------------------- the function itself
    def lowered_apart(self, form: Any, within: Any, axes: tuple[int, ...], node: Any, frame: Frame, name: str,
                      bound: dict[str, Any], call: Any) -> InProgress:  # fmt: skip
        """Lower the function on its own, until what it returns is what its calls were taken to return."""
        progress = InProgress(form, within, axes, Callee(name if name.isidentifier() else "function"))
        scope = self.scope
        if len(scope.in_progress) >= MAX_DEPTH:
            raise self.refuse(call, f"{name} calls itself with another function each time", "pass the same function")
        scope.in_progress.append(progress)
        before = dict(scope.finished)
        try:
            for _ in range(MAX_DEPTH):
                progress.calls = 0
                region, params, got = self.body_apart(progress, node, frame, name, bound, call)
                if got is DIVERGES:
                    if any(p.result is None for p in scope.in_progress[:-1]):
                        raise Unreturned
                    reason = f"every path through {name} calls {name} again, as far as can be seen"
                    raise self.refuse(call, reason, "return the simplest case under an `if` of its own")
                found = self.template(got, progress)
                whole = found if progress.result is None else self.joined(progress.result, found, name, call)
                if not progress.calls or (progress.result is not None and _same(whole, progress.result)):
                    progress.result = whole
                    break
                progress.result = whole
                scope.finished = dict(before)
            else:
                raise self.refuse(call, f"the kinds of what {name} returns do not settle", "return one kind of value")
        finally:
            scope.in_progress.pop()
        region.results = list(self.results(progress.result, got, region))
        where = f"`{name}` ({Loc(frame.source.file, node.lineno).short})"
        function = Function(progress.callee.name, params, region, tuple(region.results), where)
        progress.callee.function = function
        if frame.parent is None and len(within) == 1:
            scope.finished[form, within] = progress
        if not scope.in_progress:
            scope.around.update(lifted(progress.callee, scope.around))
        return progress

    def body_apart(self, progress: InProgress, node: Any, frame: Frame, name: str,
                   bound: dict[str, Any], call: Any) -> tuple[Region, list[Value], Any]:  # fmt: skip
        """The operations of the body, its parameters, and the denotation of what is returned."""
        place, _ = progress.form
        symbols = [ONE if k < 0 else None for k in progress.axes]
        by_axis = {k: self.env.fresh() for k in dict.fromkeys(progress.axes) if k >= 0}
        progress.lengths = [n or by_axis[k] for n, k in zip(symbols, progress.axes, strict=True)]
        lengths = iter(progress.lengths)
        params: list[Value] = []

        def parameter(d: Any, path: tuple[Any, ...]) -> Any:
            if isinstance(d, Known) and (not is_number(d) or (place, *path) in self.scope.describe.by_value):
                return d
            if isinstance(d, Known | Value):
                names = [str(p) for p in path if p != "*"]
                hint = names[-1] if names[-1].isidentifier() else "_".join(names)
                params.append(Value(self.kind_apart(kind_of_operand(self.operand(d)), lengths), hint))
                return params[-1]
            return _mapped(d, parameter, path)

        formal = parameter(bound, ())
        inner = self.apart_in(Frame(frame.source, formal, frame.parent, frame.locals, name))
        inner.apart = name
        inner.stack = [(progress.form, progress.axes)]
        inner.note_captures()
        inner.argument_trees = tuple(formal.values())
        inner.note_arguments(formal.values())
        given = [path for path, _ in self.form_of(node, frame, bound)[1].given]
        for p, path in zip(params, given, strict=True):
            if isinstance(p.kind, Num) and p.kind.type is int and "*" not in path:
                inner.promotable[p] = (place, *path)
        try:
            got = inner.ending(node)
        except Unreturned:
            got = DIVERGES
        if inner.problems:
            self.problems.extend(p for p in inner.problems if p not in self.problems)
            raise Refusal(None)
        for d in _flat(got):
            if isinstance(d, Poison):
                raise Refusal(poison_problem(d, "the result", self.loc(call)))
        self.changed_passed += inner.changed_passed
        return inner.builder.region, params, got

    def apart_in(self, frame: Frame) -> Any:
        """What lowers a function apart, in a frame of its own."""
        raise NotImplementedError

    def kind_apart(self, kind: Any, lengths: Iterator[Length]) -> Any:
        """The kind of a parameter: of any lengths, but for what the calls have in common."""
        if isinstance(kind, Array):
            return Array(kind.dtype, tuple(next(lengths) for _ in kind.shape), kind.xp)
        if isinstance(kind, Seq):
            element = kind.element
            if isinstance(element, Array):
                shape = tuple(n if n == ONE else self.env.fresh() for n in element.shape)
                element = Array(element.dtype, shape, element.xp)
            return Seq(element, kind.range)
        return Num(kind.type) if isinstance(kind, Num) else kind

    def template(self, got: Any, progress: InProgress) -> Any:
        """What is returned, in the function's own lengths."""
        mine = {n.symbol for n in progress.lengths}

        def length(n: Length) -> Length:
            n = self.env.resolve(n)
            return n if n.symbol in mine or not n.anonymous else SOME

        def general(kind: Any) -> Any:
            if isinstance(kind, Array):
                return Array(kind.dtype, tuple(map(length, kind.shape)), kind.xp)
            if isinstance(kind, Seq):
                return Seq(general(kind.element), kind.range)
            return Num(kind.type) if isinstance(kind, Num) else kind

        def leaf(d: Any) -> Any:
            if isinstance(d, Value) or (isinstance(d, Known) and isinstance(d.value, bool | int | float | complex)):
                return Value(general(kind_of_operand(self.operand(d))), d.hint if isinstance(d, Value) else "")
            return _mapped(d, leaf)

        return leaf(got)

    def joined(self, a: Any, b: Any, name: str, call: Any) -> Any:
        """What a function returns that returns the one or the other."""
        if isinstance(a, Value) and isinstance(b, Value):
            kind = join_kinds(a.kind, b.kind, self.env)
            if kind is not None:
                if isinstance(kind, Array):
                    both = zip(a.kind.shape, b.kind.shape, strict=True)
                    kind = Array(kind.dtype, tuple(x if x == y else SOME for x, y in both), kind.xp)
                return Value(kind, a.hint or b.hint)
        elif isinstance(a, Known) and a == b:
            return a
        elif isinstance(a, tuple | list) and type(a) is type(b) and len(a) == len(b):
            return like(a, (self.joined(x, y, name, call) for x, y in zip(a, b, strict=True)))
        elif isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
            return {k: self.joined(a[k], b[k], name, call) for k in a}
        elif isinstance(a, ListOf) and isinstance(b, ListOf):
            return ListOf(self.joined(a.element, b.element, name, call))
        reason = f"{name} returns {describe(a)} on one path, and {describe(b)} on another"
        raise self.refuse(call, reason, "return one kind of value on every path")

    def results(self, template: Any, got: Any, region: Region) -> Iterator[Any]:
        """What the region yields for each value of the template."""
        if isinstance(template, Value):
            yield self.as_kind(self.operand(got), template, region)
        elif isinstance(template, tuple | list):
            for x, y in zip(template, got, strict=True):
                yield from self.results(x, y, region)
        elif isinstance(template, dict):
            for k, x in template.items():
                yield from self.results(x, got[k], region)
        elif isinstance(template, ListOf):
            yield from self.results(template.element, got.element, region)


def _mapped(d: Any, f: Callable[..., Any], *path: Any) -> Any:
    """The same container with `f` applied to its parts, and their paths if one is given."""
    if not isinstance(d, tuple | list | dict | ListOf):
        return d
    parts = d.items() if isinstance(d, dict) else [("*", d.element)] if isinstance(d, ListOf) else enumerate(d)
    out = {k: f(x, *((*p, k) for p in path)) for k, x in parts}
    if isinstance(d, ListOf):
        return ListOf(out["*"])
    return out if isinstance(d, dict) else like(d, out.values())


def _flat(d: Any) -> Iterator[Any]:
    if isinstance(d, tuple | list):
        for x in d:
            yield from _flat(x)
    elif isinstance(d, dict):
        yield from _flat(list(d.values()))
    else:
        yield d


def _same(a: Any, b: Any) -> bool:
    """Are two templates equal?"""
    if isinstance(a, Value) and isinstance(b, Value):
        return bool(a.kind == b.kind)
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(_same(a[k], b[k]) for k in a)
    return bool(a == b) if not isinstance(a, ListOf) else isinstance(b, ListOf) and _same(a.element, b.element)


__all__ = ["Recursion", "Recursive"]
