"""The names that a point of the program can see, and what joins and loops do to them."""

from dataclasses import dataclass, field, replace

from .kinds import Array, Dict, Dim, Expr, Kind, ListOf, Number, Record, Sequence, shortest

TRIPS = 25.0  # no more iterations than this reach one statement, nested loops together


@dataclass(frozen=True)
class Variable:
    """A name: what it is bound to, and what may be done with it.

    `owned` says that no other name shares its memory, so that `x += y` changes nothing else; a `fixed` name
    is never bound again (loop variables, statics, what a closure has captured). An int with `indexes` is a
    valid index of every axis of those lengths. `shares` are other names that may be of the same memory.
    """

    name: str
    kind: Kind
    bound: float = 1.0
    low: float = float("-inf")
    owned: bool = False
    fixed: bool = False
    indexes: frozenset[Dim] = frozenset()
    shares: frozenset[str] = frozenset()

    @property
    def expr(self) -> Expr:
        """A use of the name."""
        return Expr(self.name, self.kind, self.bound, self.low, frozenset({self.name}))


@dataclass(frozen=True)
class Signature:
    """A function that generated code can call.

    The symbols in `params` and `result` are the function's own where `generic`, else the caller's. Numbers
    may be passed by position after `params` where `star`, and must be passed for each name of `keywords`.
    """

    name: str
    params: tuple[tuple[str, Kind], ...]
    result: Kind
    bound: float
    low: float = float("-inf")
    defaults: int = 0
    star: bool = False
    keywords: tuple[str, ...] = ()
    generic: bool = False
    takes_function: bool = False
    aliases: bool = True


@dataclass
class Scope:
    """What a region of one function can see.

    Names of `local` were first bound in this region and may be bound to anything; others only where they are
    in `mutable`, and then to a value of the same kind and no larger bound.
    """

    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, Signature] = field(default_factory=dict)
    local: set[str] = field(default_factory=set)
    mutable: set[str] = field(default_factory=set)
    locked: set[str] = field(default_factory=set)

    def copy(self) -> "Scope":
        """An independent copy."""
        return Scope(
            dict(self.variables),
            dict(self.functions),
            set(self.local),
            set(self.mutable),
            set(self.locked),
        )

    def arm(self) -> "Scope":
        """The scope of a branch: what could be bound outside can be bound inside, to the same kind."""
        inside = self.copy()
        bindable = (self.mutable | self.local) & set(self.variables)
        inside.mutable = {name for name in bindable if not self.variables[name].fixed}
        inside.local = set()
        return inside

    def body(self, carried: set[str]) -> "Scope":
        """The scope of a loop body that binds the names in `carried` again, each time it runs."""
        inside = self.copy()
        inside.mutable = set(carried)
        inside.local = set()
        for name in carried:
            old = inside.variables[name]
            if not isinstance(old.kind, Record):
                inside.variables[name] = replace(old, bound=old.bound + TRIPS, low=float("-inf"))
        return inside

    def within(self) -> "Scope":
        """The scope of a nested function: everything visible, nothing of it bindable."""
        inside = self.copy()
        inside.mutable, inside.local = set(), set()
        inside.variables = {n: replace(v, owned=False, fixed=True) for n, v in self.variables.items()}
        return inside

    def bind(self, variable: Variable) -> None:
        """Bind a name in this region."""
        if variable.name not in self.variables:
            self.local.add(variable.name)
        self.variables[variable.name] = variable

    def expose(self, roots: frozenset[str]) -> None:
        """Note that memory of these names is now known by another name too."""
        for name in roots & set(self.variables):
            self.variables[name] = replace(self.variables[name], owned=False)

    def sharing(self, roots: frozenset[str]) -> frozenset[str]:
        """All names that may be of the memory of these."""
        found = roots.union(*(self.variables[name].shares for name in roots & set(self.variables)))
        return found | {v.name for v in self.variables.values() if v.shares & found}

    def written(self, roots: frozenset[str], bound: float) -> frozenset[str]:
        """Note that memory of these names was changed to values within a bound; gives all names of that memory."""
        names = self.sharing(roots)
        for name in names & set(self.variables):
            old = self.variables[name]
            self.variables[name] = replace(old, bound=max(old.bound, bound), low=float("-inf"))
        return names

    def join(self, arms: list["Scope"]) -> None:
        """Continue after branches: names that all arms bind to one kind, the weakest claims of all."""
        names = set(arms[0].variables).intersection(*(arm.variables for arm in arms))
        for name in list(self.variables):
            if name not in names:
                del self.variables[name]
                self.local.discard(name)
        for name in sorted(names):
            seen = [arm.variables[name] for arm in arms]
            if len({variable.kind for variable in seen}) > 1:
                self.variables.pop(name, None)
                self.local.discard(name)
                continue
            joined = replace(
                seen[0],
                bound=max(v.bound for v in seen),
                low=min(v.low for v in seen),
                owned=all(v.owned for v in seen),
                fixed=any(v.fixed for v in seen),
                indexes=frozenset.intersection(*(v.indexes for v in seen)),
                shares=frozenset[str]().union(*(v.shares for v in seen)),
            )
            self.bind(joined)
        for arm in arms:
            self.locked |= arm.locked


def places(scope: Scope) -> list[Expr]:
    """Everything that can be read without computing: names and what containers of known structure hold."""
    return [e for e in everything(scope) if isinstance(e.kind, (Array, Number))]


def objects(scope: Scope) -> list[Expr]:
    """The objects in sight, those that others hold among them."""
    return [e for e in everything(scope) if isinstance(e.kind, Record)]


def everything(scope: Scope) -> list[Expr]:
    """The numbers, arrays and objects that names denote, and those within them."""
    return [e for variable in scope.variables.values() for e in _within(variable.expr)]


def _within(expr: Expr) -> list[Expr]:
    match expr.kind:
        case Record(_, items):
            parts = [expr.but(f"{expr.text}.{name}", kind=item) for name, item in items]
            return [expr, *(e for part in parts for e in _within(part))]
        case Sequence(items):
            parts = [expr.but(f"{expr.text}[{i}]", kind=item) for i, item in enumerate(items)]
        case ListOf(element, dim):
            if shortest((dim,)) < 1:
                return []
            parts = [expr.but(f"{expr.text}[{i}]", kind=element) for i in (0, -1)]
        case Dict(items):
            parts = [expr.but(f'{expr.text}["{key}"]', kind=item) for key, item in items]
        case Array() | Number():
            return [expr]
        case _:
            return []
    return [place for part in parts for place in _within(part)]
