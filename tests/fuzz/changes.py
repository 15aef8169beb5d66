"""Changes in place of an array, whatever it is called: by subscripts, operators, functions and methods."""

from . import scalars
from .derived import sliced
from .expressions import array, partner, tame
from .generator import Generator, Table, production, subscripts
from .kinds import FLOAT, Dims, Expr, shortest

#: Each takes an array, one name of which may be bound here if `named`, and emits a statement that changes it.
CHANGES: Table = []
SMALL = 0.15  # of what a loop adds to an array


def change(g: Generator, v: Expr, named: bool = False) -> bool | None:
    """A statement that changes an array in place, by values that are no larger than it may hold."""
    if shortest(v.dims) < 1:
        return None
    done: bool | None = g.choose(CHANGES, v, named)
    if done:
        g.written(v, v.bound if g.loops else max(v.bound, 1.0) + 1.0)
        if v.text not in g.scope.variables or g.scope.variables[v.text].shares:
            g.mark("shared: written")
    return done


def given(g: Generator, v: Expr, dims: Dims, limit: float = 1.0) -> Expr | None:
    """A value for a place of these lengths: a number, an array, or something of the array that is changed itself."""
    if dims == v.dims and g.chance(0.2):
        own = g.pick((f"{v.closed}[::-1]", f"np.sin({v.text})", f"{v.closed} * {v.closed}"))
        return tame(g, Expr(own, v.kind, v.bound**2 if "*" in own else v.bound, atom=False), limit)
    e = array(g, dims if g.chance(0.6) else partner(g, dims), 1) if dims and g.chance(0.8) else scalars.number(g, 1)
    return None if e is None else tame(g, e, limit)


def limit_of(g: Generator, v: Expr, added: bool = False) -> float:
    """How large values may be that are put into an array, or added to it."""
    return SMALL if added and g.loops else 1.0 if added else v.bound


def operated(g: Generator, v: Expr, place: str, dims: Dims, operators: str = "==+-*") -> bool | None:
    """`place op value`."""
    operator = g.pick(operators)
    e = given(g, v, dims, {"=": limit_of(g, v), "*": 1.0}.get(operator, limit_of(g, v, added=True)))
    if e is None:
        return None
    if operator in "+-" and g.loops and e.bound > SMALL:
        e = Expr(f"0.1 * {e.closed}", e.kind, atom=False)
    g.emit(f"{place} {operator if operator == '=' else operator + '='} {e.text}")
    return True


@production(CHANGES, 3)
def element(g: Generator, v: Expr, named: bool) -> bool | None:
    indices = [g.index_text(d) for d in v.dims]
    if None in indices:
        return None
    g.mark("store: element")
    return operated(g, v, f"{v.closed}[{subscripts(indices)}]", ())


@production(CHANGES, 2)
def row(g: Generator, v: Expr, named: bool) -> bool | None:
    index = g.index_text(v.dims[0])
    if index is None or len(v.dims) < 2:
        return None
    g.mark("store: row")
    return operated(g, v, f"{v.closed}[{index}]", v.dims[1:])


@production(CHANGES, 1)
def column(g: Generator, v: Expr, named: bool) -> bool | None:
    index = g.index_text(v.dims[-1])
    if index is None or len(v.dims) < 2:
        return None
    g.mark("store: transpose")
    return operated(g, v, f"{v.closed}.T[{index}]", v.dims[-2::-1])


@production(CHANGES, 2.5)
def part(g: Generator, v: Expr, named: bool) -> bool | None:
    there = sliced(g, v)
    if there is None:
        return None
    g.mark("store: slice")
    return operated(g, v, there.text, there.dims)


@production(CHANGES, 3)
def whole(g: Generator, v: Expr, named: bool) -> bool | None:
    if named and g.chance(0.7):
        g.mark("shared: augmented")
        return operated(g, v, v.text, v.dims, "+-*")
    g.mark("store: whole")
    return operated(g, v, f"{v.closed}[{g.pick((':', '...'))}]", v.dims)


