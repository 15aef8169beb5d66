"""Classes of the generated program: what their objects hold, their methods, and how one is made.

An attribute keeps its kind for good, so that which names denote one object does not matter to what may be read of it.
"""

from dataclasses import dataclass, replace
from typing import Literal

from . import scalars
from .arguments import ArrayLeaf, Node, NumberLeaf, Spec
from .expressions import array, tame
from .generator import Generator
from .kinds import FLOAT, Array, Dims, Expr, Kind, Record, shortest
from .scope import Variable, objects

BOUND = 6.0  # of what objects hold
PUT = 1.5  # of what is put into them

Flavour = Literal["class", "slots", "dataclass", "frozen", "named tuple", "typed tuple", "namespace"]
Result = Literal["nothing", "self", "number", "new", "array", "view", "child", "either"]


@dataclass(frozen=True)
class Method:
    """A method: what it takes besides the object (`c` a number, `w` an array as the object has, `other` an object)."""

    name: str
    takes: str
    result: Result
    lines: tuple[str, ...]
    changes: bool = False
    needs_child: bool = False
    kind: Literal["", "property", "class", "static"] = ""


#: N is the number, U the array, H the child, CLS the class, and NEW(a, b) an object with these for array and number.
METHODS = (
    Method("damp", "c", "nothing", ("self.N = 0.6 * self.N + 0.3 * c",), True),
    Method("bump", "c", "self", ("self.N += 0.1 * c", "return self"), True),
    Method("fill", "c", "nothing", ("self.U[0] = c",), True),
    Method("relax", "", "nothing", ("self.U *= 0.8",), True),
    Method("bend", "", "self", ("self.U = np.sin(self.U)", "return self"), True),
    Method("take", "w", "nothing", ("self.U = w",), True),
    Method("blend", "w", "self", ("self.U[...] = 0.5 * self.U + 0.1 * w", "return self"), True),
    Method("sweep", "", "nothing",
           ("for i in range(1, len(self.U)):", "    self.U[i] = 0.5 * self.U[i] + 0.3 * self.U[i - 1]"), True),
    Method("pace", "c", "number",
           ("for _ in range(3):", "    self.N = 0.5 * self.N + 0.2 * c", "    if self.N > 0.4:", "        break",
            "return self.N"), True),
    Method("maybe", "c", "self",
           ("if c > 0.2:", "    self.N = 0.5 * c", "    return self", "self.U[-1] = c", "return self"), True),
    Method("wound", "c", "number",
           ("k = 0", "while self.N < 0.7 and k < 3:", "    self.N += 0.3 + 0.1 * c", "    k += 1", "return self.N * c"),
           True),
    Method("trade", "other", "nothing", ("self.N, other.N = other.N, self.N",), True),
    Method("trade_arrays", "other", "nothing", ("self.U, other.U = other.U, self.U",), True),
    Method("pour", "other", "nothing", ("other.U += 0.1 * self.U", "self.N *= 0.9"), True),
    Method("adopt", "other", "nothing", ("self.U = other.U",), True),
    Method("fed", "c", "nothing", ("self.H.N = 0.5 * self.H.N + 0.2 * c",), True, True),
    Method("inner", "", "child", ("return self.H",), False, True),
    Method("energy", "", "number", ("return np.sum(self.U ** 2) / 9.0 + 0.5 * self.N",)),
    Method("weighted", "c", "number", ("return c * self.N + np.sum(self.U) / 5.0",)),
    Method("field", "c", "array", ("return 0.5 * self.U * c",)),
    Method("tail", "", "view", ("return self.U[1:]",)),
    Method("moved", "c", "new", ("return NEW(self.U * 0.5, 0.7 * self.N + c)",)),
    Method("with_array_of", "other", "new", ("return NEW(other.U, self.N)",)),
    Method("larger", "other", "either", ("return self if self.N > other.N else other",)),
    Method("half", "", "number", ("return 0.5 * self.N",), kind="property"),
    Method("middle", "", "number", ("return np.sum(self.U) / 5.0",), kind="property"),
    Method("like", "w", "new", ("return NEW(w * 0.5, cls.rate)",), kind="class"),
    Method("rated", "c", "number", ("return 0.5 * c * c",), kind="static"),
)  # fmt: skip
OPERATORS = (
    Method("__add__", "other", "new", ("return NEW(0.5 * self.U + 0.5 * other.U, self.N)",)),
    Method("__mul__", "c", "new", ("return NEW(self.U * 0.5, self.N * c)",)),
    Method("__rmul__", "c", "new", ("return NEW(self.U * 0.3, self.N * c)",)),
    Method("__neg__", "", "new", ("return NEW(-self.U, self.N)",)),
    Method("__call__", "c", "number", ("return c * self.N + np.sum(self.U) / 5.0",)),
    Method("__call__", "c", "number", ("self.N = 0.5 * self.N + 0.3 * c", "return self.N"), True),
    Method("__getitem__", "i", "number", ("return self.N if i else 0.5 * self.N",)),
    Method("__iadd__", "c", "self", ("self.N = self.N + 0.2 * c", "return self"), True),
    Method("__lt__", "other", "number", ("return self.N < other.N",)),
    Method("__enter__", "", "self", ("self.N = 0.5 * self.N", "return self"), True),
)
EXIT = ("self.N = self.N + 0.3",)  # of __exit__


