"""Folding, common subexpressions, peepholes; dead code goes with them.

%a = spread(%d, %z); %b = %a * %y   ->   %b = %d * %y          (a uniform cotangent stays a number)
%a = %x + %x                        ->   %a = 2.0 * %x
"""

import math
import operator
from typing import Any

import numpy as np

from adcompiler.ir.build import fold, infer, is_scalar_constant, kind_of_operand, stands_for
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
    errstate_of,
    is_cotangent,
    leaves,
    map_tree,
)
from adcompiler.passes.dce import dce
from adcompiler.passes.finite import facts
from adcompiler.passes.mark import turn
from adcompiler.passes.scans import plain_scans
from rules.cotangent import (
    accumulate,
    appended,
    length,
    listed,
    or_zeros,
    project,
    restack,
    size,
    spread,
    strong,
    strong_divide,
    unstack,
    update,
    zeros_like,
)
from rules.kind import ONE, Array, KindError, Num, Seq, lengths, same_kind, same_shape
from rules.rule import OPERATORS, find
from rules.sequences import backwards

_UNIFORM = (operator.add, operator.sub, operator.mul, operator.truediv, strong, strong_divide)
_ALLOCATES = (zeros_like, update, np.copy, np.zeros, np.ones, np.empty, np.full)
_LINEAR = (operator.mul, operator.truediv)
_GUARDED = (strong, strong_divide)


def simplify(function: Function) -> Function:
    """A smaller program with the same results."""
    for _ in range(4):
        worker = _Simplifier(plain_scans(function))
        simpler = dce(worker.run())
        if not worker.changed:
            return simpler
        function = simpler
    return function


