"""Productions for float arrays of given lengths, and the arithmetic they share with numbers."""

import math

from .generator import Generator, Table, production
from .kinds import FLOAT, LARGEST, NOBODY, Array, Dims, Expr, Number, length, most, renamed, shortest
from .scope import Signature

LIMIT = 12.0  # values stay about this small

ARRAYS: Table = []


def array(g: Generator, dims: Dims, depth: int) -> Expr | None:
    """A float array of the given lengths; None if nothing in sight has them."""
    if not dims:
        from .scalars import number

        return number(g, depth)
    if depth <= 0 or g.chance(0.2):
        return array_leaf(g, dims)
    result: Expr | None = g.choose(ARRAYS, dims, depth)
    return result if result is not None else array_leaf(g, dims)


def array_leaf(g: Generator, dims: Dims) -> Expr | None:
    """A name, or something made from constants."""
    from .shapes import inserted

    found = [place for place in g.places() if place.dims == dims]
    if found and g.chance(0.95):
        return g.pick(found)
    if "1" in dims and g.chance(0.7):
        axis = dims.index("1")
        flat = [p for p in g.places() if p.dims == dims[:axis] + dims[axis + 1 :]]
        if flat:
            return inserted(g, g.pick(flat), axis)
    made = g.choose(LEAVES, dims)
    return made if made is not None else (g.pick(found) if found else None)


def computed(text: str, dims: Dims, bound: float, low: float = -math.inf, atom: bool = True) -> Expr:
    """A fresh float array, or a number if there are no axes."""
    return Expr(text, Array(dims) if dims else FLOAT, bound, max(low, -bound), atom=atom)


def view(base: Expr, text: str, dims: Dims) -> Expr:
    """A part of `base` that shares its memory; an element if there are no axes."""
    kind = Array(dims, base.kind.type) if dims else Number(base.kind.type)  # type: ignore[union-attr]
    return Expr(text, kind, base.bound, base.low, base.roots | {NOBODY} if dims else frozenset())


def function(g: Generator, e: Expr, name: str) -> str:
    """How a function of one number or array is called: NumPy's, or math's for a number."""
    if not e.dims and not isinstance(e.kind, Array) and g.chance(0.5) and name != "abs":
        g.mark("math")
        return "math." + {"arctan": "atan"}.get(name, name)
    if not e.dims:
        g.mark("number function")
    if name in ("exp", "tanh", "sin") and f"imported {name}" in g.features and g.chance(0.6):
        g.mark("imported name")
        return {"exp": "exp", "tanh": "tanh", "sin": "sine"}[name]
    return f"np.{name}"


# keeping values tame


def tame(g: Generator, e: Expr, limit: float = LIMIT) -> Expr:
    """The value, scaled or squashed where it could exceed the limit."""
    limit = max(limit, 0.25)
    if e.bound <= limit:
        return e
    ratio = math.ceil(e.bound / limit)
    match g.rng.randrange(6):
        case 0 if limit >= 1:
            g.mark("tanh")
            scaled = e.but(f"{e.closed} / {2 * ratio}.0", atom=False)
            text = f"{function(g, e, 'tanh')}({scaled.text})"
            return computed(text, e.dims, 1.0, 0.0 if e.low > 0 else -1.0)
        case 1 if limit >= 1:
            g.mark("sin or cos")
            return computed(f"{function(g, e, 'sin')}({e.text})", e.dims, 1.0)
        case 2:
            return computed(f"{1.0 / ratio:.3g} * {e.closed}", e.dims, limit, e.low / ratio, atom=False)
    return computed(f"{e.closed} / {ratio}.0", e.dims, limit, e.low / ratio, atom=False)


def positive(g: Generator, e: Expr) -> Expr:
    """A value derived from `e` that is at least 0.3."""
    if e.low >= 0.3:
        return e
    e = tame(g, e, 2.0)
    match g.rng.randrange(6):
        case 0:
            g.mark("exp or log")
            return computed(f"{function(g, e, 'exp')}({e.closed} / 2.0)", e.dims, 2.8, 0.36)
        case 1 if len(e.text) < 12:
            return computed(f"1.0 + {e.closed} * {e.closed}", e.dims, 1 + e.bound**2, 1.0, atom=False)
        case 2:
            g.mark("constant exponent")
            return computed(f"{e.closed} ** 2 + 0.5", e.dims, 0.5 + e.bound**2, 0.5, atom=False)
        case 3:
            g.mark("abs")
            call = f"{'abs' if g.chance(0.5) else 'np.abs'}({e.text})"
            return computed(f"{call} + 0.4", e.dims, e.bound + 0.4, 0.4, atom=False)
        case 4:
            g.mark("sin or cos")
            return computed(f"1.5 + {function(g, e, 'cos')}({e.text})", e.dims, 2.5, 0.5, atom=False)
    g.mark("hyperbolic")
    return computed(f"{function(g, e, 'cosh')}({e.text})", e.dims, math.cosh(e.bound), 1.0)


