"""What a call raises, as a number: a program that catches exceptions goes on by it."""

from collections.abc import Callable
from typing import Any

from rules.rule import primitive

Classes = tuple[Any, ...]


@primitive
def which(classes: Classes, error: BaseException) -> int:
    """Which of some classes, counted from 1, an exception is of; 0 if it is of none."""
    return next((k for k, group in enumerate(classes, 1) if isinstance(error, group)), 0)


def _caught(classes: Classes, error: BaseException) -> int:
    if k := which(classes, error):
        return k
    raise error


@primitive
def raised_by(classes: Classes, f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> int:
    """Which of some classes of exceptions, counted from 1, a call raises; 0 if it raises nothing."""
    try:
        f(*args, **kwargs)
    except BaseException as error:
        return _caught(classes, error)
    return 0


@primitive
def error_of(
    classes: Classes, f: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> tuple[int, BaseException | None]:
    """The same, with what is raised."""
    try:
        f(*args, **kwargs)
    except BaseException as error:
        return _caught(classes, error), error
    return 0, None


@primitive
def outcome(classes: Classes, f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> tuple[int, Any, Any]:
    """The same of a call that is not made again, with its result: number, exception, result."""
    try:
        return 0, None, f(*args, **kwargs)
    except BaseException as error:
        return _caught(classes, error), error, None