class _Simplifier:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.renamed: dict[Value, Any] = {}
        self.defs: dict[Value, Op] = {}
        self.uses: dict[Value, int] = {}
        self.changed = False
        self.forward: set[Value] = set()
        self.arrays = [p for p in function.params if isinstance(p.kind, Array)]  # what is in sight
        self._count(function.body)

    def run(self) -> Function:
        f = self.function
        body = self.region(f.body, {})
        return Function(f.name, f.params, body, map_tree(self.get, f.result), f.doc)

    def _count(self, region: Region) -> None:
        for op in region.ops:
            for v in op.operands():
                self.uses[v] = self.uses.get(v, 0) + 1
            for sub in op.regions:
                self._count(sub)
        for v in leaves(region.results):
            self.uses[v] = self.uses.get(v, 0) + 1

    def get(self, v: Value) -> Any:
        return self.renamed.get(v, v)

    def region(self, region: Region, table: dict[Any, Op]) -> Region:
        known = len(table)
        self.ops: list[Op]
        outer = getattr(self, "ops", None)
        ops = self.ops = []
        sight = len(self.arrays)
        self.arrays += [p for p in region.params if isinstance(p.kind, Array)]
        for op in region.ops:
            self.op(op, table)
        del self.arrays[sight:]
        results = map_tree(self.get, region.results)
        while len(table) > known:  # what was found here is not known outside
            table.popitem()
        if outer is not None:
            self.ops = outer
        return Region(region.params, ops, results)

    def rename(self, old: Value, new: Any) -> None:
        if isinstance(new, Value) and old.hint and not new.hint and not (is_cotangent(old) and new in self.forward):
            new.hint = old.hint
        self.renamed[old] = new
        self.changed = True

    def emit(self, target: Any, *args: Any, like: Value, **kwargs: Any) -> Any:
        """A new operation in the place of the one that gave `like`; the kind must be the same."""
        kind = infer(target, args, kwargs)
        result = Value(kind, like.hint, like.loc)
        op = Op(target, args, kwargs, [result], False, False, like.loc)
        self.defs[result] = op
        self.ops.append(op)
        return result

    # ------------------------------------------------------------------------------------- operations
    def op(self, op: Op, table: dict[Any, Op]) -> None:
        if isinstance(op, If):
            self.branch(op, table)
            return
        if isinstance(op, For | While):
            self.loop(op, table)
            return
        if isinstance(op, Checkpoint):
            self.checkpoint(op)
            return
        if op.target is turn:
            self.forward.update(self.defs)
        new = op.rebuild(self.get, lambda r: r)
        if not new.effect and len(new.results) == 1:
            replacement = self.peephole(new)
            if replacement is not None and stands_for(replacement, op.result):
                self.rename(op.result, replacement)
                return
        key = _key(new)
        if key is not None:
            same = table.get(key)
            if same is not None:
                for a, b in zip(op.results, same.results, strict=True):
                    self.rename(a, b)
                return
            table[key] = new
        for r in new.results:
            self.defs[r] = new
        self.arrays += [r for r in new.results if isinstance(r.kind, Array)]
        self.ops.append(new)

    def branch(self, op: If, table: dict[Any, Op]) -> None:
        cond = map_tree(self.get, op.cond)
        if not isinstance(cond, Value):
            chosen = op.then if cond else op.orelse
            for inner in chosen.ops:
                self.op(inner, table)
            for r, x in zip(op.results, chosen.results, strict=True):
                self.rename(r, map_tree(self.get, x))
            return
        new = If(op.target, (cond,), {}, op.results, op.lazy, op.effect, op.loc,
                 self.region(op.then, table), self.region(op.orelse, table))  # fmt: skip
        keep = []
        inside = {v for side in new.regions for o in side.ops for v in o.results}
        known: dict[Any, Value] = {}
        for i, r in enumerate(op.results):
            a, b = new.then.results[i : i + 1] or [UNDEF], new.orelse.results[i : i + 1] or [UNDEF]
            values = all(isinstance(x, Value) or x is UNDEF for x in (a[0], b[0]))
            twin = known.setdefault((id(a[0]), id(b[0])), r) if values else r
            if a[0] is b[0] and isinstance(a[0], Value) and a[0] not in inside:
                self.rename(r, a[0])
            elif twin is not r and same_kind(twin.kind, r.kind):
                self.rename(r, twin)
            else:
                keep.append(i)
        new.results = [op.results[i] for i in keep]
        for side in new.regions:
            side.results = [side.results[i] for i in keep] if side.results else []
        for r in new.results:
            self.defs[r] = new
        self.ops.append(new)

    def checkpoint(self, op: Checkpoint) -> None:
        """What is computed again is not what was computed before: operations outside are none of its own."""
        body = self.region(op.body, {})
        inside = {r for o in body.ops for r in o.results}
        keep = []
        for i, (r, x) in enumerate(zip(op.results, body.results, strict=True)):
            if x not in inside and stands_for(x, r):
                self.rename(r, x)
            else:
                keep.append(i)
        body.results = [body.results[i] for i in keep]
        results = [op.results[i] for i in keep]
        new = Checkpoint(op.target, (), {}, results, op.lazy, op.effect, op.loc, body)
        for r in results:
            self.defs[r] = new
        self.ops.append(new)

    def loop(self, op: For | While, table: dict[Any, Op]) -> None:
        n = len(op.inits)
        inits = map_tree(self.get, op.inits)
        invariant = [
            k for k in range(n)
            if op.body.results[k] is op.carried[k] and inits[k] is not UNDEF
            and (not isinstance(inits[k], Value) or stands_for(inits[k], op.carried[k]))
        ]  # fmt: skip
        for k in invariant:
            self.rename(op.carried[k], inits[k])
            self.rename(op.results[k], inits[k])
            if isinstance(op, While):
                self.renamed[op.test.params[k]] = inits[k]
        again = self.collected_again(op)
        kept = [k for k in range(len(op.results)) if k not in (*invariant, *again)]
        carry = [k for k in kept if k < n]
        results = [op.results[k] for k in kept]
        yields = [op.body.results[k] for k in kept]
        if op.stop:
            yields.append(op.body.results[-1])
        if isinstance(op, While):
            test = self.region(Region([op.test.params[k] for k in carry], op.test.ops, op.test.results), table)
            body = self.region(Region([op.carried[k] for k in carry], op.body.ops, yields), table)
            new: For | While = While(
                op.target, ([inits[k] for k in carry],), {}, results, op.lazy, op.effect, op.loc, test, body, op.stop
            )
        else:
            self.forward.update(op.elements)
            sequences, elements = self.scanned_once(map_tree(self.get, op.sequences), op.elements)
            params = [*elements, *(op.carried[k] for k in carry)]
            body = self.region(Region(params, op.body.ops, yields), table)
            new = For(
                op.target,
                (sequences, [inits[k] for k in carry]),
                {},
                results,
                op.lazy,
                op.effect,
                op.loc,
                body,
                op.stop,
            )
        if new.stop and body.results[-1] is False:
            body.results.pop()
            new.stop = False
        for r in new.results:
            self.defs[r] = new
        self.ops.append(new)

    def collected_again(self, op: For | While) -> list[int]:
        """The results that are lists of what the loop collects in another of its results, or only reads."""
        first: dict[Any, Value] = {}
        read = dict(zip(op.elements, map_tree(self.get, op.sequences), strict=True)) if isinstance(op, For) else {}
        again = []
        for k in range(len(op.inits), len(op.results)):
            x, r = op.body.results[k], op.results[k]
            x = self.get(x) if isinstance(x, Value) else x
            if isinstance(x, Value) and x in read and not op.stop and not getattr(read[x].kind, "range", False):
                s = read[x]
                self.rename(r, s if isinstance(s.kind, Seq) else self.emit(unstack, s, like=r))
                again.append(k)
            elif isinstance(x, Value) and first.setdefault(x, r) is not r:
                self.rename(r, first[x])
                again.append(k)
        return again

    def scanned_once(self, sequences: list[Any], elements: list[Value]) -> tuple[list[Any], list[Value]]:
        """The different sequences among these, with what a loop calls their elements."""
        first: dict[Any, Value] = {}
        kept = []
        for i, (s, e) in enumerate(zip(sequences, elements, strict=True)):
            turned = self.made_by(s, backwards)
            key = (backwards, turned.args[0]) if turned is not None else s
            if not isinstance(s, Value) or first.setdefault(key, e) is e:
                kept.append(i)
            else:
                self.rename(e, first[key])
        return [sequences[i] for i in kept], [elements[i] for i in kept]

    # -------------------------------------------------------------------------------------- peepholes
    def peephole(self, op: Op) -> Any:
        """A simpler operand for the result, or None."""
        target, args, out = op.target, op.args, op.result
        if not any(True for _ in op.operands()):
            folded = fold(target, args, op.kwargs) if target in OPERATORS else None
            return folded[0] if folded is not None else None
        try:
            if target in _UNIFORM and len(args) == 2:
                return self.binary(op)
            rewrite = _REWRITES.get(target)
            return rewrite(self, op, out) if rewrite is not None else None
        except KindError:
            return None

    def made_by(self, x: Any, *targets: Any) -> Op | None:
        """The operation behind an operand, if it is a call of one of these."""
        op = self.defs.get(x) if isinstance(x, Value) else None
        return op if op is not None and op.target in targets else None

    def surely(self, x: Value, depth: int = 4) -> bool:
        """Is this number surely of the type of its kind: an argument, or what NumPy makes of an array?

        One that went through a join or a rewrite may be of a narrower type.
        """
        if x in self.function.params:
            return True
        op = self.defs.get(x)
        if op is None or type(op) is not Op or op.target in (size, length) or not depth:
            return False
        if op.target in (float, np.float64, np.float32):
            return True
        if op.target in OPERATORS:
            numbers = [v for v in op.operands() if isinstance(v.kind, Num)]
            return all(self.surely(v, depth - 1) for v in numbers) and infer(op.target, op.args, {}) == x.kind
        return any(isinstance(v.kind, Array) and v.kind.ndim for v in op.operands())

    def turned(self, x: Any) -> Any:
        """What `x` is the transpose of, if that is how it is made."""
        op = self.made_by(x, np.transpose)
        return op.args[0] if op is not None and not op.kwargs and len(op.args) == 1 else None

    def only_use(self, x: Any) -> bool:
        return isinstance(x, Value) and self.uses.get(x, 1) == 1

    def binary(self, op: Op) -> Any:
        target, (a, b), out = op.target, op.args, op.result
        if target is operator.mul:
            done = self.scaled(op)
            if done is not None:
                return done
            for x, y in ((a, b), (b, a)):
                if _is(x, 1) and (_alike(y, out) or _float_number(y)):
                    return y
                if type(x) is float and x == 1 and self.made_by(y, size):
                    return self.emit(float, y, like=out)
                if _is(x, -1) and _alike(y, out):
                    return self.emit(operator.neg, y, like=out)
                negative = self.made_by(x, operator.neg)
                if negative is not None and (opposite := self.opposite(y)) is not None:
                    factors = (negative.args[0], opposite)
                    return self.emit(operator.mul, *(factors if x is a else factors[::-1]), like=out)
        if target is operator.truediv and _is(b, 1) and _alike(a, out):
            return a
        if target is strong_divide:
            known = facts(b, self.defs, {})
            never_zero = type(a) in (int, float) and a != 0 and _rank(b) > 0
            if never_zero or (known.positive and not known.nan):
                return self._if_kind(operator.truediv, (a, b), out)
        if target is operator.add:
            for x, y in ((a, b), (b, a)):
                if (_is(x, 0) or self.made_by(x, zeros_like)) and _alike(y, out):
                    return y
                done = self.merge_update(x, y, out)
                if done is not None:
                    return done
            if a is b and isinstance(out.kind, Num | Array) and out.kind.dtype.kind in "fc":
                return self.emit(operator.mul, 2.0, a, like=out)
            first, second = self.made_by(a, operator.mul), self.made_by(b, operator.mul)
            if first and second and first.args == second.args[::-1] and isinstance(out.kind, Num | Array):
                return self.emit(operator.mul, 2.0, a, like=out)
            for x, y in ((a, b), (b, a)):
                negative = self.made_by(y, operator.neg)
                if negative is not None and (isinstance(x, Value) or y is b):
                    return self.emit(operator.sub, x, negative.args[0], like=out)
            for x, y in ((a, b), (b, a)):
                opposite = self.opposite(y) if isinstance(x, Value) else None
                if opposite is not None:
                    return self.emit(operator.sub, x, opposite, like=out)
        if target is operator.sub:
            negative = self.made_by(b, operator.neg)
            if negative is not None:
                return self.emit(operator.add, a, negative.args[0], like=out)
            if (_is(a, 0) or self.made_by(a, zeros_like)) and isinstance(b, Value) and _alike(b, out):
                return self.emit(operator.neg, b, like=out)
        return self.uniform(op)

    def opposite(self, x: Any) -> Any:
        """`-x` of a product or quotient that begins with a minus, used here alone."""
        product = self.made_by(x, *_LINEAR)
        if product is None or not self.only_use(x):
            return None
        a, b = product.args
        negative = self.made_by(a, operator.neg)
        if negative is not None:
            return self.emit(product.target, negative.args[0], b, like=x)
        if type(a) in (int, float) and a < 0:
            return self.emit(product.target, -a, b, like=x)
        return None

    def uniform(self, op: Op) -> Any:
        """A uniform array beside one of the full shape acts like its number; two uniform ones give a uniform one."""
        target, (a, b), out = op.target, op.args, op.result
        sa, sb = self.made_by(a, spread), self.made_by(b, spread)
        if sa is not None and sb is not None and _number(sa.args[0]) and _number(sb.args[0]) and target not in _GUARDED:
            if same_kind(sa.args[1].kind, out.kind) and same_kind(sb.args[1].kind, out.kind):
                return self.emit(spread, self.number(target, sa.args[0], sb.args[0], out), sa.args[1], like=out)
        if sa is not None and _number(sa.args[0]) and _same(b, out):
            return self._if_kind(target, (sa.args[0], b), out)
        if sb is not None and _number(sb.args[0]) and _same(a, out) and target not in _GUARDED:
            return self._if_kind(target, (a, sb.args[0]), out)
        for s, x, left in ((sa, b, True), (sb, a, False)):
            if s is not None and _same(x, out) and (left or target not in _GUARDED):
                d = self.aligned(s)
                if d is not None:
                    return self._if_kind(target, (d, x) if left else (x, d), out)
            whole = s is not None and same_kind(s.args[1].kind, out.kind)  # else the spread would cast
            if s is not None and whole and _number(s.args[0]) and _number(x) and target in _LINEAR:
                if left or target is operator.mul:
                    pair = (s.args[0], x) if left else (x, s.args[0])
                    return self.emit(spread, self.number(target, *pair, out), s.args[1], like=out)
        return None

    def number(self, target: Any, a: Any, b: Any, like: Value) -> Any:
        """What an operator makes of two numbers."""
        return self.emit(target, a, b, like=like) if isinstance(a, Value) or isinstance(b, Value) else target(a, b)

    def everywhere(self, x: Any) -> tuple[Any, Value] | None:
        """The number that an array is all over, and an array of its shape, or of its transpose's."""
        s = self.made_by(x, spread) or self.made_by(self.turned(x), spread)
        return (s.args[0], s.args[1]) if s is not None and _number(s.args[0]) and len(s.args) == 2 else None

    def filled(self, value: Any, out: Value, axis: int | None = None) -> Any:
        """`value` all over the shape of `out`, or along this axis of it, if an array of that shape is in sight."""
        like = next((a for a in self.arrays if same_kind(a.kind, out.kind)), None)
        if like is None or value is None:
            return None
        return self.emit(spread, value, like, like=out, **({} if axis is None else {"axis": axis}))

    def times(self, number: Any, x: Any, out: Value) -> Any:
        """`number * x`, a value of its own kind."""
        if _is(number, 1):
            return x
        return self.emit(operator.mul, number, x, like=Value(None, "", out.loc))

    def aligned(self, s: Op) -> Any:
        """The array that a spread broadcasts, with its axes where NumPy's broadcasting finds them; None if it can't."""
        bound = find(spread).bind(s.args, s.kwargs)  # type: ignore[union-attr]
        d, like, axis, keepdims = bound["d"], bound["like"], bound["axis"], bound["keepdims"]
        if not isinstance(d, Value) or not isinstance(d.kind, Array) or not d.kind.ndim:
            return None
        if keepdims or axis == 0 or axis == tuple(range(like.kind.ndim - d.kind.ndim)):
            return d
        if axis in (-1, like.kind.ndim - 1) and d.kind.ndim == like.kind.ndim - 1:
            index = (slice(None),) * d.kind.ndim + (None,)
            return self.emit(operator.getitem, d, index, like=Value(d.kind))
        return None

    def _if_kind(self, target: Any, args: tuple[Any, ...], out: Value) -> Any:
        return self.emit(target, *args, like=out) if same_kind(infer(target, args, {}), out.kind) else None

    def scaled(self, op: Op) -> Any:
        """`c * (k * x)` is `(c * k) * x`: where a factor is a power of two, which rounds nothing, or of a cotangent."""
        for c, y in (op.args, op.args[::-1]):
            inner = self.made_by(y, operator.mul) if type(c) in (int, float) and self.only_use(y) else None
            for k, x in (inner.args, inner.args[::-1]) if inner is not None else ():
                exact = type(k) in (int, float) and (_power_of_two(c) or _power_of_two(k))
                if type(k) in (int, float) and isinstance(x, Value) and (exact or is_cotangent(op.result)):
                    return (
                        x if c * k == 1 and _alike(x, op.result) else self.emit(operator.mul, c * k, x, like=op.result)
                    )
            if type(c) in (int, float) and _power_of_two(c) and _alike(y, op.result):
                taken = self.taking(c, y, 4)
                if taken is not None:
                    return taken
        return None

    def taking(self, c: float, y: Any, depth: int) -> Any:
        """`c * y` for a power of two, with the factor taken into a number in `y`; None if there is none."""
        op = self.made_by(y, *_LINEAR, *_GUARDED)
        if op is None or not depth or not self.only_use(y) or not any(o is op for o in reversed(self.ops)):
            return None  # what stands outside of a loop is not computed in it
        for i, x in enumerate(op.args[: 2 if op.target is operator.mul else 1]):
            if type(x) in (int, float):
                new: Any = c * x
            elif _float_number(x) and isinstance(y.kind, Array):
                new = self.emit(operator.mul, c, x, like=Value(x.kind, "", op.loc))
            else:
                new = self.taking(c, x, depth - 1)
            if new is not None:
                args = (*op.args[:i], new, *op.args[i + 1 :])
                return self.emit(op.target, *args, like=Value(y.kind, y.hint, op.loc))
        return None

    def merge_update(self, acc: Any, term: Any, out: Value) -> Any:
        """`acc + update(zeros, path, add, v)` is the update of `acc`."""
        u = self.made_by(term, update)
        if u is None or u.args[2] not in ("add", "sub") or self.made_by(u.args[0], zeros_like) is None:
            return None
        if not isinstance(acc, Value) or not self.only_use(term):
            return None
        if not _alike(acc, out) or not _alike(term, out):  # what is broadcast has other places
            return None
        return self.emit(update, acc, *u.args[1:], like=out)


