"""Productions for statements without blocks: what a name can be bound to, and how."""

from collections.abc import Iterable
from dataclasses import replace

from . import containers, derived, scalars
from .conditions import condition
from .derived import VIEWS
from .expressions import array, partner, positive, tame
from .generator import Generator, Table, production
from .kinds import FLOAT, INT, Array, Dict, Expr, ListOf, Number, Sequence, Text
from .scope import Variable

STATEMENTS: Table = []
#: Those with objects, functions as values, handlers and the like.
WITH_OBJECTS: Table = []


def statements(g: Generator, count: int) -> None:
    """That many statements, some with blocks of their own."""
    from . import (  # noqa: F401  (they register their productions)
        aliases,
        blocks,
        building,
        callbacks,
        growth,
        handling,
        object_statements,
        stores,
        writing_helpers,
    )

    for _ in range(count):
        if not (g.objects and g.chance(0.7) and g.choose(WITH_OBJECTS)):
            g.choose(STATEMENTS)


def value(g: Generator, depth: int = 2) -> Expr:
    """A number or an array."""
    if g.chance(0.62):
        made = derived.derived(g, depth) if g.chance(0.35) else None
        dims = g.dims()
        made = made or (array(g, dims, depth) if dims else None)
        if made is not None:
            return tame(g, made)
    return tame(g, scalars.number(g, depth))


def of_kind(g: Generator, kind: Array | Number, depth: int, limit: float) -> Expr | None:
    """A value of the given kind; for an array, one that is an array of floats."""
    made = array(g, kind.dims, depth) if isinstance(kind, Array) else scalars.number(g, depth)
    if made is None or (isinstance(kind, Number) and made.kind != kind):
        return None
    return tame(g, made, limit)


SCALAR = Array(())  # a 0-d array, or what became of one: NumPy's arithmetic gives numbers


def scalars_in_sight(g: Generator) -> list[Variable]:
    """0-d arrays whose names may be bound again here."""
    names = g.scope.local | g.scope.mutable
    return [v for v in g.scope.variables.values() if v.name in names and v.kind == SCALAR and not v.fixed]


@production(STATEMENTS, 2)
def scalar_rebinding(g: Generator) -> bool | None:
    """The name of a 0-d array for a number made of it: the caller's array keeps its value."""
    found = scalars_in_sight(g)
    if not found:
        return None
    old = g.pick(found)
    rebind_scalar(g, old)
    if old.name in g.scope.local and g.chance(0.5):
        g.bind(old.name, Expr(old.name, FLOAT, old.bound + 1.0))
    return True


def rebind_scalar(g: Generator, old: Variable) -> None:
    e = tame(g, scalars.number(g, 1), 1.0)
    name = old.name
    texts = [f"0.5 * {name} + {e.closed}", f"{name} * {e.closed}", f"{name} - 0.25", f"np.sin({name})", f"-{name}"]
    others = [v.name for v in g.scope.variables.values() if v.kind == SCALAR and v.name != name]
    if others and g.chance(0.3):
        texts = [g.pick(others)]
    g.mark("scalar rebinding")
    g.emit(f"{name} = {g.pick(texts)}")
    g.scope.bind(replace(old, bound=max(old.bound, 1.5), low=float("-inf"), owned=False))


def rebindable(g: Generator, *kinds: type) -> list[Variable]:
    """Names that may be bound again here, to a value of the same kind."""
    names = g.scope.local | g.scope.mutable
    return [
        v
        for v in g.scope.variables.values()
        if v.name in names
        and not v.fixed
        and isinstance(v.kind, kinds or (Array, Number))
        and v.kind not in (INT, Number("bool"), SCALAR)
    ]


@production(STATEMENTS, 7)
def assignment(g: Generator) -> bool | None:
    e = value(g, 3)
    name = g.fresh_name()
    annotation = ""
    if g.chance(0.12):
        g.mark("annotated")
        annotation = f": {'np.ndarray' if e.dims else 'float'}"
    g.mark("assignment")
    g.emit(f"{name}{annotation} = {e.text}")
    g.bind(name, e)
    return True


@production(STATEMENTS, 4)
def rebinding(g: Generator) -> bool | None:
    """The same name for something else of its kind; where the name is this region's own, of any kind."""
    old = rebindable(g)
    if not old:
        return None
    variable = g.pick(old)
    if variable.name in g.scope.local and g.chance(0.3):
        e: Expr | None = value(g)
    else:
        e = of_kind(g, variable.kind, 2, variable.bound)
    if e is None or e.text == variable.name:
        return None
    if variable.name in e.text and e.roots:
        return None
    if e.roots & g.scope.locked:
        return None
    g.mark("rebinding")
    g.emit(f"{variable.name} = {e.text}")
    g.bind(variable.name, e)
    return True


