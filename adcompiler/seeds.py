"""Tangents, which a call gives for arguments, and cotangents, which a pullback takes for results.

A tangent that does not fit its argument is an error here; lengths that have to be equal become guards of the
specialisation.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

from adcompiler.errors import GradientError, problem_at
from adcompiler.frontend.kinds import Known
from adcompiler.ir.build import kind_of_operand
from adcompiler.ir.core import CotangentName, ListOf, Loc, Value
from adcompiler.ir.structure import Instance, parts, written
from adcompiler.request import Request, pick
from rules.kind import Array, Num, Seq, is_differentiable, lengths, said


def tangents_of(request: Request, trees: dict[str, Any], loc: Loc | None) -> dict[Value, Any]:
    """The tangents of the leaves of arguments that move. Raises GradientError where one does not fit its argument."""
    out: dict[Value, Any] = {}
    for path, name in request.tangents.items():
        match(pick(trees, path, request.name, loc), trees[name], written(path), out, loc)
    return out


@dataclass(frozen=True)
class Cotangent:
    """The parameter of a pullback for a part of the result, and where it stands in the argument called `access`."""

    of: Value
    parameter: Value
    access: str
    steps: tuple[Any, ...]


def cotangents_of(request: Request, result: Any, loc: Loc | None) -> list[Cotangent]:
    """A cotangent for each float or complex part of a result. Raises GradientError where there is none."""
    single = isinstance(result, Value) and bool(result.hint)
    access = f"d_{result.hint}" if single and result.hint.isidentifier() else "d_value"
    out: list[Cotangent] = []

    def visit(tree: Any, steps: tuple[Any, ...]) -> None:
        if isinstance(tree, Value):
            if is_differentiable(tree.kind):
                hint = access if not steps else f"d_{tree.hint}" if tree.hint else "d"
                out.append(Cotangent(tree, Value(tree.kind, CotangentName(hint)), access, steps))
        elif isinstance(tree, ListOf):
            visit(tree.element, (*steps, "*"))
        elif isinstance(tree, tuple | list | dict):
            for k, x in parts(tree):
                visit(x, (*steps, k))

    visit(result, ())
    if not out:
        reason = f"{request.name} returns nothing that moves: no float or complex number or array"
        raise GradientError(problem_at(loc, reason, "return what is to be pulled back"))
    return out


def match(x: Any, t: Any, where: str, out: dict[Value, Any], loc: Loc | None, noun: str = "tangent") -> None:
    """Find the operand in `t` for each leaf of `x` that moves. Raises GradientError where it does not fit."""
    if isinstance(t, Known) and t.value is None:
        return
    if isinstance(x, ListOf) and isinstance(t, ListOf):
        match(x.element, t.element, f"{where}[...]", out, loc, noun)
    elif isinstance(x, Instance) and isinstance(t, Instance | dict):
        given = dict(parts(t))
        if set(given) - set(x._fields):
            _refuse(where, _what(x), _what(t), loc, noun)
        for name, attribute in zip(x._fields, x, strict=True):
            match(attribute, given.get(name, Known(None)), f"{where}.{name}", out, loc, noun)
    elif isinstance(x, tuple | list | dict):
        if type(t) is not type(x) or len(t) != len(x) or (isinstance(x, dict) and set(t) != set(x)):
            _refuse(where, _what(x), _what(t), loc, noun)
        for k in x if isinstance(x, dict) else range(len(x)):
            match(x[k], t[k], f"{where}[{k!r}]", out, loc, noun)
    elif isinstance(x, ListOf) or (isinstance(x, Value) and isinstance(x.kind, Seq) and isinstance(t, tuple | list)):
        _refuse(where, "a list of as many elements of one kind, with no None among them,", _what(t), loc, noun)
    elif not isinstance(x, Value) or not is_differentiable(x.kind):
        reason = f"{where} is {_what(x)}, which cannot move, and its {noun} is {_what(t)}"
        raise GradientError(problem_at(loc, reason, f"give None for its {noun}"))
    else:
        operand = t.value if isinstance(t, Known) else t
        if not (isinstance(t, Value) or type(operand) in (int, float, complex)) or not _fits(operand, x.kind):
            _refuse(where, _what(x), _what(t), loc, noun)
        out[x] = operand


def _fits(t: Any, kind: Any) -> bool:
    """Is this a tangent of what is of this kind? Python numbers are weak, as in NumPy."""
    mine = kind_of_operand(t)
    if isinstance(kind, Seq) or isinstance(mine, Seq):
        return isinstance(kind, Seq) and isinstance(mine, Seq) and not mine.range and _same(mine, kind)
    if not isinstance(mine, Num | Array) or mine.ndim != kind.ndim:
        return False
    if isinstance(mine, Num) and mine.python:
        return mine.type is not bool and (mine.type is not complex or kind.dtype.kind == "c")
    return mine.dtype == kind.dtype and all(_equal(n, m) for n, m in zip(mine.shape, kind.shape, strict=True))


def _same(mine: Seq, kind: Seq) -> bool:
    """Two lists of one length whose elements are of one kind; of which lengths the elements are, nobody can say."""
    a, b = mine.element, kind.element
    if mine.length is not None and kind.length is not None and not _equal(mine.length, kind.length):
        return False
    if isinstance(a, Array) and isinstance(b, Array):
        return a.dtype == b.dtype and a.ndim == b.ndim
    return type(a) is type(b) and bool(a == b)


def _equal(n: Any, m: Any) -> bool:
    """Are these lengths equal, or may they be? Then that is a guard of the specialisation."""
    env = lengths()
    n, m = env.resolve(n), env.resolve(m)
    sizes = env.size(n), env.size(m)
    if None not in sizes and sizes[0] != sizes[1]:
        return False
    env.agree(n, m)
    return True


def _what(x: Any) -> str:
    """A denotation in words."""
    if isinstance(x, Value) and isinstance(x.kind, Array):
        sizes = (lengths().size(lengths().resolve(n)) for n in x.kind.shape)
        shape = (str(n if size is None else size) for n, size in zip(x.kind.shape, sizes, strict=True))
        return f"{x.kind.dtype}[{', '.join(shape)}]"
    if isinstance(x, Value):
        return str(x.kind)
    if isinstance(x, Known):
        return said(x.value)
    if isinstance(x, dict):
        return f"a dict with {', '.join(map(repr, x)) or 'no keys'}"
    if isinstance(x, Instance):
        return f"a {type(x).__name__} with {', '.join(x._fields) or 'no attributes'}"
    return f"a {type(x).__name__} of {len(x)}" if isinstance(x, tuple | list) else "a list"


def _refuse(where: str, wanted: str, got: str, loc: Loc | None, noun: str) -> NoReturn:
    reason = f"the {noun} of {where} is {got}, where {wanted} is wanted"
    remedy = f"give it the structure, shapes and dtypes of {where}; None for what does not move"
    raise GradientError(problem_at(loc, reason, remedy))
