"""`with` statements, apart: a program enters a context in one place and leaves it in another."""

from typing import Any

from rules.rule import primitive


@primitive
def entered(manager: Any) -> Any:
    """What `with manager as x:` gives x."""
    return type(manager).__enter__(manager)


@primitive
def left(manager: Any) -> None:
    """The end of `with manager:`, where nothing has been raised."""
    type(manager).__exit__(manager, None, None, None)
