"""Productions for functions as values: in containers, bound to objects, made in loops, passed on."""

from . import scalars
from .aliases import defined
from .expressions import array, tame
from .functions import capture
from .generator import Generator, production
from .kinds import FLOAT, Array, Expr, Static
from .object_values import blueprint, in_sight
from .records import BOUND, floating
from .scope import Variable
from .statements import WITH_OBJECTS

#: Functions of one number or array `v` that are no larger than 3 where it is.
PLAIN = ("np.tanh", "np.sin", "np.cos", "np.arctan")


def made_function(g: Generator, *given: str) -> str:
    """A function of `v`, and of other numbers that it is given, which reads a number around it."""
    if g.chance(0.3) and not given:
        return str(g.pick(PLAIN))
    e = tame(g, scalars.number(g, 1), 1.0)
    own = f" * {given[0]}" if given else ""
    text = g.pick((f"v * {e.closed}{own}", f"np.sin(v){own} + {e.closed}", f"0.5 * v{own} - {e.closed} * np.cos(v)"))
    capture(g, e.text, {"v", *given})
    return f"lambda {', '.join(('v', *given))}: {text}"


def value(g: Generator) -> Expr:
    """What a function is called with."""
    dims = g.dims() if g.chance(0.5) else None
    e = array(g, dims, 1) if dims else None
    return tame(g, e if e is not None else floating(g, 1), 1.5)


def bind(g: Generator, text: str, like: Expr, bound: float = BOUND) -> None:
    """A name for a result."""
    name = g.fresh_name("y", "s", "r", "out")
    g.emit(f"{name} = {text}")
    kind = like.kind if isinstance(like.kind, Array) and like.dims else FLOAT
    g.bind(name, Expr(name, kind, bound, roots=frozenset({"!"}) if like.dims else frozenset()))


@production(WITH_OBJECTS, 3)
def in_a_dict(g: Generator) -> bool | None:
    keys = ("fast", "slow", "other")
    texts = [made_function(g) for _ in keys]
    name = g.fresh_name("table", "fns")
    g.mark("callback: in a dict")
    pairs = ", ".join(f'"{k}": {t}' for k, t in zip(keys, texts, strict=True))
    g.emit(f"{name} = {{{pairs}}}")
    modes = [v.name for v in g.scope.variables.values() if isinstance(v.kind, Static) and isinstance(v.kind.value, str)]
    for _ in range(g.pick((1, 1, 2))):
        key = g.pick(modes) if modes and g.chance(0.6) else f'"{g.pick(keys)}"'
        e = value(g)
        bind(g, f"{name}[{key}]({e.text})", e)
    if g.chance(0.3):
        e = value(g)
        f = g.fresh_name("fn", "act")
        y = g.fresh_name("y", "s")
        g.emit(f"{y} = {e.closed} * 0.5")
        g.emit(f"for {f} in {name}.values():")
        g.emit(f"    {y} = 0.5 * {f}({y})")
        g.bind(y, Expr(y, e.kind if e.dims else FLOAT, BOUND))
    return True


@production(WITH_OBJECTS, 3)
def in_a_list(g: Generator) -> bool | None:
    if g.loops > 1:
        return None
    texts = [made_function(g) for _ in range(g.pick((2, 3)))]
    e, y, f = value(g), g.fresh_name("y", "s"), g.fresh_name("fn", "layer")
    g.mark("callback: in a list")
    g.emit(f"{y} = {e.closed} * 0.5")
    if g.chance(0.3):
        i = g.fresh_name("i", "k")
        g.mark("for: enumerate")
        g.emit(f"for {i}, {f} in enumerate([{', '.join(texts)}]):")
        g.emit(f"    {y} = 0.5 * {f}({y}) + 0.1 * {i}")
    else:
        g.emit(f"for {f} in [{', '.join(texts)}]:")
        g.emit(f"    {y} = 0.5 * {f}({y})")
    g.bind(y, Expr(y, e.kind if e.dims else FLOAT, BOUND))
    return True


