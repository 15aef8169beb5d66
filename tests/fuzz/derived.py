"""Productions away from a value: slices, gathers, reductions, joins, to whatever lengths come out."""

from .expressions import array, computed, tame, usable, view
from .generator import Generator, Table, production
from .kinds import NOBODY, Expr, less, most, shortest
from .shapes import inserted, multiplied, named, reduced, turned

DERIVED: Table = []
VIEWS: Table = []


def derived(g: Generator, depth: int) -> Expr | None:
    """An array of new lengths, from something in sight."""
    dims = g.dims()
    base = None if dims is None else array(g, dims, depth)
    made: Expr | None = None if base is None else g.choose(DERIVED, base)
    return made if made is not None and usable(made.dims) else base


@production(VIEWS, 6)
@production(DERIVED, 6)
def sliced(g: Generator, base: Expr) -> Expr | None:
    axis = g.rng.randrange(len(base.dims))
    dim = base.dims[axis]
    options: list[tuple[str, str, str]] = [
        ("::2", f"({dim}+1)//2", "slice with step"),
        ("1::2", f"({dim})//2", "slice with step"),
    ]
    if dim != "1":
        options += [
            ("1:", less(dim, 1), "slice"),
            (":-1", less(dim, 1), "slice"),
            ("1:-1", less(dim, 2), "slice"),
        ]
        options += [("-1:0:-1", less(dim, 1), "negative step"), ("-2::-1", less(dim, 1), "negative step")]
    if shortest((dim,)) >= 2:
        options += [(":2", "2", "slice"), ("-2:", "2", "slice")]
    text, new, construct = g.pick(options)
    g.mark(construct)
    dims = (*base.dims[:axis], new, *base.dims[axis + 1 :])
    if axis == len(dims) - 1 and axis and g.chance(0.4):
        g.mark("ellipsis")
        return view(base, f"{base.closed}[..., {text}]", dims)
    before = [g.pick((":", ":", "::-1")) for _ in range(axis)]
    if g.chance(0.1):
        g.mark("newaxis")
        return view(base, f"{base.closed}[{', '.join(['None', *before, text])}]", ("1", *dims))
    return view(base, f"{base.closed}[{', '.join([*before, text])}]", dims)


@production(DERIVED, 3)
def gathered(g: Generator, base: Expr) -> Expr | None:
    """Integer arrays as subscripts, with indices that occur twice."""
    axis = g.rng.randrange(len(base.dims))
    if shortest((base.dims[axis],)) < 2:
        return None
    index = g.pick(("[0, 1, 1]", "[1, 0, 0, 1]", "[-1, 0, -1]", "[1, 1]"))
    count = str(index.count(",") + 1)
    g.mark("gather")
    if len(base.dims) == 2 and shortest(base.dims) >= 2 and g.chance(0.3):
        other = "[" + ", ".join(g.pick("01") for _ in range(int(count))) + "]"
        return computed(f"{base.closed}[{index}, {other}]", (count,), base.bound, base.low)
    if g.chance(0.5):
        index = f"np.array({index})"
    elif g.chance(0.3):
        index = "PICK"
        count = "4"
    dims = (*base.dims[:axis], count, *base.dims[axis + 1 :])
    return computed(f"{base.closed}[{', '.join([':'] * axis + [index])}]", dims, base.bound, base.low)


@production(DERIVED, 2)
def masked(g: Generator, base: Expr) -> Expr | None:
    """A mask as subscript; how many elements it keeps only shows when it runs, so they are summed at once."""
    chosen = [p for p in g.places() if p.dims in (base.dims, base.dims[:1])]
    if not chosen:
        return None
    g.mark("mask")
    test = g.pick(chosen)
    text = f"{base.closed}[{test.closed} {g.pick('<>')} {g.pick(('0.0', '0.2', '-0.3'))}]"
    if test.dims == base.dims:
        inner = computed(text, ("?",), base.bound, base.low)
        e = computed(
            f"np.sum({g.pick((inner.text, f'np.tanh({inner.text})', f'{inner.text} ** 2'))})",
            (),
            (base.bound**2 + 1) * most(base.dims),
        )
        return e
    return computed(f"np.sum({text}, axis=0)", base.dims[1:], base.bound * most(base.dims[:1]))


@production(VIEWS, 2)
@production(DERIVED, 3)
def flattened(g: Generator, base: Expr) -> Expr | None:
    if len(base.dims) < 2:
        return None
    dims = ("*".join(f"({d})" if not d.isalnum() else d for d in base.dims),)
    choice = g.rng.randrange(5)
    if choice < 2:
        g.mark("ravel")
        return view(base, g.pick((f"np.ravel({base.text})", f"{base.closed}.ravel()")), dims)
    g.mark("reshape")
    if choice == 2 and len(base.dims) == 3 and shortest(base.dims) > 0:
        size = g.length_text(base.dims[0])
        rest = ("*".join(f"({d})" if not d.isalnum() else d for d in base.dims[1:]),)
        if size is not None:
            return view(base, f"{base.closed}.reshape({size}, -1)", (base.dims[0], *rest))
    if choice == 3 and len(base.dims) == 2:
        sizes = [g.length_text(dim) for dim in base.dims]
        if None not in sizes:
            return view(base, f"np.reshape({base.text}, ({sizes[1]}, {sizes[0]}))", base.dims[::-1])
    return view(
        base,
        g.pick((f"{base.closed}.reshape(-1)", f"np.reshape({base.text}, -1)", f"{base.closed}.reshape((-1,))")),
        dims,
    )


