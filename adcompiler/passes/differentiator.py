"""What a rule asks for as `ad`: derivatives of the functions that the rule's function is given, as operations.

def d_f(ad, d_x, f, x): return ad.vjp(f, x)[1](..)[0]      ->      %d_a = f_grad(%x, %a, ..)

They are calls of functions of the IR, which can be differentiated again. What a function closes over is a cotangent
`(None, ..)` with a part for each value of it, as the rule has to return it; those that do not move are left out of it.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.callee import Bound, Callee
from adcompiler.ir.core import For, Function, Op, Region, Value, free_values, leaves, map_tree, substitute, walk
from adcompiler.passes.continuity import BOTH, MOVES, PLACE, jump
from adcompiler.passes.cotangents import cotangent_kind, hint_of
from adcompiler.passes.trace import Entering, Trace, Traced, Tracer, strip
from rules.cotangent import zeros_like
from rules.kind import Array, KindError, Num, Seq, is_differentiable, same_shape
from rules.rule import OPERATORS, Rule, RuleError, find
from rules.sequences import backwards


class AD(Entering):
    """The differentiator as an operand: of which rule, and which of the values that it is given move."""

    __adc_name__ = "ad"

    def entered(self, trace: Trace) -> "Differentiator":
        return Differentiator(trace, self[0], frozenset(self[1:]))


class Differentiator:
    """Differentiates functions in a rule's body."""

    def __init__(self, trace: Trace, rule: Rule, active: frozenset[Any]) -> None:
        self.trace = trace
        self.rule = rule
        self.active = active

    def moves(self, x: Any) -> bool:
        """Is a cotangent of this argument of the rule wanted?"""
        return strip(x) in self.active

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """A call that becomes part of the program, though all of its arguments may be known: of `np.eye`."""
        return self.trace.call(function, args, {})

    def still(self, *tangents: Any) -> bool:
        """Are all of these tangents zero?"""
        return all(self.trace.is_zero(strip(t)) for t in tangents)

    def named(self, name: str, x: Any) -> Any:
        """The same value, which is a variable of this name in generated code."""
        if isinstance(x, Tracer) and not x.value.hint:
            x.value.hint = name
        return x

    def around(self, f: Traced) -> tuple[list[Any], list[int]]:
        """What a function closes over, and which of that moves: a cotangent of it is wanted."""
        around = f.value.around
        for v in around:
            if v in self.active and isinstance(v.kind, Seq):
                raise KindError("the function that it is given closes over a list, and is integrated over",
                                "make an array of the list before: np.array(xs)")  # fmt: skip
        return list(map(self.trace.wrap, around)), [k for k, v in enumerate(around) if v in self.active]

    def moving(self, t_f: Traced) -> bool:
        """Is the tangent of what a function closes over something else than zero?"""
        return not all(map(self.trace.is_zero, t_f.value.around))

    #: Marks of the arguments of a function: what it is integrated over; and what moves itself, too.
    place, moved = PLACE, BOTH

    def smooth(self, f: Traced, *marks: int, t_f: Traced | None = None) -> None:
        """Refuse a function that jumps at a place that moves, by the marks of its arguments (`continuity.py`)."""
        function = f.value.callee.function
        if function is None:
            return
        around = f.value.around
        moving = [not self.trace.is_zero(t) for t in t_f.value.around] if t_f is not None \
            else [v in self.active for v in around]  # fmt: skip
        given = [*marks, *(MOVES * m for m in moving), *(0 for _ in around[len(moving) :])]
        found = jump(function, {p: m for p, m in zip(function.params, given, strict=False) if m})
        if found is not None:
            line = f" at line {found.loc.line}" if found.loc is not None else ""
            reason = f"the function that it is given jumps{line}, at a place that moves: "
            remedy = "call it on each side of that place, or write np.maximum, np.minimum or np.clip"
            raise KindError(f"{reason}its derivative does not tell what that does to the result", remedy)

    # ------------------------------------------------------------------------------------------- reverse mode
    def vjp(self, f: Any, *args: Any) -> tuple[Any, Callable[[Any], "Pulled"]]:
        """f(*args), and its pullback: from a cotangent of that to those of what `f` closes over and of `args`."""
        f = self.entered(f, *args)
        return f(*args), lambda d: Pulled(self, f, args, d)

    def grad(self, f: Traced) -> Traced:
        """The gradient, as a function, of a function of one argument that gives a number."""
        callee = f.value.callee.pullback((0,), (0,), False)
        return Traced(self.trace, Bound(callee, *f.value.around, 1.0))

    def jacobian(self, f: Any, *args: Any, rows: Any = None) -> "Jacobian":
        """The rows of derivatives of a vector f(*args), stacked; of a number the derivatives.

        `rows` is how many there are, where that is known: else `f` is called for it.
        """
        return Jacobian(self, self.entered(f, *args), args, rows)

    def vjp_each(self, f: Traced, *arrays: Any) -> tuple[Any, Callable[[Any], "Pulled"]]:
        """f of each element or row of these arrays, stacked, and its pullback, from a cotangent of that.

        `[0]`, of what `f` closes over, is summed from the last row to the first; those of rows are stacked.
        """
        names = [p.hint for p in f.value.parameters]
        values = self.each(_named(lambda *rows: f(*rows), names), *arrays)
        return values, lambda d: EachPulled(self, f, arrays, d)

    def elementwise(self, f: Traced) -> Callable[..., tuple[Any, Any]]:
        """`f`, which is of numbers, for each element of an array: a function that gives the values and the slopes.

        Both are of the shape of the array. Where `f` consists of ufuncs it is called once, with the array.
        """

        if [type(p.kind) for p in f.value.parameters] != [Num]:
            raise RuleError("ad.elementwise takes a function that is called with a number")

        def applied(x: Any) -> tuple[Any, Any]:
            whole = self.of_arrays(f, x)
            if whole is not None:
                return self.jvp(whole, (x,), (np.ones_like(x),))
            flat = np.ravel(x)
            values, slopes = self.each(_named(lambda v: self.jvp(f, (v,), (1.0,)), [f.value.parameters[0].hint]), flat)
            return np.reshape(values, x.shape), np.reshape(slopes, x.shape)

        return applied

    def of_arrays(self, f: Traced, x: Any) -> Traced | None:
        """The function of an array that `f` is for each element; None where that is not known to be one."""
        callee = f.value.callee
        function = callee.function
        if function is None or callee.effect or any(op.regions for op in function.body.ops):
            return None
        (number, *inner), trace = function.params, self.trace
        moved = {number}
        for op in function.body.ops:
            if not moved.isdisjoint(op.operands()):
                if ufunc_of(op) is None:
                    return None
                moved.update(op.results)

        def body(v: Any) -> Any:
            back = dict(zip(inner, f.value.around, strict=True)) | {number: strip(v)}
            for op in function.body.ops:
                target = op.target if moved.isdisjoint(op.results) else ufunc_of(op)
                args, kwargs = map_tree(lambda y: back[y], (op.args, op.kwargs))
                back[op.result] = strip(trace.call(target, trace.wrap(args), trace.wrap(kwargs)))
            return trace.wrap(back.get(function.result[0], function.result[0]))

        try:
            made = self.function(body, x, name=callee.name)
        except KindError:
            return None
        result = made.value.result
        return made if isinstance(result, Array) and same_shape(result, strip(x).kind) else None

    # ------------------------------------------------------------------------------------------- forward mode
    def jvp(self, f: Any, args: Sequence[Any], tangents: Sequence[Any], t_f: Traced | None = None) -> tuple[Any, Any]:
        """f(*args), and its tangent, from those of `args` (None for zero) and of what `f` closes over."""
        f = self.entered(f, *args)
        trace, callee, operands = self.trace, f.value.callee, (*strip(tuple(args)), *f.value.around)
        given = [*strip(tuple(tangents)), *(t_f.value.around if t_f is not None else ())]
        given += [None] * (len(operands) - len(given))
        moving = [i for i, t in enumerate(given) if t is not None and not trace.is_zero(t)
                  and is_differentiable(kind_of_operand(operands[i]))]  # fmt: skip
        if not moving:
            value = f(*args)
            return value, 0.0 if isinstance(value.value.kind, Num) else trace.call(zeros_like, (value,), {})
        result = Value(f.value.result)
        made = trace.add(callee.pushforward(tuple(moving)), (*operands, *(given[i] for i in moving)),
                         [result.kind, cotangent_kind(result)])  # fmt: skip
        trace.moves(made[1])
        return trace.wrap(made[0]), trace.wrap(made[1])

    # -------------------------------------------------------------------------------------------- functions
    def each(self, body: Callable[..., Any], *arrays: Any) -> Any:
        """What `body` gives for each element or row of these arrays, in one array; of a tuple each part."""
        trace = self.trace
        rows = [strip(x) for x in arrays]
        items = [Value(row_kind(v.kind), name) for v, name in zip(rows, _names(body, len(rows)), strict=True)]
        region, result = self.recorded(body, items)
        region.results = list(dict.fromkeys(leaves(result)))
        found = {v: Value(Seq(v.kind, length=rows[0].kind.shape[0]), v.hint and f"{v.hint}s") for v in region.results}
        made = list(found.values())
        trace.builder.region.ops.append(For("for", (rows, []), {}, made, loc=trace.builder.loc, body=region))
        return trace.wrap(map_tree(lambda v: self.stacked(found[v]), result))

    def stacked(self, rows: Value) -> Any:
        """The array of a list of numbers or arrays."""
        join = np.stack if isinstance(rows.kind.element, Array) else np.array
        return strip(self.trace.call(join, (self.trace.wrap(rows),), {}))

    def recorded(self, body: Callable[..., Any], params: list[Value]) -> tuple[Region, Any]:
        """The operations of a body with these parameters, and what it gives."""
        trace = self.trace
        outer, trace.builder.region = trace.builder.region, Region(params)
        try:
            result = trace.operand(strip(body(*trace.wrap(params))))
            return trace.builder.region, result
        finally:
            trace.builder.region = outer

    def function(self, body: Callable[..., Any], *like: Any, name: str = "function", same: Any = None) -> Traced:
        """A function of arguments like these, of which `body` says what it gives.

        It is the same one wherever a body is that of another `same`, (a function that a rule is given, a key).
        """
        trace = self.trace
        params = [Value(kind_of_operand(strip(x)), "x") for x in like]
        names = body.__code__.co_varnames
        for p, hint in zip(params, names, strict=False):
            p.hint = hint
        region, result = self.recorded(body, params)
        region.results = [result]
        around = free_values(region)
        mine = {v: Value(v.kind, v.hint, v.loc) for v in around}
        substitute(region, mine)
        known = same[0].value.callee.derived.get(same[1]) if same is not None else None
        if known is not None and len(known.function.params) == len(params) + len(around):
            return Traced(trace, Bound(known, *around))
        made = Function(name, [*params, *mine.values()], Region([], region.ops, region.results), (region.results[0],),
                        f"`{name}`")  # fmt: skip
        callee = Callee(name, made)
        if same is not None:
            same[0].value.callee.derived[same[1]] = callee
        return Traced(trace, Bound(callee, *around))

    def entered(self, f: Any, *args: Any) -> Traced:
        """A function that a rule is given, or one that it knows."""
        if isinstance(f, Traced):
            return f
        name = getattr(f, "__name__", "")
        mine = f"it differentiates {self.rule.name} itself, whose derivative it defines"
        if any(f is g for g in self.rule.functions):
            raise RuleError(mine)
        made = self.function(lambda *xs: f(*xs), *args, name=name if name.isidentifier() else "function")
        function = made.value.callee.function
        if function is not None and any(find(op.target) is self.rule for op in walk(function.body)):
            raise RuleError(mine)
        return made


