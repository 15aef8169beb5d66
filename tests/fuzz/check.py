"""What must hold of one program: its value, its gradient, its arguments, its results.

The compiler is judged against plain Python and central differences. `Compiler` names the few entry points
that are used, so that another implementation can stand in for it.
"""

import copy
import importlib.util
import linecache
import re
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any, Literal, Protocol

import numpy as np

from ..signatures import NoSignature, signature_of
from .arguments import (
    attributes,
    held,
    in_double,
    inner,
    is_active,
    is_object,
    random_like,
    random_tangent,
    same_bits,
    size,
    spoil,
    tree_leaves,
    tree_map,
)
from .differences import Kink, against_differences, compare
from .generate import LOADED, Program
from .laws import Wrong, apart, expect_close, expect_tree, unchanged, well_formed

Function = Callable[..., Any]
Names = tuple[int | str, ...]
Class = Literal["ok", "wrong", "crash", "refused", "kink", "invalid"]

SINGLE = 1e-2  # of a gradient in float32 against float64, relative
ROUNDING = 1e-12  # of two ways to compute the same, relative
NAIVE = 3  # one program in so many is compiled without reuse of buffers too
AGAIN = 3  # and another one without arrays of earlier calls
SECONDS = 60  # before a program counts as hanging


class Compiler(Protocol):
    """The entry points of the compiler that are tested."""

    refusal: type[Exception]

    def interpret(self, f: Function, args: tuple[Any, ...], stage: str, argnums: Any = None) -> Any:
        """The result of the program's IR after a stage."""

    def value_and_grad(self, f: Function, argnums: Any, reuse: bool = True, reuse_buffers: bool = True) -> Function:
        """The compiled function; without `reuse` it writes into fresh copies alone.

        With `reuse_buffers` it computes into arrays of its earlier calls.
        """

    def jvp(self, f: Function, args: tuple[Any, ...], tangents: tuple[Any, ...], argnums: Names) -> Any:
        """(value, tangent), as the arguments named move along their tangents."""

    def vjp(
        self, f: Function, args: tuple[Any, ...], argnums: Any, lazy: bool = False, reuse_buffers: bool = True
    ) -> Any:
        """(value, pullback); with `lazy`, the gradients that the pullback gives are thunks."""

    def interpreted_jvp(
        self, f: Function, args: tuple[Any, ...], tangents: tuple[Any, ...], argnums: Names
    ) -> Any:
        """The same, by the program's IR before it is simplified."""

    def second(self, program: Program) -> str:
        """Source text for `first`, the gradient of `f` to be differentiated again, or nothing."""

    def module(self, f: Function, signature: str, argnums: Any) -> str:
        """Source text of a module with the compiled function alone."""


class Adcompiler:
    """This project."""

    def __init__(self) -> None:
        import adcompiler
        from adcompiler import compile, errors

        self.refusal: type[Exception] = errors.DifferentiationError
        self._interpret = compile.interpret
        self._value_and_grad = adcompiler.value_and_grad
        self._jvp = adcompiler.jvp
        self._vjp = adcompiler.vjp
        self._compile_module = adcompiler.compile_module

    def interpret(self, f: Function, args: tuple[Any, ...], stage: str, argnums: Any = None) -> Any:
        return self._interpret(f, args, stage=stage, argnums=argnums)

    def value_and_grad(self, f: Function, argnums: Any, reuse: bool = True, reuse_buffers: bool = True) -> Function:
        compiled: Function = self._value_and_grad(f, argnums=argnums, reuse=reuse, reuse_buffers=reuse_buffers)
        return compiled

    def jvp(self, f: Function, args: tuple[Any, ...], tangents: tuple[Any, ...], argnums: Names) -> Any:
        return self._jvp(f, args, tangents, argnums)

    def vjp(
        self, f: Function, args: tuple[Any, ...], argnums: Any, lazy: bool = False, reuse_buffers: bool = True
    ) -> Any:
        return self._vjp(f, *args, argnums=argnums, lazy=lazy, reuse_buffers=reuse_buffers)

    def interpreted_jvp(
        self, f: Function, args: tuple[Any, ...], tangents: tuple[Any, ...], argnums: Names
    ) -> Any:
        return self._interpret(f, args, stage="inline", argnums=argnums, tangents=tangents)

    def second(self, program: Program) -> str:
        return f"import adcompiler\n\nfirst = adcompiler.grad(f, argnums={program.wanted!r})\n"

    def module(self, f: Function, signature: str, argnums: Any) -> str:
        return self._compile_module(f, signatures=signature, argnums=argnums, value=True)


