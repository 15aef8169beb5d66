"""Productions for handlers, contexts, `match`, generators and functions that assign names around them."""

from . import scalars
from .aliases import DEEP, defined
from .blocks import body, rebind_in_arm, tidy_pass
from .conditions import condition
from .expressions import array, tame
from .generator import Generator, production
from .kinds import FLOAT, Expr, Static
from .object_values import blueprint, in_sight
from .records import BOUND, floating
from .scope import Scope, Variable
from .statements import WITH_OBJECTS


def arm_of(g: Generator, outside: Scope, count: int, *first: str) -> Scope:
    """The statements of a branch, after these, and the names that it leaves."""
    g.scope = outside.arm()
    with g.indented():
        for line in first:
            g.emit(line)
    body(g, count)
    with g.indented():
        if g.chance(0.6):
            rebind_in_arm(g)
        stored(g)
    tidy_pass(g)
    made = g.scope
    for name in [n for n in made.variables if n in made.local]:
        del made.variables[name]
    return made


def stored(g: Generator) -> None:
    """A store to an object in sight, now and then."""
    found = [o for o in in_sight(g) if blueprint(g, o).changes]
    if found and g.chance(0.4):
        o = g.pick(found)
        n = blueprint(g, o).number
        g.emit(f"{o.text}.{n} = 0.5 * {o.text}.{n} + {tame(g, floating(g, 1), 1.0).closed}")
        g.mark("object: attribute stored", "object: stored in a branch")
        g.written(o, BOUND)


@production(WITH_OBJECTS, 7)
def handled(g: Generator) -> bool | None:
    """Something that is raised on one path, and what is done about it."""
    if g.depth > DEEP - 1 or g.loops > 1:
        return None
    kind = g.pick(("ValueError", "RuntimeError", "KeyError", "ZeroDivisionError"))
    caught = g.pick((kind, kind, f"({kind}, TypeError)", "Exception", f"{kind} as error"))
    g.mark("try")
    test = condition(g, 1)
    message = g.pick(("", '"not so"'))
    raising = [f"if {test}:", f"    raise {kind}({message})"]
    if g.chance(0.35) and not g.functions:
        name = defined(g, "checked", "c, limit=0.4",
                       ("if c > limit:", '    raise ValueError("too large")', "return c * c + 0.3"))  # fmt: skip
        if name is None:
            return None
        g.mark("try: raised by a helper", "helper")
        s = g.fresh_name("s", "got")
        g.emit(f"{s} = {tame(g, floating(g, 1), 1.0).text}")
        g.bind(s, Expr(s, FLOAT, 4.0))
        raising = [f"{s} = {name}({tame(g, scalars.number(g, 1), 1.5).text})"]
        caught = g.pick(("ValueError", "ValueError", "Exception", "(KeyError, ValueError)", "ValueError as error"))
    else:
        g.mark("raise", "if")
    outside = g.scope
    around, g.leaving = g.leaving, ()
    g.emit("try:")
    g.scope = outside.arm()
    before = g.pick((0, 0, 1))
    if before:
        body(g, 1)
    with g.indented():
        stored(g)
        rebind_in_arm(g) if g.chance(0.5) else None
        for line in raising:
            g.emit(line)
    inside = arm_of(g, g.scope, g.pick((0, 1)))
    g.leaving = around
    g.scope = outside
    g.emit(f"except {caught}:")
    handler = arm_of(g, outside, g.pick((0, 0, 1)))
    arms = [inside, handler, outside.copy()]
    if g.chance(0.4):
        g.mark("try: else")
        g.emit("else:")
        arms.append(arm_of(g, outside, g.pick((0, 1))))
    if g.chance(0.45):
        g.mark("try: finally")
        g.emit("finally:")
        g.leaving = ()
        arms.append(arm_of(g, outside, g.pick((0, 1))))
        g.leaving = around
    g.scope = outside
    for arm in arms:
        for name in [n for n in arm.variables if n not in outside.variables]:
            del arm.variables[name]
    g.scope.join(arms)
    return True