def _neg(self: _Simplifier, op: Op, out: Value) -> Any:
    (x,) = op.args
    negative = self.made_by(x, operator.neg)
    if negative is not None:
        return negative.args[0]
    s = self.made_by(x, spread)
    if s is not None and _number(s.args[0]):
        d = s.args[0]
        return self.emit(
            spread,
            self.emit(operator.neg, d, like=out) if isinstance(d, Value) else -d,
            *s.args[1:],
            like=out,
        )
    opposite = self.opposite(x)
    if opposite is not None:
        return opposite
    product = self.made_by(x, *_LINEAR)
    if product is not None and self.only_use(x):
        a, b = product.args
        if not isinstance(a, Value):
            return self.emit(product.target, -a, b, like=out)
        if not isinstance(b, Value):
            return self.emit(product.target, a, -b, like=out)
        if isinstance(a.kind, Num) and isinstance(b.kind, Array):
            return self.emit(product.target, self.emit(operator.neg, a, like=Value(a.kind, "", out.loc)), b, like=out)
        if product.target is operator.mul:
            return self.emit(operator.mul, a, self.emit(operator.neg, b, like=Value(b.kind, "", out.loc)), like=out)
    return None


def _getitem(self: _Simplifier, op: Op, out: Value) -> Any:
    """An axis of length 1 that a sum has kept is not indexed away: the sum does not keep it."""
    x, index = op.args
    total = self.made_by(x, np.sum)
    if total is None or not self.only_use(x) or total.kwargs.get("keepdims") is not True:
        return None
    axis = total.kwargs.get("axis")
    if type(axis) is not int or not isinstance(index, tuple) or len(index) != x.kind.ndim:
        return None
    if any(i != (0 if k == axis % len(index) else slice(None)) for k, i in enumerate(index)):
        return None
    return self.emit(np.sum, *total.args, like=out, **{k: v for k, v in total.kwargs.items() if k != "keepdims"})


