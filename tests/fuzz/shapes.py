"""Productions that change shape: reductions, products, subscripts and views towards given lengths."""

import math

from .expressions import (
    ARRAYS,
    array,
    computed,
    tame,
    view,
)
from .generator import Generator, production
from .kinds import Dims, Expr, most, shortest


def named(g: Generator, function: str, e: Expr, *arguments: str, method: float = 0.35) -> str:
    """A call of a NumPy function, or of the method of the same name."""
    if g.chance(method):
        return f"{e.closed}.{function}({', '.join(arguments)})"
    return f"np.{function}({', '.join((e.text, *arguments))})"


# reductions

REDUCTIONS = ("sum", "sum", "sum", "mean", "mean", "max", "min", "var", "std", "prod")


def reduced(g: Generator, e: Expr, axes: tuple[int, ...] | None, keepdims: bool) -> Expr | None:
    """A reduction of an array over some axes; over all where None."""
    over = tuple(e.dims if axes is None else (e.dims[axis] for axis in axes))
    left = tuple(
        "1" if axes is None or i in axes else dim
        for i, dim in enumerate(e.dims)
        if keepdims or not (axes is None or i in axes)
    )
    count, name = most(over), g.pick(REDUCTIONS)
    if name != "sum" and shortest(over) < 1 or (name == "prod" and count > 6):
        return None
    arguments = []
    if axes is not None:
        g.mark("axis")
        spelled = [str(axis if g.chance(0.7) else axis - len(e.dims)) for axis in axes]
        axis_text = spelled[0] if len(axes) == 1 else f"({', '.join(spelled)})"
        arguments.append(axis_text if g.chance(0.15) else f"axis={axis_text}")
    elif g.chance(0.06):
        arguments.append("axis=None")
    if keepdims:
        g.mark("keepdims")
        arguments.append("keepdims=True")
    bound, low = e.bound, e.low
    if name == "prod":
        e = tame(g, e, 1.2)
        bound, low = e.bound**count, e.low**count if e.low > 0 else -math.inf
    elif name == "sum":
        bound, low = e.bound * max(count, 1), e.low * count if e.low > 0 and shortest(over) else -math.inf
    elif name in ("var", "std"):
        if name == "std" and not scattered(g, e, over):
            return None
        bound, low = e.bound**2, 0.0
    g.mark({"max": "max or min", "min": "max or min"}.get(name, name))
    text = named(g, name, e, *arguments)
    if not text.startswith("np."):
        g.mark("reducing method")
    return computed(text, left, bound, low)


def scattered(g: Generator, e: Expr, over: Dims) -> bool:
    """Whether the elements surely differ, or there is one: elsewhere the gradient of std may be rounding."""
    return e.text in g.scattered and (shortest(over) > 1 or set(over) == {"1"})


@production(ARRAYS, 3)
def axis_reduction(g: Generator, dims: Dims, depth: int) -> Expr | None:
    found = []
    for place in g.places():
        for axis in range(len(place.dims)):
            without = place.dims[:axis] + place.dims[axis + 1 :]
            if without == dims:
                found.append((place, axis, False))
            if place.dims[:axis] + ("1",) + place.dims[axis + 1 :] == dims:
                found.append((place, axis, True))
    if not found:
        return None
    place, axis, keepdims = g.pick(found)
    source = place if g.chance(0.4) else array(g, place.dims, depth - 1)
    return None if source is None else reduced(g, source, (axis,), keepdims)


# products


@production(ARRAYS, 4)
def product(g: Generator, dims: Dims, depth: int) -> Expr | None:
    """A matrix product with one factor in sight."""
    found: list[tuple[Expr, Dims]] = []
    for p in g.places():
        if len(p.dims) == 2 and len(dims) in (1, 2):
            found += [(p, (p.dims[1], *dims[1:]))] if p.dims[0] == dims[0] else []
            found += [(p.but(f"{p.text}.T"), (p.dims[0], *dims[1:]))] if p.dims[1] == dims[0] else []
    if not found:
        return None
    left, right_dims = g.pick(found)
    right = array(g, right_dims, depth - 1)
    if right is None:
        return None
    if left.text.endswith(".T"):
        g.mark("attribute T")
    swapped = len(dims) == 1 and g.chance(0.4)
    if swapped:  # v @ M.T is M @ v
        base = left.text[:-2] if left.text.endswith(".T") else f"{left.text}.T"
        return multiplied(g, right, left.but(base), dims, most(right_dims[:1]))
    return multiplied(g, left, right, dims, most(right_dims[:1]))


