"""The signature of arguments, in words: each axis has a name of its own, unless its length is 1."""

import itertools
from typing import Any

import numpy as np

from rules.kind import SHORT


class NoSignature(Exception):
    """Arguments whose kinds no signature tells."""


def signature_of(args: tuple[Any, ...]) -> str:
    """A signature for these arguments. Raises NoSignature for lists that are empty or of several kinds."""
    names = (f"n{i}" for i in itertools.count())

    def said(x: Any) -> str:
        if isinstance(x, np.ndarray):
            axes = ",".join("1" if n == 1 else next(names) for n in x.shape)
            return f"{SHORT[x.dtype.name]}[{axes or '()'}]"
        if isinstance(x, np.generic) and not isinstance(x, np.bool_):
            return SHORT[x.dtype.name]
        if isinstance(x, dict):
            return "{" + ", ".join(f"{k!r}: {said(v)}" for k, v in x.items()) + "}"
        if isinstance(x, tuple):
            return f"({''.join(said(v) + ', ' for v in x)})"
        if isinstance(x, list):
            return f"[{element(x)}]"
        return type(x).__name__ if type(x) in (int, float, complex) else repr(x)

    def element(items: list[Any]) -> str:
        kinds = {_form(x) for x in items}
        if len(kinds) != 1 or any(isinstance(x, list) for x in items):
            raise NoSignature
        return said(items[0])

    return ", ".join(map(said, args))


def _form(x: Any) -> Any:
    """What elements of one list have in common."""
    if isinstance(x, np.ndarray):
        return x.dtype, tuple(n == 1 for n in x.shape)
    if isinstance(x, tuple):
        return tuple(map(_form, x))
    if isinstance(x, dict):
        return tuple((k, _form(v)) for k, v in x.items())
    return type(x)
