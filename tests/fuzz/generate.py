"""Random NumPy programs as source text, with their arguments; the same seed gives the same program.

What compiled programs may contain grows with the compiler: a construct is one production in `expressions`,
`shapes`, `scalars`, `conditions`, `containers`, `statements` or `blocks`, and a name in `constructs`. Half of the
programs have objects as well (`records`, `object_statements`), and with them what `callbacks`, `building` and
`handling` have: functions as values, containers that are built, handlers, generators and the like.
"""

import copy
import functools
import random
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import blocks, records, shapes
from .arguments import (
    ArrayLeaf,
    Classes,
    IntLeaf,
    Layout,
    Node,
    NumberLeaf,
    Parameter,
    Path,
    Sizes,
    Spec,
    StaticLeaf,
    leaves_of,
    moved,
    part,
    parts_of,
    path_of,
    replaced,
)
from .constructs import CONSTRUCTS
from .expressions import array, tame
from .generator import Generator
from .kinds import FLOAT, INT, Array, Dict, Expr, ListOf, Number, Record, Sequence, shortest
from .scalars import number
from .scope import Variable
from .statements import statements

__all__ = ["Program", "generate", "programs"]

HEADER = """\
import math
{libraries}
import numpy as np
{imports}
SCALE = 0.75
GRID = np.linspace(-1.0, 1.0, 26)
TABLE = np.cos(np.arange(676.0)).reshape(26, 26)
PICK = np.array([1, 0, 1, 1])
"""

LIBRARIES = ("collections", "contextlib", "copy", "dataclasses", "functools", "operator", "types", "typing")
OBJECTS = 0.5  # of the programs, with objects, functions as values, handlers and the like

Argnums = int | str | tuple[int | str, ...]


@dataclass(frozen=True)
class Program:
    """A module with a function `f`, what to pass to it, and with respect to what to differentiate.

    Of each pair in `same`, at the first place in the arguments is the very object that is at the second.
    """

    seed: int
    source: str
    parameters: tuple[Parameter, ...]
    argnums: Argnums
    sizes: Sizes
    other_sizes: Sizes
    constructs: frozenset[str]
    attempts: int = field(default=1, compare=False)
    same: tuple[tuple[Path, Path], ...] = ()

    def arguments(self, seed: int = 0, sizes: Sizes | None = None, classes: Classes | None = None) -> tuple[Any, ...]:
        """Fresh arguments for `f`, equal for equal seeds and sizes; objects are of the program's classes."""
        rng = np.random.default_rng(abs(self.seed) * 1000 + seed)
        if classes is None:
            classes = LOADED.get(self.source, {})
        if not classes and any("record=Record" in repr(p.spec) for p in self.parameters):
            classes = executed(self.source)
        built = tuple(p.spec.build(sizes or self.sizes, rng, classes) for p in self.parameters)
        for path, other in self.same:
            built = replaced(built, path, part(built, other))
        return tuple(value for p, value in zip(self.parameters, built, strict=True) if not p.omitted)

    @property
    def wanted(self) -> tuple[int | str, ...]:
        """What `argnums` names, one or more."""
        return self.argnums if isinstance(self.argnums, tuple) else (self.argnums,)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Where in the tuple of arguments that is: positions, and what of the arguments there."""
        names = [p.name for p in self.parameters]
        texts = [re.match(r"\w+", w)[0] if isinstance(w, str) else w for w in self.wanted]  # type: ignore[index]
        return tuple(
            (names.index(t), *path_of(w[len(t) :])) if isinstance(w, str) and isinstance(t, str) else (int(t),)
            for w, t in zip(self.wanted, texts, strict=True)
        )

    def chosen(self, tree: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those of a tuple of arguments with respect to which to differentiate."""
        return tuple(part(tree, path) for path in self.paths)

    def gradients(self, gradient: Any) -> tuple[Any, ...]:
        """The gradients as a tuple, whatever the form of `argnums`."""
        return gradient if isinstance(self.argnums, tuple) else (gradient,)

    def along(self, f: Callable[..., Any], args: tuple[Any, ...], direction: tuple[Any, ...]) -> Callable[[float], Any]:
        """`f` on the line through `args`, in a direction given for the chosen ones."""

        def at(step: float) -> Any:
            there = copy.deepcopy(args)
            for path, way in zip(self.paths, direction, strict=True):
                there = replaced(there, path, moved(part(there, path), way, step))
            return f(*there)

        return at

    @property
    def single_precision(self) -> bool:
        """Whether an argument is a float32 array."""
        leaves = [leaf for p in self.parameters for leaf in leaves_of(p.spec)]
        return any(isinstance(leaf, ArrayLeaf) and leaf.dtype == "float32" for leaf in leaves)