def multiplied(g: Generator, a: Expr, b: Expr, dims: Dims, count: int) -> Expr:
    """A product that sums over `count` terms, in one of its spellings."""
    bound = a.bound * b.bound * max(count, 1)
    spellings = 4 if len(b.dims) > 2 else 6  # dot pairs every matrix of one with every one of the other
    choice = g.rng.randrange(spellings)
    if choice < 3:
        g.mark("matmul operator")
        made = computed(f"{a.closed} @ {b.closed}", dims, bound, atom=False)
    elif choice == 3:
        g.mark("matmul")
        made = computed(f"np.matmul({a.text}, {b.text})", dims, bound)
    elif choice == 4:
        g.mark("dot")
        made = computed(f"np.dot({a.text}, {b.text})", dims, bound)
    else:
        g.mark("dot method")
        made = computed(f"{a.closed}.dot({b.text})", dims, bound)
    return tame(g, made)


@production(ARRAYS, 1.5)
def batched(g: Generator, dims: Dims, depth: int) -> Expr | None:
    """A product of stacks of matrices."""
    if len(dims) != 3:
        return None
    inner = g.pick(dims[1:])
    a, b = (
        array(g, (dims[0], dims[1], inner), depth - 1),
        array(g, g.pick(((inner, dims[2]), (dims[0], inner, dims[2]))), depth - 1),
    )
    return None if a is None or b is None else multiplied(g, a, b, dims, most((inner,)))


@production(ARRAYS, 2)
def outer(g: Generator, dims: Dims, depth: int) -> Expr | None:
    if len(dims) != 2:
        return None
    a, b = array(g, dims[:1], depth - 1), array(g, dims[1:], depth - 1)
    if a is None or b is None:
        return None
    if g.chance(0.4):
        g.mark("newaxis", "broadcasting")
        text = f"{a.closed}[:, None] * {b.closed}"
        return tame(g, computed(text, dims, a.bound * b.bound, atom=False))
    g.mark("outer")
    return tame(g, computed(f"np.outer({a.text}, {b.text})", dims, a.bound * b.bound))


# views towards given lengths


@production(ARRAYS, 1.5)
def transposed(g: Generator, dims: Dims, depth: int) -> Expr | None:
    if len(dims) < 2:
        return None
    base = array(g, dims[::-1], depth - 1)
    return None if base is None else turned(g, base)


def turned(g: Generator, base: Expr) -> Expr:
    """The array with its axes in reverse order."""
    dims, n = base.dims[::-1], len(base.dims)
    choices = [f"{base.closed}.T", f"np.transpose({base.text})", f"{base.closed}.transpose()"]
    if n == 2:
        choices += [
            f"np.swapaxes({base.text}, 0, 1)",
            f"{base.closed}.swapaxes(-1, 0)",
            f"np.transpose({base.text}, (1, 0))",
        ]
    if n == 3:
        choices += [
            f"np.swapaxes({base.text}, 0, 2)",
            f"{base.closed}.transpose(2, 1, 0)",
            f"np.transpose({base.text}, axes=(2, 1, 0))",
        ]
    text = g.pick(choices)
    g.mark("attribute T" if text.endswith(".T") else "swapaxes" if "swapaxes" in text else "transpose")
    return view(base, text, dims)


@production(ARRAYS, 1.5)
def axis_inserted(g: Generator, dims: Dims, depth: int) -> Expr | None:
    if "1" not in dims:
        return None
    axis = g.pick([i for i, dim in enumerate(dims) if dim == "1"])
    base = array(g, dims[:axis] + dims[axis + 1 :], depth - 1)
    return inserted(g, base, axis) if base is not None and base.dims else None


def inserted(g: Generator, base: Expr, axis: int) -> Expr:
    """The array with an axis of length 1 at that place."""
    dims, n = (*base.dims[:axis], "1", *base.dims[axis:]), len(base.dims)
    choice = g.rng.randrange(4)
    if choice == 0:
        g.mark("expand_dims")
        where = axis if g.chance(0.6) else axis - n - 1
        return view(base, f"np.expand_dims({base.text}, {g.pick(('', 'axis='))}{where})", dims)
    g.mark("newaxis")
    new = g.pick(("None", "np.newaxis"))
    if axis == n and g.chance(0.4):
        g.mark("ellipsis")
        return view(base, f"{base.closed}[..., {new}]", dims)
    parts = [":"] * axis + [new] + ([":"] * (n - axis) if g.chance(0.5) else [])
    return view(base, f"{base.closed}[{', '.join(parts)}]", dims)


