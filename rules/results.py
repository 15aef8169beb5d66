"""Results with named parts, as what stands for a function of a library gives them when it is followed."""

from types import SimpleNamespace
from typing import Any


def fields(of: str, **parts: Any) -> Any:
    """The result of a function of a library: its parts are attributes, and items, by these names; it has no others."""
    return SimpleNamespace(**parts)


def unknown(reason: str, remedy: str) -> Any:
    """A part of a result that cannot be had: to use it is refused, for this reason."""
    raise NotImplementedError(f"{reason}; {remedy}")