@production(WITH_OBJECTS, 7)
def matched(g: Generator) -> bool | None:
    """`match` of a static, or of the structure of a tuple, list or dict."""
    if g.depth > DEEP:
        return None
    modes = [v for v in g.scope.variables.values() if isinstance(v.kind, Static)]
    outside = g.scope
    if modes and g.chance(0.8):
        g.mark("match: static", "condition: static")
        v = g.pick(modes)
        g.emit(f"match {v.name}:")
        cases = ['"fast" | True', '"slow" | None', "_"] if g.chance(0.6) else ["None | False", "_"]
        arms = []
        for case in cases:
            with g.indented():
                g.emit(f"case {case}:")
                arms.append(arm_of(g, outside, g.pick((0, 1))))
        g.scope = outside
        g.scope.join([*arms, outside.copy()])
        return True
    a, b = tame(g, floating(g, 1), 1.0), tame(g, floating(g, 1), 1.0)
    s = g.fresh_name("s", "got")
    left, right = g.fresh_name("left", "u"), g.fresh_name("right", "w")
    g.mark("match: structure")
    subject, cases = g.pick((
        (f"({a.text}, {b.text})", [f"({left}, {right}) if {left} > 0.2", f"({left}, {right})"]),
        (f"[{a.text}, {b.text}, 0.5]", [f"[{left}, *_, {right}] if {right} < {left}", f"[{left}, {right}, _]"]),
        (f'{{"a": {a.text}, "b": {b.text}}}', [f'{{"c": {left}, "a": {right}}}', f'{{"a": {left}, "b": {right}}}']),
        (f"({a.text}, ({b.text}, 1.0))", [f"({left}, ({right}, 2.0))", f"({left}, ({right}, _))"]),
    ))  # fmt: skip
    g.emit(f"match {subject}:")
    for i, case in enumerate(cases):
        with g.indented():
            g.emit(f"case {case}:")
            texts = (f"{left} * {right}", f"np.sin({left}) + 0.5 * {right}", f"{left} - {i}.5 * {right}")
            g.emit(f"    {s} = {g.pick(texts)}")
    if g.chance(0.7):
        with g.indented():
            g.emit("case _:")
            g.emit(f"    {s} = 0.5")
    g.bind(s, Expr(s, FLOAT, 3.0))
    return True


GENERATORS = (
    ("scaled_ones", "xs, c", ("for v in xs:", "    yield 0.5 * v * c")),
    ("until_large", "xs, c", ("for v in xs:", "    if v > 0.9:", "        return", "    yield np.sin(v) * c")),
    ("running", "xs, c", ("s = c", "for v in xs:", "    s = 0.5 * s + v", "    yield s")),
    ("both_ways", "xs, c", ("yield c", "for v in xs:", "    yield 0.5 * v", "yield 0.3 * c")),
    ("some_of", "xs, c", ("for i, v in enumerate(xs):", "    if v > -0.2:", "        yield v * c + 0.1 * i")),
)


@production(WITH_OBJECTS, 4)
def generated(g: Generator) -> bool | None:
    """A generator, and a loop that reads it."""
    if g.loops > 1 or g.functions:
        return None
    dims = g.dims(ndim=(1,))
    e = array(g, dims, 1) if dims else None
    text = tame(g, e, 1.0).text if e is not None else f"[{floating(g, 1).text}, 0.5]"
    name = defined(g, *g.pick(GENERATORS))
    if name is None:
        return None
    g.mark("generator", "helper")
    call = f"{name}({text}, {tame(g, floating(g, 1), 1.0).text})"
    s, v = g.fresh_name("s", "total"), g.fresh_name("v", "t")
    found = [o for o in in_sight(g) if blueprint(g, o).changes]
    if g.chance(0.35):
        g.emit(f"{s} = {g.pick((f'sum({call})', f'sum([t * t for t in {call}])', f'sum(list({call}))'))} / 5.0")
    else:
        g.emit(f"{s} = 0.0")
        g.emit(f"for {v} in {call}:")
        with g.indented():
            if found and g.chance(0.5):
                o = g.pick(found)
                n = blueprint(g, o).number
                g.mark("object: stored in a loop", "object: attribute stored")
                g.emit(f"{o.text}.{n} = 0.5 * {o.text}.{n} + 0.3 * {v}")
                g.written(o, BOUND)
            g.emit(g.pick((f"{s} += 0.2 * {v}", f"{s} = 0.5 * {s} + {v} * {v}", f"{s} = np.cos({s}) * {v}")))
            if g.chance(0.3):
                g.mark("break", "if", "branch in loop")
                g.emit(f"if {v} > 0.4:")
                g.emit("    break")
    g.bind(s, Expr(s, FLOAT, BOUND))
    return True


