"""What users call: `differentiable`, `grad`, `value_and_grad`, `jvp`, `vjp`, `check_grad`."""

import copy
import functools
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adcompiler.compile import STAGES, Build, build
from adcompiler.dispatch import COMPILING, Dispatcher, Kept
from adcompiler.errors import GradientError, problem_at
from adcompiler.explanation import Explanation, explanation
from adcompiler.forms import form_of
from adcompiler.frontend.given import given_function
from adcompiler.frontend.instances import attributes_of, is_object
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.scope import Closure
from adcompiler.frontend.structural import STRUCTURAL
from adcompiler.ir.structure import Attr, like
from adcompiler.pullback import Pullback
from adcompiler.pulled import pulled
from adcompiler.request import Request, bound_to, from_call, from_text, path_of
from adcompiler.tape import TapeReport, tape_report
from rules import arrays
from rules.kind import Lengths
from rules.workspace import MAX_WORKSPACES


@functools.lru_cache(256)
def _of_method(f: "_Itself", request: Request) -> Callable[..., Any]:
    """The compiled gradient of a method, for all objects; kept, since each access to a method makes another."""
    return Dispatcher(request).call()


def _callable(request: Request) -> Callable[..., Any]:
    f = request.function
    whole, given = bound_to(request)
    if given:
        compiled = _of_method(_Itself(whole.function), whole)

        def call(*args: Any, **kwargs: Any) -> Any:
            return compiled(*given, *args, **kwargs)

        call.release = compiled.release  # type: ignore[attr-defined]
    else:
        call = Dispatcher(request).call()
    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        if isinstance(getattr(f, name, None), str):
            setattr(call, name, getattr(f, name))
    call.__wrapped__ = f  # type: ignore[attr-defined]
    call.__adc_gradient__ = request  # type: ignore[attr-defined]
    return call


def grad(
    f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *, of: Any = None, inline: bool = True,
    reuse: bool = True, reuse_buffers: bool = True, max_workspaces: int = MAX_WORKSPACES,
) -> Callable[..., Any]:  # fmt: skip
    """The gradient of `f`, which returns one real number, with respect to `argnums`.

    Args:
        f: a Python function of NumPy arrays, numbers and containers of them; a NumPy function or ufunc; a bound
            method; a `functools.partial`; a gradient.
        argnums: a position or a name gives one gradient; a sequence of these, a tuple of gradients.
        has_aux: `f` returns (value, aux); the result is (gradient, aux).
        of: a position or a name: the gradient is of what `f` leaves in this argument, rather than of what it returns.
        inline: write out the bodies of the rules, rather than call them.
        reuse: write into arrays that nobody reads again.
        reuse_buffers: compute into arrays of earlier calls with arguments of the same shapes. From the second call on
            nothing is allocated but the results, as far as shapes are known; `release()` of the gradient gives the
            memory back. Calls that run at the same time have arrays of their own.
        max_workspaces: for so many shapes of arguments the arrays are kept, for those that were used last; 0 is as
            `reuse_buffers=False`.

    A gradient has the structure, shapes and dtypes of its argument, and memory of its own; leaves that are not
    floats get None. Arguments that do not matter get zeros.

    Raises:
        UnsupportedError: at the first call, if `f` does something that has no derivative here.
        GradientError: at a call, if the result is not one real number or an argument is not of floats.
        ValueError: `max_workspaces` is negative.

    >>> import numpy as np
    >>> grad(np.tanh)(0.0)
    1.0
    """
    kept = _kept(max_workspaces, reuse and reuse_buffers)
    return _callable(Request(f, _hashable(argnums), False, has_aux, inline, reuse, max_workspaces=kept, of=of))


def _kept(max_workspaces: int, reuse: bool) -> int:
    """For how many shapes of arguments arrays are kept."""
    if max_workspaces < 0:
        raise ValueError(f"max_workspaces is a number of shapes, 0 for none, not {max_workspaces}")
    return max_workspaces if reuse else 0


