"""Productions for conditions, which are never closer to a jump than chance brings them."""

from .generator import Generator, Table, production
from .kinds import Static

CONDITIONS: Table = []


def condition(g: Generator, depth: int) -> str:
    """A test, as source text that binds no tighter than `not`."""
    made: str | None = g.choose(CONDITIONS, depth)
    return made if made is not None else "SCALE < 1.0"


@production(CONDITIONS, 4)
def on_static(g: Generator, depth: int) -> str | None:
    found = [v for v in g.scope.variables.values() if isinstance(v.kind, Static)]
    if not found:
        return None
    variable = g.pick(found)
    name, value = variable.name, variable.kind.value
    g.mark("condition: static")
    if isinstance(value, bool):
        return str(g.pick((name, f"not {name}")))
    if isinstance(value, str):
        return str(g.pick((f'{name} == "{value}"', f'{name} != "fast"', f'{name} in ("fast", "slow")')))
    return str(g.pick((f"{name} is None", f"{name} is not None")))


@production(CONDITIONS, 5)
def on_numbers(g: Generator, depth: int) -> str | None:
    found = g.numbers()
    if not found:
        return None
    a = g.pick(found).text
    b = g.pick([other.text for other in found if other.text != a] or ["0.4"])
    g.mark("condition: number")
    if g.chance(0.35):
        g.mark("comparison chain")
        return str(g.pick((f"-0.4 < {a} < 1.2", f"-1.0 <= {a} <= {b}", f"{b} > {a} > -0.6", f"{a} < 0.9 != {b}")))
    return f"{a} {g.pick(('<', '>', '<=', '>='))} {g.pick((b, '0.2', '-0.3', '0.7'))}"


@production(CONDITIONS, 2)
def on_ints(g: Generator, depth: int) -> str | None:
    found = g.numbers("int")
    if not found:
        return None
    a = g.pick(found).text
    g.mark("condition: number")
    return str(g.pick((f"{a} % 2 == 0", f"{a} > 0", f"{a} == 1", f"0 <= {a} < 2")))


@production(CONDITIONS, 4)
def on_arrays(g: Generator, depth: int) -> str | None:
    found = g.places()
    if not found:
        return None
    x = g.pick(found)
    other = g.pick(found).text
    g.mark("condition: array")
    threshold = g.pick(("0.1", "-0.2", "0.5"))
    options = [f"np.sum({x.text}) > {threshold}", f"{x.closed}.sum() < {threshold}"]
    options += [f"np.sum({x.text}) < np.sum({other}) + {threshold}"]
    indices = [g.index_text(dim) for dim in x.dims]
    if None not in indices:
        options.append(f"{x.closed}[{', '.join(map(str, indices))}] > {threshold}")
    return str(g.pick(options))


@production(CONDITIONS, 2)
def on_shapes(g: Generator, depth: int) -> str | None:
    found = g.places()
    if not found:
        return None
    x, y = g.pick(found), g.pick(found)
    g.mark("attribute shape")
    return str(
        g.pick(
            (
                f"{x.text}.shape[0] > 2",
                f"len({x.text}) == {y.text}.shape[0]",
                f"{x.text}.ndim == {g.pick((1, 2))}",
                f"{x.text}.shape == {y.text}.shape",
                f"{x.text}.size >= 4",
            )
        )
    )


@production(CONDITIONS, 3)
def connected(g: Generator, depth: int) -> str | None:
    if depth <= 0:
        return None
    g.mark("boolean operator")
    parts = [condition(g, depth - 1) for _ in range(g.pick((2, 2, 3)))]
    if g.chance(0.3):
        return f"not ({parts[0]})"
    word = g.pick(("and", "or"))
    return f" {word} ".join(f"({p})" if " or " in p or " and " in p else p for p in parts)


@production(CONDITIONS, 2)
def on_local(g: Generator, depth: int) -> str | None:
    found = g.numbers("bool")
    return None if not found else str(g.pick((g.pick(found).text, f"not {g.pick(found).text}")))