@dataclass(frozen=True)
class Blueprint:
    """A class: how it is written, what its objects hold, and what can be done with them."""

    name: str
    flavour: Flavour
    array: tuple[str, Array]
    number: str
    child: "Blueprint | None"
    child_name: str
    methods: tuple[Method, ...]
    base: "Blueprint | None" = None

    @property
    def own(self) -> tuple[tuple[str, Kind], ...]:
        """What an object is made of."""
        child = ((self.child_name, self.child.kind),) if self.child else ()
        return (self.array, (self.number, FLOAT), *child)

    @property
    def kind(self) -> Record:
        """The kind of its objects."""
        more: list[tuple[str, Kind]] = [("rate", FLOAT)] if self.has_rate else []
        more += [(m.name, FLOAT) for m in self.all_methods if m.kind == "property"]
        return Record(self.name, (*self.own, *more))

    @property
    def has_rate(self) -> bool:
        """Has the class an attribute itself?"""
        return self.flavour in ("class", "slots") or any(m.kind == "class" for m in self.all_methods)

    @property
    def all_methods(self) -> tuple[Method, ...]:
        """Its methods, and those that it inherits."""
        return self.methods + (self.base.all_methods if self.base else ())

    @property
    def changes(self) -> bool:
        """May its attributes be bound again?"""
        return self.flavour not in ("frozen", "named tuple", "typed tuple")

    def stored(self) -> list[str]:
        """The numbers that can be stored."""
        own = [self.number]
        if self.flavour == "class":
            own += ["rate"] * self.has_rate
        return own + [m.name for m in self.all_methods if m.name == "half" and self.changes]

    def made(self, *values: str) -> str:
        """A call that makes an object."""
        if self.flavour == "namespace":
            return f"{self.name}({', '.join(f'{n}={v}' for (n, _), v in zip(self.own, values, strict=True))})"
        return f"{self.name}({', '.join(values)})"


def filled(b: Blueprint, line: str, cls: str) -> str:
    """A line of a method."""
    (u, _), n = b.array, b.number
    while "NEW(" in line:
        start = line.index("NEW(")
        depth, end = 0, start + 3
        for end in range(start + 3, len(line)):
            depth += {"(": 1, ")": -1}.get(line[end], 0)
            if depth == 0:
                break
        child = f", self.{b.child_name}" if b.child else ""
        if cls == "cls" and b.child:
            raise ValueError("no child at hand")
        line = f"{line[:start]}{cls}({line[start + 4 : end]}{child}){line[end + 1 :]}"
    for old, new in (("self.H.N", f"self.{b.child_name}.{b.child.number if b.child else ''}"),
                     ("self.H", f"self.{b.child_name}"), (".N", f".{n}"), (".U", f".{u}")):  # fmt: skip
        line = line.replace(old, new)
    return line


