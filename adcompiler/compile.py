"""The pipeline, a line a stage: a Python function and its arguments in, a running gradient out."""

import ast
import functools
import inspect
import itertools
import os
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompiler.backend.emit import Input, emit
from adcompiler.backend.load import load
from adcompiler.backend.writer import write
from adcompiler.errors import GradientError, Problem, UnsupportedError, problem_at
from adcompiler.frontend.kinds import Describe, Known, from_signature
from adcompiler.frontend.lower import Lowered, lower
from adcompiler.frontend.scope import Closure
from adcompiler.frontend.source import Source, source_of, wrapper_of
from adcompiler.ir.core import Function, ListOf, Loc, Value, leaves, map_tree
from adcompiler.ir.interpret import assemble
from adcompiler.ir.interpret import interpret as run_ir
from adcompiler.ir.printer import show
from adcompiler.passes.activity import active
from adcompiler.passes.adjoint import adjoint
from adcompiler.passes.bufferize import bufferize
from adcompiler.passes.capture import capture
from adcompiler.passes.dce import dce
from adcompiler.passes.inline import inline
from adcompiler.passes.simplify import simplify
from adcompiler.passes.unthunk import unthunk
from rules.kind import Array, Guard, KindError, Lengths, Num, is_differentiable, specialising
from rules.rule import find

STAGES = (
    "parsed",
    "lower",
    "activity",
    "adjoint",
    "unthunk",
    "inline",
    "simplify",
    "capture",
    "bufferize",
    "source",
)
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Request:
    """What is asked for: of which function, with respect to what, in which form."""

    function: Any
    argnums: Any = 0
    value: bool = False
    has_aux: bool = False
    inline: bool = True
    reuse: bool = True

    @functools.cached_property
    def source(self) -> Source:
        """The function's tree. Raises UnsupportedError where its source cannot be had."""
        if isinstance(self.function, Closure):
            inner = self.function
            return replace(inner.frame.source, node=inner.node, name=inner.name, defaults=inner.defaults)
        return find_source(self.function)

    @property
    def name(self) -> str:
        """The function's name, as an identifier."""
        return self.source.name if self.source.name.isidentifier() else "lambda_"

    @functools.cached_property
    def parameters(self) -> list[str]:
        """The names of the parameters, in order."""
        a = self.source.node.args
        names = [p.id for p in (*a.posonlyargs, *a.args)]
        names += [a.vararg.id] if a.vararg else []
        return names + [p.id for p in a.kwonlyargs] + ([a.kwarg.id] if a.kwarg else [])

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The function's signature, with its defaults."""
        a, given = self.source.node.args, self.source.defaults
        P = inspect.Parameter

        def parameter(name: str, kind: Any) -> inspect.Parameter:
            return P(name, kind, default=given.get(name, P.empty))

        out = [parameter(p.id, P.POSITIONAL_ONLY) for p in a.posonlyargs]
        out += [parameter(p.id, P.POSITIONAL_OR_KEYWORD) for p in a.args]
        out += [P(a.vararg.id, P.VAR_POSITIONAL)] if a.vararg else []
        out += [parameter(p.id, P.KEYWORD_ONLY) for p in a.kwonlyargs]
        out += [P(a.kwarg.id, P.VAR_KEYWORD)] if a.kwarg else []
        return inspect.Signature(out)

    @functools.cached_property
    def wrt(self) -> list[tuple[Any, ...]]:
        """The parameters to differentiate with respect to: (name,), or (name, k) for one of `*args`."""
        many = isinstance(self.argnums, Sequence) and not isinstance(self.argnums, str)
        names = [self._parameter(a) for a in (self.argnums if many else [self.argnums])]
        if not names:
            raise GradientError(f"argnums of {self.name} is empty: name at least one argument")
        if len(set(names)) != len(names):
            raise GradientError(f"argnums {self.argnums!r} names an argument of {self.name} twice")
        return names

    @property
    def single(self) -> bool:
        """Is one gradient asked for, rather than a tuple of them?"""
        return isinstance(self.argnums, str) or not isinstance(self.argnums, Sequence)

    def _parameter(self, a: Any) -> tuple[Any, ...]:
        names, args = self.parameters, self.source.node.args
        if isinstance(a, str) and a in names:
            return (a,)
        if isinstance(a, int | np.integer) and not isinstance(a, bool):
            first = len(args.posonlyargs) + len(args.args)
            if args.vararg is not None and a >= first:
                return (args.vararg.id, int(a) - first)
            if -len(names) <= a < len(names):
                return (names[a],)
        known = ", ".join(f"{i}: {n}" for i, n in enumerate(names)) or "none"
        raise GradientError(problem_at(self.place, f"{self.name} has no argument {a!r}; its arguments are {known}",
                                       "name one of these in argnums, by position or by name"))  # fmt: skip

    @property
    def place(self) -> Loc:
        """Where the function is defined."""
        return Loc(self.source.file, self.source.line, self.source.node.col_offset)

    def named(self, call: tuple[tuple[Any, ...], dict[str, Any]]) -> dict[str, Any]:
        """A call's arguments by name, defaults included. Raises TypeError as the call would."""
        args, kwargs = call
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}() {error}") from None
        bound.apply_defaults()
        return dict(bound.arguments)


