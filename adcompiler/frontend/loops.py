"""Loops: what is carried from one iteration to the next, and of which kind it is."""

import operator
from collections.abc import Callable
from typing import Any

import gast

from adcompiler.errors import Refusal, problem_at
from adcompiler.frontend.defaulting import Defaulting
from adcompiler.frontend.desugar import exit_flag, hint, is_flag
from adcompiler.frontend.frames import held
from adcompiler.frontend.growth import Grow, collect_appends
from adcompiler.frontend.header import Header, after_loop, plain_kind
from adcompiler.frontend.iteration import assigned_names, changed_names, grown_places
from adcompiler.frontend.iterators import Generated, Iteration, Once
from adcompiler.frontend.joins import Diverges, Environments, restore
from adcompiler.frontend.kinds import MAX_UNROLLED, Known
from adcompiler.frontend.ownership import READ
from adcompiler.frontend.records import Record, of_heap
from adcompiler.frontend.scope import Callback, Closure, Maybe, Method, Poison
from adcompiler.frontend.static import Unroll
from adcompiler.frontend.structural import STRUCTURAL
from adcompiler.frontend.versions import Rebound, Reread, Written
from adcompiler.frontend.walk import walk_denotation
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import (
    UNDEF,
    For,
    Loc,
    Region,
    Value,
    While,
)
from rules.cotangent import length, listed
from rules.kind import Array, Num, Seq


