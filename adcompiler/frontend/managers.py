"""Context managers that `contextlib.contextmanager` makes of generators, and what a context may suppress.

    @contextmanager
    def scaled(s):                                   k = 2.0 * s
        k = 2.0 * s                                  y = k * x
        yield k                           ->         print(y)
        print("done")                                print("done")
    with scaled(x[0]) as k: y = k * x; print(y)

What stands in the `with` is put where the generator yields, so that its `try` gets what is raised there.
"""

import contextlib
import copy
import types
from dataclasses import dataclass
from typing import Any

import gast

from adcompiler.errors import Refusal
from adcompiler.frontend.desugar import desugar, jumps_out, own_name
from adcompiler.frontend.generators import NUMBERS
from adcompiler.frontend.instances import own_value
from adcompiler.frontend.iterators import Generated
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.records import Bound
from adcompiler.frontend.scope import Callback, Closure
from adcompiler.frontend.source import source_of
from adcompiler.frontend.splicing import Misplaced, Splice, own_nodes, yields


@contextlib.contextmanager
def _made() -> Any:
    yield


_MADE = _made.__code__


@dataclass(eq=False)
class Managing(Callback):
    """What `contextmanager` makes of a generator function that is defined inside."""

    function: Closure
    name: str = "context manager"

    def called(self, lowerer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        raise lowerer.refuse(node, f"the context manager {self.function.name} is called outside of a `with`",
                             "write the call in the `with`")  # fmt: skip

    @property
    def parts(self) -> tuple[Any, ...]:
        return (self.function,)


def generator_of(f: Any) -> Any:
    """The generator function of which a function that gives contexts is made; None for others."""
    if isinstance(f, Managing):
        return f.function
    if isinstance(f, Bound):
        inner = generator_of(f.function)
        return None if inner is None else Bound(inner, f.owner, f.name)
    if not isinstance(f, Known):
        return None
    x: Any = f.value
    if isinstance(x, types.MethodType) and (inner := generator_of(Known(x.__func__))) is not None:
        return Known(types.MethodType(inner.value, x.__self__))
    return Known(vars(x)["__wrapped__"]) if isinstance(x, types.FunctionType) and x.__code__ is _MADE else None


def within_generator(self: Any, node: Any, item: Any, others: list[Any], f: Any, generator: Any) -> Any:
    """Lower the body of a `with` where a generator yields; how it ends. NotImplemented: it is entered and left unseen.

    That is done of one that is given nothing to follow, and catches nothing.
    """
    args, kwargs = self.given(item.context_expr)
    g = self.call(generator, args, kwargs, item.context_expr)
    if not isinstance(g, Generated):
        return NotImplemented
    known = isinstance(f, Known) and not isinstance(f.value, types.MethodType) and \
        all(isinstance(d, Known) for d in (*args, *kwargs.values()))  # fmt: skip
    unseen = known and not _catches(g.node.body)
    if unseen and item.optional_vars is None:
        return NotImplemented
    region, mark, problems = self.builder.region, len(self.builder.region.ops), len(self.problems)
    before = [(frame, dict(frame.env)) for frame in self.frames()]
    try:
        status = _spliced(self, node, item, others, g)
        if not unseen or len(self.problems) == problems:
            return status
    except Refusal:
        if not unseen:
            raise
    self.builder.region = region
    del region.ops[mark:], self.problems[problems:]
    for frame, env in before:
        frame.env = env
    return NotImplemented


def _spliced(self: Any, node: Any, item: Any, others: list[Any], g: Generated) -> Any:
    raw, last, number = getattr(node, "raw", node.body), node.body[-1], next(NUMBERS)
    back: list[Any] = []
    if isinstance(raw[-1], gast.Return) and isinstance(last, gast.Return) and raw[-1].value is not None:
        name = own_name("result", number)
        back = [gast.copy_location(gast.Return(_name(name, gast.Load(), last)), last)]
        kept = gast.Assign([_name(name, gast.Store(), last)], raw[-1].value, None)
        raw = [*raw[:-1], gast.copy_location(kept, last)]
    if getattr(node, "attempt", None) is not None:
        raise self.refuse(item.context_expr, f"{g.name} may be told of what is caught around it",
                          "put the `try` into the `with`")  # fmt: skip
    if jumps_out(raw):
        raise self.refuse(item.context_expr, f"the `with` of {g.name}, a generator that is followed, is left by a jump",
                          "keep the value, and jump behind the `with`")  # fmt: skip
    body = [gast.copy_location(gast.With(others, raw, None), node)] if others else raw
    names, bound = self.spliced_names(g, number)
    file = g.frame.source.file
    target = item.optional_vars or _name("given 0", gast.Store(), node)
    loop = gast.copy_location(gast.For(target, item.context_expr, body, [], None), node)
    splice = _Within(g.node, loop, number, names, file if file != self.frame.source.file else None)
    try:
        statements = desugar([*splice.statements(), *back], 1000 * number)
    except Misplaced as misplaced:
        raise self.refuse(misplaced.node, f"{g.name} does not yield once, in a statement of its own",
                          "write it with one `yield`, outside of loops and branches") from None  # fmt: skip
    return self.grafted(statements, g, bound, (*names.values(), "given 0"), node)


def _name(name: str, context: Any, like: Any) -> Any:
    return gast.copy_location(gast.Name(name, context, None, None), like)


@dataclass
class _Within(Splice):
    """A generator with the body of a `with` where it yields."""

    def statement(self, s: Any, place: str, last: bool) -> list[Any]:
        if isinstance(s, gast.For | gast.While | gast.If) and yields([s]):
            raise Misplaced(s)
        return super().statement(s, place, last)

    def reading(self, value: Any, place: str, last: bool) -> list[Any]:
        if self.read:
            raise Misplaced(self.function)
        self.read = True
        return [gast.Assign([copy.deepcopy(self.loop.target)], value, None), *self.loop.body]


def _catches(statements: list[Any]) -> bool:
    """Does a generator catch what is raised where it yields?"""
    return any(isinstance(n, gast.Try) and n.handlers and yields(n.body) for s in statements for n in own_nodes(s))


def suppresses(cls: type) -> bool:
    """May `__exit__` of a class of the user's keep what is raised in a `with` from going on?"""
    method = own_value(cls, "__exit__")
    if not isinstance(method, types.FunctionType):
        return False
    try:
        body = source_of(method).node.body
    except Exception:  # there is no text
        return False
    ends = [n.value for s in body for n in own_nodes(s) if isinstance(n, gast.Return) and n.value is not None]
    return any(not isinstance(v, gast.Constant) or bool(v.value) for v in ends)


__all__ = ["Managing", "generator_of", "suppresses", "within_generator"]