@production(WITH_OBJECTS, 4)
def made_in_a_loop(g: Generator) -> bool | None:
    """Functions that are made in a loop: they read names around them late, or keep what they were given."""
    if g.depth > 1 or g.loops:
        return None
    fns, i, w = g.fresh_name("fs", "steps"), g.fresh_name("i", "k"), g.fresh_name("w", "c")
    first, second = (tame(g, floating(g, 1), 1.0) for _ in range(2))
    g.mark("callback: made in a loop", "closure", "for: range")
    factory = None
    style = g.rng.randrange(4)
    if style == 0:
        factory = defined(g, "scaled_by", "k, c", ("def scaled(v):", "    return v * c + 0.1 * k", "", "return scaled"))
        if factory is None:
            return None
        g.mark("helper", "nested function")
    bodies = {
        1: f"lambda v: v * {w} + 0.1 * {i}",
        2: f"lambda v, {i}={i}: v * {w} + 0.1 * {i}",
        3: f"lambda v, {w}={w}: v * {w} + 0.1 * {i}",
    }
    text = f"{factory}({i}, {w})" if style == 0 else bodies[style]
    if style:
        g.mark("lambda")
    g.emit(f"{w} = {first.text}")
    if g.chance(0.3):
        g.mark("list comprehension")
        g.emit(f"{fns} = [{text} for {i} in range({g.pick('23')})]")
    else:
        g.emit(f"{fns} = []")
        g.emit(f"for {i} in range({g.pick('123')}):")
        with g.indented():
            if g.chance(0.4):
                g.emit(f"{w} = 0.5 * {w} + {second.closed}")
            g.emit(f"{fns}.append({text})")
    if g.chance(0.6):
        g.mark("late closure")
        g.emit(f"{w} = {second.text}")
    g.scope.bind(Variable(w, FLOAT, 2.0, fixed=True))
    e, f = tame(g, floating(g, 1), 1.0), g.fresh_name("f", "fn")
    s = g.fresh_name("s", "total")
    if g.chance(0.5):
        g.emit(f"{s} = sum({f}({e.text}) for {f} in {fns})")
    elif g.chance(0.5):
        g.emit(f"{s} = {fns}[0]({e.text}) * {fns}[-1](0.5)")
    else:
        g.emit(f"{s} = {e.text}")
        g.emit(f"for {f} in {fns}:")
        g.emit(f"    {s} = 0.5 * {f}({s})")
    g.bind(s, Expr(s, FLOAT, BOUND))
    return True


BLENDS = (
    ("blended_with", "a, b, c=0.5", ("return c * a + (1.0 - c) * b",)),
    ("bent_by", "a, b, c=0.3", ("return np.sin(a) * b + c * b",)),
)


@production(WITH_OBJECTS, 3)
def partial(g: Generator) -> bool | None:
    name = defined(g, *g.pick(BLENDS))
    if name is None:
        return None
    e, given = value(g), tame(g, floating(g, 1), 1.0)
    g.mark("callback: partial", "helper")
    f = g.fresh_name("part_of", "act")
    if g.chance(0.4):
        g.emit(f"{f} = functools.partial({name}, {given.text}, c={tame(g, floating(g, 1), 1.0).text})")
    else:
        g.emit(f"{f} = functools.partial({name}, {given.text})")
    bind(g, f"{f}({e.text})", e)
    return True


PASSED = (
    ("twice_of", "fn, x", ("return fn(0.5 * fn(x))",)),
    ("summed_of", "fn, x", ("s = 0.0", "for k in range(2):", "    s += fn(x + 0.1 * k)", "return 0.5 * s")),
    (
        "until_small",
        "fn, x",
        ("for k in range(3):", "    x = 0.5 * fn(x)", "    if x < 0.1:", "        break", "return x"),
    ),
)


@production(WITH_OBJECTS, 4)
def passed_on(g: Generator) -> bool | None:
    """A method of an object, or a function that reads one, given to a helper."""
    if g.functions:
        return None
    name = defined(g, *g.pick(PASSED))
    if name is None:
        return None
    e = tame(g, floating(g, 1), 1.0)
    found = in_sight(g)
    g.mark("callback: passed on", "helper", "function as argument")
    if found:
        o = g.pick(found)
        b = blueprint(g, o)
        methods = [m for m in b.all_methods if m.takes == "c" and m.result == "number" and not m.name.startswith("__")]
        if methods and g.chance(0.7):
            m = g.pick(methods)
            g.mark("callback: bound method", "object: method", *(["object: method changes it"] if m.changes else []))
            bind(g, f"{name}({o.text}.{m.name}, {e.text})", e.but("", kind=FLOAT))
            g.written(o, BOUND)
            return True
        g.mark("lambda", "closure")
        text = f"lambda v: 0.5 * v * {o.text}.{b.number}"
        capture(g, text, {"v"})
        bind(g, f"{name}({text}, {e.text})", e.but("", kind=FLOAT))
        return True
    bind(g, f"{name}({made_function(g)}, {e.text})", e.but("", kind=FLOAT))
    return True


@production(WITH_OBJECTS, 3)
def mapped(g: Generator) -> bool | None:
    """`map`, `functools.reduce`, getters of `operator`."""
    parts = [tame(g, floating(g, 1), 1.0).text for _ in range(g.pick((2, 3)))]
    xs = f"[{', '.join(parts)}]"
    g.mark("callback: map or reduce")
    found = in_sight(g)
    texts = [
        f"sum(map({made_function(g)}, {xs}))",
        f"functools.reduce(lambda a, b: 0.5 * a + b, {xs})",
        f"functools.reduce(lambda a, b: np.sin(a) * b, {xs}, 0.7)",
        f"sum(map(operator.mul, {xs}, reversed({xs})))",
    ]
    if found:
        o = g.pick(found)
        number = blueprint(g, o).number
        texts.append(f'operator.attrgetter("{number}")({o.text}) * 0.5')
        texts.append(f"sum(map(lambda v: 0.3 * v * {o.text}.{number}, {xs}))")
        capture(g, texts[-1], {"v"})
    bind(g, g.pick(texts), Expr("", FLOAT))
    return True