@production(STATEMENTS, 3)
def self_update(g: Generator) -> bool | None:
    """`x = x * y`: not in place, so that views of the old x keep their values."""
    old = [v for v in rebindable(g, Array) if getattr(v.kind, "type", "") == "float"]
    if not old:
        return None
    variable = g.pick(old)
    dims = variable.kind.dims
    e = array(g, partner(g, dims), 2)
    if e is None:
        return None
    e = tame(g, e, 1.0)
    g.mark("rebinding", "self update")
    name = variable.name
    g.emit(f"{name} = " + g.pick((f"{name} * {e.closed}", f"{name} + {e.closed}", f"{name} - {e.closed}", f"-{name}")))
    inside = name in g.scope.mutable
    g.bind(name, Expr(name, variable.kind, variable.bound + (0.0 if inside else 1.0)))
    return True


@production(STATEMENTS, 2)
def view_local(g: Generator) -> bool | None:
    """A name for a part of an array in sight."""
    found = [p for p in g.places() if not p.roots & g.scope.locked]
    made = g.choose(VIEWS, g.pick(found)) if found else None
    if made is None:
        return None
    name = g.fresh_name("part", "view", "head", "row", "t")
    g.mark("view")
    g.emit(f"{name} = {made.text}")
    g.bind(name, made)
    return True


@production(STATEMENTS, 1)
def chained(g: Generator) -> bool | None:
    e = tame(g, scalars.number(g, 2))
    names = [g.fresh_name() for _ in range(2)]
    g.mark("chained assignment")
    g.emit(f"{names[0]} = {names[1]} = {e.text}")
    for name in names:
        g.bind(name, e)
    return True


@production(STATEMENTS, 3)
def tuple_target(g: Generator) -> bool | None:
    parts = [value(g, 2) for _ in range(g.pick((2, 3)))]
    if any(p.roots & g.scope.locked for p in parts):
        return None
    names = [g.fresh_name() for _ in parts]
    g.mark("tuple target")
    style = g.rng.randrange(4)
    if len(parts) == 3 and g.chance(0.4):
        g.mark("nested target")
        g.emit(f"({names[0]}, {names[1]}), {names[2]} = ({parts[0].text}, {parts[1].text}), {parts[2].text}")
    elif style == 1:
        g.emit(f"[{', '.join(names)}] = {', '.join(p.text for p in parts)}")
    else:
        g.emit(f"{', '.join(names)} = {', '.join(p.text for p in parts)}")
    for name, part in zip(names, parts, strict=True):
        g.bind(name, part)
    return True


@production(STATEMENTS, 1.5)
def starred_target(g: Generator) -> bool | None:
    """What is left over goes to a list."""
    sequences = [v for v in g.scope.variables.values() if isinstance(v.kind, Sequence) and len(v.kind.items) >= 2]
    first, rest = g.fresh_name(), g.fresh_name("rest", "others")
    if sequences and g.chance(0.5):
        source = g.pick(sequences)
        kinds, text, bound = source.kind.items, source.name, source.bound
        g.scope.expose(frozenset({source.name}))
        shared = frozenset({source.name})
    else:
        dims = g.dims()
        parts = [array(g, dims, 1) if dims and g.chance(0.5) else scalars.number(g, 1) for _ in range(3)]
        if None in parts:
            return None
        items = [tame(g, p) for p in parts if p is not None]
        kinds, text = tuple(p.kind for p in items), ", ".join(p.text for p in items)
        bound = max(p.bound for p in items)
        shared = frozenset[str]().union(*(p.roots for p in items))
        g.scope.expose(shared)
    g.mark("starred target")
    last = g.chance(0.3)
    g.emit(f"*{rest}, {first} = {text}" if last else f"{first}, *{rest} = {text}")
    alone, others = (kinds[-1], kinds[:-1]) if last else (kinds[0], kinds[1:])
    g.scope.bind(Variable(first, alone, bound))
    uniform = len(set(others)) == 1
    g.scope.bind(
        Variable(
            rest,
            ListOf(others[0], str(len(others))) if uniform else Sequence(others, "list"),
            bound,
            fixed=True,
        )
    )
    return True