#: What the programs that are loaded have made, by their source.
LOADED: dict[str, Classes] = {}


@functools.lru_cache(8)
def executed(source: str) -> Classes:
    """The names of a program that is not loaded."""
    namespace: dict[str, Any] = {"__name__": "executed"}
    exec(compile(source, "<program>", "exec"), namespace)
    return namespace


def generate(seed: int) -> Program:
    """The program of a seed: the first attempt that runs and gives a finite number."""
    for attempt in range(1, 200):
        program = written(seed, random.Random(f"{seed}/{attempt}"))
        if runs(program):
            return replace(program, attempts=attempt)
    raise RuntimeError(f"no program for seed {seed}")


def runs(program: Program) -> bool:
    """Whether the program gives a finite number of moderate size."""
    namespace: dict[str, Any] = {"__name__": "attempt"}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            exec(compile(program.source, "<program>", "exec"), namespace)
            result = namespace["f"](*program.arguments(classes=namespace))
    except SyntaxError:
        raise
    except Exception:
        return False
    return isinstance(result, (float, np.floating)) and abs(float(result)) < 1e4


def programs(largest: int = 2**32) -> Any:
    """A hypothesis strategy for programs."""
    from hypothesis import strategies

    return strategies.integers(0, largest).map(generate)


def written(seed: int, rng: random.Random) -> Program:
    """A program that was not run yet."""
    g = Generator(rng)
    g.objects = g.chance(OBJECTS)
    imports = ""
    if g.chance(0.25):
        imports = "from numpy import exp, sin as sine, tanh\n"
        g.features |= {"imported exp", "imported sin", "imported tanh"}
    parameters = chosen_parameters(g)
    for parameter in parameters:
        mark_argument(g, parameter)
        place_parameter(g, parameter)
    same = held_twice(g, parameters)
    enclosed = g.chance(0.08)
    if enclosed:
        g.mark("closure")
        g.scope.bind(Variable("held", FLOAT, 1.0, 0.6, fixed=True))
        g.take_name("held")
    if g.objects and g.chance(0.2):
        records.outside(g)
    if g.chance(0.25):
        g.mark("docstring")
        g.emit('"""A function of random content."""')
    statements(g, g.pick((6, 8, 10, 12) if g.objects else (4, 6, 8, 10, 12)))
    finish(g)
    head = ", ".join(p.name + (f"={p.default}" if p.default is not None else "") for p in parameters)
    lines = [f"def f({head}):", *g.block]
    if enclosed:
        lines = [
            "def make(held):",
            *(f"    {line}" for line in lines),
            "    return f",
            "",
            "",
            "f = make(0.6)",
        ]
    parts = [*g.preamble, "\n".join(lines) + "\n"]
    libraries = "".join(f"import {name}\n" for name in LIBRARIES if any(f"{name}." in text for text in parts))
    parts.insert(0, HEADER.format(imports=imports, libraries=libraries))
    argnums = chosen_argnums(g, parameters, {path[0] for pair in same for path in pair})
    marks = set(g.marks)
    if not re.search(r"^\s*pass$", parts[-1], re.M):
        marks.discard("pass")
    unknown = marks - set(CONSTRUCTS)
    assert not unknown, f"not in the list of constructs: {unknown}"
    return Program(
        seed,
        "\n\n".join(parts),
        tuple(parameters),
        argnums,
        chosen_sizes(g),
        chosen_sizes(g, other=True),
        frozenset(marks),
        same=same,
    )


