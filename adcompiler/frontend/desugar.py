"""Early exits of loops -> if/else structure, and the one exit that lowering knows.

    for v in xs:                    broke = False
        if v > 1.0:                 for v in xs:
            break                       broke = False
        s = s + v            ->         if v > 1.0:
    else:                                   broke = True
        s = 0.0                         else:
                                            s = s + v
                                        if broke:
                                            break
                                    if not broke:
                                        s = 0.0

Afterwards no loop holds a `continue` or a `return`, none has an `else`, and a `break` stands nowhere but in
`if flag: break` at the end of a body. The flags and the value that is returned are names of each loop's own, with a
blank in them, so that no name of the user's is one.
"""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import gast

from adcompiler.errors import OWN, plain
from adcompiler.frontend.matching import branches
from adcompiler.frontend.trying import (
    Attempt,
    Attempts,
    Raised,
    asserted,
    may_raise,
    raising_again,
    reads_error,
    simple,
    suppresses,
    suppressing,
)
from adcompiler.ir.core import UNDEF

#: How often what follows an `if` that returns may be lowered, for different paths to it.
COPIES = 2


@dataclass(frozen=True)
class _Exits:
    """How statements leave the loop or the `try` around them: the flags that each way sets.

    `skip` is the flag by which the rest of them is left out. Without `returns` a return stays one. `raises` are set
    where the `try` around catches what is raised.
    """

    skip: str
    continues: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()
    returns: tuple[str, ...] | None = None
    value: str = ""
    raises: tuple[str, ...] = ()
    attempt: Attempt | None = None


def desugar(statements: list[Any], first: int = 0) -> list[Any]:
    """The statements of a function with the early exits of its loops written out; source lines are kept.

    The flags have the numbers from `first` on.
    """
    statements = without_match(statements, count(first + 1))
    if not any(_leaves(s) for s in statements) and _copies(statements) <= COPIES:
        return statements
    return _Desugar(first).block(statements, None)


def without_match(statements: list[Any], numbers: Iterator[int] | None = None) -> list[Any]:
    """The same statements, with each `match` written as `if`."""
    numbers = numbers or count(1)
    out: list[Any] = []
    for s in statements:
        made = _with_blocks(s, lambda block: without_match(block, numbers))
        out += branches(made, f"subject {next(numbers)}") if isinstance(s, gast.Match) else [made]
    return out


def _with_blocks(s: Any, f: Callable[[list[Any]], list[Any]]) -> Any:
    """A statement with `f` of the blocks in it; the statement itself where they stay as they are."""
    changed: dict[str, Any] = {}
    if isinstance(s, gast.If | gast.For | gast.While | gast.With | gast.Try | gast.ExceptHandler | gast.match_case):
        for name in ("body", "orelse", "finalbody"):
            old = getattr(s, name, [])
            new = f(old)
            if any(a is not b for a, b in zip(old, new, strict=False)) or len(old) != len(new):
                changed[name] = new
    for name in ("handlers", "cases"):
        old = getattr(s, name, [])
        new = [_with_blocks(part, f) for part in old]
        if any(a is not b for a, b in zip(old, new, strict=True)):
            changed[name] = new
    if not changed:
        return s
    made = copy.copy(s)
    vars(made).update(changed)
    return made


def attempting(statements: list[Any]) -> list[Any]:
    """The statements of a function that returns a pair: which handler of its caller's gets what it raises, and a value.

    The first is 0 where it returns.
    """
    made = _Desugar(0, pair=True)
    exits = _Exits("raised 0", raises=(), attempt=Attempt("raised 0", "error 0", None))
    end = _at(gast.Return(gast.Tuple([_name("raised 0", statements[-1]), gast.Constant(UNDEF, None)], gast.Load())),
              statements[-1])  # fmt: skip
    none = made.returned(_at(gast.Return(None), statements[-1]))
    body = [_set("raised 0", 0, statements[0]), *made.block(without_match(statements), exits)]
    if not _completes(statements):
        return [*body, end]
    return [*body, _at(gast.If(_name("raised 0", statements[-1]), [end], none), statements[-1])]


def is_flag(name: str) -> bool:
    """Is this a name that the desugared program has beside the user's?"""
    return " " in name