def _sum(self: _Simplifier, op: Op, out: Value) -> Any:
    (x, *more), axis = op.args, op.kwargs.get("axis")
    if type(axis) is int and not more and set(op.kwargs) == {"axis"} and out.kind.dtype == x.kind.dtype:
        uniform = self.made_by(x, spread)
        if uniform is not None and _number(uniform.args[0]) and len(uniform.args) == 2:
            n = self.emit(length, uniform.args[1], axis % x.kind.ndim, like=Value(Num(int)))
            return self.filled(self.times(uniform.args[0], n, out), out)
        if self.turned(x) is not None and _rank(x) == 2:
            return self.emit(np.sum, self.turned(x), like=out, axis=1 - axis % 2)
        product = self.made_by(x, operator.mul)
        for a, b in (product.args, product.args[::-1]) if product is not None and self.only_use(x) else ():
            d = self.everywhere(a)
            if d is not None and _rank(b) == x.kind.ndim and _varies_along(b, axis % x.kind.ndim, x):
                return self.filled(self.times(d[0], self.emit(np.sum, b, like=Value(None, "", out.loc)), out), out)
    view = self.made_by(x, operator.getitem)
    if view is not None and not more and not op.kwargs and _only_new_axes(view.args[1]) and _rank(view.args[0]):
        return self.emit(np.sum, view.args[0], like=out)
    s = self.made_by(op.args[0], spread)
    if s is None or not _number(s.args[0]) or op.kwargs or s.kwargs:
        return None
    return self.emit(operator.mul, s.args[0], self.emit(size, s.args[1], like=Value(Num(int))), like=out)