@dataclass(frozen=True)
class Outcome:
    """What came of one program."""

    program: Program
    kind: Class
    message: str = ""
    detail: str = ""
    second: Literal["", "ok", "refused", "kink"] = ""
    ahead: Literal["", "ok", "refused", "other"] = ""
    seconds: float = 0.0  # of CPU time

    @property
    def failed(self) -> bool:
        """Whether the compiler is at fault."""
        return self.kind in ("wrong", "crash")

    @property
    def group(self) -> str:
        """The message without names and numbers, to count alike ones together."""
        first = self.message.strip().splitlines()[0] if self.message.strip() else self.kind
        first = re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"|%\w+", "…", first)
        first = re.sub(r"\([\d, ]*\)|^\w+(?= (may|is) )|(?<=may share memory with )[^,]*(?=,)", "(…)", first)
        return re.sub(r"-?\d[\d.]*(e-?\d+)?", "N", first)[:160]


class Hanging(Exception):
    """The program did not end."""


def check(
    program: Program,
    compiler: Compiler | None = None,
    second: bool = False,
    ahead: bool = False,
    whole: bool = True,
) -> Outcome:
    """Check one program, `ahead` of time as well; never raises for a fault of the compiler.

    Without `whole` it is compiled once: its value and gradient, what it does to arguments and earlier results.
    """
    compiler = compiler or Adcompiler()
    with loaded(program, compiler.second(program) if second else "") as module, quiet(), deadline(SECONDS):
        try:
            expected = plain_value(module.f, program.arguments())
        except Exception as error:
            return Outcome(program, "invalid", f"{type(error).__name__}: {error}")
        try:
            everything(program, module, expected, compiler, whole)
            order, why = second_order(program, module, compiler) if second else ("", "")
            closed = ahead_of_time(program, module, compiler) if ahead else ""
        except compiler.refusal as error:
            return Outcome(program, "refused", reason(error), str(error))
        except Wrong as error:
            return Outcome(program, "wrong", str(error))
        except Kink as error:
            return Outcome(program, "kink", str(error))
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            message = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
            return Outcome(program, "crash", message, traceback.format_exc())
    return Outcome(program, "ok", why, second=order, ahead=closed)  # type: ignore[arg-type]


def has_right_value(program: Program, compiler: Compiler) -> bool:
    """The first law alone, which is cheap to ask: is the lowered program worth what the function is, or refused?"""
    with loaded(program) as module, quiet(), deadline(SECONDS):
        expected = plain_value(module.f, program.arguments())
        try:
            lowered = compiler.interpret(module.f, program.arguments(), "lower")
            expect_close("interpreted `lower`", lowered, expected, 1e-5 if program.single_precision else ROUNDING)
        except compiler.refusal:
            return True
        except Exception:
            return False
    return True


def plain_value(f: Function, args: tuple[Any, ...]) -> float:
    """The value of the function itself; an error where there is none to compare with."""
    value = f(*args)
    if not isinstance(value, (float, np.floating)) or not np.isfinite(value):
        raise ValueError(f"not a finite number: {value!r}")
    return value  # type: ignore[return-value]


