"""Reverse mode: the forward operations, then their pullbacks in reverse order, each inserted as a lazy operation.

    %z = %x * %y; return %z     ->     %z = %x * %y; %d_x = lazy multiply.d_x(1.0, %y); return %d_x

Contributions to a cotangent are summed where they appear. The adjoint of a loop is a loop over what the forward
one kept, so that the adjoint is a program like any other.
"""

import itertools
import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from adcompiler.errors import UnsupportedError, problem_at
from adcompiler.ir.build import Builder, kind_of_operand
from adcompiler.ir.callee import Forward, Pull, call_of
from adcompiler.ir.core import (
    UNDEF,
    Checkpoint,
    CotangentName,
    For,
    Function,
    If,
    Op,
    Region,
    Value,
    While,
    clone,
    free_values,
    is_cotangent,
    leaves,
    map_tree,
    substitute,
)  # fmt: skip
from adcompiler.passes.cheap import is_cheap_number
from adcompiler.passes.checkpoint import again
from adcompiler.passes.finite import Facts, facts
from adcompiler.passes.mark import split, turn
from adcompiler.passes.missing import missing
from adcompiler.passes.pairing import opened
from adcompiler.passes.trace import Pullback, Untraceable, fit
from rules.cotangent import accumulate, or_zeros, project, restack, unless_zero, update, zeros_like
from rules.kind import Array, KindError, Num, Seq
from rules.rule import find
from rules.sequences import backwards


def force(x: Any) -> Any:
    """A cotangent that a loop carries is computed at the end of the iteration; the mark of that."""
    return x


def adjoint(
    function: Function, wrt: list[Value], active: set[Value], seeds: list[tuple[Value, Any]], primal: Any = None,
    pulled: bool = False, called: bool = False, selected: bool = False,
) -> Function:  # fmt: skip
    """The function whose result is (`primal`, the gradients in the order of `wrt`).

    `seeds` are results of `function` with their cotangents: 1.0 for the number that a gradient is of. With `pulled`
    they are new parameters of the function, and its backward sweep is a pullback. `primal` is a tree of results, kept
    as it is. With `called` the gradients are for generated code, where Python numbers may come as NumPy's; with
    `selected` the seeds have passed a selection.
    """
    mapping: dict[Value, Any] = {}
    params = [Value(p.kind, p.hint, p.loc) for p in function.params]
    mapping.update(zip(function.params, params, strict=True))
    body = clone(function.body, mapping)
    opened(body)
    live = {mapping.get(v, v) for v in active}
    absent = {v for v in missing(Function("", params, body)) if isinstance(v.kind, Array)}
    sweep = _Sweep(live, absent, Builder(body))
    if primal is not None:
        for v in leaves(map_tree(lambda v: mapping.get(v, v), primal)):
            v.hint = v.hint or "value"
    forward = list(body.ops)
    builder = sweep.builder
    builder.effect(split, *(seed for _, seed in seeds)) if pulled else builder.effect(turn)
    for v, seed in seeds:
        sweep.add(mapping.get(v, v) if isinstance(v, Value) else v, seed, selected)
    sweep.run(forward)
    builder.loc = None
    gradients = []
    for p in wrt:
        q = mapping.get(p, p)
        d = sweep.cotangents.get(q)
        plain = called and isinstance(q.kind, Num) and q.kind.python
        gradients.append((0.0 if d is None else d) if plain else as_argument(builder, q, d))
    primal = map_tree(lambda v: mapping.get(v, v), primal)
    body.results = [*leaves((primal, gradients))]
    params += [seed for _, seed in seeds] if pulled else []
    return Function(f"{function.name}_{'vjp' if pulled else 'grad'}", params, body, (primal, gradients))