def _project(self: _Simplifier, op: Op, out: Value) -> Any:
    d, like = op.args
    if isinstance(d, Value) and isinstance(like, Value) and isinstance(d.kind, Array) and isinstance(like.kind, Array):
        if d.kind.dtype == like.kind.dtype and same_shape(d.kind, like.kind) and d.kind.ndim:
            return d
    return None


def _accumulate(self: _Simplifier, op: Op, out: Value) -> Any:
    for x, y in (op.args, op.args[::-1]):
        if self.made_by(x, zeros_like):
            return y
    for x, y in (op.args, op.args[::-1]):  # one element is added to a list of cotangents
        u = self.made_by(y, update)
        if u is None or u.args[2] != "add" or not self.made_by(u.args[0], zeros_like) or not self.only_use(y):
            continue
        if len(u.args[1]) != 1 or not isinstance(u.args[1][0], int | Value):
            continue
        grown = self.made_by(x, appended)
        if grown is not None and u.args[1] == (-1,) and self.made_by(grown.args[1], zeros_like):
            return self.emit(appended, grown.args[0], u.args[3], like=out)
        first = self.made_by(x, update)
        if first is not None and self.made_by(first.args[0], zeros_like):
            continue
        if isinstance(x, Value) and isinstance(out.kind, Seq) and not self.made_by(x, or_zeros):
            return self.emit(update, x, *u.args[1:], like=out)
    return None