def everything(program: Program, module: ModuleType, expected: float, compiler: Compiler, whole: bool) -> None:
    """All laws but those of second derivatives; with `whole`, those for which it is compiled anew."""
    f, argnums = module.f, program.argnums
    loose = program.single_precision
    args = program.arguments()
    pristine = program.arguments()
    module_arrays = {n: v.copy() for n, v in vars(module).items() if isinstance(v, np.ndarray)}

    lowered = compiler.interpret(f, args, "lower")
    expect_close("interpreted `lower`", lowered, expected, 1e-5 if loose else ROUNDING)
    unchanged("interpreting `lower`", args, pristine)

    compiled, before = compiler.value_and_grad(f, argnums), held(args)
    value, gradient = compiled(*args)
    unchanged("the gradient", args, pristine)
    if held(args) != before:
        raise Wrong("the gradient puts something else into an argument")
    expect_close("the value", value, expected, 1e-5 if loose else ROUNDING)
    well_formed(program, gradient, args)

    if whole:
        compiled_anew(program, module, value, gradient, compiler)

    kept = tree_map(np.copy, gradient)
    value_again, gradient_again = compiled(*args)
    unchanged("a second call", args, pristine)
    if not same_bits(tree_map(np.asarray, gradient_again), kept) or value_again != value:
        raise Wrong("a second call gives another result")
    if not same_bits(tree_map(np.asarray, gradient), kept):
        raise Wrong("a second call changes the results of the first")
    apart(tree_leaves(gradient) + tree_leaves(gradient_again), "results of two calls")
    for leaf in tree_leaves(gradient_again):
        if isinstance(leaf, np.ndarray):
            leaf[...] = 77.0
    if not same_bits(tree_map(np.asarray, compiled(*args)[1]), kept):
        raise Wrong("writing into a result changes the next call's")
    unchanged("writing into a result", args, pristine)
    for name, before in module_arrays.items():
        if not same_bits(getattr(module, name), before):
            raise Wrong(f"the module's array {name} was changed")

    if loose:
        double = in_double(args)
        exact_value, exact = compiled(*double)
        if abs(exact_value - value) > 1e-3 * (1 + abs(exact_value)):
            raise Kink("float32 takes another branch than float64")
        expect_tree("float32 against float64", gradient, exact, SINGLE, 1e-3)
        against_differences(program, f, double, exact)
    else:
        against_differences(program, f, args, gradient)
    other_sizes(program, f, compiled)


def compiled_anew(
    program: Program, module: ModuleType, value: float, gradient: Any, compiler: Compiler
) -> None:
    """The other ways to the same gradient: interpreted, without reuse, with earlier arrays, forward, split."""
    f, argnums, loose = module.f, program.argnums, program.single_precision
    args, pristine = program.arguments(), program.arguments()
    captured, captured_gradient = compiler.interpret(f, args, "capture", argnums)
    unchanged("interpreting `capture`", args, pristine)
    expect_close("interpreted `capture`, value", captured, value, 1e-5 if loose else ROUNDING)
    expect_tree("emitted against interpreted", gradient, captured_gradient, 1e-4 if loose else ROUNDING)

    if program.seed % NAIVE == 0:
        plain_buffers(program, f, (value, gradient), compiler)
        unchanged("the gradient without reuse", args, pristine)
    if program.seed % AGAIN == 1:
        earlier_arrays(program, f, compiler)
        earlier_pullbacks(program, f, compiler)
    forward_mode(program, f, value, gradient, compiler)
    split_form(program, module, value, gradient, compiler)


def forward_mode(program: Program, f: Function, value: float, gradient: Any, compiler: Compiler) -> None:
    """The tangent along random directions is the inner product of gradient and directions: <g, t>."""
    args, pristine = program.arguments(), program.arguments()
    gradients, rng = program.gradients(gradient), np.random.default_rng(abs(program.seed) + 29)
    count = len(gradients) if program.seed % 3 else 1  # some stay where they are
    tangents = tuple(random_tangent(argument, rng) for argument in program.chosen(args)[:count])
    kept = tree_map(np.copy, tangents)
    exact = [inner(g, t) for g, t in zip(gradients, tangents, strict=False)]
    scale = sum(size(g, t) for g, t in zip(gradients, tangents, strict=False))
    tolerance = (1e-4 if program.single_precision else 1e-10) * max(1.0, scale)
    runs = [("forward mode", compiler.jvp)]
    if program.seed % 4 == 0:  # it is compiled anew for that
        runs.append(("interpreted forward mode", compiler.interpreted_jvp))
    for what, run in runs:
        there, tangent = run(f, args, tangents, program.wanted[:count])
        unchanged(what, args, pristine)
        if not same_bits(tree_map(np.asarray, tangents), tree_map(np.asarray, kept)):
            raise Wrong(f"{what} changed a tangent")
        expect_close(f"the value in {what}", there, value, 1e-5 if program.single_precision else ROUNDING)
        if not abs(float(tangent) - sum(exact)) <= tolerance:
            raise Wrong(f"{what}: {tangent!r}, but the gradient gives {sum(exact)!r}")


def split_form(program: Program, module: ModuleType, value: float, gradient: Any, compiler: Compiler) -> None:
    """The pullback, called twice, gives multiples of the gradient, whatever happens in between to what was passed."""
    for lazy in (False, True) if program.seed % 3 == 1 else (False,):  # it is compiled anew for that
        pulled_back(program, module, value, gradient, compiler, lazy)


