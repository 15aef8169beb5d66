"""`check_rule`: is a rule right, in every form in which a compiler may use it?"""

import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from rules.checked_kind import disagreement, kind_of_call
from rules.kind import KindError
from rules.overlays import check_overlay
from rules.rule import REQUIRED, Rule, find, find_method
from rules.samples import (
    arrays,
    combined,
    copied,
    finite,
    forms,
    inner,
    leaves,
    moved,
    precision,
    random_like,
    shaped_like,
    unreadable,
    zeros_of,
)  # fmt: skip
from rules.second_order import check_pullback, check_pushforward
from rules.tape import Pullbacks, fit, is_active

STEP = 1e-4
#: The forms of the arguments that are tried besides the given one, where the function takes them.
VARIANTS = ("float32", "float16", "mixed", "complex", "numbers", "scalars", "zero-dim", "empty", "broadcast", "layout",
            "uniform", "reuse")  # fmt: skip
#: How well numbers agree that are computed with so many bytes.
ROUGH = {2: 5e-2, 4: 5e-3}


def check_rule(
    function: Any,
    *args: Any,
    wrt: str | None = None,
    upto: int = 2,
    tol: float = 1e-6,
    complex: bool = True,
    skip: str = "",
    **kwargs: Any,
) -> None:
    """Check the rule of `function` (a method is named as in its rule, `"ndarray.sum"`) at `args`, `kwargs`.

    Each pullback and forward mode are compared with central differences (of fourth order, so choose points
    further than 1e-3 from a kink) and with each other, `<d, J t> == <J^T d, t>`; the derivative of each
    pullback and of forward mode, taken by the rules of what it calls, with central differences of these. Checked
    besides: the kind of the result; memory shared without `view` or `@borrows`; arguments, result and cotangent
    unmodified; that what is asked for as `Like` is not read; that a state which is kept changes nothing, in later
    calls, interleaved ones and other shapes, and that its memory is used again. Then the same in other forms: float32,
    float16, one argument narrower than the others, complex, Python numbers, NumPy scalars, 0-d and empty arrays,
    broadcasting, other memory layouts, one number for the cotangent of all elements. A form that the function
    itself refuses is left out, and one that the rule's `kind` refuses. What it cannot see: docs/custom_rules.md.

    - `wrt`: the arguments to differentiate by, separated by blanks; by default all that are float or complex
      and have a pullback.
    - `upto`: 1 leaves second derivatives out, for a rule that has none.
    - `tol`: relative.
    - `complex`: False where the rule holds for real arguments only.
    - `skip`: other forms to leave out, of VARIANTS; "reuse" is the memory of a state.

    Raises AssertionError with the rule, the derivative, both numbers and the form; ValueError for a call that
    cannot be checked.

    >>> check_rule(np.multiply, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    """
    rule = find_method(function) if isinstance(function, str) else find(function)
    assert rule is not None, f"{function!r} has no rule"
    assert not rule.why, f"{function!r} is refused: {rule.why}"
    if rule.callbacks:
        raise ValueError(f"{rule.name} takes functions, which are differentiated by a compiler: check a program that "
                         "calls it, with adcompiler.check_grad")  # fmt: skip
    left_out = set(skip.split()) | (set() if complex else {"complex"})
    if not left_out <= set(VARIANTS):
        raise ValueError(f"skip names {left_out - set(VARIANTS)}; the forms are {', '.join(VARIANTS)}")
    bound = rule.bind(tuple(map(copied, args)), {k: copied(v) for k, v in kwargs.items()})
    if wrt is not None:
        active = set(wrt.split())
    elif not rule.differentiable:
        options = {p.name for p in rule.parameters if p.default is not REQUIRED}
        active = {k for k, v in bound.items() if is_active(v)} - rule.static - options
    else:
        active = {k for k, v in bound.items() if is_active(v) and k in rule.pullbacks}
    if not active <= bound.keys() or (rule.differentiable and not active):
        raise ValueError(
            f"nothing to differentiate {rule.name} by: wrt={wrt!r}, arguments {', '.join(bound)}"
        )
    check = _Check(function, rule, frozenset(active), upto, tol, skip=frozenset(left_out))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        base = check.run(bound, "as given")
        for name, form in forms(bound, active):
            if name not in left_out:
                check.try_form(form, name, base)