@production(CHANGES, 1)
def shifted(g: Generator, v: Expr, named: bool) -> bool | None:
    """A part that is given another part, which it overlaps."""
    if shortest(v.dims[:1]) < 2:
        return None
    left, right = g.pick((("[1:]", "[:-1]"), ("[:-1]", "[1:]"), ("", "[::-1]"), ("[1:]", "[:1]")))
    place = f"{v.closed}{left}" if left else f"{v.closed}[...]"
    g.mark("store: slice")
    g.emit(f"{place} {g.pick(('=', '=', '*='))} {g.pick((f'0.5 * {v.closed}{right}', f'np.sin({v.closed}{right})'))}")
    return True


@production(CHANGES, 2)
def swapped(g: Generator, v: Expr, named: bool) -> bool | None:
    """Two elements, or two rows, that change places; rows with no copies both become one of them."""
    if shortest(v.dims[:1]) < 2:
        return None
    a, b = f"{v.closed}[{g.pick('01')}]", f"{v.closed}[-1]"
    g.mark("shared: swapped elements" if len(v.dims) == 1 else "shared: swapped rows")
    if len(v.dims) > 1 and g.chance(0.5):
        g.mark("shared: rows at once")
        g.emit(f"{a}, {b} = {b}, {a}")
        return True
    ways = [[f"{a}, {b} = {b}, {a}"], [f"{v.closed}[[0, 1]] = {v.closed}[[1, 0]]"]]
    t = g.fresh_name("t", "kept")
    ways.append([f"{t} = {a}", f"{a} = {b}", f"{b} = {t}"])
    if len(v.dims) > 1:
        ways += [[f"{a}, {b} = {b}.copy(), {a}.copy()"], [f"{t} = {a}.copy()", f"{a} = {b}", f"{b} = {t}"]]
    for line in g.pick(ways):
        g.emit(line)
    return True


@production(CHANGES, 1.5)
def at_indices(g: Generator, v: Expr, named: bool) -> bool | None:
    if shortest(v.dims[:1]) < 2:
        return None
    index = g.pick(("[0, 1, 1]", "[-1, 0]", "PICK", "[1, 1]"))
    count = "4" if index == "PICK" else str(index.count(",") + 1)
    if g.chance(0.5):
        g.mark("store: index array")
        return operated(g, v, f"{v.closed}[{index}]", (count, *v.dims[1:]))
    e = given(g, v, (count, *v.dims[1:]), limit_of(g, v, added=True))
    if e is None:
        return None
    g.mark("written: add.at")
    g.emit(f"np.{g.pick(('add', 'add', 'subtract'))}.at({v.text}, {index}, {e.text})")
    return True


@production(CHANGES, 3.5)
def in_order(g: Generator, v: Expr, named: bool) -> bool | None:
    """Elements in the order of C, by values that are repeated where they are too few."""
    if shortest(v.dims[:1]) < 2:
        return None
    dims = g.dims() if g.chance(0.6) else None
    e = given(g, v, dims or (), limit_of(g, v))
    if e is None:
        return None
    if g.chance(0.45):
        index = g.pick(("[0, 1, 1]", "[-1, 0]", "PICK", "1", "[[0, 1], [-1, 1]]"))
        mode = g.pick(("", "", ", mode='wrap'", ", mode='clip'"))
        g.mark("written: put")
        g.emit(f"np.put({v.text}, {index}, {e.text}{mode})" if g.chance(0.6) else
               f"{v.closed}.put({index}, {e.text}{mode})")  # fmt: skip
        return True
    g.mark("written: flat")
    index = g.pick(("0", "-1", "1:", "::2", "[0, 1, 1]", "PICK", "..."))
    if not e.dims or index in ("0", "-1"):
        return operated(g, v, f"{v.closed}.flat[{index}]", ())
    place = f"{v.closed}.flat" if g.chance(0.2) else f"{v.closed}.flat[{index}]"
    g.emit(f"{place} = {e.closed} * 1.0")
    return True


def mask(g: Generator, v: Expr) -> str:
    """A test of each element."""
    tests = [p.closed for p in g.places() if p.dims == v.dims] + [v.closed]
    return f"{g.pick(tests)} {g.pick('<>')} {g.pick(('0.1', '0.35', '-0.3'))}"


