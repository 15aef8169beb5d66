"""`try`: what raises, and is caught, is a branch. Its handler goes on from what the names are where it raises.

try:
    L = np.linalg.cholesky(A)                          %raised = raised_by((LinAlgError,), np.linalg.cholesky, %A)
    y = np.sum(L)                          ->          %y = if %raised { %r = np.sum(%A); yield %r }
except np.linalg.LinAlgError:                                  else { %L = cholesky(%A); %s = np.sum(%L); yield %s }
    y = np.sum(A)

What cannot raise what is caught leaves no trace. A function that is called in a `try` returns which handler gets what
it raises, beside its value.
"""

import itertools
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from adcompiler.frontend.calls import Calls
from adcompiler.frontend.desugar import hint
from adcompiler.frontend.joins import DIVERGES, Diverges, Returned
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.loops import inner_statements
from adcompiler.frontend.scope import Frame, Maybe, Poison
from adcompiler.frontend.trying import Attempt
from adcompiler.frontend.walk import held_leaves
from adcompiler.frontend.words import SYMBOLS
from adcompiler.ir.build import infer, kind_of_operand
from adcompiler.ir.core import UNDEF, If, Region, Value, raise_
from adcompiler.ir.printer import target_name
from rules.cotangent import appended, update, without_last
from rules.exceptions import error_of, outcome, raised_by, which
from rules.kind import ONE, Array, Num, Opaque, Seq
from rules.libraries import hashable, home
from rules.rule import OPERATORS, find

Classes = tuple[type[BaseException], ...]
_SOLVERS = ("cholesky", "inv", "solve", "eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals", "lstsq", "pinv",
            "matrix_rank", "cond", "matrix_power", "tensorinv", "tensorsolve")  # fmt: skip
_FAILING = {getattr(np.linalg, n): (np.linalg.LinAlgError,) for n in _SOLVERS if hasattr(np.linalg, n)}
_DIVISIONS = (operator.truediv, operator.floordiv, operator.mod)
_CHANGES = (update, appended, without_last)