def written(b: Blueprint, g: Generator) -> list[str]:
    """The class as source text."""
    names = [name for name, _ in b.own]
    typed = [f"    {name}: {'float' if kind == FLOAT else 'object'}" for name, kind in b.own]
    rate = ["    rate = 0.4"] if b.has_rate and b.base is None else []
    match b.flavour:
        case "namespace":
            return [f"{b.name} = types.SimpleNamespace"]
        case "named tuple":
            return [f'{b.name} = collections.namedtuple("{b.name}", "{" ".join(names)}")']
        case "typed tuple":
            lines = [f"class {b.name}(typing.NamedTuple):", *typed]
        case "dataclass":
            lines = [g.pick(("@dataclasses.dataclass", "@dataclasses.dataclass(eq=False)")), f"class {b.name}:", *typed]
        case "frozen":
            lines = ["@dataclasses.dataclass(frozen=True)", f"class {b.name}:", *typed]
        case _:
            head = f"class {b.name}({b.base.name}):" if b.base else f"class {b.name}:"
            lines = [head, *rate]
            if b.flavour == "slots":
                lines.append(f"    __slots__ = ({', '.join(repr(n) for n in names)},)")
            lines += ["", f"    def __init__(self, {', '.join(names)}):"]
            lines += (
                [f"        super().__init__({', '.join(names)})", f"        self.{b.number} = self.{b.number} * 1.0"]
                if b.base
                else [f"        self.{n} = {n}" for n in names]
            )
    if b.flavour in ("dataclass", "frozen") and b.has_rate:
        lines.insert(2, "    rate: typing.ClassVar = 0.4")
    if b.flavour == "typed tuple" and b.has_rate:
        lines.append("    rate = 0.4")
    for m in b.methods:
        lines += ["", *(f"    {line}" for line in method_lines(b, m, g))]
    return lines


def method_lines(b: Blueprint, m: Method, g: Generator) -> list[str]:
    """A method as source text."""
    cls = "cls" if m.kind == "class" else g.pick((b.name, "type(self)"))
    body = [f"    {filled(b, line, cls)}" for line in m.lines]
    if b.base and any(other.name == m.name for other in b.base.all_methods) and m.result == "number" and not m.kind:
        takes = f"{m.takes}" if m.takes else ""
        body[-1] = f"    return 0.5 * super().{m.name}({takes}) + 0.1 * self.{b.number}"
    first = {"class": "cls", "static": ""}.get(m.kind, "self")
    params = ", ".join(p for p in (first, m.takes) if p)
    decorators = {"property": ["@property"], "class": ["@classmethod"], "static": ["@staticmethod"]}.get(m.kind, [])
    lines = [*decorators, f"def {m.name}({params}):", *body]
    if m.name == "half" and b.changes:
        lines += ["", "@half.setter", "def half(self, value):", f"    self.{b.number} = 2.0 * value"]
    if m.name == "__enter__":
        lines += ["", "def __exit__(self, *error):", *(f"    {filled(b, line, cls)}" for line in EXIT)]
    return lines


def define(g: Generator, dims: Dims | None = None, child: Blueprint | None = None) -> Blueprint | None:
    """A new class of the module, for arrays of these lengths."""
    dims = dims or g.dims(least=2, ndim=(1, 1, 2))
    if dims is None or len(g.blueprints) >= 3:
        return None
    flavours: tuple[Flavour, ...] = ("class", "class", "class", "slots", "dataclass", "dataclass", "frozen",
                                     "named tuple", "typed tuple", "namespace")  # fmt: skip
    flavour = g.pick(flavours)
    name = g.fresh_name("Cell", "Body", "Layer", "Model", "Track")
    g.reserved.add(name)
    bases = [b for b in g.blueprints.values() if b.flavour == "class" and b.array[1].dims == dims and not b.base]
    base = g.pick(bases) if bases and g.chance(0.8) else None
    child = child if base is None else base.child
    if base:
        flavour = "class"
    u, n, h = g.pick((("u", "v", "inner"), ("W", "b", "head"), ("pos", "mass", "next"), ("buf", "gain", "child")))
    if base:
        u, n, h = base.array[0], base.number, base.child_name
    changes = flavour not in ("frozen", "named tuple", "typed tuple")
    blank = Blueprint(name, flavour, (u, Array(dims)), n, child, h, (), base)
    if flavour in ("namespace", "named tuple"):
        made = blank
    else:
        fit = [m for m in METHODS if (changes or not m.changes) and (child or not m.needs_child)]
        fit = [m for m in fit if not (m.kind == "class" and child)]
        chosen = g.rng.sample(fit, g.pick((2, 3, 4)))
        if g.chance(0.5):
            chosen.append(g.pick([m for m in fit if m.kind == "property"]))
        if changes and g.chance(0.4):
            chosen.append(g.pick([m for m in fit if m.result == "self"]))
        if changes and g.chance(0.5):
            chosen.append(g.pick([m for m in fit if m.takes == "other" and m.changes]))
        operators = [m for m in OPERATORS if changes or not m.changes]
        if flavour == "typed tuple":
            operators = [m for m in operators if m.name in ("__call__", "__neg__")]
        chosen = list({m.name: m for m in chosen}.values())
        some = {m.name: m for m in g.rng.sample(operators, min(len(operators), g.pick((0, 1, 2, 2, 3))))}
        again = [m for m in base.methods if m.result == "number" and not m.kind and m.name != "__lt__"] if base else []
        inherited = {m.name: m for m in (*chosen, *some.values(), *again[:1])}
        made = replace(blank, methods=tuple(inherited.values()))
    g.mark(f"object: {flavour}" if flavour != "typed tuple" else "object: named tuple")
    if made.base:
        g.mark("object: inherits")
    if made.child:
        g.mark("object: within an object")
    g.preamble.append("\n".join(written(made, g)))
    g.blueprints[name] = made
    return made


