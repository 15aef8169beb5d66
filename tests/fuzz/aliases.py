"""Productions for arrays with several names: second names, views, containers, closures, buffers, 0-d arrays."""

from . import scalars
from .changes import change, read
from .conditions import condition
from .derived import sliced
from .expressions import array, tame, view
from .generator import Generator, Table, production
from .kinds import FLOAT, Array, Dims, Expr, less, shortest
from .scope import Variable
from .statements import STATEMENTS, statements

SEEN: Table = []
DEEP = 2  # blocks of these productions are not nested deeper


def writable(g: Generator) -> list[Variable]:
    """Float arrays in sight that may be changed."""
    return [
        v
        for v in g.scope.variables.values()
        if isinstance(v.kind, Array) and v.kind.type == "float" and v.kind.dims and shortest(v.kind.dims) >= 2
        and not g.is_of_module(frozenset({v.name})) and not (g.loops and v.low > float("-inf"))
    ]  # fmt: skip


def is_bindable(g: Generator, v: Variable) -> bool:
    """May a statement here bind the name, as `x += y` does?"""
    return v.name in g.scope.local | g.scope.mutable and not v.fixed


def changed(g: Generator, v: Variable) -> bool | None:
    return change(g, v.expr, is_bindable(g, v))


def started(g: Generator, dims: Dims | None = None) -> Variable | None:
    """An array of the function's own under a new name, which lies in memory as C has it, or one in sight."""
    found = [v for v in writable(g) if dims is None or v.kind.dims == dims]  # type: ignore[union-attr]
    if found and g.chance(0.3):
        return g.pick(found)
    dims = dims or g.dims(least=2, ndim=(1, 1, 2))
    e = None if dims is None else array(g, dims, 1)
    if dims is None or e is None:
        return None
    apart = [p for p in g.places() if p.dims == dims and p.text in g.scattered]
    e = tame(g, g.pick(apart) if apart and g.chance(0.25) else e, 1.5)
    name = g.fresh_name("u", "y", "buf", "q")
    texts = (f"{e.closed} * 1.0", f"{e.closed}.copy()", f"np.array({e.text})", f"0.5 * {e.closed}")
    g.emit(f"{name} = {g.pick(texts)}")
    g.bind(name, Expr(name, Array(dims), e.bound))
    if e.text in g.scattered:
        g.scattered.add(name)
    return g.scope.variables[name]


def defined(g: Generator, base: str, params: str, lines: tuple[str, ...]) -> str | None:
    """The name of a helper of the module, written once; None if something else has it."""
    if base not in g.reserved:
        if g.fresh_name(base) != base:
            return None
        g.reserved.add(base)
        g.preamble.append("\n".join([f"def {base}({params}):", *(f"    {line}" if line else "" for line in lines)]))
    return base


# names of one array


@production(SEEN, 3)
def second(g: Generator, v: Expr) -> Expr:
    g.mark("shared: second name")
    return v


@production(SEEN, 4)
def piece(g: Generator, v: Expr) -> Expr | None:
    return sliced(g, v)


@production(SEEN, 2.5)
def turned(g: Generator, v: Expr) -> Expr | None:
    if len(v.dims) != 2:
        return None
    g.mark("shared: turned view")
    texts = (f"{v.closed}.T", f"np.swapaxes({v.text}, 0, 1)", f"{v.closed}.transpose()", f"np.transpose({v.text})",
             f"np.einsum('ij->ji', {v.text})", f"np.rot90({v.text})")  # fmt: skip
    return view(v, g.pick(texts), v.dims[::-1])


@production(SEEN, 2)
def parted(g: Generator, v: Expr) -> Expr | None:
    """A part of an array that is split."""
    axis = g.rng.randrange(len(v.dims))
    dim = v.dims[axis]
    if shortest((dim,)) < 2:
        return None
    g.mark("shared: part of a split")
    text, new = g.pick((
        (f"np.split({v.text}, [1], axis={axis})[1]", less(dim, 1)),
        (f"np.array_split({v.text}, 2, axis={axis})[0]", f"({dim}+1)//2"),
        (f"np.array_split({v.text}, 2, {axis})[-1]", f"({dim})//2"),
    ))  # fmt: skip
    return view(v, text, (*v.dims[:axis], new, *v.dims[axis + 1 :]))


