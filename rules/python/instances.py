"""Objects in what generated code returns."""

from typing import Any


def instance(cls: type, /, **attributes: Any) -> Any:
    """An object of a class with these attributes; its `__init__` does not run.

    >>> class Point: pass
    >>> vars(instance(Point, x=1.0, y=2.0))
    {'x': 1.0, 'y': 2.0}
    """
    made: Any = object.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made
