"""Calls, resolved by identity: a rule's function, a function with source, a builtin of structure, or opaque."""

import functools
import inspect
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from adcompiler.errors import Refusal, problem_at
from adcompiler.frontend.expressions import Expressions, Unroll, _describe, _rebuild
from adcompiler.frontend.kinds import MAX_UNROLLED, Known, ListOf
from adcompiler.frontend.scope import Access, Closure, Frame, Method, Poison, poison_problem
from adcompiler.frontend.source import source_of
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import For, Region, Value, leaves
from rules import find
from rules.cotangent import length
from rules.kind import Array, Num, Opaque, Seq, array_or_number, constant, length_of
from rules.rule import Rule
from rules.sequences import backwards

LIBRARIES = frozenset({"numpy", "scipy", "cupy", "math", "cmath", "random", "sklearn", "torch", "jax", "pandas"})


@dataclass
class Iteration:
    """How a loop reads something of unknown length: sequences, and what the loop variable is of their elements."""

    sequences: list[Any]
    element: Callable[[list[Value]], Any]
    length: Any = None


@dataclass(eq=False)
class Once:
    """What zip, enumerate, map and reversed give: it can be read once."""

    iterable: Any
    read: bool = False


ZERO, NONE, EMPTY = Known(0), Known(None), Known("")