@production(SEEN, 1)
def as_it_is(g: Generator, v: Expr) -> Expr:
    g.mark("shared: second name")
    return view(v, g.pick((f"np.asarray({v.text})", f"np.atleast_1d({v.text})", f"np.asanyarray({v.text})")), v.dims)


@production(SEEN, 1.5)
def reversed_view(g: Generator, v: Expr) -> Expr:
    g.mark("shared: reversed view")
    return view(v, g.pick((f"{v.closed}[::-1]", f"np.flip({v.text}, 0)")), v.dims)


@production(SEEN, 2.5)
def reshaped(g: Generator, v: Expr) -> Expr | None:
    if len(v.dims) != 2 or not all(d.isalnum() for d in v.dims):
        return None
    g.mark("shared: reshaped view")
    text = g.pick((f"{v.closed}.reshape(-1)", f"np.ravel({v.text})", f"{v.closed}.ravel()"))
    return view(v, text, ("*".join(v.dims),))


@production(SEEN, 1.2)
def widened(g: Generator, v: Expr) -> Expr | None:
    if len(v.dims) > 2:
        return None
    g.mark("shared: widened view")
    if "1" in v.dims[:1] and len(v.dims) > 1:
        return view(v, f"np.squeeze({v.text}, 0)", v.dims[1:])
    return view(v, g.pick((f"np.expand_dims({v.text}, 0)", f"{v.closed}[None]")), ("1", *v.dims))


@production(SEEN, 2.5)
def a_row(g: Generator, v: Expr) -> Expr | None:
    index = g.index_text(v.dims[0])
    if index is None or len(v.dims) < 2:
        return None
    g.mark("shared: row")
    return view(v, f"{v.closed}[{index}]", v.dims[1:])


def another(g: Generator, v: Variable) -> Variable | None:
    """Another name of an array: for all of it or a view."""
    made: Expr | None = g.choose(SEEN, v.expr)
    if made is None or not made.dims:
        return None
    if made.text != v.name:
        g.mark("shared: view of a view" if v.name in g.views else "shared: view")
    name = g.fresh_name("v", "w", "part", "alias", "edge")
    g.emit(f"{name} = {made.text}")
    g.bind(name, made)
    if made.text != v.name:
        g.views.add(name)
    return g.scope.variables[name]


def named(g: Generator) -> list[Variable] | None:
    """An array with one to three other names."""
    base = started(g)
    if base is None:
        return None
    family = [base]
    for _ in range(g.pick((1, 1, 2, 3))):
        made = another(g, g.pick(family))
        if made is not None:
            family.append(made)
    return family if len(family) > 1 else None


def current(g: Generator, family: list[Variable]) -> list[Variable]:
    """Those of some names that still are of their kind, as they are known now."""
    now = [g.scope.variables.get(v.name) for v in family]
    return [v for v, old in zip(now, family, strict=True) if v is not None and v.kind == old.kind]


def some_changes(g: Generator, family: list[Variable], count: int) -> int:
    """Changes through these names, with other statements and reads between them."""
    done = 0
    for _ in range(count):
        now = current(g, family)
        if not now:
            return done
        done += bool(changed(g, g.pick(now)))
        if g.chance(0.3):
            read(g, g.pick(now).expr)
        elif g.chance(0.15) and g.depth < DEEP:
            statements(g, 1)
    return done


def inside(g: Generator, family: list[Variable], loop: bool, count: int) -> None:
    """The block of a branch or a loop that changes these arrays, and reads them into no new names."""
    outside = g.scope
    g.scope = outside.body(set()) if loop else outside.arm()
    g.loops += loop
    lines = len(g.block)
    with g.indented():
        if loop and g.chance(0.5):
            made = another(g, g.pick(family))
            if made is not None:
                g.mark("shared: view made in a loop")
                changed(g, made)
        for _ in range(count):
            changed(g, g.pick(current(g, family)))
        if loop and g.chance(0.15):
            g.mark("break", "if")
            g.emit(f"if np.sum({g.pick(family).name}) > {g.pick(('0.7', '1.3'))}:")
            g.emit("    break")
        if len(g.block) == lines:
            g.emit("pass")
            g.mark("pass")
    g.loops -= loop
    within, g.scope = g.scope, outside
    for v in family:
        g.written(v.expr, v.bound if loop else within.variables[v.name].bound)


