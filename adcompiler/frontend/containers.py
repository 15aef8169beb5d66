"""Methods that change a dict, a list, a deque or a set of known structure: the place gets a new version of it.

q.update(b=x); y = q.pop("a"); ys.reverse(); del q["c"]; seen.add(i)

A deque is a list of known structure whose class says how long it may be.
"""

import collections
import operator
from collections.abc import Callable
from typing import Any

import gast

from adcompiler.frontend.iteration import assigned_names
from adcompiler.frontend.kinds import Deque, Elements, Known, is_set
from adcompiler.frontend.list_joins import JoinedLists
from adcompiler.frontend.ownership import make_later
from adcompiler.frontend.storage import Place
from adcompiler.frontend.words import describe
from adcompiler.ir.core import Value
from rules.libraries import fitting

#: The methods that are lowered here, by what has them; and those that give something, which may be assigned.
METHODS: dict[Any, tuple[str, ...]] = {
    dict: ("update", "setdefault", "pop", "popitem", "clear"),
    list: ("sort", "reverse", "clear", "remove"),
    Deque: ("append", "appendleft", "pop", "popleft", "extend", "extendleft", "rotate", "clear", "reverse", "remove",
            "insert"),
    Elements: ("add", "discard", "remove", "update", "clear", "difference_update", "intersection_update",
               "symmetric_difference_update"),
}  # fmt: skip
GIVING = ("pop", "popitem", "popleft", "setdefault")
_NOTHING = object()


class Containers(JoinedLists):
    """Lowers what changes dicts, lists and deques."""

    def expr_Call(self, node: Any) -> Any:
        if self.is_chained(node):
            return self.chained(node)
        name = self.changed_by(node.func, {m for names in METHODS.values() for m in names})
        if name is not None:
            done = self.container_method(node, name)
            if done is not NotImplemented:
                return done
        return super().expr_Call(node)

    def is_chained(self, node: Any) -> bool:
        """Is this `d.setdefault(key, [...]).append(v)`, as a statement, of a dict?"""
        here, inner = self.frame.here, getattr(node.func, "value", node)
        alone = isinstance(here, gast.Expr) and here.value is node and isinstance(inner, gast.Call)
        if not alone or self.changed_by(inner.func, ("setdefault",)) is None or len(inner.args) != 2:
            return False
        calls = any(isinstance(n, gast.Call | gast.NamedExpr) for n in gast.walk(inner.args[0]))
        return not calls and isinstance(self.expr(inner.func.value), dict)

    def chained(self, node: Any) -> Any:
        """`d.setdefault(key, []).append(v)` as `d.setdefault(key, []); d[key].append(v)`."""
        inner = node.func.value
        item = gast.Subscript(inner.func.value, inner.args[0], gast.Load())
        call = gast.Call(gast.Attribute(item, node.func.attr, gast.Load()), node.args, node.keywords)
        statements = [gast.Expr(inner), gast.Expr(call)]
        for n in (*statements, item, call, call.func):
            gast.copy_location(n, node)
        self.block(statements)
        return Known(None)

    def block(self, statements: list[Any]) -> Any:
        """Lower statements in order; how they end."""
        raise NotImplementedError

    def container_method(self, node: Any, name: str) -> Any:
        """The value of a method that changes a container of known structure; NotImplemented for others."""
        method, d = node.func.attr, self.expr(node.func.value)
        cls: Any = Deque if isinstance(d, Deque) else Elements if is_set(d) else type(d)
        if method not in METHODS.get(cls, ()):
            return NotImplemented
        self.check_alone(node, name)
        args, kwargs = self.given(node)
        place = self.place(node.func.value, exists=True)
        tables: dict[Any, dict[str, Callable[..., Any]]] = {dict: _DICT, list: _LIST, Deque: _DEQUE, Elements: _SET}
        if place.path:
            raise self.refuse_element(place, node)
        base, what = place.base, tables[cls][method]
        if method == "update" and isinstance(base, dict) and self.counts(base):
            raise self.refuse(node, f"{name}.update(...) of a Counter adds to its items, which is not supported",
                              f"add to each of them: {name}[key] += n")  # fmt: skip
        if method == "popitem" and (args or kwargs):
            raise self.refuse(node, "popitem is called with an argument, which is not supported",
                              f"write key = list({name})[0]; value = {name}.pop(key)")  # fmt: skip
        if fitting([what], (self, node, base, *args), kwargs) is None:
            raise self.refuse(node, f"{method} is called with other arguments than it has",
                              "give it the arguments that Python documents")  # fmt: skip
        made, value = what(self, node, base, *args, **kwargs)
        self.put_container(place, made, node)
        return value

    def put_container(self, place: Place, made: Any, node: Any) -> None:
        """Give all names of the container at a place its new version."""
        base, text = place.base, place.text
        other = self.same_container(base, text, known=base)
        if not other and self.in_argument(base) and not isinstance(base, dict):
            other = "an argument, whose list is the caller's"
        if other:
            copied = f"{{**{text}}}" if isinstance(base, dict) else f"{_noun(base)}({text})"
            raise self.refuse(node, f"{text} may be the same {_noun(base)} as {other}, which this changes in place",
                              make_later(other) or f"write {text} = {copied} first")  # fmt: skip
        self.check_items_carried(base, text, node)
        self.check_read_later(base, base, made, node)
        self.alike(base, made)
        self.moved({}, {id(base): (base, made)})

    def check_alone(self, node: Any, name: str) -> None:
        """A call that changes a container is a statement, or what one assigns."""
        here, method = self.frame.here, node.func.attr
        alone = isinstance(here, gast.Expr) and here.value is node
        value = getattr(here, "value", None)
        whole = isinstance(here, gast.Assign | gast.Return) and value is node
        if not alone and not (whole and method in GIVING):
            assigned = f": v = {name}.{method}(...)" if method in GIVING else ""
            raise self.refuse(node, f"{name}.{method}(...) stands within an expression, which changes it",
                              f"write it as a statement of its own{assigned}")  # fmt: skip
        if name in assigned_names(list(node.args)):
            raise self.refuse(node, f"{name} is changed by {name}.{method}(...), and used in the same statement",
                              "write two statements")  # fmt: skip

    def deleted(self, target: Any, node: Any) -> None:
        """`del d[key]`, `del xs[i]`, `del xs[i:j]`."""
        owner = self.expr(target.value)
        if not isinstance(owner, dict | list):
            raise self.refuse(node, f"`del` of a part of {describe(owner)} is not supported",
                              "make a new one without it: a slice, or a comprehension")  # fmt: skip
        key = self.static(self.index(target.slice), target, "what is deleted")
        load = gast.copy_location(type(target.value)(**{**vars(target.value), "ctx": gast.Load()}), target)
        place = self.place(load, exists=True)
        if place.path:
            raise self.refuse_element(place, node)
        if isinstance(owner, dict):
            made, _ = _pop_item(self, node, owner, Known(key))
        else:
            made = list(owner)
            try:
                del made[key]
            except IndexError as error:
                self.raise_here(IndexError, str(error))
                raise self.refuse(node, str(error), f"it has {len(owner)} elements") from None
            made = type(owner)(made)
        self.put_container(place, made, node)


