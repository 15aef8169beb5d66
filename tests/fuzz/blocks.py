"""Productions for statements with blocks: branches, loops, functions."""

from collections.abc import Callable
from dataclasses import replace

from . import containers, functions, object_values, recursion, scalars
from .conditions import condition
from .expressions import array, tame
from .generator import Generator, production
from .kinds import FLOAT, INT, NOBODY, Array, Dict, Expr, Number, Record, Sequence
from .scope import Scope, Variable
from .statements import SCALAR, STATEMENTS, of_kind, rebind_scalar, rebindable, scalars_in_sight, statements, value

DEEPEST = 3


def body(g: Generator, count: int, *required: str) -> None:
    """A block of some statements, with the required ones between or after them."""
    lines = len(g.block)
    with g.indented():
        statements(g, count)
        for line in required:
            g.emit(line)
        if len(g.block) == lines:
            g.mark("pass")
            g.emit("pass")


@production(STATEMENTS, 5)
def branch(g: Generator) -> bool | None:
    if g.depth >= DEEPEST:
        return None
    tests = [condition(g, 2) for _ in range(g.pick((1, 1, 1, 2)))]
    otherwise = g.chance(0.6)
    g.mark("if", *(["elif"] if len(tests) > 1 else []), *(["else"] if otherwise else []))
    if g.depth:
        g.mark("branch in loop" if g.loops else "nested if")
    walrus = None
    if g.chance(0.1):
        e = tame(g, scalars.number(g, 1))
        if e.kind == FLOAT:
            g.mark("walrus")
            walrus = (g.fresh_name(), e)
            tests[0] = f"({walrus[0]} := {e.text}) > 0.2"
            g.bind(*walrus)
    outside = g.scope
    arms = []
    new = shared(g, otherwise)
    for number, test in enumerate([*tests, None]):
        if test is None and not otherwise:
            arms.append(outside.copy())
            continue
        g.scope = outside.arm()
        g.emit("else:" if test is None else f"{'elif' if number else 'if'} {test}:")
        body(g, g.pick((0, 1, 1, 2)))
        with g.indented():
            if new is not None:
                bind_in_arm(g, *new)
            elif g.chance(0.8):
                rebind_in_arm(g)
        tidy_pass(g)
        arms.append(g.scope)
    g.scope = outside
    for arm in arms:
        for name in list(arm.variables):
            if name in arm.local and (new is None or name != new[0]):
                del arm.variables[name]
    g.scope.join(arms)
    return True


def tidy_pass(g: Generator) -> None:
    """Drop a `pass` that has a neighbour."""
    for i in range(len(g.block) - 1, 0, -1):
        line, before = g.block[i], g.block[i - 1]
        if before.strip() == "pass" and len(line) - len(line.lstrip()) == len(before) - len(before.lstrip()):
            del g.block[i - 1]


def shared(g: Generator, otherwise: bool) -> tuple[str, Array | Number | Record] | None:
    """A name that each arm binds first, to a value of one kind."""
    if not otherwise or not g.chance(0.35):
        return None
    found = object_values.in_sight(g)
    if found and g.chance(0.4):
        return g.fresh_name("chosen", "o"), g.pick(found).kind
    dims = g.dims() if g.chance(0.5) else None
    return g.fresh_name(), Array(dims) if dims else FLOAT


def bind_in_arm(g: Generator, name: str, kind: Array | Number | Record) -> None:
    if isinstance(kind, Record):
        g.mark("object: bound in a branch")
        object_values.bind(g, name, object_values.of_kind(g, kind))
        return
    e = of_kind(g, kind, 2, 12.0) or Expr("0.5", FLOAT, 0.5, 0.5)
    if isinstance(kind, Array) and not e.dims:
        e = array(g, kind.dims, 0) or e
    g.emit(f"{name} = {e.text}")
    g.bind(name, e)


def rebind_in_arm(g: Generator) -> None:
    if g.chance(0.35) and object_values.rebound(g):
        return
    scalars = scalars_in_sight(g)
    if scalars and g.chance(0.4):
        rebind_scalar(g, g.pick(scalars))
        return
    old = rebindable(g)
    if not old:
        return
    variable = g.pick(old)
    e = of_kind(g, variable.kind, 2, variable.bound)
    if e is None or e.text == variable.name or e.roots & (g.scope.locked | {variable.name}):
        return
    g.mark("rebinding")
    g.emit(f"{variable.name} = {e.text}")
    g.bind(variable.name, e)