def pulled_back(
    program: Program, module: ModuleType, value: float, gradient: Any, compiler: Compiler, lazy: bool
) -> None:
    """Check one pullback; the gradients of a lazy one are asked for in the other order."""
    args, pristine = program.arguments(), program.arguments()
    there, pull = compiler.vjp(module.f, args, program.argnums, lazy)
    pullback = (lambda cotangent: forced(pull(cotangent))) if lazy else pull
    unchanged("the forward part of vjp", args, pristine)
    expect_close("the value of vjp", there, value, 1e-5 if program.single_precision else ROUNDING)
    arrays = [leaf for leaf in [*tree_leaves(args), *vars(module).values()] if isinstance(leaf, np.ndarray)]
    before = [leaf.copy() for leaf in arrays]
    for leaf in arrays:
        leaf[...] = 77
    spoil(args)
    tolerance = 1e-4 if program.single_precision else 1e-10
    results = []
    for cotangent in (1.0, -0.5, 1.0):
        results.append(pullback(cotangent))
        well_formed(program, results[-1], args)
        scaled = tree_map(lambda g, by=cotangent: None if g is None else g * by, gradient)
        expect_tree(f"the pullback of {cotangent}", results[-1], scaled, tolerance)
        for leaf in tree_leaves(results[-1]):
            if isinstance(leaf, np.ndarray) and len(results) > 1:
                leaf[...] = 55
    apart([leaf for result in results for leaf in tree_leaves(result)], "results of two pullbacks")
    for leaf, old in zip(arrays, before, strict=True):
        leaf[...] = old


def earlier_pullbacks(program: Program, f: Function, compiler: Compiler) -> None:
    """Pullbacks for two sets of arguments, some alive at once, give the bits that they give without earlier arrays.

    Where there is a difference of rounding it is asked again as in `plain_buffers`, for the reasons given there.
    """
    if not pulled_alternately(program, f, compiler, lambda args: args) and not turns(program):
        if not pulled_alternately(program, anew(f), compiler, plainest):
            raise Wrong("arrays of earlier pullbacks change the result")


def pulled_alternately(program: Program, f: Function, compiler: Compiler, made: Callable[[Any], Any]) -> bool:
    """Are results the same to the bit without arrays of earlier calls? More than rounding raises Wrong."""
    same, alive, found = True, [], []
    tolerance = 1e-4 if program.single_precision else 1e-9
    for seed in (0, 1, 0, 1):
        args, others = (made(program.arguments(seed)) for _ in range(2))
        try:
            value, plain = compiler.vjp(f, others, program.argnums, reuse_buffers=False)
        except Exception as error:  # the second arguments may be no arguments for the program
            with suppress(type(error)):
                compiler.vjp(f, args, program.argnums)
                raise Wrong(f"vjp with arrays of earlier calls: {error!r} is not raised") from error
            continue
        again, pullback = compiler.vjp(f, args, program.argnums)
        expect_close("the value of a later vjp", again, value, tolerance)
        alive = [(plain, pullback), *alive[:1]]
        for one, other in alive:
            found.append((other(0.5), one(0.5)))
            expect_tree("a later pullback", *found[-1], tolerance)
            same = same and same_bits(*(tree_map(np.asarray, x) for x in found[-1]))
    for one, other in found:
        expect_tree("what an earlier pullback has given", one, other, tolerance)
    apart([leaf for one, _ in found for leaf in tree_leaves(one)], "results of pullbacks")
    return same


def forced(thunks: Any) -> Any:
    """The gradients, the last one first."""
    return tuple(thunk() for thunk in thunks[::-1])[::-1] if isinstance(thunks, tuple) else thunks()


def plain_buffers(program: Program, f: Function, found: Any, compiler: Compiler) -> None:
    """What is written in place changes no bit.

    Where the two differ by rounding the law is asked again of double precision in C order. NumPy adds the elements of
    an array in the order in which they lie in memory, and a sum in a new array need not lie as one in place does; and
    the kind of a number that is now double, now single (`0.3 if c else x[0]`) is the wider one, so that a new array may
    be double where the one that is written is not.
    """
    naive, reused = (compiler.value_and_grad(f, program.argnums, reuse=reuse) for reuse in (False, True))
    args = program.arguments()
    plain = naive(*args)
    if same_bits(tree_map(np.asarray, plain), tree_map(np.asarray, found)):
        return
    what = "reuse of buffers changes the result"
    expect_tree(what, found, plain, 1e-5 if program.single_precision else ROUNDING)
    if turns(program):
        return
    again = plainest(args)
    if not same_bits(tree_map(np.asarray, naive(*again)), tree_map(np.asarray, reused(*again))):
        raise Wrong(what)