class Reading(gast.stmt):
    """Statements that have been desugared already: the body of a loop, where the generator yields that it reads."""

    _fields = ("body",)


def own_name(name: str, number: int) -> str:
    """The name of a variable of a function whose body is put into another."""
    return f"{name}{OWN}{number}"


def hint(name: str) -> str:
    """What a variable is called in generated code."""
    name = plain(name).rpartition(".")[2]  # of an attribute its own name
    return name.split(" ")[0] if name[-1:].isdigit() else name.strip()


def exit_flag(loop: Any) -> str | None:
    """The flag by which a desugared loop stops; None if it does not."""
    last = loop.body[-1]
    if isinstance(last, gast.If) and isinstance(last.test, gast.Name) and is_flag(last.test.id):
        return str(last.test.id) if isinstance(last.body[0], gast.Break) else None
    return None


class _Desugar:
    def __init__(self, first: int, pair: bool = False) -> None:
        self.count = first
        self.pair = pair

    def block(self, statements: list[Any], exits: _Exits | None) -> list[Any]:
        """The same statements, where `exits` are those of the loop around them; None outside of loops."""
        out: list[Any] = []
        rest = list(statements)
        attempt = exits.attempt if exits is not None else None
        while rest:
            s = rest.pop(0)
            s = _endless(s) if _assigns_in_test(s) or (attempt and isinstance(s, gast.While) and may_raise(s.test)) \
                else s  # fmt: skip
            s = asserted(s) if attempt and isinstance(s, gast.Assert) else s
            s = _one_test(s) if isinstance(s, gast.If) else s
            if exits is not None and attempt is not None and (parts := self.attempted(s, rest)) is not None:
                return out + self.attempt(*parts, exits, attempt)
            if isinstance(s, gast.Try) or suppresses(s):
                before, rest = self.protected(s if isinstance(s, gast.Try) else suppressing(s), rest, exits)
                out += before
            elif isinstance(s, gast.For | gast.While):
                before, loop, after = self.loop(s, attempt)
                out += [*before, loop]
                rest[:0] = after
            elif exits is not None and isinstance(s, gast.Break | gast.Continue | Raised):
                return out + _jump(s, exits)
            elif isinstance(s, gast.Return):
                return out + (_jump(s, exits) if exits is not None and exits.returns is not None else self.returned(s))
            elif returned_alone(exits) and _returns_once(s, rest):
                self.count += 1
                returned, value, left = (f"{name} {self.count}" for name in ("returned", "value", "left"))
                left = returned if exits is None else left
                inner = self.inside(exits, left, (returned,), value, attempt)
                flags = tuple(dict.fromkeys((returned, left)))
                out += [*(_set(f, False, s) for f in flags), *self.block([s], replace(inner, returns=flags))]
                rest.insert(0, _at(gast.If(_name(returned, s), [_at(gast.Return(_name(value, s)), s)], []), s))
                if exits is not None:
                    return out + self.unless(exits.skip, rest, exits, s)
            elif isinstance(s, gast.If) and exits is not None and (attempt or jumps_out([s])):
                return out + self.branch(s, rest, exits)
            elif isinstance(s, gast.If):
                out.append(_at(gast.If(s.test, self.block(s.body, exits), self.block(s.orelse, exits)), s))
            elif isinstance(s, gast.With):
                out.append(_at(gast.With(s.items, self.block(s.body, exits), None), s))
                out[-1].attempt, out[-1].raw = attempt, s.body
                if exits is not None and (attempt or jumps_out([s])):
                    return out + (self.unless(exits.skip, rest, exits, s) if _completes(s.body) else [])
            else:
                out.append(s)
        return out

    def branch(self, s: Any, rest: list[Any], exits: _Exits) -> list[Any]:
        """An `if` that may leave the iteration: what follows belongs to the side that goes on, if one alone does."""
        body, orelse = list(s.body), list(s.orelse)
        goes_on = _completes(body), _completes(orelse)
        if goes_on == (True, True):
            split = _at(gast.If(s.test, self.block(body, exits), self.block(orelse, exits)), s)
            return [split, *self.unless(exits.skip, rest, exits, s)]
        if goes_on[0]:
            body += rest
        elif goes_on[1]:
            orelse += rest
        return [_at(gast.If(s.test, self.block(body, exits) or [_at(gast.Pass(), s)], self.block(orelse, exits)), s)]

    def returned(self, s: Any) -> list[Any]:
        """A return of the function; with what is raised instead, if its caller asks for that."""
        if not self.pair:
            return [s]
        value = s.value if s.value is not None else gast.Constant(None, None)
        return [_at(gast.Return(gast.Tuple([gast.Constant(0, None), value], gast.Load())), s)]

    # -------------------------------------------------------------------------------------------- try
    def attempted(self, s: Any, rest: list[Any]) -> tuple[list[Any], list[Any]] | None:
        """The simple statements at the head of what stands in a `try`, and what follows them; None if it is none.

        What may raise in the head of a compound statement is one before it.
        """
        if isinstance(s, gast.If | gast.For) and may_raise(s.test if isinstance(s, gast.If) else s.iter):
            self.count += 1
            name = f"{'test' if isinstance(s, gast.If) else 'items'} {self.count}"
            plain = copy.copy(s)
            setattr(plain, "test" if isinstance(s, gast.If) else "iter", _name(name, s))
            value = s.test if isinstance(s, gast.If) else s.iter
            return [_at(gast.Assign([_name(name, s, gast.Store())], value, None), s)], [plain, *rest]
        if isinstance(s, gast.Return) and s.value is not None and may_raise(s.value):
            self.count += 1
            name = f"value {self.count}"
            back = _at(gast.Return(_name(name, s)), s)
            return [_at(gast.Assign([_name(name, s, gast.Store())], s.value, None), s)], [back]
        if not simple(s):
            return None
        run = [s]
        for following in rest:
            if not simple(following) or isinstance(run[-1], gast.Raise):
                break
            run.append(following)
        return (run, rest[len(run) - 1 :]) if any(map(may_raise, run)) else None

    def attempt(self, run: list[Any], rest: list[Any], exits: _Exits, attempt: Attempt) -> list[Any]:
        """Simple statements in a `try`; what follows them belongs to where none of them raises."""
        after = [] if isinstance(run[-1], gast.Raise) else self.block(rest, exits)
        jump = _jump(_at(Raised(), run[-1]), exits)
        return [_at(Attempts(body=run, orelse=after, jump=jump, attempt=attempt), run[0])]

    def protected(self, s: Any, rest: list[Any], exits: _Exits | None) -> tuple[list[Any], list[Any]]:
        """A `try`: what has been made of it, and what follows that."""
        self.count += 1
        k, outer = self.count, exits
        raised, left, error = f"raised {k}", f"left {k}", f"error {k}"
        if s.finalbody:
            inner = [_at(gast.Try(s.body, s.handlers, s.orelse, []), s)] if s.handlers else [*s.body, *s.orelse]
            attempt = Attempt(raised, error, (None,), needs_error=True)
            returned, broke, continued = (f"{way} {k}" for way in ("returned", "broke", "continued"))
            left_by = {type(n) for n in _own(inner)} | ({gast.Return} if _returns(inner) else set())
            pending = [(raised, _raise(error, s))]  # a jump goes on when the end has run, unless that makes another
            for flag, jump in ((returned, gast.Return(_name(f"value {k}", s))), (broke, gast.Break()),
                               (continued, gast.Continue())):  # fmt: skip
                if type(jump) in left_by:
                    pending.append((flag, _at(jump, s)))
            start = [_set(raised, 0, s), *(_set(f, False, s) for f in (left, *(f for f, _ in pending[1:])))]
            ways = _Exits(left, (continued, left), (broke, left), (returned, left), f"value {k}", (left,), attempt)
            on = [_at(gast.If(_name(flag, s), [jump], []), s) for flag, jump in pending]
            if not _completes(inner):  # else nothing follows: it has been left in one of these ways
                on[-1] = pending[-1][1]
            after = [*s.finalbody, *([*on, *rest] if _completes(s.finalbody) else [])]
            return [*start, *self.block(inner, ways)], after
        jumps = jumps_out(s.body)
        around = exits.attempt if exits is not None else None
        reads = any(map(reads_error, s.handlers)) or (around is not None and around.needs_error)
        types, passed = tuple(h.type for h in s.handlers), f"passed {k}" if around else ""
        attempt = Attempt(raised, error, types, reads, around, passed)
        start = [_set(raised, 0, s)]
        if attempt.outer is not None:
            start.append(_set(attempt.passed, 0, s))
        if jumps or attempt.outer is not None:
            start.append(_set(left, False, s))
        else:
            left = ""
        returns, value = (exits.returns, exits.value) if exits is not None else (None, "")
        back: list[Any] = []
        if returns is None and _returns(s.body):
            returns, value = (f"returned {k}",), f"value {k}"
            start.append(_set(f"returned {k}", False, s))
            back = [_at(gast.If(_name(f"returned {k}", s), [_at(gast.Return(_name(value, s)), s)], []), s)]
        body = self.block(s.body, self.inside(exits, left or raised, returns, value, attempt, bool(left)))
        chain: list[Any] = []
        for i, h in reversed(list(enumerate(s.handlers, 1))):  # what is raised goes to the last, if to no other
            named = [_at(gast.Assign([h.name], _name(error, h), None), h)] if h.name is not None else []
            gone = [_at(gast.Delete([_name(h.name.id, h, gast.Del())]), h)] if h.name is not None else []
            gone = gone if _completes(h.body) else []
            handled = [*named, *raising_again(h.body, error), *gone]
            test = _at(gast.Compare(_name(raised, h), [gast.Eq()], [gast.Constant(i, None)]), h)
            chain = [_at(gast.If(test, handled, chain), h)] if i < len(s.handlers) else handled
        once = (back and not _completes(s.body)) or (_completes(s.body) and not _completes(s.orelse))
        if not once or around or any(_own(s.body)):  # else what has not returned has raised
            chain = [_at(gast.If(_name(raised, s), chain, []), s)]
        if attempt.outer is not None:
            on = passing(attempt.passed, attempt.outer, s)
            if attempt.outer.needs_error or attempt.outer.types is None:
                on.append(_at(gast.Assign([_name(attempt.outer.error, s, gast.Store())], _name(error, s), None), s))
            chain.append(_at(gast.If(_name(attempt.passed, s), [*on, _at(Raised(), s)], []), s))
        otherwise = [_unless(left or raised, s.orelse, s)] if s.orelse else []
        return self.followed(s, [*start, *body], [*back, *otherwise, *chain, *rest], outer)

    def inside(self, exits: _Exits | None, left: str, returns: tuple[str, ...] | None, value: str,
               attempt: Attempt | None, sets: bool = True) -> _Exits:  # fmt: skip
        """How what stands in a `try` or a `with` is left, which sets the flag `left` then."""
        own = (left,) if sets else ()
        around = exits or _Exits("")
        raises = (*around.raises, *own) if attempt is around.attempt else own
        returns = None if returns is None else (*returns, *own)
        return _Exits(left, (*around.continues, *own), (*around.breaks, *own), returns, value, raises, attempt)

    def followed(self, s: Any, out: list[Any], rest: list[Any], exits: _Exits | None) -> tuple[list[Any], list[Any]]:
        """A `try` and what follows it, which is left out where the `try` has left what is around it."""
        if exits is None or not jumps_out(s.body):
            return out, rest
        return [*out, *self.unless(exits.skip, rest, exits, s)], []

    def unless(self, flag: str, statements: list[Any], exits: _Exits, like: Any) -> list[Any]:
        inner = self.block(statements, exits)
        return [_unless(flag, inner, like)] if inner else []

    def loop(self, s: Any, attempt: Attempt | None) -> tuple[list[Any], Any, list[Any]]:
        """What stands before a loop, the loop without early exits, and what follows it, which may leave one around."""
        self.count += 1
        own = list(_own(s.body))
        breaks = any(isinstance(n, gast.Break) for n in own)
        returns = _returns(s.body)
        stop = f"{'broke' if breaks else 'returned' if returns else 'ended'} {self.count}"
        skip = f"skipped {self.count}" if any(isinstance(n, gast.Continue) for n in own) else stop
        returned, value = f"returned {self.count}", f"value {self.count}"
        both = tuple(dict.fromkeys([stop, skip]))
        ways = tuple(dict.fromkeys([returned, *both]))
        exits = _Exits(skip, (skip,), both, ways, value, both if attempt else (), attempt)
        flags = [f for f, used in ((stop, breaks or returns or attempt), (returned, returns)) if used]
        start = [_set(f, False, s) for f in dict.fromkeys(flags)]
        reset = [_set(f, False, s) for f in dict.fromkeys([*flags, *([skip] if skip != stop else [])])]
        if attempt is not None:
            reset += [_set(f, 0, s) for f in (attempt.raised, attempt.passed) if f]
        body = reset + self.block(s.body, exits)
        if flags:
            body.append(_at(gast.If(_name(stop, s), [_at(gast.Break(), s)], []), s))
        made = gast.For(s.target, s.iter, body, [], None) if isinstance(s, gast.For) else gast.While(s.test, body, [])
        made.attempt = attempt
        endless = isinstance(s, gast.While) and isinstance(s.test, gast.Constant) and bool(s.test.value)
        after: list[Any] = []
        if returns:
            back = _at(gast.Return(_name(value, s)), s)
            always = endless and not breaks and not attempt
            after = [back] if always else [_at(gast.If(_name(returned, s), [back], []), s)]
        if s.orelse and not endless:
            after += [_unless(stop, s.orelse, s)] if breaks else s.orelse
        if attempt is not None:
            after.insert(0, _at(gast.If(_name(attempt.raised, s), [_at(Raised(), s)], []), s))
            if attempt.outer is not None:
                after.insert(1, _at(gast.If(_name(attempt.passed, s), [_at(Raised(), s)], []), s))
        return start, _at(made, s), after