@production(STATEMENTS, 6)
def for_loop(g: Generator) -> bool | None:
    if g.depth >= DEEPEST or g.loops >= 2:
        return None
    carried = carry(g)
    head = containers.iteration(g)
    if head is None:
        return None
    if g.loops:
        g.mark("nested loop")
    elif g.depth:
        g.mark("loop in branch")
    if g.functions:
        g.mark("loop in helper")
    g.emit(f"for {head.target} in {head.text}:")
    loop_body(g, carried, list(head.variables))
    if g.chance(0.25):
        otherwise(g)
    return True


def otherwise(g: Generator) -> None:
    """An `else` of the loop that was written last."""
    g.mark("else of loop")
    outside = g.scope
    g.scope = outside.arm()
    g.emit("else:")
    body(g, g.pick((0, 1)))
    with g.indented():
        rebind_in_arm(g)
    tidy_pass(g)
    rejoin(g, outside)


def rejoin(g: Generator, outside: Scope) -> None:
    """Continue behind a branch that ran or did not."""
    arm, g.scope = g.scope, outside
    for name in [n for n in arm.variables if n in arm.local]:
        del arm.variables[name]
    g.scope.join([arm, outside.copy()])


@production(STATEMENTS, 8)
def leave(g: Generator) -> bool | None:
    """A branch that leaves the loop, or this iteration of it."""
    if not g.leaving or g.depth > DEEPEST:
        return None
    word = g.pick((*g.leaving, g.leaving[-1]))
    g.mark(word, "if", "branch in loop")
    outside = g.scope
    g.emit(f"if {condition(g, 1)}:")
    g.scope = outside.arm()
    with g.indented():
        if g.chance(0.5):
            rebind_in_arm(g)
        g.emit(word)
    rejoin(g, outside)
    if g.chance(0.2):
        g.mark("else")
        g.scope = outside.arm()
        g.emit("else:")
        body(g, 1)
        with g.indented():
            rebind_in_arm(g)
        tidy_pass(g)
        rejoin(g, outside)
    return True


@production(STATEMENTS, 2.7)
def return_early(g: Generator) -> bool | None:
    """A branch that returns what the function does: a number."""
    if g.functions or g.depth > DEEPEST:
        return None
    e = tame(g, scalars.number(g, 3), 10.0)
    if e.kind != FLOAT:
        return None
    g.mark("return in loop" if g.loops else "return in branch", "if")
    g.emit(f"if {condition(g, 1)}:")
    with g.indented():
        g.emit(f"return 0.5 * {e.closed}")
    return True


@production(STATEMENTS, 4)
def return_from_loop(g: Generator) -> bool | None:
    """The same in a loop, which comes less often."""
    return return_early(g) if g.loops else None


@production(STATEMENTS, 2)
def endless_while(g: Generator) -> bool | None:
    """A loop that ends by a `break` alone."""
    if g.depth >= DEEPEST or g.loops >= 2:
        return None
    carried = carry(g)
    counter = g.fresh_name("i", "k", "step", "count")
    g.mark("while: endless", "break", *(["nested loop"] if g.loops else []))

    def first() -> None:
        g.emit(f"{counter} += 1")
        g.emit(f"if {counter} > {g.pick('1234')}:")
        with g.indented():
            g.emit("break")

    g.emit(f"{counter} = 0")
    g.emit("while True:")
    loop_body(g, carried, [Variable(counter, INT, 5.0, fixed=True)], first=first)
    return True


def carry(g: Generator) -> list[Variable]:
    """Names that the loop will bind each time: some in sight, some new."""
    old = g.shuffled(rebindable(g))[: g.pick((0, 1, 1, 2))]
    if not old or g.chance(0.5):
        name = g.fresh_name("total", "acc", "loss", "s")
        start = g.pick(("0.0", "0.0", "0", scalars.number(g, 1).text))
        g.emit(f"{name} = {start}")
        g.bind(name, Expr(start, FLOAT, 4.0))
        old.append(g.scope.variables[name])
    if g.chance(0.35):
        dims = g.dims(ndim=(1, 2))
        e = None if dims is None else array(g, dims, g.pick((0, 1)))
        if e is not None and not e.roots & g.scope.locked:
            name = g.fresh_name("h", "state", "z", "u")
            e = tame(g, e, 4.0)
            g.emit(f"{name} = {e.text}")
            g.bind(name, e)
            old.append(g.scope.variables[name])
    found = scalars_in_sight(g)
    if found and g.chance(0.5):
        old.append(g.pick(found))
    if g.chance(0.85):
        objects = g.shuffled(object_values.bindable(g))
        old += objects[:1] + [v for v in objects[1:2] if v.kind == objects[0].kind]
    return old


