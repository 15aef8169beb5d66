"""How a derivative rule is written, validated and found.

A rule is a class of plain functions whose parameter names say what they want; nothing here knows the compiler.
"""

import ast
import functools
import inspect
import operator
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from rules.arrays import twin
from rules.kind import KindError
from rules.libraries import label, load_for, load_installed

REQUIRED = inspect.Parameter.empty
#: Arguments that must be known when a call is compiled; a rule's `static = "..."` names more.
STATIC = frozenset("axis axes axis1 axis2 keepdims dtype ddof correction order mode offset".split())


class RuleError(TypeError):
    """A rule is written against its own grammar; the text says which rule and what to write."""


class Like:
    """Annotation of a pullback's parameter: shape and dtype are wanted, the value is never kept."""


@dataclass(frozen=True)
class Scratch:
    """Annotation of a pullback's parameter: an array of the shape and dtype of what `like` names, with any contents.

    `t: Scratch["z"]` may be written into. It comes from the workspace where there is one.
    """

    like: str

    def __class_getitem__(cls, like: str) -> "Scratch":
        return cls(like)


@dataclass(frozen=True)
class Parameter:
    """One argument of the primal: its name, default (or REQUIRED), and whether it is `*name`."""

    name: str
    default: Any = REQUIRED
    star: bool = False


@dataclass(frozen=True)
class Derivative:
    """A pullback or pushforward: the function, the names it wants, and those it wants only the shape of.

    `scratch` has the parameters that are scratch arrays, with what each is like.
    """

    function: Callable[..., Any]
    wants: tuple[str, ...]
    like: frozenset[str]
    scratch: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Overlay:
    """What runs in place of a function and its pullbacks where a state is kept from one for the others.

    `forward` gives (result, state) from the last state and the arguments; a state may hold memory of the arguments
    `holds`, of any if that is None. `pullbacks` maps an argument to the pullback that takes the state.
    """

    forward: Derivative
    pullbacks: dict[str, Derivative]
    holds: frozenset[str] | None = None
    borrows: dict[str, frozenset[str]] = field(default_factory=dict)


