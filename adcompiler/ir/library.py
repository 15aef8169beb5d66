"""Which library an operation is of: NumPy, or that of the arrays among its operands.

%y = np.sum(%x)       ->       an array of no axes, if %x is one of CuPy's; np.array([%x, %y]) is cupy.array then
"""

from typing import Any

from adcompiler.ir.core import Op, leaves
from rules import arrays
from rules.kind import Array, KindError, Seq
from rules.rule import find


def _xp(kind: Any) -> str:
    while isinstance(kind, Seq):
        kind = kind.element
    return kind.xp if isinstance(kind, Array) else ""


def library_of(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The library whose arrays a call makes. Raises KindError where that has no such function, or two of them meet."""
    made = arrays.twin(target)
    found = {_xp(v.kind) for v in leaves((args, kwargs))} - {""}
    if made is None and found <= {"numpy"}:
        return "numpy"
    rule = find(target)
    if made is None and rule is not None and any(p.name == "like" for p in rule.parameters):
        like = rule.bind(args, kwargs)["like"]
        return _xp(getattr(like, "kind", None)) or "numpy"
    if made is not None:
        found.add(made[0])
    if len(found) > 1:
        if (getattr(target, "__module__", None) or "").startswith(("rules.", "adcompiler.")):
            return "numpy"
        library = arrays.get(min(found - {"numpy"}))
        alias = "" if library is None else library.alias
        raise KindError(f"arrays of {' and '.join(sorted(found))} meet", f"convert them outside: {alias}.asarray(x)")
    (xp,) = found
    reason = arrays.lacks(target, xp)
    if reason:
        raise KindError(*reason)
    return xp


def on_device(operands: Any) -> str:
    """The library, if it is not NumPy, of which there is an array among operands, or a list of them; or nothing."""
    return next((xp for v in leaves(operands) if (xp := _xp(v.kind)) not in ("", "numpy")), "")


def of_numpy(target: Any) -> Any:
    """NumPy's function in place of one of another library: in the IR the kind of its result says whose it is."""
    twin = arrays.twin(target)
    return target if twin is None else twin[1]


def own(op: Op) -> Any:
    """What is called where an operation is run: of the library of its arrays, if it is a function of NumPy's."""
    return of(op.target, (op.args, op.kwargs, op.results))


def of(target: Any, operands: Any) -> Any:
    """The function of this name that the library of these operands has, in place of NumPy's."""
    made = arrays.get(on_device(operands))
    found = made.own(target) if made is not None else None
    return target if found is None else found


def of_kind(target: Any, kind: Any) -> Any:
    """The function of NumPy's that makes an array, or its twin in the library of this kind."""
    made = arrays.get(kind.xp)
    return target if made is None else made.own(target)