def _listed(self: _Simplifier, op: Op, out: Value) -> Any:
    """A copy of a list is the list: where one must not see what becomes of the other, `growing` copies."""
    return op.args[0] if isinstance(op.args[0], Value) else None


def _inverse(other: Any) -> Any:
    def rewrite(self: _Simplifier, op: Op, out: Value) -> Any:
        inner = self.made_by(op.args[0], other)
        return inner.args[0] if inner is not None and _alike(inner.args[0], out) else None

    return rewrite


def _spread(self: _Simplifier, op: Op, out: Value) -> Any:
    """A uniform array spread further is as uniform."""
    s = self.made_by(op.args[0], spread)
    if s is None or not _number(s.args[0]):
        return None
    return self.emit(spread, s.args[0], op.args[1], like=out)


def _update(self: _Simplifier, op: Op, out: Value) -> Any:
    """Adding `-v` at a place is subtracting `v`; two stores at one place are one."""
    base, path, kind, value = op.args
    if not isinstance(out.kind, Array):
        return None
    negative = self.made_by(value, operator.neg)
    opposite = negative.args[0] if negative is not None else self.opposite(value)
    if opposite is not None and kind in ("add", "sub"):
        return self.emit(update, base, path, "sub" if kind == "add" else "add", opposite, like=out)
    before = self.made_by(base, update)
    if before is None or kind not in ("add", "sub") or not self.only_use(base):
        return None
    if _frozen(before.args[1]) != _frozen(path):
        return None
    inner, first = before.args[2:]
    number = all(isinstance(kind_of_operand(v), Num) for v in (first, value))
    if inner == "set" and kind == "add" and _is(first, 0) and _fills(value, base, path):
        return self.emit(update, before.args[0], path, "set", value, like=out)
    cotangent = is_cotangent(out)  # the sums of the primal are formed as they are written
    if inner in ("add", "sub") and number and cotangent and any(isinstance(v, Value) for v in (first, value)):
        like = Value(None, CotangentName("d"), op.loc)
        total = self.emit(operator.add if inner == kind else operator.sub, first, value, like=like)
        return self.emit(update, before.args[0], path, inner, total, like=out)
    return None