def turns(program: Program) -> bool:
    """Are there arrays that do not lie in memory as C has them, whatever the arguments are?"""
    return any(word in program.source for word in (".T", "transpose", "swapaxes", "einsum", "rot90"))


def anew(f: Any) -> Function:
    """The same function, of which nothing is compiled yet: there are no arrays of it in another layout."""
    same = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    same.__kwdefaults__ = f.__kwdefaults__
    return same


def plainest(args: Any) -> Any:
    """A copy in double precision and C order."""
    return tree_map(lambda leaf: np.array(leaf, order="C") if isinstance(leaf, np.ndarray) else leaf, in_double(args))


def earlier_arrays(program: Program, f: Function, compiler: Compiler) -> None:
    """Calls with two sets of arguments in turn give the bits that they give without arrays of earlier calls.

    Where there is a difference of rounding it is asked again as in `plain_buffers`, for the reasons given there.
    """
    if not alternating(program, f, compiler, lambda args: args) and not turns(program):
        if not alternating(program, f, compiler, plainest):
            raise Wrong("arrays of earlier calls change the result")


def alternating(program: Program, f: Function, compiler: Compiler, made: Callable[[Any], Any]) -> bool:
    """Are results the same to the bit without arrays of earlier calls? More than rounding raises Wrong."""
    plain, pooled = (compiler.value_and_grad(f, program.argnums, reuse_buffers=reuse) for reuse in (False, True))
    same, results, kept = True, [], []
    for seed in (0, 1, 0):
        args, other, pristine = (made(program.arguments(seed)) for _ in range(3))
        try:
            expected = plain(*other)
        except Exception as error:  # the second arguments may be no arguments for the program
            with suppress(type(error)):
                pooled(*args)
                raise Wrong(f"arrays of earlier calls: {error!r} is not raised") from error
            continue
        found = pooled(*args)
        unchanged("the gradient with arrays of earlier calls", args, pristine)
        if all(np.all(np.isfinite(leaf)) for leaf in tree_leaves(expected) if leaf is not None):
            what = "arrays of earlier calls change the result"
            expect_tree(what, found, expected, 1e-5 if program.single_precision else ROUNDING)
            same = same and same_bits(tree_map(np.asarray, found), tree_map(np.asarray, expected))
        results.append(found)
        kept.append(copy.deepcopy(found))
    if not same_bits(tree_map(np.asarray, results), tree_map(np.asarray, kept)):
        raise Wrong("a later call with other arguments changes the results of an earlier one")
    apart(tree_leaves(results), "results of three calls")
    return same


def other_sizes(program: Program, f: Function, compiled: Function) -> None:
    """The same compiled function, for arguments of other sizes."""
    args, pristine = (program.arguments(1, program.other_sizes) for _ in range(2))
    if program.single_precision:
        args, pristine = in_double(args), in_double(pristine)
    try:
        expected = plain_value(f, copy.deepcopy(args))
    except Exception:
        return  # the program needs longer arrays
    value, gradient = compiled(*args)
    unchanged("the gradient at other sizes", args, pristine)
    expect_close("the value at other sizes", value, expected, ROUNDING)
    well_formed(program, gradient, args)
    against_differences(program, f, args, gradient, joint=1, single=False)


def second_order(program: Program, module: ModuleType, compiler: Compiler) -> tuple[str, str]:
    """The gradient of a projection of the gradient, against differences: what came of it, and why."""
    if not hasattr(module, "projection") or program.single_precision:
        return "", ""
    args = program.arguments()
    rng = np.random.default_rng(abs(program.seed) + 5)
    directions = random_like(program.chosen(args), rng)
    module.directions = [leaf for leaf in tree_leaves(directions) if leaf is not None]  # type: ignore[attr-defined]
    compiled = compiler.value_and_grad(module.f, program.wanted)
    try:
        value, gradient = compiler.value_and_grad(module.projection, program.wanted)(*args)
    except compiler.refusal as error:
        return "refused", reason(error)
    expect_close("projected gradient", value, inner(compiled(*args)[1], directions), 1e-9)
    if not all(np.all(np.isfinite(leaf)) for leaf in tree_leaves(gradient)):
        raise Wrong("second derivative: not finite")
    direction = random_like(program.chosen(args), rng)

    def projected(*there: Any) -> float:
        return inner(compiled(*there)[1], directions)

    with suppress(Kink):
        compare(program.along(projected, args, direction), inner(gradient, direction), "second derivative")
        return "ok", ""
    return "kink", ""