# arithmetic, for arrays and numbers alike


def combined(g: Generator, a: Expr, b: Expr, dims: Dims, operators: str = "+-*/") -> Expr:
    """`a op b` for some operator."""
    g.mark("arithmetic")
    if a.dims != b.dims:
        g.mark("broadcasting" if a.dims and b.dims else "number with array")
    operator = g.pick(operators)
    if operator == "/":
        b = positive(g, b)
        low = a.low / b.bound if a.low > 0 else -math.inf
        return computed(f"{a.closed} / {b.closed}", dims, a.bound / b.low, low, atom=False)
    if operator == "*":
        a, b = tame(g, a, LIMIT), tame(g, b, LIMIT)
        low = a.low * b.low if a.low > 0 and b.low > 0 else -math.inf
        return tame(g, computed(f"{a.closed} * {b.closed}", dims, a.bound * b.bound, low, atom=False))
    low = a.low + b.low if operator == "+" else a.low - b.bound
    made = computed(f"{a.text if a.atom else a.closed} {operator} {b.closed}", dims, a.bound + b.bound, low, atom=False)
    return tame(g, made)


def powered(g: Generator, base: Expr, exponent: Expr | None, dims: Dims) -> Expr:
    """A power: of anything to 2 or 3, of something positive to anything."""
    if exponent is None:
        g.mark("constant exponent")
        if g.chance(0.6):
            small = tame(g, base, 2.0)
            n = g.pick((2, 2, 3))
            called = bool(dims) and g.chance(0.2)
            text = f"np.power({small.text}, {n})" if called else f"{small.closed} ** {n}"
            return computed(text, dims, small.bound**n, 0.0 if n == 2 else -math.inf, atom=called)
        base = positive(g, base)
        text = g.pick(("0.5", "1.5", "-1", "-0.5", "-2"))
        p = float(text)
        ends = (base.low**p, base.bound**p)
        return tame(g, computed(f"{base.closed} ** {text}", dims, max(ends), min(ends), atom=False))
    g.mark("active exponent")
    base, exponent = positive(g, base), tame(g, exponent, 1.5)
    big = max(base.bound, 1 / base.low) ** exponent.bound
    called = bool(dims) and g.chance(0.3)
    text = f"np.power({base.text}, {exponent.text})" if called else f"{base.closed} ** {exponent.closed}"
    return tame(g, computed(text, dims, big, 1 / big, atom=called))


def elementwise(g: Generator, e: Expr) -> Expr:
    """A smooth function, or abs, of an array or a number."""
    name = g.pick(("sin", "cos", "tanh", "exp", "log", "sqrt", "abs", "sinh", "arctan", "expm1", "log1p", "square"))
    dims = e.dims
    if name == "square":
        e = tame(g, e, 3.0)
        if len(e.text) > 12 or (dims and g.chance(0.5)):
            return computed(f"np.square({e.text})", dims, e.bound**2, 0.0)
        return computed(f"{e.closed} * {e.closed}", dims, e.bound**2, 0.0, atom=False)
    if name in ("sin", "cos"):
        g.mark("sin or cos")
        return computed(f"{function(g, e, name)}({e.text})", dims, 1.0)
    if name in ("tanh", "arctan"):
        g.mark("tanh")
        return computed(f"{function(g, e, name)}({e.text})", dims, 1.6, 0.0 if e.low > 0 else -1.6)
    if name == "abs":
        g.mark("abs")
        call = g.pick(("abs", "np.abs"))
        return computed(f"{call}({e.text})", dims, e.bound, max(e.low, 0.0))
    if name in ("exp", "expm1"):
        g.mark("exp or log")
        e = tame(g, e, 2.0)
        low = math.exp(max(e.low, -e.bound)) - (name == "expm1")
        return computed(f"{function(g, e, name)}({e.text})", dims, math.exp(e.bound), low)
    if name == "sinh":
        g.mark("hyperbolic")
        e = tame(g, e, 2.0)
        return computed(f"{function(g, e, name)}({e.text})", dims, math.sinh(e.bound), 0.0 if e.low > 0 else -4.0)
    e = positive(g, e)
    if name in ("log", "log1p"):
        g.mark("exp or log")
        bound = abs(math.log(e.low)) + abs(math.log1p(e.bound))
        return computed(f"{function(g, e, name)}({e.text})", dims, bound)
    g.mark("sqrt")
    return computed(f"{function(g, e, 'sqrt')}({e.text})", dims, math.sqrt(e.bound), math.sqrt(e.low))


