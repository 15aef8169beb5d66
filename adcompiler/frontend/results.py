"""Results with named parts, `sol.x`, of functions of libraries that are followed: dicts that have attributes."""

from typing import Any

from adcompiler.frontend.scope import Poison
from adcompiler.frontend.structural import STRUCTURAL
from adcompiler.ir.core import Loc
from rules.results import fields, unknown


class Fields(dict[str, Any]):
    """The parts of a result by name."""

    def __init__(self, of: str, parts: dict[str, Any], loc: Loc) -> None:
        super().__init__(parts)
        self.of = of
        self.loc = loc

    def remade(self, parts: dict[str, Any]) -> "Fields":
        """The same result with other parts."""
        return Fields(self.of, parts, self.loc)

    def field(self, lowerer: Any, name: str, node: Any) -> Any:
        """A part. Raises a refusal where there is none of this name."""
        if name not in self:
            raise lowerer.refuse(node, f"the attribute {name} of what {self.of} returns is not supported",
                                 f"it has {', '.join(self)} here")  # fmt: skip
        return self[name]


def _fields(self: Any, node: Any, of: Any, **parts: Any) -> Fields:
    return Fields(of.value, parts, self.loc(node))


def _unknown(self: Any, node: Any, reason: Any, remedy: Any) -> Poison:
    return Poison(reason.value, remedy.value, self.loc(node))


STRUCTURAL[fields] = _fields
STRUCTURAL[unknown] = _unknown

__all__ = ["Fields"]