def controlled(g: Generator, family: list[Variable]) -> None:
    """A branch or a loop that changes these arrays."""
    if g.chance(0.45) or g.loops >= 2:
        g.mark("shared: written in a branch", "if")
        g.emit(f"if {condition(g, 1)}:")
        inside(g, family, False, g.pick((1, 1, 2)))
        if g.chance(0.5):
            g.mark("else")
            g.emit("else:")
            inside(g, family, False, 1)
        return
    g.mark("shared: written in a loop")
    index = g.fresh_name("i", "k", "step")
    base = g.pick(family).name
    if g.chance(0.25):
        g.mark("while: counter")
        g.emit(f"{index} = 0")
        g.emit(f"while {index} < {g.pick('23')}:")
        with g.indented():
            g.emit(f"{index} += 1")
    else:
        g.mark("for: range")
        g.emit(f"for {index} in range({g.pick(('0', '1', '2', '3', '3', f'len({base})'))}):")
    inside(g, family, True, g.pick((1, 2, 2, 3)))


@production(STATEMENTS, 9)
def several_names(g: Generator) -> bool | None:
    """One array under several names, changed and read through all of them."""
    if g.depth > DEEP:
        return None
    family = named(g)
    if family is None:
        return None
    done = some_changes(g, family, g.pick((1, 2, 2, 3)))
    family = current(g, family)
    if family and g.depth < DEEP and g.chance(0.5):
        controlled(g, family)
        done += 1
    if g.chance(0.4):
        done += some_changes(g, family, 1)
    family = current(g, family)
    if not done or not family:
        return None
    read(g, g.pick(family).expr)
    return True


@production(STATEMENTS, 3)
def change_in_sight(g: Generator) -> bool | None:
    """Any array in sight, changed in place."""
    found = writable(g)
    return changed(g, g.pick(found)) if found else None


@production(STATEMENTS, 2.5)
def of_complex_numbers(g: Generator) -> bool | None:
    """The real and the imaginary part of complex numbers, changed by name and in place."""
    dims = g.dims(least=2, ndim=(1, 1, 2))
    e = None if dims is None else array(g, dims, 1)
    if dims is None or e is None or g.depth > DEEP:
        return None
    e = tame(g, e, 1.5)
    z, name = g.fresh_name("z", "psi", "amplitude"), g.fresh_name("re", "im", "v")
    part = g.pick(("real", "imag"))
    g.mark("shared: real or imaginary part")
    g.emit(f"{z} = {e.closed} * (1.0 + 0.5j)")
    g.emit(f"{name} = {z}.{part}")
    g.bind(name, Expr(name, Array(dims), 1.5))
    other = {"real": "imag", "imag": "real"}[part]
    changed(g, g.scope.variables[name])
    choices = (
        f"{z}.{other}[1:] *= np.cos({name}[:-1])",
        f"{z}.{other} = 0.5 * {name}[::-1]",
        f"{z}.{other} += {name} * {name}",
        f"np.sin({name}, out={z}.{other})",
        f"{z}[0] = 0.5j * {z}[-1]",
        f"{z}.T.{other}[0] = {name}.T[1]",
        f"{z}[1].{part} = 0.3" if len(dims) > 1 else f"{z}.{part}[1] = 0.3",
    )
    for line in g.rng.sample(choices, g.pick((1, 1, 2))):
        g.emit(line)
    g.written(g.scope.variables[name].expr, 3.0)
    if g.chance(0.5):
        changed(g, g.scope.variables[name])
    total = g.fresh_name("s", "total")
    g.emit(f"{total} = np.sum({z}.real * {z}.imag) / 9.0")
    g.bind(total, Expr(total, FLOAT, 8.0))
    return True


