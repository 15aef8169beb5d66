"""Productions for statements with objects: made, stored to, called, swapped, held in containers, shared."""

from . import scalars
from .aliases import DEEP, defined
from .changes import SMALL, change
from .conditions import condition
from .expressions import array, tame
from .functions import capture
from .generator import Generator, production
from .kinds import FLOAT, NOBODY, Array, Dict, Expr, ListOf, Record, Sequence, shortest
from .object_values import begun, bind, bindable, blueprint, in_sight, of_kind, rebound, started, swapped
from .records import BOUND, PUT, Blueprint, Method, floating
from .scope import Variable
from .statements import WITH_OBJECTS, statements


def noted(g: Generator, *objects: Expr) -> None:
    """Note that what these objects hold was changed."""
    for o in objects:
        g.written(o, BOUND)
    g.mark(*(["object: stored in a loop"] if g.loops else ["object: stored in a branch"] if g.depth else []))


def shares(g: Generator, o: Expr, roots: frozenset[str]) -> None:
    """Note that an object holds from now on what other names denote."""
    g.scope.expose(roots)
    new = g.scope.sharing(roots - {NOBODY})
    for name in o.roots & set(g.scope.variables):
        v = g.scope.variables[name]
        g.scope.bind(Variable(name, v.kind, v.bound, fixed=v.fixed, shares=v.shares | new - {name}))


def put(g: Generator) -> Expr:
    """A number to be put into an object."""
    return tame(g, floating(g, 2), PUT)


@production(WITH_OBJECTS, 5)
def object_made(g: Generator) -> bool | None:
    return begun(g) is not None or None


@production(WITH_OBJECTS, 18)
def attribute_stored(g: Generator) -> bool | None:
    found = [o for o in in_sight(g) if blueprint(g, o).changes]
    if not found:
        return None
    o = g.pick(found)
    b = blueprint(g, o)
    name = g.pick(b.stored())
    if name == "rate" and g.depth and g.chance(0.8):
        return None  # it is refused where one path alone stores it
    e, place = put(g), f"{o.text}.{name}"
    g.mark("object: attribute stored")
    if name == "half":
        g.mark("object: property")
    if name == "rate":
        g.mark("object: class attribute")
    small = tame(g, e, SMALL if g.loops else 1.0)
    factor = f"np.cos({e.text})" if g.chance(0.5) else "0.7"
    g.emit(
        g.pick(
            (
                f"{place} = {e.text}",
                f"{place} = 0.5 * {place} + {e.closed}",
                f"{place} += {small.text}",
                f"{place} -= {small.text}",
                f"{place} *= {factor}",
            )
        )
    )
    noted(g, o)
    return True


@production(WITH_OBJECTS, 10)
def array_attribute_bound(g: Generator) -> bool | None:
    """`p.u = y`: a new array, or one that another name or object has."""
    found = [o for o in in_sight(g) if blueprint(g, o).changes]
    if not found:
        return None
    o = g.pick(found)
    b = blueprint(g, o)
    u, kind = b.array
    others = [p for p in in_sight(g) if blueprint(g, p).array[1] == kind and p.text != o.text]
    g.mark("object: attribute stored")
    if others and g.chance(0.4) and not g.loops:
        other = g.pick(others)
        g.mark("object: array shared")
        g.emit(f"{o.text}.{u} = {other.text}.{blueprint(g, other).array[0]}")
        shares(g, o, other.roots)
        noted(g, o)
        return True
    e = array(g, kind.dims, 2)
    if e is None or e.roots & g.scope.locked or e.kind != kind:
        return None
    e = tame(g, g.apart(e), PUT)
    if e.roots and (g.loops or e.low > float("-inf")):
        e = e.but(f"{e.closed} * 1.0", roots=frozenset(), atom=False)
    g.emit(f"{o.text}.{u} = {e.text}")
    if e.roots:
        g.mark("object: array shared")
        shares(g, o, e.roots)
    noted(g, o)
    return True


@production(WITH_OBJECTS, 25)
def object_attribute_bound(g: Generator) -> bool | None:
    """`p.inner = q`: an object that another name or object has, or a new one."""
    found = [o for o in in_sight(g) if blueprint(g, o).changes and blueprint(g, o).child]
    if not found:
        return None
    o = g.pick(found)
    b = blueprint(g, o)
    e = of_kind(g, b.child.kind)  # type: ignore[union-attr]
    if e.text == f"{o.text}.{b.child_name}" or e.roots & g.scope.locked:
        return None
    g.mark("object: attribute stored", "object: object shared")
    g.emit(f"{o.text}.{b.child_name} = {e.text}")
    shares(g, o, e.roots)
    noted(g, o)
    return True