def loop_body(
    g: Generator,
    carried: list[Variable],
    bound: list[Variable],
    *required: str,
    first: Callable[[], None] | None = None,
) -> None:
    """The block of a loop: begins with what `first` writes, and binds what it carries again, tamely.

    The `required` lines at its end are never left out: no `continue` skips them.
    """
    outside = g.scope
    around, g.leaving = g.leaving, ("break",) if required else ("break", "continue")
    names = [v.name for v in carried]
    g.scope = outside.body(set(names))
    for variable in bound:
        g.scope.bind(variable)
    g.loops += 1
    if first is not None:
        with g.indented():
            first()
    body(g, g.pick((0, 1, 1, 2)))
    with g.indented():
        done = rotate(g, [g.scope.variables[name] for name in names])
        for name in g.shuffled([name for name in names if name not in done]):
            variable = g.scope.variables[name]
            if isinstance(variable.kind, Record):
                object_values.rebound(g, variable)
            elif variable.kind == SCALAR:
                rebind_scalar(g, variable)
            elif isinstance(variable.kind, Array):
                advance_array(g, variable)
            else:
                advance_number(g, variable)
        for line in required:
            g.emit(line)
    tidy_pass(g)
    g.loops -= 1
    g.leaving = around
    inside, g.scope = g.scope, outside
    for name in names:
        before, after = outside.variables[name], inside.variables[name]
        if isinstance(before.kind, Record):
            g.scope.bind(replace(before, owned=False, shares=before.shares | after.shares - {name}))
            continue
        g.scope.bind(Variable(name, before.kind, max(before.bound, after.bound), owned=before.owned and after.owned))
    for name, variable in inside.variables.items():
        if name in g.scope.variables and not variable.owned and name not in names:
            g.scope.expose(frozenset({name}))
    if g.loops:
        g.scope.locked |= inside.locked


def advance_number(g: Generator, variable: Variable) -> None:
    """A new value of a carried number, from the old one: as a sum, or through something not linear."""
    e = tame(g, scalars.number(g, 3), 1.0)
    name = variable.name
    style = g.rng.randrange(10)
    g.mark("augmented number" if style < 5 else "rebinding")
    if style < 4:
        g.emit(f"{name} += {e.text}")
    elif style == 4:
        g.emit(f"{name} -= {e.text}")
    else:
        texts = (
            f"0.7 * {name} + {e.closed}",
            f"np.tanh({name} + {e.closed})",
            f"{name} + {e.closed}",
            f"math.sin({name}) + {e.closed}",
            f"{name} * {e.closed}",
            f"np.cos({name} * {name}) * {e.closed}",
        )
        g.emit(f"{name} = {g.pick(texts)}")
    g.bind(name, Expr(name, FLOAT, variable.bound))


def advance_array(g: Generator, variable: Variable) -> None:
    """A new value of a carried array, from the old one."""
    name, dims = variable.name, variable.kind.dims  # type: ignore[union-attr]
    e = array(g, dims, 3)
    if e is None:
        return
    e = tame(g, e, 1.5)
    g.mark("carried array")
    if g.chance(0.25) and variable.owned:
        g.mark("augmented array")
        g.emit(f"{name} += {e.text}")
        g.scope.locked.add(name)
        return
    texts = [
        f"np.tanh({name} + {e.closed})",
        f"0.5 * {name} + {e.closed}",
        f"{name} * 0.8 - {e.closed}",
        f"np.sin({name}) * {e.closed}",
        f"np.sin({name}) + {e.closed} * {name} / 2.0",
        f"np.cos({name} * {name}) - {e.closed}",
        f"{name} / (1.0 + {name} ** 2) + {e.closed}",
    ]
    square = [p.text for p in g.places() if p.dims == (dims[0], dims[0])]
    if square and len(dims) < 3 and g.chance(0.5):
        g.mark("matmul operator")
        texts = [f"np.tanh({g.pick(square)} @ {name} + {e.closed})"]
    elif g.chance(0.15) and e.text != name and not e.roots & (g.scope.locked | {name}):
        texts = [e.text]
    text = g.pick(texts)
    g.emit(f"{name} = {text}")
    roots = e.roots if text == e.text else frozenset[str]()
    g.bind(name, Expr(text, Array(dims), max(variable.bound, 3.0), roots=roots))