def _noun(d: Any) -> str:
    return "dict" if isinstance(d, dict) else "deque" if isinstance(d, Deque) else "set" if is_set(d) else "list"


# ---------------------------------------------------------------------------------------------------- dicts
def _update(self: Any, node: Any, d: Any, other: Any = None, **kwargs: Any) -> Any:
    more = {} if other is None else self.call(Known(dict), (other,), {}, node)
    return {**d, **more, **kwargs}, Known(None)


def _set_default(self: Any, node: Any, d: Any, key: Any, default: Any = Known(None)) -> Any:  # noqa: B008
    k = self.static(key, node, "the key of a dict")
    return (d, d[k]) if k in d else ({**d, k: default}, default)


def _pop_item(self: Any, node: Any, d: Any, key: Any, default: Any = _NOTHING) -> Any:
    k = self.static(key, node, "the key of a dict")
    if k not in d:
        if default is _NOTHING:
            self.raise_here(KeyError, k)
            reason = f"the dict has no key {k!r}; it has {', '.join(map(repr, d)) or 'none'}"
            raise self.refuse(node, reason, "use one that it has, or give pop a default")
        return d, default
    return {n: x for n, x in d.items() if n != k}, d[k]


def _pop_last(self: Any, node: Any, d: Any) -> Any:
    if not d:
        self.raise_here(KeyError, "popitem(): dictionary is empty")
        raise self.refuse(node, "the dict is empty", "put an item in it first")
    last = list(d)[-1]
    return {n: x for n, x in d.items() if n != last}, (Known(last), d[last])


# ---------------------------------------------------------------------------------------------------- lists
def _sort(self: Any, node: Any, d: Any, **kwargs: Any) -> Any:
    made = self.call(Known(sorted), (d,), kwargs, node)
    if isinstance(made, Value) and isinstance(d, list):
        made = [self.emit(operator.getitem, made, Known(k)) for k in range(len(d))]
    return made, Known(None)


