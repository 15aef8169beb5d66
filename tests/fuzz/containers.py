"""Iterations, which loops and comprehensions share, and lists."""

from dataclasses import dataclass, replace

from . import derived, scalars
from .expressions import array, computed, tame
from .generator import Generator, Table, production
from .kinds import (
    FLOAT,
    INT,
    LARGEST,
    NOBODY,
    Array,
    Dict,
    Dim,
    Expr,
    Kind,
    ListOf,
    Number,
    Sequence,
    length,
    shortest,
)
from .scope import Variable

ITERATIONS: Table = []
SIMPLE: Table = []
SCALARS_ONLY = 0.3


@dataclass(frozen=True)
class Iteration:
    """The head of a loop: `for target in text`, the names it binds, and how often it runs."""

    target: str
    text: str
    variables: tuple[Variable, ...]
    length: Dim
    sequence: bool = True  # has a length and subscripts, so that reversed() takes it

    @property
    def nested(self) -> str:
        """The target as part of another."""
        return self.target if len(self.variables) == 1 else f"({self.target})"


def iteration(g: Generator) -> Iteration | None:
    """Something to iterate over."""
    made: Iteration | None = g.choose(ITERATIONS)
    return made


def element_variable(g: Generator, kind: Kind, base: Expr, *hints: str) -> Variable:
    """The name of an element of `base`, which it may alias."""
    g.scope.expose(base.roots)
    return Variable(g.fresh_name(*hints), kind, base.bound, base.low, fixed=True)


@production(SIMPLE, 5)
def over_range(g: Generator) -> Iteration | None:
    dims = g.dims()
    name = g.fresh_name("i", "j", "k", "t")
    size = None if dims is None else g.length_text(dims[0])
    steps = [e.text for e in g.numbers("int") if e.bound >= 3 and e.text in g.scope.variables]
    choice = g.rng.randrange(8)
    bound, valid = 5.0, frozenset[Dim]()
    dim: Dim = "u"
    g.mark("for: range")
    if choice == 0:
        g.mark("for: zero trips")
        text, dim = g.pick(("range(0)", "range(2, 2)", "range(3, 0)", "range(0, 4, -1)")), "0"
    elif choice <= 3 and size is not None and dims is not None:
        valid = frozenset(dims[:1])
        dim = dims[0]
        text = f"range({size})"
        if choice == 3:
            g.mark("for: range with negative step")
            text = f"range({size} - 1, -1, -1)"
        elif choice == 2 and g.chance(0.5):
            text, dim = g.pick(((f"range(1, {size})", "u"), (f"range(0, {size}, 2)", "u")))
    elif choice == 4 and steps:
        text = f"range({g.pick(steps)})"
    elif choice == 5:
        g.mark("for: range with negative step")
        text, dim = g.pick((("range(3, 0, -1)", "3"), ("range(2, -3, -2)", "3"), ("range(4, 1, -2)", "2")))
    else:
        dim = g.pick(("2", "3", "4"))
        text = f"range({dim})"
    variable = Variable(name, INT, bound, indexes=valid, fixed=True)
    return Iteration(name, text, (variable,), dim)


@production(SIMPLE, 5)
def over_array(g: Generator) -> Iteration | None:
    base = g.pick(g.places()) if g.chance(0.75) and g.places() else derived.derived(g, 0)
    if base is None or not base.dims:
        return None
    g.mark("for: rows" if len(base.dims) > 1 else "for: elements")
    text = base.text
    if len(base.dims) > 1 and g.chance(0.15):
        g.mark("attribute T")
        base = base.but(f"{base.closed}.T", kind=Array(base.dims[::-1]), atom=True)
        text = base.text
    kind = Array(base.dims[1:]) if len(base.dims) > 1 else FLOAT
    variable = element_variable(g, kind, base, "row", "x", "v", "r")
    return Iteration(variable.name, text, (variable,), base.dims[0])


@production(SIMPLE, 4)
def over_list(g: Generator) -> Iteration | None:
    """Lists and tuples in sight, and literal ones."""
    found = [
        v.expr
        for v in g.scope.variables.values()
        if (isinstance(v.kind, ListOf) and not isinstance(v.kind.element, Dict))
        or (isinstance(v.kind, Sequence) and len(set(v.kind.items)) == 1)
    ]
    if found and g.chance(0.7):
        base = g.pick(found)
        tuple_like = isinstance(base.kind, Sequence) and base.kind.flavour == "tuple"
        kind = base.kind.items[0] if isinstance(base.kind, Sequence) else base.kind.element
        dim = str(len(base.kind.items)) if isinstance(base.kind, Sequence) else base.kind.length
        g.mark("for: tuple" if tuple_like else "for: list")
        if isinstance(kind, Sequence):
            names = [element_variable(g, item, base, "W", "b", "p", "a") for item in kind.items]
            return Iteration(", ".join(v.name for v in names), base.text, tuple(names), dim)
        variable = element_variable(g, kind, base, "item", "v", "part")
        return Iteration(variable.name, base.text, (variable,), dim)
    dims = g.dims()
    numbers = dims is None or g.chance(SCALARS_ONLY)
    items = [scalars.number(g, 1) if numbers or dims is None else array(g, dims, 1) for _ in range(g.pick((2, 3)))]
    if None in items:
        return None
    parts = [tame(g, item, 4.0) for item in items if item is not None]
    brackets = g.pick(("[]", "()"))
    g.mark("for: tuple" if brackets == "()" else "for: list")
    text = f"{brackets[0]}{', '.join(p.text for p in parts)}{brackets[1]}"
    roots = frozenset[str]().union(*(p.roots for p in parts))
    whole = Expr(
        text,
        FLOAT if numbers else Array(dims or ()),
        max(p.bound for p in parts),
        min(p.low for p in parts),
        roots,
    )
    variable = element_variable(g, whole.kind, whole, "item", "v", "part")
    return Iteration(variable.name, text, (variable,), str(len(parts)))