@production(STATEMENTS, 1.5)
def put_in_order(g: Generator) -> bool | None:
    """A copy of an array with no two equal elements, seen through a view and sorted."""
    found = [p for p in g.places() if p.text in g.scattered and len(p.dims) <= 2 and shortest(p.dims) >= 2]
    if not found:
        return None
    e = g.pick(found)
    name = g.fresh_name("u", "order", "sorted_one")
    g.emit(f"{name} = {e.closed} * 1.0")
    g.bind(name, e.but(name, roots=frozenset()))
    seen = another(g, g.scope.variables[name])
    g.mark("written: sort")
    g.emit(f"{name}.sort({'' if len(e.dims) == 1 or g.chance(0.5) else '0'})")
    for v in (seen, g.scope.variables[name]):
        if v is not None:
            changed(g, v)
            read(g, v.expr)
    return True


@production(STATEMENTS, 2)
def name_in_sight(g: Generator) -> bool | None:
    """Another name of any array in sight."""
    found = writable(g)
    return another(g, g.pick(found)) is not None or None if found else None


@production(STATEMENTS, 2.5)
def rows_changed(g: Generator) -> bool | None:
    """A loop over the rows of an array, which changes them."""
    if g.depth >= DEEP or g.loops >= 2:
        return None
    dims = g.dims(least=2, ndim=(2,))
    base = None if dims is None else started(g, dims)
    if base is None:
        return None
    g.mark("shared: rows of a loop", "for: rows")
    text, name = base.name, g.fresh_name("row", "r")
    if g.chance(0.3):
        text = g.pick((f"{text}.T", f"{text}[::-1]", f"{text}[:, ::-1]"))
    row_dims = base.kind.dims[:1] if text.endswith(".T") else base.kind.dims[1:]  # type: ignore[union-attr]
    style = g.rng.randrange(3)
    if style == 0:
        g.mark("for: enumerate")
        g.emit(f"for {g.fresh_name('i', 'j')}, {name} in enumerate({text}):")
    elif style == 1 and text == base.name:
        g.mark("for: zip")
        g.emit(f"for {name}, {g.fresh_name('other', 'p')} in zip({text}, {text}):")
    else:
        g.emit(f"for {name} in {text}:")
    outside = g.scope
    g.scope = outside.body(set())
    g.loops += 1
    with g.indented():
        v = Expr(name, Array(row_dims), base.bound, roots=frozenset({base.name}))
        g.bind(name, v)
        g.mark("shared: row")
        first = g.scope.variables[base.name if g.chance(0.35) else name]
        done = changed(g, first)
        if first.name != name and g.chance(0.6):
            g.emit(f"{base.name}[0] += 0.1 * {name}" if row_dims == base.kind.dims[1:] else f"{name} *= 0.5")  # type: ignore[union-attr]
        elif g.chance(0.5):
            done = changed(g, g.scope.variables[g.pick((name, base.name))]) or done
    g.loops -= 1
    g.scope = outside
    g.written(base.expr, base.bound)
    if not done:
        return None
    read(g, g.scope.variables[base.name].expr)
    return True


@production(STATEMENTS, 1.5)
def elements_changed(g: Generator) -> bool | None:
    """A loop over the elements of an array, which changes others of them."""
    if g.depth >= DEEP or g.loops >= 2:
        return None
    dims = g.dims(least=2, ndim=(1,))
    base = None if dims is None else started(g, dims)
    if base is None:
        return None
    y, i, v, s = base.name, g.fresh_name("i", "k"), g.fresh_name("v", "r"), g.fresh_name("s", "total")
    g.mark("shared: elements of a loop", "for: elements", "for: enumerate")
    g.emit(f"{s} = 0.0")
    way = g.pick(("", "", "[::-1]", "[1:]"))
    g.emit(f"for {i}, {v} in enumerate({y}{way}):")
    lines = [f"{y}[{i} - 1] = 0.5 * {v}", f"{y}[{i}] = np.sin({v})", f"{y}[1:] *= 0.8", f"{y}[-1] += 0.1 * {v}",
             f"{y}[-1 - {i}] = 0.7 * {v}", f"{y} *= 0.9"]  # fmt: skip
    with g.indented():
        for line in g.rng.sample(lines, g.pick((1, 1, 2))):
            g.emit(line)
        g.emit(f"{s} += {v} * {y}[{g.pick(('0', '-1'))}]")
    g.written(base.expr, base.bound)
    g.bind(s, Expr(s, FLOAT, 12.0))
    read(g, g.scope.variables[y].expr)
    return True


