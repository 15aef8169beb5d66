"""Objects as values: those in sight, new ones, and what a name of one can be bound to again."""

from dataclasses import replace

from .conditions import condition
from .expressions import tame
from .generator import Generator
from .kinds import Expr, Record
from .records import BOUND, PUT, Blueprint, define, floating, new
from .scope import Variable, objects


def in_sight(g: Generator, kind: Record | None = None) -> list[Expr]:
    """Objects that can be read and stored to here."""
    return [o for o in objects(g.scope) if kind in (None, o.kind) and not o.roots & (g.scope.locked | g.outside)]


def blueprint(g: Generator, o: Expr) -> Blueprint:
    """The class of an object."""
    assert isinstance(o.kind, Record)
    made: Blueprint = g.blueprints[o.kind.name]
    return made


def bindable(g: Generator) -> list[Variable]:
    """Names of objects that may be bound again here."""
    names = (g.scope.local | g.scope.mutable) - g.scope.locked
    return [v for v in g.scope.variables.values() if isinstance(v.kind, Record) and v.name in names and not v.fixed]


def bind(g: Generator, name: str, e: Expr) -> None:
    """A name for an object."""
    if g.depth and name in g.scope.mutable:
        g.mark("object: bound in a loop" if g.loops else "object: bound in a branch")
    g.emit(f"{name} = {e.text}")
    before = g.scope.variables[name].shares if name in g.scope.mutable else frozenset()
    g.bind(name, e)
    if before:
        bound = g.scope.variables[name]
        g.scope.bind(replace(bound, shares=bound.shares | before))


def started(g: Generator) -> Expr | None:
    """An object in sight, or a new one under a new name."""
    found = in_sight(g)
    if found and g.chance(0.8):
        return g.pick(found)
    return begun(g)


def begun(g: Generator, b: Blueprint | None = None) -> Expr | None:
    """A new object under a new name."""
    known = list(g.blueprints.values())
    if b is None and known and (g.chance(0.6) or len(known) > 2):
        b = g.pick(known)
    if b is None:
        inner = [c for c in known if c.child is None]
        b = define(g, child=g.pick(inner) if inner and g.chance(0.4) else None)
    if b is None:
        return None
    e = new(g, b)
    if e is None:
        return None
    name = g.fresh_name("p", "q", "o", "body")
    bind(g, name, e)
    return g.scope.variables[name].expr


def of_kind(g: Generator, kind: Record) -> Expr:
    """Some object of a kind, of which there is one in sight: it, a copy, another, or a new one."""
    found = in_sight(g, kind) or [o for o in objects(g.scope) if o.kind == kind]
    o = g.pick(found)
    b: Blueprint = g.blueprints[kind.name]
    style = g.rng.randrange(7)
    fresh = frozenset[str]()
    if style <= 1 and (made := new(g, b)) is not None:
        return made
    if style <= 3 and (made := variant(g, b, o)) is not None:
        return made
    if style == 4 and not o.roots & g.scope.locked:
        g.mark("object: second name")
        return o
    if style == 5:
        g.mark("object: copied")
        deep = g.chance(0.5)
        return o.but(f"copy.{'deepcopy' if deep else 'copy'}({o.text})", roots=fresh if deep else o.roots)
    if style == 6 and len(found) > 1 and not o.roots & g.scope.locked:
        other = g.pick(found)
        if not other.roots & g.scope.locked:
            g.mark("ternary")
            text = f"{o.text} if {condition(g, 1)} else {other.text}"
            return o.but(text, roots=o.roots | other.roots, atom=False)
    g.mark("object: copied")
    return o.but(f"copy.deepcopy({o.text})", roots=fresh)


def variant(g: Generator, b: Blueprint, o: Expr) -> Expr | None:
    """An object made from another: with one attribute replaced, or by a method."""
    value = tame(g, floating(g, 1), PUT).text
    (u, _), n = b.array, b.number
    if b.flavour in ("dataclass", "frozen"):
        g.mark("object: replaced")
        change = g.pick((f"{n}={value}", f"{u}={o.text}.{u} * 0.5", f"{n}=0.5 * {o.text}.{n}"))
        roots = frozenset[str]() if change.startswith(f"{u}=") and b.child is None else o.roots
        return o.but(f"dataclasses.replace({o.text}, {change})", roots=roots)
    if b.flavour in ("named tuple", "typed tuple"):
        g.mark("object: replaced")
        return o.but(f"{o.text}._replace({n}={value})")
    if any(m.name == "moved" for m in b.all_methods):
        g.mark("object: method")
        return o.but(f"{o.text}.moved({value})")
    inner = (f"{o.text}.{b.child_name}",) if b.child else ()
    text = b.made(f"{o.text}.{u} * 0.5", f"0.5 * {o.text}.{n} + {value}", *inner)
    return Expr(text, b.kind, BOUND, roots=o.roots if b.child else frozenset())


def rebound(g: Generator, v: Variable | None = None) -> bool | None:
    """A name of an object for another object of its kind."""
    if v is None:
        found = bindable(g)
        if not found:
            return None
        v = g.pick(found)
    assert isinstance(v.kind, Record)
    e = of_kind(g, v.kind)
    if e.text == v.name or e.roots & g.scope.locked:
        return None
    bind(g, v.name, e)
    return True


def swapped(g: Generator, a: Variable, b: Variable) -> None:
    """Two names that change places."""
    g.mark("object: swapped", *(["object: bound in a loop"] if g.loops else []))
    g.emit(f"{a.name}, {b.name} = {b.name}, {a.name}")
    for v, other in ((a, b), (b, a)):
        g.scope.bind(replace(v, owned=False, shares=v.shares | other.shares | {other.name} - {v.name}))
