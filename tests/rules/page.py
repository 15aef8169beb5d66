"""Writes docs/rules.md: what has a derivative, from the registry of rules and the cases by which they are checked."""

import itertools
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import scipy

from adcompiler.coverage import ASIDE, Row, counted, table
from rules.checked_kind import kind_of_call
from rules.samples import arrays, finite, forms
from rules.testing import _Check
from tests.rules.case import Case, tables

PATH = Path(__file__).parents[2] / "docs" / "rules.md"
#: The versions of which the page tells: others have more functions, or fewer.
VERSIONS = f"NumPy {np.__version__.rpartition('.')[0]} and SciPy {scipy.__version__.rpartition('.')[0]}"

HEAD = f"""# What has a derivative

<!-- written by `make golden`, from the rules and their cases: do not edit -->

The functions that may stand in a program which is differentiated, with {VERSIONS}. Each of the first table
has a rule: it can be differentiated by the arguments that are named, in reverse mode and in forward mode, to any order,
with numbers and arrays of every float dtype, and where it says so with complex ones. What is *followed* is
differentiated as if it stood there in Python. A *constant* has a derivative of zero. What is *refused* stops
compilation where a derivative would flow through it, with the reason. `adc rules tanh` looks a name up,
`adc rules --missing scipy.special` lists what has no derivative; [custom_rules.md](custom_rules.md) says how to give a
function of your own one, [conventions.md](conventions.md) what derivatives are at kinks and poles.

Arguments go by the names of the table, and those that stand in it alone: another keyword is refused. `out=` of any of
NumPy's functions stores what it gives. A name stands for all its aliases: `numpy.absolute` for `np.abs`, too.

```python
>>> import numpy as np
>>> from rules import find
>>> rule = find(np.hypot)
>>> list(rule.pullbacks), rule.pushforward is not None
(['x', 'y'], True)
>>> find(np.abs) is find(np.absolute)
True
>>> find(np.unique).why
'which elements there are changes by jumps; find the positions outside of what is differentiated, then index'

```
"""


def page() -> str:
    """The text of docs/rules.md, as the registry has it now."""
    rows = table()
    parts = [HEAD, *_counts(rows), "## With a rule\n"]
    differentiable = [row for row in rows if row.reverse]
    complex_ones = _complex()
    for title, of in itertools.groupby(sorted(differentiable, key=_place), key=_title):
        parts += [f"### {title}\n", *_differentiable(list(of), complex_ones)]
    parts += ["## Followed\n", _list(row.name for row in rows if row.word == "followed")]
    parts += ["## Constants\n", _list(row.name for row in rows if row.word == "constant")]
    parts += ["## Refused\n", *_refused(rows)]
    return "\n".join(parts)


def _counts(rows: list[Row]) -> list[str]:
    lines = ["| | reverse | forward | followed | constant | refused |", "|---|---|---|---|---|---|"]
    for each in counted(rows):
        numbers = each.reverse, each.forward, each.followed, each.constant, each.refused
        lines.append(f"| {each.library} | {' | '.join(map(str, numbers))} |")
    return [*lines, ""]


def _title(row: Row) -> str:
    module = row.name.rpartition(".")[0]
    for of in ("ndarray", "scipy.stats"):
        if module.startswith(of):
            return {"ndarray": "Methods and attributes of arrays"}.get(of, of)
    return module


def _place(row: Row) -> tuple[int, str, str]:
    order = ("numpy", "ndarray", "builtins", "math", "operator", "scipy")
    return order.index(row.name.partition(".")[0]), _title(row), row.name


def _complex() -> set[str]:
    """The rules that a case checks with complex arguments, as rows name them."""
    cases = [case for _, table in tables() for case in table]
    found: set[str] = set()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for case in cases:
            assert case.rule is not None
            name = f"{case.rule.name} {case.rule.where}"
            if name not in found and case.rule.pullbacks and _takes_complex(case):
                found.add(name)
    return found


def _takes_complex(case: Case) -> bool:
    rule, options = case.rule, case.options
    assert rule is not None
    if not options.get("complex", True) or "complex" in options.get("skip", ""):
        return False
    bound = rule.bind(case.args, case.kwargs)
    active = set(options["wrt"].split()) if "wrt" in options else {k for k in bound if k in rule.pullbacks}
    if any(np.iscomplexobj(a) for a in arrays({k: bound[k] for k in active})):
        return True
    check = _Check(case.function, rule, frozenset(active), 1, 0.0)
    form = next((form for name, form in forms(bound, active) if name == "complex"), {})
    if not any(map(np.iscomplexobj, arrays({k: form.get(k) for k in active}))):
        return False
    try:
        result = check.primal(form)
        kind_of_call(case.function, rule, form, result)
    except Exception:  # the function refuses it, or the rule
        return False
    return finite(result)


def _differentiable(rows: list[Row], complex_ones: set[str]) -> list[str]:
    lines = ["| function | arguments | derivative by | complex |", "|---|---|---|---|"]
    for names, row in _grouped(rows):
        arguments = row.formula.partition("(")[2].removesuffix(")")
        yes = "yes" if row.rule in complex_ones else ""
        lines.append(f"| {names} | {arguments.replace('*', chr(92) + '*')} | {', '.join(row.reverse)} | {yes} |")
    return [*lines, ""]


def _grouped(rows: list[Row]) -> Iterator[tuple[str, Row]]:
    """Methods of one distribution that have the same arguments are one row."""
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        owner, _, name = row.name.rpartition(".")
        several = owner.startswith("scipy.stats.")
        groups[owner, "" if several else name, row.formula.partition("(")[2], *row.reverse].append(row)
    for (owner, *_), of in groups.items():
        name = owner.removeprefix("scipy.stats.") + ": " if owner.startswith("scipy.stats.") else ""
        yield name + ", ".join(f"`{row.name.rpartition('.')[2]}`" for row in of), of[0]


def _list(names: Iterable[str]) -> str:
    """Names by their module, a paragraph each."""
    by: dict[str, list[str]] = defaultdict(list)
    for name in names:
        module, _, short = name.rpartition(".")
        by[module].append(f"`{short}`")
    return "\n\n".join(_filled(f"{module}: {', '.join(of)}") for module, of in by.items()) + "\n"


def _refused(rows: list[Row]) -> list[str]:
    by: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.word == "refused":
            by[row.why].append(row.name)
    lines = ["| function | why |", "|---|---|"]
    lines += [f"| {', '.join(f'`{name}`' for name in names)} | {why} |" for why, names in by.items()]
    lines += ["", "Not looked through, as no derivative flows through what is there:", ""]
    lines += [f"- {', '.join(f'`{m}`' for m in modules.split())}: {why}" for modules, why in ASIDE.items()]
    return [*lines, ""]


def _filled(text: str, width: int = 120) -> str:
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)
