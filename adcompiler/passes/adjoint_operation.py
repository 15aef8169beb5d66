"""The pullback of a plain operation, by its rule.

    %z = %x * %y       ->       %d_x = lazy multiply.d_x(%d_z, %y); %d_y = lazy multiply.d_y(%d_z, %x)

Where a selection has left out a pole, or what may be infinite, a cotangent that is zero stays zero.
"""

import math
import operator
from typing import Any

import numpy as np

from adcompiler.errors import UnsupportedError, problem_at
from adcompiler.ir.core import CotangentName, Op, Value, leaves
from adcompiler.passes.cotangents import Cotangents, hint_of, zero_of
from adcompiler.passes.differentiator import AD
from adcompiler.passes.finite import Facts, facts
from adcompiler.passes.insertion import insert, python_numbers
from adcompiler.passes.states import Waiting
from adcompiler.passes.trace import Pullback, Untraceable, fit
from rules.cotangent import accumulate, spread, unless_zero, update
from rules.kind import Array, KindError, Seq, is_scalar
from rules.rule import Derivative, find

_QUOTIENTS = (operator.truediv, np.true_divide)
_LOGARITHMS = (np.log, np.log2, np.log10)


class Operations(Cotangents):
    """Pulls back through operations that have a rule."""

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

        def wanted(derivative: Derivative) -> tuple[Any, ...]:
            """What a pullback takes, by name."""
            out = []
            for w in derivative.wants:
                if w in derivative.scratch:
                    out.append(self.builder.call(np.empty_like, values[derivative.scratch[w]], lazy=True))
                elif w == "ad" and w not in values:
                    named = [bound[n] for n in derivative.wants if n in bound]
                    out.append(AD(rule, *dict.fromkeys(v for v in leaves(named) if v in self.active)))
                elif w == "state" and w not in values:
                    out.append(self.states[id(op)])
                else:
                    out.append(pullback(w[2:]) if w.startswith("d_") and w != "d_" + rule.result else values[w])
            return tuple(out)

        def pullback(name: str) -> Any:
            if name in siblings:
                return siblings[name]
            derivative = rule.pullbacks[name]
            args = wanted(derivative)
            overlay = rule.overlay if id(op) in self.states else None
            later = overlay.pullbacks.get(name) if overlay is not None else None
            stateful = None if later is None else wanted(later)
            named = [(x, w) for x, w in zip(args, derivative.wants, strict=True) if w not in derivative.like]
            factors = [x for x, w in named if w in bound or w == rule.result]
            use_math = getattr(op.target, "__module__", "") == "math" or python_numbers(op)
            d = self.call_pullback(f"{rule.name}.d_{name}", derivative, args, use_math, bound[name], op, stateful)
            if selected:
                d = self.zero_stays(op, bound, bound[name], values["d_" + rule.result], d, factors)
            siblings[name] = d
            return d

        terms: dict[Value, Any] = {}
        for name, x in bound.items():
            if name in rule.pullbacks and any(v in self.active for v in leaves(x)):
                self.spread_over(x, pullback(name), terms)
        for v, term in terms.items():
            self.add(v, self.given(term, v, op), stays)

    def whole(self, d: Any, r: Value, rule: Any) -> Any:
        """The cotangent of a result as its rule takes it: zeros where there is none, an array for a 0-d array."""
        if d is None:
            return zero_of(self.builder, r, lazy=True)
        return self.as_result(d, r) if rule.kind is not None and not is_scalar(r.kind) else d

    def zero_stays(self, op: Op, bound: dict[str, Any], x: Any, incoming: Any, d: Any, factors: list[Any]) -> Any:
        """The cotangent `d` of the argument `x`, exactly zero where the incoming one is, if a factor may be wild there.

        So it is element by element, and for what a reduction over axes makes of each row.
        """
        rule = find(op.target)
        reduces = "keepdims" in bound and isinstance(x, Value)
        known = rule is not None and (rule.kind is None or reduces)
        if not self.has_pole(op) and not (known and self.wild_among(factors, op)):
            return d
        if not _elementwise(incoming, d):
            if not reduces:
                return d
            incoming = self.builder.call(spread, incoming, x, bound["axis"], bound["keepdims"], lazy=True)
        return self.builder.call(unless_zero, incoming, d, lazy=True, hint=d.hint)

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
        return facts(x, self.made, self.known, self.argument)

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
            d = fit(self.builder, d, x, bool(self.xp), lazy=True, hint=hint_of(x))
            target = accumulate if isinstance(x.kind, Seq) else operator.add
            terms[x] = self.builder.call(target, terms[x], d, lazy=True, hint=hint_of(x)) if x in terms else d
        elif isinstance(x, tuple | list):
            if isinstance(d, Value):
                d = [self.builder.call(operator.getitem, d, i, lazy=True) for i in range(len(x))]
            for item, part in zip(x, d, strict=True):
                self.spread_over(item, part, terms)

    def call_pullback(
        self, name: str, derivative: Any, args: Any, use_math: bool, like: Any, op: Op, stateful: Any = None
    ) -> Any:
        """Insert a pullback as a lazy operation. `stateful` are the operands of its form that takes a state, if any."""
        try:
            target: Any = Pullback(name, derivative, args, use_math, op.loc)
        except (Untraceable, KindError) as error:
            reason, remedy = f"the rule {name} cannot be applied here: {error}", getattr(error, "remedy", "")
            raise UnsupportedError(problem_at(op.loc, reason, remedy)) from error
        except ZeroDivisionError as error:
            reason, remedy = "this divides by 0, whatever the arguments are, so that its derivative is infinite", \
                "leave it out, or write what it stands for: np.inf, or np.nan"  # fmt: skip
            raise UnsupportedError(problem_at(op.loc, reason, remedy)) from error
        except Exception as error:  # of a body that is wrong, or wants arrays and not what stands for them
            reason = f"the rule {name} raises {type(error).__name__} when it is traced: {error}"
            remedy = "correct it; what needs arrays goes into a function marked @primitive (docs/custom_rules.md)"
            raise UnsupportedError(problem_at(op.loc, reason, remedy)) from error
        hint = hint_of(like) if isinstance(like, Value) else CotangentName("d")
        rule = find(op.target)
        if stateful is not None and rule is not None and isinstance(target.result, Value):
            target, args = Waiting(target, rule, name.partition(".d_")[2]), (args, stateful)
        return insert(self.builder, target, args, hint, op.loc, lazy=True)


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
