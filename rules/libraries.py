"""Libraries that need not be installed: their rules are imported when a function of theirs is first met."""

import importlib
import importlib.util
import sys
from typing import Any

import numpy as np

#: The module of the rules of a library, and those modules of the library that have ufuncs, which do not tell where
#: they are from.
_RULES = {"scipy": "rules.scipy"}
_UFUNCS = ("scipy.special",)
_loaded = set[str]()


def home(function: Any) -> str:
    """The public module that a function is imported from, `"scipy.special"`; empty where it does not tell."""
    name = getattr(function, "__module__", None) or ""
    label = getattr(function, "__name__", "")
    if not name and isinstance(function, np.ufunc):
        return next((m for m in _UFUNCS if getattr(sys.modules.get(m), label, None) is function), "")
    if name.partition(".")[0] not in _RULES:
        return name
    parts = name.split(".")
    public = ".".join(parts[: next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))])
    return public if getattr(sys.modules.get(public), label, None) is function else name


def load_for(function: Any) -> bool:
    """Import the rules of the library that a function is from, if that has some: was it done just now?"""
    if len(_loaded) == len(_RULES):
        return False
    library = home(function).partition(".")[0]
    return library in _RULES and _load(library)


def load_installed() -> None:
    """Import the rules of each library that is installed."""
    for library in _RULES:
        if importlib.util.find_spec(library) is not None:
            _load(library)


def _load(library: str) -> bool:
    if library in _loaded:
        return False
    importlib.import_module(_RULES[library])
    _loaded.add(library)
    return True
