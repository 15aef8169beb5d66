"""What is asked for: of which function, with respect to what; and how the arguments of a call are described."""

import ast
import copy
import functools
import inspect
import types
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gast
import numpy as np

from adcompiler.errors import GradientError, Problem, UnsupportedError, problem_at
from adcompiler.frontend.frozen import thawed
from adcompiler.frontend.instances import LIBRARIES, is_object
from adcompiler.frontend.kinds import Describe, Known, from_signature
from adcompiler.frontend.scope import Closure
from adcompiler.frontend.source import Source, source_of, wrapper_of
from adcompiler.frontend.ufunc_methods import is_method
from adcompiler.ir.core import ListOf, Loc, Value
from adcompiler.ir.structure import Attr, like, part, parts, written
from rules.kind import KindError, Seq, is_differentiable
from rules.rule import find


@dataclass(frozen=True)
class Request:
    """What is asked for: of which function, with respect to what, in which form.

    `mode` is "grad"; "jvp": then `argnums` are the arguments that move, and a call passes their tangents too; or
    "vjp": then a call gives the value and its pullback, or with `apart` a pullback for each argument. A gradient
    computes into arrays of earlier calls if it may keep workspaces, for so many shapes of its arguments. Of what is
    `watched` each cotangent is tested to be finite.
    """

    function: Any
    argnums: Any = 0
    value: bool = False
    has_aux: bool = False
    inline: bool = True
    reuse: bool = True
    mode: str = "grad"
    max_workspaces: int = 0
    of: Any = None
    apart: bool = False
    watched: bool = False

    @functools.cached_property
    def source(self) -> Source:
        """The function's tree. Raises UnsupportedError where its source cannot be had."""
        if self.of is not None:
            f = self.whole
            return wrapper_of(f.function, f.name, _stars(f.signature), f.source.defaults, f.parameter_of(self.of))
        if isinstance(self.function, Closure):
            inner = self.function
            return replace(inner.frame.source, node=inner.node, name=inner.name, defaults=inner.defaults)
        return find_source(self.function)

    @functools.cached_property
    def whole(self) -> "Request":
        """The same request for what the function returns."""
        return replace(self, of=None) if self.of is not None else self

    def parameter_of(self, of: Any) -> str:
        """The name of the argument that a function leaves its result in."""
        name, *rest = self._parameter(of, "of")
        rest_of = self.source.node.args.vararg
        if rest or (rest_of is not None and name == rest_of.id):
            reason = f"of={of!r} is one of *{name} of {self.name}"
            raise GradientError(problem_at(self.place, reason, "name an argument that has a name of its own"))
        return str(name)

    @functools.cached_property
    def entry(self) -> Source:
        """The function as it is called: in forward mode with the tangents as further arguments, by keyword."""
        if self.mode != "jvp":
            return self.source
        node = copy.copy(self.source.node)
        node.args = copy.copy(node.args)
        tangents = [gast.Name(t, gast.Param(), None, None) for t in self.tangents.values()]
        node.args.kwonlyargs = [*node.args.kwonlyargs, *tangents]
        node.args.kw_defaults = [*node.args.kw_defaults, *[None] * len(tangents)]
        return replace(self.source, node=node)

    @functools.cached_property
    def tangents(self) -> dict[tuple[Any, ...], str]:
        """What the tangent of each argument in `wrt` is called: a name that the function does not use."""
        taken = {n.id for n in gast.walk(self.source.node) if isinstance(n, gast.Name)}
        out = {}
        for path in self.wrt:
            name = "t_" + "_".join(map(str, path))
            name = name if name.isidentifier() else f"t_{path[0]}"
            while name in taken:
                name += "_"
            out[path] = name
            taken.add(name)
        return out

    @property
    def tangent_names(self) -> Collection[str]:
        """The arguments of a call that are tangents."""
        return self.tangents.values() if self.mode == "jvp" else ()

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
        """The signature of `entry`, with its defaults."""
        a, given = self.entry.node.args, self.source.defaults
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
            raise GradientError(
                problem_at(self.place, f"argnums of {self.name} is empty", "name at least one argument")
            )
        if len(set(names)) != len(names):
            reason = f"argnums {self.argnums!r} names an argument of {self.name} twice"
            raise GradientError(problem_at(self.place, reason, "name each argument once"))
        for path in names:
            inner = next((p for p in names if p != path and p[: len(path)] == path), None)
            if inner is not None:
                reason = f"argnums {self.argnums!r} names {written(inner)}, which is a part of {written(path)}"
                raise GradientError(problem_at(self.place, reason, "name the one or the other"))
        return names

    def moves(self, a: Any) -> bool:
        """Is the argument that a call has at this position, or by this name, one to differentiate with respect to?"""
        known = a in self.parameters if isinstance(a, str) else a < len(self.parameters) or self.source.node.args.vararg
        return bool(known) and self._parameter(a) in self.wrt

    @property
    def single(self) -> bool:
        """Is one gradient asked for, rather than a tuple of them?"""
        return isinstance(self.argnums, str) or not isinstance(self.argnums, Sequence)

    def _parameter(self, a: Any, asked: str = "argnums") -> tuple[Any, ...]:
        names, args = self.parameters, self.source.node.args
        if isinstance(a, str) and a in names:
            return (a,)
        if isinstance(a, str) and (path := path_of(a)) is not None and path[0] in names:
            return path
        if isinstance(a, int | np.integer) and not isinstance(a, bool):
            first = len(args.posonlyargs) + len(args.args)
            if args.vararg is not None and a >= first:
                return (args.vararg.id, int(a) - first)
            if -len(names) <= a < len(names):
                return (names[a],)
        known = ", ".join(f"{i}: {n}" for i, n in enumerate(names)) or "none"
        raise GradientError(problem_at(self.place, f"{self.name} has no argument {a!r}; its arguments are {known}",
                                       f"name one of these in {asked}, by position or by name"))  # fmt: skip

    @property
    def place(self) -> Loc:
        """Where the function is defined."""
        source = self.whole.source
        return Loc(source.file, source.line, source.node.col_offset)

    def named(self, call: tuple[tuple[Any, ...], dict[str, Any]]) -> dict[str, Any]:
        """A call's arguments by name, defaults included. Raises TypeError as the call would."""
        args, kwargs = call
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}() {error}") from None
        bound.apply_defaults()
        return dict(bound.arguments)


