"""The state of one generation, and how a production is chosen: by weight, and undone if it does not apply."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from .kinds import NOBODY, Array, Dim, Dims, Expr, Kind, shortest
from .scope import Scope, Signature, Variable, places

MODULE = ("GRID", "TABLE", "PICK")

T = TypeVar("T")
Table = list[tuple[float, Callable[..., Any]]]

HINTS = (
    "x",
    "y",
    "z",
    "u",
    "v",
    "w",
    "h",
    "r",
    "s",
    "t",
    "a",
    "b",
    "c",
    "state",
    "total",
    "mean",
    "row",
    "out",
)


def production(table: Table, weight: float) -> Callable[[T], T]:
    """Add the decorated function to a table of productions.

    A production returns None where it does not apply; whatever it emitted or marked is then taken back. In which order
    the modules are imported makes no difference to what is chosen.
    """

    def add(function: T) -> T:
        table.append((weight, function))  # type: ignore[arg-type]
        table.sort(key=lambda entry: (entry[1].__module__, entry[1].__qualname__))
        return function

    return add


class Generator:
    """Random choices, the scope, the text so far and the constructs it uses."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.features: set[str] = set()
        self.scattered: set[str] = set()  # what surely holds no two equal elements
        self.views: set[str] = set()  # names of views
        self.reserved: set[str] = set()  # names of functions of the module
        self.scope = Scope()
        self.block: list[str] = []
        self.preamble: list[str] = []
        self.module_functions: dict[str, Signature] = {}
        self.blueprints: dict[str, Any] = {}  # classes of the module by name
        self.outside: set[str] = set()  # names of objects of the module, which no program changes
        self.objects = False  # does it have objects, functions as values, handlers and the like?
        self.marks: list[str] = []
        self.depth = 0  # of nested blocks
        self.loops = 0  # of nested loops
        self.functions = 0  # of nested function bodies
        self.leaving: tuple[str, ...] = ()  # how the loop around may be left early
        self.trips = 1  # at most so many runs of the current statement
        self._taken: set[str] = set()
        self._swarm: dict[str, float] = {}

    # choices

    def pick(self, options: Any) -> Any:
        """One of the options."""
        return self.rng.choice(list(options))

    def chance(self, probability: float) -> bool:
        """True that often."""
        return self.rng.random() < probability

    def shuffled(self, items: list[T]) -> list[T]:
        """The items in another order."""
        return self.rng.sample(items, len(items))

    def weight(self, base: float, function: Callable[..., Any]) -> float:
        """The weight of a production in this program: each program favours some and lacks others."""
        name = function.__name__
        if name not in self._swarm:
            self._swarm[name] = self.rng.choice((0.0, 0.3, 1.0, 1.0, 1.0, 2.0, 5.0))
        return base * self._swarm[name]

    def choose(self, table: Table, *args: Any) -> Any:
        """What some production of the table yields; None if none applies."""
        options = [(self.weight(base, function), function) for base, function in table]
        options = [(weight, function) for weight, function in options if weight > 0]
        while options:
            (chosen,) = self.rng.choices(options, [weight for weight, _ in options])
            marks, lines, before = len(self.marks), len(self.block), len(self.preamble)
            scope, functions, taken = self.scope, dict(self.module_functions), set(self._taken)
            reserved, blueprints = set(self.reserved), dict(self.blueprints)
            self.scope = scope.copy()
            result = chosen[1](self, *args)
            if result is not None:
                return result
            del self.marks[marks:], self.block[lines:], self.preamble[before:]
            self.scope, self.module_functions, self._taken = scope, functions, taken
            self.reserved, self.blueprints = reserved, blueprints
            options.remove(chosen)
        return None

    def mark(self, *constructs: str) -> None:
        """Note that the program uses these constructs."""
        self.marks.extend(constructs)

    # text

    def emit(self, line: str) -> None:
        """Append a statement to the current block."""
        self.block.append("    " * (self.depth + 1) + line)

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Statements emitted within belong to the compound statement emitted last."""
        self.depth += 1
        yield
        self.depth -= 1

    def fresh_name(self, *hints: str) -> str:
        """A name that the program does not use yet."""
        base = self.pick(hints or HINTS)
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}{number}"
        self._taken.add(name)
        return name

    def take_name(self, name: str) -> None:
        """Keep a name from being given to a local."""
        self._taken.add(name)

    # what is there to build on

    def places(self, *types: str) -> list[Expr]:
        """Float arrays that can be read, or arrays of the given types."""
        wanted = types or ("float",)
        return [p for p in places(self.scope) if isinstance(p.kind, Array) and p.dims and p.kind.type in wanted]

    def numbers(self, type: str = "float") -> list[Expr]:
        """Numbers that can be read; 0-d arrays are not among them."""
        return [p for p in places(self.scope) if getattr(p.kind, "type", "") == type and not is_array(p.kind)]

    def dims(self, least: int = 0, ndim: tuple[int, ...] = (1, 2, 3)) -> Dims | None:
        """The lengths of some array in sight, with no axis shorter than `least`."""
        found = [p.dims for p in self.places() if len(p.dims) in ndim and shortest(p.dims) >= least]
        return self.pick(found) if found else None

    def length_text(self, dim: Dim) -> str | None:
        """Source text for a length."""
        if dim.isdigit():
            return dim
        found = [f"{p.text}.shape[{i}]" for p in self.places() for i, d in enumerate(p.dims) if d == dim]
        found += [f"len({p.text})" for p in self.places() if p.dims[0] == dim]
        return self.pick(found) if found else None

    def shape_text(self, dims: Dims) -> str | None:
        """Source text for a shape."""
        whole = [f"{p.text}.shape" for p in self.places() if p.dims == dims]
        if whole and self.chance(0.5):
            return str(self.pick(whole))
        parts = [self.length_text(dim) for dim in dims]
        if None in parts:
            return None
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(map(str, parts))})"

    def index_text(self, dim: Dim) -> str | None:
        """Source text for an int that is in range for an axis."""
        room = shortest((dim,))
        names = [v.name for v in self.scope.variables.values() if dim in v.indexes]
        if names and self.chance(0.7):
            name = self.pick(names)
            return str(self.pick((name, name, f"-1 - {name}")))
        if room < 1:
            return None
        return str(self.pick(("0", "-1") if room == 1 else ("0", "1", "-1", "-2")))

    def bind(self, name: str, value: Expr, **facts: Any) -> None:
        """Note that a name is bound to a value, which it may alias."""
        self.scope.expose(value.roots)
        self.scattered.discard(name)
        owned = is_array(value.kind) and not value.roots
        shares = self.scope.sharing(value.roots - {NOBODY}) - {name}
        self.scope.bind(Variable(name, value.kind, value.bound, value.low, owned=owned, shares=shares, **facts))

    def is_of_module(self, roots: frozenset[str]) -> bool:
        """May these share memory with an array of the module, which no program changes?"""
        return not self.scope.sharing(roots).isdisjoint({*MODULE, *self.outside})

    def apart(self, e: Expr) -> Expr:
        """A value that may be changed where it goes: a copy of what is of the module."""
        return e.but(f"{e.closed} * 1.0", roots=frozenset(), atom=False) if self.is_of_module(e.roots) else e

    def written(self, e: Expr, bound: float) -> None:
        """Note that an array was changed, and so were all other names of its memory."""
        self.scattered -= self.scope.written(e.roots, bound)


def is_array(kind: Kind) -> bool:
    """Whether a kind is an array."""
    return isinstance(kind, Array)


def subscripts(indices: list[str | None]) -> str:
    """An element by its indices, `i, j`, or by those of a row and then of the element, `i][j`."""
    apart = len(indices) == 2 and indices[1] in ("0", "-1")
    return ("][" if apart else ", ").join(map(str, indices))
