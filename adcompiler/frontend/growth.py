"""Lists that grow and shrink: `xs.append(v)` gives the place `xs` a new version of its list.

A list of known structure stays one. A loop of unknown length carries it as a list of any length, whose elements are of
one kind: where it is empty before the loop, the first append tells of which, and the loop is lowered again (`Grow`).
"""

import operator
from collections import Counter
from collections.abc import Collection
from typing import Any

import gast

from adcompiler.frontend.desugar import hint
from adcompiler.frontend.iteration import GROWING, assigned_names, grown_places
from adcompiler.frontend.iterators import Generated, Iteration
from adcompiler.frontend.joins import restore
from adcompiler.frontend.kinds import Deque, Known, ListOf
from adcompiler.frontend.long_lists import LongLists, over, rewrapped, sequences
from adcompiler.frontend.scope import Frame
from adcompiler.frontend.storage import Place
from adcompiler.frontend.versions import Rebound
from adcompiler.frontend.words import describe
from adcompiler.ir.core import For, Op, Value, While, leaves, walk
from adcompiler.ir.structure import like as remade
from rules.cotangent import appended, listed, without_last
from rules.kind import Seq, Unfilled


class Grow(Exception):
    """The elements of a list that a loop has found empty are like `element`."""

    def __init__(self, unfilled: Unfilled, element: Any) -> None:
        super().__init__(unfilled)
        self.unfilled = unfilled
        self.element = element