@dataclass(eq=False)
class Attempted:
    """A statement that is being lowered in a `try`.

    `catches` are the classes of the handlers that get what it raises, the innermost first. A region of None: what it
    raises is not followed. `done` are the results of the calls in it that have been lowered with what they may raise.
    `reads` are the names that have been read, with what they denoted, `starts` how many before each call around, and
    `changed` is one that a call has changed after that.
    """

    catches: tuple[Classes, ...]
    region: Region | None = None
    needs_error: bool = False
    done: list[Any] = field(default_factory=list)
    calls: int = 0
    passed: int = 0
    seen: int = 0
    mark: int = 0
    reads: list[tuple[Frame, str, list[Any]]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    changed: str = ""


class Raises(Exception):
    """What is being lowered raises, or may: `code` says which handler gets it, counted from 1."""

    def __init__(self, attempt: Attempted, code: Any, error: Any) -> None:
        super().__init__(attempt)
        self.attempt, self.code, self.error = attempt, code, error


class Exceptions(Calls):
    """Lowers what is caught."""

    # ------------------------------------------------------------------------------------- statements
    def statement(self, node: Any, rest: list[Any]) -> Any:
        """Lower one statement; how it ends."""
        raise NotImplementedError

    def stmt_Raise(self, node: Any, rest: list[Any]) -> Diverges:
        raise NotImplementedError

    def stmt_Attempts(self, node: Any, rest: list[Any]) -> Any:
        catches = self.catches(node.attempt)
        needs_error = self.needs_error(node.attempt)
        return self.attempted_from(node, 0, Attempted(catches, needs_error=needs_error), rest)

    def attempted_from(self, node: Any, first: int, a: Attempted, rest: list[Any]) -> Any:
        """The statements from one on, which has been found to raise so far as `a` says, and what follows them."""
        for k in range(first, len(node.body)):
            found = self.attempted_statement(node.body[k], a)
            if isinstance(found, Raises):
                return self.raised_in(node, k, a, found, rest)
            if found is not None:
                return found
            a = Attempted(a.catches, needs_error=a.needs_error)
        if not _returns(node):
            return self.block(node.orelse)
        return self.block([*node.orelse, *rest]) or Returned(Known(None))

    def attempted_statement(self, s: Any, a: Attempted) -> Any:
        """Lower one statement; how it ends, or what it raises."""
        a.region, a.calls, a.seen, a.mark = self.builder.region, 0, 0, len(self.builder.region.ops)
        a.reads, a.starts, a.changed = [], [], ""
        self.attempts.append(a)
        depth = len(self.attempts)
        try:
            if isinstance(s, gast.Raise):
                return self.raised_at(s, a)
            return self.statement(s, [])
        except Raises as found:
            if found.attempt is not a:
                raise
            return found
        finally:
            del self.attempts[depth - 1 :]

    def raised_in(self, node: Any, k: int, a: Attempted, found: Raises, rest: list[Any]) -> Any:
        """Go on where a statement raises, or on both paths where it may."""
        flag, frame, cond = node.attempt.raised, self.frame, self.asked(found.code)
        if a.changed and not isinstance(found.code, Known):  # the statement will be lowered again
            reason = f"{a.changed} is read before a call that changes it, in a statement that may raise what is caught"
            raise self.refuse(node.body[k], reason, "make the call in a statement of its own")
        if isinstance(found.code, Known):
            self.note_raised(node.attempt, a, found)
            return self.block(node.jump)
        returns = _returns(node)
        after = rest if returns else []
        never_again = True

        def raised() -> Any:
            self.note_raised(node.attempt, a, found)
            self.surely |= {found.code, cond}
            try:
                return ended(self.block([*node.jump, *after]))
            finally:
                self.surely -= {found.code, cond}

        def others() -> Any:
            nonlocal never_again
            status = self.attempted_from(node, k, a, rest)
            before = frame.env.get(flag)
            never_again = isinstance(before, Known) and not before.value and not node.attempt.passed
            return ended(status)

        def ended(status: Any) -> Any:
            if isinstance(status, Diverges):
                return DIVERGES
            if returns:
                return status.value if isinstance(status, Returned) else Known(None)
            return Known(None)

        joined = self.fork(cond, raised, others, self.loc(node.body[k]), statement=True)
        if joined is DIVERGES:
            return DIVERGES
        if never_again and not returns and not node.attempt.passed:
            self.frame.env[flag] = cond if len(a.catches) == 1 else found.code
        return Returned(joined) if returns else None

    def asked(self, code: Any) -> Any:
        """The condition by which a number of this kind is none."""
        op = self.defs.get(code)
        if isinstance(op, If) and code in op.results:
            k = op.results.index(code)
            yes, no = (side.results[k] for side in op.regions)
            if isinstance(yes, int) and yes and isinstance(no, int) and not no:
                return op.cond
        return code

    def note_raised(self, attempt: Attempt, a: Attempted, found: Raises) -> None:
        """Set the flags that say which handler goes on, and what it catches."""
        own = len(attempt.types) if attempt.types is not None else len(a.catches)
        code = found.code
        if own == len(a.catches):
            self.frame.env[attempt.raised] = code
        elif isinstance(code, Known):
            self.frame.env[attempt.raised] = Known(code.value if code.value <= own else 0)
            self.frame.env[attempt.passed] = Known(max(code.value - own, 0))
        else:
            mine = self.emit(operator.le, code, Known(own))
            loc = self.builder.loc or self.loc(self.frame.here)
            self.frame.env[attempt.raised] = self.fork(mine, lambda: code, lambda: Known(0), loc)
            beyond = self.emit(operator.sub, code, Known(own))
            self.frame.env[attempt.passed] = self.fork(mine, lambda: Known(0), lambda: beyond, loc)
        if a.needs_error and found.error is not None:
            self.frame.env[attempt.error] = found.error

    def catches(self, attempt: Attempt) -> tuple[Classes, ...]:
        """The classes that the handlers of a `try` catch, then those of the ones around it."""
        if attempt.types is None:
            return self.frame.catches or ()
        own = tuple(self.caught_classes(t) for t in attempt.types)
        return own + (self.catches(attempt.outer) if attempt.outer is not None else ())

    def needs_error(self, attempt: Attempt) -> bool:
        if attempt.types is None:
            return self.frame.needs_error
        return attempt.needs_error or (attempt.outer is not None and self.needs_error(attempt.outer))

    def caught_classes(self, node: Any) -> Classes:
        if node is None:
            return (BaseException,)
        found = self.static(self.expr(node), node, "what `except` catches", "name the classes of exceptions")
        found = found if isinstance(found, tuple) else (found,)
        if not all(isinstance(c, type) and issubclass(c, BaseException) for c in found):
            raise self.refuse(node, "`except` names what is no class of exceptions", "name the classes of exceptions")
        return found

    def raised_at(self, s: Any, a: Attempted) -> Any:
        """A `raise` in a `try`."""
        d = self.expr(s.exc) if s.exc is not None else None
        if isinstance(d, Known) and isinstance(d.value, type):
            d = self.call(d, (), {}, s.exc)
        d = d.value if isinstance(d, Maybe) else d
        if d is UNDEF:
            raise self.refuse(s, "what is raised again here is not known when compiling", "name the exception")
        cls = self.class_raised(d)
        if cls is not None or not a.catches:
            found = next((k for k, group in enumerate(a.catches, 1) if issubclass(cls or BaseException, group)), 0)
            return Raises(a, Known(found), d) if found else self.stmt_Raise(s, [])
        if a.passed:  # on the path on which none of them catches it
            self.builder.effect(raise_, self.operand(d))
            return DIVERGES
        a.passed = 1
        code = self.builder.call(which, a.catches, self.operand(d), kind=Num(int), hint="raised")
        self.defs[code] = self.builder.region.ops[-1]
        return Raises(a, code, d)

    def class_raised(self, d: Any) -> type[BaseException] | None:
        """The class of an exception, if it is known."""
        d = d.value if isinstance(d, Maybe) else d
        if isinstance(d, Known):
            return d.value if isinstance(d.value, type) else type(d.value)
        op = self.defs.get(d) if isinstance(d, Value) else None
        return op.target if op is not None and isinstance(op.target, type) else None

    def check_uncaught(self, raised: Any, node: Any) -> None:
        """Refuse a `raise` within an expression, whose exception may be caught around it."""
        cls, catches = self.class_raised(raised), [group for a in self.attempts for group in a.catches]
        if catches and (cls is None or any(issubclass(cls, group) for group in catches)):
            raise self.uncertain("what is raised here is caught around it")

    # ------------------------------------------------------------------------------------- what may raise
    def related(self, classes: Classes) -> Attempted | None:
        """The statement that is being lowered, if exceptions of these classes may be caught; None if they are not."""
        for a in reversed(self.attempts):
            if any(self.related_to(classes, group) for group in a.catches):
                if a is not self.attempts[-1]:
                    raise self.uncertain(f"{classes[0].__name__} may be raised here, and is caught around it")
                return a
        return None

    @contextmanager
    def unfollowed(self, node: Any) -> Iterator[None]:
        """Refuse what may be raised within, if the `try` around a statement catches it."""
        attempt = getattr(node, "attempt", None)
        if attempt is None:
            yield
            return
        self.attempts.append(Attempted(self.catches(attempt)))
        depth = len(self.attempts)
        try:
            yield
        finally:
            del self.attempts[depth - 1 :]

    def check_raises(self, target: Any, operands: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise Raises where an operation may raise what is caught."""
        classes = may_raise(target, operands, self.env)
        a = self.related(classes) if classes else None
        if a is None:
            return
        name = "an index" if target is operator.getitem else SYMBOLS.get(target) or target_name(target)
        if a.region is not self.builder.region:
            raise self.uncertain(f"{name} may raise {classes[0].__name__} here, which is caught")
        a.seen += 1
        if a.seen <= a.passed:
            return
        a.passed += 1
        self.check_unchanged(a, name)
        attempts, self.attempts = self.attempts, []
        try:
            if target in _DIVISIONS and len(a.catches) == 1 and not a.needs_error:
                raise Raises(a, self.emit(operator.eq, operands[1], Known(0)), None)
            given = {k: self.operand(v) for k, v in kwargs.items()}
            groups = tuple(g if self.related_to(classes, g) else () for g in a.catches)
            if a.needs_error:
                kinds: Any = (Num(int), Opaque("exception"))
                code, error = self.builder.call(error_of, groups, target, *operands, kind=kinds, **given)
                self.defs[error] = self.builder.region.ops[-1]
            else:
                code, error = self.builder.call(raised_by, groups, target, *operands, kind=Num(int), **given), None
            self.defs[code] = self.builder.region.ops[-1]
            code.hint = "raised"
            raise Raises(a, code, error)
        finally:
            self.attempts = attempts

    def related_to(self, classes: Classes, group: Classes) -> bool:
        return any(issubclass(c, h) or issubclass(h, c) for c in classes for h in group)

    def uncertain(self, reason: str) -> Exception:
        loc = self.builder.loc or self.loc(self.frame.here)
        return self.refuse(loc, reason, "make it a statement of its own in the `try`, outside of comprehensions and "
                           "conditional expressions")  # fmt: skip

    def check_unchanged(self, a: Attempted, name: str) -> None:
        """Refuse what may raise after the same statement has done something that would be done again."""
        for op in self.builder.region.ops[a.mark :]:
            if op.effect or op.target in _CHANGES:
                loc = self.builder.loc or self.loc(self.frame.here)
                raise self.refuse(loc, f"{name} may raise after this statement has changed or printed something",
                                  "write two statements")  # fmt: skip

    def raise_here(self, cls: type[BaseException], *args: Any) -> None:
        """Raise Raises if an exception of this class, which is surely raised here, is caught."""
        a = self.attempts[-1] if self.attempts else None
        if a is None or a.region is not self.builder.region:
            return
        for k, group in enumerate(a.catches, 1):
            if issubclass(cls, group):
                error = self.builder.call(cls, *args, kind=Opaque(cls.__name__)) if a.needs_error else None
                if error is not None:
                    self.defs[error] = self.builder.region.ops[-1]
                raise Raises(a, Known(k), error)

    def attempted_call(self, lower: Callable[[Any], Any]) -> Any:
        """A call in a `try` of a function whose body is lowered with what it may raise: the value that it returns.

        `lower` does that, and gives the denotation of the pair, with what is raised.
        """
        a = self.attempts[-1]
        a.calls += 1
        if a.calls <= len(a.done):
            return a.done[a.calls - 1]
        before = a.reads[: a.starts[-1]] if a.starts else list(a.reads)
        self.attempts.append(Attempted(a.catches))
        try:
            pair, error = lower(a)
        finally:
            self.attempts.pop()
        a.changed = a.changed or next((hint(n) for f, n, seen in before if differs(f.env.get(n), seen)), "")
        if isinstance(pair, Poison) or not isinstance(pair, tuple):  # what it does is refused
            return pair if isinstance(pair, Poison) else Poison(reported=True)
        code, value = pair
        if isinstance(code, Known) and code.value:
            raise Raises(a, code, error)
        a.done.append(value)
        a.mark = len(self.builder.region.ops)
        if isinstance(code, Known):
            return value
        raise Raises(a, code, error)

    def note_read(self, frame: Frame, name: str) -> None:
        self.attempts[-1].reads.append((frame, name, list(held_leaves(frame.env[name]))))

    def attempted_opaque(self, f: Any, args: Any, kwargs: Any) -> Any:
        """A call in a `try` that the compiler cannot see into: its result, where it raises nothing that is caught."""
        a = self.attempts[-1]
        if a.region is not self.builder.region:
            raise self.uncertain(f"{target_name(f)} may raise here, and what it raises is caught")
        a.calls += 1
        if a.calls <= len(a.done):
            return a.done[a.calls - 1]
        self.check_unchanged(a, target_name(f))
        kinds = (Num(int), Opaque("exception"), Opaque("object"))
        results = [
            Value(kind, hint, self.builder.loc) for kind, hint in zip(kinds, ("raised", "error", ""), strict=True)
        ]
        self.builder.effect(outcome, a.catches, f, *map(self.operand, args),
                            **{k: self.operand(v) for k, v in kwargs.items()})  # fmt: skip
        op = self.builder.region.ops[-1]
        op.results = results
        self.defs.update(dict.fromkeys(results, op))
        code, error, value = results
        a.done.append(value)
        a.mark = len(self.builder.region.ops)
        raise Raises(a, code, error)


def differs(d: Any, seen: list[Any]) -> bool:
    """Is a name made of something else than it was?"""
    now = list(held_leaves(d))
    return len(now) != len(seen) or any(x is not y for x, y in zip(now, seen, strict=True))


def _returns(node: Any) -> bool:
    """May the function return in what follows these statements?"""
    return any(isinstance(s, gast.Return) for s in inner_statements(node.orelse))


def may_raise(target: Any, operands: tuple[Any, ...], env: Any) -> Classes:
    """What an operation may raise; of ranks nothing, since these are known when compiling."""
    if hashable(target) and target in _FAILING:
        return _FAILING[target]
    if target in _DIVISIONS or target is operator.pow:
        kinds = [kind_of_operand(x) for x in operands]
        if not all(isinstance(k, Num) and k.python for k in kinds):
            return ()
        if target is operator.pow:
            plain = isinstance(operands[1], int | float) and 0 <= operands[1] <= 3
            return () if plain else (ZeroDivisionError, OverflowError)
        return () if isinstance(operands[1], int | float) and operands[1] else (ZeroDivisionError,)
    if target is operator.getitem:
        index = operands[1]
        base = kind_of_operand(operands[0])
        if isinstance(base, Array | Seq) and _numbers(index, base, env):
            return (IndexError,)
    if target is int and operands and isinstance(operands[0], Value):
        kind = operands[0].kind
        return (ValueError, OverflowError) if kind.dtype.kind == "f" else ()
    module = home(target) or ""
    if module.split(".")[0] == "math":
        return (ValueError, OverflowError)
    rule = find(target)
    if rule is not None and rule.where.split(".")[0] != "rules":
        return (Exception,)
    if module.startswith("scipy.") and module.split(".")[1] not in ("special", "fft", "stats", "ndimage"):
        return (np.linalg.LinAlgError, ValueError, RuntimeError)
    return _may_misfit(target, rule.name if rule is not None else "", operands, env)


def _may_misfit(target: Any, name: str, operands: tuple[Any, ...], env: Any) -> Classes:
    """What NumPy raises where lengths do not agree, as far as it is not known when compiling that they do."""
    kinds = [kind_of_operand(x) for x in operands if isinstance(x, Value)]
    arrays = [k for k in kinds if isinstance(k, Array) and k.ndim]
    shapes = [k.shape for k in arrays]
    if (
        target in OPERATORS
        and target not in (operator.getitem, operator.matmul)
        or isinstance(target, np.ufunc)
        or name in ("where", "clip")
    ):
        misfit = any(not _broadcast(a, b, env) for a, b in itertools.combinations(shapes, 2))
    elif name in ("matmul", "dot", "vdot", "inner") and len(arrays) == 2:
        a, b = shapes
        misfit = not env.same(a[-1], b[-1] if name in ("vdot", "inner") else b[max(len(b) - 2, 0)])
    elif name in ("stack", "concatenate", "vstack", "hstack", "column_stack") and isinstance(operands[0], list | tuple):
        parts = [k.shape for k in map(kind_of_operand, operands[0]) if isinstance(k, Array)]
        pairs = [(m, n) for a, b in itertools.pairwise(parts) for m, n in zip(a, b, strict=False)]
        misfit = any(not env.same(m, n) for m, n in pairs) and not (name == "concatenate" and len(parts[0]) == 1)
    elif name in ("max", "min", "argmax", "argmin", "ptp"):
        misfit = any(env.at_least(n, 1) is not True for a in shapes for n in a)
    elif name in ("largest", "smallest"):
        misfit = True
    elif name in ("reshape", "split", "broadcast_to", "resize"):
        misfit = bool(arrays) and not (name == "reshape" and operands[1] in (-1, (-1,), (-1, 1), (1, -1)))
    elif target is update and operands[2] == "set" and len(arrays) == 2:
        place = infer(operator.getitem, (operands[0], operands[1][0]), {}) if operands[1][0] != "T" else None
        misfit = not isinstance(place, Array) or not _broadcast(place.shape, arrays[-1].shape, env)
    elif target is operator.getitem:
        index = operands[1] if isinstance(operands[1], tuple) else (operands[1],)
        gathers = any(isinstance(getattr(i, "kind", None), Array) and i.kind.dtype.kind in "iu" for i in index)
        return (IndexError,) if gathers and arrays else ()
    else:
        return ()
    return (ValueError,) if misfit else ()


def _broadcast(a: Any, b: Any, env: Any) -> bool:
    """Do two shapes surely fit together?"""
    pairs = zip(reversed(a), reversed(b), strict=False)
    return all(env.same(m, n) or ONE in (env.resolve(m), env.resolve(n)) for m, n in pairs)


def _numbers(index: Any, base: Any, env: Any) -> bool:
    """Is a number in this index of which it is not known that there is such an element?"""
    if isinstance(index, tuple):
        shape = base.shape if isinstance(base, Array) else (base.length,)
        plain = all(isinstance(i, int | Value | slice) for i in index)
        return any(_outside(i, shape[k] if plain and k < len(shape) else None, env) for k, i in enumerate(index))
    return _outside(
        index, base.shape[0] if isinstance(base, Array) and base.ndim else getattr(base, "length", None), env
    )


def _outside(i: Any, length: Any, env: Any) -> bool:
    if isinstance(i, bool) or not isinstance(i, int | Value):
        return False
    if isinstance(i, Value):
        return isinstance(i.kind, Num) and i.kind.dtype.kind in "iu"
    return length is None or env.at_least(length, i + 1 if i >= 0 else -i) is not True