def rotate(g: Generator, carried: list[Variable]) -> list[str]:
    """Bind two carried names of one kind at once, the second to what the first was; which are done with."""
    pairs = [(a, b) for a in carried for b in carried if a.name != b.name and a.kind == b.kind != SCALAR]
    turned = [(a, b) for a, b in pairs if isinstance(a.kind, Record)]
    if turned and g.chance(0.6):
        object_values.swapped(g, *turned[0])
        return [v.name for v in turned[0]]
    pairs = [(a, b) for a, b in pairs if not isinstance(a.kind, Record)]
    pairs = [(a, b) for a, b in pairs if not {a.name, b.name} & g.scope.locked]
    if not pairs or not g.chance(0.4):
        return []
    a, b = g.pick(pairs)
    e = of_kind(g, a.kind, 2, 1.5)
    if e is None or e.roots & (g.scope.locked | {a.name, b.name}):
        return []
    g.mark("tuple target", "rotation")
    text = g.pick((f"np.sin({a.name}) + {e.closed}", f"0.5 * {a.name} * {b.name} + {e.closed}", e.text))
    g.emit(f"{a.name}, {b.name} = {text}, {a.name}")
    bound = max(a.bound, b.bound, 3.0)
    for v in (a, b):
        roots = frozenset({b.name if v is a else a.name}) if isinstance(v.kind, Array) else frozenset[str]()
        g.bind(v.name, Expr(v.name, v.kind, bound, roots=roots))
    return [a.name, b.name]


@production(STATEMENTS, 1.5)
def kept_name(g: Generator) -> bool | None:
    """A name that some iterations alone assign, the first among them: it keeps its value through the others."""
    if g.depth >= DEEPEST - 1 or g.loops >= 2:
        return None
    carried = carry(g)
    index, inner, name = g.fresh_name("i", "k", "step"), g.fresh_name("j", "r"), g.fresh_name()
    e = value(g, 2)
    if e.roots & g.scope.locked or e.kind == INT:
        return None
    style = g.rng.randrange(4)
    heads = (f"if {index} < 1:", f"if {index} % 2 == 0:", f"for {inner} in range(2 - {index}):", f"while {inner} < 1:")
    made: list[Variable] = []

    def first() -> None:
        if style == 3:
            g.emit(f"{inner} = {index}")
        g.emit(heads[style])
        with g.indented():
            g.emit(f"{name} = {e.text}")
            if style == 3:
                g.emit(f"{inner} += 1")
        g.scope.bind(Variable(name, e.kind, e.bound, e.low, fixed=True))
        made.append(g.scope.variables[name])

    g.mark("kept name", *(["nested loop"] if style > 1 or g.loops else []))
    g.scope.expose(e.roots)
    g.emit(f"for {index} in range({g.pick('1234')}):")
    loop_body(g, carried, [Variable(index, INT, 5.0, fixed=True)], first=first)
    g.scope.bind(replace(made[0], fixed=False))
    return True


@production(STATEMENTS, 1.5)
def counting_while(g: Generator) -> bool | None:
    if g.depth >= DEEPEST or g.loops >= 2:
        return None
    carried = carry(g)
    counter = g.fresh_name("i", "k", "step", "count")
    dims = g.dims()
    size = None if dims is None else g.length_text(dims[0])
    g.mark("while: counter")
    if g.loops:
        g.mark("nested loop")
    down = g.chance(0.25)
    stop = size if size and g.chance(0.5) else g.pick("234")
    indexes = frozenset(dims[:1]) if size == stop and dims and not down else frozenset()
    g.emit(f"{counter} = {stop if down else 0}")
    test = f"{counter} > 0" if down else f"{counter} < {stop}"
    numbers = [v.name for v in carried if v.kind == FLOAT]
    if numbers and g.chance(0.25):
        g.mark("boolean operator")
        test += f" and {g.pick(numbers)} < 3.3"
    g.emit(f"while {test}:")
    variable = Variable(counter, INT, 5.0, fixed=True, indexes=indexes)
    loop_body(g, carried, [variable], f"{counter} {'-' if down else '+'}= 1")
    return True