@production(STATEMENTS, 2.5)
def in_containers(g: Generator) -> bool | None:
    """Arrays in a tuple, a list or a dict, changed under their names and where they are held."""
    a = started(g)
    b = None if a is None else (another(g, a) if g.chance(0.3) else started(g, a.kind.dims))  # type: ignore[union-attr]
    if a is None or b is None or a.name == b.name:
        return None
    g.mark("shared: in a container")
    name = g.fresh_name("pair", "group", "box")
    style = g.rng.randrange(4)
    texts = [f"{name}[0]", f"{name}[1]"]
    if style == 0:
        g.emit(f'{name} = {{"a": {a.name}, "b": {b.name}}}')
        texts = [f'{name}["a"]', f'{name}["b"]']
    elif style == 1:
        g.emit(f"{name} = ({a.name}, {b.name})")
    elif style == 2:
        g.emit(f"{name} = [{a.name}, ({b.name}, {a.name})]")
        texts = [f"{name}[0]", f"{name}[1][0]", f"{name}[1][1]"]
    else:
        g.emit(f"{name} = [{a.name}, {b.name}]")
    held = [Expr(t, v.kind, v.bound, roots=frozenset({v.name})) for t, v in zip(texts, (a, b, a), strict=False)]
    if g.chance(0.3) and style in (1, 3):
        again = g.fresh_name("first", "p")
        other = g.fresh_name("second", "q")
        g.emit(f"{again}, {other} = {name}")
        g.bind(again, held[0].but(again))
        g.bind(other, held[1].but(other))
        held += [g.scope.variables[n].expr for n in (again, other)]
    if g.chance(0.3) and style in (1, 3) and a.kind == b.kind and g.depth < DEEP and g.loops < 2:
        item = g.fresh_name("item", "w")
        g.mark("for: list" if style == 3 else "for: tuple")
        g.emit(f"for {item} in {g.pick((name, f'({a.name}, {b.name}, {a.name})'))}:")
        g.emit(f"    {item}{g.pick((' *= 0.7', ' += 0.1', '[0] *= 0.5', '[1:] -= 0.1'))}")
    done = False
    for _ in range(g.pick((1, 2, 3))):
        done = bool(change(g, g.pick([*held, g.scope.variables[a.name].expr, g.scope.variables[b.name].expr]))) or done
        if g.chance(0.4):
            read(g, g.pick(held))
    if not done:
        return None
    read(g, g.pick([*held, g.scope.variables[a.name].expr]))
    return True


@production(STATEMENTS, 2.5)
def in_closures(g: Generator) -> bool | None:
    """A function that reads or changes arrays around it, called after they were changed."""
    if g.functions > 1 or g.depth > 1:
        return None
    family = named(g)
    if family is None:
        return None
    name = g.fresh_name("look", "inner", "peek")
    seen = g.pick(family).name
    g.mark("shared: closure", "closure")
    writes = g.chance(0.4)
    if not g.functions and g.chance(0.4):
        writes = False
        maker = defined(g, "looker", "v, c", ("def look():", "    return c * np.sum(v * v)", "", "return look"))
        if maker is None:
            return None
        g.mark("helper", "nested function")
        g.emit(f"{name} = {maker}({seen}, 0.5)")
    elif writes:
        g.mark("nested function")
        lines = [g.pick((f"{seen}[0] *= 0.5", f"{seen}[...] = np.sin({seen})", f"{seen}[1:] -= 0.1 * {seen}[:-1]"))]
        lines.append(g.pick((f"return np.sum({seen} * {seen})", f"return np.sum({family[0].name})")))
        g.emit(f"def {name}():")
        for line in lines:
            g.emit(f"    {line}")
    else:
        g.mark("lambda")
        other = g.pick(family).name
        g.emit(f"{name} = lambda: np.sum({seen} ** 2) + np.sum({other}) / 3.0")
    if g.chance(0.3):
        box = g.fresh_name("calls", "made")
        g.emit(f"{box} = [{name}]")
        name = f"{box}[0]"
    for _ in range(g.pick((1, 2))):
        changed(g, g.scope.variables[g.pick(family).name])
        result = g.fresh_name("s", "t")
        g.emit(f"{result} = {name}()")
        g.bind(result, Expr(result, FLOAT, 30.0))
        if writes:
            g.written(family[0].expr, family[0].bound)
    return True