def as_argument(builder: Builder, like: Value, d: Any) -> Any:
    """A gradient has its argument's own type: a Python float's is a Python float."""
    kind = like.kind
    if d is None:
        return _zero(builder, like)
    if isinstance(kind, Num):
        if not isinstance(d, Value) and kind.python:
            return kind.type(d)
        return builder.call(kind.type if find(kind.type) else project, *([d] if find(kind.type) else [d, like]))
    if isinstance(kind, Seq) and isinstance(kind.element, Num):
        return builder.call(project, d, like)
    if isinstance(kind, Array) and (not isinstance(d, Value) or not isinstance(d.kind, Array) or not kind.ndim):
        return builder.call(project, d, like)
    return d


_QUOTIENTS = (operator.truediv, np.true_divide)
_LOGARITHMS = (np.log, np.log2, np.log10)


def _zero(builder: Builder, like: Value, lazy: bool = False) -> Any:
    kind = like.kind
    if isinstance(kind, Num) and kind.python:
        return kind.type(0)
    if isinstance(kind, Num):
        return builder.call(kind.type, 0.0) if not lazy else 0.0
    return builder.call(zeros_like, like, lazy=lazy, hint=_d(like))


def _d(v: Value) -> str:
    nameless = not v.hint or is_cotangent(v, named=False)
    return CotangentName("d" if nameless else f"d_{v.hint}")


