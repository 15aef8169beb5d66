"""Which functions have a derivative: the table of `adc rules` and of docs/rules.md, from the registry of rules.

A function is counted by identity: `np.abs` and `np.absolute` are one. It is public if a module whose name has no
underscore before it has it under its own name, or NumPy's arrays have it as a method.
"""

import importlib
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompiler.frontend.calls import WRITERS
from adcompiler.frontend.structural import CONSTANTS, STRUCTURAL
from adcompiler.frontend.ufunc_methods import UFUNC_METHODS
from adcompiler.frontend.words import METHODS, method_remedy
from adcompiler.frontend.writers import METHODS as WRITING
from rules import Rule, find, find_method, registry
from rules.libraries import all_followed, definitions, hashable, home, is_followed, label, load_installed

#: The modules of a library whose functions compute with arrays of numbers, by what is looked for.
MODULES = {
    "numpy": "numpy numpy.linalg numpy.fft numpy.lib.scimath numpy.lib.stride_tricks".split(),
    "scipy": [
        f"scipy.{name}"
        for name in "cluster.hierarchy cluster.vq differentiate fft fftpack integrate interpolate linalg ndimage odr "
        "optimize signal signal.windows sparse sparse.csgraph sparse.linalg spatial spatial.distance special "
        "stats".split()
    ],
}
#: Those of NumPy that are not among them, and why.
ASIDE = {
    "numpy.char numpy.strings": "texts",
    "numpy.ma numpy.matlib numpy.rec": "arrays of classes with rules of their own, which are refused",
    "numpy.random": "draws, which are constants",
    "numpy.polynomial": "classes of polynomials; np.polyval and its kin have rules",
    "numpy.core numpy.ctypeslib numpy.dtypes numpy.exceptions numpy.f2py numpy.lib numpy.testing numpy.typing "
    "numpy.version": "no computations with arrays",
}
#: Methods of arrays that calls are lowered of as they stand, and how these are written.
LOWERED = {"ndarray.item": "item(*args)"}
PYTHON = frozenset({"builtins", "operator", "math", "functools", "itertools"})


@dataclass(frozen=True)
class Row:
    """What is known of one function: its name and how its rule is written.

    `reverse` are the arguments by which it has pullbacks. Where it has none, `word` says what it is: "followed" line by
    line, as a function of the user's, a "constant", or "refused", and then `why`. `rule` says which it is, and where.
    """

    name: str
    formula: str
    reverse: tuple[str, ...] = ()
    forward: bool = False
    word: str = ""
    why: str = ""
    rule: str = ""

    @property
    def library(self) -> str:
        """What the function is of: `numpy`, `scipy`, `python`, or the module itself of other libraries."""
        module = self.name.rpartition(".")[0]
        top = module.partition(".")[0]
        return "numpy" if module == "ndarray" else "python" if top in PYTHON else top


def table() -> list[Row]:
    """A row for each public function that the project has a rule for, or follows, by name."""
    rows: dict[Any, Row] = {}
    for rule in registry(installed=True):
        if not rule.where.startswith("rules."):
            continue  # a user's own
        for f in rule.functions:
            if (name := public_name(f)) and not _followed(f):
                rows[f] = _row(name, rule)
        for method in rule.methods:
            rows[method] = _row(method, rule)
    for f in (*STRUCTURAL, *all_followed(), *WRITERS):
        if f not in rows and (name := public_name(f)):
            rows[f] = Row(name, _call(f, name), word="constant" if f in CONSTANTS else "followed")
    for name, write in WRITING.items():
        parameters = list(inspect.signature(write).parameters)[2:]
        rows[f"ndarray.{name}"] = Row(f"ndarray.{name}", f"{name}({', '.join(parameters)})", word="followed")
    for name, lowered in UFUNC_METHODS.items():
        parameters = list(inspect.signature(lowered).parameters)[3:]
        rows[f"numpy.ufunc.{name}"] = Row(f"numpy.ufunc.{name}", f"{name}({', '.join(parameters)})", word="followed")
    rows |= {name: Row(name, formula, word="followed") for name, formula in LOWERED.items()}
    rows["numpy.ufunc.at"] = Row("numpy.ufunc.at", "at(a, indices, b)", word="followed")
    for name in METHODS[np.ndarray].keys() - WRITING.keys():
        if hasattr(np.ndarray, name):  # itemset is gone in NumPy 2
            why = method_remedy(np.ndarray, name, "a")
            rows[f"ndarray.{name}"] = Row(f"ndarray.{name}", f"{name}(...)", word="refused", why=why)
    return sorted(rows.values(), key=lambda row: row.name)


