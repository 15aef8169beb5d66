"""What `adcompiler.debug_nans()` puts behind each pullback: a cotangent goes through if it is finite."""

import linecache
from typing import Any

import numpy as np

from rules.rule import borrows, primitive, rule


@primitive
def finite(d: Any, name: str, file: str, line: int) -> Any:
    """The cotangent `d` of `name` that a line gives. Raises FloatingPointError, quoting it, where not all is finite."""
    problem = _not_finite(d)
    if problem:
        text = linecache.getline(file, line).strip()
        where = f'\n  File "{file}", line {line}' + (f"\n    {text}" if text else "")
        of = f"the cotangent of {name}" if name else "a cotangent"
        raise FloatingPointError(f"{where}\n  {of} is not finite: {problem}")
    return d


def _not_finite(d: Any) -> str:
    """What there is in a cotangent that is not finite; empty where all is."""
    if isinstance(d, list):
        found = ((i, _not_finite(item)) for i, item in enumerate(d))
        return next((f"element {i} of a list is {text}" for i, text in found if text), "")
    if d is None or not (bad := ~np.isfinite(d)).any():
        return ""
    if not np.ndim(d):
        return str(d)
    first = tuple(map(int, np.argwhere(bad)[0]))
    more = f", and {np.sum(bad) - 1} more of {np.size(d)}" if np.sum(bad) > 1 else ""
    return f"{d[first]} at {list(first)}{more}"


@rule("y = finite(d, name, file, line)", finite)
class finite_rule:
    def kind(d): return d
    view = "d"
    static = "name file line"
    @borrows("d_y")
    def d_d(d_y): return d_y
    def t_y(t_d): return t_d