class Lists(LongLists):
    """Lowers what changes how many elements a list has."""

    def expr_Call(self, node: Any) -> Any:
        if not node.keywords and (name := self.changed_by(node.func, GROWING)) is not None:
            done = self.regrown(node, name)
            if done is not NotImplemented:
                return done
        return super().expr_Call(node)

    def changed_by(self, f: Any, methods: Collection[str]) -> str | None:
        """What a call of one of these methods may change: the name of a variable or an attribute; None for others."""
        if not isinstance(f, gast.Attribute) or f.attr not in methods:
            return None
        root = f.value
        while isinstance(root, gast.Subscript):
            root = root.value
        if isinstance(root, gast.Name) and self.is_variable(root.id):
            return str(root.id)
        return None if self.attribute_of_object(f.value) is None else self.text(root)

    def is_variable(self, name: str) -> bool:
        """Is this a variable of this function, or of one around it?"""
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.locals or name in frame.env:
                return True
            frame = frame.parent
        return False

    def regrown(self, node: Any, name: str) -> Any:
        """The value of a method that changes the length of a list at a place; NotImplemented where it is no list."""
        method = node.func.attr
        if not self.changes_list(d := self.expr(node.func.value)) or isinstance(d, Deque):
            return NotImplemented
        self.check_statement(node, name)
        args = [self.expr(a) for a in node.args]
        place = self.place(node.func.value, exists=True)
        if place.path:
            raise self.refuse_element(place, node)
        self.check_opened(place)
        text = hint(place.text)  # without the blank in the name of a comprehension's list
        self.check_list(place.base, place.text, node, place.label)
        if method == "pop":
            return self.pop(place, args, node)
        if len(args) != (2 if method == "insert" else 1):
            raise self.refuse(node, f"{method} of a list is called with {len(args)} arguments",
                              "give it the arguments that Python documents")  # fmt: skip
        if method == "append":
            self.regrow(place, self.with_items(place.base, args, text, node), node)
        elif method == "extend":
            more = self.iterate(args[0], node)
            if not isinstance(more, list):
                self.extended(node.func.value, place.base, more, node)
                return Known(None)
            self.regrow(place, self.with_items(place.base, more, text, node), node)
        else:
            self.regrow(place, self.inserted(place, args, node), node)
        return Known(None)

    def regrow(self, place: Place, made: Any, node: Any) -> None:
        """Give a list its new elements: one of known structure for all names that it has."""
        if isinstance(place.base, list) and isinstance(made, list):
            self.put_container(place, made, node)
        else:
            self.put_list(place, made, node)

    def grown(self, made: Any, source: Any) -> Any:
        """The list of a comprehension whose length is not known: a loop appends to it."""
        here = self.frame.here
        assigned = isinstance(here, gast.Assign) and here.value is made and isinstance(here.targets[0], gast.Name)
        name = f"{here.targets[0].id if assigned else 'items'} 0"
        owner = gast.Attribute(_named(name, gast.Load()), "append", gast.Load())
        append = gast.Expr(gast.Call(owner, [made.elt], []))
        if isinstance(source, Iteration | Generated):
            return self.folded(made, name, [], [append], made, source)
        mark = len(self.builder.region.ops)  # a loop over known elements is unrolled: the list is begun here
        before = [(f, dict(f.env)) for f in self.frames()]
        empty: Any = self.sequence(listed, [], element=Unfilled(name), hint=hint(name))
        try:
            return self.folded(made, name, empty, [append], made, source)
        except Grow as grow:
            if grow.unfilled != empty.kind.element:
                raise
            del self.builder.region.ops[mark:]
            restore(before)
            return self.folded(made, name, self.opened([], grow.element, hint(name), made), [append], made, source)

    def copies(self, d: Any, times: Value, node: Any) -> Any:
        """`[d] * times` as `[d for _ in range(times)]`."""
        item, count = "item 0", "copies 0"
        self.frame.env[item], self.frame.env[count] = d, self.call(Known(range), (times,), {}, node)
        loop = gast.comprehension(_named("_ 0", gast.Store()), _named(count, gast.Load()), [], 0)
        made = gast.ListComp(_named(item, gast.Load()), [loop])
        for n in gast.walk(made):
            gast.copy_location(n, node)
        found = self.expr(made)
        for name in (item, count):
            self.frame.env.pop(name, None)
        return found

    def pop(self, place: Place, args: list[Any], node: Any) -> Any:
        base, at = place.base, -1
        if args:
            at = self.static(args[0], node, "the argument of pop")
        if isinstance(base, list):
            items = list(base)
            try:
                taken = items.pop(at)
            except (IndexError, TypeError) as error:
                raise self.refuse(
                    node,
                    str(error),
                    f"take one of its {len(base)} elements" if base else "append an element first, or begin with one",
                ) from None
            self.put_container(place, items, node)
            return taken
        if at != -1:
            raise self.refuse(node, f"pop({at}) of a list of any length is not supported",
                              "take its last element, pop(), or make a new list of a slice")  # fmt: skip
        self.check_filled(base, node)
        taken = over(base, lambda v: self.emit(operator.getitem, v, Known(-1)))
        self.lend(taken)
        self.put_list(place, rewrapped(base, lambda v: self.emit(without_last, v, hint=v.hint)), node)
        return taken

    def inserted(self, place: Place, args: list[Any], node: Any) -> Any:
        at = self.static(args[0], node, "where an element is inserted")
        if not isinstance(place.base, list):
            x = place.text
            raise self.refuse(node, "insert into a list of any length is not supported",
                              f"make a new list: new = {x}[:k], new.append(value), new.extend({x}[k:])")  # fmt: skip
        items = list(place.base)
        items.insert(at, args[1])
        return items

    def extended(self, owner: Any, base: Any, more: Iteration, node: Any) -> Any:
        """The list at a place, which is `base`, after `for item in more: owner.append(item)`; `more` may be itself."""
        item, source = "item 0", "more 0"
        own = sequences(base) if self.changes_list(base) and not isinstance(base, list) else []
        copies = [self.emit(listed, s, hint=s.hint) if s in own else s for s in more.sequences]
        self.frame.env[source] = Iteration(copies, more.element, more.length)
        owner = gast.copy_location(type(owner)(**{**vars(owner), "ctx": gast.Load()}), owner)
        call = gast.Call(gast.Attribute(owner, "append", gast.Load()), [_named(item, gast.Load())], [])
        loop = gast.For(_named(item, gast.Store()), _named(source, gast.Load()), [gast.Expr(call)], [], None)
        for n in gast.walk(loop):
            if not hasattr(n, "lineno"):
                gast.copy_location(n, node)
        self.block([loop])
        for name in (item, source):
            self.frame.env.pop(name, None)
        return self.expr(owner)

    def with_items(self, base: Any, items: list[Any], text: str, node: Any) -> Any:
        """The list with these elements behind its own."""
        if isinstance(base, list):
            return [*base, *items]
        for d in items:
            base = self.appended(base, d, text, node)
            self.lend(d)
        return base

    def appended(self, base: Any, d: Any, text: str, node: Any) -> Any:
        """A list of any length with an element more."""
        if isinstance(base, Value) and isinstance(base.kind.element, Unfilled):
            self.element_kind_of(d, text, node)
            raise Grow(base.kind.element, d)
        if isinstance(base, ListOf):
            return ListOf(self.appended_parts(base.element, d, text, node))
        return self.appended_parts(base, d, text, node)

    def appended_parts(self, base: Any, d: Any, text: str, node: Any) -> Any:
        if isinstance(base, tuple | list | dict):
            same = type(d) is type(base) and len(d) == len(base)
            if not same or (isinstance(base, dict) and list(d) != list(base)):
                reason = f"{describe(d)} is appended to {text}, whose elements are of another structure"
                raise self.unrolling(self.refuse(node, reason, "append elements of one structure"))
            if isinstance(base, dict):
                return {k: self.appended_parts(base[k], d[k], text, node) for k in base}
            return remade(base, (self.appended_parts(x, y, text, node) for x, y in zip(base, d, strict=True)))
        d = self.as_long(d, base.kind.element, text, node)
        kind = self.element_kind_of(d, text, node)
        if isinstance(kind, list):
            kind = None
        element = None if kind is None else self.one_kind(base.kind.element, kind)
        if element is None:
            raise self.refuse(node, f"{describe(d)} is appended to {text}, a list of {base.kind.element}",
                              "append elements of one kind")  # fmt: skip
        return self.sequence(appended, base, self.operand(d), element=element, hint=base.hint)

    def check_opened(self, place: Place) -> None:
        """Let a loop around carry a list as one of any length to which a function that it calls appends."""
        if not isinstance(place.base, list):
            return
        for header in self.headers:
            if header.it is not None and self.is_short(header.it):
                continue  # it is unrolled where that is in the way
            for n in header.before:
                if header.at_start.get((id(header.frame), n)) is place.base and (n,) not in header.grown:
                    header.grown |= {(n,)}
                    raise Rebound(header, n)

    # ----------------------------------------------------------------------------------------- checks
    def check_statement(self, node: Any, name: str) -> None:
        """A call that changes a list is a statement, or what one assigns: nothing in it holds the list meanwhile."""
        here, method = self.frame.here, node.func.attr
        alone = isinstance(here, gast.Expr) and here.value is node
        simple = isinstance(here, gast.Expr | gast.Assign | gast.AugAssign | gast.Return)
        if not alone and not (simple and method == "pop"):
            raise self.refuse(node, f"{name}.{method}(...) stands within an expression, which changes the list",
                              f"write it as a statement of its own: v = {name}.pop()" if method == "pop"
                              else "write it as a statement of its own")  # fmt: skip
        if name in assigned_names(list(node.args)) or (not alone and _mentions(here, name) > 1):
            raise self.refuse(node, f"{name} is changed by {name}.{method}(...), and used in the same statement",
                              "write two statements")  # fmt: skip

    def check_read_list(self, node: Any) -> None:
        """Refuse an unrolled loop that changes the list of known structure that it reads."""
        roots = {path[0] for path in grown_places(node.body)}
        for n in _read_whole(node.iter):
            if n in roots and isinstance(self.frame.env.get(n), list):
                raise self.refuse(node, f"the loop reads {n}, and changes how many elements it has",
                                  f"loop over a copy: list({n})")  # fmt: skip

    def whole(self, place: Place, value: Any, node: Any) -> None:
        old, name = place.base, place.text
        if not (isinstance(node.op, gast.Add) and self.changes_list(old)):
            super().whole(place, value, node)
            return
        if any(path[0] == place.name for path in grown_places([node.value])):
            raise self.refuse(node, f"{place.name} is changed twice in one statement", "write two statements")
        self.check_list(old, name, node, place.label)
        more = self.iterate(value, node)
        self.regrow(place, self.with_items(old, more, name, node) if isinstance(more, list)
                    else self.extended(node.target, old, more, node), node)  # fmt: skip