def _fills(value: Any, base: Value, path: Any) -> bool:
    """Has a value the shape of the place, so that nothing is broadcast?"""
    if any(isinstance(v.kind, Array) for v in leaves(path)) or _has_list(path):
        return False  # an index array may name an element twice
    kind = kind_of_operand(value)
    place = infer(operator.getitem, (base, path[0]), {}) if len(path) == 1 and path != ("T",) else None
    if isinstance(kind, Num) and isinstance(place, Num):
        return True
    return isinstance(kind, Array) and isinstance(place, Array) and same_shape(kind, place)


def _has_list(path: Any) -> bool:
    return isinstance(path, list) or (isinstance(path, tuple) and any(map(_has_list, path)))


def _length(self: _Simplifier, op: Op, out: Value) -> Any:
    x = op.args[0]
    axis = op.args[1] if len(op.args) > 1 else op.kwargs.get("axis", 0)
    if isinstance(x, Value) and isinstance(x.kind, Array) and x.kind.shape[axis].constant:
        return x.kind.shape[axis].offset
    loop = self.defs.get(x) if isinstance(x, Value) else None
    if isinstance(loop, For) and not loop.stop and x in loop.results[len(loop.inits) :]:
        return self.emit(length, loop.sequences[0], like=out)
    return None


def _float(self: _Simplifier, op: Op, out: Value) -> Any:
    """A conversion is idle where its operand is surely of that type: what went through a join may not be."""
    x = op.args[0]
    return x if isinstance(x, Value) and isinstance(x.kind, Num) and x.kind == out.kind and self.surely(x) else None


def _transpose(self: _Simplifier, op: Op, out: Value) -> Any:
    x = op.args[0]
    if op.kwargs or len(op.args) > 1:
        return None
    if isinstance(x, Value) and isinstance(x.kind, Array) and x.kind.ndim == 1:
        return x
    if self.turned(x) is not None:
        return self.turned(x)
    uniform = self.everywhere(x)
    if uniform is not None:
        return self.filled(uniform[0], out)
    made = self.made_by(x, operator.neg, operator.matmul, np.outer) if self.only_use(x) else None
    if made is None or any(_rank(y) != (1 if made.target is np.outer else 2) for y in made.args):
        return None
    if made.target is operator.neg:
        return self.emit(operator.neg, self.emit(np.transpose, *made.args, like=Value(out.kind, "", out.loc)), like=out)
    a, b = made.args
    if made.target is np.outer:
        return self.emit(np.outer, b, a, like=out)
    first, second = self.turned(b), self.turned(a)
    if first is None and second is None:
        return None
    first, second = (
        self.emit(np.transpose, y, like=Value(y.kind, "", out.loc)) if x is None else x
        for x, y in ((first, b), (second, a))
    )
    return self.emit(operator.matmul, first, second, like=out)