def value_and_grad(
    f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *, of: Any = None, inline: bool = True,
    reuse: bool = True, reuse_buffers: bool = True, max_workspaces: int = MAX_WORKSPACES,
) -> Callable[..., Any]:  # fmt: skip
    """Like `grad`, with the value: the result is (value, gradient), or ((value, aux), gradient) with `has_aux`."""
    kept = _kept(max_workspaces, reuse and reuse_buffers)
    return _callable(Request(f, _hashable(argnums), True, has_aux, inline, reuse, max_workspaces=kept, of=of))


@dataclass(frozen=True, eq=False)
class _Itself:
    """A function as the key of a cache: another that is equal to it is not the same."""

    function: Any

    @property
    def identity(self) -> Any:
        f = self.function
        return (id(f.__func__), id(f.__self__)) if isinstance(f, types.MethodType) else id(f)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


@functools.lru_cache(256)
def _forward(f: _Itself, moving: tuple[Any, ...], kept: int) -> tuple[Callable[..., Any], Request]:
    """The compiled forward mode of a function, and what it was made for; kept, since `jvp` is given `f` each time."""
    request = Request(f.function, moving, mode="jvp", max_workspaces=kept)
    return _sharing(request).call(), request


def jvp(
    f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], argnums: Any = None,
    reuse_buffers: bool = True,
) -> tuple[Any, Any]:  # fmt: skip
    """The value of `f` at `primals`, and how it moves as they move along `tangents`: forward mode.

    Args:
        f: a function as `grad` takes it, with a result of any structure: numbers, arrays, tuples, lists and dicts.
        primals: the arguments of `f`, by position.
        tangents: one for each of `primals`: of its structure, and for each float or complex leaf of its shape and
            dtype (a Python number will do for any number). None, for an argument or within one, stands for zero, and
            for leaves that are not floats. What does not move costs nothing.
        argnums: a position or a name, or a sequence of these: the arguments that move. Then `tangents` has one for
            each of these, in their order.
        reuse_buffers: compute into arrays of earlier calls with arguments of the same shapes.

    Returns:
        (value, tangent): the tangent has the structure, shapes and dtypes of the value and memory of its own; parts of
        the value that are not floats have None.

    `f` is compiled once for arguments of one kind, as a gradient is: pass the same function each time, no new lambda.

    Raises:
        UnsupportedError: `f` does something that has no derivative here.
        GradientError: tangents do not fit their arguments, or none is given.

    >>> import numpy as np
    >>> jvp(np.square, (np.array([1.0, 3.0]),), (np.array([1.0, 0.5]),))
    (array([1., 9.]), array([2., 3.]))
    """
    moving = _moving(primals, tangents, argnums)
    whole, owner = bound_to(Request(f, moving, mode="jvp"))
    call, request = _forward(_Itself(whole.function), whole.argnums, MAX_WORKSPACES if reuse_buffers else 0)
    given = (t for t in tangents if t is not None)
    return call(*owner, *primals, **dict(zip(request.tangents.values(), given, strict=True)))


def _moving(primals: Any, tangents: Any, argnums: Any) -> tuple[Any, ...]:
    """The arguments whose tangents are not None. Raises GradientError where these are not counted alike."""
    for what, x in (("primals", primals), ("tangents", tangents)):
        if not isinstance(x, tuple | list):
            raise GradientError(f"{what} is a tuple with one entry an argument, not {type(x).__name__}: write (x,)")
    single = isinstance(argnums, str) or not isinstance(argnums, Sequence)
    chosen = range(len(primals)) if argnums is None else (argnums,) if single else argnums
    if len(tangents) != len(chosen):
        wanted = "arguments" if argnums is None else "arguments in argnums"
        raise GradientError(f"{len(tangents)} tangents are given for {len(chosen)} {wanted}: give None for what stays")
    moving = tuple(a for a, t in zip(chosen, tangents, strict=True) if t is not None)
    if not moving:
        raise GradientError("no argument has a tangent: give one that is not None")
    return moving


@functools.lru_cache(256)
def _split(f: _Itself, argnums: Any, of: Any, apart: bool, kept: int) -> tuple[Callable[..., Any], Request]:
    """The compiled function that gives value and pullback, or pullbacks, and what it was made for."""
    request = Request(f.function, argnums, mode="vjp", apart=apart, max_workspaces=kept, of=of)
    return _sharing(request).split(), request


