"""Calls, resolved by identity: a rule's function, a function with source, a builtin of structure, or opaque."""

import collections
import copy
import functools
import inspect
import random
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from adcompiler.errors import Problem, Refusal
from adcompiler.frontend.alone import ALONE
from adcompiler.frontend.derived_numbers import plain
from adcompiler.frontend.desugar import desugar, hint
from adcompiler.frontend.expressions import BINARY
from adcompiler.frontend.frozen import METHODS, MORE_THAN_ONE, Frozen, is_number, method_of, takes_one, thawed
from adcompiler.frontend.functions import with_functions
from adcompiler.frontend.instances import LIBRARIES, is_object
from adcompiler.frontend.iteration import CHANGING, Iterations, assigned_names, declared_names
from adcompiler.frontend.iterators import Generated, Iteration, Once, View
from adcompiler.frontend.kinds import Elements, Known, ListOf, is_set
from adcompiler.frontend.records import records
from adcompiler.frontend.scope import Access, Callback, Closure, Frame, Maybe, Method, Poison, moment, poison_problem
from adcompiler.frontend.source import DISPATCHED, DISPATCHING, Source, source_of
from adcompiler.frontend.splicing import yields
from adcompiler.frontend.structural import STRUCTURAL
from adcompiler.frontend.ufunc_methods import is_method, method_of_ufunc
from adcompiler.frontend.words import FUNCTIONS, describe, method_remedy, noun, one_after_the_other
from adcompiler.frontend.wrappers import GETTERS, first_decides, remade, vectorized
from adcompiler.ir.callee import passed
from adcompiler.ir.core import Checkpoint, Op, Region, Value, clone, leaves, walk
from adcompiler.ir.library import of, on_device
from adcompiler.ir.printer import target_name
from rules import arrays, find
from rules.kind import ONE, Array, Num, Opaque, Seq
from rules.libraries import followed, hashable, is_distribution, is_followed, label, operation, taken_apart
from rules.python.higher_order import ITERATORS, counted, first_of, first_or, listing
from rules.rule import Rule

#: Functions that write into an argument.
WRITERS = (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)
#: What gives a string, whatever it is given.
_TEXTS = (repr, format, ascii, bin, oct, hex, chr)
#: What has a method that shuffles.
GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)
#: Parameters that are lists of arrays, rather than arrays that may be written as lists.
LISTS = frozenset(
    "arrays tup items object operands xi rest choicelist choices c_and_lower c_or_cr lu_and_piv range".split()
)
#: The remedy where a call does not fit a function's parameters.
AS_DEFINED = "call it with the arguments that its definition names"
#: What may be given a generator expression: it is read at once.
CONSUMERS = (sum, max, min, all, any, list, tuple)


