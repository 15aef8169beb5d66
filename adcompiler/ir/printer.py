"""The text of the IR, readable beside the source: what `adc show-ir` prints."""

import sys
from collections import Counter
from typing import Any

import numpy as np

from adcompiler.ir.core import Checkpoint, For, Function, If, Loc, Op, Region, Value, While
from rules.libraries import home, label

INFIX = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@", "floordiv": "//", "mod": "%",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip


def target_name(target: Any) -> str:
    """How the callable of an operation is called in text: `np.tanh`, `multiply.d_x`, `zeros_like`."""
    own = getattr(target, "__adc_name__", None)
    if own:
        return str(own)
    place = getattr(target, "__module__", "") or ""
    module = place.split(".")[0]
    name = getattr(target, "__qualname__", getattr(target, "__name__", str(target)))
    owner = getattr(target, "__self__", None)
    if type(owner).__name__ == "ufunc":
        return f"{target_name(owner)}.{target.__name__}"
    if place in ("numpy.linalg", "numpy.fft"):
        return f"np.{place.removeprefix('numpy.')}.{name}"
    if home(target).startswith("scipy."):
        return f"{home(target).removeprefix('scipy.')}.{label(target) or type(target).__name__}"
    if module == "numpy" and "." in place:
        return _in_numpy(target, place.split("."), name)
    if module == "numpy" or type(target).__name__ == "ufunc":
        return f"np.{name}"
    if place == "random":
        return f"random.{name.rpartition('.')[2]}"
    if module == "math":
        return f"math.{name}"
    return str(name)


def _in_numpy(target: Any, place: list[str], name: str) -> str:
    """How a function of a module of NumPy is written: `np.emath.sqrt`, behind the shortest module that has it."""
    method = name.rpartition(".")[2]
    if getattr(getattr(np.random, method, None), "__func__", None) is target:
        return f"np.random.{method}"  # of the generator that NumPy has
    public = ["np", *(part for part in place[1:] if not part.startswith("_"))]
    for k in range(1, len(place) + 1):
        found: Any = sys.modules.get(".".join(place[:k]))
        for part in name.split("."):
            found = vars(found).get(part) if hasattr(found, "__dict__") else None
        if found is target:
            public = ["np", *place[1:k]]
            break
    return f"{'.'.join(public)}.{name}".replace("np.lib.scimath.", "np.emath.")