@production(STATEMENTS, 1.5)
def growing_while(g: Generator) -> bool | None:
    """A loop whose end depends on active values; it cannot run more than a dozen times."""
    if g.depth >= DEEPEST or g.loops >= 1:
        return None
    carried = [v for v in carry(g) if isinstance(v.kind, Array)]
    name = g.fresh_name("level", "s", "reach")
    start = tame(g, scalars.number(g, 1), 1.0)
    g.mark("while: data")
    g.emit(f"{name} = {start.text}")
    g.emit(f"while {name} < {g.pick(('1.7', '2.3', '1.3'))}:")
    g.bind(name, Expr(name, FLOAT, 4.0))
    held = g.scope.variables[name]
    g.scope.bind(Variable(name, held.kind, 4.0, fixed=True))
    e = tame(g, scalars.number(g, 2), 2.0)
    grow = (
        f"{name} = {name} + 0.4 + {e.closed} * {e.closed}"
        if len(e.text) < 20
        else f"{name} += 0.5 + 0.2 * np.sin({e.text})"
    )
    loop_body(g, carried, [], grow)
    return True


@production(STATEMENTS, 4.5)
def any_kind_loop(g: Generator) -> bool | None:
    """A loop over a container whose values differ in kind: only what suits them all is done to them."""
    if g.depth >= DEEPEST or g.loops >= 2:
        return None
    found = [
        v
        for v in g.scope.variables.values()
        if (isinstance(v.kind, Sequence) and all(isinstance(k, (Array, Number)) for k in v.kind.items))
        or (isinstance(v.kind, Dict) and all(isinstance(k, (Array, Number)) for _, k in v.kind.items))
    ]
    if not found:
        return None
    source = g.pick(found)
    total = g.fresh_name("penalty", "total", "norm")
    value = g.fresh_name("p", "value", "leaf")
    g.emit(f"{total} = 0.0")
    if isinstance(source.kind, Dict):
        g.mark("for: dict items")
        key = g.fresh_name("key", "name")
        style = g.rng.randrange(4)
        if style == 0:
            g.emit(f"for {key} in {source.name}:")
            value = f"{source.name}[{key}]"
        elif style == 1:
            g.emit(f"for {value} in {source.name}.values():")
        else:
            g.emit(f"for {key}, {value} in {source.name}.items():")
    else:
        g.mark(f"for: {source.kind.flavour}")
        g.emit(f"for {value} in {source.name}:")
    term = g.pick(
        (
            f"np.sum({value} ** 2)",
            f"np.sum(np.tanh({value}))",
            f"np.sum({value} * 0.5)",
            f"0.1 * np.sum({value} * {value})",
        )
    )
    g.mark("sum")
    with g.indented():
        g.emit(f"{total} += {term}")
    g.bind(total, Expr(total, FLOAT, min(40.0, 10 * source.bound**2)))
    return True


@production(STATEMENTS, 2)
def unpacked_call(g: Generator) -> bool | None:
    """Names for the results of a function that returns several."""
    found = [s for s in g.scope.functions.values() if isinstance(s.result, Sequence)]
    if not found or g.scope.locked:
        return None
    signature = g.pick(found)
    made = functions.call(g, signature, {}, 1)
    if made is None or not isinstance(made.kind, Sequence):
        return None
    g.mark("tuple result")
    if g.chance(0.2):
        name = g.fresh_name("pair", "result")
        g.emit(f"{name} = {made.text}")
        g.scope.expose(made.roots)
        g.scope.bind(Variable(name, made.kind, made.bound, fixed=True))
        return True
    names = [g.fresh_name() for _ in made.kind.items]
    g.emit(f"{', '.join(names)} = {made.text}")
    for name, kind in zip(names, made.kind.items, strict=True):
        g.bind(
            name,
            Expr(
                name,
                kind,
                made.bound,
                roots=made.roots | {NOBODY} if isinstance(kind, Array) else frozenset(),
            ),
        )
    return True


@production(STATEMENTS, 6)
def helper(g: Generator) -> bool | None:
    if g.functions or g.depth > 1:
        return None
    return functions.define_helper(g)


@production(STATEMENTS, 1.5)
def local_function(g: Generator) -> bool | None:
    if g.functions > 1 or g.depth > 1 or g.loops:
        return None
    return functions.define_local(g)


@production(STATEMENTS, 2)
def lambda_local(g: Generator) -> bool | None:
    return functions.define_lambda(g)


@production(STATEMENTS, 1.5)
def higher_order(g: Generator) -> bool | None:
    if g.functions:
        return None
    return functions.apply_function(g)


@production(STATEMENTS, 4)
def recursive_function(g: Generator) -> bool | None:
    return recursion.define_recursion(g)