def _followed(f: Any) -> bool:
    """Is this lowered in a way of its own where it is called, though it has no derivative?"""
    rule = find(f)
    return (rule is None or not rule.pullbacks) and (f in STRUCTURAL or is_followed(f) or f in WRITERS)


def _row(name: str, rule: Rule) -> Row:
    starred = ["*" + p.name if p.star else p.name for p in rule.parameters]
    formula = f"{rule.result} = {rule.name}({', '.join(starred)})"
    word = "refused" if rule.why else "" if rule.differentiable and rule.pullbacks else "constant"
    if rule.why:
        formula = f"{name.rpartition('.')[2]}(...)"
    return Row(
        name, formula, tuple(rule.pullbacks), rule.pushforward is not None, word, rule.why, f"{rule.name} {rule.where}"
    )


def _call(f: Any, name: str) -> str:
    written = definitions(f)
    try:
        parameters = ", ".join(inspect.signature(written[-1] if written else f).parameters)
    except (TypeError, ValueError):
        parameters = "..."
    return f"{name.rpartition('.')[2]}({parameters})"


# -------------------------------------------------------------------------------------------------------- names
def public_name(f: Any) -> str:
    """The name by which users call a function, `numpy.tanh`; empty for what is the project's own."""
    module, name = home(f).removeprefix("_"), label(f)
    if module.partition(".")[0] == "rules":
        return ""
    if module.partition(".")[0] == "adcompiler":
        module = "adcompiler"
    for place in (module, "numpy", "numpy.rec"):  # NumPy's ufuncs do not always tell
        if _found(place, name) is f:
            return f"{place}.{name}"
    owner = getattr(f, "__self__", None)
    if isinstance(owner, types.ModuleType) or not inspect.ismethod(f):
        return ""
    return f"{module}.{name}" if "." in name else ""


def _found(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


# ------------------------------------------------------------------------------------------------------- missing
def modules_of(library: str) -> list[str]:
    """The modules that are looked through for a library, or the one that is named. Raises ImportError."""
    names = MODULES.get(library, [library])
    for name in names:
        importlib.import_module(name)
    return names


def public(module: str) -> dict[str, Callable[..., Any]]:
    """The functions of a module, by name: no classes, among them dtypes and exceptions."""
    names = getattr(sys.modules[module], "__all__", None) or dir(sys.modules[module])
    found = {name: getattr(sys.modules[module], name, None) for name in names if not name.startswith("_")}
    return {k: f for k, f in found.items() if callable(f) and not isinstance(f, type) and k != "test"}


def known(f: Any) -> bool:
    """Has a function a rule, a way of its own, no derivative, or a refusal with a reason?"""
    if not hashable(f) or find(f) is not None or is_followed(f) or f in STRUCTURAL or f in WRITERS:
        return True
    return any(getattr(method, "__self__", None) is f for rule in registry() for method in rule.functions)


def missing(library: str) -> Iterator[str]:
    """The public functions of a library of which nothing is known, and the methods of NumPy's arrays."""
    load_installed()
    for module in modules_of(library):
        for name, f in public(module).items():
            if not known(f):
                yield f"{module}.{name}"
    if library == "numpy":
        methods = (name for name in dir(np.ndarray) if not name.startswith("_"))
        for name in methods:
            told = find_method(f"ndarray.{name}") is not None or name in WRITING or name in METHODS[np.ndarray]
            if callable(getattr(np.ndarray, name)) and not told and f"ndarray.{name}" not in LOWERED:
                yield f"ndarray.{name}"


def within(rows: Iterable[Row], library: str) -> list[Row]:
    """The rows of a library, or of a module."""
    return [row for row in rows if row.library == library or row.name.startswith(library + ".")]


# ------------------------------------------------------------------------------------------------------ counting
@dataclass(frozen=True)
class Count:
    """How many distinct public functions of a library have what."""

    library: str
    reverse: int
    forward: int
    followed: int
    constant: int
    refused: int


def counted(rows: Iterable[Row]) -> list[Count]:
    """A count for each library, and their sum under the name "all"."""
    rows = list(rows)
    libraries = sorted({row.library for row in rows})
    return [_count(name, [r for r in rows if r.library == name]) for name in libraries] + [_count("all", rows)]


def _count(library: str, rows: list[Row]) -> Count:
    words = [row.word for row in rows]
    return Count(
        library,
        sum(bool(row.reverse) for row in rows),
        sum(row.forward for row in rows),
        *map(words.count, ("followed", "constant", "refused")),
    )