def collect_appends(loop: For | While, length: Any, defs: dict[Value, Op]) -> None:
    """Of lists that are empty before a loop, and to which each iteration appends once, make what it collects.

    So a comprehension and the loop that does the same are one program; the list is as long as what the loop reads.
    """
    if loop.stop:
        return
    ops = [loop, *(op for region in loop.regions for op in walk(region))]
    used = Counter(v for op in ops for v in (*op.operands(), *leaves([r.results for r in op.regions])))
    tested = loop.test.params if isinstance(loop, While) else []
    taken = []
    for k, (init, param) in enumerate(zip(loop.inits, loop.carried, strict=True)):
        new = loop.body.results[k]
        first, last = (defs.get(v) if isinstance(v, Value) else None for v in (init, new))
        if first is None or first.target is not listed or first.args != ([],) or last not in loop.body.ops:
            continue
        asked = bool(tested) and used[tested[k]] > 0
        once = used[param] == used[new] == 1 and not asked
        if last is not None and last.target is appended and last.args[0] is param and once:
            taken.append((k, param, loop.results[k], last))
    for k, param, _, last in reversed(taken):
        loop.body.ops.remove(last)
        loop.body.params.remove(param)
        if isinstance(loop, While):
            del tested[k]
        del loop.inits[k], loop.body.results[k], loop.results[k]
    for _, _, result, last in taken:
        result.kind, result.loc = Seq(result.kind.element, length=length), last.loc
        loop.body.results.append(last.args[1])
        loop.results.append(result)


def _named(name: str, context: Any) -> Any:
    return gast.Name(name, context, None, None)


def _mentions(node: Any, name: str) -> int:
    return sum(1 for n in gast.walk(node) if isinstance(n, gast.Name) and n.id == name)


def _read_whole(node: Any) -> list[str]:
    """The names that a loop reads element by element: those whose length alone is asked for left out."""
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in ("len", "list"):
        return []
    if isinstance(node, gast.Name):
        return [node.id]
    return [n for child in gast.iter_child_nodes(node) for n in _read_whole(child)]


__all__ = ["Grow", "Lists", "collect_appends"]
