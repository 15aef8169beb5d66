"""Functions of the generated program that call themselves, or each other; and calls of them."""

from . import scalars
from .expressions import array, tame
from .functions import PARAMETER_BOUND, capture, separate_body
from .generator import Generator
from .kinds import FLOAT, INT, NOBODY, Array, Expr, Number
from .scope import Scope, Variable
from .statements import of_kind, statements

LIMIT = PARAMETER_BOUND
Params = list[tuple[str, Array | Number]]


def define_recursion(g: Generator) -> bool | None:
    """A function that calls itself, in the module or in the function, and a call of it."""
    if g.functions or g.loops > 1:
        return None
    inside = g.chance(0.35)
    first = pick_kind(g, ("p",) if not inside else g.dims(least=1, ndim=(1, 2)))
    name = g.fresh_name("descend", "fold", "visit", "climb")
    g.reserved.add(name)
    kinds = [first] if g.chance(0.5) else [first, FLOAT]
    result = first if g.chance(0.6) else FLOAT
    other = g.fresh_name("turn", "back") if g.chance(0.5) and not inside else ""
    scope = g.scope.within() if inside else Scope(functions=dict(g.module_functions))
    texts = []
    for mine, theirs in ((name, other or name), (other, name)):
        if mine:
            made = definition(g, scope.copy(), inside, mine, theirs, kinds, result)
            if made is None:
                return None
            texts.append(made)
    g.mark("recursion", *(["mutual recursion"] if other else ["recursion: nested function"] if inside else ["helper"]))
    if other:
        g.reserved.add(other)
    if inside:
        for text in texts:
            lines = text.split("\n")
            g.block.extend(lines)
            capture(g, text, {name})
    else:
        g.preamble.extend(texts)
    given = []
    for kind in kinds:
        wanted = Array(g.dims(least=2, ndim=(1,)) or ()) if kind == Array(("p",)) and not inside else kind
        if isinstance(wanted, Array) and not wanted.dims:
            return None
        e = of_kind(g, wanted, 1, LIMIT)
        if e is None:
            return None
        given.append((e, wanted))
    levels = g.pick("0122334") if not (g.loops or g.chance(0.2)) else "2"
    target = g.fresh_name()
    kind = given[0][1] if result == first else FLOAT
    g.emit(f"{target} = {name}({', '.join([*(e.text for e, _ in given), levels])})")
    roots = frozenset().union(*(e.roots for e, _ in given)) | {NOBODY} if isinstance(kind, Array) else frozenset()
    g.bind(target, Expr(target, kind, LIMIT, roots=roots))
    return True


def pick_kind(g: Generator, dims: tuple[str, ...] | None) -> Array | Number:
    return Array(dims) if dims and g.chance(0.7) else FLOAT


def definition(g: Generator, scope: Scope, inside: bool, name: str, called: str, kinds: list[Array | Number],
               result: Array | Number) -> str | None:  # fmt: skip
    """The text of a function of `kinds` and a number of levels, which calls `called` with a level less."""
    outer = "    " * (g.depth + 1) if inside else ""
    with separate_body(g, scope, nested=inside) as lines:
        params: Params = [(g.fresh_name("x", "v", "w", "a"), kind) for kind in kinds]
        for param, kind in params:
            g.scope.bind(Variable(param, kind, LIMIT))
        level = g.fresh_name("depth", "n", "level", "left")
        g.scope.bind(Variable(level, INT, 4.0, fixed=True))
        made = body(g, called, params, level, result)
        if made is None:
            return None
    head = f"{outer}def {name}({', '.join([*(p for p, _ in params), level])}):"
    return "\n".join([head, *lines])


def body(g: Generator, called: str, params: Params, level: str, result: Array | Number) -> bool | None:
    """The simplest case under an `if`, and then the calls."""
    outside = g.scope
    g.scope = outside.arm()
    g.emit(f"if {level} {g.pick(('<= 0', '< 1', '<= 0'))}:")
    with g.indented():
        if g.chance(0.3):
            statements(g, 1)
        whole = [p for p, kind in params if kind == result]
        base = Expr(whole[0]) if whole and g.chance(0.3) else of_kind(g, result, 2, LIMIT)
        if base is None:
            return None
        g.emit(f"return {base.text}")
    g.scope = outside
    if g.chance(0.5):
        statements(g, 1)
    style = g.pick((0, 0, 1, 1, 2, 2, 2, 3))
    if style == 0:
        g.mark("recursion: in a loop", "for: range")
        total, k = g.fresh_name("total", "acc"), g.fresh_name("k", "i")
        start = of_kind(g, result, 1, 1.0)
        call = invoked(g, called, params, f"{level} - 1")
        if start is None or call is None:
            return None
        g.emit(f"{total} = {start.closed} * 1.0")
        g.emit(f"for {k} in range({g.pick('012')}):")
        with g.indented():
            g.emit(f"{total} = {g.pick(('0.5 * ', '0.25 * ', ''))}np.tanh({total}) + 0.5 * {call}")
        g.bind(total, Expr(total, result, 2.5, roots=frozenset({NOBODY})))
    elif style == 1:
        g.mark("recursion: in a branch", "if", "else")
        found = g.fresh_name("found", "part")
        call = invoked(g, called, params, f"{level} - 1")
        other = invoked(g, called, params, f"{level} - {g.pick('12')}") if g.chance(0.5) else None
        plain = of_kind(g, result, 1, LIMIT)
        if call is None or plain is None:
            return None
        number = tame(g, scalars.number(g, 1), 2.0)
        g.emit(f"if {number.text} > {g.pick(('0.0', '0.3', '-0.2'))}:")
        with g.indented():
            g.emit(f"{found} = {call}")
        g.emit("else:")
        with g.indented():
            g.emit(f"{found} = {other or f'{plain.closed} * 1.0'}")
        g.bind(found, Expr(found, result, LIMIT, roots=frozenset({NOBODY})))
    else:
        found = g.fresh_name("found", "rest", "below")
        call = invoked(g, called, params, f"{level} - 1")
        if call is None:
            return None
        if style == 2:
            g.mark("recursion: two calls")
            second = invoked(g, called, params, f"{level} - {g.pick('12')}")
            call = f"0.5 * {call} + 0.5 * {second}" if second else call
        g.emit(f"{found} = {call}")
        g.bind(found, Expr(found, result, LIMIT, roots=frozenset({NOBODY})))
    last = list(g.scope.variables)[-1]
    if g.chance(0.4):
        statements(g, 1)
    if last not in g.scope.variables:
        return None
    end = of_kind(g, result, 2, 1.5) if g.chance(0.7) else None
    if end is not None and end.text != last:
        g.emit(f"return 0.5 * {last} {g.pick('+-*')} {end.closed}")
    else:
        g.emit(f"return {last}")
    return True


def invoked(g: Generator, called: str, params: Params, levels: str) -> str | None:
    """A call with a level less."""
    texts = []
    for param, kind in params:
        made = array(g, kind.dims, 2) if isinstance(kind, Array) else scalars.number(g, 2)
        if made is None:
            return None
        changed = tame(g, g.apart(made), LIMIT)
        texts.append(param if g.chance(0.25) else changed.text)
    return f"{called}({', '.join([*texts, levels])})"
