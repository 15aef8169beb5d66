"""Productions for lists, dicts and deques that are built element by element, and what is read of them."""

from . import scalars
from .expressions import array, tame
from .generator import Generator, production
from .kinds import FLOAT, Dict, Expr, ListOf
from .object_statements import walked
from .object_values import blueprint, in_sight, variant
from .records import BOUND, floating
from .scope import Variable
from .statements import WITH_OBJECTS


def numbers(g: Generator, least: int = 2) -> str | None:
    """A list of numbers, or an array that is iterated."""
    found = g.dims(least=2, ndim=(1,))
    if found and g.chance(0.5):
        e = array(g, found, 1)
        return None if e is None else tame(g, e, 1.0).closed
    return f"[{', '.join(tame(g, floating(g, 1), 1.0).text for _ in range(g.pick((least, 3))))}]"


def bound(g: Generator, text: str, limit: float = BOUND) -> bool:
    """A name for a number."""
    s = g.fresh_name("s", "total", "r")
    g.emit(f"{s} = {text}")
    g.bind(s, Expr(s, FLOAT, limit))
    return True


@production(WITH_OBJECTS, 7)
def objects_built(g: Generator) -> bool | None:
    """A list of new objects, by a comprehension or by `append`, and a loop over it."""
    found = [b for b in g.blueprints.values() if b.child is None]
    if not found or g.depth > 1 or g.loops:
        return None
    b = g.pick(found)
    e = array(g, b.array[1].dims, 1)
    if e is None or e.kind != b.array[1]:
        return None
    e, c = tame(g, e, 1.0), tame(g, floating(g, 1), 1.0)
    name, i, count = g.fresh_name("cells", "made"), g.fresh_name("i", "k"), g.pick("23")
    made = b.made(f"{e.closed} * (0.5 + 0.1 * {i})", f"{c.closed} + 0.2 * {i}")
    g.mark("built: list of objects", "object: in a container")
    if g.chance(0.6):
        g.mark("comprehension over range", "list comprehension")
        g.emit(f"{name} = [{made} for {i} in range({count})]")
    else:
        g.mark("built: append in a loop", "list: append")
        g.emit(f"{name} = []")
        g.emit(f"for {i} in range({count}):")
        g.emit(f"    {name}.append({made})")
    kind = ListOf(b.kind, count)
    g.scope.bind(Variable(name, kind, BOUND, fixed=True))
    walked(g, name, kind)
    o = g.fresh_name("o", "z")
    (u, _), n = b.array, b.number
    texts = [
        f"sum({o}.{n} for {o} in {name})",
        f"sum(np.sum({o}.{u}) * {o}.{n} for {o} in {name}) / 5.0",
        f"np.sum(np.stack([{o}.{u} for {o} in {name}])) / 5.0",
        f"np.sum(np.array([{o}.{n} for {o} in {name}]) ** 2) / 5.0",
        f"sum({o}.{n} * k for k, {o} in enumerate({name}))",
    ]
    if g.chance(0.16):
        g.mark("built: sorted")
        texts = [f"sorted({name}, key=lambda {o}: {o}.{n})[0].{n}", f"max({name}, key=lambda {o}: {o}.{n}).{n}"]
    return bound(g, g.pick(texts))


@production(WITH_OBJECTS, 3)
def nested(g: Generator) -> bool | None:
    """Comprehensions in one another, or with conditions."""
    xs, ys = (numbers(g) for _ in range(2))
    if xs is None or ys is None:
        return None
    g.mark("built: nested comprehension", "list comprehension")
    a, b = g.fresh_name("a", "v"), g.fresh_name("b", "w")
    texts = [
        f"np.sum(np.array([[0.5 * {a} * {b} for {b} in {xs}] for {a} in {ys}])) / 9.0",
        f"sum([{a} * {b} for {a} in {xs} for {b} in {ys}]) / 9.0",
        f"np.sum(np.stack([np.array([{a} + {b}, {a} * {b}]) for {a}, {b} in zip({xs}, {ys})])) / 9.0",
        f"sum(sum({a} * {b} for {b} in {ys}) for {a} in {xs}) / 9.0",
    ]
    if g.chance(0.4):
        g.mark("built: conditional comprehension")
        texts = [
            f"sum([{a} * {a} for {a} in {xs} if {a} > 0.1]) / 9.0",
            f"sum([{a} if {a} > 0.2 else 0.5 * {a} for {a} in {xs}]) / 4.0",
            f"sum({a} * {b} for {a} in {xs} for {b} in {ys} if {a} < {b}) / 9.0",
        ]
    return bound(g, g.pick(texts))


