"""Libraries that need not be installed: their rules are imported when a function of theirs is first met."""

import importlib
import importlib.util
import sys
from typing import Any

import numpy as np

#: The modules of rules, by the modules whose functions they serve.
_RULES = {f"scipy.{name}": f"rules.scipy.{name}" for name in ("special", "linalg", "fft")}
_LIBRARIES = frozenset(module.partition(".")[0] for module in _RULES)
#: Those that have ufuncs, which do not tell where they are from.
_UFUNCS = ("scipy.special",)
_loaded = set[str]()


def home(function: Any) -> str:
    """The public module that a function is imported from, `"scipy.special"`; empty where it does not tell."""
    name = getattr(function, "__module__", None) or ""
    label = getattr(function, "__name__", "")
    if not name and isinstance(function, np.ufunc):
        return next((m for m in _UFUNCS if getattr(sys.modules.get(m), label, None) is function), "")
    if name.partition(".")[0] not in _LIBRARIES:
        return name
    parts = name.split(".")
    public = ".".join(parts[: next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))])
    return public if getattr(sys.modules.get(public), label, None) is function else name


def load_for(function: Any) -> bool:
    """Import the rules of the module that a function is from, if that has some: was it done just now?"""
    return len(_loaded) < len(_RULES) and _load(home(function))


def load_installed() -> None:
    """Import the rules of each library that is installed."""
    for module in _RULES:
        if importlib.util.find_spec(module.partition(".")[0]) is not None:
            _load(module)


def _load(module: str) -> bool:
    if module not in _RULES or module in _loaded:
        return False
    importlib.import_module(_RULES[module])
    _loaded.add(module)
    return True