# arguments

SHAPES = (
    ("n",),
    ("n",),
    ("m",),
    ("n", "m"),
    ("n", "m"),
    ("m", "n"),
    ("n", "n"),
    ("n", "1"),
    ("n", "1"),
    ("1", "m"),
    ("1", "n"),
    ("m", "k"),
    ("k", "n", "m"),
    ("n", "1", "m"),
    ("1",),
    ("e",),
    ("e", "m"),
)


def chosen_parameters(g: Generator) -> list[Parameter]:
    """One to six parameters, at least one of them an array and one differentiable."""
    precision = "float32" if g.chance(0.12) else "float64"
    names = g.shuffled(["x", "y", "z", "w", "a", "b", "u", "A", "B", "M"])
    specs: list[tuple[str, Spec]] = []
    for _ in range(g.pick((1, 2, 2, 3))):
        dims = g.pick(SHAPES)
        mixed = "float64" if precision == "float32" and g.chance(0.15) else precision
        layout: Layout = g.pick(("transposed", "strided", "reversed")) if g.chance(0.12) else "plain"
        specs.append((names.pop(), ArrayLeaf(dims, mixed, layout)))
    for _ in range(g.pick((0, 1, 1, 2))):
        specs.append((names.pop(), NumberLeaf(g.pick(("float", "float", "float64", "0-d")))))
    if g.chance(0.3):
        specs.append((g.fresh_name("params", "theta", "state"), container(g, precision)))
    if g.objects and g.chance(0.8):
        specs += [
            (g.fresh_name("o", "model", "body"), spec) for spec in records.arguments(g, precision)
        ]
    g.rng.shuffle(specs)
    parameters = [Parameter(name, spec) for name, spec in specs]
    if g.chance(0.35):
        name = g.fresh_name("steps", "count", "times")
        parameters.append(Parameter(name, IntLeaf(g.pick((0, 1, 2, 3, 4)))))
    if g.chance(0.5 if g.objects else 0.35):
        name, value, default = g.pick(
            (
                ("mode", g.pick(("fast", "slow", "other")), '"fast"'),
                ("flag", g.chance(0.5), "True"),
                ("option", g.pick((None, True)), "None"),
            )
        )
        if g.chance(0.3):
            parameters.append(Parameter(name, StaticLeaf(value)))
        elif g.chance(0.5):
            parameters.append(Parameter(name, StaticLeaf(value), default))
        else:
            fixed: str | bool | None = "fast" if name == "mode" else True if name == "flag" else None
            parameters.append(Parameter(name, StaticLeaf(fixed), default, omitted=True))
    for parameter in parameters:
        g.take_name(parameter.name)
    return parameters


def container(g: Generator, precision: str) -> Node:
    """A dict, tuple or list of arrays and numbers; sometimes one within another."""
    layer = (("W", ArrayLeaf(("m", "n"), precision)), ("b", ArrayLeaf(("m",), precision)))
    match g.rng.randrange(7):
        case 0:
            return Node((*layer, ("scale", NumberLeaf())), "dict")
        case 1:
            return Node((("x", ArrayLeaf(("n",), precision)), ("y", ArrayLeaf(("n",), precision))), "dict")
        case 2:
            return Node((*layer, ("c", NumberLeaf("float64"))), "tuple")
        case 3:
            same = ArrayLeaf(("n", "n"), precision)
            return Node(tuple((str(i), same) for i in range(g.pick((2, 3)))), "list")
        case 4:
            same = ArrayLeaf(("n",), precision)
            return Node(tuple((str(i), same) for i in range(g.pick((2, 3)))), g.pick(("tuple", "list")))
        case 5:
            pair = Node((("0", ArrayLeaf(("n", "n"), precision)), ("1", ArrayLeaf(("n",), precision))), "tuple")
            return Node((("0", pair), ("1", pair)), "list")
    return Node((("first", Node(layer, "dict")), ("gain", NumberLeaf())), "dict")


