"""What `check_rule` asks of a rule that keeps a state: that nobody could tell, but by the work that is saved."""

import itertools
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rules.rule import Derivative, Overlay
from rules.samples import copied, leaves, moved, precision, random_like
from rules.tape import Pullbacks, fit, is_active, scratch


def arrays_in(x: Any, seen: set[int] | None = None) -> Iterator[np.ndarray]:
    """The arrays that an object holds: in containers, and in attributes."""
    seen = set() if seen is None else seen
    if id(x) in seen or isinstance(x, type):
        return
    seen.add(id(x))
    if isinstance(x, np.ndarray):
        yield x
        return
    items: list[Any] = list(x.values()) if isinstance(x, Mapping) else []
    items += x if isinstance(x, list | tuple | set | frozenset) else []
    if isinstance(x, types.FunctionType):
        items += [cell.cell_contents for cell in x.__closure__ or ()]
    elif not isinstance(x, types.ModuleType):
        items += vars(x).values() if hasattr(x, "__dict__") else []
    items += (getattr(x, name, None) for c in type(x).__mro__ for name in _slots(c))
    for item in items:
        yield from arrays_in(item, seen)


def _slots(c: type) -> list[str]:
    slots = vars(c).get("__slots__", ())
    return [slots] if isinstance(slots, str) else list(slots)