def returned_alone(exits: _Exits | None) -> bool:
    """Does a return here stay one?"""
    return exits is None or exits.returns is None


def passing(passed: str, attempt: Attempt, like: Any) -> list[Any]:
    """Give what a `try` inside does not catch to the handlers of this one, or of those around it."""

    def assign(flag: str, value: Any) -> Any:
        return _at(gast.Assign([_name(flag, like, gast.Store())], value, None), like)

    if attempt.outer is None or attempt.types is None:
        return [assign(attempt.raised, _name(passed, like))]
    own = gast.Constant(len(attempt.types), None)
    test = gast.Compare(_name(passed, like), [gast.LtE()], [own])
    beyond = gast.BinOp(_name(passed, like), gast.Sub(), own)
    return [_at(gast.If(test, [assign(attempt.raised, _name(passed, like))], [assign(attempt.passed, beyond)]), like)]


def _jump(s: Any, exits: _Exits) -> list[Any]:
    """The flags that a jump sets."""
    if isinstance(s, gast.Return):
        value = s.value if s.value is not None else gast.Constant(None, None)
        assign = _at(gast.Assign([_name(exits.value, s, gast.Store())], value, None), s)
        return [assign, *(_set(f, True, s) for f in exits.returns or ())]
    ways = exits.continues if isinstance(s, gast.Continue) else exits.breaks if isinstance(s, gast.Break) \
        else exits.raises  # fmt: skip
    return [_set(f, True, s) for f in ways]


