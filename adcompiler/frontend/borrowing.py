"""`nonlocal`: a nested function has the variables of the one around it that are assigned in functions, while it runs.

def f(x):
    t = 0.0
    def add(v): nonlocal t; t = t + v      ->      t = 0.0; {t of add} = t; ..; t = {t of add}
    add(x)

Every nested function that is called takes them all, and gives them back, so that a loop in any of them carries them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from adcompiler.frontend.calls import Calls
from adcompiler.frontend.scope import Frame
from adcompiler.frontend.versions import Rebound


class Borrowing(Calls):
    """Lends variables to functions that are called."""

    headers: list[Any]
    repeats: list[int]

    @contextmanager
    def borrowed(self, frame: Frame, node: Any) -> Iterator[None]:
        """Lend a function what it, or one that it calls, may assign of the variables around it."""
        taken = list(self.lendable(frame))
        before = {}
        for owner, name in taken:
            before[id(owner), name] = owner.lent.get(name)
            holder = owner.lent.get(name, owner)
            if name in holder.env:
                frame.env[name] = holder.env[name]
            owner.lent[name] = frame
        frame.borrowed = frozenset(name for _, name in taken)
        given_back = False
        try:
            yield
            given_back = True
        finally:
            for owner, name in reversed(taken):
                last = before[id(owner), name]
                del owner.lent[name]
                if last is not None:
                    owner.lent[name] = last
        if given_back:
            for owner, name in taken:
                self.give_back(owner.lent.get(name, owner), name, frame, node)

    def lendable(self, frame: Frame) -> Iterator[tuple[Frame, str]]:
        """The variables around a function that functions assign, with the frames that have them."""
        own, around = set(frame.env), frame.parent
        mine = frame.locals - frame.declared
        while around is not None:
            for name in sorted(around.body.rebound & (around.locals | set(around.env)) - own - mine):
                own.add(name)
                yield around, name
            around = around.parent

    def give_back(self, holder: Frame, name: str, frame: Frame, node: Any) -> None:
        """The variable is what the function has left it as. Raises Rebound where a loop has to carry it."""
        d = frame.env.get(name)
        if d is None or d is holder.env.get(name):
            return
        for header in self.headers:
            if holder.born > header.mark:
                continue
            if header.frame is not holder:
                raise self.refuse(node, f"{name} is assigned in a loop, by a function that keeps it from call to call",
                                  "pass the value as an argument, and return it")  # fmt: skip
            if header.lacks(holder, name):
                raise Rebound(header, name)
        if any(began > holder.born for began in self.repeats):
            raise self.refuse(node, f"{name} is assigned within an expression, by a function that this calls",
                              "write a loop, with the call in a statement of its own")  # fmt: skip
        holder.env[name] = d