@production(WITH_OBJECTS, 10)
def array_attribute_changed(g: Generator) -> bool | None:
    """`p.u[i] = y`, `p.u += y` and all other ways to change an array."""
    found = in_sight(g)
    if not found:
        return None
    o = g.pick(found)
    b = blueprint(g, o)
    if shortest(b.array[1].dims) < 2:
        return None
    place = Expr(f"{o.text}.{b.array[0]}", b.array[1], BOUND, roots=o.roots)
    if not change(g, place, named=b.changes):
        return None
    g.mark("object: array changed")
    noted(g, o)
    return True


@production(WITH_OBJECTS, 34)
def method_called(g: Generator) -> bool | None:
    found = [o for o in in_sight(g) if blueprint(g, o).all_methods]
    if not found:
        return None
    o = g.pick(found)
    b = blueprint(g, o)
    methods = b.all_methods
    rare = [m for m in methods if m.takes == "other" or m.name.startswith("__") or m.kind or m.result == "self"]
    return called(g, o, b, g.pick(rare if rare and g.chance(0.55) else methods))


def called(g: Generator, o: Expr, b: Blueprint, m: Method) -> bool | None:
    """A statement that calls a method, or uses what it stands for."""
    given, other = "", o
    if m.takes == "c":
        given = tame(g, floating(g, 1), 1.0).text
    elif m.takes == "i":
        given = g.pick("01")
    elif m.takes == "w":
        e = array(g, b.array[1].dims, 1)
        if e is None or e.kind != b.array[1]:
            return None
        e = tame(g, g.apart(e), PUT)
        given = f"{e.closed} * 1.0" if e.roots else e.text
    elif m.takes == "other":
        others = in_sight(g, o.kind)  # type: ignore[arg-type]
        apart = [p for p in others if p.text != o.text]
        other = g.pick(apart if apart and g.chance(0.85) else others)
        given = other.text
    text = written_call(g, o, b, m, given)
    if text is None:
        return None
    if m.name == "__enter__":
        return entered(g, o, text)
    g.mark("object: method")
    if m.name == "__lt__":
        g.mark("ternary", "object: operator")
        s = g.fresh_name("s", "t")
        g.emit(f"{s} = {scalars.number(g, 1).closed} if {text} else {scalars.number(g, 1).closed}")
        g.bind(s, Expr(s, FLOAT, BOUND))
        return True
    if m.changes:
        g.mark("object: method changes it")
        if m.takes == "other":
            g.mark("object: method changes another")
    if m.name == "__iadd__":
        g.mark("object: operator")
        if o.text not in {v.name for v in bindable(g)}:
            return None
        g.emit(text)
        noted(g, o)
        return True
    if m.result == "self" and g.chance(0.5):
        again = [n for n in b.all_methods if n.changes and not n.takes and not n.name.startswith("__")]
        if again:
            g.mark("object: method returns it")
            text = f"{text}.{g.pick(again).name}()"
            g.emit(text)
            noted(g, o, other)
            return True
    if m.result == "nothing" or (m.changes and g.chance(0.15)):
        g.emit(text)
    else:
        kept(g, o, other, b, m, text)
    if m.changes:
        if m.name in ("adopt", "trade_arrays") and other is not o:
            shares(g, o, other.roots)
            shares(g, other, o.roots)
        noted(g, o, other)
    return True


def written_call(g: Generator, o: Expr, b: Blueprint, m: Method, given: str) -> str | None:
    """The call as source text: an operator, a property, a call by keyword, one through the class."""
    operators = {
        "__add__": f"{o.text} + {given}",
        "__mul__": f"{o.text} * ({given})",
        "__rmul__": f"({given}) * {o.text}",
        "__neg__": f"-{o.text}",
        "__lt__": f"{o.text} < {given}",
        "__iadd__": f"{o.text} += {given}",
        "__enter__": f"with {o.text}",
    }
    if m.name in operators:
        g.mark("object: operator" if m.name != "__enter__" else "with")
        return operators[m.name]
    if m.name in ("__call__", "__getitem__"):
        g.mark("object: called or subscripted")
        return f"{o.text}({given})" if m.name == "__call__" else f"{o.text}[{given}]"
    if m.kind == "property":
        g.mark("object: property")
        return f"{o.text}.{m.name}"
    if m.kind:
        g.mark("object: class attribute")
        return f"{g.pick((b.name, o.text))}.{m.name}({given})"
    style = g.rng.randrange(8)
    if style == 0:
        return f"{b.name}.{m.name}({', '.join(t for t in (o.text, given) if t)})"
    if style == 1 and m.takes:
        g.mark("call: keyword")
        return f"{o.text}.{m.name}({m.takes}={given})"
    if style in (2, 3) and not g.loops:
        g.mark("callback: bound method")
        name = g.fresh_name("step", "call", "act")
        g.emit(f"{name} = {o.text}.{m.name}")
        for v in list(g.scope.variables.values()):
            if v.name in o.roots:
                g.scope.bind(Variable(v.name, v.kind, v.bound, fixed=True, shares=v.shares))
        return f"{name}({given})"
    return f"{o.text}.{m.name}({given})"


