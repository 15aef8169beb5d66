"""Productions for lists that grow and shrink, in loops and outside of them."""

from . import scalars
from .expressions import array, tame
from .generator import Generator, production
from .kinds import FLOAT, Expr
from .statements import STATEMENTS

#: The body of a loop over numbers `V` that changes the list `YS`, which has an element at least where it begins.
NUMBERS = (
    ["YS.append(V * V)"],
    ["YS.append(np.sin(V))", "YS.append(V)"],
    ["YS += [V, 0.5 * V]"],
    ["if V > 0.1:", "    YS.append(np.tanh(V))"],
    ["if V > 0.1:", "    YS.append(V)", "else:", "    YS.append(-0.5 * V)"],
    ["if V > 0.3:", "    break", "YS.append(np.cos(V))"],
    ["YS.append(V * 0.5)", "if V < -0.1:", "    break"],
    ["if V > 0.2:", "    continue", "YS.append(V * 0.5)"],
    ["YS.append(0.5 * V + 0.5 * np.sin(YS[-1]))"],
    ["YS.append(V)", "if len(YS) > 2:", "    last = YS.pop()", "    YS.append(np.sin(last * YS[0]))"],
    ["if len(YS) < 4:", "    YS.append(np.tanh(V + YS[0]))"],
)
#: Lists of numbers `XS` by comprehensions whose length is not known, or is.
COMPREHENDED = (
    "[np.sin(V) for V in XS if V > 0.1]",
    "[V * w for V in XS for w in XS if w < V]",
    "[0.5 * V for V in XS]",
    "[V * V if V > 0.2 else 0.5 * V for V in XS]",
)
#: What is made of the list: a number that is no larger than twice its number of elements.
READ = (
    "np.sum(np.array(YS))",
    "np.sum(np.array(YS[::-1]) ** 2)",
    "sum(YS)",
    "sum(y * y for y in YS)",
    "YS[-1] * YS[0] + len(YS)",
    "np.sum(np.stack(YS) * 0.5)",
    "sum(a * b for a, b in zip(YS, reversed(YS)))",
    "max(YS) + min(0.5 * y for y in YS)",
    "np.sum(np.array([[0.2 * a * b for b in YS] for a in YS]))",
)


@production(STATEMENTS, 2)
def grown_in_a_loop(g: Generator) -> bool | None:
    """A list to which a loop appends numbers, rows or pairs, and what is made of it."""
    dims = g.dims(ndim=(1, 2))
    if dims is None or g.loops or g.depth >= 2:
        return None
    data = array(g, dims, 1)
    if data is None:
        return None
    data = tame(g, data, 1.0)
    first = tame(g, scalars.number(g, 1), 1.0)
    ys, v, s = g.fresh_name("ys", "kept", "history"), g.fresh_name("v", "row"), g.fresh_name("s", "total")
    g.mark("list: append", "for: rows" if len(dims) == 2 else "for: elements")
    if len(dims) == 2:
        g.emit(f"{ys} = []")
        g.emit(f"for {v} in {data.text}:")
        with g.indented():
            g.emit(g.pick((f"{ys}.append({v})", f"{ys}.append(0.5 * {v} * {v})", f"{ys} += [np.sin({v})]")))
        text = g.pick((f"sum(np.sum(y * y) for y in {ys})", f"np.sum(np.array({ys}))"))
    elif g.chance(0.2):
        g.emit(f"{ys} = []")
        g.emit(f"for {v} in {data.text}:")
        with g.indented():
            g.emit(f"{ys}.append(({v}, np.cos({v})))")
        text = f"sum(a * b for a, b in {ys})"
    else:
        body, read = g.pick(NUMBERS), g.pick(READ)
        needs = ("[-1]", "[0]", "stack", "pop", "max")
        begun = any(x in line for line in (*body, read) for x in needs) or g.chance(0.4)
        if any("pop" in line for line in body):
            g.mark("list: pop")
        if g.chance(0.3):
            g.mark("list comprehension")
            xs = g.fresh_name("xs", "values")
            g.emit(f"{xs} = {data.text}")
            g.emit(f"{ys} = {g.pick(COMPREHENDED).replace('XS', xs).replace('V', v)}")
            g.emit(f"{ys}.append({first.text})")
        else:
            g.emit(f"{ys} = [{first.text}]" if begun else f"{ys} = []")
            g.emit(f"for {v} in {data.text}:")
            with g.indented():
                for line in body:
                    g.emit(line.replace("YS", ys).replace("V", v))
        text = read.replace("YS", ys)
    g.emit(f"{s} = {text} / 20.0")
    g.bind(s, Expr(s, FLOAT, 3.0))
    return True