# which array a name is of


@production(STATEMENTS, 2.5)
def one_of_two(g: Generator) -> bool | None:
    """A name of one array or another, as a condition has it."""
    if g.depth > DEEP:
        return None
    a = started(g)
    b = None if a is None else started(g, a.kind.dims)  # type: ignore[union-attr]
    if a is None or b is None or a.name == b.name:
        return None
    g.mark("shared: one of two")
    name, test = g.fresh_name("w", "chosen"), condition(g, 1)
    x, y = (a.expr, b.expr) if g.chance(0.6) else (a.expr, a.expr)
    way = g.pick(("", "", "[1:]", "[::-1]"))
    other = way if x.text != y.text or way not in ("[1:]",) else "[:-1]"
    if x.text == y.text and not way:
        way, other = "[::-1]", ""
    if g.chance(0.5):
        g.mark("ternary")
        g.emit(f"{name} = {x.text}{way} if {test} else {y.text}{other}")
    else:
        g.mark("if", "else")
        for line in (f"if {test}:", f"    {name} = {x.text}{way}", "else:", f"    {name} = {y.text}{other}"):
            g.emit(line)
    dims = a.kind.dims  # type: ignore[union-attr]
    dims = (sliced_dims(dims), *dims[1:]) if "[1:]" in way else dims
    made = Expr(name, Array(dims), max(a.bound, b.bound), roots=frozenset({a.name, b.name}))
    g.bind(name, made)
    if g.chance(0.4):
        g.emit(f"{name} = {name} * 1.0")
        g.bind(name, made.but(name, roots=frozenset()))
        changed(g, g.scope.variables[g.pick((a.name, name))])
    elif g.chance(0.4):
        changed(g, g.scope.variables[name])
        read(g, g.scope.variables[name].expr)
        return True
    read(g, g.scope.variables[name].expr)
    read(g, g.scope.variables[a.name].expr)
    return True


def sliced_dims(dims: Dims) -> str:
    """The length of the first axis without an element."""
    return f"max({dims[0]}-1,0)"


@production(STATEMENTS, 2.5)
def buffers(g: Generator) -> bool | None:
    """Arrays whose names take turns in a loop that writes one from another."""
    if g.depth >= DEEP or g.loops >= 2:
        return None
    first = started(g)
    if first is None or first.name in g.scope.mutable or not is_bindable(g, first):
        return None
    kind = first.kind
    count = g.pick((2, 2, 3))
    names = [first.name]
    for _ in range(count - 1):
        name = g.fresh_name("new", "old", "spare")
        g.emit(f"{name} = {g.pick((f'np.zeros_like({first.name})', f'{first.name} * 0.5', f'{first.name}.copy()'))}")
        g.bind(name, Expr(name, kind, first.bound))
        names.append(name)
    u, new = names[0], names[1]
    body = g.pick(
        (
            [f"{new}[1:] = 0.5 * {u}[1:] * {u}[:-1]", f"{new}[0] = {u}[-1]"],
            [f"{new}[...] = np.sin({u})"],
            [f"np.multiply({u}, 0.8, out={new})", f"{new}[0] += 0.2 * {u}[-1]"],
            [f"{new}[:-1] = {u}[1:]", f"{new}[-1] = 0.5 * {u}[0]"],
            [f"np.cos({u}, {new})", f"{u} *= 0.5"],
            [f"{new} += 0.3 * {u}", f"{new}[0] *= {u}[-1]"],
        )
    )
    turn = f"{', '.join(names)} = {', '.join([*names[1:], names[0]])}"
    if count == 2 and g.chance(0.2):
        t = g.fresh_name("t", "kept")
        body = [*body, f"{t} = {u}", f"{u} = {new}", f"{new} = {t}"]
    else:
        body = [*body, turn] if g.chance(0.85) else [turn, *body]
    g.mark("shared: buffers in turn", "swap" if count == 2 else "rotation", "for: range", "store: in a loop")
    g.emit(f"for {g.fresh_name('k', 'step')} in range({g.pick('01234')}):")
    with g.indented():
        if g.chance(0.2):
            g.mark("if", "branch in loop")
            g.emit(f"if np.sum({u}) > 0.3:")
            g.emit(f"    {u}[0] *= 0.5")
        for line in body:
            g.emit(line)
    for name in names:
        g.written(g.scope.variables[name].expr, 4.0 + first.bound)
        g.scattered.discard(name)
    read(g, g.scope.variables[names[0]].expr)
    if g.chance(0.5):
        read(g, g.scope.variables[names[-1]].expr)
    return True