class Calls(Iterations):
    """Lowers calls."""

    stack: list[Any]
    callers: list[Frame]

    # ------------------------------------------------------------------------------------ arguments
    def expr_Call(self, node: Any) -> Any:
        if not self.attempts:
            return self.called_at(node)
        starts, before = self.attempts[-1].starts, len(self.attempts[-1].reads)
        starts.append(before)
        try:
            return self.called_at(node)
        finally:
            del starts[-1:]

    def called_at(self, node: Any) -> Any:
        """The denotation of a call that stands in the program."""
        frozen = self.frozen_method(node.func)
        function, parameters, named = frozen or (self.expr(node.func), (), {})
        given = node.args[0] if node.args else None
        plain = not node.keywords or (isinstance(function, Known) and function.value in (max, min, sum))
        if isinstance(given, gast.GeneratorExp | gast.ListComp) and isinstance(function, Known) and plain:
            done = self.consumed(function.value, given, node)
            if done is not None:
                return done
        args, kwargs = self.given(node)
        if frozen and not takes_one(args, kwargs):
            raise self.refuse(node, MORE_THAN_ONE, "leave out the others")
        self.evaluated[-1].clear()  # the arguments are the function's from here on
        return self.call(function, (*args, *parameters), {**kwargs, **named}, node)

    def given(self, node: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What a call is given, by position and by keyword."""
        args = tuple(self.items(node.args))
        kwargs: dict[str, Any] = {}
        for k in node.keywords:
            value = self.expr(k.value)
            if k.arg is not None:
                kwargs[k.arg] = value
            elif isinstance(value, dict) and all(isinstance(x, str) for x in value):
                kwargs.update(value)
            else:
                raise self.refuse(k.value, "** of something that is not a dict of known string keys",
                                  "pass the keywords one by one")  # fmt: skip
        return args, kwargs

    def frozen_method(self, func: Any) -> tuple[Known, tuple[Any, ...], dict[str, Any]] | None:
        """The method and the parameters in `norm(m, s).logpdf`; None where no distribution is called there."""
        if not isinstance(func, gast.Attribute) or func.attr not in METHODS or not isinstance(func.value, gast.Call):
            return None
        maker = func.value.func
        owner = maker.value if isinstance(maker, gast.Attribute) else maker
        made = self.expr(maker) if isinstance(owner, gast.Name) else None
        method = method_of(made.value, func.attr) if isinstance(made, Known) else None
        return None if method is None else (method, *self.given(func.value))

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The denotation of a call."""
        if isinstance(function, Closure):
            if function.checkpoint:
                return self.checkpointed(replace(function, checkpoint=False), args, kwargs, node)
            frame = Frame(function.frame.source, parent=function.frame)
            return self.inline(function.node, frame, function.name, function.defaults, args, kwargs, node)
        if isinstance(function, Method):
            return self.call_method(function, args, kwargs, node)
        if isinstance(function, Callback):
            return function.called(self, args, kwargs, node)
        if not isinstance(function, Known) or not callable(function.value):
            self.refuse_opaque(function)
            remedy = "call a function that is known when compiling; an array or a container is indexed: x[...]"
            raise self.refuse(node, f"{describe(function)} is called, and is no function", remedy)
        f = function.value
        if (home := arrays.chooser(f)) is not None:
            return Known(home if on_device((args, kwargs)) else np)
        handler = STRUCTURAL.get(f) if hashable(f) else None
        if args and isinstance(args[0], Generated) and (f in CONSUMERS or f is sorted or f is dict):
            return self.consumed_generator(f, args, kwargs, node)
        if handler is not None:
            self.walls.append(moment())
            try:
                result = handler(self, node, *args, **kwargs)
            finally:
                self.walls.pop()
            if result is not NotImplemented:
                return result
        if f in BINARY.values() and len(args) == 2 and not kwargs and any(isinstance(d, _CONTAINERS) for d in args):
            return self.binary(f, *args, node)
        if is_distribution(f) and all(map(is_number, (*args, *kwargs.values()))):
            return Frozen(f, args, kwargs, self.loc(node))
        rule = find(f)
        if rule is None and is_method(f):
            return method_of_ufunc(self, node, f, args, kwargs)
        of_objects = any(records([*args, *kwargs.values()]))
        written = followed(f, args, kwargs) if rule is None or rule.why or of_objects else None
        if written is not None and f in ITERATORS:
            return self.once((*args, *kwargs.values()), lambda: self.follow(f.__name__, written, args, kwargs, node))
        if written is not None:
            result = self.follow(getattr(f, "__name__", "it"), written, args, kwargs, node)
            if f is np.apply_along_axis:
                first_decides(self, result, "np.apply_along_axis", "let the function return floats alone", node)
            return result
        if rule is None and is_followed(f):
            raise self.refuse(node, f"{f.__name__} with these arguments is not supported", "write it as a loop")
        if rule is not None:
            if isinstance(f, types.MethodDescriptorType) and rule.functions:
                f = rule.functions[0]  # np.ndarray.sum(x) is np.sum(x)
            args = tuple(self.stacked(d, node) if _lists(d) else d for d in args)
            return self.rule_call(rule, f, args, kwargs, node)
        for owner, name in ((getattr(f, "__self__", None), getattr(f, "__name__", "")), (f, "__call__")):
            maker = taken_apart(owner)
            if (function := operation(owner, name)) is not None and not (of_objects and maker):
                return self.call(Known(function), (Known(owner), *args), kwargs, node)
            if maker is not None and name != "__call__":
                made = self.follow(name, maker, (Known(owner),), {}, node)
                return self.call(self.attribute(made, name, node), args, kwargs, node)
        return self.call_user(f, args, kwargs, node)

    def of_numpy(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A function of another library as NumPy's of the same name, where an argument says whose it is."""
        f = function.value if isinstance(function, Known) and on_device((args, kwargs)) else None
        if f is None:
            return function
        if (twin := arrays.twin(f)) is not None:
            return Known(twin[1])
        owner = arrays.twin(getattr(f, "__self__", None))
        return Known(getattr(owner[1], f.__name__)) if owner is not None and hasattr(owner[1], f.__name__) else function

    def rule_call(self, rule: Rule, target: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """An operation of a function with a rule: bound by the rule's signature, statics made known."""
        if rule.why and rule.kind is None:
            return self.opaque(target, args, kwargs, node, rule.why)
        if target is np.where and len(args) == 1 and not kwargs:
            return self.call(Known(np.nonzero), args, kwargs, node)  # as NumPy has it
        try:
            bound = rule.bind(tuple(args), kwargs)
        except TypeError as error:
            raise self.refuse(node, str(error), self.without(kwargs, node)) from None
        defaults = {p.name: p.default for p in rule.parameters}
        given = {name for name, d in bound.items() if d is not defaults[name]}
        for name in bound:
            if name in rule.static and name in given:
                bound[name] = Known(self.static(bound[name], node, f"the argument {name} of {rule.name}"))
        if rule.callbacks:
            bound = with_functions(self, rule, bound, node)
        stars = {p.name for p in rule.parameters if p.star}
        for name, d in bound.items():
            array = (name in rule.pullbacks or name in ("a", "x")) and name not in LISTS | stars | set(rule.callbacks)
            if array and _is_listed(d) and rule is not find(np.array):
                bound[name] = self.emit(of(np.array, (args, kwargs)), d)
            elif name in stars and name in rule.pullbacks:
                bound[name] = tuple(self.emit(np.array, x) if _is_listed(x) else x for x in d)
        positional, keywords = rule.normal({k: plain(v.value) if isinstance(v, Known) else v for k, v in bound.items()})
        result = self.emit(target, *positional, **keywords)
        if rule.callbacks:
            op = self.builder.region.ops[-1]
            op.effect = any(f.callee.effect for f in passed(op))
        return self.only_part(target, positional, node) if isinstance(result, tuple) and len(result) == 1 else result

    def only_part(self, target: Any, args: Any, node: Any) -> tuple[Any]:
        """What a call gives that makes a tuple or a list of one array: the operation is of that array."""
        self.builder.region.ops.pop()
        if not hashable(target) or target not in ALONE:
            raise self.refuse(node, f"{self.text(node)} gives one result in a tuple, which is not supported",
                              "write a function that gives the result itself")  # fmt: skip
        return (ALONE[target](self, *args),)

    def once(self, parts: tuple[Any, ...], make: Callable[[], Any], again: bool = False) -> Once:
        """An iterator over what `make` gives when it is read, in the frame in which it is made here."""
        frame, loc = self.frame, self.builder.loc

        def now() -> Any:
            outer, self.frame = self.frame, frame
            there, self.builder.loc = self.builder.loc, loc
            try:
                return make()
            finally:
                self.frame, self.builder.loc = outer, there

        return (View if again else Once)(parts, now)

    def follow(self, name: str, written: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """A call of a function of a library that is written in Python here: it is lowered as if it stood there."""
        if written not in (listing, counted, first_of, first_or):
            args = tuple(self.follow("list", listing, (d,), {}, node) if isinstance(d, Once) else d for d in args)
        source = self.relocated(written, node)
        defaults = {k: Known(v) for k, v in source.defaults.items()}
        return self.inline(source.node, Frame(source), name, defaults, args, kwargs, node)

    def relocated(self, written: Any, node: Any) -> Source:
        """The source of a function that is written in Python here, as if it stood at the call of a library's."""
        source = source_of(written)
        tree = copy.deepcopy(source.node)
        for n in gast.walk(tree):
            if hasattr(n, "lineno"):
                gast.copy_location(n, node)
        source = replace(source, node=tree, file=self.frame.source.file)
        self.scope.sources.setdefault(tree, source)
        return source

    def without(self, kwargs: dict[str, Any], node: Any) -> str:
        """The way out where a call does not fit the function's rule."""
        if "out" in kwargs:
            return f"assign what it returns: y[...] = {self.text(node.func)}(...)"
        if "where" in kwargs:
            return "choose what it reads: np.where(condition, x, 0.0), or x[condition]"
        return "use the arguments of its rule (`adc rules`), or write it in other terms"

    def call_user(self, f: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """A call of a Python function: lowered here if its source can be seen, opaque otherwise."""
        if isinstance(f, functools.partial):
            self.watch_items(f, "keywords", f.keywords)
            for name, x in (("func", f.func), ("args", f.args)):
                self.scope.watch(f, f"it.{name}", x)
            return self.call(Known(f.func), (*map(self._outside, f.args), *args),
                             {**{k: self._outside(v) for k, v in f.keywords.items()}, **kwargs}, node)  # fmt: skip
        if hasattr(f, "__adc_checkpoint__"):
            return self.checkpointed(Known(f.__adc_checkpoint__), args, kwargs, node)
        if isinstance(f, types.MethodType) and hasattr(type(f.__self__), "__adc_wrapped__"):
            made: Any = getattr(f.__self__, f"_{f.__name__}", None)
            if hasattr(made, "__adc_gradient__"):
                return self.gradient(made.__adc_gradient__, args, kwargs, node)
        if hasattr(f, "__adc_pullback__"):
            reason = "a pullback that was made outside is called, and has no derivative"
            raise self.refuse(node, reason, "call vjp inside: value, pullback = vjp(f, x)")
        if hasattr(f, "__adc_gradient__"):
            return self.gradient(f.__adc_gradient__, args, kwargs, node)
        if hasattr(type(f), "__adc_wrapped__"):
            return self.call(Known(f.__adc_wrapped__), args, kwargs, node)
        if isinstance(f, types.MethodType) and takes_one(args, kwargs) and (frozen := thawed(f)) is not None:
            function, parameters, named = frozen
            named = {**kwargs, **{k: self._outside(v) for k, v in named.items()}}
            return self.call(function, (*args, *map(self._outside, parameters)), named, node)
        if isinstance(f, types.MethodType) and (_writes(f) or "." in label(f)):
            return self.opaque(f, args, kwargs, node)
        if isinstance(f, types.MethodType):
            return self.call(Known(f.__func__), (Known(f.__self__), *args), kwargs, node)
        if isinstance(f, GETTERS):
            return remade(self, node, f).called(self, args, kwargs, node)
        if isinstance(f, np.vectorize):
            return vectorized(self, node, f).called(self, args, kwargs, node)
        if isinstance(f, functools._lru_cache_wrapper):
            return self.call(Known(f.__wrapped__), args, kwargs, node)
        module = (getattr(f, "__module__", "") or "").split(".")[0]
        if isinstance(f, type) and issubclass(f, BaseException):
            error = self.builder.call(f, *map(self.operand, args), kind=Opaque(f.__name__),
                                      **{k: self.operand(v) for k, v in kwargs.items()})  # fmt: skip
            self.defs[error] = self.builder.region.ops[-1]
            return error
        if isinstance(f, types.FunctionType) and module not in LIBRARIES:
            if f.__code__.co_flags & inspect.CO_COROUTINE:
                raise self.refuse(node, f"{f.__name__} is a coroutine", f"write {f.__name__} as a plain function")
            if f.__code__ is DISPATCHING:
                raise self.refuse(node, f"{f.__name__} {DISPATCHED}", "pick a function with isinstance(...)")
            source = source_of(f)
            if source.of_rules:
                return self.follow(f.__name__, f, args, kwargs, node)
            self.scope.sources.setdefault(source.node, source)
            if source.defaults:
                self.scope.watch(f, "it.__defaults__", f.__defaults__)
                self.watch_items(f, "__kwdefaults__", f.__kwdefaults__ or {})
            defaults = {k: self._outside(v) for k, v in source.defaults.items()}
            return self.inline(source.node, Frame(source), f.__name__, defaults, args, kwargs, node)
        if isinstance(f, type) and f.__module__.split(".")[0] not in LIBRARIES | sys.stdlib_module_names:
            raise self.refuse(node, f"{f.__name__}(...) makes an object, which is not supported yet",
                              "make it outside the function, or use a dict")  # fmt: skip
        method = inspect.getattr_static(type(f), "__call__", None)
        if isinstance(method, types.FunctionType) and module not in LIBRARIES:
            return self.call(Known(method), (Known(f), *args), kwargs, node)
        return self.opaque(f, args, kwargs, node)

    def watch_items(self, f: Any, attribute: str, items: dict[str, Any]) -> None:
        """Guard what keywords a function has by itself, if any."""
        for k, x in items.items():
            self.scope.watch(f, f"it.{attribute}[{k!r}]", x)
        if items:
            self.scope.watch(f, f"len(it.{attribute})", len(items), len)

    def _outside(self, value: Any) -> Any:
        """A default or a partial's argument: taken by kind, like a captured global."""
        loc = self.builder.loc or self.loc(self.frame.source.node)
        name = (
            self.scope.free_name("_value", value) if not isinstance(value, int | float | str | None.__class__) else ""
        )
        if not name:
            return Known(value)
        d = self.scope.outside((id(value), ""), Access(name, ((name, value),)), value, name, loc)
        self.note_captures()
        return d

    def opaque(self, f: Any, args: Any, kwargs: Any, node: Any, why: str = "") -> Any:
        """A call that the compiler cannot see into: kept in order; differentiation stops where it is active."""
        if _writes(f):
            remedy = FUNCTIONS.get(f.__name__, "make a new array of what it writes")
            if f.__name__ == "at" and len(args) == f.__self__.nin + 1:
                plain = isinstance(node, gast.Call) and len(node.args) == len(args)
                texts = list(map(self.text, node.args)) if plain else ["y", "index", "values"][: len(args)]
                remedy = one_after_the_other(f.__self__, target_name(f.__self__), args, texts)
            name = target_name(getattr(f, "__func__", f))
            into = "a list" if args and _is_list(args[0]) else "an array"
            if f.__name__ == "shuffle" and into == "a list":
                remedy = remedy.replace("y = y[order]", "y = np.array(y)[order]")
            raise self.refuse(node, f"{name} writes into {into}, which is not supported yet", remedy)
        name = getattr(f, "__name__", str(f))
        for x in (*args, *kwargs.values()):
            if isinstance(x, Closure | Method):
                remedy = FUNCTIONS.get(name, "write out what it does: a loop, or a comprehension")
                told = f", and would call {describe(x)}" if not why else f": {why}"
                raise self.refuse(node, f"{name} has no rule{told}", remedy if not why else "")
            if _reads(f):
                continue
            if isinstance(x, list | dict) or (isinstance(x, Value | ListOf) and not _unchanging(x)):
                reason = f"{name} cannot be seen into, and may write into the {_noun(x)} that it is given"
                remedy = FUNCTIONS.get(name, "pass it a tuple, or write out what it does")
                raise self.refuse(node, reason + (f" ({why})" if why else ""), remedy)
        if getattr(f, "__module__", "") == "math" and all(isinstance(x, Known) for x in args) and not kwargs:
            return Known(f(*(x.value for x in args)))
        if self.attempts and self.related((Exception,)) is not None:
            return self.attempted_opaque(f, args, kwargs)
        result = self.builder.effect(f, *map(self.operand, args), kind=Opaque("str" if f in _TEXTS else "object"),
                                     **{k: self.operand(v) for k, v in kwargs.items()})  # fmt: skip
        self.builder.region.ops[-1].loc = self.loc(node)
        self.defs[result] = self.builder.region.ops[-1]
        return result

    # ------------------------------------------------------------------------------------- generators
    def generated(self, node: Any, frame: Frame, name: str, bound: dict[str, Any]) -> Any:
        """The iterator that a call of a generator function gives."""
        raise NotImplementedError

    def consumed_generator(self, f: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """What a builtin makes of all that a generator yields."""
        raise NotImplementedError

    def consumed(self, function: Any, made: Any, node: Any) -> Any:
        """What a builtin makes of a generator expression, or `sum` of a comprehension with conditions: a loop.

        None where it is not lowered as a loop.
        """
        if not any(function is f for f in CONSUMERS):
            return None
        if function in (any, all) and isinstance(made, gast.GeneratorExp):
            name = "found 0" if function is any else "holds 0"
            return self.folded(made, name, Known(function is all), found(name, function is any, made.elt), node)
        plain = len(made.generators) == 1 and not made.generators[0].ifs
        if function is sum and not plain:
            starts = [*node.args[1:], *(k.value for k in node.keywords)]
            start = self.expr(starts[0]) if starts else Known(0)
            return self.folded(made, "total 0", start, _added("total 0", made.elt), node)
        if isinstance(made, gast.ListComp):
            return None
        rest, keywords = self.items(node.args[1:]), {k.arg: self.expr(k.value) for k in node.keywords}
        return self.call(Known(function), (self._comprehension(made, made.generators), *rest), keywords, node)

    def folded(self, made: Any, name: str, start: Any, statements: list[Any], node: Any, source: Any = None) -> Any:
        """The loops of a comprehension around these statements; what becomes of `name`, which is `start` at first.

        `source` is what the first of them reads, where that has been lowered.
        """
        bound = {name: start}
        for g in reversed(made.generators):
            iterable = g.iter
            if source is not None and g is made.generators[0]:
                bound["source 0"], iterable = source, _read("source 0")
            for test in reversed(g.ifs):
                statements = [gast.If(test, statements, [])]
            statements = [gast.For(g.target, iterable, statements, [], None)]
        for s in statements:
            for n in gast.walk(s):
                if not hasattr(n, "lineno"):
                    gast.copy_location(n, node)
        outer = self.frame
        self.frame = Frame(outer.source, bound, outer, assigned_names(made.generators))
        try:
            self.block(desugar(statements))
            d = self.frame.env[name]
            if isinstance(d, Poison):
                raise Refusal(poison_problem(d, hint(name), self.loc(node)))
            return d
        finally:
            self.frame = outer

    def stacked(self, d: Any, node: Any) -> Any:
        """A list of lists, as NumPy reads it: a list of arrays."""
        names = {"lists 0": d, "array 0": Known(np.array)}
        row = gast.Name("row 0", gast.Store(), None, None)
        loop = gast.comprehension(row, _read("lists 0"), [], 0)
        made = gast.ListComp(gast.Call(_read("array 0"), [_read("row 0")], []), [loop])
        for n in gast.walk(made):
            gast.copy_location(n, node)
        outer, self.frame = self.frame, Frame(self.frame.source, names, self.frame)
        try:
            return self.expr(made)
        finally:
            self.frame = outer

    def block(self, statements: list[Any]) -> Any:
        raise NotImplementedError

    # --------------------------------------------------------------------------------- user functions
    def item(self, a: Any, args: tuple[Any, ...], node: Any) -> Any:
        """`a.item(*args)`: the element, of which there is one or which is named, as a number of Python's."""
        kind, index = a.kind, args[0] if len(args) == 1 else args
        if kind.dtype.kind == "c":
            raise self.refuse(node, "item() of complex numbers gives one of Python's, which is not supported",
                              "leave it out, and index the array: z[0]")  # fmt: skip
        to = {"f": float, "b": bool}.get(kind.dtype.kind, int)
        flat = len(args) == 1 and not isinstance(index, tuple)
        if isinstance(kind, Array) and kind.ndim and (args or all(self.env.resolve(n) == ONE for n in kind.shape)):
            a = self.emit(np.ravel, a) if flat and kind.ndim > 1 else a
            a = self.subscript(a, index if args else (Known(0),) * kind.ndim, node)
        elif isinstance(kind, Array) and kind.ndim:
            raise self.refuse(node, "item() is of one element, and how many there are here is not known",
                              "index the one that is wanted: x[0]")  # fmt: skip
        return self.call(Known(to), (a,), {}, node)

    def known_call(self, f: Any, values: list[Any], node: Any) -> Any:
        """What a method gives of what is known when compiling; what it raises may be caught.

        A list is one that may be changed.
        """
        try:
            made = f(*values)
            return type(made)(map(Known, made)) if type(made) in (list, tuple) else Known(made)
        except Exception as error:
            self.raise_here(type(error), *error.args)
            raise self.refuse(node, f"this raises {type(error).__name__}: {error}",
                              "test before whether it does") from None  # fmt: skip

    def inline(self, node: Any, frame: Frame, name: str, defaults: Any, args: Any, kwargs: Any, call: Any) -> Any:
        """Lower a call of a function whose body can be seen."""
        bound = self.bind_arguments(node, name, defaults, args, kwargs, call)
        frame.name = name
        frame.locals = assigned_names(node.body) if isinstance(node.body, list) else frozenset()
        frame.declared = declared_names(node)
        if isinstance(node.body, list) and yields(node.body):
            frame.locals |= frozenset(bound)
            return self.generated(node, frame, name, bound)
        try:
            return self.entered(node, frame, name, bound, call)
        except Refusal as refusal:
            if refusal.problem is None or not frame.source.of_rules or self.frame.source.of_rules:
                raise
            told = _at_call(refusal.problem, name, frame.locals)
            if told is None and refusal.problem.file == self.frame.source.file:
                raise  # of a function of the user's that it is given, or of a generator that it reads
            raise self.refuse(call, *(told or (refusal.problem.reason, refusal.problem.remedy))) from None

    def entered(self, node: Any, frame: Frame, name: str, bound: dict[str, Any], call: Any) -> Any:
        """The denotation of a call with these arguments."""
        raise NotImplementedError

    def in_place_of_call(self, node: Any, frame: Frame, bound: dict[str, Any]) -> Any:
        """The denotation of a call whose body is lowered in its place."""
        frame.env.update(bound)
        outer, self.frame = self.frame, frame
        self.callers.append(outer)
        self.evaluated.append([])
        loc = self.builder.loc

        def whole() -> Any:
            with self.borrowed(frame, node):
                return self.body(node)

        def attempted(a: Any) -> Any:
            frame.catches, frame.needs_error = a.catches, a.needs_error
            pair, error = whole(), frame.env.get("error 0")
            return pair, error.value if isinstance(error, Maybe) else error

        try:
            watched = self.attempts and self.attempts[-1].region is self.builder.region
            return self.attempted_call(attempted) if watched and isinstance(node.body, list) else whole()
        finally:
            self.evaluated.pop()
            self.callers.pop()
            self.frame = outer
            self.builder.loc = loc

    def borrowed(self, frame: Frame, node: Any) -> Any:
        """Lend a function what it, or one that it calls, may assign of the variables around it."""
        raise NotImplementedError

    def unfollowed(self, node: Any) -> Any:
        """Refuse what may be raised within, if the `try` around a statement catches it."""
        raise NotImplementedError

    def attempted_call(self, lower: Callable[[Any], Any]) -> Any:
        """A call in a `try` of a function whose body is lowered with what it may raise: the value that it returns."""
        raise NotImplementedError

    def attempted_opaque(self, f: Any, args: Any, kwargs: Any) -> Any:
        """A call in a `try` that the compiler cannot see into: its result, where it raises nothing that is caught."""
        raise NotImplementedError

    def related(self, classes: Any) -> Any:
        """The statement that is being lowered, if exceptions of these classes may be caught; None if they are not."""
        raise NotImplementedError

    def checkpointed(self, function: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """The denotation of a call, whose operations are put into a checkpoint: any of them may be read later."""
        region = self.builder.region
        start = len(region.ops)
        result = self.call(function, args, kwargs, node)
        ops = region.ops[start:]
        self.check_repeatable(ops)
        made = [r for op in ops for r in op.results]
        body = clone(Region([], ops, list(made)), {})
        effect = any(op.effect for op in ops)
        region.ops[start:] = [Checkpoint("checkpoint", (), {}, made, False, effect, self.loc(node), body)]
        return result

    def check_repeatable(self, ops: list[Op]) -> None:
        """Refuse operations that read what an opaque call returned: it is not called again."""
        calls = {r: op for op in walk(Region([], ops)) if op.effect and not op.regions for r in op.results}
        for op in walk(Region([], ops)):
            read = list(op.operands()) if op.regions or not op.effect else []
            for v in (*read, *(v for sub in op.regions for v in leaves(sub.results))):
                if v in calls:
                    name = target_name(calls[v].target)
                    reason = f"{name} may return something else when a checkpoint calls it again"
                    raise self.refuse(calls[v].loc, reason, "call it before, and pass what it returns")

    def gradient(self, request: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """The denotation of a call of a gradient."""
        raise NotImplementedError

    def body(self, node: Any) -> Any:
        """The returned denotation of a function's body in the current frame."""
        raise NotImplementedError

    def bind_arguments(self, node: Any, name: str, defaults: Any, args: Any, kwargs: Any, call: Any) -> dict[str, Any]:
        """Bind a call to a signature as Python does."""
        a, rest, given = node.args, list(args), dict(kwargs)
        bound: dict[str, Any] = {}
        for i, p in enumerate((*a.posonlyargs, *a.args)):
            keyword = i >= len(a.posonlyargs)
            if rest:
                bound[p.id] = rest.pop(0)
                if keyword and p.id in given:
                    raise self.refuse(call, f"{name}() got multiple values for argument {p.id!r}", AS_DEFINED)
            elif keyword and p.id in given:
                bound[p.id] = given.pop(p.id)
            elif p.id in defaults:
                bound[p.id] = defaults[p.id]
            else:
                raise self.refuse(call, f"{name}() misses the argument {p.id!r}", AS_DEFINED)
        for p in a.kwonlyargs:
            if p.id in given:
                bound[p.id] = given.pop(p.id)
            elif p.id in defaults:
                bound[p.id] = defaults[p.id]
            else:
                raise self.refuse(call, f"{name}() misses the keyword argument {p.id!r}", AS_DEFINED)
        if a.vararg is not None:
            bound[a.vararg.id] = tuple(rest)
        elif rest:
            raise self.refuse(
                call, f"{name}() takes {len(bound)} positional arguments but {len(args)} were given", AS_DEFINED
            )
        if a.kwarg is not None:
            bound[a.kwarg.id] = given
        elif given:
            raise self.refuse(call, f"{name}() got an unexpected keyword argument {next(iter(given))!r}", AS_DEFINED)
        return bound

    # ----------------------------------------------------------------------------------------- methods
    def call_method(self, m: Method, args: Any, kwargs: Any, node: Any) -> Any:
        owner = m.owner
        if isinstance(owner, Value) and isinstance(owner.kind, Array | Num):
            if m.name == "item" and not kwargs:
                return self.item(owner, args, node)
            return self.method_rule(m.name, node, owner, args, kwargs)
        if isinstance(owner, dict):
            if m.name == "items":
                return self.once((owner,), lambda: [(Known(k), v) for k, v in owner.items()], again=True)
            if m.name == "keys":
                return self.once((owner,), lambda: [Known(k) for k in owner], again=True)
            if m.name == "values":
                return self.once((owner,), lambda: list(owner.values()), again=True)
            if m.name == "get":
                key = self.static(args[0], node, "the key of a dict")
                return owner.get(key, args[1] if len(args) > 1 else Known(None))
            if m.name == "copy":
                return dict(owner)
        elif isinstance(owner, tuple | list):
            known = all(isinstance(x, Known) and not is_object(x.value) for x in owner)
            if m.name in ("index", "count") and known:
                wanted = self.static(args[0], node, "what is looked for")
                return self.known_call(getattr([x.value for x in owner], m.name), [wanted], node)
            if m.name == "copy":
                return type(owner)(owner)
        elif is_set(owner):
            others = [[self.static(x, node, "the element of a set") for x in self.elements(a, node)] for a in args]
            made = getattr(owner.value, m.name)(*others)
            return Known(Elements(made) if isinstance(made, frozenset) else made)
        elif isinstance(owner, Known):
            if m.name == "format" and not kwargs and any(isinstance(a, Known) and is_object(a.value) for a in args):
                return self.emit(str.format, owner, *args)  # as they are when it is called
            values = [self.static(a, node, f"the argument of {m.name}") for a in args]
            return self.known_call(getattr(owner.value, m.name), values, node)
        cls = list if isinstance(owner, Value | ListOf) else type(owner)
        if isinstance(owner, dict) and self.counts(owner):
            raise self.refuse(node, f"the method {m.name} of a Counter is not supported",
                              method_remedy(collections.Counter, m.name, self.text(node.func.value)))  # fmt: skip
        text = self.text(node.func.value) if isinstance(node.func, gast.Attribute) else "it"
        reason = f"the method {m.name} of {noun(owner)} is not supported"
        if m.name in CHANGING and hasattr(cls, m.name):
            reason = f"{m.name} changes {noun(owner)} in place, which is not supported here"
        elif not hasattr(collections.OrderedDict if cls is dict else cls, m.name):
            reason = f"{noun(owner)} has no method {m.name}"
        raise self.refuse(node, reason, method_remedy(cls, m.name, text))

    def fold_loop(self, it: Iteration, start: Any, node: Any) -> Any:
        raise NotImplementedError


def _at_call(problem: Problem, function: str, variables: frozenset[str]) -> tuple[str, str] | None:
    """The reason and the remedy of a problem with a variable of a library's function, for who calls that."""
    loc, variable = problem.origin if isinstance(problem.origin, tuple) else (None, "")
    if loc is None or variable not in variables or not problem.reason.startswith(f"{variable} is "):
        return None
    reason = problem.reason.removeprefix(variable).replace(f" of the if at line {loc.line}", "")
    remedy = f"write out what {function} does, with `if`, and use on each path what it picks there"
    return f"what {function} picks{reason}", remedy


def _added(name: str, element: Any) -> list[Any]:
    """`name = name + element`."""
    return [_assign(name, gast.BinOp(_read(name), gast.Add(), element))]


def found(name: str, truth: bool, element: Any) -> list[Any]:
    """`if element: name = True; break`, or the opposite."""
    test = element if truth else gast.UnaryOp(gast.Not(), element)
    return [gast.If(test, [_assign(name, gast.Constant(truth, None)), gast.Break()], [])]


def _read(name: str) -> Any:
    return gast.Name(name, gast.Load(), None, None)


def _assign(name: str, value: Any) -> Any:
    return gast.Assign([gast.Name(name, gast.Store(), None, None)], value, None)


_CONTAINERS = (tuple, list, dict)


def _writes(f: Any) -> bool:
    """Does this function store into an array that it is given?"""
    owner, name = getattr(f, "__self__", None), getattr(f, "__name__", "")
    method = name == "at" if isinstance(owner, np.ufunc) else name == "shuffle" and isinstance(owner, GENERATORS)
    return method or any(f is w for w in WRITERS)


def _unchanging(x: Any) -> bool:
    """Arrays are looked after when differentiating; lists of unknown length are not."""
    return isinstance(x, Value) and not (isinstance(x.kind, Seq) and not x.kind.range)


def _reads(f: Any) -> bool:
    """Does this function surely only read a list that it is given?"""
    return getattr(f, "__module__", "") in ("numpy", "numpy.linalg", "numpy.fft", "math") or f in (sorted, filter)


def _is_listed(d: Any) -> bool:
    """Is this a list or a tuple?"""
    return isinstance(d, list | tuple) or (isinstance(d, Value) and isinstance(d.kind, Seq))


def _is_list(d: Any) -> bool:
    return isinstance(d, ListOf) or (_is_listed(d) and not isinstance(d, tuple))


def _lists(d: Any) -> bool:
    """Is this a list of any length, of lists or tuples?"""
    if isinstance(d, ListOf):
        return isinstance(d.element, list | tuple)
    return isinstance(d, Value) and isinstance(d.kind, Seq) and isinstance(d.kind.element, Seq)


def _noun(x: Any) -> str:
    return "dict" if isinstance(x, dict) else "list"