@production(WITH_OBJECTS, 3)
def conditional(g: Generator) -> bool | None:
    xs = numbers(g)
    if xs is None:
        return None
    g.mark("built: conditional comprehension", "list comprehension")
    parts = g.fresh_name("parts", "kept")
    v = g.fresh_name("v", "a")
    element, limit = g.pick((f"np.sin({v})", f"{v} * {v}", v)), g.pick(("0.1", "-0.3"))
    g.emit(f"{parts} = [{element} for {v} in {xs} if {v} > {limit}]")
    if g.chance(0.5):
        g.emit(f"{parts}.{g.pick((f'append({floating(g, 0).text})', f'extend([0.5, {floating(g, 0).text}])'))}")
        g.mark("list: append")
    return bound(g, g.pick((f"sum({parts}) / 4.0", f"sum(b * b for b in {parts}) / 4.0 + 0.1 * len({parts})")))


@production(WITH_OBJECTS, 3)
def dict_by_key(g: Generator) -> bool | None:
    if g.loops > 1:
        return None
    d, k = g.fresh_name("table", "d", "by_name"), g.fresh_name("key", "k")
    a, b = (tame(g, floating(g, 1), 1.0) for _ in range(2))
    dims = g.dims() if g.chance(0.3) else None
    e = array(g, dims, 1) if dims else None
    if e is not None:
        a = tame(g, e.but(f"{e.closed} * 1.0", roots=frozenset(), atom=False), 1.0)
    g.mark("built: dict by key")
    keys = ("a", "b", "c")[: g.pick((2, 3))]
    style = g.rng.randrange(3)
    if style == 0:
        g.emit(f"{d} = {{{k}: {a.closed} * (0.5 + {i_of(k)}) for {k} in {keys!r}}}")
    elif style == 1:
        g.emit(f"{d} = {{}}")
        i = g.fresh_name("i", "n")
        g.emit(f"for {i}, {k} in enumerate({keys!r}):")
        g.emit(f"    {d}[{k}] = {a.closed} * (0.5 + 0.1 * {i})")
    else:
        g.emit(f"{d} = dict({', '.join(f'{key}={a.closed} * 0.{7 - i}' for i, key in enumerate(keys))})")
    kind = a.kind if a.dims else FLOAT
    lines = [
        f'{d}["a"] = 0.5 * {d}["b"] + {b.closed}',
        f'{d}["b"] += 0.1 * {d}["a"]',
        f'{d}.update(a={d}["b"] * 0.5)',
        f'{d}["a"] *= 0.5',
    ]
    for line in g.rng.sample(lines, g.pick((1, 2))):
        g.emit(line)
    if g.chance(0.2):
        taken = g.fresh_name("taken", "was")
        g.emit(f'{taken} = {d}.pop("a")')
        g.emit(f'{d}["b"] = 0.5 * {taken}')
        g.emit(f'{d}.setdefault("a", {d}["b"] * 0.3)')
    if g.chance(0.3):
        other = g.fresh_name("same", "copied")
        mixed = f'{{**{d}, "b": {d}["a"]}}'
        g.emit(f"{other} = {g.pick((d, f'dict({d})', mixed))}")
        g.emit(f'{d}["a"] = 0.7 * {d}["b"]')
        g.scope.bind(Variable(other, Dict(tuple((key, kind) for key in keys)), 3.0, fixed=True))
    g.scope.bind(Variable(d, Dict(tuple((key, kind) for key in keys)), 3.0, fixed=True))
    return bound(g, f"sum(np.sum(v) for v in {d}.values()) / 5.0") if g.chance(0.5) else True


def i_of(key: str) -> str:
    """A number that depends on a key."""
    return f'(0.1 if {key} == "a" else 0.2)'


