"""How objects are made and copied, and what is called of them.

Point(x, 2.0)       ->       an object on the heap, and the body of its `__init__`, or what that of a dataclass does
"""

import copy
import dataclasses
import inspect
import types
from typing import Any

import gast

from adcompiler.frontend.attributes import EMPTY, is_users_object
from adcompiler.frontend.collected import COLLECTED
from adcompiler.frontend.instances import (
    generated,
    is_frozen,
    is_named_tuple,
    is_named_tuple_class,
    is_object,
    is_users,
    overridden,
    own_value,
)
from adcompiler.frontend.kinds import Known, ListOf
from adcompiler.frontend.of_objects import FUNCTIONS, SPECIAL
from adcompiler.frontend.operators import Operators
from adcompiler.frontend.records import Parent, Record
from adcompiler.frontend.scope import Callback, Closure, Frame, Method
from adcompiler.ir.core import Value
from adcompiler.ir.structure import like, parts
from rules.kind import Array, Seq
from rules.libraries import hashable

#: What holds an object while its `__init__` runs.
MAKING = "an object that is being made"
DATACLASS_FIELD, INIT_ONLY = (getattr(dataclasses, n) for n in ("_FIELD", "_FIELD_INITVAR"))


class Objects(Operators):
    """Lowers calls of classes, of `super` and of what asks about objects."""

    def expr_Call(self, node: Any) -> Any:
        if isinstance(node.func, gast.Name) and node.func.id == "super" and not (node.args or node.keywords):
            if (d := self.expr(node.func)) == Known(super):
                return self.parent(node)
            return self.call(d, (), {}, node)
        return super().expr_Call(node)

    def parent(self, node: Any) -> Parent:
        """`super()` in a method: what the classes behind that of the method have."""
        frame: Frame = self.frame
        while frame.parent is not None:
            frame = frame.parent
        cell, a = frame.source.cells.get("__class__"), frame.source.node.args
        names = [p.id for p in (*a.posonlyargs, *a.args)]
        if cell is None or not names or names[0] not in frame.env:
            raise self.refuse(node, "super() stands outside of a method", "name the class: Base.method(self)")
        return Parent(cell.cell_contents, self.readable_name(frame.env[names[0]], names[0], node))

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        function, args = self.known_argument(function), tuple(map(self.known_argument, args))
        if isinstance(function, Record):
            found = own_value(function.cls, "__call__")
            if found is EMPTY:
                raise self.refuse(node, f"{self.told(function)} is called, and has no `__call__`",
                                  "call one of its methods")  # fmt: skip
            return self.call(self.of_class(function, function.cls, "__call__", found, node), args, kwargs, node)
        if is_named_tuple(function) and (own := self.method(function, "__call__", node)) is not None:
            return self.call(own, args, kwargs, node)
        if isinstance(function, Known) and isinstance(function.value, type) and not kwargs.keys() & {"*"}:
            made = self.constructed(function.value, args, kwargs, node)
            if made is not None:
                return made
        if isinstance(function, Known) and function.value is copy.deepcopy and len(args) == 1 and not kwargs:
            return self.copied(args[0], node)
        special = FUNCTIONS.get(function.value) if isinstance(function, Known) and hashable(function.value) else None
        of_class = args and (isinstance(args[0], Record) or is_named_tuple(args[0]))
        if special is not None and (of_class or (args and function.value in SPECIAL and is_users_object(args[0]))):
            done = special(self, node, *args, **kwargs)
            if done is not NotImplemented:
                return done
        if isinstance(function, Known) and function.value is len and args:
            self.check_settled(args[0], "__len__", node)
        if isinstance(function, Known) and function.value is isinstance and len(args) == 2:
            for cls in args[1] if isinstance(args[1], tuple) else (args[1],):
                self.check_settled(cls, "__instancecheck__", node)
        asks = isinstance(function, Known) and (function.value is hasattr or function.value is getattr)
        if asks and len(args) > 1 and isinstance(args[0], Known) and is_object(args[0].value):
            name = self.static(args[1], node, "the name of an attribute", "write the name as a string")
            has = self.has_outside(args[0], name, node)
            if function.value is hasattr:
                return Known(has)
            return self.attribute(args[0], name, node) if has or len(args) == 2 else args[2]
        if isinstance(function, Known) and function.value is super and len(args) == 2 and isinstance(args[0], Known):
            return Parent(args[0].value, args[1])
        return super().call(function, args, kwargs, node)

    # ----------------------------------------------------------------------------------------- making
    def constructed(self, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The object that a call of a class makes; None for classes that are not the user's."""
        if is_named_tuple_class(cls) and cls.__module__.partition(".")[0] not in ("numpy", "scipy"):
            if own := overridden(cls):
                raise self.refuse(node, f"{cls.__name__} is a named tuple with {own} of its own",
                                  "give what it computes another name, and leave the tuple's as they are")  # fmt: skip
            return self.named_tuple(cls, args, kwargs, node)
        if not is_users(cls) or issubclass(cls, BaseException):
            return None
        if cls.__new__ is not object.__new__ and cls is not types.SimpleNamespace:
            raise self.refuse(node, f"the class {cls.__name__} has a `__new__` of its own, which is not supported",
                              "make the object outside, or give the class an `__init__`")  # fmt: skip
        if inspect.isabstract(cls):
            raise self.refuse(node, f"this raises TypeError: the class {cls.__name__} is abstract",
                              "make an object of a class that is derived from it")  # fmt: skip
        made = self.new_record(cls, cls.__name__.lower())
        init = own_value(cls, "__init__")
        if cls is types.SimpleNamespace:
            if args:
                raise self.refuse(node, "SimpleNamespace is called with keywords alone here", "write name=value")
            self.heap.env.update({made.place(k): d for k, d in kwargs.items()})
        elif generated(init) and dataclasses.is_dataclass(cls):
            self.scope.attribute(cls, "__init__", self.loc(node))
            with self.kept(MAKING, (made, *args, *kwargs.values())):
                self.dataclass(made, args, kwargs, node)
        elif isinstance(init, types.FunctionType):
            with self.kept(MAKING, (made,)):
                self.call(self.of_class(made, cls, "__init__", init, node), args, kwargs, node)
        elif init is not object.__init__ or args or kwargs:
            raise self.refuse(node, f"{cls.__name__}(...) has arguments, and the class no `__init__` that can be seen",
                              "give the class an `__init__`")  # fmt: skip
        return made

    def named_tuple(self, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        if not generated(cls.__new__):
            raise self.refuse(node, f"the class {cls.__name__} has a `__new__` of its own, which is not supported",
                              "write a function that makes it")  # fmt: skip
        given = self.bound_fields(cls.__name__, [(f, cls._field_defaults.get(f, EMPTY), False) for f in cls._fields],
                                  args, kwargs, node)  # fmt: skip
        return tuple.__new__(cls, (given[f] if f in given else self._outside(cls._field_defaults[f])
                                   for f in cls._fields))  # fmt: skip

    def bound_fields(self, name: str, fields: list[tuple[str, Any, bool]], args: tuple[Any, ...],
                     kwargs: dict[str, Any], node: Any) -> dict[str, Any]:  # fmt: skip
        """Bind a call to fields: the name of each, its default, and whether it is given by keyword alone."""
        P = inspect.Parameter
        kinds = {False: P.POSITIONAL_OR_KEYWORD, True: P.KEYWORD_ONLY}
        listed = sorted(fields, key=lambda f: f[2])
        signature = inspect.Signature([P(n, kinds[only], default=default) for n, default, only in listed])
        try:
            return dict(signature.bind(*args, **kwargs).arguments)
        except TypeError as error:
            raise self.refuse(node, f"{name}(...) raises TypeError: {error}", "give a value for each field") from None

    def dataclass(self, made: Record, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> None:
        """What the `__init__` of a dataclass does."""
        cls = made.cls
        home: Any = next(k for k in cls.__mro__ if "__init__" in vars(k))
        every = home.__dataclass_fields__.values()
        fields = [f for f in every if f._field_type in (DATACLASS_FIELD, INIT_ONLY)]

        def default(f: Any) -> Any:
            if f.default is not dataclasses.MISSING:
                return f.default
            return None if f.default_factory is not dataclasses.MISSING else EMPTY

        given = self.bound_fields(cls.__name__, [(f.name, default(f), f.kw_only) for f in fields if f.init],
                                  args, kwargs, node)  # fmt: skip
        late = []
        for f in fields:
            if f.name in given and f.init:
                d = given[f.name]
            elif f.default is not dataclasses.MISSING:
                if not f.init:
                    continue  # the class has it
                d = self._outside(f.default)
            elif f.default_factory is not dataclasses.MISSING:
                d = self.call(Known(f.default_factory), (), {}, node)
            else:
                continue
            if f._field_type is INIT_ONLY:
                late.append(d)
            else:
                self.set_attribute(made, f.name, d, node, cls.__name__.lower(), plain=is_frozen(cls))
        after = own_value(cls, "__post_init__")
        if after is not EMPTY:
            self.call(self.of_class(made, cls, "__post_init__", after, node), tuple(late), {}, node)

    # -------------------------------------------------------------------------------- other denotations
    def copied(self, d: Any, node: Any, made: dict[int, Any] | None = None) -> Any:
        """A deep copy; `made` are the objects, containers and arrays that have been copied, by the ids of the old."""
        made = {} if made is None else made
        if id(d) in made:
            return made[id(d)][1]
        if isinstance(d, Value | Record | list | dict):
            self.check_copied_once(d, [old for old, _ in made.values()], node)
        if isinstance(d, Record):
            if own_value(d.cls, "__deepcopy__") is not EMPTY:
                raise self.refuse(node, f"the class {d.cls.__name__} has a `__deepcopy__`, which is not supported",
                                  "make the copy by a method")  # fmt: skip
            new = self.new_record(d.cls, d.name)
            made[id(d)] = d, new
            for k, x in self.attributes(d).items():
                self.heap.env[new.place(k)] = self.copied(x, node, made)
            return new
        if isinstance(d, Value) and isinstance(d.kind, Array):
            made[id(d)] = d, self.method_rule("copy", node, d)
            return made[id(d)][1]
        if isinstance(d, ListOf) or (isinstance(d, Value) and isinstance(d.kind, Seq)):
            made[id(d)] = d, COLLECTED[copy.deepcopy](self, node, d)
            return made[id(d)][1]
        if isinstance(d, Value | Known | Closure | Method | Callback | frozenset):
            return d
        if isinstance(d, list | dict):
            found: Any = {k: self.copied(x, node, made) for k, x in parts(d)}
            made[id(d)] = d, found if isinstance(d, dict) else like(d, found.values())
            return made[id(d)][1]
        if isinstance(d, tuple):
            return like(d, [self.copied(x, node, made) for x in d])
        raise self.refuse(node, "this cannot be copied here", "copy its attributes")

    def check_copied_once(self, d: Any, before: list[Any], node: Any) -> None:
        """Refuse a deep copy where it is not known whether two parts are one object or array."""
        for x in before:
            if isinstance(d, Record) and isinstance(x, Record):
                twice = d.may_be(x)
            elif isinstance(d, Value) and isinstance(x, Value):
                twice = self.lens(d).root is not self.lens(x).root and not self.origins(d).isdisjoint(self.origins(x))
            elif isinstance(d, list | dict) and type(x) is type(d):
                twice = any(x is y for y in self.container_family(d))
            else:
                continue
            if twice:
                raise self.refuse(node, "a deep copy of what may hold one object or array twice",
                                  "copy the attributes one by one")  # fmt: skip

    def origins(self, v: Value) -> set[Value]:
        """The values whose memory an array may have, as far as they are known: on some path, in some iteration."""
        self.family(v)
        sources: dict[Value, list[Value]] = {}
        for x, made in self.sharers.items():
            for r in made:
                sources.setdefault(r, []).append(x)
        found, stack = {v}, [v]
        while stack:
            new = [x for x in sources.get(stack.pop(), ()) if x not in found]
            found.update(new)
            stack.extend(new)
        return found