class Pulled(Sequence[Any]):
    """The cotangents of what a function closes over, and of each argument; only what is read is computed."""

    def __init__(self, ad: Differentiator, f: Traced, args: tuple[Any, ...], d: Any) -> None:
        self.ad = ad
        self.f = f
        self.args = args
        self.d = d

    def __len__(self) -> int:
        return 1 + len(self.args)

    def __getitem__(self, i: Any) -> Any:
        return self.of((i,))[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.of(tuple(range(len(self)))))

    def of(self, wanted: tuple[int, ...]) -> list[Any]:
        """Several of them at once: 0 is what the function closes over."""
        n, around = len(self.args), self.f.value.around
        places = [n + k for k, v in enumerate(around) if v in self.ad.active] if 0 in wanted else []
        places += [i - 1 for i in wanted if i]
        operands = (*strip(self.args), *around)
        wrt = tuple(sorted(i for i in places if is_differentiable(kind_of_operand(operands[i]))))
        found = dict(zip(wrt, self.pulled(wrt, operands), strict=True)) if wrt else {}
        closed = (None, *(found.get(n + k, 0.0) for k in range(len(around))))
        return [found.get(i - 1, 0.0) if i else closed for i in wanted]

    def pulled(self, wrt: tuple[int, ...], operands: tuple[Any, ...]) -> list[Any]:
        """The cotangents of these operands."""
        trace = self.ad.trace
        return list(map(trace.wrap, _call(trace, self.f.value.callee, wrt, operands, strip(self.d))))