@production(WITH_OBJECTS, 3)
def window(g: Generator) -> bool | None:
    """A deque that keeps the last few of what comes."""
    xs = numbers(g)
    if xs is None or g.loops:
        return None
    q, v, s = g.fresh_name("window", "last"), g.fresh_name("v", "x"), g.fresh_name("s", "total")
    start = tame(g, floating(g, 1), 1.0)
    count = g.pick("23")
    g.mark("built: deque")
    g.emit(f"{q} = collections.deque([{start.text}] * {count}, maxlen={count})")
    g.emit(f"{s} = 0.0")
    g.emit(f"for {v} in {xs}:")
    with g.indented():
        g.emit(g.pick((f"{q}.append({v})", f"{q}.append(0.5 * {q}[0] + {v})", f"{q}.appendleft({v} * {q}[-1])")))
        g.emit(g.pick((f"{s} += 0.2 * {q}[0] * {q}[-1]", f"{s} = 0.5 * {s} + 0.1 * sum({q})")))
    g.bind(s, Expr(s, FLOAT, BOUND))
    if g.chance(0.5):
        if g.chance(0.3):
            taken = g.fresh_name("taken", "was")
            g.emit(f"{taken} = {q}.pop()")
            return bound(g, f"{taken} * {q}[0]")
        return bound(g, g.pick((f"sum({q}) / 3.0", f"np.sum(np.array({q})) / 3.0")))
    return True


@production(WITH_OBJECTS, 3)
def in_order(g: Generator) -> bool | None:
    """Lists that are sorted, reversed, zipped, enumerated."""
    a, b = (g.fresh_name("xs", "ys", "values") for _ in range(2))
    parts = [tame(g, floating(g, 1), 1.0).text for _ in range(g.pick((2, 3)))]
    g.emit(f"{a} = [{', '.join(parts)}]")
    style = g.rng.randrange(3)
    if style == 0:
        g.mark("built: sorted")
        g.emit(f"{b} = {g.pick((f'sorted({a})', f'sorted({a}, key=lambda v: -v)', f'sorted({a}, reverse=True)'))}")
    else:
        g.mark("built: zip of lists")
        texts = (f"list(reversed({a}))", f"[0.5 * v + 0.1 * i for i, v in enumerate({a})]", f"{a}[::-1]")
        g.emit(f"{b} = {g.pick(texts)}")
    if g.chance(0.4):
        g.mark("list: append")
        c = tame(g, floating(g, 1), 1.0).text
        g.emit(g.pick((f"{a}.append({c})", f"{a}.extend([{c}, 0.5])", f"{a}[0] = {c}", f"{a} += {b}")))
    read = [
        f"sum(u * v for u, v in zip({a}, {b})) / 3.0",
        f"{b}[0] * {a}[-1]",
        f"sum(i * v for i, v in enumerate({b})) / 5.0",
        f"np.sum(np.array({a})) / 3.0 + {b}[-1]",
        f"max({a}) * {b}[0]",
    ]
    if "zip" in (text := g.pick(read)):
        g.mark("built: zip of lists")
    return bound(g, text)


@production(WITH_OBJECTS, 3)
def appended(g: Generator) -> bool | None:
    """A list that a loop appends to: numbers of an object as it changes, pairs, rows."""
    if g.loops or g.depth > 1:
        return None
    xs = g.fresh_name("trace", "history", "seen")
    found = [o for o in in_sight(g) if blueprint(g, o).changes]
    i = g.fresh_name("i", "k")
    g.mark("built: append in a loop", "list: append", "for: range")
    g.emit(f"{xs} = []")
    g.emit(f"for {i} in range({g.pick('234')}):")
    if found:
        o = g.pick(found)
        b = blueprint(g, o)
        n, (u, _) = b.number, b.array
        g.mark("object: stored in a loop", "object: attribute stored")
        with g.indented():
            g.emit(f"{o.text}.{n} = 0.7 * {o.text}.{n} + {tame(g, floating(g, 1), 1.0).closed}")
            made = variant(g, b, o) if b.child is None and g.chance(0.04) else None
            if made is not None:
                g.mark("built: list of objects")
                g.emit(f"{xs}.append({made.text})")
                read = f"sum(v.{n} for v in {xs}) / 5.0"
            elif g.chance(0.4):
                g.emit(f"{xs}.append({o.text}.{n})")
                read = f"sum({xs}) / 5.0"
            elif g.chance(0.4):
                g.emit(f"{xs}.append({o.text}.{u} * {o.text}.{n})")
                read = f"np.sum(np.stack({xs})) / 9.0"
            else:
                g.emit(f"{xs}.append(({o.text}.{n}, {i} * 0.1))")
                read = f"sum(a * b for a, b in {xs}) / 5.0"
        g.written(o, BOUND)
    else:
        e = tame(g, scalars.number(g, 1), 1.0)
        with g.indented():
            g.emit(f"{xs}.append(({e.closed} * {i}, 0.5))")
        read = f"sum(a * b for a, b in {xs}) / 5.0"
    return bound(g, read)