#: The parameters of methods of ufuncs, where one is differentiated by itself.
METHODS_OF_UFUNCS = {"reduce": ["array", "axis"], "accumulate": ["array", "axis"],
                     "reduceat": ["array", "indices", "axis"], "outer": ["A", "B"]}  # fmt: skip


def bound_to(request: Request) -> tuple[Request, tuple[Any, ...]]:
    """The request for the function of a method, and the object that it is bound to as its first argument.

    Other functions stay what they are, with nothing to go before their arguments.
    """
    f = request.function
    while hasattr(type(f), "__adc_wrapped__"):
        f = f.__adc_wrapped__
    if (
        not isinstance(f, types.MethodType)
        or not isinstance(f.__func__, types.FunctionType)
        or not is_object(f.__self__)
    ):
        return request, ()

    def shifted(a: Any) -> Any:
        if isinstance(a, tuple | list):
            return tuple(map(shifted, a))
        return a + 1 if isinstance(a, int) and not isinstance(a, bool) and a >= 0 else a

    of = shifted(request.of)
    return replace(request, function=f.__func__, argnums=shifted(request.argnums), of=of), (f.__self__,)


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
    if isinstance(f, types.BuiltinMethodType) and isinstance(f.__self__, np.ndarray):
        f = functools.partial(getattr(np.ndarray, f.__name__), f.__self__)  # x.dot
    if isinstance(f, types.MethodType) and thawed(f) is not None:
        return wrapper_of(f, f.__name__, ["x"], {})  # norm(m, s).logpdf
    if is_method(f):
        names = METHODS_OF_UFUNCS[f.__name__]
        return wrapper_of(f, f"{f.__self__.__name__}_{f.__name__}", names, {"axis": 0} if "axis" in names else {})
    if isinstance(f, np.vectorize):
        return wrapper_of(f, getattr(f, "__name__", "vectorized"), _parameters_of(f.pyfunc), {})
    rule = find(f)
    if rule is not None and not rule.why:
        return wrapper_of(f, rule.name, _rule_parameters(rule.parameters), _defaults(rule))
    if not callable(f):
        raise TypeError(f"{f!r} is not a function")
    if not _has_source(f):
        what = getattr(f, "__name__", type(f).__name__)
        why = f": {rule.why}" if rule is not None else ""
        remedy = "write it in Python, or use a function that has a rule (`adc rules`)"
        raise UnsupportedError(
            Problem("", 0, 0, "", f"{what} has no rule, and no source to differentiate{why}", remedy)
        )
    signature = inspect.signature(f)
    name = str(getattr(f, "__name__", None) or getattr(getattr(f, "func", None), "__name__", type(f).__name__))
    if isinstance(f, functools.partial):
        rule = find(f.func)
        if rule is not None:
            left = [p for p in rule.parameters if p.star or p.name not in f.keywords][len(f.args) :]
            written = [("*" if p.star else "") + p.name + ("" if p.name not in _defaults(rule) else "=") for p in left]
            return wrapper_of(f, name, written, _defaults(rule))
    elif not isinstance(f, types.MethodType):
        f = f.__call__  # an object with __call__
    given = {p.name: p.default for p in signature.parameters.values() if p.default is not p.empty}
    return wrapper_of(f, name, _stars(signature), given)


def _has_source(f: Any) -> bool:
    """Is this a partial, a method or an object with `__call__` that is written in Python by the user?"""
    if isinstance(f, functools.partial):
        return True
    own = f.__func__ if isinstance(f, types.MethodType) else type(f).__call__
    return isinstance(own, types.FunctionType) and own.__module__.split(".")[0] not in LIBRARIES


