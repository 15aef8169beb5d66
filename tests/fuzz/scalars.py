"""Productions for numbers: constants, arithmetic, reductions, elements, calls."""

from . import derived, shapes
from .expressions import array, combined, computed, elementwise, powered, tame
from .generator import Generator, Table, production, subscripts
from .kinds import FLOAT, Array, Expr, ListOf, Number, most, shortest

NUMBERS: Table = []
CONSTANTS = ("0.5", "1.5", "0.3", "2.0", "0.25", "1.25", "3", "2", "0.8")


def number(g: Generator, depth: int) -> Expr:
    """A float, or an int that stands where a float could."""
    if depth > 0 and g.chance(0.85):
        made: Expr | None = g.choose(NUMBERS, depth)
        if made is not None:
            return made
    return number_leaf(g)


def number_leaf(g: Generator) -> Expr:
    """A name or a constant."""
    found = g.numbers()
    if found and g.chance(0.75):
        return g.pick(found)
    ints = g.numbers("int")
    if ints and g.chance(0.4):
        return g.pick(ints)
    if g.chance(0.2):
        g.mark("global number")
        return Expr("SCALE", FLOAT, 0.8, 0.7)
    text = g.pick(CONSTANTS)
    return Expr(text, FLOAT, float(text), float(text))


def any_array(g: Generator, depth: int, least: int = 0, ndim: tuple[int, ...] = (1, 2, 3)) -> Expr | None:
    """A float array of lengths in sight, or of new ones."""
    if g.chance(0.3) and depth > 0:
        made = derived.derived(g, depth - 1)
        if made is not None and made.dims and shortest(made.dims) >= least and len(made.dims) in ndim:
            return made
    dims = g.dims(least, ndim)
    return None if dims is None else array(g, dims, depth)


@production(NUMBERS, 6)
def arithmetic(g: Generator, depth: int) -> Expr | None:
    return combined(g, number(g, depth - 1), number(g, depth - 1), ())


@production(NUMBERS, 5)
def function_of_number(g: Generator, depth: int) -> Expr | None:
    return elementwise(g, number(g, depth - 1))


@production(NUMBERS, 2)
def number_power(g: Generator, depth: int) -> Expr | None:
    return powered(g, number(g, depth - 1), number(g, 0) if g.chance(0.5) else None, ())


@production(NUMBERS, 8)
def full_reduction(g: Generator, depth: int) -> Expr | None:
    base = any_array(g, depth - 1)
    made = None if base is None else shapes.reduced(g, base, None, False)
    return None if made is None else tame(g, made)


@production(NUMBERS, 4)
def vector_product(g: Generator, depth: int) -> Expr | None:
    dims = g.dims(ndim=(1,))
    if dims is None:
        return None
    a, b = array(g, dims, depth - 1), array(g, dims, depth - 1)
    if a is None or b is None:
        return None
    if g.chance(0.3):
        g.mark("inner")
        return tame(g, computed(f"np.inner({a.text}, {b.text})", (), a.bound * b.bound * most(dims)))
    return shapes.multiplied(g, a, b, (), most(dims))


@production(NUMBERS, 2)
def trace(g: Generator, depth: int) -> Expr | None:
    square = [p.dims for p in g.places() if len(p.dims) == 2 and p.dims[0] == p.dims[1]]
    if square:
        base = array(g, g.pick(square), depth - 1)
    else:
        base = any_array(g, 0, ndim=(2,))  # NumPy takes the trace of what is not square, too
    if base is None:
        return None
    g.mark("trace")
    return tame(g, computed(shapes.named(g, "trace", base), (), base.bound * 5))


@production(NUMBERS, 4)
def element(g: Generator, depth: int) -> Expr | None:
    base = any_array(g, depth - 1 if g.chance(0.3) else 0)
    if base is None:
        return None
    indices = [g.index_text(dim) for dim in base.dims]
    if None in indices:
        return None
    g.mark("integer subscript")
    return Expr(f"{base.closed}[{subscripts(indices)}]", FLOAT, base.bound, base.low)


@production(NUMBERS, 2)
def ternary(g: Generator, depth: int) -> Expr | None:
    from .conditions import condition

    a, b = number(g, depth - 1), number(g, depth - 1)
    g.mark("ternary")
    text = f"{a.closed} if {condition(g, 1)} else {b.closed}"
    return Expr(text, FLOAT, max(a.bound, b.bound), min(a.low, b.low), atom=False)


@production(NUMBERS, 1.5)
def smaller_or_larger(g: Generator, depth: int) -> Expr | None:
    a, b = number(g, depth - 1), number(g, depth - 1)
    name = g.pick(("np.maximum", "np.minimum"))
    g.mark("maximum or minimum")
    low = max(a.low, b.low) if name.endswith("max") or name.endswith("maximum") else min(a.low, b.low)
    return Expr(f"{name}({a.text}, {b.text})", FLOAT, max(a.bound, b.bound), low)


@production(NUMBERS, 1.5)
def size(g: Generator, depth: int) -> Expr | None:
    """A number from a shape."""
    found = g.places()
    if not found:
        return None
    base = g.pick(found)
    a = number(g, depth - 1)
    if g.chance(0.5):
        axis = g.rng.randrange(len(base.dims))
        g.mark("attribute shape")
        return tame(
            g,
            computed(
                f"{a.closed} * {base.text}.shape[{axis}]",
                (),
                a.bound * most(base.dims[axis : axis + 1]),
                atom=False,
            ),
        )
    g.mark("attribute ndim or size")
    text = g.pick((f"{base.text}.size", f"{base.text}.ndim"))
    return computed(f"{a.closed} / ({text} + 1)", (), a.bound, atom=False)


@production(NUMBERS, 1.5)
def zero_dimensional(g: Generator, depth: int) -> Expr | None:
    """A number from a 0-d array, which is never bound to a name itself."""
    from .scope import places

    found = [p for p in places(g.scope) if p.kind == Array(())]
    if not found:
        return None
    base = g.pick(found)
    text = g.pick((f"{base.text} * 1.0", f"{base.text} + 0.5", f"np.sin({base.text})", f"np.sum({base.text})"))
    return computed(text, (), base.bound + 0.5, atom="(" in text)


@production(NUMBERS, 3)
def number_call(g: Generator, depth: int) -> Expr | None:
    from .functions import call

    fitting = [s for s in g.scope.functions.values() if isinstance(s.result, Number)]
    return call(g, g.pick(fitting), {}, depth - 1) if fitting else None


@production(NUMBERS, 1)
def masked_sum(g: Generator, depth: int) -> Expr | None:
    base = any_array(g, 0)
    made = None if base is None else derived.masked(g, base)
    return None if made is None or made.dims else tame(g, made)


@production(NUMBERS, 2)
def literal_sum(g: Generator, depth: int) -> Expr | None:
    """The built-in sum, of a list of numbers."""
    from .containers import comprehension

    made = comprehension(g, depth - 1) if depth > 1 else None
    if made is None or not isinstance(made.kind, ListOf) or made.kind.element != FLOAT:
        return None
    g.mark("sum of list")
    return tame(g, computed(f"sum({made.text})", (), made.bound * 5))