def kept(g: Generator, o: Expr, other: Expr, b: Blueprint, m: Method, text: str) -> None:
    """A name for what a method gives."""
    roots = o.roots | other.roots
    match m.result:
        case "number":
            name, e = g.fresh_name("s", "energy", "r"), Expr(text, FLOAT, BOUND)
        case "array":
            name, e = g.fresh_name("field", "y"), Expr(text, b.array[1], BOUND)
        case "view":
            dims = (f"max({b.array[1].dims[0]}-1,0)", *b.array[1].dims[1:])
            name, e = g.fresh_name("part", "view"), Expr(text, Array(dims), BOUND, roots=roots | {NOBODY})
        case "child":
            assert b.child
            name, e = g.fresh_name("part", "inner"), Expr(text, b.child.kind, BOUND, roots=roots)
        case "self":
            g.mark("object: method returns it")
            name, e = g.fresh_name("same", "q"), Expr(text, o.kind, BOUND, roots=roots)
        case _:
            fresh = m.result == "new" and m.takes != "other" and b.child is None
            kind = b.kind if m.result == "new" else o.kind
            name, e = g.fresh_name("new", "q", "p"), Expr(text, kind, BOUND, roots=frozenset() if fresh else roots)
    if isinstance(e.kind, Record):
        bind(g, name, e)
    else:
        g.emit(f"{name} = {text}")
        g.bind(name, e)


def entered(g: Generator, o: Expr, text: str) -> bool | None:
    """An object as a context, around some statements."""
    if g.depth > DEEP:
        return None
    name = g.fresh_name("inner", "held")
    named = g.chance(0.5)
    g.emit(f"{text} as {name}:" if named else f"{text}:")
    noted(g, o)
    outside, g.scope = g.scope, g.scope.arm()
    with g.indented():
        if named:
            g.bind(name, o.but(name))
            g.emit(f"{name}.{blueprint(g, o).number} *= 0.9")
        else:
            g.emit(f"{o.text}.{blueprint(g, o).number} += 0.1")
        statements(g, g.pick((0, 1)))
    inside, g.scope = g.scope, outside
    for n in [n for n in inside.variables if n in inside.local]:
        del inside.variables[n]
    g.scope.join([inside, outside.copy()])
    noted(g, o)
    return True


# names of objects


@production(WITH_OBJECTS, 3)
def second_object_name(g: Generator) -> bool | None:
    found = in_sight(g)
    if not found:
        return None
    o = g.pick(found)
    g.mark("object: second name")
    bind(g, g.fresh_name("q", "same", "o"), o)
    return True


@production(WITH_OBJECTS, 5)
def object_rebound(g: Generator) -> bool | None:
    return rebound(g)


@production(WITH_OBJECTS, 4)
def another_object(g: Generator) -> bool | None:
    """An object made from one in sight, under a new name."""
    found = in_sight(g)
    if not found:
        return None
    e = of_kind(g, g.pick(found).kind)
    if e.roots & g.scope.locked:
        return None
    bind(g, g.fresh_name("q", "r", "o"), e)
    return True


@production(WITH_OBJECTS, 12)
def objects_swapped(g: Generator) -> bool | None:
    found = bindable(g)
    pairs = [(a, b) for a in found for b in found if a.name < b.name and a.kind == b.kind]
    if not pairs:
        return None
    swapped(g, *g.pick(pairs))
    return True


# containers


