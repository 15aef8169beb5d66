"""Functions of the generated program: helpers in its module, local ones, lambdas; and calls of them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from . import scalars
from .expressions import array, tame
from .generator import Generator
from .kinds import FLOAT, Array, Dict, Expr, Kind, ListOf, Number, Sequence, renamed, shortest, symbols_of
from .scope import Scope, Signature, Variable

PARAMETER_BOUND = 3.0


def call(g: Generator, signature: Signature, symbols: dict[str, str], depth: int) -> Expr | None:
    """A call with arguments of the right kinds, passed in one of the ways that Python has."""
    if signature.takes_function or g.depth > 4:
        return None
    symbols = dict(symbols)
    if signature.generic:
        lengths = sorted({d for p in g.places() for d in p.dims if shortest((d,)) >= 2})
        for symbol in symbols_of([kind for _, kind in signature.params]):
            if symbol not in symbols:
                if not lengths:
                    return None
                symbols[symbol] = g.pick(lengths)
    params = list(signature.params)
    if signature.defaults and not signature.star and g.chance(0.75):
        g.mark("call: default")
        del params[len(params) - g.pick(range(1, signature.defaults + 1)) :]
    given = []
    for name, kind in params:
        wanted = renamed(kind, symbols) if signature.generic else kind
        made = argument(g, wanted, depth)
        if made is None:
            return None
        given.append((name, made))
    roots = frozenset[str]().union(*(e.roots for _, e in given)) if signature.aliases else frozenset[str]()
    texts = passed(g, signature, given, min(depth, 1))
    result = renamed(signature.result, symbols) if signature.generic else signature.result
    if isinstance(result, Number):
        roots = frozenset()
    return Expr(f"{signature.name}({', '.join(texts)})", result, signature.bound, signature.low, roots)


def argument(g: Generator, kind: Kind, depth: int) -> Expr | None:
    """A value to pass."""
    if isinstance(kind, Array):
        made = array(g, kind.dims, min(depth, 2))
    else:
        made = scalars.number(g, min(depth, 2))
    return None if made is None else tame(g, g.apart(made), PARAMETER_BOUND)


def passed(g: Generator, signature: Signature, given: list[tuple[str, Expr]], depth: int) -> list[str]:
    """The arguments of a call as source text."""
    texts = [e.text for _, e in given]
    style = g.rng.random()
    if signature.star:
        extra = [tame(g, scalars.number(g, depth), PARAMETER_BOUND).text for _ in range(g.pick((1, 2, 3)))]
        if g.chance(0.3):
            g.mark("call: star")
            texts.append(f"*({', '.join(extra)},)")
        else:
            texts += extra
    elif style < 0.25 and len(given) > 1:
        g.mark("call: keyword")
        first = g.rng.randrange(1, len(given))
        texts = texts[:first] + [f"{name}={e.text}" for name, e in g.shuffled(given[first:])]
    elif style < 0.45 and len(given) > 1:
        g.mark("call: star")
        fitting = [
            v
            for v in g.scope.variables.values()
            if isinstance(v.kind, Sequence)
            and v.kind.items == tuple(e.kind for _, e in given)
            and v.bound <= PARAMETER_BOUND
        ]
        texts = [f"*{g.pick(fitting).name}"] if fitting else [texts[0], f"*({', '.join(texts[1:])},)"]
    elif style < 0.6 and len(given) > 1:
        g.mark("call: double star")
        pairs = ", ".join(f'"{name}": {e.text}' for name, e in given[1:])
        texts = [texts[0], f"**{{{pairs}}}"]
    if signature.keywords:
        named = [(key, tame(g, scalars.number(g, depth), PARAMETER_BOUND).text) for key in signature.keywords]
        if g.chance(0.25):
            g.mark("call: double star")
            texts.append("**{" + ", ".join(f'"{key}": {text}' for key, text in named) + "}")
        else:
            g.mark("call: keyword")
            texts += [f"{key}={text}" for key, text in named]
    return texts


@contextmanager
def separate_body(g: Generator, scope: Scope, nested: bool) -> Iterator[list[str]]:
    """Generate the body of a function; yields its lines."""
    saved = (g.scope, g.block, g.depth, g.loops, g._taken, g.scattered, g.leaving)
    g.scope, g.block, g.loops, g.leaving = scope, [], 0, ()
    g.functions += 1
    if nested:
        g.depth += 1
    else:
        g.depth = 0
        g.scattered = set()
        g._taken = {*g.module_functions, *g.reserved}
    lines = g.block
    yield lines
    g.functions -= 1
    taken = g._taken
    g.scope, g.block, g.depth, g.loops, g._taken, g.scattered, g.leaving = saved
    if nested:
        g._taken |= taken


def define_helper(g: Generator) -> bool | None:
    """A function of the module, written for lengths p and q, and a call of it."""
    from .statements import statements

    name = g.fresh_name("layer", "energy", "mix", "score", "soften", "step", "blend")
    g.reserved.add(name)
    menus: tuple[tuple[Array | Number, ...], ...] = (
        (Array(("p",)),),
        (Array(("p",)), FLOAT),
        (Array(("p",)), Array(("p",))),
        (Array(("q", "p")), Array(("p",)), Array(("q",))),
        (Array(("p", "q")),),
        (Array(("p", "q")), Array(("q",))),
        (FLOAT, FLOAT),
        (FLOAT,),
        (Array(("p",)), FLOAT, FLOAT),
    )
    kinds = g.pick(menus)
    scope = Scope(functions=dict(g.module_functions))
    g.mark("helper")
    with separate_body(g, scope, nested=False) as lines:
        params = [(g.fresh_name("x", "y", "w", "a", "b", "u", "v", "W"), kind) for kind in kinds]
        for param, kind in params:
            g.scope.bind(Variable(param, kind, PARAMETER_BOUND))
        texts = [param for param, _ in params]
        defaults = 0
        while defaults < len(params) - 1 and params[-1 - defaults][1] == FLOAT and g.chance(0.7):
            defaults += 1
            texts[-defaults] += "=" + g.pick(("0.5", "1.5", "-0.7", "2", "SCALE"))
        star = g.chance(0.24)
        keywords: tuple[str, ...] = ()
        if star:
            g.mark("star parameter")
            rest = g.fresh_name("rest", "terms")
            texts.append(f"*{rest}")
            g.scope.bind(Variable(rest, ListOf(FLOAT, "1"), PARAMETER_BOUND, fixed=True))
        if g.chance(0.24):
            g.mark("double star parameter")
            options = g.fresh_name("options", "settings")
            keywords = ("gain", "shift")[: g.pick((1, 2))]
            texts.append(f"**{options}")
            kind_of_options = Dict(tuple((key, FLOAT) for key in keywords))
            g.scope.bind(Variable(options, kind_of_options, PARAMETER_BOUND, fixed=True))
        if g.chance(0.2):
            g.mark("docstring")
            lines.append('    """Part of the computation."""')
        statements(g, g.pick((0, 1, 1, 2, 3)))
        result = returned(g, [kind for kind in kinds if isinstance(kind, Array)])
        if result is None:
            return None
        lines.append(f"    return {result.text}")
        own = [f"def {name}({', '.join(texts)}):", *lines]
    g.preamble.append("\n".join(own))
    signature = Signature(
        name,
        tuple(params),
        result.kind,
        result.bound,
        result.low,
        defaults,
        star,
        keywords,
        generic=True,
    )
    g.module_functions[name] = signature
    g.scope.functions[name] = signature
    return called_at_once(g, signature)


def returned(g: Generator, arrays: list[Array]) -> Expr | None:
    """What a function returns: a number, an array as long as a parameter, or both."""
    choice = g.rng.randrange(5)
    first = tame(g, scalars.number(g, 3), PARAMETER_BOUND)
    made = array(g, g.pick(arrays).dims, 3) if arrays else None
    if made is None or choice == 0:
        return first.but(first.text, kind=FLOAT)
    made = tame(g, g.apart(made), PARAMETER_BOUND)
    if choice == 1:
        g.mark("tuple result")
        parts = (made, first) if g.chance(0.5) else (first, made)
        text = f"{parts[0].text}, {parts[1].text}"
        kinds = tuple(FLOAT if isinstance(p.kind, Number) else p.kind for p in parts)
        return Expr(text, Sequence(kinds), PARAMETER_BOUND)
    return made


def called_at_once(g: Generator, signature: Signature) -> bool | None:
    """A statement that calls a function just defined."""
    made = call(g, signature, {}, 1)
    if made is None:
        return None
    if isinstance(made.kind, Sequence):
        names = [g.fresh_name() for _ in made.kind.items]
        g.emit(f"{', '.join(names)} = {made.text}")
        for name, kind in zip(names, made.kind.items, strict=True):
            roots = made.roots | {"!"} if isinstance(kind, Array) else frozenset[str]()
            g.bind(name, Expr(name, kind, made.bound, roots=roots))
        return True
    if made.roots & g.scope.locked:
        return None
    name = g.fresh_name()
    g.emit(f"{name} = {made.text}")
    g.bind(name, made)
    return True


def capture(g: Generator, text: str, own: set[str]) -> list[Variable]:
    """The variables that a function reads from around it; from here on they are not written in place."""
    names = set(re.findall(r"[A-Za-z_]\w*", text)) - own
    captured = [v for v in g.scope.variables.values() if v.name in names]
    for variable in captured:
        g.scope.variables[variable.name] = replace(variable, owned=False, fixed=True)
    if captured:
        g.mark("closure")
    return captured


def rebind_captured(g: Generator, captured: list[Variable]) -> None:
    """Bind a captured number again before the function is called: it reads the new value."""
    free = g.scope.local | g.scope.mutable
    found = [v for v in captured if v.kind == FLOAT and v.low < 0 and v.name in free and not v.fixed]
    if found and g.chance(0.5):
        variable = g.pick(found)
        e = tame(g, scalars.number(g, 1), variable.bound)
        g.mark("late closure")
        g.emit(f"{variable.name} = {e.text}")


def parameter_kinds(g: Generator) -> list[Array | Number]:
    """Kinds of parameters for a local function, in the lengths of its surroundings."""
    kinds: list[Array | Number] = []
    for _ in range(g.pick((1, 1, 2))):
        dims = g.dims(ndim=(1, 2))
        kinds.append(Array(dims) if dims and g.chance(0.6) else FLOAT)
    return kinds


def define_local(g: Generator) -> bool | None:
    """A function in the function, which may read the names around it, and a call of it."""
    from .statements import statements

    name = g.fresh_name("inner", "local", "part")
    kinds = parameter_kinds(g)
    with separate_body(g, g.scope.within(), nested=True) as lines:
        params = [(g.fresh_name("q", "p", "v", "x"), kind) for kind in kinds]
        for param, kind in params:
            g.scope.bind(Variable(param, kind, PARAMETER_BOUND))
        statements(g, g.pick((0, 0, 1, 2)))
        result = returned(g, [kind for kind in kinds if isinstance(kind, Array)])
        if result is None:
            return None
        g.emit(f"return {result.text}")
    g.mark("nested function")
    g.emit(f"def {name}({', '.join(param for param, _ in params)}):")
    g.block.extend(lines)
    captured = capture(g, "\n".join(lines), {param for param, _ in params})
    rebind_captured(g, captured)
    signature = Signature(name, tuple(params), result.kind, result.bound, result.low)
    g.scope.functions[name] = signature
    return called_at_once(g, signature)


def define_lambda(g: Generator) -> bool | None:
    """A lambda with a name."""
    kinds = parameter_kinds(g)
    outside = g.scope
    g.scope = g.scope.within()
    params = [(g.fresh_name("q", "p", "v"), kind) for kind in kinds]
    for param, kind in params:
        g.scope.bind(Variable(param, kind, PARAMETER_BOUND))
    dims = kinds[0].dims if isinstance(kinds[0], Array) else ()
    made = array(g, dims, 3) if dims and g.chance(0.8) else scalars.number(g, 3)
    g.scope = outside
    if made is None:
        return None
    made = tame(g, g.apart(made), PARAMETER_BOUND)
    if isinstance(made.kind, Number):
        made = made.but(made.text, kind=FLOAT)
    name = g.fresh_name("fn", "g", "phi", "act")
    texts = [param for param, _ in params]
    defaults = 0
    if len(params) > 1 and params[-1][1] == FLOAT and g.chance(0.5):
        texts[-1] += "=0.75"
        defaults = 1
    g.mark("lambda")
    g.emit(f"{name} = lambda {', '.join(texts)}: {made.text}")
    captured = capture(g, made.text, {param for param, _ in params})
    rebind_captured(g, captured)
    signature = Signature(name, tuple(params), made.kind, made.bound, made.low, defaults)
    g.scope.functions[name] = signature
    return called_at_once(g, signature)


APPLIERS = (
    ("twice", "fn, x", ("return fn(fn(x))",)),
    ("blended", "fn, x, weight=0.3", ("return weight * fn(x) + (1.0 - weight) * x",)),
    ("iterated", "fn, x", ("for _ in range(2):", "    x = fn(x) + 0.1 * x", "return x")),
    ("both", "fn, x", ("y = fn(x)", "return y * fn(0.5 * y)")),
    (
        "settled",
        "fn, x",
        ("for k in range(3):", "    x = 0.5 * x + fn(x)", "    if np.sum(x) > 0.3 + k:", "        return fn(x)",
         "return x"),
    ),  # fmt: skip
    (
        "tried",
        "fn, x, k=0",
        ("while True:", "    k += 1", "    y = fn(x)", "    if k > 2 or np.sum(y) < 0.4:", "        break",
         "    x = 0.4 * y", "return y + x"),
    ),  # fmt: skip
)


def apply_function(g: Generator) -> bool | None:
    """A call of a helper that is passed a function."""
    dims = g.dims()
    if dims is None:
        return None
    x = array(g, dims, 1)
    if x is None:
        return None
    x = tame(g, g.apart(x), 2.0)
    base, params, lines = g.pick(APPLIERS)
    name = next((n for n in g.reserved if n == base), None)
    if name is None:
        name = g.fresh_name(base)
        if name != base:
            return None
        g.reserved.add(name)
        g.preamble.append("\n".join([f"def {name}({params}):", *(f"    {line}" for line in lines)]))
        g.module_functions[name] = Signature(name, (), FLOAT, 3.0, takes_function=True)
    named = [
        s.name
        for s in g.scope.functions.values()
        if len(s.params) == 1 and s.params[0][1] == s.result == Array(dims) and not (s.star or s.keywords)
    ]
    choice = g.rng.randrange(3)
    if named and g.chance(0.6):
        fn = g.pick(named)
    elif choice == 0:
        fn = g.pick(("np.tanh", "np.sin", "np.cos"))
    else:
        outside = g.scope
        g.scope = g.scope.within()
        v = g.fresh_name("v", "q")
        g.scope.bind(Variable(v, Array(dims), PARAMETER_BOUND))
        made = array(g, dims, 2)
        g.scope = outside
        if made is None:
            return None
        made = tame(g, made, 2.0)
        g.mark("lambda")
        fn = f"lambda {v}: {made.text}"
        capture(g, made.text, {v})
    g.mark("function as argument", "helper")
    result = g.fresh_name()
    g.emit(f"{result} = {name}({fn}, {x.text})")
    g.bind(result, Expr(result, Array(dims), 6.0, roots=x.roots | {"!"}))
    return True