class Activation:
    """One call of `forward`, and the pullbacks that take the state it left."""

    def __init__(self, check: Any, bound: dict[str, Any], last: Any, form: str) -> None:
        self.check = check
        self.form = form
        self.bound = bound
        self.overlay: Overlay = check.rule.overlay
        self.plain = check.primal(bound)
        kept = copied(bound)
        given, named = self._given(self.overlay.forward, bound | {"state": last})
        made = check.attempt("forward", form, lambda: self.overlay.forward.function(*given))
        check.unmodified({"the arguments": (bound, kept)}, "forward", form)
        if not isinstance(made, tuple) or len(made) != 2:
            check.fail("forward", form, "does not return (result, state)")
        self.result, self.state = made
        _same(check, self.result, self.plain, "forward", form, "the function itself")
        self.apart(self.result, {"the state": self.state}, "the result of forward", "make a copy for one of them")
        self.apart(self.result, {k: v for k, v in bound.items() if k not in check.rule.view},
                   "the result of forward", "the result has memory of its own, or of what `view` names")  # fmt: skip
        mine = {w: x for w, x in zip(self.overlay.forward.wants, given, strict=True) if w not in named}
        self.apart(self.result, mine, "the result of forward", "the result has memory of its own")
        if self.overlay.holds is not None:
            others = {k: v for k, v in (bound | mine).items() if k not in self.overlay.holds}
            self.apart(self.state, others, "the state", "name it in @borrows over forward")

    def _given(self, derivative: Derivative, values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """What a function is called with, by position; and by name what is not its scratch."""
        of = derivative.scratch
        given = [scratch(values[of[w]]) if w in of else values[w] for w in derivative.wants]
        return given, {w: x for w, x in zip(derivative.wants, given, strict=True) if w not in of}

    def apart(self, made: Any, others: dict[str, Any], what: str, remedy: str) -> None:
        for name, other in others.items():
            for a, b in itertools.product(arrays_in(made), arrays_in(other)):
                if np.shares_memory(a, b):
                    self.check.fail(what, self.form, f"shares memory with {name}; {remedy}")

    def reuses(self, memory: list[np.ndarray]) -> None:
        """Of the same shapes and dtypes, a state lies where the last one did, or in the arguments that it may hold."""
        theirs = [*memory, *arrays_in(self.bound)]
        for a in arrays_in(self.state):
            if a.size and not any(np.shares_memory(a, b) for b in theirs):
                self.check.fail("the state", self.form, f"has a new array, {a.dtype}{list(a.shape)}; compute into that "
                                'of the state that is given, or leave this out by skip="reuse"')  # fmt: skip

    def pull(self, arg: str, d: Any) -> Any:
        """The pullback of `arg` with the state, which has to be what the pure one gives."""
        check, form, what = self.check, self.form, f"with_state_d_{arg}"
        derivative = self.overlay.pullbacks[arg]
        call = Pullbacks(check.rule, self.bound, self.plain)
        siblings = {w: call.projected(w[2:], d) for w in derivative.wants if w[2:] in check.rule.pullbacks}
        result = check.rule.result
        values = self.bound | siblings | {result: self.plain, f"d_{result}": d, "state": self.state}
        given, named = self._given(derivative, values)
        kept = copied({k: list(arrays_in(v)) for k, v in named.items()})
        raw = check.attempt(what, form, lambda: derivative.function(*given))
        now = {k: list(arrays_in(v)) for k, v in named.items()}
        check.unmodified({f"{k}, which may be read again": (now[k], kept[k]) for k in kept}, what, form)
        declared = self.overlay.borrows[arg]
        other = {k: v for k, v in named.items() if k not in declared}
        self.apart(raw, other, what, f"declare it, by @borrows over {what}")
        pure = call.raw(arg, d)
        _same(check, raw, pure, what, form, f"d_{arg}")
        return copied(fit(raw, self.bound[arg]))


def check_overlay(check: Any, bound: dict[str, Any], d: Any, form: str, states: list[Any]) -> None:
    """The checks of the forms that keep a state, at these arguments. `states` were left by calls with others."""
    overlay: Overlay = check.rule.overlay
    args = sorted(check.wrt & overlay.pullbacks.keys())
    rng = np.random.default_rng(5)
    first = Activation(check, bound, None, form)
    pulled = {arg: first.pull(arg, d) for arg in args}
    before, held = copied(first.result), copied(first.bound)
    other = Activation(check, _elsewhere(bound, rng), None, f"{form}, a second call before the first is pulled back")
    d_other = random_like(other.plain, rng)
    first.form = f"{form}, after another call"
    for arg in args:
        other.pull(arg, d_other)
        again = first.pull(arg, d)
        _same(check, again, pulled[arg], f"with_state_d_{arg}", first.form, "the same pullback, called before")
    for k, state in enumerate([first.state, *states]):
        where = f"{form}, with the state of {'other arguments' if k else 'an earlier call'}"
        memory = list(arrays_in(state))
        later = Activation(check, _elsewhere(bound, rng), state, where)
        if not k and "reuse" not in check.skip:
            later.reuses(memory)
        for arg in args:
            later.pull(arg, random_like(later.plain, rng))
    wrong = f"{form}, once its state was used again"
    check.unmodified({"what an earlier call has returned": (first.result, before)}, "forward", wrong)
    check.unmodified({"the arguments of an earlier call": (first.bound, held)}, "forward", wrong)
    states.append(other.state)
    held = Activation(check, copied(bound), None, form)
    refilled = {k: _refilled(held.bound[k], v) for k, v in _elsewhere(bound, rng).items()}
    where = f"{form}, with the arrays of an earlier call, other values in them"
    later = Activation(check, refilled, held.state, where)
    for arg in args:
        later.pull(arg, random_like(later.plain, rng))
    smaller = _smaller(bound)
    try:
        result = check.primal(smaller)
    except Exception:
        return  # the function refuses it
    last = other.state
    for at, y in ((smaller, result), (bound, first.plain)):
        resized = Activation(check, copied(at), last, f"{form}, with the state of other shapes")
        last = resized.state
        for arg in args:
            resized.pull(arg, random_like(y, rng))


def _same(check: Any, made: Any, wanted: Any, what: str, form: str, other: str) -> None:
    """The same numbers, up to rounding, in arrays of the same shapes and dtypes."""
    a, b = list(map(_described, leaves(made))), list(map(_described, leaves(wanted)))
    if a != b:
        check.fail(what, form, f"gives {', '.join(a)}, and {other} {', '.join(b)}")
    tol = max(check.tol, 1e-6) if precision(wanted) > 4 else 5e-3
    check.close(made, wanted, tol, what, form, other)


def _described(x: Any) -> str:
    return f"{x.dtype}{list(x.shape)}" if isinstance(x, np.ndarray | np.generic) else type(x).__name__


def _elsewhere(bound: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Arguments near these, of the same shapes."""
    return {k: moved(v, random_like(v, rng), 1e-3) if is_active(v) else copied(v) for k, v in bound.items()}


def _refilled(x: Any, new: Any) -> Any:
    """An array with new values: what a state holds of it has changed."""
    if isinstance(x, np.ndarray):
        x[...] = new
        return x
    return new


def _smaller(bound: dict[str, Any]) -> dict[str, Any]:
    """The arguments with every axis of every array shorter by one."""
    return {
        k: v[tuple(slice(0, max(n - 1, 1)) for n in v.shape)] if isinstance(v, np.ndarray) else v
        for k, v in bound.items()
    }