# ------------------------------------------------------------------------------------------------ questions
def _leaves(s: Any) -> bool:
    """Does this hold a loop with an early exit or an `else`, a `with` that returns, a `try`, tests to put together?"""
    return any(
        (isinstance(n, gast.For | gast.While) and (n.orelse or _returns(n.body) or any(_own(n.body))))
        or (isinstance(n, gast.With) and (_returns(n.body) or suppresses(n)))
        or isinstance(n, gast.Try)
        or _assigns_in_test(n)
        or (isinstance(n, gast.If) and _one_test(n) is not n)
        for n in _statements([s])
    )


def _returns_once(s: Any, rest: list[Any]) -> bool:
    """Is this left at one place alone, where it returns too? So is a `with`, and an `if` that many paths go through.

    Lowering gives each path through an `if` that returns what follows it.
    """
    if isinstance(s, gast.With):
        return _returns(s.body) and _completes(s.body)
    return isinstance(s, gast.If) and _returns([s]) and _ways(s) > 1 and _copies([s, *rest]) > COPIES


def _ways(s: Any) -> int:
    """How many paths go through an `if` that returns, to what follows it. Of all else one does, or none."""
    if not isinstance(s, gast.If) or not _returns([s]):
        return int(_completes([s]))
    return math.prod(map(_ways, s.body)) + math.prod(map(_ways, s.orelse))