@dataclass(eq=False)
class Rule:
    """The derivative of one function, or the knowledge that there is none.

    `pullbacks` maps an argument to its `Derivative`; `pushforward` is forward mode. `view` names the
    arguments whose memory the primal's result may share. `why` is set for functions that are refused, `reasons` has
    that for arguments that have no pullback. `overlay` has the forms that keep a state.
    """

    name: str
    result: str
    parameters: tuple[Parameter, ...]
    functions: tuple[Callable[..., Any], ...]
    methods: tuple[str, ...] = ()
    pullbacks: dict[str, Derivative] = field(default_factory=dict)
    pushforward: Derivative | None = None
    kind: Callable[..., Any] | None = None
    static: frozenset[str] = STATIC
    view: frozenset[str] = frozenset()
    borrows: dict[str, frozenset[str]] = field(default_factory=dict)
    infinite_at_pole: bool = False
    selects: bool = False
    like: frozenset[str] = frozenset({"like"})
    differentiable: bool = True
    why: str = ""
    reasons: dict[str, str] = field(default_factory=dict)
    where: str = ""
    overlay: Overlay | None = None
    callbacks: dict[str, Derivative] = field(default_factory=dict)
    constant: frozenset[str] = frozenset()

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The call's arguments by the rule's names, defaults filled in. Raises TypeError as a call would."""
        bound: dict[str, Any] = {}
        rest = list(args)
        given = dict(kwargs)
        for p in self.parameters:
            if p.star:
                bound[p.name] = tuple(rest)
                rest = []
            elif rest:
                if p.name in given:
                    raise TypeError(f"{self.name}() got multiple values for argument {p.name!r}")
                bound[p.name] = rest.pop(0)
            elif p.name in given:
                bound[p.name] = given.pop(p.name)
            elif p.default is not REQUIRED:
                bound[p.name] = p.default
            else:
                raise TypeError(f"{self.name}() misses the argument {p.name!r}")
        if rest:
            raise TypeError(f"{self.name}() takes {len(self.parameters)} arguments, {len(args)} were given")
        if given:
            raise TypeError(f"{self.name}() with the keyword {', '.join(map(repr, given))} has no rule")
        return bound

    def check_precision(self, kinds: Any) -> None:
        """Refuse arguments of float16 in SciPy, whose functions compute them in another precision, each in its own.

        Raises KindError.
        """
        if self.where.startswith("rules.scipy.") and any(_half(kind) for kind in kinds):
            raise KindError(f"SciPy computes {self.name} of float16 in another precision", "write x.astype(np.float32)")

    @property
    def kind_takes(self) -> tuple[str, ...]:
        """The arguments that `kind` is called with: all, where it is written with `*`."""
        code = self.kind.__code__  # type: ignore[union-attr]
        every = code.co_flags & inspect.CO_VARARGS
        return tuple(p.name for p in self.parameters) if every else code.co_varnames[: code.co_argcount]

    def normal(self, bound: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """How a bound call is written: required arguments by position, others by keyword, defaults left out.

        A `kind` is written by position, with all before it: a builder of operations means that of the result by it.
        """
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for i, p in enumerate(self.parameters):
            value = bound[p.name]
            if p.name == "kind" and not _is_default(value, p.default):
                args, kwargs = [bound[q.name] for q in self.parameters[: i + 1]], {}
                continue
            if p.star:
                args.extend(value)
            elif p.default is REQUIRED:
                args.append(value)
            elif not _is_default(value, p.default):
                kwargs[p.name] = value
        return tuple(args), kwargs


def _half(kind: Any) -> bool:
    """Is this the kind of numbers in half precision, or a list with one in it?"""
    if isinstance(kind, tuple | list):
        return any(map(_half, kind))
    return getattr(kind, "dtype", None) == np.float16 or _half(getattr(kind, "element", ()))


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


_rules: dict[Any, Rule] = {}
_methods: dict[str, Rule] = {}
_all: list[Rule] = []


def find(function: Any) -> Rule | None:
    """The rule that serves `function`, by identity; None if there is none.

    Rules of a library that need not be installed are registered when one of its functions is first asked for. A
    function of CuPy has the rule of NumPy's of the same name.
    """
    try:
        found = _rules.get(function)
    except TypeError:  # unhashable, so never registered
        return None
    if found is None and load_for(function):
        return _rules.get(function)
    if found is None and (other := twin(function)) is not None:
        return find(other[1])
    return found


def find_method(name: str) -> Rule | None:
    """The rule of an array method or attribute, `"ndarray.sum"`."""
    return _methods.get(name)


def registry(installed: bool = False) -> list[Rule]:
    """Every rule there is, in the order of registration; with `installed`, those of all libraries that are there.

    Else a library of which nothing has been met is left out: of SciPy.
    """
    if installed:
        load_installed()
    return list(_all)


@dataclass(frozen=True)
class _Signature:
    result: str
    name: str
    parameters: tuple[Parameter, ...]


def _parse(text: str) -> _Signature:
    """Read `"z = name(x, y, axis=None, *rest)"`."""
    usage = f'the signature {text!r} is not of the form "result = name(argument, option=default)"'
    try:
        (node,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        raise RuleError(usage) from None
    if (
        not isinstance(node, ast.Assign)
        or not isinstance(node.targets[0], ast.Name)
        or not isinstance(node.value, ast.Call)
        or not isinstance(node.value.func, ast.Name)
    ):
        raise RuleError(usage)
    parameters: list[Parameter] = []
    for arg in node.value.args:
        if isinstance(arg, ast.Starred) and isinstance(arg.value, ast.Name):
            parameters.append(Parameter(arg.value.id, star=True))
        elif isinstance(arg, ast.Name):
            parameters.append(Parameter(arg.id))
        else:
            raise RuleError(usage)
    for keyword in node.value.keywords:
        if keyword.arg is None:
            raise RuleError(usage)
        try:
            default = ast.literal_eval(keyword.value)
        except ValueError:
            raise RuleError(f"{text!r}: the default of {keyword.arg} is not a literal") from None
        parameters.append(Parameter(keyword.arg, default))
    names = [p.name for p in parameters] + [node.targets[0].id]
    if len(set(names)) != len(names):
        raise RuleError(f"{text!r}: a name occurs twice")
    return _Signature(node.targets[0].id, node.value.func.id, tuple(parameters))


_MEMBER = re.compile(r"d_|t_|with_state_d_|forward$")


def _derivative(
    function: Callable[..., Any], allowed: set[str], what: str, scratch_of: Set[str] = frozenset()
) -> Derivative:
    """What a member of a rule is called with; scratch arrays may be like anything in `scratch_of`."""
    wants: list[str] = []
    like: set[str] = set()
    scratch: dict[str, str] = {}
    for p in inspect.signature(function).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise RuleError(f"{what}: *{p.name} is not a name that can be filled; name each argument")
        if (of := _scratch(p.annotation)) is not None:
            if p.name in allowed:
                raise RuleError(f"{what}: {p.name} is scratch, and the name of something else")
            if of not in scratch_of:
                can = f"can be like {', '.join(sorted(scratch_of))}" if scratch_of else "is for forward and pullbacks"
                raise RuleError(f"{what} asks for scratch like {of!r}; it {can}")
            scratch[p.name] = of
            wants.append(p.name)
            continue
        if p.name not in allowed:
            raise RuleError(f"{what} asks for {p.name!r}; it can have {', '.join(sorted(allowed))}")
        wants.append(p.name)
        if p.annotation is Like or p.annotation == "Like":
            like.add(p.name)
        elif p.annotation is not p.empty and _MEMBER.match(what.split(".")[-1]):
            raise RuleError(f"{what}: the annotation of {p.name} can only be Like")
    return Derivative(function, tuple(wants), frozenset(like), scratch)


def _scratch(annotation: Any) -> str | None:
    """What a scratch array is like, from the annotation or its text; None where it is no `Scratch`."""
    if isinstance(annotation, Scratch):
        return annotation.like
    found = re.fullmatch(r"(?:\w+\.)*Scratch\[(['\"])(\w+)\1\]", annotation) if isinstance(annotation, str) else None
    return found[2] if found else None


def _register(rule: Rule) -> Rule:
    if not rule.functions and not rule.methods:
        raise RuleError(f"rule {rule.name}: name the function that it serves")
    for function in rule.functions:
        if not callable(function):
            raise RuleError(f"rule {rule.name} serves {function!r}, which is not callable")
        if not rule.where.startswith("rules."):
            load_for(function)
        known = _rules.get(function, rule)
        if known is not rule and not known.why:
            raise RuleError(f"{function!r} has a rule already, {known.name} in {known.where}")
    for function in rule.functions:
        if function in _rules and _rules[function].functions == (function,):
            _all.remove(_rules[function])  # a refusal, which gives way to a rule
        _rules[function] = rule
    for method in rule.methods:
        if not method.startswith("ndarray."):
            raise RuleError(f"rule {rule.name}: a method is named 'ndarray.NAME', not {method!r}")
        if method in _methods:
            raise RuleError(f"{method} has a rule already, {_methods[method].name}")
        _methods[method] = rule
        plain = getattr(np.ndarray, method.removeprefix("ndarray."), None)
        if callable(plain):
            _rules.setdefault(plain, rule)
    _all.append(rule)
    return rule


def _split(functions: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    return tuple(f for f in functions if not isinstance(f, str)), tuple(f for f in functions if isinstance(f, str))


def _no_circle(pullbacks: dict[str, Derivative], what: str) -> None:
    """Sibling cotangents are computed one from the other, so none may lead back to itself."""
    for start in pullbacks:
        path, todo = set[str](), [start]
        while todo:
            for want in pullbacks[todo.pop()].wants:
                arg = want.removeprefix("d_")
                if arg == start and want == "d_" + start:
                    raise RuleError(f"{what}: d_{start} needs, through its siblings, d_{start} itself")
                if want.startswith("d_") and arg in pullbacks and arg not in path:
                    path.add(arg)
                    todo.append(arg)


def _overlay(
    members: Mapping[str, Any], parsed: _Signature, pullbacks: Mapping[str, Derivative], what: str
) -> Overlay | None:
    """The members of a rule that keep a state, validated; None if it has none."""
    given = {name.removeprefix("with_state_d_"): f for name, f in members.items() if name.startswith("with_state_d_")}
    forward = members.get("forward")
    if forward is None and not given:
        return None
    if forward is None or not given:
        missing = "forward, which gives the state" if forward is None else "with_state_d_<argument>, which takes it"
        raise RuleError(f"{what} has no {missing}")
    names = {p.name for p in parsed.parameters}
    result, d = parsed.result, f"d_{parsed.result}"
    if "state" in {*names, result}:
        raise RuleError(f"{what} keeps a state, so that no argument can be called state")
    first = _derivative(forward, names | {"state"}, f"{what}.forward", names)
    if "state" not in first.wants:
        raise RuleError(f"{what}: forward does not take the state of an earlier call")
    holds: frozenset[str] | None = getattr(forward, "__borrows__", None)
    _declared(holds or frozenset(), first, f"{what}: forward")
    found: dict[str, Derivative] = {}
    borrowed: dict[str, frozenset[str]] = {}
    for arg, member in given.items():
        if arg not in pullbacks:
            raise RuleError(f"{what} has with_state_d_{arg} without the pure d_{arg}, from which it is differentiated")
        allowed = {*names, result, d, "state", *(f"d_{k}" for k in pullbacks if k != arg)}
        found[arg] = _derivative(member, allowed, f"{what}.with_state_d_{arg}", names | {result})
        if "state" not in found[arg].wants:
            raise RuleError(f"{what}: with_state_d_{arg} does not take the state")
        borrowed[arg] = getattr(member, "__borrows__", frozenset())
        _declared(borrowed[arg], found[arg], f"{what}: with_state_d_{arg}")
    _no_circle({**pullbacks, **found}, what)
    return Overlay(first, found, holds, borrowed)


def _declared(names: frozenset[str], derivative: Derivative, what: str) -> None:
    """Refuse a declaration of what a function does not take."""
    if unknown := ", ".join(sorted(names - set(derivative.wants))):
        raise RuleError(f"{what} borrows {unknown}, which it does not take")


_C = TypeVar("_C", bound=type)


def rule(signature: str, *functions: Callable[..., Any] | str) -> Callable[[_C], _C]:
    """Class decorator: the derivative of `functions`, whose arguments and result `signature` names.

    In the class, `d_<argument>` are pullbacks, `t_<result>` is the pushforward, `kind` gives the result's
    kind; `static` names arguments that must be known when compiling, `view` those whose memory the
    result may share, `infinite_at_pole` says that the primal is infinite where the derivative is, `selects` that
    some elements of an argument do not reach the result, so that their cotangent is exactly zero. `forward` gives the
    result and a state, which `with_state_d_<argument>` may use in place of that pullback. Instead of a
    derivative, `why = "..."` says why there is none: the function is refused where one would flow through it;
    `why_<argument> = "..."` says it of one argument, beside the pullbacks of others.
    Methods are named as strings (`"ndarray.sum"`). Raises RuleError for anything else.
    """
    parsed = _parse(signature)
    names = {p.name for p in parsed.parameters}
    plain, methods = _split(functions)

    def register(cls: _C) -> _C:
        what = f"rule {parsed.name}"
        pullbacks: dict[str, Derivative] = {}
        borrows: dict[str, frozenset[str]] = {}
        refused: dict[str, str] = {}
        callbacks: dict[str, Derivative] = {}
        pushforward = kind = None
        options: dict[str, Any] = {}
        members = {k: v for k, v in vars(cls).items() if not (k.startswith("__") and k.endswith("__"))}
        siblings = {k for k in members if k.startswith("d_")}
        for name, member in members.items():
            if name in ("static", "view", "like", "constant"):
                given = set(member.split())
                if not given <= names:
                    raise RuleError(f"{what}: {name} names {', '.join(sorted(given - names))}, not an argument")
                options[name] = frozenset(given) | (STATIC if name == "static" else frozenset())
            elif name in ("infinite_at_pole", "selects"):
                options[name] = bool(member)
            elif name == "why" and isinstance(member, str):
                options[name] = member
            elif name.startswith("why_") and isinstance(member, str):
                if name[4:] not in names or "d_" + name[4:] in members:
                    raise RuleError(f"{what} has {name}, which is no argument without a pullback")
                refused[name[4:]] = member
            elif not inspect.isfunction(member):
                raise RuleError(f"{what}: {name} is neither a function nor static, view, infinite_at_pole, selects")
            elif name.startswith("calls_"):
                if name[6:] not in names:
                    raise RuleError(f"{what} has {name}, but no argument {name[6:]}")
                callbacks[name[6:]] = _derivative(member, names, f"{what}: {name}")
            elif name == "kind":
                kind = member
                _derivative(member, names, f"{what}: kind")
            elif name.startswith("d_"):
                arg = name[2:]
                if arg not in names:
                    raise RuleError(f"{what} has {name}, but no argument {arg}; it has {', '.join(sorted(names))}")
                allowed = names | {parsed.result, "d_" + parsed.result, "ad"} | (siblings - {name})
                pullbacks[arg] = _derivative(member, allowed, f"{what}.{name}", names | {parsed.result})
                if "d_" + parsed.result not in pullbacks[arg].wants and not siblings & set(pullbacks[arg].wants):
                    raise RuleError(f"{what}: {name} does not take d_{parsed.result}, so it cannot be linear in it")
                borrows[arg] = getattr(member, "__borrows__", frozenset())
                _declared(borrows[arg], pullbacks[arg], f"{what}: {name}")
            elif name == "t_" + parsed.result:
                allowed = names | {parsed.result, "ad"} | {"t_" + n for n in names}
                pushforward = _derivative(member, allowed, f"{what}.{name}")
            elif name != "forward" and not name.startswith("with_state_d_"):
                raise RuleError(f"{what}: {name} is none of d_<argument>, t_{parsed.result}, kind, static, view")
        _no_circle(pullbacks, what)
        overlay = _overlay(members, parsed, pullbacks, what)
        for name in callbacks:
            if pushforward is not None and "d_" + name in members and "t_" + name not in pushforward.wants:
                raise RuleError(f"{what}: t_{parsed.result} lacks t_{name}, the tangent of what {name} closes over")
        if "why" in options and (pullbacks or pushforward is not None):
            raise RuleError(f"{what} has a derivative, and why, the reason for having none")
        if not pullbacks and pushforward is None and "why" not in options:
            reasons = "use nondifferentiable(...) if it is zero, or say why there is none"
            raise RuleError(f"{what} has no derivative; {reasons}")
        _register(Rule(parsed.name, parsed.result, parsed.parameters, plain, methods, pullbacks, pushforward,
                       kind, borrows=borrows, where=cls.__module__, overlay=overlay, reasons=refused,
                       callbacks=callbacks, **options))  # fmt: skip
        return cls

    return register


def borrows(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare that a pullback's result, or the state that a `forward` gives, may share memory with these parameters."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__borrows__ = frozenset(names)  # type: ignore[attr-defined]
        return function

    return mark


def elementwise(
    signature: str, *functions: Callable[..., Any], derivative: Callable[..., Any], infinite_at_pole: bool = True
) -> Rule:
    """A rule for a function of one argument that acts on each element: both modes from its derivative.

    `derivative` takes the argument or the result by name. Where it can be infinite, write a `rule` with `strong`.
    """
    parsed = _parse(signature)
    if len(parsed.parameters) != 1:
        raise RuleError(f"elementwise {parsed.name} has {len(parsed.parameters)} arguments, not one")
    (x,) = (p.name for p in parsed.parameters)
    y = parsed.result
    factor = _derivative(derivative, {x, y}, f"elementwise {parsed.name}: derivative")
    d, t = "d_" + y, "t_" + x

    def pullback(*values: Any) -> Any:
        return values[0] * derivative(*values[1:])

    def pushforward(*values: Any) -> Any:
        return values[0] * derivative(*values[1:])

    pullback.__name__ = pullback.__qualname__ = f"{parsed.name}.d_{x}"
    pushforward.__name__ = pushforward.__qualname__ = f"{parsed.name}.t_{y}"
    pullback.__module__ = pushforward.__module__ = derivative.__module__
    return _register(
        Rule(parsed.name, y, parsed.parameters, functions,
             pullbacks={x: Derivative(pullback, (d, *factor.wants), factor.like)},
             pushforward=Derivative(pushforward, (t, *factor.wants), factor.like),
             infinite_at_pole=infinite_at_pole, where=derivative.__module__)
    )  # fmt: skip


def partials(
    signature: str,
    *functions: Callable[..., Any],
    by: Mapping[str, Callable[..., Any]],
    kind: Callable[..., Any] | None = None,
    reasons: Mapping[str, str] | None = None,
    infinite_at_pole: bool = False,
) -> Rule:
    """A rule for a function of several real arguments that acts on each element: both modes from its derivatives.

    `by` maps an argument to what a cotangent, or a tangent, becomes by the derivative: it takes that first, then all
    arguments by position and the result. `reasons` says of other arguments why there is no derivative by them.
    """
    parsed = _parse(signature)
    names = [p.name for p in parsed.parameters]
    y = parsed.result
    if unknown := ", ".join(sorted({*by, *(reasons or {})} - set(names)) + sorted(set(by) & set(reasons or {}))):
        raise RuleError(f"partials {parsed.name}: {unknown} is no argument, or has both a derivative and a reason")

    def pushforward(*values: Any) -> Any:
        return functools.reduce(operator.add, (along(t, *values[len(by) :]) for along, t in zip(by.values(), values)))

    where = sys._getframe(1).f_globals["__name__"]
    return _register(
        Rule(parsed.name, y, parsed.parameters, functions,
             pullbacks={arg: Derivative(along, ("d_" + y, *names, y), frozenset()) for arg, along in by.items()},
             pushforward=Derivative(pushforward, (*("t_" + arg for arg in by), *names, y), frozenset()),
             kind=kind, reasons=dict(reasons or {}), infinite_at_pole=infinite_at_pole, where=where)
    )  # fmt: skip


def nondifferentiable(
    signature: str, *functions: Callable[..., Any] | str, kind: Callable[..., Any] | None = None, view: str = ""
) -> Rule:
    """Functions whose result carries no derivative (integer-valued, piecewise constant, of shape alone).

    `kind` is left out for ufuncs and the operators of them; `view` names arguments whose memory the result may share.
    """
    parsed = _parse(signature)
    plain, methods = _split(functions)
    if kind is not None:
        _derivative(kind, {p.name for p in parsed.parameters}, f"nondifferentiable {parsed.name}: kind")
    return _register(Rule(parsed.name, parsed.result, parsed.parameters, plain, methods, kind=kind,
                          view=frozenset(view.split()), differentiable=False,
                          where=sys._getframe(1).f_globals["__name__"]))  # fmt: skip


def unsupported(*functions: Callable[..., Any] | str, why: str) -> None:
    """Functions that are refused where a derivative would flow through them, with the reason.

    A rule that is written for one of them later takes the place of the refusal.
    """
    plain, methods = _split(functions)
    where = sys._getframe(1).f_globals["__name__"]
    for f in plain:
        _register(Rule(label(f) or str(f), "y", (Parameter("args", star=True),), (f,),
                       differentiable=False, why=why, where=where))  # fmt: skip
    for m in methods:
        _register(Rule(m, "y", (Parameter("args", star=True),), (), (m,),
                       differentiable=False, why=why, where=where))  # fmt: skip


# --------------------------------------------------------------------------------------------- primitives
_F = TypeVar("_F", bound=Callable[..., Any])
#: A value that stands for one not yet computed has this attribute: called with (function, args, kwargs).
TRACE = "__trace_call__"


def tracers(x: Any) -> Iterator[Any]:
    """The tracing values in an argument, at any depth of tuples, lists, dicts and slices."""
    if hasattr(type(x), TRACE):
        yield x
    elif isinstance(x, tuple | list):
        for item in x:
            yield from tracers(item)
    elif isinstance(x, dict):
        for item in x.values():
            yield from tracers(item)
    elif isinstance(x, slice):
        yield from tracers((x.start, x.stop, x.step))


def primitive(function: _F) -> _F:
    """A function that a trace records as one call, instead of looking inside.

    Use it for what a derivative calls by name: anything that branches on values or loops over elements.
    Generated code calls the function itself, `primitive.__wrapped__`, so that it pays for no test.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        for tracer in tracers((args, kwargs)):
            return getattr(tracer, TRACE)(call, args, kwargs)
        return function(*args, **kwargs)

    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        setattr(call, name, getattr(function, name))
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def recorded(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function that a trace records as it is: NumPy would look into a traced list of any length first."""
    for tracer in tracers((args, kwargs)):
        return getattr(tracer, TRACE)(function, args, kwargs)
    return function(*args, **kwargs)


#: Python's operators (and the builtins that are one) and the ufuncs that compute the same: one rule serves both.
OPERATORS: dict[Callable[..., Any], np.ufunc] = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.true_divide,
    operator.floordiv: np.floor_divide, operator.mod: np.remainder, operator.pow: np.power,
    operator.matmul: np.matmul, operator.neg: np.negative, operator.pos: np.positive, operator.abs: np.absolute,
    operator.lt: np.less, operator.le: np.less_equal, operator.gt: np.greater, operator.ge: np.greater_equal,
    operator.eq: np.equal, operator.ne: np.not_equal, operator.and_: np.bitwise_and, operator.or_: np.bitwise_or,
    operator.xor: np.bitwise_xor, operator.invert: np.invert, operator.lshift: np.left_shift,
    operator.rshift: np.right_shift, abs: np.absolute, pow: np.power,
}  # fmt: skip