def _rule_parameters(parameters: Sequence[Any]) -> list[str]:
    """How the parameters of a rule are written in a signature: those behind `*rest` by keyword only."""
    first = next((k for k, p in enumerate(parameters) if p.star), len(parameters))
    return [("*" if p.star else "") + p.name + ("=" if k > first else "") for k, p in enumerate(parameters)]


def _parameters_of(f: Any) -> list[str]:
    """The parameters of a function that may be written in C, by position."""
    try:
        return _stars(inspect.signature(f))
    except (TypeError, ValueError):
        return ["*args"]


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
    for i, k in enumerate(path[1:], 1):
        try:
            tree = part(tree, k)
        except LookupError:
            if isinstance(tree, tuple) and isinstance(k, int) and not hasattr(tree, "_fields"):
                reason = f"{name} was called with {len(tree)} arguments *{path[0]}, and argnums names one more"
                raise GradientError(problem_at(loc, reason, "pass it, or leave it out of argnums")) from None
            has = [written((written(path[:i]), step)) for step, _ in parts(tree)] if _has_parts(tree) else []
            reason = f"{name} has no {written(path[: i + 1])} to differentiate by"
            reason += f"; {written(path[:i])} has {', '.join(has)}" if has else ""
            raise GradientError(problem_at(loc, reason, "name an attribute or an item that the argument has")) from None
    return tree


def _has_parts(tree: Any) -> bool:
    return isinstance(tree, tuple | list | dict)


def path_of(text: str) -> tuple[Any, ...] | None:
    """The path that a text such as "model.layers[0].W" names; None where it names none."""
    try:
        node: Any = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    steps: list[Any] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            steps.insert(0, Attr(node.attr))
        else:
            try:
                key = ast.literal_eval(node.slice)
            except ValueError:
                return None
            if not isinstance(key, int | str):
                return None
            steps.insert(0, key)
        node = node.value
    return (node.id, *steps) if isinstance(node, ast.Name) else None


# ------------------------------------------------------------------------------------ describing arguments
def from_call(request: Request, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[Describe], dict[str, Any]]:
    """How to build argument trees from a call's values. In forward mode all moves for which no tangent is given."""
    absent = {t: path for path, t in request.tangents.items() if t not in kwargs} if request.mode == "jvp" else {}
    named = request.named((args, {**kwargs, **dict.fromkeys(absent)}))

    def describe(d: Describe) -> dict[str, Any]:
        out: dict[str, Any] = {}
        d.by_value |= taken_apart(request, list(named))
        moved = {t: path for path, t in request.tangents.items()} if request.mode == "jvp" else {}
        for i, (n, x) in enumerate(named.items()):
            if n in moved and n not in absent:
                d.by_value |= lists_in(pick(out, moved[n], request.name, request.place), (i,))
            if n in absent:
                out[n] = _moving(d, pick(out, absent[n], request.name, request.place), (i,), n)
                continue
            try:
                out[n] = d.tree(x, (i,), n)
            except KindError as error:
                raise UnsupportedError(
                    problem_at(request.place, f"argument {n} of {request.name}: {error}", error.remedy)
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
                reason = f"signature {signature!r} gives {len(trees)} kinds, and {request.name} needs one for {n}"
                raise UnsupportedError(problem_at(request.place, reason, "give the kind of each argument"))
            out[n] = d.tree(request.source.defaults[n], (i,), n)
        for path, n in request.tangents.items() if request.mode == "jvp" else ():
            out[n] = _moving(d, pick(out, path, request.name, request.place), (len(out),), n)
        return out

    return describe


def taken_apart(request: Request, names: list[str]) -> frozenset[Any]:
    """The lists of which `argnums` names an element: they are taken element by element."""
    found = set()
    for name, *steps in request.wrt:
        for i, step in enumerate(steps):
            if isinstance(step, int):
                found.add((names.index(name), *steps[:i], "[]"))
    return frozenset(found)


def lists_in(tree: Any, steps: tuple[Any, ...]) -> frozenset[Any]:
    """The lists of an argument that are taken element by element: so is its tangent."""
    found = frozenset({(*steps, "[]")}) if isinstance(tree, list) else frozenset()
    for step, x in parts(tree) if _has_parts(tree) else ():
        found |= lists_in(x, (*steps, step))
    return found


def _moving(d: Describe, x: Any, steps: tuple[Any, ...], hint: str) -> Any:
    """The tangent of an argument, all of whose float leaves move: of their kinds."""
    if isinstance(x, ListOf):
        return ListOf(_moving(d, x.element, (*steps, "*"), hint))
    if isinstance(x, tuple | list):
        return like(x, [_moving(d, v, (*steps, i), f"{hint}_{i}") for i, v in parts(x)])
    if isinstance(x, dict):
        return {k: _moving(d, v, (*steps, k), f"t_{k}") for k, v in x.items()}
    if not isinstance(x, Value) or not is_differentiable(x.kind):
        return Known(None)
    listed = isinstance(x.kind, Seq) and "*" not in steps
    return d.leaf((*steps, "*") if listed else steps, x.kind, hint)
