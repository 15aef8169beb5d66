"""`check_rule`: is a rule right, in every form in which a compiler may use it?"""

from typing import Any


def check_rule(
    function: Any,
    *args: Any,
    wrt: str | None = None,
    upto: int = 2,
    tol: float = 1e-6,
    complex: bool = True,
    **kwargs: Any,
) -> None:
    """Check the rule of `function` at `args`. Raises AssertionError."""
