"""The libraries whose arrays are followed: NumPy, and those that have its functions under the same names.

CuPy is one where the program has imported it; others are registered. What a rule is written with asks its arguments
whose they are: `np.sin(x)`, and `np.zeros(n, like=device(x))` for what would not ask.
"""

import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(eq=False)
class Library:
    """A library of arrays besides NumPy: its module, what that is imported as, and the class of its arrays.

    `special` names the module of its forms of the functions of `scipy.special`, if it has some.
    """

    name: str
    module: Any
    alias: str
    array: type
    special: str = ""
    #: NumPy's function of the same name for each of its own, which come first, by identity.
    twins: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def own(self, function: Any) -> Any:
        """Its function of the same name as one of NumPy, or as a ufunc of `scipy.special`; None if it has none."""
        path = _paths().get(id(function))
        if path is not None:
            return _follow(self.module, path)
        name = getattr(function, "__name__", "")
        if self.special and isinstance(function, np.ufunc):
            if getattr(sys.modules.get("scipy.special"), name, None) is function:
                return getattr(sys.modules.get(self.special), name, None)
        return None

    def twin(self, function: Any) -> Any:
        """NumPy's or SciPy's function of the same name as one of its own; None of others."""
        if not self.twins:
            for path, theirs in _numpy():
                own = _follow(self.module, path)
                if own is not None and own is not theirs:
                    self.twins.setdefault(id(own), (own, theirs))
        own, theirs = self.twins.get(id(function), (None, None))
        if theirs is not None and own is function:
            return theirs
        name = getattr(function, "__name__", "")
        if self.special and name and getattr(sys.modules.get(self.special), name, None) is function:
            theirs = getattr(sys.modules.get("scipy.special"), name, None)
            return theirs if isinstance(theirs, np.ufunc) else None
        return None


#: Those that are looked for: what their modules are imported as, and which of these has special functions.
_KNOWN = {"cupy": ("cp", "cupyx.scipy.special")}
_libraries: dict[str, Library] = {}
#: The library of an array by its class, an empty text for classes of all else.
_classes: dict[type, str] = {np.ndarray: "numpy", np.memmap: "numpy"}


def register(name: str, module: Any, alias: str, special: str = "") -> None:
    """Follow the arrays of a library that has NumPy's functions under the same names."""
    _libraries[name] = Library(name, module, alias, module.ndarray, special)
    _classes[module.ndarray] = name


def get(name: str) -> Library | None:
    """The library of this name, if the program has imported it; None of NumPy."""
    if name not in _libraries and name in _KNOWN and hasattr(sys.modules.get(name), "ndarray"):
        register(name, sys.modules[name], *_KNOWN[name])
    return _libraries.get(name)


# ------------------------------------------------------------------------------------------------- arrays
def library(cls: type) -> str:
    """The library whose arrays are of this class; an empty text for all other classes."""
    try:
        return _classes[cls]
    except KeyError:
        made = get(cls.__module__.partition(".")[0])
        _classes[cls] = made.name if made is not None and cls is made.array else ""
        return _classes[cls]


def library_of(x: Any) -> str:
    """The library of an array of exactly its class; an empty text for all else."""
    return library(type(x))


def is_array(x: Any) -> bool:
    """Is it an array of NumPy, or of a library that is followed?"""
    return isinstance(x, np.ndarray) or bool(library(type(x)))


def on_device(x: Any) -> bool:
    """Is it an array of another library than NumPy, or what stands for one in a trace?"""
    if isinstance(x, np.ndarray | np.generic | float | int):
        return False
    return bool(library(type(x))) or getattr(x, "xp", "numpy") != "numpy"


def device(x: Any) -> Any:
    """What is given as `like=` to a function that makes an array, which is to be of the library of `x`."""
    return x if on_device(x) else None


def as_array(x: Any, like: Any, dtype: Any = None) -> Any:
    """`np.asarray`, by the library of the array `like`."""
    return np.asarray(x, dtype, like=like) if on_device(like) else np.asarray(x, dtype)


def module(cls: type) -> Any:
    """The module of the library whose arrays are of this class: NumPy, but for arrays of others."""
    made = get(library(cls))
    return np if made is None else made.module


# ---------------------------------------------------------------------------------------------- functions
def twin(function: Any) -> tuple[str, Any] | None:
    """The library that a function is of, and NumPy's or SciPy's of the same name; None of other functions."""
    for name in _KNOWN:
        get(name)
    for made in _libraries.values():
        if (found := made.twin(function)) is not None:
            return made.name, found
    return None


def chooser(function: Any) -> Any:
    """The module of the library whose `get_array_module` this is; None of other functions."""
    found = (m.module for m in _libraries.values() if getattr(m.module, "get_array_module", None) is function)
    return next(found, None) if callable(function) else None


def spelled(function: Any) -> tuple[str, Any, str] | None:
    """How a function of a library is written: what its module is imported as, that, and the name; None of others."""
    found = twin(function)
    if found is None:
        return None
    made, path = _libraries[found[0]], _paths().get(id(found[1]))
    if path is not None:
        return made.alias, made.module, path
    return made.special.rpartition(".")[2], sys.modules[made.special], function.__name__


def lacks(function: Any, name: str) -> tuple[str, str] | None:
    """Why there is no form of a function for the arrays of a library, and what to do; None where there is one."""
    made = get(name)
    assert made is not None
    label = getattr(function, "__name__", str(function))
    way_out = f"convert them, {made.alias}.asnumpy(x), or call it outside"
    if _of_scipy(function):
        return f"what SciPy computes here has no form for arrays of {name}", way_out
    if isinstance(function, type) and issubclass(function, np.generic):
        return f"{label} makes a number of the host", f"write x.astype(np.{label})"
    if isinstance(function, types.MethodDescriptorType | types.GetSetDescriptorType):
        there = hasattr(made.array, label)
    else:
        there = not _is_library(function) or made.own(function) is not None
    if there:
        return None
    return f"{label} has no form for arrays of {name}", way_out


def _of_scipy(function: Any) -> bool:
    """Is it a function of the rules that runs SciPy on the host? Those for its special functions do not."""
    home = getattr(function, "__module__", None) or ""
    return home.startswith("rules.scipy.") and not home.startswith("rules.scipy.special")


def _is_library(function: Any) -> bool:
    """Is it a function of NumPy or SciPy?"""
    home = "numpy" if isinstance(function, np.ufunc) else getattr(function, "__module__", None) or ""
    return not isinstance(function, type) and home.partition(".")[0] in ("numpy", "scipy")


_path_of: dict[int, str] = {}


def _paths() -> dict[int, str]:
    """Where each function of NumPy is found, by identity: under its own name, if it has several."""
    if not _path_of:
        for path, function in _numpy():
            if path.rpartition(".")[2] == function.__name__ or id(function) not in _path_of:
                _path_of[id(function)] = path
    return _path_of


def _numpy() -> Iterator[tuple[str, Any]]:
    """The functions of NumPy, with where they are found."""
    for prefix, home in (("", np), ("linalg.", np.linalg), ("fft.", np.fft)):
        for name, function in vars(home).items():
            if callable(function) and hasattr(function, "__name__") and not isinstance(function, type):
                yield prefix + name, function


def _follow(x: Any, path: str) -> Any:
    for part in path.split("."):
        x = getattr(x, part, None)
    return x