@production(WITH_OBJECTS, 3)
def in_context(g: Generator) -> bool | None:
    """Statements under a context manager, one of which may raise what it suppresses."""
    if g.depth > DEEP - 1 or g.loops > 1:
        return None
    g.mark("with")
    outside = g.scope
    around, g.leaving = g.leaving, ()
    if g.chance(0.5):
        context = g.pick(('np.errstate(all="ignore")', "contextlib.nullcontext()"))
        g.emit(f"with {context}:")
        inside = arm_of(g, outside, 1)
    else:
        g.mark("raise", "if", "try")
        g.emit("with contextlib.suppress(ValueError):")
        g.scope = outside.arm()
        with g.indented():
            stored(g)
            rebind_in_arm(g)
            g.emit(f"if {condition(g, 1)}:")
            g.emit("    raise ValueError")
        inside = arm_of(g, g.scope, g.pick((0, 1)))
    g.leaving = around
    g.scope = outside
    for name in [n for n in inside.variables if n not in outside.variables]:
        del inside.variables[name]
    g.scope.join([inside, outside.copy()])
    return True


@production(WITH_OBJECTS, 4)
def nonlocal_number(g: Generator) -> bool | None:
    """A function that assigns a name around it, called outside and in loops."""
    if g.functions or g.depth > 1 or g.loops:
        return None
    s, name, count = g.fresh_name("level", "s"), g.fresh_name("push", "note"), g.fresh_name("count", "calls")
    e = tame(g, floating(g, 1), 1.0)
    g.mark("nonlocal", "nested function", "closure")
    g.emit(f"{s} = {e.text}")
    counted = g.chance(0.3)
    if counted:
        g.emit(f"{count} = 0")
    g.emit(f"def {name}(v):")
    with g.indented():
        g.emit(f"nonlocal {s}{f', {count}' if counted else ''}")
        if g.chance(0.4):
            g.emit(f"if v > {g.pick(('0.1', '-0.2'))}:")
            g.emit(f"    {s} = 0.3 * {s}")
        g.emit(g.pick((f"{s} = 0.5 * {s} + v", f"{s} += 0.2 * v", f"{s} = np.sin({s}) * v")))
        if counted:
            g.emit(f"{count} += 1")
        g.emit(f"return {s} * v")
    for _ in range(g.pick((1, 2))):
        v = tame(g, floating(g, 1), 1.0)
        if g.chance(0.4):
            g.mark("for: range")
            i = g.fresh_name("i", "k")
            g.emit(f"for {i} in range({g.pick('0123')}):")
            g.emit(f"    {name}({v.closed} + 0.1 * {i})")
        elif g.chance(0.5):
            g.emit(f"{name}({v.text})")
        else:
            t = g.fresh_name("t", "r")
            g.emit(f"{t} = {name}({v.text})")
            g.bind(t, Expr(t, FLOAT, BOUND))
    g.scope.bind(Variable(s, FLOAT, BOUND, fixed=True))
    if counted:
        t = g.fresh_name("t", "r")
        g.emit(f"{t} = {s} * {count}")
        g.bind(t, Expr(t, FLOAT, 2 * BOUND))
    return True