def _remove(self: Any, node: Any, d: Any, value: Any) -> Any:
    wanted = self.static(value, node, "what is removed", "make a list without it: [v for v in xs if ...]")
    known = [x.value if isinstance(x, Known) else _NOTHING for x in d]
    if _NOTHING in known:
        raise self.refuse(node, "remove compares what is not known when compiling",
                          "make a list without it: [v for v in xs if ...]")  # fmt: skip
    if wanted not in known:
        self.raise_here(ValueError, "list.remove(x): x not in list")
        raise self.refuse(node, f"{wanted!r} is not in the list", "remove one of its elements")
    k = known.index(wanted)
    return type(d)([*d[:k], *d[k + 1 :]]), Known(None)


# ---------------------------------------------------------------------------------------------------- deques
def _appended(self: Any, node: Any, d: Any, value: Any) -> Any:
    return d.kept([*d, value]), Known(None)


def _appended_left(self: Any, node: Any, d: Any, value: Any) -> Any:
    return d.kept([value, *d], left=True), Known(None)


def _extended(self: Any, node: Any, d: Any, values: Any) -> Any:
    return d.kept([*d, *self.elements(values, node)]), Known(None)


def _extended_left(self: Any, node: Any, d: Any, values: Any) -> Any:
    return d.kept([*self.elements(values, node)[::-1], *d], left=True), Known(None)


def _popped(left: bool) -> Callable[..., Any]:
    def pop(self: Any, node: Any, d: Any) -> Any:
        if not d:
            self.raise_here(IndexError, "pop from an empty deque")
            raise self.refuse(node, "pop from an empty deque", "append an element first")
        return (type(d)(d[1:]), d[0]) if left else (type(d)(d[:-1]), d[-1])

    return pop


def _rotated(self: Any, node: Any, d: Any, n: Any = Known(1)) -> Any:  # noqa: B008
    turned = collections.deque(d)
    turned.rotate(self.static(n, node, "how far a deque is rotated"))
    return type(d)(turned), Known(None)


def _inserted(self: Any, node: Any, d: Any, at: Any, value: Any) -> Any:
    items = list(d)
    items.insert(self.static(at, node, "where an element is inserted"), value)
    if d.maxlen is not None and len(items) > d.maxlen:
        self.raise_here(IndexError, "deque already at its maximum size")
        raise self.refuse(node, "the deque is as long as it may be", "pop an element first")
    return type(d)(items), Known(None)


def _reversed(self: Any, node: Any, d: Any) -> Any:
    return d[::-1] if not isinstance(d, Deque) else type(d)(d[::-1]), Known(None)


def _cleared(self: Any, node: Any, d: Any) -> Any:
    return type(d)(), Known(None)


# ---------------------------------------------------------------------------------------------------- sets
def _of_elements(change: Callable[..., None]) -> Callable[..., Any]:
    """What a method that changes a set makes of it: its elements are known, and so are its arguments."""

    def method(self: Any, node: Any, d: Any, *args: Any) -> Any:
        made = set(d.value)
        change(self, node, made, *args)
        return Known(Elements(made)), Known(None)

    return method


def _one(name: str) -> Callable[..., None]:
    def change(self: Any, node: Any, made: set[Any], x: Any) -> None:
        getattr(made, name)(self.static(x, node, "the element of a set", "use a list, or numbers that are 0.0 or 1.0"))

    return change


def _removed(self: Any, node: Any, made: set[Any], x: Any) -> None:
    k = self.static(x, node, "the element of a set")
    if k not in made:
        self.raise_here(KeyError, k)
        raise self.refuse(node, f"{k!r} is not in the set", "remove one of its elements, or discard it")
    made.remove(k)


def _several(name: str) -> Callable[..., None]:
    def change(self: Any, node: Any, made: set[Any], *others: Any) -> None:
        for other in others:
            getattr(made, name)([self.static(x, node, "the element of a set") for x in self.elements(other, node)])

    return change


_SET: dict[str, Callable[..., Any]] = {
    "add": _of_elements(_one("add")), "discard": _of_elements(_one("discard")), "remove": _of_elements(_removed),
    "clear": _of_elements(lambda self, node, made: made.clear()),
    **{n: _of_elements(_several(n)) for n in METHODS[Elements] if n.endswith("update")},
}  # fmt: skip
_DICT: dict[str, Callable[..., Any]] = {
    "update": _update, "setdefault": _set_default, "pop": _pop_item, "popitem": _pop_last, "clear": _cleared,
}  # fmt: skip
_LIST: dict[str, Callable[..., Any]] = {"sort": _sort, "reverse": _reversed, "clear": _cleared, "remove": _remove}
_DEQUE: dict[str, Callable[..., Any]] = {
    "append": _appended, "appendleft": _appended_left, "pop": _popped(False), "popleft": _popped(True),
    "extend": _extended, "extendleft": _extended_left, "rotate": _rotated, "clear": _cleared, "reverse": _reversed,
    "remove": _remove, "insert": _inserted,
}  # fmt: skip