def _matmul(self: _Simplifier, op: Op, out: Value) -> Any:
    """A product with an array that is one number all over is a sum."""
    a, b = op.args
    first, second = self.everywhere(a), self.everywhere(b)
    if second is not None and _rank(b) == 1 and _rank(a) == 2:
        return self.times(second[0], self.emit(np.sum, a, like=Value(None, "", out.loc), axis=1), out)
    if first is not None and _rank(a) == 1 and _rank(b) == 2:
        return self.times(first[0], self.emit(np.sum, b, like=Value(None, "", out.loc), axis=0), out)
    if first is not None and _rank(a) == 2 and _rank(b) in (1, 2):
        total = self.emit(np.sum, b, like=Value(None, "", out.loc), **({"axis": 0} if _rank(b) == 2 else {}))
        return self.filled(self.times(first[0], total, out), out, 0 if _rank(b) == 2 else None)
    if second is not None and _rank(b) == 2 and _rank(a) == 2:
        total = self.emit(np.sum, a, like=Value(None, "", out.loc), axis=1)
        return self.filled(self.times(second[0], total, out), out, 1)
    return None


def _outer(self: _Simplifier, op: Op, out: Value) -> Any:
    """A product with a vector that is one number all over repeats the other."""
    for k, (a, b) in enumerate((op.args, op.args[::-1])):
        d = self.everywhere(a)
        if d is not None and _rank(a) == 1 and _rank(b) == 1:
            return self.filled(self.times(d[0], b, out), out, k)
    return None


def _only_new_axes(index: Any) -> bool:
    """Does an index take all there is?"""
    items = index if isinstance(index, tuple) else (index,)
    return all(i is None or i is Ellipsis or (isinstance(i, slice) and i == slice(None)) for i in items)


def _varies_along(x: Value, axis: int, whole: Value) -> bool:
    """Has an array the length of `whole` along this axis, and 1 along the others?"""
    return all(n == ONE for k, n in enumerate(x.kind.shape) if k != axis) and lengths().same(
        x.kind.shape[axis], whole.kind.shape[axis]
    )


def _rank(x: Any) -> int:
    return x.kind.ndim if isinstance(x, Value) and isinstance(x.kind, Array) else 0


_REWRITES: dict[Any, Any] = {
    operator.neg: _neg,
    spread: _spread,
    update: _update,
    operator.getitem: _getitem,
    operator.matmul: _matmul,
    np.outer: _outer,
    np.sum: _sum,
    project: _project,
    accumulate: _accumulate,
    listed: _listed,
    backwards: _inverse(backwards),
    restack: _inverse(unstack),
    unstack: _inverse(restack),
    length: _length,
    float: _float,
    np.float64: _float,
    np.float32: _float,
    np.transpose: _transpose,
}


# ------------------------------------------------------------------------------------------- predicates
def _is(x: Any, k: int) -> bool:
    return type(x) in (int, float) and x == k and not (k == 0 and str(x).startswith("-"))


def _float_number(x: Any) -> bool:
    return isinstance(x, Value) and isinstance(x.kind, Num) and x.kind.dtype.kind == "f"


def _power_of_two(x: Any) -> bool:
    return bool(x) and abs(math.frexp(x)[0]) == 0.5


def _number(x: Any) -> bool:
    return isinstance(x.kind, Num) if isinstance(x, Value) else isinstance(x, int | float | complex)


def _alike(x: Any, out: Value) -> bool:
    """Is `x` a value of the kind of `out`, so that it can stand for it?"""
    return isinstance(x, Value) and same_kind(x.kind, out.kind)


def _same(x: Any, out: Value) -> bool:
    return (
        isinstance(x, Value)
        and isinstance(x.kind, Array)
        and isinstance(out.kind, Array)
        and same_shape(x.kind, out.kind)
    )


def _key(op: Op) -> Any:
    """What makes two operations the same one; None for those that must stay apart."""
    if op.effect or op.target in _ALLOCATES or not op.results:
        return None
    if op.target is backwards:
        return None  # each loop says for itself what it reads backwards
    if not any(True for _ in op.operands()) and not isinstance(op.result.kind, Num):
        return None
    if find(op.target) is None and op.target not in OPERATORS and op.target not in (range, str.format):
        return None
    try:
        key = (op.target, _frozen(op.args), _frozen(op.kwargs), errstate_of(op))
        hash(key)
    except TypeError:
        return None
    return key


def _frozen(x: Any) -> Any:
    if isinstance(x, Value):
        return x
    if isinstance(x, tuple | list):
        return (type(x), *map(_frozen, x))
    if isinstance(x, dict):
        return tuple((k, _frozen(v)) for k, v in x.items())
    if isinstance(x, slice):
        return ("slice", _frozen(x.start), _frozen(x.stop), _frozen(x.step))
    return (type(x), repr(x)) if is_scalar_constant(x) else x