class Loops(Defaulting):
    """Lowers `for` and `while`."""

    def block(self, statements: list[Any]) -> Any:
        """Lower statements in order; how they end."""
        raise NotImplementedError

    def set_name(self, name: str, d: Any) -> None:
        """Give a name of this frame, or an attribute, its new meaning."""
        raise NotImplementedError

    def has_new_attributes(self, before: dict[str, Any]) -> bool:
        """Has an object that the loop around has found attributes that it had not before?"""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------ loops
    def repeated(self) -> list[int]:
        return [*self.repeats, *(header.mark for header in self.headers)]

    def _loop_body(self, node: Any, d: Any) -> Any:
        self.assign(node.target, d)
        return self.block(_without_exit(node))

    def stops(self, node: Any) -> Any:
        """At the end of an iteration: does the loop stop here? A bool where that is known."""
        flag = exit_flag(node)
        return False if flag is None else self.truth(self.frame.env[flag], node)

    def fold_loop(self, it: Iteration, start: Any, node: Any) -> Any:
        name = "total "
        self.frame.env[name] = start

        def add(d: Any) -> None:
            self.frame.env[name] = self.binary(operator.add, self.frame.env[name], d, node)

        self.for_loop(it, frozenset({name}), add, node)
        return self.frame.env.pop(name)

    def for_loop(self, it: Iteration, names: frozenset[str], body: Callable[[Any], Any], node: Any) -> None:
        """Lower a loop over sequences of unknown length; `body` lowers one iteration."""
        loc = self.loc(node)
        stop: Any = False

        def run(region: Region) -> Any:
            nonlocal stop
            elements = [Value(self.element_kind(kind_of_operand(s)), "", loc) for s in it.sequences]
            region.params[:0] = elements
            self.narrow_elements(elements, it)
            for e, s in zip(elements, it.sequences, strict=True):
                if isinstance(s, Value) and isinstance(s.kind, Seq) and s.kind.range:
                    self.loop_elements[e] = node
                elif isinstance(node, gast.For) and isinstance(kind_of_operand(s), Array):
                    self.read_by[e] = node
                elif isinstance(s, Value):
                    self.elements_of[e] = s
            status = body(it.element(elements))
            stop = status is None and isinstance(node, gast.For) and self.stops(node)
            return status

        pinned = [(s, node) for s in it.sequences if isinstance(s, Value)]
        self.pinned.extend(pinned)
        try:
            region, inits, results, effect, header = self.carry(
                names, run, loc, grown_places(getattr(node, "body", [])), it, node
            )
        finally:
            del self.pinned[len(self.pinned) - len(pinned) :]
        for s, e in zip(it.sequences, region.params, strict=False):
            if isinstance(s, Value) and isinstance(s.kind, Seq) and e.hint and "_" in s.hint:
                s.hint = f"{e.hint}s"  # the parts of a list of structures are called as the loop calls them
        op = For("for", (list(it.sequences), inits), {}, results, False, effect, loc, region)
        self.finish_loop(op, results, stop, header)
        collect_appends(op, it.length, self.defs)
        if it.length is None or self.env.at_least(it.length, 1) is not True:
            self.doubt(op, names | header.first)

    def meaning(self, node: Any) -> Any:
        """The function that a name, or a dotted one, denotes; None if it denotes none that is known."""
        inner = node
        while isinstance(inner, gast.Attribute):
            inner = inner.value
        d = self.expr(node) if isinstance(inner, gast.Name) and inner.id not in self.frame.env else None
        return d.value if isinstance(d, Known) else None

    def doubt(self, op: For | While, names: frozenset[str]) -> None:
        """What a loop assigns first may have no value after it: reading it checks that it has one."""
        first = {r for r, i in zip(op.results, op.inits, strict=False) if i is UNDEF}
        for n in names:
            d = (self.heap if of_heap(n) else self.frame).env.get(n)
            if isinstance(d, Value) and d in first and not is_flag(n):
                self.set_name(n, Maybe(d))

    def finish_loop(self, op: For | While, results: list[Value], stop: Any, header: Header) -> None:
        if stop is not False:
            op.stop = True
            op.body.results.append(stop)
        self.builder.region.ops.append(op)
        for v in results:
            self.defs[v] = op
        header.shared.leave(dict(zip(header.params, results, strict=False)))

    def carry(
        self,
        names: frozenset[str],
        run: Callable[[Region], Any],
        loc: Loc,
        grown: frozenset[tuple[Any, ...]] = frozenset(),
        it: Iteration | None = None,
        node: Any = None,
    ) -> tuple[Region, list[Any], list[Value], bool, Header]:
        """Lower a loop's body until what it carries is stable. Leaves the names as they are after the loop.

        `it` is what a `for` reads, `node` the statement.
        """
        frame, outer = self.frame, self.builder.region
        around: Environments = [(f, dict(f.env)) for f in self.frames()]
        before = {**next(env for f, env in around if f is self.heap), **around[0][1]}
        header = Header(
            self,
            {n: before[n] for n in sorted(names) if n in before and not isinstance(before[n], Poison)},
            grown,
            it,
            node,
        )
        problems = len(self.problems)
        for _ in range(30):
            if not header.reported:  # what was said about a poisoned name is not said again
                del self.problems[problems:]
            self.builder.loc = loc
            restore([(f, dict(env)) for f, env in around])
            start, params, inits, _paths = header.start()
            for n, d in start.items():
                self.set_name(n, d)
                self.alike(before.get(n), d)
            region = header.region = self.builder.region = Region(list(params))
            self.headers.append(header)
            header.shared.enter()
            header.begin_iteration()
            try:
                status = run(region)
            except Grow as grow:
                if not header.learn(grow):
                    restore(around)
                    raise
                continue
            except Written as written:
                if written.header is not header:
                    restore(around)
                    raise
                header.shared.roots.append(written.root)
                continue
            except Rebound as rebound:
                restore(around)
                if rebound.header is not header:
                    raise
                header.carry(rebound.name)
                continue
            except BaseException:
                restore(around)
                raise
            finally:
                self.headers.pop()
                self.builder.region = outer
            end = {**self.heap.env, **frame.env}
            names = names | header.first
            yields: dict[Value, Any] = {}
            self.builder.loc = loc
            if isinstance(status, Diverges):
                yields = dict.fromkeys(params, UNDEF)
                end = {**before, **start}
                break
            accepted = [header.accept((n,), d, end.get(n), yields) for n, d in start.items()]
            accepted.append(header.shared.settle(yields))
            accepted.append(header.settle_containers())
            late = [n for n in sorted(names - set(start)) if isinstance(end.get(n), Maybe)]
            if all(accepted) and not late:
                break
            for n in late:
                header.keep(n, end[n].value)
        else:
            restore(around)
            raise Refusal(
                problem_at(loc, "the kinds of what this loop carries do not settle", "give each variable one kind")
            )
        restore(around)
        results = [Value(after_loop(p.kind, header.open_lengths, self.env), p.hint, loc) for p in params]
        for i, p in zip(inits, params, strict=True):
            if i in self.defs and self.defs[i].target is listed:
                i.kind = p.kind  # of the first elements, and of those that the loop appends
        inits = [self.as_kind(i, p, outer) for i, p in zip(inits, params, strict=True)]
        region.results = [self.as_kind(yields.get(p, p), p, region) for p in params]
        self.lowest.update({r: self.lowest[p] for p, r in zip(params, results, strict=True) if p in self.lowest})
        for i, p, y, r in zip(inits, params, region.results, results, strict=True):
            self.note_classes(r, i, p, y)
        for marked in (self.frozen_joins, self.owned_joins):
            marked.update(r for p, r in zip(params, results, strict=True) if p in marked)
        after = dict(zip(params, results, strict=True))
        for n, d in start.items():
            if isinstance(d, Maybe):
                made: Any = Maybe(header.objects.leave(d.value, after))
            else:
                made = d if isinstance(d, Poison) else header.objects.leave(d, after)
            self.set_name(n, made)
            self.alike(d, made)
            self.alike(end.get(n), d)
            if isinstance(d, Maybe):
                continue
            unset = isinstance(status, Diverges) or (isinstance(end[n], Known) and end[n].value is False)
            if is_flag(n) and unset and isinstance(before[n], Known):  # no iteration that ends sets it
                frame.env[n] = before[n]

        def first(n: str, d: Any) -> Any:
            if isinstance(d, Record):
                return header.objects.first(d, end, first)
            return self._first_assigned(n, d, region, inits, results, header.mark, first)

        for n in sorted(names - set(start)):
            if n in end:
                d = end[n].value if isinstance(end[n], Maybe) else end[n]
                made = first(n, d)
                self.set_name(n, made)
                self.alike(d, made)
        return region, inits, results, any(o.effect for o in region.ops), header

    def _first_assigned(
        self, name: str, d: Any, region: Region, inits: list[Any], results: list[Value], began: int,
        first: Callable[[str, Any], Any],
    ) -> Any:  # fmt: skip
        """A name that only the loop assigns: carried from nowhere, so that its last value is there afterwards."""
        if isinstance(d, Value) or (isinstance(d, Known) and isinstance(d.value, int | float | complex)):
            operand = self.operand(d)
            kind = plain_kind(kind_of_operand(operand))
            region.params.append(Value(after_loop(kind, None, self.env), hint(name)))
            region.results.append(operand)
            inits.append(UNDEF)
            results.append(Value(after_loop(kind, None, self.env), hint(name), self.builder.loc))
            return results[-1]
        if isinstance(d, Callback | Closure | Method | Once) and any(v.id > began for _, v, _ in held(d, "")):
            return Poison("{name} is made in the loop", "make it before the loop, or read it there", self.builder.loc)
        return walk_denotation(d, (), lambda x, _: first(name, x))

    def stmt_For(self, node: Any, rest: list[Any]) -> Any:
        d = self.expr(node.iter)
        if isinstance(d, Generated):
            with self.unfollowed(node):
                return self.read_generator(node, d)
        early = len(self.read_early)
        with self.unfollowed(node):
            it = self.iterate(d, node.iter)
        if isinstance(it, Iteration):
            loop = it
            mark = len(self.builder.region.ops)
            before: Environments = [(f, dict(f.env)) for f in self.frames()]
            problems = len(self.problems)
            names = changed_names(node.body) | assigned_names([node.target])

            def undo() -> None:
                del self.builder.region.ops[mark:]
                del self.problems[problems:]
                restore(before)

            try:
                self.for_loop(it, names, lambda d: self._loop_body(node, d), node)
                unsettled = [
                    p for p in self.problems[problems:] if isinstance(p.origin, tuple) and p.origin[0] == self.loc(node)
                ]
                if unsettled and self.is_short(loop):  # what is None at first, say
                    undo()
                    it = self.unrolled(loop, node.iter, unsettled[0])
            except Reread as again:
                if again.loop is not node:
                    raise
                undo()
                self.by_index(loop, names, node)
            except Unroll as unroll:
                if unroll.loop is not node:
                    raise
                undo()
                it = self.unrolled(loop, node.iter, unroll.problem)
        if isinstance(it, list):
            self.check_read_list(node)
            if len(it) > MAX_UNROLLED:
                reason = f"a loop over {len(it)} elements of a structure would be unrolled (at most {MAX_UNROLLED})"
                remedy = "put them into one array, or a list of equal kinds passed as an argument"
                raise self.refuse(node.iter, reason, remedy)
            pinned = [(s, node) for s in self.read_early[early:]]
            self.pinned.extend(pinned)
            try:
                return self._unrolled_loop(node, it)
            except Reread as again:
                if again.loop is not node:
                    raise
                reason = "the loop reads an array beside a tuple or a list, and changes it in place"
                raise self.refuse(node.iter, reason, "loop over indices, for i in range(n), and read by them") from None
            finally:
                del self.pinned[len(self.pinned) - len(pinned) :]
        return None

    def read_generator(self, node: Any, g: Generated) -> Any:
        """A `for` over what a generator yields."""
        raise NotImplementedError

    def unfollowed(self, node: Any) -> Any:
        """Refuse what may be raised within, if the `try` around a statement catches it."""
        raise NotImplementedError

    def by_index(self, it: Iteration, names: frozenset[str], node: Any) -> None:
        """A loop over the rows of arrays that its body changes: each row is read when its turn comes.

        Raises Refusal where it is an array in a list that the body changes.
        """
        arrays = [s for s in it.sequences if isinstance(s.kind, Array)]
        refusal = self.refuse(node.iter, "the loop reads a list, and changes an array in it in place",
                              "make copies of the arrays before: [y.copy() for y in ys]")  # fmt: skip
        if not arrays:
            raise refusal
        others = [s for s in it.sequences if not isinstance(s.kind, Array)]
        with self.kept(READ, arrays) as name:
            indices = STRUCTURAL[range](self, node, self.emit(length, arrays[0]))
            indices.kind = Seq(Num(int), range=True, length=it.length)

            def element(items: list[Value]) -> Any:
                read = iter([self.emit(operator.getitem, a, items[0]) for a in self.frame.env[name]])
                rest = iter(items[1:])
                return it.element([next(read) if isinstance(s.kind, Array) else next(rest) for s in it.sequences])

            indexed = Iteration([indices, *others], element, it.length)
            try:
                self.for_loop(indexed, names, lambda d: self._loop_body(node, d), node)
            except Reread as again:
                if again.loop is not node:
                    raise
                raise refusal from None

    def _unrolled_loop(self, node: Any, items: list[Any]) -> Any:
        """One iteration after the other; where one may be the last, the others are a side of an If."""
        with self.kept(READ, items) as name:
            return self._iterations(node, name, 0)

    def _iterations(self, node: Any, name: str, first: int) -> Any:
        """The iterations of an unrolled loop from one on; what is kept under this name is what it reads."""
        count = len(self.frame.env[name])
        for i in range(first, count):
            items = self.frame.env[name]
            self.frame.env[name] = (*[Known(None)] * (i + 1), *items[i + 1 :])
            status = self._loop_body(node, items[i])
            if status is not None:
                return status
            stop, flag = self.stops(node), exit_flag(node)
            if stop is True:
                break
            if flag is not None and stop is not False and i + 1 < count:

                def end(flag: str = flag) -> Any:
                    self.frame.env[flag] = Known(True)
                    return Known(None)

                def others(after: int = i + 1) -> Any:
                    return self._iterations(node, name, after) or Known(None)

                joined = self.fork(stop, end, others, self.loc(node))
                return joined if isinstance(joined, Diverges) else None
        return None

    def stmt_While(self, node: Any, rest: list[Any]) -> Any:
        names = changed_names(node.body) | assigned_names([node.test])
        loc = self.loc(node)
        test = Region()
        known: list[bool] = []
        stop: Any = False

        def run(region: Region) -> Any:
            nonlocal stop
            known.clear()
            stop = False
            test.params = [Value(p.kind, p.hint, p.loc) for p in region.params]
            test.ops = []
            inner = dict(zip(region.params, test.params, strict=True))
            outer: Environments = [(f, dict(f.env)) for f in self.frames()]
            self.builder.region = test
            self.moved(inner)
            found = [(f, dict(f.env)) for f, _ in outer]
            cond = self.condition(node.test)
            if grown_places([node.test]):
                raise self.refuse(node.test, "the test of a `while` changes a list",
                                  "change it before the loop and at the end of its body")  # fmt: skip
            if any(n in assigned_names([node.test]) for n in names):
                reason = "`:=` in the test of a `while` whose `else` leaves a loop is not supported"
                raise self.refuse(node.test, reason,
                                  "assign before the loop and at the end of its body")  # fmt: skip
            before = next(env for f, env in found if f is self.heap)
            changed = any(f.env.get(n) is not d for f, env in found for n, d in env.items())
            if changed or self.has_new_attributes(before):
                raise self.refuse(node.test, "the test of a `while` changes what it reads",
                                  "change it before the loop and at the end of its body")  # fmt: skip
            self.builder.region = region
            restore(outer)
            test.results = [cond]
            if isinstance(cond, bool):
                known.append(cond)
                if not cond:
                    return None
            status = self.block(_without_exit(node))
            stop = status is None and self.stops(node)
            return status

        region, inits, results, effect, header = self.carry(names, run, loc, grown_places(node.body))
        if known == [True] and stop is False:
            raise self.refuse(
                node.test, "this loop never ends by its condition", "write the condition for which it goes on"
            )
        extra = len(region.params) - len(test.params)
        test.params.extend(Value(p.kind, p.hint) for p in region.params[len(region.params) - extra :])
        op = While("while", (inits,), {}, results, False, effect, loc, test, region)
        self.finish_loop(op, results, stop, header)
        collect_appends(op, None, self.defs)
        self.doubt(op, names | header.first)
        return None


def _without_exit(node: Any) -> list[Any]:
    """The body of a desugared loop, without the test by which it stops."""
    body: list[Any] = node.body
    return body if exit_flag(node) is None else body[:-1]


def inner_statements(statements: list[Any]) -> list[Any]:
    """The statements at any depth, nested functions left out."""
    out: list[Any] = []
    for s in statements:
        out.append(s)
        for name in ("body", "orelse"):
            if not isinstance(s, gast.FunctionDef | gast.ClassDef | gast.Lambda):
                out.extend(inner_statements(getattr(s, name, []) if isinstance(getattr(s, name, []), list) else []))
    return out