# --------------------------------------------------------------------------------------------------- one form
@dataclass(frozen=True)
class _Check:
    """The checks of one rule, whatever the form of its arguments."""

    function: Any
    rule: Rule
    wrt: frozenset[str]
    upto: int
    tol: float
    #: What the forms that keep a state have left in other forms of the arguments.
    states: list[Any] = field(default_factory=list)
    skip: frozenset[str] = frozenset()

    def primal(self, bound: dict[str, Any]) -> Any:
        args, kwargs = self.rule.normal(bound)
        if isinstance(self.function, str):
            member = getattr(args[0], self.function.removeprefix("ndarray."))
            return member(*args[1:], **kwargs) if callable(member) else member
        return self.function(*args, **kwargs)

    def try_form(self, bound: dict[str, Any], form: str, base: dict[str, Any]) -> None:
        """Run the checks if the function takes this form; compare with the gradients of the base form."""
        try:
            result = self.primal(bound)
        except Exception:
            return  # the function refuses the form
        try:
            kind_of_call(self.function, self.rule, bound, result)
        except KindError:
            return  # the rule refuses it, with a reason
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            self.fail("kind", form, f"raises {type(error).__name__}: {error}", error)
        if not finite(result):
            return
        gradients = self.run(bound, form)
        if form in ("float32", "float16", "layout"):
            tol = {"float32": 5e-3, "float16": 1e-1, "layout": 1e-9}[form]
            for arg, g in gradients.items():
                self.close(g, base[arg], tol, f"d_{arg}", form, "the gradient as given")

    def run(self, bound: dict[str, Any], form: str) -> dict[str, Any]:
        """All checks on these arguments. Returns the gradients for one cotangent."""
        rng = np.random.default_rng(7)
        kept = copied(bound)
        result = self.primal(bound)
        self.unmodified({"the arguments": (bound, kept)}, "the function itself", form)
        self.shared(result, bound, self.rule.view, "the result", 'view = "..."', form)
        try:
            wrong = disagreement(kind_of_call(self.function, self.rule, bound, result), result)
        except KindError as error:
            wrong = f"NumPy computes this, and it says: {error}"
        if wrong:
            self.fail("kind", form, wrong)
        if not self.rule.differentiable:
            self.constant(bound, result, form, rng)
            return {}
        d = random_like(result, rng)
        tangents = {k: random_like(v, rng) for k, v in bound.items() if k in self.wrt}
        call = Pullbacks(self.rule, bound, result)
        gradients = {arg: self.pull(call, arg, d, form) for arg in sorted(self.wrt)}
        self.first(call, d, tangents, gradients, form)
        if self.rule.overlay is not None:
            check_overlay(self, bound, d, form, self.states)
        if self.elementwise() and "uniform" not in self.skip:
            self.uniform(call, form)
        if self.upto > 1 and form in ("as given", "complex", "numbers", "zero-dim", "broadcast"):
            for arg in sorted(self.wrt):
                check_pullback(self, call, arg, d, tangents, form)
            check_pushforward(self, call, tangents, form)
        return gradients

    def elementwise(self) -> bool:
        return isinstance(self.function, np.ufunc) and self.function.signature is None

    # ------------------------------------------------------------------------------------------ derivatives
    def pull(self, call: Pullbacks, arg: str, d: Any, form: str) -> Any:
        """The pullback of `arg`, projected; what it shares, modifies and returns is checked."""
        derivative = self.rule.pullbacks.get(arg)
        if derivative is None:
            return self.fail(f"d_{arg}", form, "it is not defined")
        kept = copied((d, call.bound, call.result))
        what = f"d_{arg}"
        raw = self.attempt(what, form, lambda: call.raw(arg, d))
        self.unmodified({"the cotangent": (d, kept[0]), "the arguments": (call.bound, kept[1]),
                         "the result": (call.result, kept[2])}, what, form)  # fmt: skip
        siblings = {w: call.projected(w[2:], d) for w in derivative.wants
                    if w[2:] in self.rule.pullbacks and w not in call.bound}  # fmt: skip
        given = call.bound | {self.rule.result: call.result, "d_" + self.rule.result: d} | siblings
        wanted = {w: given[w] for w in derivative.wants if w not in derivative.scratch}
        self.shared(
            raw, wanted, self.rule.borrows.get(arg, frozenset()), what, f"@borrows({{}}) over {what}", form
        )
        self.narrow(raw, call.bound, d, what, form)
        if derivative.like:
            again = self.attempt(what, form, lambda: call.raw(arg, d, unreadable))
            self.close(again, raw, 0.0, what, form, "with other values in what is asked for as Like,")
        return self.attempt(
            what, form, lambda: fit(raw, call.bound[arg]), f"what it returns does not fit {arg}: it"
        )

    def first(
        self, call: Pullbacks, d: Any, tangents: dict[str, Any], gradients: dict[str, Any], form: str
    ) -> None:
        double = precision(call.bound, min) > 4  # else the differences are too coarse
        zeros = {k: zeros_of(v) for k, v in call.bound.items()}
        for arg in sorted(self.wrt):
            pulled = inner(gradients[arg], tangents[arg])
            if double:
                change = self.difference(call.bound, {arg: tangents[arg]})
                self.close(pulled, inner(d, change), self.tol, f"d_{arg}", form, "central differences")
            self.forward(call, d, zeros | {arg: tangents[arg]}, pulled, double, form)
        if len(self.wrt) > 1:
            total = sum(inner(gradients[arg], tangents[arg]) for arg in sorted(self.wrt))
            self.forward(call, d, zeros | tangents, total, double, form)

    def forward(
        self, call: Pullbacks, d: Any, tangents: dict[str, Any], pulled: float, double: bool, form: str
    ) -> None:
        what = f"t_{self.rule.result}"
        if self.rule.pushforward is None:
            self.fail(what, form, "every rule has forward mode, and it is not defined")
        kept = copied((call.bound, call.result, tangents))
        pushed = self.attempt(what, form, lambda: shaped_like(call.pushed(tangents), call.result))
        self.unmodified({"its operands": ((call.bound, call.result, tangents), kept)}, what, form)
        tol = ROUGH.get(precision(call.bound, min), self.tol)
        self.close(inner(d, pushed), pulled, tol, what, form, "the pullbacks, by <d, J t> == <J^T d, t>")

    def difference(
        self, bound: dict[str, Any], tangents: dict[str, Any], f: Callable[..., Any] | None = None
    ) -> Any:
        """The derivative along `tangents` by central differences of fourth order."""
        f = f or self.primal

        def at(k: int) -> Any:
            return f(bound | {a: moved(bound[a], t, k * STEP) for a, t in tangents.items()})

        return combined([(8, at(1)), (-8, at(-1)), (-1, at(2)), (1, at(-2))], 12 * STEP)

    def uniform(self, call: Pullbacks, form: str) -> None:
        """One number stands for a cotangent that is the same for all elements."""
        if not isinstance(call.result, np.ndarray) or not call.result.size:
            return
        full = np.full_like(call.result, 1.75)
        for arg in sorted(self.wrt):
            if np.shape(call.bound[arg]) == call.result.shape:
                raw = self.attempt(f"d_{arg} of one number for all", form, partial(call.raw, arg, 1.75))
                one = fit(raw, call.bound[arg])
                self.close(one, call.projected(arg, full), {2: 2e-2, 4: 1e-4}.get(precision(call.bound, min), 1e-6),
                           f"d_{arg} of one number for all", form, "that of an array of it")  # fmt: skip

    def constant(self, bound: dict[str, Any], result: Any, form: str, rng: np.random.Generator) -> None:
        """What is called non-differentiable does not move with its arguments."""
        for arg in sorted(self.wrt):
            step = moved(bound[arg], random_like(bound[arg], rng), 1e-6)
            for a, b in zip(leaves(self.primal(bound | {arg: step})), leaves(result), strict=True):
                if is_active(a) and not np.array_equal(a, b, equal_nan=True):
                    self.fail(
                        "nondifferentiable", form, f"the result changes with {arg}, so it has a derivative"
                    )

    # -------------------------------------------------------------------------------------------- the claims
    def unmodified(self, pairs: dict[str, tuple[Any, Any]], what: str, form: str) -> None:
        for name, (now, before) in pairs.items():
            for a, b in zip(leaves(now), leaves(before), strict=True):
                if isinstance(a, np.ndarray) and (a.shape != b.shape or a.tobytes() != b.tobytes()):
                    self.fail(what, form, f"it writes into {name}")

    def shared(
        self, made: Any, given: dict[str, Any], declared: frozenset[str], what: str, how: str, form: str
    ) -> None:
        for name, value in given.items():
            if name in declared:
                continue
            for a, b in itertools.product(arrays(made), arrays(value)):
                if np.shares_memory(a, b):
                    self.fail(
                        what,
                        form,
                        f"shares memory with {name}; declare it, by {how.replace('{}', repr(name))}",
                    )

    def narrow(self, raw: Any, bound: dict[str, Any], d: Any, what: str, form: str) -> None:
        """float32 stays float32: no constant or counter in a formula widens it."""
        if precision(bound) > 4 or precision(d) > 4:
            return
        for a in arrays(raw):
            if a.dtype in (np.float64, np.complex128):
                self.fail(
                    what, form, f"returns {a.dtype} where all operands are single: the work is done in double"
                )

    # --------------------------------------------------------------------------------------------- reporting
    def attempt(self, what: str, form: str, f: Callable[[], Any], why: str = "") -> Any:
        try:
            return f()
        except AssertionError:
            raise
        except Exception as error:
            self.fail(what, form, f"{why or 'it'} raises {type(error).__name__}: {error}", error)

    def close(self, a: Any, b: Any, tol: float, what: str, form: str, other: str) -> None:
        for x, y in zip(leaves(a), leaves(b), strict=True):
            x, y = np.asarray(x), np.asarray(y)
            if x.shape != y.shape:
                self.fail(what, form, f"has shape {x.shape}, and {other} {y.shape}")
            if not x.size:
                continue
            error = np.max(np.abs(x - y))
            if not error <= tol * max(1.0, np.max(np.abs(x)), np.max(np.abs(y))):
                self.fail(what, form, f"gives {_short(x)}, and {other} {_short(y)}")

    def fail(self, what: str, form: str, text: str, cause: Exception | None = None) -> Any:
        name = self.function if isinstance(self.function, str) else getattr(self.function, "__name__", "?")
        raise AssertionError(f"rule {self.rule.name} ({name}), {what}: {text} [{form}]") from cause


def _short(x: np.ndarray) -> str:
    return np.array2string(x, precision=8, threshold=8) if x.ndim else f"{x[()]:.10g}"