def partner(g: Generator, dims: Dims) -> Dims:
    """Lengths that broadcast to the given ones."""
    choice = g.rng.randrange(8)
    if choice == 0:
        return ()
    if choice == 1 and len(dims) > 1:
        return dims[g.rng.randrange(1, len(dims)) :]
    if choice == 2:
        return tuple("1" if g.chance(0.5) else d for d in dims)
    if choice in (3, 4, 5):
        fitting = [p.dims for p in g.places() if broadcasts(p.dims, dims) and p.dims != dims]
        return g.pick(fitting) if fitting else dims
    return dims


def broadcasts(small: Dims, dims: Dims) -> bool:
    """Whether an array of the first lengths can be broadcast to the second."""
    return len(small) <= len(dims) and all(s in ("1", d) for s, d in zip(reversed(small), reversed(dims), strict=False))


@production(ARRAYS, 9)
def binary(g: Generator, dims: Dims, depth: int) -> Expr | None:
    a, b = array(g, dims, depth - 1), array(g, partner(g, dims), depth - 1)
    if a is None or b is None:
        return None
    if g.chance(0.4):
        a, b = b, a
    return combined(g, a, b, dims, "++--**/")


@production(ARRAYS, 2)
def power(g: Generator, dims: Dims, depth: int) -> Expr | None:
    base = array(g, dims, depth - 1)
    exponent = array(g, partner(g, dims), 0) if g.chance(0.4) else None
    return None if base is None else powered(g, base, exponent, dims)


@production(ARRAYS, 6)
def unary(g: Generator, dims: Dims, depth: int) -> Expr | None:
    e = array(g, dims, depth - 1)
    return None if e is None else elementwise(g, e)


@production(ARRAYS, 1)
def negation(g: Generator, dims: Dims, depth: int) -> Expr | None:
    e = array(g, dims, depth - 1)
    return None if e is None else computed(f"-{e.closed}", dims, e.bound, -e.bound, atom=False)


@production(ARRAYS, 2)
def extremum(g: Generator, dims: Dims, depth: int) -> Expr | None:
    a, b = array(g, dims, depth - 1), array(g, partner(g, dims), depth - 1)
    if a is None or b is None:
        return None
    name = g.pick(("maximum", "minimum"))
    g.mark("maximum or minimum")
    low = max(a.low, b.low) if name == "maximum" else min(a.low, b.low)
    return computed(f"np.{name}({a.text}, {b.text})", dims, max(a.bound, b.bound), low)


@production(ARRAYS, 1.6)
def clipped(g: Generator, dims: Dims, depth: int) -> Expr | None:
    e = array(g, dims, depth - 1)
    if e is None:
        return None
    low, high = g.pick((("-0.8", "0.9"), ("-1.1", "1.3"), ("-0.5", "2.0")))
    g.mark("clip")
    text = f"{e.closed}.clip({low}, {high})" if g.chance(0.2) else f"np.clip({e.text}, {low}, {high})"
    return computed(text, dims, max(-float(low), float(high)))


@production(ARRAYS, 2)
def selected(g: Generator, dims: Dims, depth: int) -> Expr | None:
    a, b = array(g, dims, depth - 1), array(g, partner(g, dims), depth - 1)
    tested = array(g, partner(g, dims), 0)
    if a is None or b is None or tested is None:
        return None
    g.mark("where")
    mask = f"{tested.closed} {g.pick(('<', '>', '<=', '>='))} {g.pick(('0.1', '-0.2', '0.35'))}"
    if not tested.dims and g.chance(0.7):
        return None
    if g.chance(0.25):
        return computed(f"{a.closed} * ({mask})", dims, a.bound, atom=False)
    return computed(f"np.where({mask}, {a.text}, {b.text})", dims, max(a.bound, b.bound), min(a.low, b.low))


@production(ARRAYS, 1.5)
def conditional(g: Generator, dims: Dims, depth: int) -> Expr | None:
    from .conditions import condition

    a, b = array(g, dims, depth - 1), array(g, dims, depth - 1)
    if a is None or b is None:
        return None
    test = condition(g, 1)
    g.mark("ternary")
    kind = Array(dims) if dims else FLOAT
    roots = a.roots | b.roots
    text = f"{a.closed} if {test} else {b.closed}"
    return Expr(text, kind, max(a.bound, b.bound), min(a.low, b.low), roots, atom=False)