def ahead_of_time(program: Program, module: ModuleType, compiler: Compiler) -> str:
    """The function in a module of its own gives the same bits: what came of it.

    A module reads no arrays from outside, so that it is no fault where one is "refused". And what is compiled from
    kinds may assume other lengths than what is compiled from these very arguments: "other" where they do not fit.
    """
    args = program.arguments()
    try:
        text = compiler.module(module.f, signature_of(args), program.argnums)
    except (compiler.refusal, NoSignature):
        return "refused"
    names: dict[str, Any] = {"__name__": "ahead"}
    exec(compile(text, "<ahead of time>", "exec"), names)
    try:
        got = names[names["__all__"][0]](*args)
    except TypeError as error:
        if "was not compiled for" not in str(error):
            raise
        return "other"
    unchanged("the gradient ahead of time", args, program.arguments())
    plain = compiler.value_and_grad(module.f, program.argnums, reuse_buffers=False)  # as the module's code is
    if not same_bits(got, plain(*args)):
        raise Wrong("ahead of time: another result than compiled for the call")
    return "ok"


def projection(program: Program) -> str:
    """Source text for a number made of all that `first` returns."""
    names = [p.name for p in program.parameters if not p.omitted]
    args = program.arguments()
    terms: list[str] = []

    def visit(text: str, tree: Any) -> None:
        if isinstance(tree, dict):
            for key in tree:
                visit(f'{text}["{key}"]', tree[key])
        elif is_object(tree):
            for key, item in attributes(tree).items():
                visit(f"{text}.{key}" if is_dataclass(tree) else f'{text}["{key}"]', item)
        elif isinstance(tree, (tuple, list)):
            for i, item in enumerate(tree):
                visit(f"{text}[{i}]", item)
        elif is_active(tree):
            terms.append(f"np.sum({text} * directions[{len(terms)}])")

    for i, argument in enumerate(program.chosen(args)):
        visit(f"gradients[{i}]", argument)
    lines = [
        f"def projection({', '.join(names)}):",
        f"    gradients = first({', '.join(names)})",
        f"    return {' + '.join(terms)}",
    ]
    return "\n".join(lines) + "\n"


def reason(error: Exception) -> str:
    """Why a program was refused: the first problem's sentence, if there is one."""
    problems = getattr(error, "problems", None)
    return str(problems[0].reason) if problems else f"{type(error).__name__}: {error}"


# running programs


@contextmanager
def loaded(program: Program, second: str = "") -> Iterator[ModuleType]:
    """The program as a module with a source file, for as long as the context lasts."""
    source = program.source
    if second:
        source += f"\n\n{second}\n\n{projection(program)}"
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        name = f"fuzz_program_{abs(program.seed)}"
        path = Path(folder) / f"{name}.py"
        path.write_text(source)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
            LOADED[program.source] = vars(module)
            yield module
        finally:
            sys.modules.pop(name, None)
            LOADED.pop(program.source, None)
            linecache.cache.pop(str(path), None)


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings: overflow and the like are the program's own affair."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@contextmanager
def deadline(seconds: int) -> Iterator[None]:
    """Raise Hanging in the block after so many seconds of this process, where the platform has such alarms."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise Hanging(f"not done after {seconds} s")

    try:
        before = signal.signal(signal.SIGPROF, ring)
    except (AttributeError, ValueError):  # no such signal here, or not the main thread
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def differences_alone(program: Program) -> Outcome:
    """Only that differences at two step sizes agree: a test of the generator, with no compiler."""
    with loaded(program) as module, quiet(), deadline(SECONDS):
        try:
            args = in_double(program.arguments())
            plain_value(module.f, args)
        except Exception as error:
            return Outcome(program, "invalid", f"{type(error).__name__}: {error}")
        rng = np.random.default_rng(abs(program.seed) + 17)
        along = program.along(module.f, args, random_like(program.chosen(args), rng))
        step = 1e-6
        slope = (along(step) - along(-step)) / (2 * step)
        try:
            compare(along, slope, "differences")
        except Wrong as error:
            return Outcome(program, "wrong", str(error))
        except Kink as error:
            return Outcome(program, "kink", str(error))
    return Outcome(program, "ok")