class Calls(Expressions):
    """Lowers calls and what iterates."""

    stack: list[Any]
    callers: list[Frame]

    # ------------------------------------------------------------------------------------ arguments
    def expr_Call(self, node: Any) -> Any:
        function = self.expr(node.func)
        args: list[Any] = self._items(node.args)
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
        return self.call(function, tuple(args), kwargs, node)

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The denotation of a call."""
        if isinstance(function, Closure):
            return self.inline(function.node, Frame(function.frame.source, parent=function.frame), function.name,
                               function.defaults, args, kwargs, node)  # fmt: skip
        if isinstance(function, Method):
            return self.call_method(function, args, kwargs, node)
        if not isinstance(function, Known):
            raise self.refuse(node, f"{_describe(function)} is called", "call a function that is known when compiling")
        f = function.value
        handler = STRUCTURAL.get(f) if _hashable(f) else None
        if handler is not None:
            result = handler(self, node, *args, **kwargs)
            if result is not NotImplemented:
                return result
        rule = find(f)
        if rule is not None:
            return self.rule_call(rule, f, args, kwargs, node)
        return self.call_user(f, args, kwargs, node)

    def rule_call(self, rule: Rule, target: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """An operation of a function with a rule: bound by the rule's signature, statics made known."""
        if rule.why:
            return self.opaque(target, args, kwargs, node, rule.why)
        try:
            bound = rule.bind(tuple(args), kwargs)
        except TypeError as error:
            raise self.refuse(
                node, str(error), "use the arguments of its rule (`adc rules`), or write it in other terms"
            ) from None
        defaults = {p.name: p.default for p in rule.parameters}
        given = {name for name, d in bound.items() if d is not defaults[name]}
        for name in bound:
            if name in rule.static and name in given:
                bound[name] = Known(self.static(bound[name], node, f"the argument {name} of {rule.name}"))
        positional, keywords = rule.normal({k: v.value if isinstance(v, Known) else v for k, v in bound.items()})
        return self.emit(target, *positional, **keywords)

    def call_user(self, f: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """A call of a Python function: lowered here if its source can be seen, opaque otherwise."""
        if isinstance(f, functools.partial):
            return self.call(Known(f.func), (*map(self._outside, f.args), *args),
                             {**{k: self._outside(v) for k, v in f.keywords.items()}, **kwargs}, node)  # fmt: skip
        if isinstance(f, types.MethodType) and hasattr(type(f.__self__), "__adc_wrapped__"):
            made: Any = getattr(f.__self__, f"_{f.__name__}", None)
            if hasattr(made, "__adc_gradient__"):
                return self.gradient(made.__adc_gradient__, args, kwargs, node)
        if hasattr(f, "__adc_gradient__"):
            return self.gradient(f.__adc_gradient__, args, kwargs, node)
        if hasattr(type(f), "__adc_wrapped__"):
            return self.call(Known(f.__adc_wrapped__), args, kwargs, node)
        if isinstance(f, types.MethodType):
            return self.call(Known(f.__func__), (Known(f.__self__), *args), kwargs, node)
        if isinstance(f, functools._lru_cache_wrapper):
            return self.call(Known(f.__wrapped__), args, kwargs, node)
        module = (getattr(f, "__module__", "") or "").split(".")[0]
        if isinstance(f, type) and issubclass(f, BaseException):
            error = self.builder.call(f, *map(self.operand, args), kind=Opaque(f.__name__),
                                      **{k: self.operand(v) for k, v in kwargs.items()})  # fmt: skip
            self.defs[error] = self.builder.region.ops[-1]
            return error
        if isinstance(f, types.FunctionType) and module not in LIBRARIES:
            if f.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
                raise self.refuse(node, f"{f.__name__} is a generator or coroutine", "return a list instead")
            source = source_of(f)
            defaults = {k: self._outside(v) for k, v in source.defaults.items()}
            return self.inline(source.node, Frame(source), f.__name__, defaults, args, kwargs, node)
        return self.opaque(f, args, kwargs, node)

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
        for x in (*args, *kwargs.values()):
            if isinstance(x, list | dict) or (isinstance(x, Value | ListOf) and not _unchanging(x)):
                name = getattr(f, "__name__", str(f))
                reason = f"{name} cannot be seen into, and may change the {_noun(x)} that it is given"
                remedy = "pass it a tuple, or write out what it does"
                raise self.refuse(node, reason + (f" ({why})" if why else ""), remedy)
        result = self.builder.effect(f, *map(self.operand, args), kind=Opaque("object"),
                                     **{k: self.operand(v) for k, v in kwargs.items()})  # fmt: skip
        self.builder.region.ops[-1].loc = self.loc(node)
        self.defs[result] = self.builder.region.ops[-1]
        return result

    # --------------------------------------------------------------------------------- user functions
    def inline(self, node: Any, frame: Frame, name: str, defaults: Any, args: Any, kwargs: Any, call: Any) -> Any:
        """Lower the body of a function in place of its call."""
        if any(n is node for n in self.stack):
            raise self.refuse(call, f"{name} calls itself: recursion is not supported yet", "write it as a loop")
        bound = self.bind_arguments(node, name, defaults, args, kwargs, call)
        frame.env.update(bound)
        frame.locals = assigned_names(node.body) if isinstance(node.body, list) else frozenset()
        outer, self.frame = self.frame, frame
        self.callers.append(outer)
        self.stack.append(node)
        loc = self.builder.loc
        try:
            return self.body(node)
        finally:
            self.stack.pop()
            self.callers.pop()
            self.frame = outer
            self.builder.loc = loc

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
                    raise self.refuse(call, f"{name}() got multiple values for argument {p.id!r}")
            elif keyword and p.id in given:
                bound[p.id] = given.pop(p.id)
            elif p.id in defaults:
                bound[p.id] = defaults[p.id]
            else:
                raise self.refuse(call, f"{name}() misses the argument {p.id!r}")
        for p in a.kwonlyargs:
            if p.id in given:
                bound[p.id] = given.pop(p.id)
            elif p.id in defaults:
                bound[p.id] = defaults[p.id]
            else:
                raise self.refuse(call, f"{name}() misses the keyword argument {p.id!r}")
        if a.vararg is not None:
            bound[a.vararg.id] = tuple(rest)
        elif rest:
            raise self.refuse(call, f"{name}() takes {len(bound)} positional arguments but {len(args)} were given")
        if a.kwarg is not None:
            bound[a.kwarg.id] = given
        elif given:
            raise self.refuse(call, f"{name}() got an unexpected keyword argument {next(iter(given))!r}")
        return bound

    # ----------------------------------------------------------------------------------------- methods
    def call_method(self, m: Method, args: Any, kwargs: Any, node: Any) -> Any:
        owner = m.owner
        if isinstance(owner, Value) and isinstance(owner.kind, Array | Num):
            return self.method_rule(m.name, node, owner, args, kwargs)
        if isinstance(owner, dict):
            if m.name == "items":
                return [(Known(k), v) for k, v in owner.items()]
            if m.name == "keys":
                return [Known(k) for k in owner]
            if m.name == "values":
                return list(owner.values())
            if m.name == "get":
                key = self.static(args[0], node, "the key of a dict")
                return owner.get(key, args[1] if len(args) > 1 else Known(None))
            if m.name == "copy":
                return dict(owner)
        elif isinstance(owner, tuple | list):
            if m.name in ("index", "count") and all(isinstance(x, Known) for x in owner):
                values = [x.value for x in owner]
                return Known(getattr(values, m.name)(self.static(args[0], node, "what is looked for")))
            if m.name == "copy":
                return list(owner)
        elif isinstance(owner, Known):
            values = [self.static(a, node, f"the argument of {m.name}") for a in args]
            return Known(getattr(owner.value, m.name)(*values))
        mutates = m.name in (
            "append",
            "extend",
            "insert",
            "pop",
            "update",
            "setdefault",
            "clear",
            "remove",
            "sort",
            "reverse",
        )
        what = "changes it in place, which is not supported yet" if mutates else "is not supported"
        remedy = "build the list with a comprehension, or the dict with a display" if mutates else ""
        raise self.refuse(node, f"{_describe(owner)}.{m.name}(...) {what}", remedy)

    # --------------------------------------------------------------------------------------- iteration
    def iterate(self, d: Any, node: Any) -> list[Any] | Iteration:
        """The elements, if there is a known number of them; else how a loop reads them."""
        if isinstance(d, Once):
            if d.read:
                raise self.refuse(node, "this iterator has been read already: a second loop finds it empty",
                                  "call zip, enumerate, map or reversed again, or make a list of it")  # fmt: skip
            d.read = True
            d = d.iterable
        if isinstance(d, Iteration):
            return d
        if isinstance(d, tuple | list):
            return list(d)
        if isinstance(d, dict):
            return [Known(k) for k in d]
        if isinstance(d, ListOf):
            values = list(leaves(d.element))

            def element(items: list[Value]) -> Any:
                by_leaf = dict(zip(values, items, strict=True))
                return _rebuild(d.element, lambda v: by_leaf[v])

            return Iteration(list(values), element, values[0].kind.length)
        if isinstance(d, Value) and isinstance(d.kind, Seq):
            return Iteration([d], lambda items: items[0], d.kind.length)
        if isinstance(d, Value) and isinstance(d.kind, Array) and d.kind.ndim:
            return Iteration([d], lambda items: items[0], d.kind.shape[0])
        if isinstance(d, Known) and isinstance(d.value, str | tuple | list | dict | range):
            return [Known(x) for x in d.value]
        if isinstance(d, Poison):
            raise Refusal(poison_problem(d, "this", self.loc(node)))
        raise self.refuse(node, f"a loop over {_describe(d)} is not supported",
                          "loop over a range, an array, a list, a tuple or the items of a dict")  # fmt: skip

    def elements(self, d: Any, node: Any) -> list[Any]:
        it = self.iterate(d, node)
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
            what = "the bound of a loop whose index is wanted when compiling"
            bounds = [self.static(a, node, what) if isinstance(a, Value) else a for a in op.args]
            values = range(*bounds)
            if len(values) > MAX_UNROLLED:
                raise Refusal(problem)
            out.append([Known(k) for k in values])
        return [it.element(list(row)) for row in zip(*out, strict=False)]

    def element_kind(self, kind: Any) -> Any:
        """The kind of one element; lengths that differ from element to element get names of this iteration."""
        if isinstance(kind, Seq):
            return Num(int) if kind.range else self._renamed(kind.element)
        return array_or_number(kind.dtype, kind.shape[1:], kind.xp)

    def _renamed(self, kind: Any) -> Any:
        if isinstance(kind, Array):
            return Array(kind.dtype, tuple(self.env.fresh() if n.anonymous else n for n in kind.shape), kind.xp)
        if isinstance(kind, Seq):
            return Seq(self._renamed(kind.element), kind.range)
        return Num(kind.type) if isinstance(kind, Num) else kind

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

    def zip_(self, its: list[list[Any] | Iteration], node: Any) -> list[Any] | Iteration:
        """Several things read side by side."""
        if not its:
            return []
        if any(isinstance(it, list) for it in its):
            shortest = min(len(it) for it in its if isinstance(it, list))
            rows = [it if isinstance(it, list) else self._first(it, shortest, node) for it in its]
            return [tuple(row) for row in zip(*rows, strict=False)]
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
        if it.length is None or self.env.at_least(it.length, count) is not True:
            if all(s in self.defs and self.defs[s].target is range for s in it.sequences):
                return self.unrolled(
                    it,
                    node,
                    problem_at(self.loc(node), "the number of elements read side by side is not known"),
                )
            return self.elements(it, node)[:count]
        return [it.element([self.emit(operator.getitem, s, Known(i)) for s in it.sequences]) for i in range(count)]

    # ---------------------------------------------------------------------------------- comprehensions
    def expr_ListComp(self, node: Any) -> Any:
        return self._comprehension(node, node.generators)

    def _comprehension(self, node: Any, generators: list[Any]) -> Any:
        g, more = generators[0], generators[1:]
        it = self.iterate(self.expr(g.iter), g.iter)
        outer = self.frame
        self.frame = Frame(outer.source, {}, outer, assigned_names([g]))
        try:
            if isinstance(it, Iteration):
                mark = len(self.builder.region.ops)
                try:
                    return self._collect(node, g, more, it)
                except Unroll as unroll:
                    if unroll.loop is not g:
                        raise
                    del self.builder.region.ops[mark:]
                    it = self.unrolled(it, g.iter, unroll.problem)
            out: list[Any] = []
            for item in it:
                self.assign(g.target, item)
                if not all(self._static_filter(test) for test in g.ifs):
                    continue
                if more:
                    inner = self._comprehension(node, more)
                    if not isinstance(inner, list):
                        raise self.refuse(node, "this comprehension nests loops of unknown length", "write it as loops")
                    out.extend(inner)
                else:
                    out.append(self.expr(node.elt))
            return out
        finally:
            self.frame = outer

    def _static_filter(self, test: Any) -> bool:
        t = self.truth(self.expr(test), test)
        return t if isinstance(t, bool) else bool(self.static(t, test, "the condition of a comprehension"))

    def _collect(self, node: Any, g: Any, more: list[Any], it: Iteration) -> Any:
        if more or g.ifs:
            what = "a condition" if g.ifs else "a second loop"
            reason = f"a comprehension of unknown length with {what} is not supported"
            place = g.ifs[0] if g.ifs else more[0].iter
            raise self.refuse(place, reason, "use a mask: x[x > 0], or write it as a loop")
        region = Region()
        region.params = [Value(self.element_kind(kind_of_operand(s)), "", self.loc(node)) for s in it.sequences]
        outer, self.builder.region = self.builder.region, region
        for p, s in zip(region.params, it.sequences, strict=True):
            if kind_of_operand(s).__class__ is Seq and s.kind.range:
                self.loop_elements[p] = g
        try:
            self.assign(g.target, it.element(region.params))
            d = self.expr(node.elt)
        finally:
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
            operand = self.operand(x)
            kind = kind_of_operand(operand)
            if not isinstance(kind, Num | Array | Seq):
                raise self.refuse(node.elt, f"a list of any length of {_describe(x)} is not supported")
            value = Value(Seq(_anonymous(kind, region, self.env), length=it.length), "", self.loc(node))
            region.results.append(operand)
            op.results.append(value)
            return value

        out = _rebuild(d, collect)
        outer.ops.append(op)
        for v in op.results:
            self.defs[v] = op
        return out if isinstance(out, Value) else ListOf(out)

    def expr_GeneratorExp(self, node: Any) -> Any:
        raise self.refuse(node, "a generator expression is not supported yet", "write a list: [... for ... in ...]")

    def assign(self, target: Any, d: Any) -> None:
        raise NotImplementedError

    def fold_loop(self, it: Iteration, start: Any, node: Any) -> Any:
        raise NotImplementedError


def _anonymous(kind: Any, region: Region, env: Any) -> Any:
    """A collected element's kind: what varies with the iteration has no name outside."""
    if isinstance(kind, Array):
        return Array(kind.dtype, tuple(env.fresh() if n.anonymous else n for n in kind.shape), kind.xp)
    return Num(kind.type) if isinstance(kind, Num) else kind


def _unchanging(x: Any) -> bool:
    """Arrays are looked after when differentiating; lists of unknown length are not."""
    return isinstance(x, Value) and not (isinstance(x.kind, Seq) and not x.kind.range)


def _noun(x: Any) -> str:
    return "dict" if isinstance(x, dict) else "list"


def _hashable(f: Any) -> bool:
    try:
        hash(f)
    except TypeError:
        return False
    return True


class _Names(gast.NodeVisitor):
    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def visit_Name(self, node: Any) -> None:
        if isinstance(node.ctx, gast.Store | gast.Del):
            self.names[node.id] = None

    def visit_FunctionDef(self, node: Any) -> None:
        self.names[node.name] = None

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
    visitor = _Names()
    for n in nodes:
        if isinstance(n, gast.comprehension):
            visitor.visit(n.target)
        else:
            visitor.visit(n)
    return frozenset(visitor.names)


# ------------------------------------------------------------------------------------ builtins of structure
def _len(self: Calls, node: Any, x: Any) -> Any:
    if isinstance(x, tuple | list | dict):
        return Known(len(x))
    if isinstance(x, ListOf):
        return self.emit(length, next(leaves(x.element)))
    if isinstance(x, Known):
        return Known(len(x.value))
    if isinstance(x, Value) and isinstance(x.kind, Array) and not x.kind.ndim:
        raise self.refuse(node, "len() of an unsized object")
    return self.emit(length, x)


def _range(self: Calls, node: Any, *args: Any) -> Any:
    operands = [self.operand(a) for a in args]
    n = None
    if len(operands) == 1 or (len(operands) == 2 and operands[0] == 0):
        stop = operands[-1]
        n = (
            (stop.kind.length if isinstance(stop.kind, Num) else None)
            if isinstance(stop, Value)
            else constant(max(stop, 0))
        )
    elif not any(isinstance(x, Value) for x in operands):
        n = constant(len(range(*operands)))
    value = self.builder.call(range, *operands, kind=Seq(Num(int), range=True, length=n or self.env.fresh()))
    self.defs[value] = self.builder.region.ops[-1]
    return value


def _enumerate(self: Calls, node: Any, x: Any, start: Any = ZERO) -> Any:
    it = self.iterate(x, node)
    if isinstance(it, list):
        first = self.static(start, node, "the start of enumerate")
        return Once([(Known(first + i), d) for i, d in enumerate(it)])
    n = self.emit(length, it.sequences[0])
    index = _range(self, node, n) if isinstance(start, Known) and start.value == 0 \
        else _range(self, node, start, self.emit(operator.add, start, n))  # fmt: skip
    index.kind = Seq(Num(int), range=True, length=it.length)
    return Once(Iteration([index, *it.sequences], lambda items: (items[0], it.element(items[1:])), it.length))


def _zip(self: Calls, node: Any, *xs: Any, strict: Any = None) -> Any:
    return Once(self.zip_([self.iterate(x, node) for x in xs], node))


def _reversed(self: Calls, node: Any, x: Any) -> Any:
    it = self.iterate(x, node)
    if isinstance(it, list):
        return Once(it[::-1])
    return Once(Iteration([self.emit(backwards, s) for s in it.sequences], it.element, it.length))


def _isinstance(self: Calls, node: Any, x: Any, cls: Any) -> Any:
    types_ = self.static(cls, node, "the class in isinstance")
    if isinstance(x, Known):
        return Known(isinstance(x.value, types_))
    if isinstance(x, tuple | list | dict):
        return Known(issubclass(type(x), types_))
    if isinstance(x, Value) and isinstance(x.kind, Num):
        return Known(issubclass(x.kind.type, types_))
    if isinstance(x, Value) and isinstance(x.kind, Array):
        return Known(issubclass(np.ndarray, types_))
    if isinstance(x, ListOf) or (isinstance(x, Value) and isinstance(x.kind, Seq)):
        return Known(issubclass(list, types_))
    if isinstance(x, Closure):
        return Known(issubclass(types.FunctionType, types_))
    raise self.refuse(node, "the class of this is not known when compiling")


def _callable(self: Calls, node: Any, x: Any) -> Any:
    return Known(callable(x.value) if isinstance(x, Known) else isinstance(x, Closure | Method))


def _tuple_or_list(kind: type) -> Callable[..., Any]:
    def convert(self: Calls, node: Any, x: Any = ()) -> Any:
        if isinstance(x, Value | ListOf) and kind is list and not (isinstance(x, Value) and isinstance(x.kind, Array)):
            return x
        it = self.iterate(x, node)
        return kind(it if isinstance(it, list) else self.elements(it, node))

    return convert


def _dict(self: Calls, node: Any, x: Any = None, **kwargs: Any) -> Any:
    if x is None:
        return dict(kwargs)
    if isinstance(x, dict):
        return {**x, **kwargs}
    it = self.iterate(x, node)
    if not isinstance(it, list):
        raise self.refuse(node, "a dict of unknown size is not supported")
    return {**{self.static(k, node, "the key of a dict"): v for k, v in it}, **kwargs}


def _sum(self: Calls, node: Any, x: Any, start: Any = ZERO) -> Any:
    it = self.iterate(x, node)
    if isinstance(it, Iteration):
        return self.fold_loop(it, start, node)
    total = start
    for d in it:
        total = self.binary(operator.add, total, d, node) if not (isinstance(total, Known) and total.value == 0) \
            else d  # fmt: skip
    return total


def _extremum(f: Any) -> Callable[..., Any]:
    def pick(self: Calls, node: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise self.refuse(node, f"{f.__name__} with {', '.join(kwargs)} is not supported")
        items = list(args)
        if len(args) == 1:
            it = self.iterate(args[0], node)
            if not isinstance(it, list):
                raise self.refuse(
                    node,
                    f"{f.__name__} over a sequence of unknown length is not supported",
                    f"use np.{f.__name__}",
                )
            items = it
        for d in items:
            if isinstance(d, Value) and isinstance(d.kind, Array) and d.kind.ndim:
                raise self.refuse(node, f"{f.__name__} of arrays compares them as a whole", f"use np.{f.__name__}imum")
        best = items[0]
        for d in items[1:]:
            best = self.emit(f, best, d)
        return best

    return pick


def _all_any(stop_at: bool) -> Callable[..., Any]:
    def test(self: Calls, node: Any, x: Any) -> Any:
        it = self.iterate(x, node)
        if not isinstance(it, list):
            raise self.refuse(
                node,
                "any and all over a sequence of unknown length are not supported",
                "use np.any or np.all",
            )
        result: Any = Known(not stop_at)
        for d in it:
            t = self.truth(d, node)
            if isinstance(t, bool):
                if t == stop_at:
                    return Known(stop_at)
                continue
            result = (
                t if isinstance(result, Known) else self.emit(operator.or_ if stop_at else operator.and_, result, t)
            )
        return result

    return test


def _print(self: Calls, node: Any, *args: Any, **kwargs: Any) -> Any:
    self.builder.effect(print, *map(self.operand, args), **{k: self.operand(v) for k, v in kwargs.items()})
    return Known(None)


def _getattr(self: Calls, node: Any, x: Any, name: Any, *default: Any) -> Any:
    attr = self.static(name, node, "the name of an attribute")
    if default and isinstance(x, Known) and not hasattr(x.value, attr):
        return default[0]
    return self.attribute(x, attr, node)


def _map(self: Calls, node: Any, f: Any, *xs: Any) -> Any:
    it = self.zip_([self.iterate(x, node) for x in xs], node)
    if not isinstance(it, list):
        raise self.refuse(node, "map over a sequence of unknown length is not supported", "write [f(x) for x in xs]")
    return Once([self.call(f, tuple(row), {}, node) for row in it])


def _type(self: Calls, node: Any, x: Any) -> Any:
    if isinstance(x, Known):
        return Known(type(x.value))
    if isinstance(x, Value):
        if isinstance(x.kind, Num):
            return Known(x.kind.type)
        if isinstance(x.kind, Array):
            return Known(np.ndarray)
    if isinstance(x, tuple | list | dict):
        return Known(type(x))
    raise self.refuse(node, "the type of this is not known when compiling")


def _shape(self: Calls, node: Any, x: Any) -> Any:
    return self.attribute(x, "shape", node) if isinstance(x, Value) else NotImplemented


def _ndim(self: Calls, node: Any, x: Any) -> Any:
    return Known(x.kind.ndim) if isinstance(x, Value) and isinstance(x.kind, Array | Num) else NotImplemented


def _size(self: Calls, node: Any, x: Any, axis: Any = NONE) -> Any:
    if not isinstance(x, Value) or not isinstance(x.kind, Array | Num):
        return NotImplemented
    if isinstance(axis, Known) and axis.value is None:
        return self.attribute(x, "size", node)
    return self.attribute(x, "shape", node)[self.static(axis, node, "the axis of np.size")]


def _issubdtype(self: Calls, node: Any, a: Any, b: Any) -> Any:
    return Known(bool(np.issubdtype(self.static(a, node, "a dtype"), self.static(b, node, "a dtype"))))


def _str(self: Calls, node: Any, x: Any = EMPTY) -> Any:
    return (
        Known(str(x.value))
        if isinstance(x, Known)
        else Known(str(self.static(x, node, "what is turned into a string")))
    )


def _slice(self: Calls, node: Any, *args: Any) -> Any:
    return slice(*([Known(None), *args, Known(None)] if len(args) == 1 else [*args, Known(None)][:3]))


STRUCTURAL: dict[Any, Callable[..., Any]] = {
    len: _len, range: _range, enumerate: _enumerate, zip: _zip, reversed: _reversed, isinstance: _isinstance,
    callable: _callable, tuple: _tuple_or_list(tuple), list: _tuple_or_list(list), dict: _dict, sum: _sum,
    max: _extremum(max), min: _extremum(min), all: _all_any(False), any: _all_any(True), print: _print,
    getattr: _getattr, map: _map, type: _type, np.shape: _shape, np.ndim: _ndim, np.size: _size,
    np.issubdtype: _issubdtype, str: _str, slice: _slice,
}  # fmt: skip
