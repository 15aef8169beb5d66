"""Forward mode: each operation, then its pushforward, where what it computes moves.

    %z = %x * %y; return %z     ->     %z = %x * %y; %t_z = multiply.t_z(%x, %y, %t_x, zeros_like(%y)); return %z, %t_z

A loop carries the tangents of what it carries beside it, so that the result is a program like any other. What does
not move has no tangent: zeros are made where a path that moves meets one that does not, and for results.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from adcompiler.errors import UnsupportedError, problem_at
from adcompiler.ir.build import Builder, kind_of_operand
from adcompiler.ir.callee import call_of
from adcompiler.ir.core import UNDEF, For, Function, If, Op, Region, Value, While, leaves, map_tree
from adcompiler.passes.cotangents import as_argument, cotangent_kind
from adcompiler.passes.differentiator import AD
from adcompiler.passes.exact import inexact
from adcompiler.passes.insertion import insert, python_numbers
from adcompiler.passes.pushforward import Pushforward, Zero
from adcompiler.passes.trace import Untraceable, fit
from rules.cotangent import alike, project, zeros_like
from rules.kind import Array, KindError, Num, Seq, is_differentiable
from rules.rule import RuleError, find


def tangent(function: Function, tangents: dict[Value, Any], active: set[Value]) -> Function:
    """The function whose result is (the value, the tangents of `moving_results` in their order).

    `tangents` are those of parameters: operands of their kinds, which may be other parameters.
    """
    body = Region([], [], [])
    sweep = _Sweep(active, Builder(body))
    params = [sweep.fresh(p) for p in function.params]
    for p, t in tangents.items():
        t = map_tree(sweep.get, t)
        given = isinstance(t, Value) and (t.kind == p.kind or isinstance(p.kind, Seq))
        if isinstance(p.kind, Seq) and isinstance(p.kind.element, Array):
            sweep.builder.effect(alike, t, sweep.get(p))
        sweep.tangents[p] = t if given else as_argument(sweep.builder, sweep.get(p), t)
    sweep.run(function.body.ops)
    sweep.builder.loc = None
    narrower = inexact(function, {})
    moved = [_of_result(sweep, v, v in narrower) for v in moving_results(function)]
    result = (map_tree(sweep.get, function.result), moved)
    body.results = list(leaves(result))
    return Function(f"{function.name}_jvp", params, body, result)


def moving_results(function: Function) -> list[Value]:
    """The parts of a function's result that can have a tangent, each once."""
    return list(dict.fromkeys(v for v in leaves(function.result) if is_differentiable(v.kind)))


def _of_result(sweep: "_Sweep", v: Value, narrower: bool) -> Any:
    """The tangent of a result, of its type; of a number whose kind may be the wider one, of the type that is there."""
    like, t = sweep.get(v), sweep.tangents.get(v)
    if narrower and isinstance(t, Value) and isinstance(like.kind, Num) and not like.kind.python:
        return sweep.builder.call(project, t, like)
    return as_argument(sweep.builder, like, t)


def _t(v: Any) -> str:
    return f"t_{v.hint}" if isinstance(v, Value) and v.hint else ""