def find_source(f: Any) -> Source:
    """The source of a function, or of one that calls `f` where `f` has none of its own."""
    if hasattr(f, "__adc_gradient__"):
        inner = f.__adc_gradient__
        return wrapper_of(f, inner.name, _stars(inner.signature), inner.source.defaults)
    if hasattr(type(f), "__adc_wrapped__"):
        return find_source(f.__adc_wrapped__)
    if isinstance(f, types.FunctionType):
        if find(f) is None:
            return source_of(f)
    rule = find(f)
    if rule is not None and not rule.why:
        return wrapper_of(f, rule.name, _rule_parameters(rule), _defaults(rule))
    if not callable(f):
        raise TypeError(f"{f!r} is not a function")
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        raise UnsupportedError(
            f"the source of {getattr(f, '__name__', f)!r} is not available, and it has no rule"
        ) from None
    name = str(getattr(f, "__name__", None) or getattr(getattr(f, "func", None), "__name__", type(f).__name__))
    if isinstance(f, functools.partial):
        rule = find(f.func)
        if rule is not None:
            left = [p for p in rule.parameters if p.star or p.name not in f.keywords][len(f.args) :]
            return wrapper_of(f, name, [("*" if p.star else "") + p.name for p in left], _defaults(rule))
    elif not isinstance(f, types.MethodType | types.BuiltinFunctionType) and not isinstance(f, type):
        f = f.__call__  # an object with __call__
    given = {p.name: p.default for p in signature.parameters.values() if p.default is not p.empty}
    return wrapper_of(f, name, _stars(signature), given)


def _rule_parameters(rule: Any) -> list[str]:
    return [("*" if p.star else "") + p.name for p in rule.parameters]


def _stars(signature: inspect.Signature) -> list[str]:
    P = inspect.Parameter
    marks: dict[Any, str] = {P.VAR_POSITIONAL: "*", P.VAR_KEYWORD: "**"}
    return [
        marks.get(p.kind, "") + p.name + ("=" if p.kind is P.KEYWORD_ONLY else "")
        for p in signature.parameters.values()
    ]


def _defaults(rule: Any) -> dict[str, Any]:
    return {p.name: p.default for p in rule.parameters if p.default is not inspect.Parameter.empty}


# ----------------------------------------------------------------------------------------- differentiation
def pick(trees: dict[str, Any], path: tuple[Any, ...], name: str, loc: Loc | None) -> Any:
    """The argument that a request names. Raises GradientError where a call has no such argument."""
    tree = trees[path[0]]
    for k in path[1:]:
        if k >= len(tree):
            reason = f"{name} was called with {len(tree)} arguments *{path[0]}, and argnums names one more"
            raise GradientError(problem_at(loc, reason, "pass it, or leave it out of argnums"))
        tree = tree[k]
    return tree