@production(WITH_OBJECTS, 5)
def objects_held(g: Generator) -> bool | None:
    """Objects in a list, a tuple or a dict, and a loop over them."""
    first = started(g)
    if first is None or first.roots & g.scope.locked:
        return None
    others = [of_kind(g, first.kind) for _ in range(g.pick((1, 1, 2)))]  # type: ignore[arg-type]
    items = g.shuffled([first, *others])
    if any(o.roots & g.scope.locked for o in items):
        return None
    roots = frozenset[str]().union(*(o.roots for o in items))
    name = g.fresh_name("objects", "held", "group")
    g.mark("object: in a container")
    style = g.rng.randrange(4)
    texts = [o.text for o in items]
    kind: Dict | Sequence | ListOf
    if style == 0:
        keys = ("a", "b", "c")[: len(items)]
        pairs = ", ".join(f'"{key}": {text}' for key, text in zip(keys, texts, strict=True))
        g.emit(f"{name} = {{{pairs}}}")
        kind = Dict(tuple((k, first.kind) for k in keys))
    elif style == 1:
        g.emit(f"{name} = ({', '.join(texts)})")
        kind = Sequence(tuple(o.kind for o in items))
    else:
        g.emit(f"{name} = [{', '.join(texts)}]")
        kind = ListOf(first.kind, str(len(items)))
    g.scope.expose(roots)
    g.scope.bind(Variable(name, kind, BOUND, fixed=True, shares=g.scope.sharing(roots) - {name}))
    if g.chance(0.7):
        walked(g, name, kind)
    return True


@production(WITH_OBJECTS, 4)
def loop_over_objects(g: Generator) -> bool | None:
    found = [v for v in g.scope.variables.values() if holds_objects(v.kind)]
    if not found:
        return None
    v = g.pick(found)
    return walked(g, v.name, v.kind)


def holds_objects(kind: object) -> bool:
    """Is it a container of objects of one kind?"""
    match kind:
        case ListOf(Record(), _):
            return True
        case Sequence(items):
            return isinstance(items[0], Record) and len(set(items)) == 1
        case Dict(items):
            return isinstance(items[0][1], Record) and len({item for _, item in items}) == 1
    return False


def walked(g: Generator, name: str, kind: Dict | Sequence | ListOf) -> bool | None:  # type: ignore[type-arg]
    """A loop over a container of objects that stores to them, or calls their methods."""
    if g.depth > DEEP or g.loops > 1:
        return None
    item = g.fresh_name("item", "each", "z")
    g.mark("object: loop over objects")
    element = kind.element if isinstance(kind, ListOf) else kind.items[0]
    if isinstance(kind, Dict):
        element = kind.items[0][1]
        text = f"{name}.values()"
    else:
        text = g.pick((name, name, f"reversed({name})"))
    if g.chance(0.3):
        g.mark("for: enumerate")
        g.emit(f"for {g.fresh_name('i', 'k')}, {item} in enumerate({text}):")
    else:
        g.emit(f"for {item} in {text}:")
    outside = g.scope
    g.scope = outside.body(set())
    g.loops += 1
    base = outside.variables[name]
    with g.indented():
        g.bind(item, Expr(item, element, BOUND, roots=frozenset({name})))
        g.scope.variables[item] = Variable(item, element, BOUND, fixed=True, shares=base.shares | {name})
        lines = len(g.block)
        o = g.scope.variables[item].expr
        b = blueprint(g, o)
        if b.changes and g.chance(0.6):
            g.emit(f"{item}.{b.number} = 0.8 * {item}.{b.number} + {tame(g, floating(g, 1), 1.0).closed}")
            noted(g, o)
        elif b.all_methods and g.chance(0.5):
            called(g, o, b, g.pick(b.all_methods))
        if len(g.block) == lines and (g.chance(0.4) or not b.changes):
            g.emit(f"{item}.{b.array[0]}[0] *= 0.5")
        elif len(g.block) == lines:
            g.emit(f"{item}.{b.number} *= 0.5")
        noted(g, o)
        if g.chance(0.2):
            g.mark("break", "branch in loop", "if")
            g.emit(f"if {item}.{b.number} > {g.pick(('0.2', '0.7', '1.1'))}:")
            g.emit("    break")
    g.loops -= 1
    g.scope = outside
    g.written(base.expr, BOUND)
    return True


# functions and loops


#: Of helpers that take an object `o` and a number `c`: what they return, and their lines; N is the number, U the array.
HELPERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("nudge", "nothing", ("o.N = 0.5 * o.N + 0.2 * c",)),
    ("nudged", "self", ("o.N += 0.1 * c", "return o")),
    ("settle", "number", ("for _ in range(3):", "    o.N = 0.5 * o.N + 0.3 * np.sin(c)", "return o.N * c")),
    ("drain", "number", ("k = 0", "while o.N > 0.1 and k < 4:", "    o.N = 0.6 * o.N - 0.05 * c", "    k += 1",
                         "return o.N")),
    ("refit", "nothing", ("o.U = np.tanh(o.U * c)",)),
    ("tick", "number", ("old = o.N", "if c > 0.1:", "    o.N = c * old", "else:", "    o.U = 0.5 * o.U",
                        "return old * o.N")),
    ("wipe", "nothing", ("o.U[0] = c", "o.N *= 0.5")),
)  # fmt: skip