#: What is stored into elements of the list `YS` at the index `I`; `XS` is as long.
STORED = (
    ["YS[I] = XS[I] ** 2"],
    ["YS[I] += XS[I]", "if I > 0:", "    YS[I] += 0.5 * YS[I - 1]"],
    ["YS[I] = 0.5 * XS[I]", "YS[0] = 0.5 * YS[0] + 0.25 * YS[I]"],
    ["if XS[I] > 0.1:", "    YS[I] = XS[I] * np.sin(XS[I])", "else:", "    YS[I] *= 0.5"],
    ["YS[I] = np.sin(YS[I] + XS[I])", "YS[I], YS[-1] = YS[-1], YS[I]"],
    ["t = YS[I] * YS[-1]", "YS[-1 - I] = 0.5 * t + 0.5 * XS[I]"],
    ["YS[I] = np.tanh(XS[I] - YS[I - 1])", "if YS[I] > 0.4:", "    break"],
    ["if XS[I] < -0.2:", "    continue", "YS[I] -= 0.5 * XS[I]"],
)


@production(STATEMENTS, 2)
def stored_by_index(g: Generator) -> bool | None:
    """A list of any length whose elements are stored, and that a function changes, by an argument or from around it."""
    dims = g.dims(ndim=(1,))
    data = None if dims is None or g.loops or g.depth >= 2 else array(g, dims, 1)
    if data is None:
        return None
    data, first = tame(g, data, 1.0), tame(g, scalars.number(g, 1), 1.0)
    xs, ys, i = g.fresh_name("xs", "values"), g.fresh_name("ys", "cells"), g.fresh_name("i", "k")
    s, inner = g.fresh_name("s", "total"), g.fresh_name("zs", "out")
    g.mark("list: store")
    g.emit(f"{xs} = {data.text}")
    g.emit(f"{ys} = " + g.pick((f"[0.0] * len({xs})", f"[{first.text}] * len({xs})", f"[0.5 * v for v in {xs}]")))

    def loop(name: str) -> None:
        g.emit(f"for {i} in range(len({name})):")
        with g.indented():
            for line in g.pick(STORED):
                g.emit(line.replace("YS", name).replace("XS", xs).replace("I", i))

    if g.chance(0.4):
        g.mark("list: changed in a function")
        f, grows, passed = g.fresh_name("fill", "change"), g.chance(0.4), g.chance(0.6)
        name = inner if passed else ys
        g.emit(f"def {f}({inner if passed else ''}):")
        with g.indented():
            if grows:
                g.emit(f"for v in {xs}:")
                g.emit(g.pick((f"    {name}.append(0.5 * v)", f"    {name}.append(0.5 * v * {name}[0])")))
            else:
                loop(name)
        for _ in range(g.pick((1, 1, 2))):
            g.emit(f"{f}({ys if passed else ''})")
    else:
        loop(ys)
    text = g.pick(("np.sum(np.array(YS))", "sum(YS)", "sum(y * y for y in YS)", "0.5 * YS[0] * sum(YS)"))
    g.emit(f"{s} = {text.replace('YS', ys)} / 20.0")
    g.bind(s, Expr(s, FLOAT, 3.0))
    return True


@production(STATEMENTS, 1)
def grown(g: Generator) -> bool | None:
    """A list of known structure that grows and shrinks, now and then under a second name."""
    if g.loops:
        return None
    a, b = (tame(g, scalars.number(g, 1), 1.0) for _ in range(2))
    ys, s = g.fresh_name("ys", "parts"), g.fresh_name("s", "total")
    g.mark("list: append", "list: pop")
    g.emit(f"{ys} = [{a.text}]")
    if g.chance(0.1):
        g.emit(f"{g.fresh_name('zs')} = {ys}")
    g.emit(g.pick((f"{ys}.append({b.text})", f"{ys} += [{b.text}]", f"{ys}.insert(0, {b.text})",
                   f"{ys}.extend([{b.text}, {ys}[0]])")))  # fmt: skip
    g.emit(f"{s} = {ys}.pop()")
    g.emit(f"{s} = {s} * {ys}[0] + len({ys})")
    g.bind(s, Expr(s, FLOAT, 4.0))
    return True