def argument_leaves(
    trees: dict[str, Any], wrt: list[tuple[Any, ...]], name: str, loc: Loc | None = None
) -> list[Value]:
    """The differentiable leaves of the arguments asked for. Raises GradientError where an argument has none."""
    out: list[Value] = []
    for path in wrt:
        tree, w = pick(trees, path, name, loc), "".join(str(p) if i == 0 else f"[{p}]" for i, p in enumerate(path))
        found = [v for v in leaves(tree) if is_differentiable(v.kind)]
        if not found:
            what = (
                _what(tree.kind)
                if isinstance(tree, Value)
                else f"is {tree.value!r}"
                if isinstance(tree, Known)
                else "holds no float"
            )
            reason = f"{name} cannot be differentiated with respect to {w}, which {what}: only floats have gradients"
            raise GradientError(problem_at(loc, reason, f"pass a float, or leave {w} out of argnums"))
        out.extend(found)
    return out


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _what(kind: Any) -> str:
    """What an argument without a gradient is, in words."""
    noun = {"i": "integer", "u": "integer", "b": "boolean"}.get(kind.dtype.kind if hasattr(kind, "dtype") else "", "")
    return (
        f"is {'an' if noun == 'integer' else 'a'} {noun} {'array' if isinstance(kind, Array) else 'number'} ({kind})"
        if noun
        else f"is {kind}"
    )


def scalar_output(result: Any, request: Request, loc: Loc | None) -> Any:
    """The number that is differentiated. Raises GradientError where the function returns something else."""
    if request.has_aux:
        if not isinstance(result, tuple) or len(result) != 2:
            raise GradientError(
                problem_at(
                    loc,
                    f"{request.name} with has_aux=True has to return a pair (value, aux)",
                    "return value, aux",
                )
            )
        result = result[0]
    if isinstance(result, Value):
        kind = result.kind
        if isinstance(kind, Num | Array) and kind.ndim == 0 and kind.dtype.kind == "f":
            return result
        what = f"returns {kind}"
    elif type(result) is float:
        return result
    else:
        what = f"returns {_article(type(result).__name__)}" if result is not None else "returns nothing"
    remedy = "return a real number: np.sum(...) of the result, or one element of it"
    if isinstance(result, tuple) and len(result) == 2:
        remedy += "; has_aux=True if the second is not to be differentiated"
    raise GradientError(problem_at(loc, f"{request.name} {what}, and a gradient is of one real number", remedy))


def structured(tree: Any, by_leaf: dict[Value, Any]) -> Any:
    """The gradient of an argument in its structure; None for leaves that have none."""
    if isinstance(tree, Value):
        return by_leaf.get(tree)
    if isinstance(tree, tuple | list):
        return type(tree)(structured(x, by_leaf) for x in tree)
    if isinstance(tree, dict):
        return {k: structured(x, by_leaf) for k, x in tree.items()}
    if isinstance(tree, ListOf):
        return ListOf(structured(tree.element, by_leaf))
    return None


@dataclass
class Build:
    """One specialisation, stage by stage."""

    request: Request
    lowered: Lowered
    stages: dict[str, Function] = field(default_factory=dict)
    active: set[Value] = field(default_factory=set)
    wrt: list[Value] = field(default_factory=list)
    text: str = ""
    run: Callable[..., Any] | None = None
    result: Any = None

    def text_of(self, stage: str) -> str:
        """What `adc show-ir --stage` prints."""
        if stage == "parsed":
            return _parsed(self.lowered.source)
        if stage == "source":
            return self.text
        if stage == "activity":
            return show(self.stages["lower"], self.active)
        return show(self.stages[stage])


def _parsed(source: Source) -> str:
    import gast

    tree = gast.gast_to_ast(source.node)
    return write(tree) if isinstance(tree, ast.stmt) else ast.unparse(tree) + "\n"


def derive(
    request: Request,
    function: Function,
    wrt: list[Value],
    output: Any,
    primal: Any,
    build: Build | None = None,
) -> Function:
    """Differentiate pure IR: activity, adjoint, unthunk, inline, simplify, capture. The result is pure again."""
    stages: dict[str, Function] = {} if build is None else build.stages
    reached = active(function, wrt)
    if build is not None:
        build.active = reached
    stages["adjoint"] = f = adjoint(function, wrt, reached, output, primal)
    stages["unthunk"] = f = unthunk(f)
    if request.inline:
        f = dce(inline(f))
    stages["inline"] = f
    stages["simplify"] = f = simplify(f)
    stages["capture"] = f = simplify(capture(f))
    return f