@production(CHANGES, 1.5)
def masked(g: Generator, v: Expr, named: bool) -> bool | None:
    e = tame(g, scalars.number(g, 1), limit_of(g, v))
    if g.chance(0.4):
        g.mark("written: putmask")
        g.emit(f"np.{g.pick(('putmask', 'putmask', 'place'))}({v.text}, {mask(g, v)}, {e.text})")
        return True
    g.mark("store: mask")
    g.emit(f"{v.closed}[{mask(g, v)}] {g.pick(('=', '*='))} {tame(g, e, min(1.0, limit_of(g, v))).text}")
    return True


@production(CHANGES, 4)
def into(g: Generator, v: Expr, named: bool) -> bool | None:
    """A function that computes into the array, or into a part of it."""
    there = sliced(g, v) if g.chance(0.35) else None
    there = there or v
    e = given(g, v, there.dims)
    if e is None:
        return None
    if not e.dims:
        e = there
    e = tame(g, e, min(1.0, v.bound))
    other = given(g, v, there.dims, SMALL)
    where = ""
    if g.chance(0.3):
        g.mark("written: where with out")
        where = f", where={mask(g, there)}"
    g.mark("written: out into a part" if there is not v else "written: out")
    calls = [f"np.sin({e.text}", f"np.tanh({e.text}", f"np.negative({e.text}"]
    if other is not None:
        factor = given(g, v, there.dims, 1.0)
        calls += [f"np.multiply({e.text}, {(factor or other).text}"] * 2
        calls += [f"np.multiply({there.text}, {other.text}", f"np.subtract({other.text}, {there.text}"]
    if not where and other is not None and other.dims == there.dims:
        calls += [f"np.clip({e.text}, -0.8, 0.9"]
    if g.chance(0.4):
        g.mark("written: out by position")
        g.emit(f"{g.pick(calls)}, {there.text}{where})")
    elif g.chance(0.25) and not g.loops:
        name = g.fresh_name()
        g.emit(f"{name} = {g.pick(calls)}, out={there.text}{where})")
        g.bind(name, there.but(there.text, bound=max(v.bound, 1.0), low=float("-inf")))
    else:
        g.emit(f"{g.pick(calls)}, out={there.text}{where})")
    return True


@production(CHANGES, 1.5)
def copied_to(g: Generator, v: Expr, named: bool) -> bool | None:
    e = given(g, v, v.dims, limit_of(g, v))
    if e is None:
        return None
    g.mark("written: copyto")
    where = f", where={mask(g, v)}" if g.chance(0.3) else ""
    g.emit(f"np.copyto({v.text}, {e.text}{where})")
    return True


@production(CHANGES, 1)
def filled(g: Generator, v: Expr, named: bool) -> bool | None:
    e = tame(g, scalars.number(g, 1), limit_of(g, v))
    there = sliced(g, v) if g.chance(0.6) else None
    g.mark("written: fill")
    if len(v.dims) >= 2 and len(set(v.dims)) == 1 and g.chance(0.5):
        g.emit(f"np.fill_diagonal({v.text}, {e.text})")
    else:
        g.emit(f"{(there or v).closed}.fill({e.text})")
    return True


@production(CHANGES, 4)
def ordered(g: Generator, v: Expr, named: bool) -> bool | None:
    """Sorted, where no two elements are equal."""
    if v.text not in g.scattered or g.loops:
        return None
    g.mark("written: sort")
    g.emit(f"{v.text}.sort({'' if len(v.dims) == 1 or g.chance(0.4) else '0'})")
    return True


def read(g: Generator, v: Expr) -> None:
    """A number made of an array."""
    name = g.fresh_name("s", "total", "r")
    other = array(g, v.dims, 0) if g.chance(0.3) else None
    factor = f" * {other.closed}" if other is not None else ""
    choices = (f"np.sum({v.closed}{factor}) / 5.0", f"np.sum({v.closed} ** 2) / 9.0", f"np.sum(np.sin({v.text}))")
    g.mark("sum")
    g.emit(f"{name} = {g.pick(choices)}")
    g.bind(name, Expr(name, FLOAT, 4.0 * (1.0 + v.bound**2)))