def mark_argument(g: Generator, parameter: Parameter) -> None:
    """Note the constructs that an argument stands for."""
    spec = parameter.spec
    if isinstance(spec, Node):
        g.mark("argument: object" if is_record(spec) else f"argument: {spec.flavour}")
        if any(isinstance(item, Node) for _, item in spec.items):
            g.mark("argument: nested")
    for leaf in leaves_of(spec):
        match leaf:
            case ArrayLeaf(dims, dtype, layout):
                g.mark(f"argument: array {len(dims)}-D")
                facts = {
                    "axis of length 1": "1" in dims,
                    "square array": len(set(dims)) < len(dims),
                    "empty array": "e" in dims,
                    "not contiguous": layout != "plain",
                    "float32": dtype == "float32",
                }
                g.mark(*(f"argument: {fact}" for fact, holds in facts.items() if holds))
            case NumberLeaf(type):
                names = {"float": "float", "float64": "np.float64", "0-d": "0-d array"}
                g.mark(f"argument: {names[type]}")
            case IntLeaf():
                g.mark("argument: int")
            case StaticLeaf():
                g.mark("argument: static")
    if parameter.omitted:
        g.mark("argument: default omitted")


def place_parameter(g: Generator, parameter: Parameter) -> None:
    """Bring a parameter into scope."""
    kind = parameter.spec.kind
    fixed = not isinstance(kind, (Array, Number, Record)) or kind == INT
    bound = max(float(parameter.spec.value), 3.0) if isinstance(parameter.spec, IntLeaf) else 1.5
    owned = isinstance(kind, Array) and bool(kind.dims)
    if "Record(" in repr(kind):
        g.scope.bind(Variable(parameter.name, kind, records.BOUND, fixed=fixed))
        return
    g.scope.bind(Variable(parameter.name, kind, bound, fixed=fixed, owned=owned))
    g.scattered |= {place.text for place in g.places() if place.roots == {parameter.name}}


def held_twice(g: Generator, parameters: list[Parameter]) -> tuple[tuple[Path, Path], ...]:
    """Objects that two arguments are, or that one is and another holds. Named tuples are no such objects."""
    found: list[tuple[Path, Path]] = []
    tuples = [name for name, b in g.blueprints.items() if b.flavour in ("named tuple", "typed tuple")]
    for i, one in enumerate(parameters):
        if any(name in repr(one.spec) for name in tuples):
            continue
        for j, other in enumerate(parameters):
            if i != j and isinstance(one.spec, Node) and isinstance(other.spec, Node) and one.spec.record is not None:
                found += [((j,), (i,))] * (other.spec.record == one.spec.record)
                found += [((j, key), (i,)) for key, spec in other.spec.items if spec == one.spec]
    if not found or "float32" in repr(parameters) or not g.chance(0.55):  # a copy in double precision holds two
        return ()
    pair = g.pick(found)
    g.mark("argument: object held twice")
    names = frozenset(parameters[path[0]].name for path in pair)  # type: ignore[index]
    for name in names:
        g.scope.bind(replace(g.scope.variables[name], shares=names - {name}))
    return (pair,)


def chosen_argnums(g: Generator, parameters: list[Parameter], apart: set[str | int]) -> Argnums:
    """An int, a name or a tuple of these, of differentiable parameters; not of those at the positions `apart`."""
    parts = [p.name + text for i, p in enumerate(parameters) if i not in apart for text in parts_of(p.spec)]
    if parts and g.chance(0.4):
        g.mark("argument: part of an object")
        some = g.rng.sample(parts, 1 if g.chance(0.5) else min(2, len(parts)))
        if len(some) == 2 and (some[0].startswith(some[1]) or some[1].startswith(some[0])):
            some = some[:1]
        others = [i for i, p in enumerate(parameters) if p.differentiable and not is_record(p.spec)]
        if others and g.chance(0.6):
            return (*some, g.pick(others))
        return some[0] if len(some) == 1 and g.chance(0.5) else tuple(some)
    possible = [i for i, p in enumerate(parameters) if p.differentiable and i not in apart]
    if len(possible) == 1 or g.chance(0.3):
        chosen = g.pick(possible)
        return parameters[chosen].name if g.chance(0.3) else int(chosen)
    some = possible if g.chance(0.6) else sorted(g.rng.sample(possible, g.rng.randrange(1, len(possible) + 1)))
    return tuple(parameters[i].name if g.chance(0.1) else i for i in some)