class EachPulled(Pulled):
    """The same of a function that is called with each row, from the last to the first: those of rows are stacked."""

    def pulled(self, wrt: tuple[int, ...], operands: tuple[Any, ...]) -> list[Any]:
        trace, f, n = self.ad.trace, self.f, len(self.args)
        arrays = [*strip(self.args), strip(self.d)]
        hints = [*(p.hint for p in f.value.parameters), "d"]
        closed, moving = [i for i in wrt if i >= n], [i for i in wrt if i < n]
        if not closed:

            def of_row(*row: Any) -> Any:
                *items, d = strip(row)
                return tuple(map(trace.wrap, _call(trace, f.value.callee, wrt, (*items, *operands[n:]), d)))

            return list(self.ad.each(_named(of_row, hints), *self.args, self.d))
        rows = [Value(row_kind(x.kind), hint) for x, hint in zip(arrays, hints, strict=True)]
        turned = [strip(trace.call(backwards, (trace.wrap(x),), {})) for x in arrays]
        for i in closed:
            if isinstance(operands[i].kind, Seq):
                raise KindError("the function that it is given closes over a list",
                                "make an array of the list before: np.array(xs)")  # fmt: skip
        starts = [0.0 if isinstance(operands[i].kind, Num) else strip(trace.call(zeros_like, (operands[i],), {}))
                  for i in closed]  # fmt: skip
        totals = [Value(cotangent_kind(operands[i]), hint_of(operands[i])) for i in closed]
        outer, trace.builder.region = trace.builder.region, Region([*rows, *totals])
        given = (*rows[:n], *operands[n:])
        made = dict(zip(wrt, _call(trace, f.value.callee, wrt, given, rows[-1]), strict=True))
        sums = [strip(trace.call(operator.add, (t, made[i]), {})) for i, t in zip(closed, totals, strict=True)]
        region, trace.builder.region = trace.builder.region, outer
        region.results = [*sums, *(made[i] for i in moving)]
        results = [Value(t.kind, t.hint) for t in totals]
        results += [Value(Seq(made[i].kind, length=arrays[0].kind.shape[0]), f"d_{rows[i].hint}s") for i in moving]
        outer.ops.append(For("for", (turned, starts), {}, results, loc=trace.builder.loc, body=region))
        found = dict(zip((*closed, *moving), map(trace.wrap, results), strict=True))
        for i in moving:
            found[i] = trace.wrap(self.ad.stacked(strip(trace.call(backwards, (found[i],), {}))))
        return [found[i] for i in wrt]