def _copies(statements: list[Any]) -> int:
    """How often the last of these statements would be lowered, once for each path to it."""
    return math.prod(max(1, _ways(s)) for s in statements)


def _one_test(s: Any) -> Any:
    """`if a and b: ..` for `if a: if b: ..`, where both are comparisons and what is inside returns."""
    inner = s.body[0]
    if len(s.body) != 1 or not isinstance(inner, gast.If) or s.orelse or inner.orelse or not _returns(inner.body):
        return s
    if not isinstance(s.test, gast.Compare) or not isinstance(inner.test, gast.Compare):
        return s
    return _at(gast.If(_at(gast.BoolOp(gast.And(), [s.test, inner.test]), s), inner.body, []), s)


def _assigns_in_test(s: Any) -> bool:
    """Is this a `while` whose test has a `:=`?"""
    return isinstance(s, gast.While) and any(isinstance(n, gast.NamedExpr) for n in gast.walk(s.test))


def _endless(s: Any) -> Any:
    """`while True: if not test: break`, for a `while` with a test of any kind."""
    leave = gast.If(gast.UnaryOp(gast.Not(), s.test), [*s.orelse, gast.Break()], [])
    made = gast.While(gast.Constant(True, None), [_at(leave, s), *s.body], [])
    return _at(made, s) if not jumps_out(s.orelse) else s