@production(ARRAYS, 1)
def axis_removed(g: Generator, dims: Dims, depth: int) -> Expr | None:
    """A squeeze of something with one more axis, of length 1."""
    axis = g.rng.randrange(len(dims) + 1)
    base = array(g, (*dims[:axis], "1", *dims[axis:]), depth - 1)
    if base is None:
        return None
    g.mark("squeeze")
    return view(base, named(g, "squeeze", base, f"axis={axis}"), dims)


@production(ARRAYS, 3)
def picked(g: Generator, dims: Dims, depth: int) -> Expr | None:
    """A row, column or page of something in sight."""
    found = [
        (p, axis)
        for p in g.places()
        for axis in range(len(p.dims))
        if len(p.dims) == len(dims) + 1 and p.dims[:axis] + p.dims[axis + 1 :] == dims
    ]
    if not found:
        return None
    base, axis = g.pick(found)
    index = g.index_text(base.dims[axis])
    if index is None:
        return None
    if axis == 0:
        g.mark("row")
        return view(base, f"{base.closed}[{index}]", dims)
    if axis == len(base.dims) - 1 and g.chance(0.3):
        g.mark("ellipsis", "column")
        return view(base, f"{base.closed}[..., {index}]", dims)
    g.mark("column")
    return view(base, f"{base.closed}[{', '.join([':'] * axis + [index])}]", dims)


@production(ARRAYS, 1.5)
def flipped(g: Generator, dims: Dims, depth: int) -> Expr | None:
    base = array(g, dims, depth - 1)
    if base is None:
        return None
    g.mark("negative step")
    axis = g.rng.randrange(len(dims))
    if axis == len(dims) - 1 and axis and g.chance(0.4):
        g.mark("ellipsis")
        return view(base, f"{base.closed}[..., ::-1]", dims)
    return view(base, f"{base.closed}[{', '.join([':'] * axis + ['::-1'])}]", dims)


@production(ARRAYS, 1.5)
def repeated(g: Generator, dims: Dims, depth: int) -> Expr | None:
    """A gather with as many indices as the axis is long, some of them twice."""
    base = array(g, dims, depth - 1)
    size = None if base is None else g.length_text(dims[0])
    if base is None or size is None:
        return None
    g.mark("gather")
    index = g.pick((f"np.arange({size}) // 2", f"np.arange({size})[::-1]", f"np.arange({size}) * 0"))
    return computed(f"{base.closed}[{index}]", dims, base.bound, base.low)


@production(ARRAYS, 1.4)
def diagonal(g: Generator, dims: Dims, depth: int) -> Expr | None:
    if len(dims) == 2 and dims[0] == dims[1]:
        base = array(g, dims[:1], depth - 1)
    elif len(dims) == 1:
        base = next((p for p in g.shuffled(g.places()) if p.dims == dims * 2), None)
    else:
        return None
    if base is None:
        return None
    g.mark("diag")
    text = f"np.diag({base.text})"
    if len(dims) == 2:
        return computed(text, dims, base.bound)
    return view(base, text, dims)


@production(ARRAYS, 1)
def stacked_rows(g: Generator, dims: Dims, depth: int) -> Expr | None:
    if len(dims) < 2 or dims[0] not in ("2", "3"):
        return None
    rows = [array(g, dims[1:], depth - 1) for _ in range(int(dims[0]))]
    if None in rows:
        return None
    g.mark("stack")
    bound, low = max(row.bound for row in rows if row), min(row.low for row in rows if row)
    return computed(f"np.stack([{', '.join(row.text for row in rows if row)}])", dims, bound, low)


@production(ARRAYS, 1)
def reshaped_twice(g: Generator, dims: Dims, depth: int) -> Expr | None:
    base = array(g, dims, depth - 1)
    shape = g.shape_text(dims)
    if base is None or shape is None or len(dims) < 2:
        return None
    g.mark("reshape", "ravel")
    flat = g.pick((f"np.ravel({base.text})", f"{base.closed}.ravel()", f"{base.closed}.reshape(-1)"))
    return view(base, f"{flat}.reshape({shape})", dims)