#: The arrays that what `jvp` and `vjp` have compiled computes into: for so many shapes of arguments, of all functions.
_KEPT: list[Kept] = []
_SHARING: weakref.WeakSet[Dispatcher] = weakref.WeakSet()


def _sharing(request: Request) -> Dispatcher:
    made = Dispatcher(request, _KEPT)
    _SHARING.add(made)
    return made


def release(f: Callable[..., Any]) -> None:
    """Forget the arrays that `jvp` and `vjp` have kept of `f` for later calls with arguments of the same shapes.

    Pullbacks that are there already may still be called.
    """
    for made in list(_SHARING):
        if _Itself(made.request.function) == _Itself(f):
            made.release()


def vjp(
    f: Callable[..., Any], *args: Any, argnums: Any = None, of: Any = None, lazy: bool = False,
    reuse_buffers: bool = True,
) -> tuple[Any, Pullback]:  # fmt: skip
    """The value of `f` at `args`, and its pullback: reverse mode in two parts.

    Args:
        f: a function as `grad` takes it, with a result of any structure: numbers, arrays, tuples, lists and dicts.
        args: the arguments of `f`, by position.
        argnums: a position or a name for one gradient; a sequence of these for a tuple of gradients; None for a tuple
            with one for each of `args`, None for those without floats.
        of: a position or a name: the value is what `f` leaves in this argument, rather than what it returns.
        lazy: the pullback computes nothing. In place of each gradient it gives a `rules.Thunk` of it, which computes
            the gradient when it is first called.
        reuse_buffers: compute into arrays of earlier calls with arguments of the same shapes. A pullback has what is
            kept for it until it is collected, or until its `release()`. With `lazy` there are none.

    Returns:
        (value, pullback). The pullback takes a cotangent of the structure of the value, with the shape and dtype of
        each float or complex leaf (a Python number will do for any number; None stands for zero, and for leaves that
        are not floats). It gives gradients as `grad` does: of the structure, shapes and dtypes of the arguments. It
        may be called any number of times; results of two calls share no memory, and what the caller does to arguments,
        value, cotangents or results in the meantime changes nothing.

    A thunk, called, runs a pullback that was compiled for its argument alone, and gives the same gradient, the same
    object, each time after that; any thread may call it. Then it lets go of the cotangent and of what the forward sweep
    has kept for it. What two gradients have in common is computed for each of them: if you need them all, they are had
    for less without `lazy`. A pullback of a function that calls itself is one for all of its arguments.

    `f` is compiled once for arguments of one kind, as a gradient is: pass the same function each time, no new lambda.

    Raises:
        UnsupportedError: `f` does something that has no derivative here.
        GradientError: an argument is not of floats, or `f` returns nothing that is; at a call of the pullback, the
            cotangent does not fit the value.
        RuntimeError: at a call of the pullback, it was released.

    >>> import numpy as np
    >>> value, pullback = vjp(np.multiply, np.array([1.0, 2.0]), 3.0)
    >>> pullback(np.array([1.0, 10.0]))
    (array([ 3., 30.]), 21.0)
    >>> value, pullback = vjp(np.multiply, np.array([1.0, 2.0]), 3.0, lazy=True)
    >>> d_x, d_y = pullback(np.array([1.0, 10.0]))
    >>> d_x
    <thunk of the gradient with respect to x, not computed>
    >>> d_x()
    array([ 3., 30.])
    """
    chosen = tuple(i for i, x in enumerate(args) if _floats(x)) if argnums is None else _hashable(argnums)
    if chosen == ():
        raise GradientError("no argument has a float to pull back to: pass one, or name an argument in argnums")
    kept = MAX_WORKSPACES if reuse_buffers and not lazy else 0
    whole, owner = bound_to(Request(f, chosen, of=of))
    call, request = _split(_Itself(whole.function), whole.argnums, whole.of, lazy, kept)
    value, pulls = call(*owner, *args)
    positions = [chosen.index(i) if i in chosen else None for i in range(len(args))] if argnums is None else None
    return value, Pullback(pulls, request, form_of(value), positions)