@production(WITH_OBJECTS, 6)
def object_helper(g: Generator) -> bool | None:
    """A function of the module that changes an object that it is given."""
    found = [o for o in in_sight(g) if blueprint(g, o).changes]
    if not found or g.functions:
        return None
    o = g.pick(found)
    b = blueprint(g, o)
    name, result, lines = g.pick(HELPERS)
    called_as = defined(
        g,
        f"{name}_{b.array[0]}",
        "o, c",
        tuple(t.replace(".N", f".{b.number}").replace(".U", f".{b.array[0]}") for t in lines),
    )
    if called_as is None:
        return None
    g.mark("helper", "object: helper changes it")
    call = f"{called_as}({o.text}, {tame(g, floating(g, 1), 1.0).text})"
    if result == "nothing" or g.chance(0.2):
        g.emit(call)
    elif result == "self":
        bind(g, g.fresh_name("same", "q"), Expr(call, o.kind, BOUND, roots=o.roots))
    else:
        s = g.fresh_name("s", "got")
        g.emit(f"{s} = {call}")
        g.bind(s, Expr(s, FLOAT, BOUND))
    noted(g, o)
    return True


@production(WITH_OBJECTS, 6)
def closure_stores(g: Generator) -> bool | None:
    """A function in the function that stores to an object around it, called once or more."""
    found = [o for o in in_sight(g) if blueprint(g, o).changes]
    if not found or g.functions > 1 or g.depth > 1:
        return None
    o = g.pick(found)
    b = blueprint(g, o)
    name = g.fresh_name("push", "update", "store")
    place = f"{o.text}.{b.number}"
    g.mark("object: closure stores", "nested function", "closure")
    lines = [g.pick((f"{place} = 0.5 * {place} + 0.3 * c", f"{place} += 0.1 * c", f"{o.text}.{b.array[0]} *= 0.7",
                     f"{o.text}.{b.array[0]}[0] = c"))]  # fmt: skip
    if g.chance(0.5):
        lines.append(f"return {place} * c")
    g.emit(f"def {name}(c):")
    for line in lines:
        g.emit(f"    {line}")
    capture(g, "\n".join(lines), {"c"})
    for _ in range(g.pick((1, 2))):
        call = f"{name}({tame(g, floating(g, 1), 1.0).text})"
        if len(lines) > 1:
            s = g.fresh_name("s", "t")
            g.emit(f"{s} = {call}")
            g.bind(s, Expr(s, FLOAT, BOUND))
        else:
            g.emit(call)
        noted(g, o)
        if g.chance(0.4):
            attribute_stored(g)
    return True


@production(WITH_OBJECTS, 6)
def object_drives_loop(g: Generator) -> bool | None:
    """A loop that goes on while an attribute says so, and stores it."""
    found = [o for o in in_sight(g) if blueprint(g, o).changes]
    if not found or g.depth >= DEEP or g.loops > 1:
        return None
    o = g.pick(found)
    b = blueprint(g, o)
    place = f"{o.text}.{b.number}"
    e = tame(g, floating(g, 1), 1.0)
    g.mark("object: drives a loop", "object: stored in a loop", "object: attribute stored")
    if g.chance(0.5):
        g.mark("while: data")
        k = g.fresh_name("k", "i")
        g.emit(f"{k} = 0")
        g.emit(f"while {place} < {g.pick(('0.9', '1.4'))} and {k} < {g.pick('34')}:")
        lines = [f"{place} = {place} + 0.3 + 0.2 * np.sin({e.text})", f"{k} += 1"]
        if g.chance(0.3):
            lines.insert(0, f"{o.text}.{b.array[0]}[0] = 0.5 * {place}")
    else:
        g.mark("for: range", "break", "if", "branch in loop")
        g.emit(f"for {g.fresh_name('i', 'k')} in range({g.pick('234')}):")
        lines = [f"{place} = 0.6 * {place} + 0.3 * {e.closed}", f"if {place} > {g.pick(('0.2', '0.5'))}:", "    break"]
        if g.chance(0.5):
            g.rng.shuffle(lines[:1])
            lines.append(f"{o.text}.{b.array[0]} = 0.8 * {o.text}.{b.array[0]}")
        if g.chance(0.3):
            lines = [f"if {condition(g, 1)}:", f"    {place} = 0.5 * {place}", "    continue", *lines]
            g.mark("continue")
    with g.indented():
        for line in lines:
            g.emit(line)
    noted(g, o)
    return True
