"""The differentiator that is switched off: what a rule's body gets as `ad` where it is called by hand.

A compiler hands rules one of its own, `adcompiler.passes.differentiator`, with the same methods. This one knows the
derivatives of functions that have rules, and no others.
"""

from collections.abc import Callable, Sequence
from typing import Any

from rules.cotangent import zeros_like
from rules.rule import Rule, RuleError, find


class Switched:
    """`vjp` and `jvp` by rules alone. Raises RuleError for a function that has none."""

    def vjp(self, f: Any, *args: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """f(*args), and its pullback, which gives None for what `f` closes over, then the cotangents of `args`."""
        rule, y = _rule(f), f(*args)
        bound = rule.bind(args, {})

        def pullback(d: Any) -> tuple[Any, ...]:
            values = {**bound, rule.result: y, "d_" + rule.result: d, "ad": self}

            def cotangent(name: str) -> Any:
                found = rule.pullbacks.get(name)
                if found is None:
                    return zeros_like(bound[name])
                given = (values[w] if w in values else cotangent(w[2:]) for w in found.wants)
                return found.function(*given)

            return (None, *(cotangent(p.name) for p, _ in zip(rule.parameters, args)))

        return y, pullback

    def jvp(self, f: Any, args: Sequence[Any], tangents: Sequence[Any], t_f: Any = None) -> tuple[Any, Any]:
        """f(*args), and its tangent; None is the tangent of what does not move."""
        rule, y = _rule(f), f(*args)
        if rule.pushforward is None:
            raise RuleError(f"{rule.name} has no pushforward")
        bound = rule.bind(tuple(args), {})
        moved = {p.name: t for p, t in zip(rule.parameters, tangents)}
        values = {**bound, rule.result: y, "ad": self}
        for name, x in bound.items():
            t = moved.get(name)
            values["t_" + name] = zeros_like(x) if t is None and not isinstance(x, str | None.__class__) else t
        return y, rule.pushforward.function(*(values[w] for w in rule.pushforward.wants))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python asks for these of anything
            raise AttributeError(name)
        raise RuleError(f"ad.{name} needs a compiler, and differentiation is switched off (ad.none)")


def _rule(f: Any) -> Rule:
    rule = find(f)
    if rule is None or rule.why or not rule.differentiable:
        name = getattr(f, "__name__", f)
        raise RuleError(f"{name} has no rule, and differentiation is switched off (ad.none)")
    return rule


none = Switched()

__all__ = ["none"]