class _Sweep:
    """The reverse sweep over one region; cotangents so far are operands of the region being built."""

    def __init__(self, active: set[Value], missing: set[Value], builder: Builder) -> None:
        self.active = active
        self.missing = missing
        self.builder = builder
        self.cotangents: dict[Value, Any] = {}
        self.selected: set[Value] = set()
        self.made: dict[Value, Op] = {}
        self.parts: dict[tuple[int, Value], Value] = {}
        self.known: dict[Value, Facts] = {}
        self.forwards: dict[int, Op] = {}

    def add(self, v: Any, term: Any, selected: bool = False) -> None:
        """A running left fold: the sum is formed where the term appears."""
        if not isinstance(v, Value) or v not in self.active:
            return
        if selected:
            self.selected.add(v)
        term = fit(self.builder, term, v, lazy=True, hint=_d(v))
        old = self.cotangents.get(v)
        if old is None:
            self.cotangents[v] = term
            return
        target = accumulate if isinstance(v.kind, Seq) or v in self.missing else operator.add
        self.cotangents[v] = self.builder.call(target, old, term, lazy=True, hint=_d(v))

    def run(self, ops: list[Op]) -> None:
        """Pull the cotangents of the results of `ops` back to what they were computed from."""
        for op in ops:
            self.made.update(dict.fromkeys(op.results, op))
        self.forwards.update((id(op), after) for op, after in itertools.pairwise(ops) if call_of(op) is not None)
        for op in reversed(ops):
            if not any(r in self.cotangents for r in op.results):
                continue
            self.builder.loc = op.loc
            if isinstance(op, If):
                self.pull_if(op)
            elif isinstance(op, For):
                self.pull_for(op)
            elif isinstance(op, While):
                self.pull_while(op)
            elif isinstance(op, Checkpoint):
                self.pull_checkpoint(op)
            elif call_of(op) is not None:
                self.pull_call(op)
            else:
                self.pull(op)

    # --------------------------------------------------------------------------------- plain operations
    def pull(self, op: Op) -> None:
        rule = find(op.target)
        if rule is None or not rule.differentiable:
            return
        bound = rule.bind(op.args, op.kwargs)
        values = {**bound, rule.result: op.results[0] if len(op.results) == 1 else tuple(op.results)}
        incoming = [self.cotangents.get(r) for r in op.results]
        d = [self.whole(c, r, rule) for c, r in zip(incoming, op.results, strict=True)]
        values["d_" + rule.result] = d[0] if len(d) == 1 else tuple(d)
        siblings: dict[str, Any] = {}
        selected = any(r in self.selected for r in op.results)
        stays = rule.selects or _masked(op) or selected

        def pullback(name: str) -> Any:
            if name in siblings:
                return siblings[name]
            derivative = rule.pullbacks[name]
            args = tuple(
                pullback(w[2:]) if w.startswith("d_") and w != "d_" + rule.result else values[w]
                for w in derivative.wants
            )
            use_math = getattr(op.target, "__module__", "") == "math" or _python_numbers(op)
            d = self.call_pullback(f"{rule.name}.d_{name}", derivative, args, use_math, bound[name], op)
            if (
                selected
                and _elementwise(values["d_" + rule.result], d)
                and (self.has_pole(op) or (rule.kind is None and self.wild_among(args, op)))
            ):
                d = self.builder.call(unless_zero, values["d_" + rule.result], d, lazy=True, hint=d.hint)
            siblings[name] = d
            return d

        terms: dict[Value, Any] = {}
        for name, x in bound.items():
            if name in rule.pullbacks and any(v in self.active for v in leaves(x)):
                self.spread_over(x, pullback(name), terms)
        for v, term in terms.items():
            self.add(v, term, stays)

    def whole(self, d: Any, r: Value, rule: Any) -> Any:
        """The cotangent of a result as its rule takes it: zeros where there is none, an array for a 0-d array."""
        if d is None:
            return _zero(self.builder, r, lazy=True)
        return self.as_result(d, r) if rule.kind is not None else d

    def has_pole(self, op: Op) -> bool:
        """Can the derivative be infinite: of a logarithm, of a quotient by what may be 0?"""
        rule = find(op.target)
        if rule is None or not rule.infinite_at_pole or op.target in (np.tanh, math.tanh):
            return False
        if op.target not in (*_QUOTIENTS, *_LOGARITHMS):
            return True
        x = op.args[op.target in _QUOTIENTS]
        known = self.facts(x)
        return not (known.positive or (type(x) in (int, float) and x)) or known.nan

    def facts(self, x: Any) -> Facts:
        return facts(x, self.made, self.known)

    def wild_among(self, args: Any, op: Op) -> bool:
        """May a factor among these be infinite or NaN? A quotient by infinity is 0; a root is guarded by its rule."""
        if op.target in (np.sqrt, math.sqrt):
            return False
        harmless = op.args[1] if op.target in _QUOTIENTS else None
        known = [(v, self.facts(v)) for v in leaves(args)]
        return any(k.nan or (k.infinite and v is not harmless) for v, k in known)

    def spread_over(self, x: Any, d: Any, terms: dict[Value, Any]) -> None:
        """Give the cotangents of a structured argument to its leaves; one that stands there twice gets the sum."""
        if isinstance(x, Value):
            if x not in self.active:
                return
            d = fit(self.builder, d, x, lazy=True, hint=_d(x))
            target = accumulate if isinstance(x.kind, Seq) else operator.add
            terms[x] = self.builder.call(target, terms[x], d, lazy=True, hint=_d(x)) if x in terms else d
        elif isinstance(x, tuple | list):
            if isinstance(d, Value):
                d = [self.builder.call(operator.getitem, d, i, lazy=True) for i in range(len(x))]
            for item, part in zip(x, d, strict=True):
                self.spread_over(item, part, terms)

    def call_pullback(self, name: str, derivative: Any, args: Any, use_math: bool, like: Any, op: Op) -> Any:
        """Insert a pullback as a lazy operation."""
        try:
            target = Pullback(name, derivative, args, use_math, op.loc)
        except (Untraceable, KindError) as error:
            reason, remedy = f"the rule {name} cannot be applied here: {error}", getattr(error, "remedy", "")
            raise UnsupportedError(problem_at(op.loc, reason, remedy)) from error
        except Exception as error:  # of a body that is wrong, or wants arrays and not what stands for them
            reason = f"the rule {name} raises {type(error).__name__} when it is traced: {error}"
            remedy = "correct it; what needs arrays and numbers goes into a function marked @primitive (docs/rules.md)"
            raise UnsupportedError(problem_at(op.loc, reason, remedy)) from error
        hint = _d(like) if isinstance(like, Value) else CotangentName("d")
        return insert(self.builder, target, args, hint, op.loc, lazy=True)

    def pull_call(self, op: Op) -> None:
        """The pullback of a function of the IR: of the arguments that are active, for the results that are wanted."""
        call = call_of(op)
        assert call is not None
        callee, args = call
        given = tuple(i for i, r in enumerate(op.results) if r in self.cotangents)
        wrt = tuple(i for i, x in enumerate(args) if isinstance(x, Value) and x in self.active)
        made = callee.pullback(wrt, given, any(op.results[i] in self.selected for i in given))
        forward = self.forwards[id(op)]
        forward.target = Forward(made)
        incoming = tuple(self.as_result(self.cotangents[op.results[i]], op.results[i]) for i in given)
        results = [Value(cotangent_kind(args[i]), _d(args[i]), op.loc) for i in wrt]
        self.builder.region.ops.append(
            Op(Pull(made), (forward.result, args, incoming), {}, results, False, False, op.loc)
        )
        for i, d in zip(wrt, results, strict=True):
            self.add(args[i], d, True)

    def as_result(self, d: Any, r: Value) -> Any:
        """A cotangent with the rank of its result."""
        if isinstance(r.kind, Array) and not isinstance(kind_of_operand(d), Array):
            return self.builder.call(project, d, r, lazy=True, hint=_d(r))
        return d

    # -------------------------------------------------------------------------------------------- If
    def pull_if(self, op: If) -> None:
        outer = self.builder.region
        before = dict(self.cotangents)
        sides: list[tuple[Region, dict[Value, Any]]] = []
        for side in op.regions:
            region = self.builder.region = Region()
            self.cotangents = dict(before)
            for r, x in zip(op.results, side.results, strict=True):
                if r in before:
                    self.add(x, before[r], r in self.selected)
            self.run(list(side.ops))
            sides.append((region, self.cotangents))
        self.builder.region = outer
        (r1, c1), (r2, c2) = sides
        inside = {v for side in op.regions for o in side.ops for v in o.results}
        adjoint = If("if", op.args, {}, [], False, False, op.loc, r1, r2)
        self.cotangents = before
        for v in dict.fromkeys([*c1, *c2]):
            if v in inside or (c1.get(v) is before.get(v) and c2.get(v) is before.get(v)):
                continue
            for region, found in ((r1, c1), (r2, c2)):
                d = found.get(v)
                if d is None:
                    self.selected.add(v)  # the arm that does not want it is as good as a mask
                    self.builder.region = region
                    d = _zero(self.builder, v)
                    self.builder.region = outer
                region.results.append(d)
            result = Value(cotangent_kind(v), _d(v), op.loc)
            adjoint.results.append(result)
            self.cotangents[v] = result
        for region, side, other in ((r1, op.then, op.orelse), (r2, op.orelse, op.then)):
            self.export(op, region, side, other)
        if adjoint.results:
            outer.ops.append(adjoint)

    def export(self, op: If, region: Region, side: Region, other: Region) -> None:
        """What an arm's adjoint needs of the arm becomes a result of the forward If."""
        defined = {v for o in side.ops for v in o.results}
        made = {r: o for o in side.ops for r in o.results}
        mapping: dict[Value, Any] = {}
        again: list[Op] = []

        def remade(v: Value, depth: int = 4) -> Any:
            """Arithmetic on numbers is done again in the adjoint's arm; None where that is not all there is to it."""
            if v in mapping or v not in defined:
                return mapping.get(v, v)
            op = made[v]
            if not depth or not is_cheap_number(op):
                return None
            operands = {x: remade(x, depth - 1) for x in op.operands()}
            if any(x is None for x in operands.values()):
                return None
            value = Value(v.kind, v.hint, v.loc)
            again.append(Op(op.target, map_tree(lambda x: operands[x], op.args), {}, [value], loc=op.loc))
            mapping[v] = value
            return value

        for v in free_values(region):
            if v not in defined or remade(v) is not None:
                continue
            phi = Value(v.kind, v.hint, v.loc)
            side.results.append(v)
            other.results.append(UNDEF)
            op.results.append(phi)
            mapping[v] = phi
        substitute(region, mapping)
        region.ops[:0] = again

    # ------------------------------------------------------------------------------------- checkpoints
    def pull_checkpoint(self, op: Checkpoint) -> None:
        """Its operations once more, then their pullbacks: a checkpoint too, so that nothing of it is kept either."""
        outer, before = self.builder.region, self.cotangents
        region, copies = again(op)
        for known in (self.active, self.missing):
            known.update([copy for v, copy in copies.items() if v in known])
        self.builder.region, self.cotangents = region, dict(before)
        for r, y in zip(op.results, region.results, strict=True):
            if r in before:
                self.add(y, before[r], r in self.selected)
        self.run(list(region.ops))
        found, inside = self.cotangents, set(copies.values())
        self.builder.region, self.cotangents = outer, before
        adjoint = Checkpoint("checkpoint", (), {}, [], False, False, op.loc, region)
        region.results = []
        for v, d in found.items():
            if v not in inside and d is not before.get(v):
                region.results.append(d)
                adjoint.results.append(Value(cotangent_kind(v), _d(v), op.loc))
                self.cotangents[v] = adjoint.results[-1]
        outer.ops.append(adjoint)

    # ------------------------------------------------------------------------------------------ loops
    def pull_for(self, op: For) -> None:
        self.pull_loop(op, op.elements, dict(zip(op.elements, op.sequences, strict=True)))

    def pull_while(self, op: While) -> None:
        self.pull_loop(op, [], {})

    def pull_loop(self, op: For | While, elements: list[Value], scanned: dict[Value, Any]) -> None:
        n = len(op.inits)
        body, outer = op.body, self.builder.region
        collected = list(zip(body.results[n:], op.results[n:], strict=False))
        carried = [
            (k, p, y, r) for k, (p, y, r) in enumerate(zip(op.carried, body.results[:n], op.results[:n], strict=True))
            if p in self.active or r in self.active
        ]  # fmt: skip
        free = [v for v in free_values(body) if v in self.active]
        region = Region()
        adjoint = For("for", ([], []), {}, [], False, False, op.loc, region)
        elements_in: list[Value] = []

        def scan(sequence: Any, kind: Any, hint: str) -> Value:
            adjoint.sequences.append(self.builder.call(backwards, sequence))
            elements_in.append(Value(kind, hint, op.loc))
            return elements_in[-1]

        params: list[Value] = []
        for _, p, y, r in carried:
            d = self.cotangents.get(r)
            adjoint.inits.append(_zero(self.builder, r, lazy=True) if d is None else d)
            params.append(Value(_carried_kind(p, y), _d(p), op.loc))
        accumulators: list[Value] = []
        for v in free:
            d = self.cotangents.get(v)
            adjoint.inits.append(_zero(self.builder, v, lazy=True) if d is None else d)
            accumulators.append(Value(cotangent_kind(v), _d(v), op.loc))
        incoming = [
            (y, scan(self.cotangents[r], cotangent_kind(y), _d(y)))
            for y, r in collected if r in self.cotangents and isinstance(y, Value)
        ]  # fmt: skip

        saved = self.cotangents
        self.cotangents = dict(zip(free, accumulators, strict=True))
        self.builder.region = region
        for (k, _, y, r), d in zip(carried, params, strict=True):
            if op.inits[k] is UNDEF and isinstance(y, Value) and not isinstance(y.kind, Num):
                # what the loop assigns first: only its last value is read
                d = self.builder.call(or_zeros, d, y, lazy=True, hint=_d(y))
            self.add(y, d, r in self.selected)
        for y, d in incoming:
            self.add(y, d)
        self.run(list(body.ops))
        self.builder.loc = op.loc
        results: list[Any] = []
        for k, p, _, _ in carried:
            d = self.cotangents.get(p)
            if d is None:
                array = not isinstance(p.kind, Num)
                d = UNDEF if op.inits[k] is UNDEF and array else _zero(self.builder, p, lazy=True)
            results.append(d)
        results.extend(self.cotangents[v] for v in free)
        wanted = [e for e in elements if e in self.active]
        results.extend(
            _zero(self.builder, e, lazy=True) if self.cotangents.get(e) is None else self.cotangents[e] for e in wanted
        )
        region.results = [
            self.builder.call(force, d, kind=d.kind, hint=d.hint) if isinstance(d, Value) else d for d in results
        ]
        self.builder.region = outer
        self.cotangents = saved

        inside = set(body.params) | {v for o in body.ops for v in o.results}
        mapping: dict[Value, Any] = {}
        for v in free_values(region):
            if v in scanned:
                mapping[v] = scan(self.read_part(scanned[v], op), v.kind, v.hint)
            elif v in inside:
                tape = Value(Seq(v.kind), "tape", v.loc)
                body.results.insert(len(op.results), v)
                op.results.append(tape)
                mapping[v] = scan(tape, v.kind, v.hint)
        if not elements or op.stop:
            scan(self.builder.call(range, self.trip_count(op), kind=Seq(Num(int), range=True)), Num(int), "")
        elif elements[0] not in mapping:  # it tells the number of iterations, should nothing else be read
            scan(scanned[elements[0]], elements[0].kind, elements[0].hint)
        substitute(region, mapping)
        region.params = [*elements_in, *params, *accumulators]

        starts = [op.inits[k] if isinstance(op.inits[k], Value) else p for k, p, _, _ in carried]
        kinds = [_started(cotangent_kind(p), s.kind) for s, (_, p, _, _) in zip(starts, carried, strict=True)]
        kinds += [cotangent_kind(v) for v in free]
        hints = [_d(p) for _, p, _, _ in carried] + [_d(v) for v in free]
        adjoint.results = [Value(k, h, op.loc) for k, h in zip(kinds, hints, strict=True)]
        lists = [Value(Seq(cotangent_kind(e)), f"{_d(scanned[e])}_rows", op.loc) for e in wanted]
        adjoint.results.extend(lists)
        self.builder.region.ops.append(adjoint)
        for v, result in zip(free, adjoint.results[len(carried) :], strict=False):
            self.cotangents[v] = result
        for (k, _, _, _), result in zip(carried, adjoint.results, strict=False):
            self.add(op.inits[k], result)
        for e, items in zip(wanted, lists, strict=True):
            s, part = scanned[e], self.read_part(scanned[e], op)
            rows = self.builder.call(backwards, items, lazy=True)
            if part is not s:
                self.active.add(part)
            self.add(
                part,
                rows if isinstance(s.kind, Seq) else self.builder.call(restack, rows, part, lazy=True, hint=_d(s)),
            )
            if part is not s:
                self.pull(self.made[part])
                del self.cotangents[part]  # it is no value of the forward program

    def read_part(self, sequence: Any, op: For | While) -> Any:
        """What a loop has read of a sequence: all of it, or as much as there were iterations before it stopped."""
        if not op.stop:
            return sequence
        key = (id(op), sequence)
        if key not in self.parts:
            count, made = self.trip_count(op), self.made.get(sequence)
            if made is not None and made.target is range and len(made.args) == 1:
                part = self.builder.call(range, count, kind=Seq(Num(int), range=True))
            else:
                part = self.builder.call(operator.getitem, sequence, slice(None, count))
            self.made[part] = self.builder.region.ops[-1]
            self.parts[key] = part
        return self.parts[key]

    def trip_count(self, op: For | While) -> Value:
        """How often the loop has run: counted, since nothing else tells."""
        for init, p, y, r in zip(op.inits, op.carried, op.body.results, op.results, strict=False):
            if type(init) is int and init == 0 and isinstance(r.kind, Num) and r.kind.type is int:
                if any(y in o.results and o.target is operator.add and o.args == (p, 1) for o in op.body.ops):
                    return r
        count, inner, total = (Value(Num(int), "count", op.loc) for _ in range(3))
        op.inits.append(0)
        if isinstance(op, While):
            op.test.params.append(Value(Num(int), "count", op.loc))
        n = len(op.carried)
        op.body.params.append(count)
        place = 0 if op.stop else len(op.body.ops)  # every path to a stop counts
        op.body.ops.insert(place, Op(operator.add, (count, 1), {}, [inner], False, False, op.loc))
        op.body.results.insert(n, inner)
        op.results.insert(n, total)
        return total