class _Printer:
    def __init__(self) -> None:
        self.names: dict[Value, str] = {}
        self.taken: Counter[str] = Counter()
        self.lines: list[tuple[int, str, Loc | None]] = []

    def name(self, v: Value) -> str:
        if v not in self.names:
            base = v.hint or "t"
            self.taken[base] += 1
            n = self.taken[base]
            self.names[v] = f"%{base}" if n == 1 and v.hint else f"%{base}.{n}"
        return self.names[v]

    def tree(self, x: Any) -> str:
        if isinstance(x, Value):
            return self.name(x)
        if isinstance(x, tuple) and hasattr(x, "__adc_name__"):
            return str(x.__adc_name__)
        if hasattr(x, "callee"):
            return f"{x.callee.name}({', '.join(['..', *map(self.tree, x.around)])})"
        if isinstance(x, tuple):
            return "(" + ", ".join(map(self.tree, x)) + ("," if len(x) == 1 else "") + ")"
        if isinstance(x, list):
            return "[" + ", ".join(map(self.tree, x)) + "]"
        if isinstance(x, dict):
            return "{" + ", ".join(f"{k!r}: {self.tree(v)}" for k, v in x.items()) + "}"
        if isinstance(x, slice):
            start, stop, step = ("" if y is None else self.tree(y) for y in (x.start, x.stop, x.step))
            return f"{start}:{stop}" + (f":{step}" if step else "")
        if callable(x) and not isinstance(x, type):
            return target_name(x)
        return getattr(x, "__name__", None) or repr(x)

    def call(self, op: Op) -> str:
        name = target_name(op.target)
        if name in INFIX and len(op.args) == 2 and not op.kwargs:
            return f"{self.tree(op.args[0])} {INFIX[name]} {self.tree(op.args[1])}"
        if name == "neg":
            return f"-{self.tree(op.args[0])}"
        if name == "getitem":
            index = op.args[1]
            inner = self.tree(index)
            return (
                f"{self.tree(op.args[0])}[{inner[1:-1].rstrip(',') if isinstance(index, tuple) and index else inner}]"
            )
        args = [self.tree(a) for a in op.args] + [f"{k}={self.tree(v)}" for k, v in op.kwargs.items()]
        return f"{name}({', '.join(args)})"

    def defs(self, values: list[Value]) -> str:
        return ", ".join(f"{self.name(v)}: {v.kind}" for v in values)

    def region(self, region: Region, depth: int, end: str = "yield", stop: bool = False) -> None:
        for op in region.ops:
            self.op(op, depth)
        results = [self.tree(r) for r in region.results]
        last = [f"stop if {results.pop()}"] if stop else []
        if results or last:
            self.lines.append((depth, "; ".join([f"{end} " + ", ".join(results)] * bool(results) + last), None))

    def op(self, op: Op, depth: int) -> None:
        head = f"{self.defs(op.results)} = " if op.results else ""
        if isinstance(op, If):
            self.lines.append((depth, f"{head}if {self.tree(op.cond)} {{", op.loc))
            self.region(op.then, depth + 1)
            if op.orelse.ops or op.orelse.results:
                self.lines.append((depth, "} else {", None))
                self.region(op.orelse, depth + 1)
            self.lines.append((depth, "}", None))
        elif isinstance(op, For):
            scans = ", ".join(
                f"{self.name(e)}: {e.kind} in {self.tree(s)}" for e, s in zip(op.elements, op.sequences, strict=True)
            )
            carries = ", ".join(
                f"{self.name(p)}: {p.kind} = {self.tree(i)}" for p, i in zip(op.carried, op.inits, strict=True)
            )
            self.lines.append((depth, f"{head}for {scans}; {carries} {{".replace("; {", " {"), op.loc))
            self.region(op.body, depth + 1, stop=op.stop)
            self.lines.append((depth, "}", None))
        elif isinstance(op, While):
            carries = ", ".join(
                f"{self.name(p)}: {p.kind} = {self.tree(i)}" for p, i in zip(op.carried, op.inits, strict=True)
            )
            for p, q in zip(op.test.params, op.carried, strict=True):
                self.names[p] = self.name(q)
            self.lines.append((depth, f"{head}while {carries} {{", op.loc))
            self.region(op.test, depth + 1, "while")
            self.lines.append((depth, "} do {", None))
            self.region(op.body, depth + 1, stop=op.stop)
            self.lines.append((depth, "}", None))
        elif isinstance(op, Checkpoint):
            self.lines.append((depth, f"{head}checkpoint {{", op.loc))
            self.region(op.body, depth + 1)
            self.lines.append((depth, "}", None))
        else:
            self.lines.append((depth, f"{head}{'lazy ' if op.lazy else ''}{self.call(op)}", op.loc))


def show(function: Function, marked: set[Value] | None = None) -> str:
    """The text of a function. `marked` values (the active ones) are shown with a star after their names."""
    printer = _Printer()
    if marked:
        plain = printer.name
        printer.name = lambda v: plain(v) + ("*" if v in marked else "")  # type: ignore[method-assign]
    params = printer.defs(function.params)
    printer.region(function.body, 1, "return")
    out = [f"function {function.name}({params}) {{"]
    last: tuple[str, int] | None = None
    for depth, text, loc in printer.lines:
        line = "  " * depth + text
        if loc is not None and (loc.file, loc.line) != last:
            line = f"{line:<70}  # line {loc.line}"
            last = (loc.file, loc.line)
        out.append(line)
    return "\n".join([*out, "}"]) + "\n"