def nested(request: Request, inner: Function, named: dict[str, Any], result: Any, loc: Loc) -> tuple[Function, Any]:
    """The gradient of a function called inside one that is being lowered: pure IR, and its result's tree."""
    wrt = argument_leaves(named, request.wrt, request.name, loc)
    output = scalar_output(result, request, loc)
    primal = _primal(request, result)
    pure = derive(request, inner, wrt, output, primal)
    pure.body.ops = [op for op in pure.body.ops if op.results or not op.effect or op.args]
    return pure, _returned(request, pure.result, named, wrt)


def _primal(request: Request, result: Any) -> Any:
    if request.value:
        return result
    return result[1] if request.has_aux else None


def _returned(request: Request, result: Any, trees: dict[str, Any], wrt: list[Value]) -> Any:
    """What the generated function returns, from (primal, gradients of leaves)."""
    primal, gradients = result
    by_leaf = dict(zip(wrt, gradients, strict=True))
    out = tuple(structured(pick(trees, w, request.name, None), by_leaf) for w in request.wrt)
    d = out[0] if request.single else out
    if request.value:
        return (primal, d)
    return (d, primal) if request.has_aux else d


def build(request: Request, describe: Callable[[Describe], dict[str, Any]], env: Lengths) -> Build:
    """Compile one specialisation. Raises UnsupportedError, GradientError."""
    source = request.source
    with specialising(env):
        lowered = lower(source, describe, env, nested)
        loc = Loc(source.file, source.line, source.node.col_offset)
        made = Build(request, lowered)
        made.stages["lower"] = f = dce(lowered.function)
        wrt = argument_leaves(lowered.arguments, request.wrt, request.name, loc)
        output = scalar_output(f.result, request, loc)
        f = derive(request, f, wrt, output, _primal(request, f.result), made)
        f, plan, buffers = bufferize(f, request.reuse)
        made.result = f.result
        made.wrt = wrt
        made.stages["bufferize"] = Function(f.name, f.params, f.body, f.result)
        inputs = _inputs(lowered, dict(zip((x.value for x in lowered.leaves), f.params, strict=True)))
        returned = _returned(request, f.result, lowered.arguments, wrt)
        where = f"{os.path.basename(source.file)}:{source.line}"
        what = f"Value and gradient of `{source.name}`" if request.value else f"Gradient of `{source.name}`"
        names = ", ".join(w[0] + "".join(f"[{k}]" for k in w[1:]) for w in request.wrt)
        doc = f"{what} ({where}) with respect to {names}."
        g = Function(f"{request.name.rstrip('_')}_grad", f.params, f.body, returned, doc)
        signature, defaults = _arguments(source)
        emitted = emit(g, plan, buffers, inputs, signature, _reserved(lowered))
    made.text = write(emitted.tree)
    free = {**emitted.free, **{n: o for c in lowered.captured for n, o in c.access.free}, **defaults}
    filename = f"<adcompiler {g.name} {next(_numbers)}>"
    cells = {n: c for n, c in source.cells.items() if n not in free}
    made.run = load(made.text, g.name, filename, source.globals, free, cells)
    return made


def _reserved(lowered: Lowered) -> dict[str, Any]:
    source = lowered.source
    out: dict[str, Any] = dict(lowered.free_names)
    out.update((n, object()) for n in lowered.arguments)
    for c in lowered.captured:
        head = c.access.text.split(".")[0].split("[")[0]
        out.setdefault(head, c)
    return {**out, **{n: n for n in source.cells if n not in out}}


def _inputs(lowered: Lowered, actual: dict[Value, Value]) -> list[Input]:
    names = list(lowered.arguments)
    out = []
    for leaf in lowered.leaves:
        head = leaf.steps[0]
        if isinstance(head, int):
            access, captured = names[head], False
        else:
            captured = True
            access = lowered.captured[int(head.split()[1])].access.text
        out.append(Input(actual[leaf.value], access, leaf.steps[1:], captured))
    return out