@production(DERIVED, 3)
def joined(g: Generator, base: Expr) -> Expr | None:
    axis = g.rng.randrange(len(base.dims))
    fitting = [
        p
        for p in g.places()
        if len(p.dims) == len(base.dims)
        and p.dims[:axis] + p.dims[axis + 1 :] == base.dims[:axis] + base.dims[axis + 1 :]
    ]
    other = g.pick(fitting) if fitting and g.chance(0.7) else base
    g.mark("concatenate")
    where = f", axis={axis}" if axis or g.chance(0.2) else ""
    parts = f"{base.text}, {other.text}" if g.chance(0.8) else f"{other.text}, {base.text}, {base.text}"
    count = parts.count(",")
    lengths = (
        [base.dims[axis], other.dims[axis]]
        if f"{base.text}, {other.text}" == parts
        else [other.dims[axis], base.dims[axis], base.dims[axis]]
    )
    del count
    dims = (*base.dims[:axis], "+".join(sorted(lengths)), *base.dims[axis + 1 :])
    brackets = "[]" if g.chance(0.7) else "()"
    return computed(
        f"np.concatenate({brackets[0]}{parts}{brackets[1]}{where})",
        dims,
        max(base.bound, other.bound),
        min(base.low, other.low),
    )


@production(DERIVED, 2.5)
def stacked(g: Generator, base: Expr) -> Expr | None:
    if len(base.dims) > 2:
        return None
    others = [array(g, base.dims, 1) for _ in range(g.pick((1, 1, 2)))]
    if None in others:
        return None
    parts = [base, *(o for o in others if o is not None)]
    axis = g.pick((0, 0, *range(len(base.dims) + 1)))
    g.mark("stack")
    where = "" if axis == 0 else f", axis={axis if g.chance(0.6) else axis - len(base.dims) - 1}"
    dims = (*base.dims[:axis], str(len(parts)), *base.dims[axis:])
    return computed(
        f"np.stack([{', '.join(p.text for p in parts)}]{where})",
        dims,
        max(p.bound for p in parts),
        min(p.low for p in parts),
    )


@production(VIEWS, 2)
@production(DERIVED, 2)
def widened(g: Generator, base: Expr) -> Expr | None:
    return inserted(g, base, g.rng.randrange(len(base.dims) + 1)) if len(base.dims) < 3 else None


@production(VIEWS, 1)
@production(DERIVED, 2)
def narrowed(g: Generator, base: Expr) -> Expr | None:
    if "1" not in base.dims or len(base.dims) < 2:
        return None
    g.mark("squeeze")
    axis = g.pick([i for i, dim in enumerate(base.dims) if dim == "1"])
    return view(base, named(g, "squeeze", base, f"axis={axis}"), base.dims[:axis] + base.dims[axis + 1 :])


@production(VIEWS, 4)
@production(DERIVED, 2)
def permuted(g: Generator, base: Expr) -> Expr | None:
    if len(base.dims) < 2:
        return None
    if len(base.dims) == 2:
        return turned(g, base)
    order = g.pick(((1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0)))
    dims = tuple(base.dims[i] for i in order)
    if order in ((1, 0, 2), (0, 2, 1)) and g.chance(0.5):
        g.mark("swapaxes")
        a, b = (0, 1) if order == (1, 0, 2) else (1, -1)
        return view(base, named(g, "swapaxes", base, str(a), str(b)), dims)
    g.mark("transpose")
    return view(base, f"np.transpose({base.text}, {order})", dims)


@production(DERIVED, 3)
def reduction(g: Generator, base: Expr) -> Expr | None:
    n = len(base.dims)
    axes = g.rng.sample(range(n), g.pick((1, 1, 1, 2)) if n > 1 else 1)
    return reduced(g, base, tuple(sorted(axes)), g.chance(0.45))


@production(DERIVED, 1)
def broadcast(g: Generator, base: Expr) -> Expr | None:
    if len(base.dims) > 2:
        return None
    sizes = [g.length_text(dim) for dim in base.dims]
    first = g.pick(("2", *(p.dims[0] for p in g.places())))
    if None in sizes or (size := g.length_text(first)) is None:
        return None
    g.mark("broadcast_to")
    made = computed(
        f"np.broadcast_to({base.text}, ({', '.join(map(str, (size, *sizes)))}))",
        (first, *base.dims),
        base.bound,
        base.low,
    )
    return made.but(made.text, roots=base.roots | {NOBODY})


@production(DERIVED, 1.5)
def crossed(g: Generator, base: Expr) -> Expr | None:
    """Products of two vectors, or of a matrix with its transpose."""
    if len(base.dims) == 1:
        other_dims = g.dims(ndim=(1,))
        other = None if other_dims is None else array(g, other_dims, 1)
        if other is None:
            return None
        g.mark("outer")
        return tame(
            g,
            computed(f"np.outer({base.text}, {other.text})", (*base.dims, *other.dims), base.bound * other.bound),
        )
    if len(base.dims) == 2 and base.atom:
        g.mark("attribute T")
        left = g.chance(0.5)
        a, b = (base, base.but(f"{base.text}.T")) if left else (base.but(f"{base.text}.T"), base)
        dims = (base.dims[0],) * 2 if left else (base.dims[1],) * 2
        return multiplied(g, a, b, dims, most(base.dims[1:] if left else base.dims[:1]))
    return None