class _Sweep:
    """The forward sweep: old values with the new ones and their tangents, operands of the region being built."""

    def __init__(self, active: set[Value], builder: Builder) -> None:
        self.active = active
        self.builder = builder
        self.primals: dict[Value, Value] = {}
        self.tangents: dict[Value, Any] = {}

    def fresh(self, v: Value) -> Value:
        self.primals[v] = Value(v.kind, v.hint, v.loc)
        return self.primals[v]

    def get(self, v: Value) -> Value:
        return self.primals.get(v, v)

    def tangent(self, x: Any) -> Any:
        """The tangent of an operand, zeros where it does not move."""
        return self.tangents[x] if isinstance(x, Value) and x in self.tangents else self.zero(x)

    def zero(self, x: Any) -> Any:
        if x is UNDEF:
            return UNDEF
        kind = kind_of_operand(x)
        if isinstance(kind, Num):
            return kind.type(0) if kind.python and kind.type is not int else 0.0
        return self.builder.call(zeros_like, map_tree(self.get, x), hint=_t(x))

    def moves(self, x: Any) -> bool:
        return isinstance(x, Value) and x in self.tangents

    @contextmanager
    def inside(self, region: Region) -> Iterator[Region]:
        """Operations are added to `region`."""
        outer, self.builder.region = self.builder.region, region
        yield region
        self.builder.region = outer

    def run(self, ops: list[Op]) -> None:
        """Add these operations, each with what its results' tangents are."""
        for op in ops:
            self.builder.loc = op.loc
            if isinstance(op, If):
                self.branch(op)
            elif isinstance(op, For | While):
                self.loop(op)
            elif call_of(op) is not None and self.moving(op):
                self.push_call(op)
            else:
                new = op.rebuild(self.get, lambda r: r)
                new.results = [self.fresh(r) for r in op.results]
                self.builder.region.ops.append(new)
                self.push(op, new)

    # ------------------------------------------------------------------------------ functions of the IR
    def moving(self, op: Op) -> tuple[int, ...]:
        """Which arguments of a call move, if its results do."""
        call = call_of(op)
        if call is None or not any(r in self.active for r in op.results):
            return ()
        return tuple(i for i, x in enumerate(call[1]) if self.moves(x))

    def push_call(self, op: Op) -> None:
        """A call of the function that gives the tangents too, instead of the call."""
        call = call_of(op)
        assert call is not None
        callee, args = call
        moving = self.moving(op)
        made = callee.pushforward(moving)
        operands = (*map_tree(self.get, args), *(self.tangents[args[i]] for i in moving))
        results = [self.fresh(r) for r in op.results]
        results += [self.tangent_of(r) for r in op.results if is_differentiable(r.kind)]
        self.builder.region.ops.append(Op(made, operands, {}, results, False, op.effect, op.loc))

    # ---------------------------------------------------------------------------------- plain operations
    def push(self, op: Op, new: Op) -> None:
        """The tangents of what a plain operation gives, by its rule."""
        rule = find(op.target)
        if rule is None or rule.pushforward is None or not any(r in self.active for r in op.results):
            return
        bound = rule.bind(op.args, op.kwargs)
        if not any(v in self.tangents for v in leaves(bound)):
            return
        values = {n: map_tree(self.get, x) for n, x in bound.items()}
        values[rule.result] = new.result if len(new.results) == 1 else tuple(new.results)
        wants = rule.pushforward.wants
        values.setdefault("ad", AD(rule))
        given = tuple(values[w] if w in values else self.given(bound[w[2:]]) for w in wants)
        use_math = getattr(op.target, "__module__", "") == "math" or python_numbers(op)
        name = f"{rule.name}.t_{rule.result}"
        try:
            target = Pushforward(name, rule.pushforward, given, use_math, op.loc)
        except (Untraceable, KindError, RuleError) as error:
            reason, remedy = f"the rule {name} cannot be applied here: {error}", getattr(error, "remedy", "")
            raise UnsupportedError(problem_at(op.loc, reason, remedy)) from error
        made = insert(self.builder, target, target.args, "", op.loc)
        several = len(op.results) > 1
        pairs = zip(target.result, made, strict=True) if several else [(target.result, made)]
        for r, y, (part, t) in zip(op.results, new.results, pairs, strict=True):
            if r in self.active and not target.is_zero(part):
                if isinstance(t, Value):
                    t.hint = _t(r)
                self.tangents[r] = fit(self.builder, t, y, hint=_t(r))

    def given(self, x: Any) -> Any:
        """The tangent of a structured argument as a pushforward takes it."""
        if isinstance(x, tuple | list):
            return type(x)(map(self.given, x))
        if self.moves(x):
            return self.tangents[x]
        if isinstance(x, Value | int | float | complex | np.ndarray | np.generic):
            return Zero(self.zero(x), kind_of_operand(x))
        return x

    # -------------------------------------------------------------------------------------- control flow
    def branch(self, op: If) -> None:
        sides = []
        for side in op.regions:
            with self.inside(Region()) as region:
                self.run(side.ops)
            region.results = map_tree(self.get, side.results)
            sides.append(region)
        moving = [
            i for i, r in enumerate(op.results)
            if r in self.active and any(self.moves(x) for side in op.regions for x in side.results[i : i + 1])
        ]  # fmt: skip
        for side, region in zip(op.regions, sides, strict=True):
            with self.inside(region):
                if side.results:
                    region.results.extend([self.tangent(side.results[i]) for i in moving])
        results = [self.fresh(r) for r in op.results] + [self.tangent_of(op.results[i]) for i in moving]
        cond = map_tree(self.get, op.args)
        self.builder.region.ops.append(If(op.target, cond, {}, results, op.lazy, op.effect, op.loc, *sides))

    def tangent_of(self, v: Value) -> Value:
        """A new value for the tangent of one that comes out of a join."""
        self.tangents[v] = Value(cotangent_kind(v), _t(v), v.loc)
        return self.tangents[v]

    def loop(self, op: For | While) -> None:
        n = len(op.inits)
        scanned: list[tuple[Value, Any]] = list(zip(op.elements, op.sequences, strict=True)) \
            if isinstance(op, For) else []  # fmt: skip
        rows = [(e, s) for e, s in scanned if e in self.active and self.moves(s)]
        moving = [k for k in range(n) if op.carried[k] in self.active or op.results[k] in self.active]
        inits = map_tree(self.get, op.inits) + [self.tangent(op.inits[k]) for k in moving]
        sequences = map_tree(self.get, [s for _, s in scanned]) + [self.tangents[s] for _, s in rows]
        heads = [self.fresh(e) for e, _ in scanned] + [self.tangent_of(e) for e, _ in rows]
        test = Region()
        if isinstance(op, While):
            test.params = [self.fresh(p) for p in op.test.params]
            test.params += [Value(cotangent_kind(op.carried[k]), _t(op.carried[k]), op.loc) for k in moving]
            with self.inside(test):
                self.run(op.test.ops)
            test.results = map_tree(self.get, op.test.results)
        body = Region([*heads, *map(self.fresh, op.carried), *(self.tangent_of(op.carried[k]) for k in moving)])
        with self.inside(body):
            self.run(op.body.ops)
            self.builder.loc = op.loc
            kept = [k for k in range(n, len(op.results)) if op.results[k] in self.active
                    and self.moves(op.body.results[k])]  # fmt: skip
            yields = map_tree(self.get, op.body.results)
            tangents = {k: self.tangent(op.body.results[k]) for k in (*moving, *kept)}
        body.results = [*yields[:n], *(tangents[k] for k in moving), *yields[n : len(op.results)],
                        *(tangents[k] for k in kept), *yields[len(op.results) :]]  # fmt: skip
        results = [self.fresh(r) for r in op.results]
        results = [*results[:n], *(self.tangent_of(op.results[k]) for k in moving), *results[n:],
                   *(self.tangent_of(op.results[k]) for k in kept)]  # fmt: skip
        new: Op
        if isinstance(op, While):
            new = While(op.target, (inits,), {}, results, op.lazy, op.effect, op.loc, test, body, op.stop)
        else:
            new = For(op.target, (sequences, inits), {}, results, op.lazy, op.effect, op.loc, body, op.stop)
        self.builder.region.ops.append(new)