@production(ITERATIONS, 10)
def simple(g: Generator) -> Iteration | None:
    made: Iteration | None = g.choose(SIMPLE)
    return made


@production(ITERATIONS, 3)
def zipped(g: Generator) -> Iteration | None:
    parts = [g.choose(SIMPLE) for _ in range(g.pick((2, 2, 2, 3)))]
    if None in parts:
        return None
    g.mark("for: zip")
    text = f"zip({', '.join(p.text for p in parts)})"
    variables = tuple(v for p in parts for v in p.variables)
    lengths = {p.length for p in parts}
    return Iteration(
        ", ".join(p.nested for p in parts),
        text,
        variables,
        lengths.pop() if len(lengths) == 1 else "u",
        False,
    )


@production(ITERATIONS, 3)
def enumerated(g: Generator) -> Iteration | None:
    inner = zipped(g) if g.chance(0.25) else g.choose(SIMPLE)
    if inner is None:
        return None
    g.mark("for: enumerate")
    start = g.chance(0.2)
    name = g.fresh_name("i", "j", "k")
    variable = Variable(
        name,
        INT,
        6.0,
        fixed=True,
        indexes=frozenset() if start or inner.length == "u" else frozenset((inner.length,)),
    )
    text = f"enumerate({inner.text}{', 1' if start else ''})"
    return Iteration(f"{name}, {inner.nested}", text, (variable, *inner.variables), inner.length, False)


@production(ITERATIONS, 3)
def backwards(g: Generator) -> Iteration | None:
    inner: Iteration | None = g.choose(SIMPLE)
    if inner is None or not inner.sequence:
        return None
    g.mark("for: reversed")
    return replace(inner, text=f"reversed({inner.text})", sequence=False)


@production(ITERATIONS, 5)
def over_dict(g: Generator) -> Iteration | None:
    """Items of a dict whose values are alike."""
    found = [
        v.expr
        for v in g.scope.variables.values()
        if isinstance(v.kind, Dict) and len({kind for _, kind in v.kind.items}) == 1
    ]
    if not found:
        return None
    base = g.pick(found)
    kind = base.kind.items[0][1]
    if not isinstance(kind, (Array, Number)) or kind == Array(()):
        return None
    g.mark("for: dict items")
    variable = element_variable(g, kind, base, "value", "v")
    count = str(len(base.kind.items))
    if g.chance(0.3):
        return Iteration(variable.name, f"{base.text}.values()", (variable,), count, False)
    key = g.fresh_name("key", "name")
    return Iteration(f"{key}, {variable.name}", f"{base.text}.items()", (variable, variable), count, False)


def comprehension(g: Generator, depth: int) -> Expr | None:
    """A list comprehension of numbers or of arrays."""
    outside, loops = g.scope, g.loops
    if loops >= 2:
        return None
    head = iteration(g)
    if head is None:
        return None
    g.scope = g.scope.within()
    for variable in head.variables:
        g.scope.bind(variable)
    g.loops += 1
    dims = g.dims(ndim=(1, 2)) if g.chance(0.6) else None
    element = scalars.number(g, depth) if dims is None else array(g, dims, depth)
    test = ""
    if element is not None and g.chance(0.04):
        index = g.numbers("int")
        if index:
            test = f" if {g.pick(index).text} % 2 == {g.pick('01')}"
    g.loops = loops
    g.scope = outside
    if element is None or (element.kind.type == "int"):  # type: ignore[union-attr]
        return None
    element = tame(g, element, 4.0)
    g.mark("list comprehension")
    if head.text.startswith("range"):
        g.mark("comprehension over range")
    inside = frozenset(v.name for v in head.variables)
    roots = element.roots - inside | (frozenset({NOBODY}) if element.roots else frozenset())
    kind = ListOf(element.kind, "u" if test else head.length)
    return Expr(f"[{element.text} for {head.target} in {head.text}{test}]", kind, element.bound, element.low, roots)


def assembled(g: Generator, items: Expr) -> Expr | None:
    """An array from a list of arrays or numbers."""
    kind = items.kind
    if not isinstance(kind, ListOf) or kind.length == "u" or shortest((kind.length,)) < 1:
        return None
    if isinstance(kind.element, Number):
        g.mark("stack of list")
        return computed(f"np.array({items.text})", (kind.length,), items.bound, items.low)
    if not isinstance(kind.element, Array) or length(kind.length, LARGEST) > 5:
        return None
    dims = kind.element.dims
    g.mark("stack of list")
    if g.chance(0.3) and dims[0].isdigit() and kind.length.isdigit():
        g.mark("concatenate")
        total = str(int(dims[0]) * int(kind.length))
        return computed(f"np.concatenate({items.text})", (total, *dims[1:]), items.bound, items.low)
    g.mark("stack")
    return computed(f"np.stack({items.text})", (kind.length, *dims), items.bound, items.low)