def _own(statements: list[Any]) -> Any:
    """The `break` and `continue` of the loop around these statements."""
    for s in _statements(statements, loops=False):
        if isinstance(s, gast.Break | gast.Continue):
            yield s
        elif isinstance(s, gast.For | gast.While):
            yield from _own(s.orelse)


def _returns(statements: list[Any]) -> bool:
    return any(isinstance(s, gast.Return) for s in _statements(statements))


def jumps_out(statements: list[Any]) -> bool:
    """May these statements leave the iteration of the loop around them?"""
    return any(isinstance(s, gast.Return | Raised) for s in _statements(statements)) or any(_own(statements))


def _completes(statements: list[Any]) -> bool:
    """May what follows these statements run?"""
    for s in statements:
        if isinstance(s, gast.Break | gast.Continue | gast.Return | gast.Raise | Raised):
            return False
        if isinstance(s, gast.Try) and not _try_completes(s):
            return False
        if isinstance(s, gast.If) and not _completes(s.body) and not _completes(s.orelse):
            return False
        if isinstance(s, gast.With) and not suppresses(s) and not _completes(s.body):
            return False
        if isinstance(s, gast.While) and isinstance(s.test, gast.Constant) and s.test.value:
            if not any(isinstance(n, gast.Break) for n in _own(s.body)):
                return False
    return True


def _try_completes(s: Any) -> bool:
    if not _completes(s.finalbody):
        return False
    return (_completes(s.body) and _completes(s.orelse)) or any(_completes(h.body) for h in s.handlers)


def _statements(statements: list[Any], loops: bool = True) -> Any:
    """These statements and those in them, at any depth; those of nested functions left out, of loops on demand."""
    for s in statements:
        yield s
        if isinstance(s, gast.If | gast.With | gast.Try) or (loops and isinstance(s, gast.For | gast.While)):
            for block in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(s, block, []), loops)
            for handler in getattr(s, "handlers", []):
                yield from _statements(handler.body, loops)


# --------------------------------------------------------------------------------------------------- nodes
def _at(node: Any, like: Any) -> Any:
    return gast.fix_missing_locations(gast.copy_location(node, like))


def _name(name: str, like: Any, context: Any = None) -> Any:
    return _at(gast.Name(name, context or gast.Load(), None, None), like)


def _unless(flag: str, statements: list[Any], like: Any) -> Any:
    """`if not flag: statements`."""
    return _at(gast.If(_name(flag, like), [_at(gast.Pass(), like)], statements), like)


def _raise(name: str, like: Any) -> Any:
    return _at(gast.Raise(_name(name, like), None), like)


def _set(name: str, value: bool | int, like: Any) -> Any:
    return _at(gast.Assign([_name(name, like, gast.Store())], gast.Constant(value, None), None), like)
