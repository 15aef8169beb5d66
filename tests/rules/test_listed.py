"""How many functions have a derivative, counted by identity against the list in `differentiable.txt`; docs/rules.md."""

import importlib
from typing import Any

from tests.rules import page
from tests.rules.listed import PATH, REFRESH, lines, modes


def found(name: str) -> Any:
    """The object of that name, as a user would come by it; None where this version of a library has none."""
    parts = name.split(".")
    if parts[0] == "ndarray":
        parts = ["numpy", *parts]
    for n in range(len(parts) - 1, 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:n]))
        except ImportError:
            continue
        for part in parts[n:]:
            thing = getattr(thing, part, None)
        return thing
    return None


#: Older versions of NumPy and SciPy have not all of them.
LISTED = [line for line in PATH.read_text().splitlines() if found(line.partition(":")[0]) is not None]


def test_no_function_loses_a_mode() -> None:
    now = modes(lines())
    lost = {name: missing for name, had in modes(LISTED).items() if (missing := had - now.get(name, set()))}
    assert not lost, f"if it is meant, write the list anew: {REFRESH}"


def test_the_list_has_every_function() -> None:
    assert sorted(LISTED) == sorted(lines()), f"write the list anew: {REFRESH}"


def test_there_are_as_many_functions_as_is_said() -> None:
    """At least 320 have reverse rules and 300 forward ones, and none is counted twice for another name of it."""
    of = modes(LISTED)
    things = {name: found(name) for name in of}
    for mode, least in (("reverse", 320), ("forward", 300)):
        having = [name for name, has in of.items() if any(m.startswith(mode) for m in has)]
        names = [name for name in having if callable(things[name])]
        assert {*having} - {*names} == {"ndarray.T", "ndarray.mT", "ndarray.real", "ndarray.imag"}
        distinct = {things[name] for name in names}
        assert len(distinct) == len(names) >= least


def test_the_page_of_rules_is_as_it_is_written_now() -> None:
    text, now = page.PATH.read_text(encoding="utf-8"), page.page()
    if page.VERSIONS not in text:  # other versions of NumPy and SciPy have other functions, in the same sections
        text, now = ("\n".join(line for line in x.splitlines() if line.startswith("#")) for x in (text, now))
    assert text == now, f"write it anew: {REFRESH}"
