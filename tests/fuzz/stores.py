"""Productions for stores into arrays: at elements, slices, transposes, index arrays and masks."""

from dataclasses import replace

from . import scalars
from .derived import sliced
from .expressions import array, partner, tame
from .generator import Generator, production, subscripts
from .kinds import FLOAT, Array, Dims, Expr, shortest
from .scope import Variable
from .statements import SCALAR, STATEMENTS, rebindable


def storable(g: Generator) -> list[Variable]:
    """Arrays that no other name knows; now and then any, so that what is refused is met."""
    found = [v for v in rebindable(g, Array) if getattr(v.kind, "type", "") == "float" and v.kind != SCALAR]
    return found if g.chance(0.25) else [v for v in found if v.owned]


def place(g: Generator, v: Variable) -> tuple[str, Dims | None] | None:
    """A target of a store with its lengths; None for those of a mask, which only show when it runs."""
    dims, name = v.kind.dims, v.name  # type: ignore[union-attr]
    match g.rng.randrange(9):
        case 0 | 1:
            count = g.rng.randrange(1, len(dims) + 1)
            indices = [g.index_text(d) for d in dims[:count]]
            if None in indices:
                return None
            g.mark("store: element" if count == len(dims) else "store: row")
            return f"{name}[{subscripts(indices)}]", dims[count:]
        case 2 | 3:
            view = sliced(g, v.expr)
            if view is None:
                return None
            again = sliced(g, view) if g.chance(0.2) else None
            view = again or view
            g.mark("store: slice")
            return view.text, view.dims
        case 4:
            index = g.index_text(dims[-1])
            if index is None or len(dims) < 2:
                return None
            g.mark("store: transpose")
            return f"{name}.T[{index}]", dims[-2::-1]
        case 5 | 8:
            if shortest(dims[:1]) < 2:
                return None
            index = g.pick(("[0, 1, 1]", "[-1, 0]", "PICK"))
            g.mark("store: index array")
            return f"{name}[{index}]", ("4" if index == "PICK" else str(index.count(",") + 1), *dims[1:])
        case 6:
            tests = [p.closed for p in g.places() if p.dims == dims]
            if not tests:
                return None
            g.mark("store: mask")
            return f"{name}[{g.pick(tests)} {g.pick('<>')} {g.pick(('0.1', '0.35', '-0.3'))}]", None
    g.mark("store: whole")
    return f"{name}[{g.pick((':', '...'))}]", dims


@production(STATEMENTS, 8)
def store(g: Generator) -> bool | None:
    found = storable(g)
    if not found:
        return None
    old = g.pick(found)
    target = place(g, old)
    if target is None:
        return None
    text, dims = target
    operator = g.pick(("=", "=", "=", "=", "+=", "-=", "*="))
    e = array(g, dims if g.chance(0.5) else partner(g, dims), 2) if dims and g.chance(0.85) else scalars.number(g, 2)
    if e is None:
        return None
    inside = old.name in g.scope.mutable
    e = tame(g, e, max(old.bound, 0.5) if operator == "=" and inside else 1.0 if operator != "=" else 4.0)
    if operator != "=":
        g.mark("store: augmented")
    if g.loops:
        g.mark("store: in a loop")
        g.scope.locked.add(old.name)
    g.emit(f"{text} {operator} {e.text}")
    g.scattered.discard(old.name)
    grown = old.bound if inside or operator == "*=" else old.bound + 1.0 if operator != "=" else max(old.bound, e.bound)
    g.scope.bind(replace(old, bound=grown, low=float("-inf")))
    return True


