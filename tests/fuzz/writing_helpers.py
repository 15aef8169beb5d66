"""Productions for helpers that change their arguments, return them, or return a view of them."""

from typing import Literal

from . import scalars
from .aliases import DEEP, another, defined, started
from .changes import change, read
from .expressions import tame
from .generator import Generator, production
from .kinds import FLOAT, Expr
from .scope import Variable
from .statements import STATEMENTS

Result = Literal["nothing", "the argument", "a view", "a number"]

#: Name, parameters, what it returns, body: for arrays `v` and `w` of one shape, and a number `c`.
HELPERS: tuple[tuple[str, str, Result, tuple[str, ...]], ...] = (
    ("bump", "v", "nothing", ("v[0] += 0.3 * v[-1]",)),
    ("damp", "v", "nothing", ("v[1:] -= 0.2 * (v[1:] - v[:-1]) * v[1:]",)),
    ("sweep", "v", "nothing", ("for i in range(1, len(v)):", "    v[i] = 0.5 * v[i] + 0.3 * v[i - 1]")),
    ("softened", "v", "the argument", ("v *= 0.7", "return v")),
    ("bent", "v", "the argument", ("u = v[::-1]", "u[0] = np.sin(u[-1])", "return v")),
    ("squashed", "v", "the argument", ("return np.tanh(v, out=v)",)),
    ("tail", "v", "a view", ("v[0] = 0.3 * v[-1]", "return v[1:]")),
    ("inner_part", "v", "a view", ("u = v[1:]", "u *= 0.8", "return u")),
    ("peeled", "v, c", "a view", ("if c > 0.1:", "    v[0] = c", "    return v[1:]", "v[-1] = 0.2", "return v[:-1]")),
    ("energy_of", "v", "a number", ("u = v[1:]", "u *= 0.5", "return np.sum(u * v[:-1])")),
    ("pour", "v, w", "nothing", ("v[1:] += 0.3 * w[:-1]",)),
    ("trade", "v, w", "nothing", ("t = v[0] * 1.0", "v[0] = w[-1]", "w[-1] = t")),
    ("refill", "v, w", "nothing", ("for i in range(len(v)):", "    v[i] = np.sin(w[i])")),
    ("blend_into", "v, w", "a number", ("np.multiply(v, 0.5, out=v)", "w[...] = v + 0.1 * w", "return np.sum(v * w)")),
    ("either", "v, w", "nothing", ("if np.sum(v) > 0.2:", "    v[0] = 0.5 * w[0]", "else:", "    w *= 0.6")),
    ("nested_writes", "v", "nothing", ("def write(k):", "    v[k] *= 0.5", "", "write(0)", "write(-1)")),
    ("shift_by", "v, c", "nothing", ("v += 0.1 * c", "v[1:] *= np.cos(c)")),
)  # fmt: skip


@production(STATEMENTS, 7)
def writing_call(g: Generator) -> bool | None:
    """A call that changes what it is given, under one name or two, and reads afterwards."""
    if g.functions or g.depth > DEEP:
        return None
    base = started(g)
    if base is None:
        return None
    name, params, result, lines = g.pick(HELPERS)
    called = defined(g, name, params, lines)
    if called is None:
        return None
    dims = base.kind.dims  # type: ignore[union-attr]
    other: Variable | None = None
    if g.chance(0.4):
        other = another(g, base)
    args = [base.name]
    if ", w" in params:
        same = [v.name for v in (base, other) if v is not None and v.kind == base.kind]
        if g.chance(0.5):
            g.mark("shared: one array twice")
            args.append(g.pick((*same, f"{base.name}[::-1]")))
            g.rng.shuffle(args)
        else:
            second = started(g, dims)
            if second is None:
                return None
            args.append(second.name)
    elif ", c" in params:
        args.append(tame(g, scalars.number(g, 1), 1.0).text)
    if g.chance(0.2) and len(args) > 1:
        g.mark("call: keyword")
        args[1] = f"{params[3:]}={args[1]}"
    call = f"{called}({', '.join(args)})"
    g.mark("helper", "shared: helper writes")
    marks = {"the argument": "shared: helper returns its argument", "a view": "shared: helper returns a view"}
    if result in marks and not g.loops:
        g.mark(marks[result])
    touched = [v for v in g.scope.variables.values() if v.name in " ".join(args).replace("[", " ").split()]
    looped = g.depth < DEEP and g.loops < 2 and g.chance(0.35)
    if looped:
        g.mark("shared: helper in a loop", "for: range")
        g.emit(f"for {g.fresh_name('i', 'k')} in range({g.pick('0123')}):")
        g.emit(f"    {call}")
    elif result == "nothing" or g.chance(0.2):
        g.emit(call)
    else:
        made = g.fresh_name("got", "z", "r")
        g.emit(f"{made} = {call}")
        if result == "a number":
            g.bind(made, Expr(made, FLOAT, 12.0))
        else:
            kind = base.kind
            if result == "a view":
                kind = type(base.kind)((f"max({dims[0]}-1,0)", *dims[1:]))  # type: ignore[call-arg]
            g.bind(made, Expr(made, kind, base.bound + 1, roots=frozenset({base.name})))
            if g.chance(0.5):
                change(g, g.scope.variables[made].expr)
            if g.chance(0.6):
                read(g, g.scope.variables[made].expr)
    for v in touched:
        g.written(v.expr, v.bound if g.loops else v.bound + 1.0)
    if g.chance(0.4):
        change(g, g.scope.variables[base.name].expr)
    read(g, g.scope.variables[g.pick((base, other or base)).name].expr)
    return True