def insert(builder: Builder, target: Pullback, args: Any, hint: str, loc: Any, lazy: bool = False) -> Any:
    """Insert the operation of a pullback or a pushforward; the operands that are its result."""
    result = target.result
    outputs = {v: Value(v.kind, hint, loc) for v in leaves(result)}
    if isinstance(result, Value):
        builder.region.ops.append(Op(target, args, {}, [outputs[result]], lazy, False, loc))
        return outputs[result]
    for path, item in _paths(result):  # a structure: each part is an operation of its own
        outputs[item] = Value(item.kind, hint, loc)
        builder.region.ops.append(Op(_Part(target, path), args, {}, [outputs[item]], lazy, False, loc))
    return map_tree(lambda v: outputs[v], result)


class _Part:
    """One part of what a pullback of a structured argument gives."""

    def __init__(self, pullback: Pullback, path: tuple[int, ...]) -> None:
        self.pullback = pullback
        self.path = path
        self.__adc_name__ = pullback.__adc_name__ + "".join(f"[{i}]" for i in path)

    def __call__(self, *args: Any) -> Any:
        return self.pick(self.pullback(*args))

    def pick(self, result: Any) -> Any:
        """The part of a result of the pullback."""
        for i in self.path:
            result = result[i]
        return result


def _paths(result: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Value]]:
    """The values in nested tuples and lists, with where they are."""
    if isinstance(result, Value):
        yield path, result
    elif isinstance(result, tuple | list):
        for i, item in enumerate(result):
            yield from _paths(item, (*path, i))