def is_record(spec: Spec) -> bool:
    """Is it an object, or a container of objects?"""
    return isinstance(spec, Node) and (spec.record is not None or any(is_record(item) for _, item in spec.items))


def chosen_sizes(g: Generator, other: bool = False) -> Sizes:
    """Lengths for the symbols, sometimes the same one twice; `other` ones are sometimes 1."""
    lengths = [1, 2, 3, 4, 5] if other and g.chance(0.2) else [2, 3, 4] if not other else [2, 3, 4, 5]
    return (("e", 0), *((symbol, g.pick(lengths)) for symbol in "kmn"))


# the result


def finish(g: Generator) -> None:
    """A return of one number that depends on most of what was computed."""
    unused = [v for v in g.scope.variables.values() if uses(g, v.name) <= 1]
    used = [v for v in g.scope.variables.values() if uses(g, v.name) > 1]
    wanted = unused[-6:] + g.shuffled(used)[: max(1, 3 - len(unused))]
    terms = [term for v in wanted for term in summed(g, v.expr)]
    if not terms:
        terms = [number(g, 2)]
    if g.chance(0.3):
        terms.append(tame(g, number(g, 3), 10.0))
    g.rng.shuffle(terms)
    texts = [t.text if i == 0 else t.closed for i, t in enumerate(terms)]
    joined = texts[0]
    for text in texts[1:]:
        joined += g.pick((" + ", " + ", " - ")) + text
    if "np.sum" not in joined and "math" not in joined:
        joined = f"{joined} + 0.0"
    style = g.rng.randrange(4)
    if style == 0 and len(terms) > 1:
        name = g.fresh_name("result", "total", "loss")
        g.emit(f"{name} = {joined}")
        g.emit(f"return {name}")
    elif style == 1:
        g.emit(f"return ({joined}) / {g.pick(('2.0', '3.0', '4'))}")
    else:
        g.emit(f"return {joined}")


def uses(g: Generator, name: str) -> int:
    """How often a name occurs in the function so far."""
    return len(re.findall(rf"\b{name}\b", "\n".join(g.block)))


def summed(g: Generator, e: Expr) -> list[Expr]:
    """Numbers that depend on everything in a value."""
    match e.kind:
        case Number(type) if type != "bool":
            return [tame(g, e, 10.0)]
        case Array(dims) if dims and shortest(dims) >= 0:
            return [tame(g, total(g, e), 10.0)]
        case Array(()):
            return [Expr(f"2.0 * {e.text}", FLOAT, 2 * e.bound, atom=False)]
        case Sequence(items):
            parts = [e.but(f"{e.text}[{i}]", kind=kind) for i, kind in enumerate(items)]
        case Dict(items):
            parts = [e.but(f'{e.text}["{key}"]', kind=kind) for key, kind in items]
        case Record(_, items):
            parts = [e.but(f"{e.text}.{name}", kind=kind) for name, kind in items]
        case ListOf(element, length):
            if shortest((length,)) < 1:
                return []
            parts = [e.but(f"{e.text}[{g.pick((0, -1))}]", kind=element)]
        case _:
            return []
    return [term for part in g.shuffled(parts)[:2] for term in summed(g, part)]


def total(g: Generator, e: Expr) -> Expr:
    """An array summed up."""
    made = shapes.reduced(g, e, None, False)
    if made is not None and g.chance(0.5):
        return made
    weight = array(g, e.dims, 1) if g.chance(0.4) else None
    g.mark("sum")
    if weight is not None:
        return Expr(f"np.sum({e.closed} * {weight.closed})", FLOAT, e.bound * weight.bound * 4)
    text = g.pick((f"np.sum({e.text})", f"np.sum(np.sin({e.text}))", f"np.sum({e.closed} ** 2)"))
    return Expr(text, FLOAT, 4 * (1 + e.bound**2))


assert blocks.DEEPEST
