"""Libraries that need not be installed: their rules are imported when a function of theirs is first met."""

import importlib
import importlib.util
import inspect
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

_MODULES = ("special", "linalg", "fft", "stats", "signal", "signal.windows", "ndimage", "integrate", "spatial.distance",
            "interpolate", "optimize", "sparse", "sparse.linalg")  # fmt: skip
#: The modules of rules, by the modules whose functions they serve.
_RULES = {f"scipy.{name}": f"rules.scipy.{name}" for name in _MODULES}
_LIBRARIES = frozenset(module.partition(".")[0] for module in _RULES)
#: Those that have ufuncs, which do not tell where they are from.
_UFUNCS = ("scipy.special",)
#: Those that have classes which say that they are Python's own.
_CLASSES = ("scipy.sparse.linalg",)
#: The name, among the operations of a class, of what makes of an object one that stands for it.
TAKEN_APART = "taken apart"
#: Those that have functions of private modules elsewhere.
_SHARED = ("scipy.sparse",)
_loaded = set[str]()
#: The functions that stand for operations of an object, which they take first: by its class, and their names.
_operations: dict[tuple[type, str], Callable[..., Any]] = {}
#: The classes that stand for those of a library where these are followed.
_stand_ins: dict[type, type] = {}
#: The Python functions that are followed in place of others.
_followed: dict[Any, list[Callable[..., Any]]] = {}


def home(function: Any) -> str:
    """The public module that a function is imported from, `"scipy.special"`; empty where it does not tell."""
    name = getattr(function, "__module__", None) or ""
    if not name and isinstance(function, np.ufunc):
        return next((m for m in _UFUNCS if _has(m, function)), "")
    if name == "builtins" and isinstance(function, type):
        return next((m for m in _CLASSES if _has(m, function)), name)
    if name.partition(".")[0] not in _LIBRARIES:
        return name
    if name.startswith("scipy._"):
        return next((m for m in _SHARED if _has(m, function)), name)
    parts = name.split(".")
    public = ".".join(parts[: next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))])
    return public if _has(public, function) else name


def label(function: Any) -> str:
    """How a function is written behind its module: `gamma`; `norm.logpdf`, if it is a method of an object there."""
    if isinstance(function, types.MethodType):
        owner = _called(function.__self__)
        return f"{owner}.{function.__name__}" if owner else function.__name__
    return getattr(function, "__name__", "") or _called(function)


def _called(x: Any) -> str:
    """The name of an object among those of its module, empty if it is not there: of a distribution."""
    public = sys.modules.get("scipy.stats") if type(x).__module__.startswith("scipy.stats.") else None
    return next((name for name, other in vars(public).items() if other is x), "") if public else ""


def _has(module: str, function: Any) -> bool:
    found: Any = sys.modules.get(module)
    for part in label(function).split("."):
        found = getattr(found, part, None)
    return bool(found == function)  # a method is made anew whenever it is read


def is_distribution(x: Any) -> bool:
    """Is this a distribution of `scipy.stats`, without parameters in it?"""
    return type(x).__module__.startswith("scipy.stats.") and bool(_called(x)) and hasattr(x, "rvs")


def distribution_of(frozen: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
    """The distribution of one variable that a frozen one has been made of, and its parameters; None of others."""
    if not type(frozen).__module__.startswith("scipy.stats.") or not hasattr(frozen, "dist"):
        return None
    made: Any = frozen.dist
    public: Any = getattr(sys.modules["scipy.stats"], made.name or "", None)
    if type(public) is not type(made) or (public.a, public.b) != (made.a, made.b):
        return None
    return public, frozen.args, frozen.kwds


def load_for(function: Any) -> bool:
    """Import the rules of the module that a function is from, if that has some: was it done just now?"""
    return len(_loaded) < len(_RULES) and _load(home(function))


def operations(cls: type, **functions: Callable[..., Any]) -> None:
    """Declare which functions, with rules, stand for methods and operators of the objects of a class."""
    _operations.update({(cls, name): f for name, f in functions.items()})


def follow(function: Callable[..., Any], *others: Callable[..., Any]) -> None:
    """Declare the Python function that is followed line by line where one of the others, of a library, is called.

    Of several for one, the first is followed that has such arguments. In place of a class, it returns what is called in
    place of the object.
    """
    for other in others:
        _followed.setdefault(other, []).append(function)


def stands_for(cls: type, other: type) -> None:
    """Declare that the objects of a class are followed, attribute by attribute, in place of those of a library."""
    _stand_ins[cls] = other


def taken_apart(x: Any) -> Callable[..., Any] | None:
    """The function that is followed to make, of a known object, one that stands for it; None where there is none."""
    return operation(x, TAKEN_APART)


def original(cls: type) -> type | None:
    """The class of a library that a class stands for; None for others."""
    return _stand_ins.get(cls)


def followed(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any] | None:
    """What is followed where a function of a library is called so, or a class; None where that is not known."""
    load_for(function)
    return fitting(definitions(function), args, kwargs)


def is_followed(function: Any) -> bool:
    """Is anything followed where a function of a library is called?"""
    load_for(function)
    return hashable(function) and function in _followed


def all_followed() -> list[Callable[..., Any]]:
    """The functions and classes of libraries in place of which others are followed, of what has been met."""
    return list(_followed)


def definitions(function: Any) -> list[Callable[..., Any]]:
    """What is followed where a function of a library is called, for different arguments."""
    return _followed.get(function, []) if hashable(function) else []


def fitting(
    definitions: Iterable[Callable[..., Any]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[..., Any] | None:
    """The first definition that has such arguments; None if there is none."""
    for definition in definitions:
        try:
            inspect.signature(definition).bind(*args, **kwargs)
        except TypeError:
            continue
        return definition
    return None


def hashable(x: Any) -> bool:
    """Can this be looked up in a table?"""
    try:
        hash(x)
    except TypeError:
        return False
    return True


def operation(x: Any, name: str) -> Callable[..., Any] | None:
    """The function that stands for a method or an operator of an object; None where it is not known."""
    load_for(type(x))
    return next((_operations[c, name] for c in type(x).__mro__ if (c, name) in _operations), None)


def load_installed() -> None:
    """Import the rules of each library that is installed."""
    for module in _RULES:
        if importlib.util.find_spec(module.partition(".")[0]) is not None:
            _load(module)


def load_imported() -> None:
    """Import the rules of what the program has imported of the libraries: no other function of theirs can be met."""
    for module in set(_RULES) & set(sys.modules):
        _load(module)


def _load(module: str) -> bool:
    if module not in _RULES or module in _loaded:
        return False
    importlib.import_module(_RULES[module])
    _loaded.add(module)
    return True
