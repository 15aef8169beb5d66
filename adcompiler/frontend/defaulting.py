"""Dicts that make what they have not: `defaultdict`, and `Counter`, which has 0 for it.

d = defaultdict(list); d["a"].append(x)      ->      d = {}; d["a"] = []; d["a"].append(x)
"""

import collections
from typing import Any

from adcompiler.frontend.containers import Containers
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.liveness import read
from adcompiler.frontend.scope import Closure
from adcompiler.frontend.static import Unroll
from adcompiler.frontend.storage import Place

#: What is made by calls without arguments, and known.
_CONSTANTS = (float, int, complex, bool, str)


class Defaulting(Containers):
    """Lowers what reads a key that a dict has not, and makes it."""

    #: Dicts as they were made, with what makes their values.
    factories: list[tuple[Any, Any]]

    def note_factory(self, d: dict[Any, Any], factory: Any) -> None:
        """Let a dict make what it has not. What a function reads for that is kept until then."""
        if isinstance(factory, Closure):
            k = len(self.factories)
            kept = {n: self.frame.env[n] for n in sorted(read(factory.node)) if n in self.frame.env}
            self.frame.env |= {f"factory {k}": factory, **{f"{n} {k}": x for n, x in kept.items()}}
        self.factories.append((d, factory))

    def factory_of(self, d: Any) -> Any:
        """What makes the values of a dict; None for one that makes none."""
        family = self.container_family(d) if self.factories else ()
        return next((f for x, f in self.factories if any(x is y for y in family)), None)

    def counts(self, d: Any) -> bool:
        factory = self.factory_of(d)
        return isinstance(factory, Known) and factory.value is collections.Counter

    def subscript(self, base: Any, index: Any, node: Any) -> Any:
        if isinstance(base, dict) and self.factories:
            key = self.static(index, node, "the key of a dict")
            factory = self.factory_of(base) if key not in base else None
            if factory is not None:
                return self.made_item(base, key, factory, node)
        return super().subscript(base, index, node)

    def made_item(self, d: dict[Any, Any], key: Any, factory: Any, node: Any) -> Any:
        """The value of a key that a dict has not, which it makes and has from here on."""
        if self.counts(d):
            return Known(0)
        text = self.text(getattr(node, "value", node))
        if isinstance(factory, Closure) and not any(x is factory for f in self.frames() for x in f.env.values()):
            raise self.refuse(node, f"{text} gets the key {key!r} by a function of one that has returned",
                              f"make the dict where it is used, or put the item in: {text}[{key!r}] = ...")  # fmt: skip
        if isinstance(factory, Known) and factory.value in _CONSTANTS:
            value: Any = Known(factory.value())
        else:
            value = self.call(factory, (), {}, node)
        self.put_container(Place("", (), d, (), text), {**d, key: value}, node)
        return value

    def put_container(self, place: Place, made: Any, node: Any) -> None:
        before = place.base
        added = [k for k in made if k not in before] if isinstance(made, dict) and self.factory_of(before) else []
        born = [h for h in self.headers if added and any(x is before for x in h.at_start.values())]
        if born:
            text, key = place.text, added[0]
            reason = f"{text} gets the key {key!r} in a loop, where it is not known whether it has it"
            refusal = self.refuse(node, reason, f"make the item before the loop: {text}[{key!r}] = ...")
            if born[0].node is not None and refusal.problem is not None:
                raise Unroll(born[0].node, refusal.problem)
            raise refusal
        super().put_container(place, made, node)
