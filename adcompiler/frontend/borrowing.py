"""`nonlocal`: a nested function has the variables of the one around it that are assigned in functions, while it runs.

def f(x):
    t = 0.0
    def add(v): nonlocal t; t = t + v      ->      t = 0.0; {t of add} = t; ..; t = {t of add}
    add(x)

Every nested function that is called takes them all, and gives them back, so that a loop in any of them carries them.
So does a function that is passed a list, and changes it in a loop: the names that its caller has for it have none then.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

from adcompiler.frontend.iteration import assigned_names, changed_names
from adcompiler.frontend.joins import Environments
from adcompiler.frontend.kinds import ListOf
from adcompiler.frontend.long_lists import any_length
from adcompiler.frontend.scope import Frame, Poison
from adcompiler.frontend.versions import Rebound, Versions
from adcompiler.ir.core import Value


class Borrowing(Versions):
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
            with self.passed_lists(frame, node):
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

    @contextmanager
    def passed_lists(self, frame: Frame, node: Any) -> Iterator[None]:
        """Lend a function the lists that it is passed, or that are variables around it, and changes in a loop."""
        found = {p: _of_frames(frame, p) for p in changed_in_loops(node)}
        lists = [(p, d) for p, d in found.items() if type(d) is list or isinstance(d, ListOf) or any_length(d)]
        lists = [(p, d) for p, d in lists if sum(d is x for x in (*frame.env.values(), *found.values())) <= 2]
        gone = [Poison("{name} is changed by " + frame.name + " under another name", "read it by the name that "
                       + frame.name + " changes") for _ in lists]  # fmt: skip
        around = [p for p, _ in lists if p not in frame.env]
        for (p, d), poison in zip(lists, gone, strict=True):
            self.renamed(d, poison)
            frame.env[p] = d
        now = [d for _, d in lists]
        try:
            yield
            now = [frame.env[p] for p, _ in lists]
        finally:
            for p in around:
                frame.env.pop(p, None)
            names = [self.renamed(poison, d) for poison, d in zip(gone, now, strict=True)]
        for (_, d), anew, places in zip(lists, now, names, strict=True):
            for f, n in places if anew is not d else ():
                self.check_list_carried(f, n, d, anew, node)

    def renamed(self, old: Any, new: Any) -> list[tuple[Frame, str]]:
        """Put one denotation in the place of another wherever names have it; which those are."""
        versions, made = ({old: new}, {}) if isinstance(old, Value) else ({}, {id(old): (old, new)})
        before: Environments = [(f, f.env) for f in self.frames()]
        self.moved(versions, made)
        return [(f, n) for f, env in before for n, d in env.items() if f.env[n] is not d]

    def check_list_carried(self, f: Frame, n: str, old: Any, new: Any, node: Any) -> None:
        """Raise Rebound for the outermost loop that does not carry a list, as one that grows, that a call changes."""
        for header in self.headers:
            at_start = header.at_start.get((id(f), n)) is old
            if at_start and header.frame is f and not isinstance(new, list) and (n,) not in header.grown:
                header.grown |= {(n,)}
                raise Rebound(header, n)
        self.check_name_carried(f, n, "list", n, node)

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


def changed_in_loops(node: Any) -> list[str]:
    """The names that a function does not assign, and that loops in it change."""
    if not isinstance(node.body, list):
        return []
    loops = [n for s in node.body for n in gast.walk(s) if isinstance(n, gast.For | gast.While)]
    return sorted(frozenset().union(*(changed_names(loop.body) for loop in loops)) - assigned_names(node.body))


def _of_frames(frame: Frame | None, name: str) -> Any:
    """What a name means in a function, or in those around it; None where it is no variable of theirs."""
    while frame is not None and name not in frame.env:
        frame = frame.parent
    return None if frame is None else frame.env[name]