@production(STATEMENTS, 1.5)
def swap(g: Generator) -> bool | None:
    names = rebindable(g)
    pairs = [
        (a, b)
        for a in names
        for b in names
        if a.name < b.name and a.kind == b.kind and not {a.name, b.name} & g.scope.locked
    ]
    if not pairs:
        return None
    a, b = g.pick(pairs)
    g.mark("swap")
    g.emit(f"{a.name}, {b.name} = {b.name}, {a.name}")
    bound, low = max(a.bound, b.bound), min(a.low, b.low)
    for name in (a.name, b.name):
        g.scattered.discard(name)
        g.scope.bind(replace(g.scope.variables[name], bound=bound, low=low, owned=False))
    return True


@production(STATEMENTS, 4)
def augmented_number(g: Generator) -> bool | None:
    found = [v for v in rebindable(g, Number) if v.kind == FLOAT]
    if not found:
        return None
    old = g.pick(found)
    e = tame(g, scalars.number(g, 2), 1.0)
    operator = g.pick("++++--*/")
    if operator == "/":
        e = positive(g, e)
        if e.low < 1:
            e = e.but(f"1.0 + {e.closed}", bound=e.bound + 1, low=e.low + 1, atom=False)
    g.mark("augmented number")
    g.emit(f"{old.name} {operator}= {e.text}")
    inside = old.name in g.scope.mutable
    grown = old.bound if inside or operator in "*/" else old.bound + 1.0
    g.scope.bind(replace(old, bound=grown, low=float("-inf")))
    return True


@production(STATEMENTS, 3)
def augmented_array(g: Generator) -> bool | None:
    """In place, on memory that no other name knows."""
    found = [v for v in rebindable(g, Array) if v.owned and getattr(v.kind, "type", "") == "float"]
    if not found:
        return None
    old = g.pick(found)
    e = array(g, partner(g, old.kind.dims), 2)
    if e is None:
        return None
    e = tame(g, e, 1.0)
    operator = g.pick("+++--*/")
    if operator == "/":
        e = positive(g, e)
        if e.low < 1:
            e = e.but(f"1.0 + {e.closed}", bound=e.bound + 1, low=e.low + 1, atom=False)
    g.mark("augmented array")
    g.emit(f"{old.name} {operator}= {e.text}")
    inside = old.name in g.scope.mutable
    grown = old.bound if inside or operator in "*/" else old.bound + 1.0
    g.scope.bind(replace(old, bound=grown, low=float("-inf")))
    if g.loops:
        g.scope.locked.add(old.name)
    return True


@production(STATEMENTS, 1.5)
def walrus(g: Generator) -> bool | None:
    inner = tame(g, scalars.number(g, 2))
    if inner.kind != FLOAT:
        return None
    named, name = g.fresh_name(), g.fresh_name()
    g.mark("walrus")
    other = value(g, 1)
    text = g.pick((f"({named} := {inner.text}) * {other.closed}", f"{other.closed} + ({named} := {inner.text})"))
    g.emit(f"{name} = {text}")
    g.bind(named, inner)
    made = Expr(text, other.kind if other.dims else FLOAT, inner.bound * other.bound + inner.bound + other.bound)
    g.bind(name, made)
    return True


@production(STATEMENTS, 2)
def dict_local(g: Generator) -> bool | None:
    keys = g.rng.sample(("W", "b", "scale", "x", "gain"), g.pick((2, 3)))
    same = g.dims() if g.chance(0.5) else None
    parts = [array(g, same, 1) if same else value(g, 1) for _ in keys]
    return bind_container(g, "dict local", keys, parts)


@production(STATEMENTS, 1.5)
def tuple_local(g: Generator) -> bool | None:
    parts = [value(g, 2) for _ in range(g.pick((2, 3)))]
    return bind_container(g, "tuple local", None, parts)


@production(STATEMENTS, 1.5)
def list_local(g: Generator) -> bool | None:
    dims = g.dims() if g.chance(0.6) else None
    parts = [array(g, dims, 2) if dims else scalars.number(g, 2) for _ in range(g.pick((2, 3)))]
    return bind_container(g, "list local", None, parts)


@production(STATEMENTS, 0.8)
def mixed_list(g: Generator) -> bool | None:
    parts = [value(g, 1) for _ in range(2)] + [scalars.number(g, 1)]
    g.mark("mixed list")
    return bind_container(g, "list local", None, parts)


