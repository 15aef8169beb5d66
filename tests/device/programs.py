"""The cases of the tables of rules as functions to be compiled, and their arguments on the device."""

import itertools
import linecache
import types
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.rules.case import Case

_count = itertools.count()


@dataclass
class Program:
    """A function of arrays, made of a case: its arguments, and the places of those that it is differentiated by."""

    function: Any
    args: tuple[Any, ...]
    wrt: tuple[int, ...]


def program(case: Case) -> Program | None:
    """The call of a case as a function of the arrays in it; None where no array has a derivative."""
    rule = case.rule
    assert rule is not None
    bound = rule.bind(case.args, case.kwargs)
    constants: dict[str, Any] = {"np": np}
    args: list[Any] = []
    wrt: list[int] = []
    wanted = set(case.options["wrt"].split()) if "wrt" in case.options else set(rule.pullbacks)

    def written(x: Any, name: str) -> str:
        if isinstance(x, np.ndarray):
            if x.dtype.kind in "fc" and name in wanted:
                wrt.append(len(args))
            args.append(x)
            return f"x{len(args) - 1}"
        if type(x) in (list, tuple):
            items = "".join(written(v, name) + ", " for v in x)
            return f"[{items}]" if isinstance(x, list) else f"({items})"
        if isinstance(x, slice):
            return f"slice({written(x.start, name)}, {written(x.stop, name)}, {written(x.step, name)})"
        if x is None or type(x) in (bool, int, str) or (type(x) in (float, complex) and np.isfinite(x)):
            return repr(x)
        if type(x) is float:
            return {"inf": "np.inf", "-inf": "-np.inf"}.get(repr(x), "np.nan")
        constants[f"c{len(constants)}"] = x
        return f"c{len(constants) - 1}"

    names = {id(v): k for k, v in bound.items()}
    by_position = [p.name for p in rule.parameters if not p.star]
    star = next((p.name for p in rule.parameters if p.star), "")
    given = [written(x, by_position[k] if k < len(by_position) else star) if not star or k < len(by_position)
             else written(x, star) for k, x in enumerate(case.args)]  # fmt: skip
    named = [f"{k}={written(v, names.get(id(v), k))}" for k, v in case.kwargs.items()]
    if isinstance(case.function, str):
        owner, *rest = given
        method = case.function.removeprefix("ndarray.")
        called = callable(getattr(np.ndarray, method, None))
        text = f"{owner}.{method}" + (f"({', '.join([*rest, *named])})" if called else "")
    else:
        constants["function"] = case.function
        text = f"function({', '.join([*given, *named])})"
    if not wrt:
        return None
    source = f"def case({', '.join(f'x{k}' for k in range(len(args)))}):\n    return {text}\n"
    file = f"<case {next(_count)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    module = types.ModuleType("case")
    vars(module).update(constants)
    exec(compile(source, file, "exec"), vars(module))
    return Program(vars(module)["case"], tuple(args), tuple(wrt))