@production(STATEMENTS, 2)
def scaled_by_an_element(g: Generator) -> bool | None:
    """An array less, or times, an element of its own, under a condition in a loop."""
    if g.depth >= DEEP or g.loops >= 2:
        return None
    v = started(g)
    if v is None:
        return None
    d, i = g.fresh_name("d", "h", "z"), g.fresh_name("i", "k")
    g.mark("scaled by an element", "for: range", "branch in loop", "if")
    g.emit(f"{d} = {v.name} * 0.5")
    g.emit(f"for {i} in range({g.pick((f'len({v.name})', '2', '3'))}):")
    index = g.pick((i, "0", "-1")) if "len(" in g.block[-1] else g.pick(("0", "-1", "1"))
    one = f"{d}[{index}]" if len(v.kind.dims) == 1 or g.chance(0.3) else f"{d}[{index}, 0]"  # type: ignore[union-attr]
    step = g.pick(
        (
            f"{d} = {d} - {one}",
            f"{d} = {d} - 0.5 * {one}",
            f"{d} = {d} * np.cos({one})",
            f"{d} = {d} / (1.5 + {one} * {one})",
            f"{d} -= {one}",
            f"{d} = 0.3 * {one} - {d}",
            f"{d} *= np.sin({one})",
        )
    )
    otherwise = g.pick((f"{d} = {d} * 0.7", f"{d}[0] = 0.3 * {d}[-1]", f"{d} = {d} + 0.1 * {v.name}"))
    with g.indented():
        g.emit(f"if {g.pick((f'np.sum({d}) > 0.2', f'np.sum({d} * {d}) < 3.0', f'{i} > 0', condition(g, 1)))}:")
        g.emit(f"    {step}")
        if g.chance(0.5):
            g.mark("else")
            g.emit("else:")
            g.emit(f"    {otherwise}")
    g.bind(d, Expr(d, v.kind, 10.0))
    read(g, g.scope.variables[d].expr)
    return True


# 0-d arrays


@production(STATEMENTS, 2)
def zero_dimensional(g: Generator) -> bool | None:
    """A 0-d array under two names, changed by operators and at `...`."""
    if g.depth > DEEP:
        return None
    e = tame(g, scalars.number(g, 1), 1.0)
    other = tame(g, scalars.number(g, 1), 0.5)
    s, t = g.fresh_name("s", "c"), g.fresh_name("t", "same")
    g.mark("shared: 0-d")
    g.emit(f"{s} = np.array({e.text})")
    if not e.text.startswith("np.") and e.text.replace(".", "").replace("-", "").isdigit():
        return None  # an array of what may be an int
    g.emit(f"{t} = {s}")
    lines = [f"{s} += {other.text}", f"{t} *= 0.5", f"{s}[...] = {other.text}", f"{t}[()] = np.sin({s})",
             f"np.add({s}, {other.text}, out={t})", f"{t} -= {s} * {s}", f"{s}.fill({other.text})"]  # fmt: skip
    for line in g.rng.sample(lines, g.pick((1, 2, 3))):
        if g.chance(0.25) and g.depth < DEEP:
            g.mark("if")
            g.emit(f"if {condition(g, 1)}:")
            g.emit(f"    {line}")
        else:
            g.emit(line)
    total = g.fresh_name("total", "r")
    g.emit(f"{total} = {g.pick((f'{s} * {t}', f'np.sin({t}) + {s}', f'float({s}) * 2.0', f'{s} * 1.0'))}")
    g.bind(total, Expr(total, FLOAT, 8.0))
    return True