@production(ARRAYS, 2)
def called(g: Generator, dims: Dims, depth: int) -> Expr | None:
    """A call of a function in sight whose result has the right lengths."""
    from .functions import call

    fitting = []
    for signature in g.scope.functions.values():
        if isinstance(signature.result, Array):
            symbols = matched(signature, dims)
            if symbols is not None:
                fitting.append((signature, symbols))
    if not fitting:
        return None
    signature, symbols = g.pick(fitting)
    return call(g, signature, symbols, depth - 1)


def matched(signature: Signature, dims: Dims) -> dict[str, str] | None:
    """Lengths for a function's own symbols with which its result has the given lengths."""
    assert isinstance(signature.result, Array)
    if not signature.generic:
        return {} if signature.result.dims == dims else None
    if len(signature.result.dims) != len(dims):
        return None
    symbols: dict[str, str] = {}
    for own, wanted in zip(signature.result.dims, dims, strict=True):
        if own.isalpha() and symbols.setdefault(own, wanted) == wanted and shortest((wanted,)) >= 2:
            continue
        if own != wanted:
            return None
    return symbols if renamed(signature.result, symbols) == Array(dims) else None


# arrays made of constants

LEAVES: Table = []


@production(LEAVES, 3)
def like(g: Generator, dims: Dims) -> Expr | None:
    found = [place for place in g.places() if place.dims == dims]
    if not found:
        return None
    g.mark("creation")
    name = g.pick(("zeros_like", "ones_like", "ones_like", "full_like"))
    if name == "full_like":
        return computed(f"np.full_like({g.pick(found).text}, 0.7)", dims, 0.7, 0.7)
    return computed(f"np.{name}({g.pick(found).text})", dims, 1.0, float(name == "ones_like"))


@production(LEAVES, 2)
def filled(g: Generator, dims: Dims) -> Expr | None:
    shape = g.shape_text(dims)
    if shape is None:
        return None
    g.mark("creation", "attribute shape")
    name = g.pick(("zeros", "ones", "ones"))
    return computed(f"np.{name}({shape})", dims, 1.0, float(name == "ones"))


@production(LEAVES, 2)
def ramp(g: Generator, dims: Dims) -> Expr | None:
    size = g.length_text(dims[0])
    if size is None or len(dims) != 1:
        return None
    g.mark("creation", "attribute shape")
    if g.chance(0.5):
        return computed(f"np.linspace(-1.0, 1.0, {size})", dims, 1.0)
    return computed(f"0.2 * np.arange({size})", dims, 0.2 * most(dims), atom=False)


@production(LEAVES, 1)
def identity(g: Generator, dims: Dims) -> Expr | None:
    size = g.length_text(dims[0])
    if size is None or len(dims) != 2 or dims[0] != dims[1]:
        return None
    g.mark("creation")
    return computed(f"np.eye({size})", dims, 1.0)


@production(LEAVES, 3)
def spread(g: Generator, dims: Dims) -> Expr | None:
    """A read-only view of something smaller."""
    shape = g.shape_text(dims)
    small = [p for p in g.places() if broadcasts(p.dims, dims) and p.dims != dims]
    if shape is None:
        return None
    g.mark("broadcast_to")
    source = g.pick(small) if small and g.chance(0.8) else g.pick([*g.numbers(), Expr("0.7", FLOAT, 0.7, 0.7)])
    made = computed(f"np.broadcast_to({source.text}, {shape})", dims, source.bound, source.low)
    return made.but(made.text, roots=source.roots | {NOBODY})


@production(LEAVES, 2)
def module_array(g: Generator, dims: Dims) -> Expr | None:
    """A slice of one of the module's arrays, which are 26 long on each axis."""
    if len(dims) > 2 or max(length(dim, LARGEST) for dim in dims) > 26:
        return None
    sizes = [g.length_text(dim) for dim in dims]
    if None in sizes:
        return None
    g.mark("global array")
    name = "GRID" if len(dims) == 1 else "TABLE"
    text = f"{name}[{', '.join(f':{size}' for size in sizes)}]"
    return Expr(text, Array(dims), 1.0, -1.0, frozenset({name}))


def usable(dims: Dims) -> bool:
    """Whether arrays of these lengths are small enough to work with."""
    return most(dims) <= 150