def _hashable(argnums: Any) -> Any:
    return tuple(argnums) if isinstance(argnums, list) else argnums


#: The modes, with the stages that they have beside those of a gradient.
MODES: dict[str, tuple[str, ...]] = {"grad": (), "value_and_grad": (), "jvp": ("tangent",), "vjp": ("keep",)}


class Differentiable:
    """A function with its gradient. Called, it is the function, unchanged."""

    def __init__(
        self, f: Callable[..., Any], argnums: Any = 0, inline: bool = True, reuse_buffers: bool = True,
        max_workspaces: int = MAX_WORKSPACES,
    ) -> None:  # fmt: skip
        functools.update_wrapper(self, f)
        self.__wrapped__ = f
        self.argnums = _hashable(argnums)
        self.inline = inline
        self.buffers: dict[str, Any] = {"reuse_buffers": reuse_buffers, "max_workspaces": max_workspaces}
        self.last: tuple[tuple[Any, ...], dict[str, Any]] | None = None
        self._grad = grad(f, argnums, inline=inline, **self.buffers)
        self._value_and_grad = value_and_grad(f, argnums, inline=inline, **self.buffers)

    @property
    def __adc_wrapped__(self) -> Callable[..., Any]:
        return self.__wrapped__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return Differentiable(self.__wrapped__.__get__(instance, owner), self.argnums, self.inline, **self.buffers)

    def __repr__(self) -> str:
        return f"<differentiable {getattr(self.__wrapped__, '__qualname__', self.__wrapped__)}>"

    def grad(self, *args: Any, **kwargs: Any) -> Any:
        """The gradient at these arguments."""
        self.last = (args, kwargs)
        return self._grad(*args, **kwargs)

    def value_and_grad(self, *args: Any, **kwargs: Any) -> Any:
        """(value, gradient) at these arguments."""
        self.last = (args, kwargs)
        return self._value_and_grad(*args, **kwargs)

    def release(self) -> None:
        """Forget the arrays that gradients, `vjp` and `jvp` of this have kept for later calls."""
        self._grad.release()  # type: ignore[attr-defined]
        self._value_and_grad.release()  # type: ignore[attr-defined]
        release(self)

    def _build(self, mode: str, argnums: Any, signature: str | None, example: Any, inline: bool | None,
               workspaces: bool) -> Build:  # fmt: skip
        if mode not in MODES:
            raise ValueError(f"mode is one of {', '.join(map(repr, MODES))}, not {mode!r}")
        request = Request(
            self.__wrapped__,
            self.argnums if argnums is None else _hashable(argnums),
            mode == "value_and_grad",
            inline=self.inline if inline is None else inline,
            mode=mode if mode in ("jvp", "vjp") else "grad",
            max_workspaces=MAX_WORKSPACES if workspaces else 0,
        )
        if signature is not None:
            describe = from_text(request, signature)
        elif example is not None:
            request, owner = bound_to(request)
            describe = from_call(request, (*owner, *(example if isinstance(example, tuple) else (example,))), {})
        elif self.last is not None:
            request, owner = bound_to(request)
            describe = from_call(request, (*owner, *self.last[0]), self.last[1])
        else:
            describe = from_text(request, _annotations(request))
        with COMPILING:
            return build(request, describe, Lengths())

    def tape_report(self, *args: Any, **kwargs: Any) -> TapeReport:
        """What the gradient keeps of the forward sweep for these arguments, by line: how many, and how many bytes.

        >>> import numpy as np
        >>> @differentiable
        ... def f(x):
        ...     return np.sum(np.sin(np.exp(x)))
        >>> f.tape_report(np.ones(10)).bytes
        80
        """
        request, owner = bound_to(Request(self.__wrapped__, self.argnums))
        args = (*owner, *args)
        with COMPILING:
            made = build(request, from_call(request, args, kwargs), Lengths())
        return tape_report(made, args, kwargs)

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """What there is to say of the gradient at these arguments; as text, a page with a section for each.

        The function and its gradient, what is kept of the forward sweep by lines, what becomes of each argument (which
        do not matter, and why), the lines where derivatives end, and what finite differences say.

        >>> import numpy as np
        >>> @differentiable
        ... def f(x, y):
        ...     return np.sum(x * np.floor(y))
        >>> for a in f.explain(np.ones(2), np.ones(2)).arguments:
        ...     print(a.name, a.why)
        x differentiated
        y its derivative is zero: it ends in line 3
        """
        request, owner = bound_to(Request(self.__wrapped__, self.argnums))
        args = (*owner, *args)
        with COMPILING:
            made = build(request, from_call(request, args, kwargs), Lengths())
        given = request.signature.bind(*args, **kwargs)
        f = functools.partial(request.function, **given.kwargs) if given.kwargs else request.function
        try:
            error = check_grad(f, *given.args, argnums=request.argnums)
            check = f"agree along random directions, to {error:.1e}"
        except AssertionError as wrong:
            check = str(wrong)
        except GradientError as refused:  # of a keyword, which has no position
            check = f"not made: {refused}"
        return explanation(made, args, kwargs, check)

    def source(self, mode: str = "grad", argnums: Any = None, signature: str | None = None, example: Any = None,
               inline: bool | None = None, workspaces: bool = False) -> str:  # fmt: skip
        """The generated Python source, for a signature string, an example tuple of arguments, or the last call.

        `mode` is "grad", "value_and_grad", "jvp" (along tangents of `argnums`) or "vjp" (with its pullback). The plain
        form is for reading, and what runs with `reuse_buffers=False`. With `workspaces` it is the form that runs by
        default: the same statements, computing into arrays of earlier calls (docs/performance.md).

        >>> import numpy as np
        >>> @differentiable
        ... def f(w, X):
        ...     return np.sum(np.tanh(X @ w))
        >>> "t = np.tanh(X @ w)" in f.source(signature="f64[m], f64[n,m]")
        True
        >>> "p = ws.p = np.dot(X, w, ws.p)" in f.source(signature="f64[m], f64[n,m]", workspaces=True)
        True
        """
        return self._build(mode, argnums, signature, example, inline, workspaces).text

    def ir(self, stage: str = "adjoint", mode: str = "grad", argnums: Any = None, signature: str | None = None,
           example: Any = None, inline: bool | None = None, workspaces: bool = False) -> str:  # fmt: skip
        """The text of the IR after a stage (`adcompiler.compile.STAGES`; `tangent` for "jvp", `keep` for "vjp" too).

        `workspaces` is as for `source`; stages before `bufferize` are the same with and without.
        """
        if stage not in (stages := (*STAGES, *MODES.get(mode, ()))):
            raise ValueError(f"stage is one of {', '.join(stages)}, not {stage!r}")
        return self._build(mode, argnums, signature, example, inline, workspaces).text_of(stage)


