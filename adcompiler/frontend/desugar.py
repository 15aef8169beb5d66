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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import gast

from adcompiler.errors import OWN, plain
from adcompiler.frontend.matching import branches


@dataclass
class _Exits:
    """The names of one loop's flags: it stops; the rest of an iteration is left out; the function returns."""

    stop: str
    skip: str
    returned: str
    value: str


def desugar(statements: list[Any], first: int = 0) -> list[Any]:
    """The statements of a function with the early exits of its loops written out; source lines are kept.

    The flags have the numbers from `first` on.
    """
    statements = without_match(statements, count(first + 1))
    if not any(_leaves(s) for s in statements):
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
    name = plain(name)
    return name.split(" ")[0] if name[-1:].isdigit() else name.strip()


def exit_flag(loop: Any) -> str | None:
    """The flag by which a desugared loop stops; None if it does not."""
    last = loop.body[-1]
    if isinstance(last, gast.If) and isinstance(last.test, gast.Name) and is_flag(last.test.id):
        return str(last.test.id) if isinstance(last.body[0], gast.Break) else None
    return None


class _Desugar:
    def __init__(self, first: int) -> None:
        self.count = first

    def block(self, statements: list[Any], exits: _Exits | None) -> list[Any]:
        """The same statements, where `exits` are those of the loop around them; None outside of loops."""
        out: list[Any] = []
        rest = list(statements)
        while rest:
            s = rest.pop(0)
            s = _endless(s) if _assigns_in_test(s) else s
            if isinstance(s, gast.For | gast.While):
                before, loop, after = self.loop(s)
                out += [*before, loop]
                rest[:0] = after
            elif exits is not None and isinstance(s, gast.Break | gast.Continue | gast.Return):
                return out + _jump(s, exits)
            elif isinstance(s, gast.If) and exits is not None and _jumps([s]):
                return out + self.branch(s, rest, exits)
            elif isinstance(s, gast.If):
                out.append(_at(gast.If(s.test, self.block(s.body, exits), self.block(s.orelse, exits)), s))
            elif isinstance(s, gast.With) and exits is None and _returns(s.body) and _completes(s.body):
                self.count += 1
                returned, value = f"returned {self.count}", f"value {self.count}"
                body = self.block(s.body, _Exits(returned, returned, returned, value))
                back = _at(gast.Return(_name(value, s)), s)
                out += [_set(returned, False, s), _at(gast.With(s.items, body, None), s)]
                rest.insert(0, _at(gast.If(_name(returned, s), [back], []), s))
            elif isinstance(s, gast.With):
                out.append(_at(gast.With(s.items, self.block(s.body, exits), None), s))
                if exits is not None and _jumps([s]):
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

    def unless(self, flag: str, statements: list[Any], exits: _Exits, like: Any) -> list[Any]:
        inner = self.block(statements, exits)
        return [_unless(flag, inner, like)] if inner else []

    def loop(self, s: Any) -> tuple[list[Any], Any, list[Any]]:
        """What stands before a loop, the loop without early exits, and what follows it, which may leave one around."""
        self.count += 1
        own = list(_own(s.body))
        breaks = any(isinstance(n, gast.Break) for n in own)
        returns = _returns(s.body)
        stop = f"{'broke' if breaks else 'returned'} {self.count}"
        skip = f"skipped {self.count}" if any(isinstance(n, gast.Continue) for n in own) else stop
        exits = _Exits(stop, skip, f"returned {self.count}", f"value {self.count}")
        flags = [f for f, used in ((stop, breaks or returns), (exits.returned, returns)) if used]
        start = [_set(f, False, s) for f in dict.fromkeys(flags)]
        reset = [_set(f, False, s) for f in dict.fromkeys([*flags, *([skip] if skip != stop else [])])]
        body = reset + self.block(s.body, exits)
        if flags:
            body.append(_at(gast.If(_name(stop, s), [_at(gast.Break(), s)], []), s))
        made = gast.For(s.target, s.iter, body, [], None) if isinstance(s, gast.For) else gast.While(s.test, body, [])
        endless = isinstance(s, gast.While) and isinstance(s.test, gast.Constant) and bool(s.test.value)
        after: list[Any] = []
        if returns:
            back = _at(gast.Return(_name(exits.value, s)), s)
            after = [back] if endless and not breaks else [_at(gast.If(_name(exits.returned, s), [back], []), s)]
        if s.orelse and not endless:
            after += [_unless(stop, s.orelse, s)] if breaks else s.orelse
        return start, _at(made, s), after


def _jump(s: Any, exits: _Exits) -> list[Any]:
    """The flags that a jump sets."""
    if isinstance(s, gast.Continue):
        return [_set(exits.skip, True, s)]
    out = []
    if isinstance(s, gast.Return):
        value = s.value if s.value is not None else gast.Constant(None, None)
        out = [_at(gast.Assign([_name(exits.value, s, gast.Store())], value, None), s), _set(exits.returned, True, s)]
    flags = dict.fromkeys([exits.stop, exits.skip])
    return out + [_set(f, True, s) for f in flags if not (out and f == exits.returned)]


# ------------------------------------------------------------------------------------------------ questions
def _leaves(s: Any) -> bool:
    """Is there a loop with an early exit or an `else` in this statement, or a `with` that returns?"""
    return any(
        (isinstance(n, gast.For | gast.While) and (n.orelse or _returns(n.body) or any(_own(n.body))))
        or (isinstance(n, gast.With) and _returns(n.body))
        or _assigns_in_test(n)
        for n in _statements([s])
    )


def _assigns_in_test(s: Any) -> bool:
    """Is this a `while` whose test has a `:=`?"""
    return isinstance(s, gast.While) and any(isinstance(n, gast.NamedExpr) for n in gast.walk(s.test))


def _endless(s: Any) -> Any:
    """`while True: if not test: break`, for a `while` with a test of any kind."""
    leave = gast.If(gast.UnaryOp(gast.Not(), s.test), [*s.orelse, gast.Break()], [])
    made = gast.While(gast.Constant(True, None), [_at(leave, s), *s.body], [])
    return _at(made, s) if not _jumps(s.orelse) else s


def _own(statements: list[Any]) -> Any:
    """The `break` and `continue` of the loop around these statements."""
    for s in _statements(statements, loops=False):
        if isinstance(s, gast.Break | gast.Continue):
            yield s
        elif isinstance(s, gast.For | gast.While):
            yield from _own(s.orelse)


def _returns(statements: list[Any]) -> bool:
    return any(isinstance(s, gast.Return) for s in _statements(statements))


def _jumps(statements: list[Any]) -> bool:
    """May these statements leave the iteration of the loop around them?"""
    return _returns(statements) or any(True for _ in _own(statements))


def _completes(statements: list[Any]) -> bool:
    """May what follows these statements run?"""
    for s in statements:
        if isinstance(s, gast.Break | gast.Continue | gast.Return | gast.Raise):
            return False
        if isinstance(s, gast.If) and not _completes(s.body) and not _completes(s.orelse):
            return False
        if isinstance(s, gast.With) and not _completes(s.body):
            return False
        if isinstance(s, gast.While) and isinstance(s.test, gast.Constant) and s.test.value:
            if not any(isinstance(n, gast.Break) for n in _own(s.body)):
                return False
    return True


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


def _set(name: str, value: bool, like: Any) -> Any:
    return _at(gast.Assign([_name(name, like, gast.Store())], gast.Constant(value, None), None), like)