def _elementwise(d: Any, term: Any) -> bool:
    """Does each element of the cotangent of a result make one of the argument's, or a number all of them?"""
    ranks = [getattr(v.kind, "ndim", 0) if isinstance(v, Value) else 0 for v in (d, term)]
    return isinstance(term, Value) and not isinstance(d, tuple) and ranks[0] in (0, ranks[1])


def _masked(op: Op) -> bool:
    """Is this a subscript with a mask, which leaves elements out, or a store, which takes their place?"""
    if op.target is update:
        return bool(op.args[2] == "set")
    if op.target is not operator.getitem:
        return False
    return any(isinstance(v.kind, Array) and v.kind.dtype == bool for v in leaves(op.args[1]))


def _python_numbers(op: Op) -> bool:
    return all(isinstance(v.kind, Num) and v.kind.python for v in (*op.operands(), *op.results))


def cotangent_kind(v: Any) -> Any:
    """The kind of a cotangent that comes out of a loop or a branch; that of a Python number may be NumPy's."""
    return _wider(v.kind)


def _wider(kind: Any) -> Any:
    if isinstance(kind, Num):
        return Num({float: np.float64, complex: np.complex128}.get(kind.type, kind.type))
    return Seq(_wider(kind.element), kind.range) if isinstance(kind, Seq) else kind


def _carried_kind(p: Value, y: Any) -> Any:
    """The kind of a cotangent that an iteration begins with: of the shape that it has made, of the dtype carried."""
    if isinstance(p.kind, Array) and isinstance(y, Value) and isinstance(y.kind, Array):
        return Array(p.kind.dtype, y.kind.shape, p.kind.xp)
    return cotangent_kind(p)


def _started(kind: Any, first: Any) -> Any:
    """The kind of a cotangent that has come back to where a loop began: of the shape that was carried first."""
    if isinstance(kind, Array) and isinstance(first, Array):
        return Array(kind.dtype, first.shape, kind.xp)
    return kind