def _arguments(source: Source) -> tuple[ast.arguments, dict[str, Any]]:
    """The user's parameters for a generated function; defaults that are no literals become free names."""
    a, free = source.node.args, {}

    def default(name: str) -> ast.expr | None:
        if name not in source.defaults:
            return None
        value = source.defaults[name]
        if value is None or type(value) in (bool, int, float, str):
            return ast.Constant(value)
        free[f"_default_{name}"] = value
        return ast.Name(f"_default_{name}", ast.Load())

    positional = [p.id for p in (*a.posonlyargs, *a.args)]
    given = [d for d in map(default, positional) if d is not None]
    return ast.arguments(
        posonlyargs=[ast.arg(p.id) for p in a.posonlyargs],
        args=[ast.arg(p.id) for p in a.args],
        vararg=ast.arg(a.vararg.id) if a.vararg else None,
        kwonlyargs=[ast.arg(p.id) for p in a.kwonlyargs],
        kw_defaults=[default(p.id) for p in a.kwonlyargs],
        kwarg=ast.arg(a.kwarg.id) if a.kwarg else None,
        defaults=given,
    ), free


# ------------------------------------------------------------------------------------ describing arguments
def from_call(request: Request, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[Describe], dict[str, Any]]:
    """How to build argument trees from a call's values."""
    named = request.named((args, kwargs))

    def describe(d: Describe) -> dict[str, Any]:
        out = {}
        for i, (n, x) in enumerate(named.items()):
            try:
                out[n] = d.tree(x, (i,), n)
            except KindError as error:
                raise UnsupportedError(
                    Problem("", 0, 0, "", f"argument {n} of {request.name}: {error}", error.remedy)
                ) from None
        return out

    return describe


def from_text(request: Request, signature: str) -> Callable[[Describe], dict[str, Any]]:
    """How to build argument trees from a signature string; parameters it leaves out have their defaults."""

    def describe(d: Describe) -> dict[str, Any]:
        names = request.parameters
        trees, found = from_signature(d.env, signature, names)
        d.leaves.extend(found)
        out = dict(zip(names, trees, strict=False))
        for i, n in enumerate(names[len(trees) :], len(trees)):
            if n not in request.source.defaults:
                raise UnsupportedError(
                    f"signature {signature!r} gives {len(trees)} kinds, and {request.name} needs one for {n}"
                )
            out[n] = d.tree(request.source.defaults[n], (i,), n)
        return out

    return describe


def interpret(
    f: Callable[..., Any], args: tuple[Any, ...], stage: str = "lower", argnums: Any = None, checked: bool = False
) -> Any:
    """Run the IR of `f` after `stage` with the interpreter, for these arguments; `checked` tests every kind.

    "lower" gives the value of `f`; the stages from "adjoint" to "capture" give (value, gradients).
    """
    request = Request(f, 0 if argnums is None else argnums, value=True)
    env = Lengths()
    describe = from_call(request, args, {})
    if stage == "lower":
        with specialising(env):
            lowered = lower(request.source, describe, env, nested)
            return run_ir(lowered.function, leaf_values(lowered, args, {}, request), checked)
    made = build(request, describe, env)
    function = made.stages[stage]
    values = leaf_values(made.lowered, args, {}, request)
    returned = Function(function.name, function.params, function.body,
                        _returned(request, function.result, made.lowered.arguments, made.wrt))  # fmt: skip
    with specialising(env):
        return run_ir(returned, values, checked)


def leaf_values(lowered: Lowered, args: tuple[Any, ...], kwargs: dict[str, Any], request: Request) -> list[Any]:
    """The values of the IR's parameters for a call."""
    named = list(request.named((args, kwargs)).values())
    out = []
    for leaf in lowered.leaves:
        head = leaf.steps[0]
        root = named[head] if isinstance(head, int) else lowered.captured[int(head.split()[1])].value
        out.append(_follow(root, leaf.steps[1:]))
    return out


def _follow(x: Any, steps: tuple[Any, ...]) -> Any:
    for i, s in enumerate(steps):
        if s == "*":
            return [_follow(e, steps[i + 1 :]) for e in x]
        x = x[s]
    return x


def guards_text(guards: list[Guard]) -> str:
    """Guards as a person reads them."""
    return ", ".join(map(str, guards))


__all__ = [
    "STAGES",
    "Build",
    "Request",
    "assemble",
    "build",
    "from_call",
    "from_text",
    "interpret",
    "map_tree",
]