def _annotations(request: Request) -> str:
    """A signature string from annotations that are strings: `def f(x: "f64[n]")`."""
    hints = getattr(request.function, "__annotations__", {})
    plain = {float: "float", int: "int", complex: "complex"}
    kinds = []
    for p in request.parameters:
        if p not in hints:
            break
        kinds.append(hints[p] if isinstance(hints[p], str) else plain.get(hints[p], ""))
    needed = [p for p in request.parameters if p not in request.source.defaults]
    if len(kinds) < len(needed) or "" in kinds:
        reason = f"the kinds of the arguments of {request.name} are not known"
        remedy = "give signature='f64[n], ...', example=(...), annotations (x: 'f64[n]'), or call the gradient first"
        raise GradientError(problem_at(request.place, reason, remedy))
    return ", ".join(kinds)


def differentiable(
    f: Callable[..., Any] | None = None, *, argnums: Any = 0, inline: bool = True, reuse_buffers: bool = True,
    max_workspaces: int = MAX_WORKSPACES,
) -> Any:  # fmt: skip
    """Decorator, bare or with options: the function, with `.grad`, `.value_and_grad`, `.release`, `.source`, `.ir`.

    The options are those of `adcompiler.grad`; `.release()` is of both gradients.

    >>> import numpy as np
    >>> @differentiable
    ... def f(x):
    ...     return np.sum(x * x)
    >>> f.grad(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    if f is None:
        return lambda g: Differentiable(g, argnums, inline, reuse_buffers, max_workspaces)
    return Differentiable(f, argnums, inline, reuse_buffers, max_workspaces)


def check_grad(f: Callable[..., Any], *args: Any, argnums: Any = None, rtol: float = 1e-5, seed: int = 0) -> float:
    """Compare the gradient of `f` with central differences along random directions, at two step sizes.

    `argnums` defaults to every argument with float leaves. Returns the largest relative difference.

    Raises:
        AssertionError: the gradient differs by more than `rtol` at both step sizes.
    """
    f = getattr(f, "__wrapped__", f) if isinstance(f, Differentiable) else f
    request = Request(f, 0)
    if argnums is None:
        argnums = tuple(n for n, x in request.named((args, {})).items() if _floats(x))
        if not argnums:
            raise GradientError(f"{request.name} has no float argument to differentiate with respect to")
    value, gradients = value_and_grad(f, argnums)(*args)
    single = isinstance(argnums, int | str)
    chosen = [argnums] if single else list(argnums)
    gradients = (gradients,) if single else gradients
    paths = [path_of(a) or (a,) if isinstance(a, str) else (a,) for a in chosen]
    rng = np.random.default_rng(seed)
    worst = 0.0
    for position, steps, g, name in _each(paths, gradients, chosen, request):
        part = functools.reduce(_item, steps, args[position])
        direction = [_random(x, rng) for x in _floats(part)]
        pairs = zip(_floats(part, g), direction, strict=True)
        exact = sum(float(np.sum(np.real(d * arrays.as_array(t, d)))) for d, t in pairs)
        errors = []
        for step in (1e-5, 1e-6):
            up, down = (
                f(*(_moved(x, direction if i == position else None, s * step, steps) for i, x in enumerate(args)))
                for s in (1, -1)
            )
            difference = float((up - down) / (2 * step))
            errors.append(float(abs(difference - exact) / max(1.0, abs(exact), abs(difference))))
        error = min(errors)
        worst = max(worst, error)
        if not error <= rtol:
            raise AssertionError(
                f"the gradient of {request.name} with respect to {name} is {exact:.10g} along a random direction; "
                f"central differences give {difference:.10g}: relative difference {error:.2g} > {rtol:g}"
            )
    return worst


def _each(paths: Any, gradients: Any, chosen: Any, request: Request) -> Iterator[tuple[int, list[Any], Any, Any]]:
    """Position, steps within the argument, gradient and name, of each that is asked for; of `*args` of each."""
    star = request.source.node.args.vararg
    for (first, *steps), g, name in zip(paths, gradients, chosen, strict=True):
        position = request.parameters.index(first) if isinstance(first, str) else first
        if star is not None and first == star.id and not steps:
            yield from ((position + k, [], part, name) for k, part in enumerate(g) if part is not None)
        else:
            yield position, steps, g, name


_ITSELF = object()


def _item(x: Any, step: Any) -> Any:
    """A part of an argument; of a gradient by an object, too, which may be a dict."""
    return getattr(x, step) if isinstance(step, Attr) and not isinstance(x, dict) else x[step]


def _floats(x: Any, like: Any = _ITSELF, around: tuple[int, ...] = ()) -> list[Any]:
    """The leaves of floats, or what is `like` them in a gradient; `around` are the objects that `x` is in."""
    if isinstance(x, np.generic) or arrays.is_array(x):
        floats = x.dtype.kind in "fc"
    elif isinstance(x, tuple | list | dict) or is_object(x):
        if id(x) in around:
            return []
        own: Any = attributes_of(x) if is_object(x) else x
        steps: Any = [Attr(k) for k in own] if is_object(x) else list(own) if isinstance(own, dict) else range(len(own))
        parts = ((own[s], _ITSELF if like is _ITSELF else _item(like, s)) for s in steps)
        return [leaf for item, other in parts for leaf in _floats(item, other, (*around, id(x)))]
    else:
        floats = isinstance(x, float | complex)
    return [x if like is _ITSELF else like] if floats else []


def _random(x: Any, rng: np.random.Generator) -> Any:
    t = rng.normal(size=np.shape(x))
    return t + 1j * rng.normal(size=np.shape(x)) if np.iscomplexobj(x) else t


def _moved(x: Any, direction: list[Any] | None, step: float, path: Sequence[Any] = ()) -> Any:
    """A copy of `x`; of what a path leads to, the float leaves are moved along `direction`, in float64."""
    left = iter(direction or [])

    def put(y: Any, path: Sequence[Any]) -> Any:
        return shifted(y, ()) if not path else _with(y, path[0], put(_item(y, path[0]), path[1:]))

    def shifted(y: Any, around: tuple[int, ...]) -> Any:
        if isinstance(y, tuple | list | dict) or is_object(y):
            if id(y) in around:
                return y
            own: Any = attributes_of(y) if is_object(y) else y
            for k in (
                [Attr(k) for k in own] if is_object(y) else list(own) if isinstance(own, dict) else range(len(own))
            ):
                y = _with(y, k, shifted(_item(y, k), (*around, id(y))))
            return y
        if not _floats(y):
            return y
        moved = y + arrays.as_array(step * next(left), y)
        if arrays.is_array(y):
            return arrays.as_array(moved, y)
        return type(y)(moved) if type(y) in (float, complex) else moved

    copied = copy.deepcopy(x) if isinstance(x, tuple | list | dict | np.ndarray) or is_object(x) else x
    return copied if direction is None else put(copied, path)


def _with(x: Any, step: Any, part: Any) -> Any:
    """`x` with another part: the same object, but for tuples."""
    if isinstance(x, tuple):
        at = x._fields.index(step) if isinstance(step, Attr) else step  # type: ignore[attr-defined]
        return like(x, [part if k == at else v for k, v in enumerate(x)])
    if isinstance(x, list | dict):
        x[step] = part
    else:
        object.__setattr__(x, step, part)
    return x


def _gradient_of(value: bool) -> Callable[..., Any]:
    """`grad(f)` written inside a function that is being compiled: the gradient is made then.

    `how` is the way in which it is compiled and keeps arrays: inside it is part of the function around.
    """

    def make(
        self: Any, node: Any, f: Any, argnums: Any = None, has_aux: Any = None, *, of: Any = None, **how: Any
    ) -> Any:
        unknown = set(how) - {"inline", "reuse", "reuse_buffers", "max_workspaces"}
        if unknown:
            raise self.refuse(node, f"this raises TypeError: there is no option {min(unknown)}", "leave it out")
        number = 0 if argnums is None else self.static(argnums, node, "argnums")
        aux = False if has_aux is None else bool(self.static(has_aux, node, "has_aux"))
        if of is not None and isinstance(f, Closure):
            raise self.refuse(node, "of= of a function that is defined inside is not supported",
                              "let it return the array, or define it at module level")  # fmt: skip
        left_in = None if of is None else self.static(of, node, "of")
        function = given_function(self, f, node)
        return Known(_callable(Request(function, _hashable(number), value, aux, of=left_in)))

    return make


def _jvp(
    self: Any, node: Any, f: Any, primals: Any, tangents: Any, argnums: Any = None, reuse_buffers: Any = None
) -> Any:
    """`jvp(f, ...)` written inside a function that is being compiled."""
    number = None if argnums is None else self.static(argnums, node, "argnums")
    if isinstance(tangents, tuple | list):
        tangents = [None if isinstance(t, Known) and t.value is None else t for t in tangents]
    moving = _moving(primals, tangents, number)
    function = given_function(self, f, node)
    request = Request(function, moving, mode="jvp")
    given = (t for t in tangents if t is not None)
    return self.gradient(request, tuple(primals), dict(zip(request.tangents.values(), given, strict=True)), node)


STRUCTURAL[jvp] = _jvp
STRUCTURAL[vjp] = pulled
STRUCTURAL[grad] = _gradient_of(False)
STRUCTURAL[value_and_grad] = _gradient_of(True)

__all__ = ["Differentiable", "check_grad", "differentiable", "grad", "jvp", "release", "value_and_grad", "vjp"]