# arguments


def arguments(g: Generator, precision: str) -> list[Spec]:
    """One or two objects to pass, or a container of objects."""
    dims = g.pick((("n",), ("n",), ("m",), ("n", "m")))
    first = define(g, dims)
    assert first is not None
    child = first if g.chance(0.5) else None
    top = define(g, dims, child) if child or g.chance(0.2) else first
    assert top is not None
    spec = specified(top, precision)
    style = g.rng.randrange(5)
    if style == 0 or g.chance(0.2):
        return [spec, specified(first, precision)]
    if style == 1 and g.chance(0.5):
        return [Node((("0", spec), ("1", spec)), g.pick(("list", "tuple")))]
    if style == 2 and g.chance(0.3):
        return [Node((("a", spec), ("b", spec)), "dict")]
    return [spec]


def outside(g: Generator) -> None:
    """An object of the module, which is read alone; its name is often that of its class in lower case."""
    b = define(g, ("4",))
    assert b is not None
    name = g.fresh_name(b.name.lower(), b.name.lower(), "cell", "model")
    g.reserved.add(name)
    g.mark("object: of the module")
    g.preamble.append(f"{name} = {b.made('np.linspace(-0.4, 0.8, 4)', '0.6')}")
    g.outside.add(name)
    g.scope.bind(Variable(name, b.kind, 1.0, fixed=True))


def specified(b: Blueprint, precision: str) -> Node:
    """An object of a class, to be passed."""
    items: list[tuple[str, Spec]] = [(b.array[0], ArrayLeaf(b.array[1].dims, precision)), (b.number, NumberLeaf())]
    if b.child:
        items.append((b.child_name, specified(b.child, precision)))
    return Node(tuple(items), "object", b.kind)


# objects that the function makes


def new(g: Generator, b: Blueprint, depth: int = 1) -> Expr | None:
    """A call that makes an object, which may share its array with a name in sight."""
    e = array(g, b.array[1].dims, depth)
    if e is None or e.kind != b.array[1] or e.roots & g.scope.locked:
        return None
    e = tame(g, g.apart(e), PUT)
    roots = e.roots
    if roots and (g.chance(0.4) or e.low > float("-inf") or g.loops):
        e, roots = e.but(g.pick((f"{e.closed} * 1.0", f"{e.closed}.copy()")), atom=False), frozenset()
    if roots:
        g.mark("object: array shared")
    values = [e.text, tame(g, floating(g, depth), PUT).text]
    if b.child:
        apart = g.scope.locked | g.outside
        found = [o for o in objects(g.scope) if o.kind == b.child.kind and not o.roots & apart]
        inner = g.pick(found) if found and g.chance(0.6) else new(g, b.child, depth)
        if inner in found:
            g.mark("object: object shared")
        if inner is None:
            return None
        values.append(inner.text)
        roots |= inner.roots
    return Expr(b.made(*values), b.kind, BOUND, roots=roots)


def floating(g: Generator, depth: int) -> Expr:
    """A number that is no int."""
    e = scalars.number(g, depth)
    if e.kind != FLOAT or e.text.lstrip("-").isdigit():
        return e.but(f"0.5 * {e.closed}", kind=FLOAT, atom=False)
    return e


def writable(e: Expr) -> bool:
    """Is the array long enough for elements to be stored?"""
    return shortest(e.dims) >= 2