def bind_container(g: Generator, construct: str, keys: list[str] | None, parts: Iterable[Expr | None]) -> bool | None:
    """A name for a dict, tuple or list of these values."""
    parts = list(parts)
    items = [tame(g, p) for p in parts if p is not None]
    if len(items) < len(parts) or any(p.roots & g.scope.locked or p.kind == INT for p in items):
        return None
    name = g.fresh_name("params", "pair", "items", "parts", "group")
    kinds = tuple(p.kind for p in items)
    kind: Dict | ListOf | Sequence
    if keys is not None:
        text = "{" + ", ".join(f'"{key}": {p.text}' for key, p in zip(keys, items, strict=True)) + "}"
        kind = Dict(tuple(zip(keys, kinds, strict=True)))
    elif construct == "tuple local":
        text, kind = f"({', '.join(p.text for p in items)})", Sequence(kinds)
    else:
        text = f"[{', '.join(p.text for p in items)}]"
        kind = ListOf(kinds[0], str(len(kinds))) if len(set(kinds)) == 1 else Sequence(kinds, "list")
    g.mark(construct)
    g.emit(f"{name} = {text}")
    g.scope.expose(frozenset[str]().union(*(p.roots for p in items)))
    g.scope.bind(Variable(name, kind, max(p.bound for p in items), fixed=True))
    return True


@production(STATEMENTS, 2.5)
def list_comprehension(g: Generator) -> bool | None:
    made = containers.comprehension(g, 2)
    if made is None or made.roots & g.scope.locked:
        return None
    if g.chance(0.5):
        stacked = containers.assembled(g, made)
        if stacked is not None:
            name = g.fresh_name()
            g.emit(f"{name} = {stacked.text}")
            g.bind(name, stacked)
            return True
    name = g.fresh_name("items", "parts", "terms")
    g.emit(f"{name} = {made.text}")
    g.scope.expose(made.roots)
    g.scope.bind(Variable(name, made.kind, made.bound, made.low, fixed=True))
    return True


@production(STATEMENTS, 1.5)
def list_used(g: Generator) -> bool | None:
    """An array or a number from a list in sight."""
    found = [v.expr for v in g.scope.variables.values() if isinstance(v.kind, ListOf)]
    if not found:
        return None
    items = g.pick(found)
    name = g.fresh_name()
    stacked = containers.assembled(g, items) if g.chance(0.6) else None
    if stacked is None and items.kind.element == FLOAT:
        g.mark("sum of list")
        stacked = tame(g, Expr(f"sum({items.text})", FLOAT, items.bound * 5))
    if stacked is None:
        return None
    g.emit(f"{name} = {stacked.text}")
    g.bind(name, stacked)
    return True


@production(STATEMENTS, 0.8)
def bool_local(g: Generator) -> bool | None:
    name = g.fresh_name("big", "flag", "ready")
    g.emit(f"{name} = {condition(g, 1)}")
    g.scope.bind(Variable(name, Number("bool"), fixed=True))
    return True


@production(STATEMENTS, 1.2)
def assertion(g: Generator) -> bool | None:
    found = g.places()
    if not found:
        return None
    x = g.pick(found)
    g.mark("assert")
    message = ""
    if g.chance(0.5):
        g.mark("f-string")
        message = f', f"unexpected shape {{{x.text}.shape}}"' if '"' not in x.text else ', "unexpected shape"'
    g.emit(f"assert {x.text}.ndim == {len(x.dims)}{message}")
    return True


@production(STATEMENTS, 1)
def formatted(g: Generator) -> bool | None:
    found = [e.text for e in (*g.numbers(), *g.numbers("int")) if '"' not in e.text]
    if not found:
        return None
    g.mark("f-string")
    name = g.fresh_name("label", "text")
    a = g.pick(found)
    g.emit(f"{name} = " + g.pick((f'f"value {{{a}:.3f}}"', f'f"{{{a}}} of {{{a}!r}}"')))
    g.scope.bind(Variable(name, Text(), fixed=True))
    return True


@production(STATEMENTS, 1.2)
def raising(g: Generator) -> bool | None:
    """A check that never fails."""
    arrays, numbers = g.places(), [v for v in g.scope.variables.values() if v.kind == FLOAT]
    if not arrays or not numbers:
        return None
    g.mark("raise", "if")
    test = g.pick(
        (
            f"{g.pick(numbers).name} > 1e9",
            f"{g.pick(arrays).text}.ndim > 4",
            f"len({g.pick(arrays).text}) > 100",
        )
    )
    g.emit(f"if {test}:")
    with g.indented():
        message = '"out of range"'
        if g.chance(0.4):
            g.mark("f-string")
            message = f'f"out of range: {{{g.pick(numbers).name}}}"'
        g.emit(f"raise ValueError({message})")
    return True


@production(STATEMENTS, 1)
def dead(g: Generator) -> bool | None:
    e = value(g, 2)
    g.mark("dead code")
    g.emit(e.text if g.chance(0.3) else f"{g.fresh_name('unused')} = {e.text}")
    return True