@production(STATEMENTS, 1.5)
def recurrence(g: Generator) -> bool | None:
    """An array that is filled element by element, each from the one before."""
    dims = g.dims(least=2, ndim=(1,))
    if dims is None or g.loops >= 2:
        return None
    source = array(g, dims, 0)
    size = g.length_text(dims[0])
    if source is None or size is None:
        return None
    source = tame(g, source, 1.5)
    name, index = g.fresh_name("h", "y", "state"), g.fresh_name("i", "j")
    factor = tame(g, scalars.number(g, 1), 0.9)
    g.mark("store: element", "store: in a loop", "for: range")
    g.emit(f"{name} = np.{g.pick(('zeros', 'ones'))}({size})")
    g.emit(f"for {index} in range(1, {size}):")
    with g.indented():
        body = (
            f"{factor.closed} * {name}[{index} - 1] + {source.closed}[{index}]",
            f"np.tanh({name}[{index} - 1] * {factor.closed} + {source.closed}[{index}])",
            f"{source.closed}[{index}] - {name}[{index} - 1] / 4.0",
        )
        g.emit(f"{name}[{index}] {g.pick(('=', '=', '+='))} {g.pick(body)}")
    g.bind(name, Expr(name, Array(dims), 6.0))
    return True



@production(STATEMENTS, 2.2)
def evolution(g: Generator) -> bool | None:
    """An array that a loop changes in place by something that is not linear in it, as a solver does."""
    dims = g.dims(least=2, ndim=(1, 2))
    if dims is None or g.loops >= 2 or g.depth >= 2:
        return None
    start = array(g, dims, 1)
    other = array(g, dims, 1)
    if start is None or other is None:
        return None
    start, other = tame(g, start, 1.5), tame(g, other, 1.0)
    u, index = g.fresh_name("u", "v", "state"), g.fresh_name("k", "step", "t")
    inner, left, right = f"{u}[1:-1]", f"{u}[:-2]", f"{u}[2:]"
    choices = (
        [f"{inner} -= 0.1 * {inner} * ({right} - {left})"],
        [f"{inner} = np.tanh({left} * {right} + {inner})"],
        [f"{u}[1:] *= np.cos({u}[:-1])"],
        [f"{u} *= 0.5 + 0.3 * np.sin({u})", f"{u}[0] += {u}[-1] * {u}[1]"],
        [f"{u}[::2] = {u}[::2] ** 2 / 4.0 + {other.closed}[::2]"],
        [f"{u}[{u} > 0.2] *= 0.7", f"{u}[:1] = {u}[1:2] * {u}[:1]"],
        [f"{u}[0] = {u}[1] * {u}[0]", f"{u}[1:] = {u}[1:] * {u}[:1] / 2.0"],
        [f"left = {left}", f"{inner} = 0.5 * np.sin(left * {right})"],
    )
    g.mark("store: evolution", "store: slice", "store: in a loop", "for: range")
    g.emit(f"{u} = {start.text} * 1.0" if start.atom else f"{u} = {start.closed} * 1.0")
    g.emit(f"for {index} in range({g.pick('0123')}):")
    with g.indented():
        for line in g.pick(choices):
            g.emit(line)
    g.bind(u, Expr(u, Array(dims), 4.0))
    return True


@production(STATEMENTS, 1.7)
def second_name(g: Generator) -> bool | None:
    """A store into an array that has another name: refused if that is read later, else as good as without it."""
    found = [v for v in rebindable(g, Array) if v.owned and shortest(v.kind.dims[:1]) >= 2]  # type: ignore[union-attr]
    if not found or g.loops:
        return None
    old = g.pick(found)
    name = g.fresh_name("z", "part", "alias")
    g.mark("store: second name")
    g.emit(f"{name} = {old.name}{g.pick(('', '[1:]', '[::-1]'))}")
    if g.chance(0.5):
        g.emit(f"{old.name}[0] = {tame(g, scalars.number(g, 1), old.bound).text}")
    else:
        g.emit(f"{name}[0] = {tame(g, scalars.number(g, 1), old.bound).text}")
    if g.chance(0.7):
        total = g.fresh_name("s", "total")
        g.emit(f"{total} = np.sum({g.pick((name, old.name))}) / 5.0")
        g.bind(total, Expr(total, FLOAT, 4.0 * old.bound))
    g.scattered.discard(old.name)
    g.scope.expose(frozenset({old.name}))
    return True