class Jacobian(Pulled):
    """The same for each element of what the function gives, stacked."""

    def pulled(self, wrt: tuple[int, ...], operands: tuple[Any, ...]) -> list[Any]:
        trace, callee, kind = self.ad.trace, self.f.value.callee, self.f.value.result
        if isinstance(kind, Num):
            return list(map(trace.wrap, _call(trace, callee, wrt, operands, 1.0)))
        rows = strip(trace.call(np.eye, (self.d if self.d is not None else self.f(*self.args).shape[0],), {}))
        row = Value(Array(rows.kind.dtype, rows.kind.shape[1:]), "row")
        outer, trace.builder.region = trace.builder.region, Region([row])
        made = _call(trace, callee, wrt, operands, row)
        region, trace.builder.region = trace.builder.region, outer
        region.results = list(made)
        inner = callee.function.params if callee.function is not None else []
        names = [inner[i].hint if i < len(inner) and len(wrt) > 1 else "" for i in wrt]
        n_rows = kind.shape[0]
        found = [Value(Seq(v.kind, length=n_rows), n and f"{n}_rows") for v, n in zip(made, names, strict=True)]
        outer.ops.append(For("for", ([rows], []), {}, found, loc=trace.builder.loc, body=region))
        return [trace.wrap(self.ad.stacked(v)) for v in found]


def _names(body: Callable[..., Any], n: int) -> list[str]:
    """What the parameters of a function are called, or are to be called by `_named`."""
    code = body.__code__
    names = getattr(body, "__adc_names__", code.co_varnames[: code.co_argcount])
    return [*names, *["x"] * n][:n]


def _named(body: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """The function, with names for its parameters."""
    body.__adc_names__ = names  # type: ignore[attr-defined]
    return body


def ufunc_of(op: Op) -> Any:
    """What computes the same for each element of arrays: an operator or a ufunc; None where there is none."""
    target = op.target
    if getattr(target, "__module__", "") == "math":
        target = getattr(np, target.__name__, None)
    return target if target in OPERATORS or isinstance(target, np.ufunc) else None


def row_kind(kind: Array) -> Any:
    """The kind of an element or a row of an array."""
    return Array(kind.dtype, kind.shape[1:], kind.xp) if kind.ndim > 1 else Num(kind.dtype.type)


def _call(trace: Trace, callee: Callee, wrt: tuple[int, ...], operands: tuple[Any, ...], d: Any) -> list[Value]:
    kinds = [cotangent_kind(Value(kind_of_operand(operands[i]))) for i in wrt]
    return trace.add(callee.pullback(wrt, (0,), False), (*map_tree(lambda v: v, operands), d), kinds)


__all__ = ["AD", "Differentiator"]
