"""Does the cotangent that a pullback gets fit the value that it is for? Structure, shapes, dtypes."""

import types
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from adcompiler.errors import GradientError
from adcompiler.frontend.instances import attributes_of, is_object
from adcompiler.ir.structure import Instance, instance, like
from rules import arrays


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number or an array, as the value has it: of which class, shape and dtype."""

    type: type
    shape: tuple[int, ...] = ()
    dtype: Any = None

    def __str__(self) -> str:
        library = "" if self.type is np.ndarray or not self.array else f" of {arrays.library(self.type)}"
        return f"{self.dtype}{list(self.shape)}{library}" if self.array else self.type.__name__

    @property
    def array(self) -> bool:
        """Is it an array, of NumPy or another library?"""
        return self.type is np.ndarray or bool(arrays.library(self.type))

    @property
    def moves(self) -> bool:
        """Is it of floats or complex numbers?"""
        return self.dtype is not None and self.dtype.kind in "fc"


def form_of(value: Any) -> Any:
    """The structure of a value with a `Leaf` for each of its leaves; it holds on to no array."""
    if isinstance(value, tuple | list):
        return like(value, map(form_of, value))
    if is_object(value):
        return instance(type(value), {k: form_of(x) for k, x in attributes_of(value).items()})
    if isinstance(value, dict):
        return {k: form_of(x) for k, x in value.items()}
    if isinstance(value, np.generic) or arrays.is_array(value):
        return Leaf(type(value), value.shape, value.dtype)
    return Leaf(type(value), (), np.dtype(type(value)) if type(value) in (float, complex) else None)


def fitted(d: Any, form: Any, where: str = "", own: bool = False) -> Any:
    """The cotangent, numbers and 0-d arrays of the class that the value has, zeros for None; `own` copies its arrays.

    Raises GradientError where it does not fit.
    """
    if isinstance(form, Leaf):
        return _leaf(d, form, where, own)
    if isinstance(form, Instance):
        return _fitted_object(d, form, where, own)
    keys = list(form) if isinstance(form, dict) else range(len(form))
    if d is None:
        parts = {k: fitted(None, form[k], f"{where}[{k!r}]", own) for k in keys}
    elif type(d) is not type(form) or len(d) != len(form) or (isinstance(form, dict) and set(d) != set(form)):
        _refuse(where, _what(d), _what(form))
    else:
        parts = {k: fitted(d[k], form[k], f"{where}[{k!r}]", own) for k in keys}
    return parts if isinstance(form, dict) else like(form, parts.values())


def _fitted_object(d: Any, form: Any, where: str, own: bool) -> Any:
    """The cotangent of an object: given as an object of its class, or as a dict with some of its attributes."""
    given = d if isinstance(d, dict) else {} if d is None else attributes_of(d) if is_object(d) else None
    if given is None or set(given) - set(form._fields):
        _refuse(where, _what(d), _what(form))
    attributes = zip(form._fields, form, strict=True)
    return types.SimpleNamespace(**{k: fitted(given.get(k), x, f"{where}.{k}", own) for k, x in attributes})


def _leaf(d: Any, form: Leaf, where: str, own: bool) -> Any:
    if not form.moves:
        if d is not None:
            _refuse(where, _what(d), f"None, for {form},")
        return None
    if d is None:
        return arrays.module(form.type).zeros(form.shape, form.dtype) if form.array else form.type(0)
    x: Any = d
    number = type(d) in (int, float) or (type(d) is complex and form.dtype.kind == "c")
    if not (number and not form.shape) and (
        type(d) is not (form.type if form.array else np.ndarray) and not isinstance(d, np.generic)
        or x.shape != form.shape or x.dtype != form.dtype
    ):  # fmt: skip
        _refuse(where, _what(d), str(form))
    if form.type is np.ndarray:
        return np.array(d, form.dtype, copy=own or None)
    if form.array:
        made = arrays.module(form.type).asarray(d, form.dtype)
        return made.copy() if own and made is d else made
    return form.type(d if number else d[()])


def _what(x: Any) -> str:
    if isinstance(x, dict):
        return f"a dict with {', '.join(map(repr, x)) or 'no keys'}"
    if isinstance(x, Instance):
        return f"a {type(x).__name__} with {', '.join(x._fields) or 'no attributes'}"
    if is_object(x):
        return f"a {type(x).__name__} with {', '.join(attributes_of(x)) or 'no attributes'}"
    if isinstance(x, tuple | list):
        return f"a {type(x).__name__} of {len(x)}"
    return str(form_of(x))


def _refuse(where: str, got: str, wanted: str) -> NoReturn:
    raise GradientError(
        f"the cotangent{where and ' at ' + where} is {got}, where {wanted} is wanted: "
        "give it the structure, shapes and dtypes of the value"
    )
