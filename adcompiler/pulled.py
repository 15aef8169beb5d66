"""`vjp` inside a function that is compiled: the call becomes one of a function of the IR, its pullback that of a pull.

value, pullback = vjp(f, x); d = pullback(c)   ->   %value = f(%x); %pull = f.forward(%x); .. %d = f.pull(%pull, ..)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from adcompiler.compile import argument_leaves, structured
from adcompiler.frontend.given import given_function
from adcompiler.frontend.kinds import Known
from adcompiler.frontend.lifting import lifted
from adcompiler.frontend.lower import denotation
from adcompiler.frontend.scope import Callback, Closure
from adcompiler.ir.callee import PULL, Callee, Forward, Pull
from adcompiler.ir.core import Function, Loc, Op, Region, Value, leaves, map_tree
from adcompiler.passes.cotangents import as_argument, cotangent_kind
from adcompiler.request import Request, pick
from adcompiler.seeds import match
from rules.kind import is_differentiable


@dataclass(eq=False)
class Pullback(Callback):
    """The pullback that a `vjp` has given: of which call, and where that stands among its operations.

    `value` is what the call returned; `named` are the arguments by name, as the parameters of the function.
    """

    request: Request
    call: Op
    region: Region
    value: Any
    named: dict[str, Any]
    positions: int | None
    name = "pullback"

    @property
    def loc(self) -> Loc | None:  # type: ignore[override]
        """Where the `vjp` stands."""
        return self.call.loc

    def called(self, lowerer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Any) -> Any:
        """The gradients for a cotangent of the value."""
        if len(args) != 1 or kwargs:
            raise lowerer.refuse(node, "a pullback takes one argument, a cotangent of the value", "pullback(cotangent)")
        loc = lowerer.loc(node)
        found: dict[Value, Any] = {}
        match(self.value, lowerer.without_objects(args[0], node), "the value", found, loc, "cotangent")
        if self.call not in self.region.ops:
            raise lowerer.refuse(
                node, "the pullback of a vjp in a checkpoint is called outside of it", "call it inside"
            )
        callee = self.call.target
        place = {p: i for i, p in enumerate(callee.function.params)}
        wanted = argument_leaves(self.named, self.request.wrt, self.request.name, loc)
        given = tuple(i for i, r in enumerate(self.call.results) if r in found)
        made = callee.pullback(tuple(place[v] for v in wanted), given, True)
        pull = self.forward(made)
        incoming = tuple(found[self.call.results[i]] for i in given)
        results = [Value(cotangent_kind(v), "", loc) for v in wanted]
        op = Op(Pull(made), (pull, self.call.args, incoming), {}, results, loc=loc)
        lowerer.builder.region.ops.append(op)
        lowerer.defs.update(dict.fromkeys(results, op))
        outside = dict(zip(callee.function.params, self.call.args, strict=True))
        by_leaf = {
            v: as_argument(lowerer.builder, _like(outside[v], v), d) for v, d in zip(wanted, results, strict=True)
        }
        gradients = tuple(
            lowerer.with_objects(
                denotation(structured(pick(self.named, w, self.request.name, loc), by_leaf)), (), w[0], {}
            )
            for w in self.request.wrt
        )
        if self.positions is None:
            return gradients[0] if self.request.single else gradients
        numbered = dict(zip(self.request.argnums, gradients, strict=True))
        return tuple(numbered.get(i, Known(None)) for i in range(self.positions))

    def forward(self, made: Callee) -> Value:
        """What the pullback keeps, from an operation behind the call."""
        ops, target = self.region.ops, Forward(made)
        at = ops.index(self.call) + 1
        while at < len(ops) and isinstance(ops[at].target, Forward):  # those of other cotangents
            if ops[at].target == target:
                return ops[at].result
            at += 1
        ops.insert(at, Op(target, self.call.args, {}, [Value(PULL, "pull", self.call.loc)], loc=self.call.loc))
        return ops[at].result


def _like(x: Any, parameter: Value) -> Value:
    return x if isinstance(x, Value) else parameter


def _parts(d: Any) -> Iterator[Any]:
    if isinstance(d, tuple | list | dict):
        for x in d.values() if isinstance(d, dict) else d:
            yield from _parts(x)
    else:
        yield d


def _moves(d: Any) -> bool:
    """Is this a number or an array with a derivative?"""
    return any(is_differentiable(v.kind) for v in leaves(d)) or (
        isinstance(d, Known) and type(d.value) in (float, complex)
    )


def pulled(
    lowerer: Any, node: Any, f: Any, *args: Any, argnums: Any = None, of: Any = None, lazy: Any = None,
    reuse_buffers: Any = None,
) -> Any:  # fmt: skip
    """The denotation of `vjp(f, *args, argnums=...)`: the value and the pullback."""
    if lazy is not None and lowerer.static(lazy, node, "lazy"):
        raise lowerer.refuse(node, "vjp(..., lazy=True) is in a function that is compiled, where there are no thunks",
                             "leave lazy out, and name the arguments whose gradients are used in argnums")  # fmt: skip
    function = given_function(lowerer, f, node)
    chosen = None if argnums is None else lowerer.static(argnums, node, "argnums")
    if chosen is None:
        chosen = tuple(i for i, x in enumerate(args) if any(map(_moves, _parts(lowerer.without_objects(x, node)))))
    if of is not None and isinstance(function, Closure):
        raise lowerer.refuse(node, "of= of a function that is defined inside is not supported",
                             "let it return the array, or define it at module level")  # fmt: skip
    left_in = None if of is None else lowerer.static(of, node, "of")
    request = Request(function, tuple(chosen) if isinstance(chosen, list) else chosen, mode="vjp", of=left_in)
    args = lowerer.variable(args, {})
    trees = tuple(lowerer.without_objects(x, node) for x in args)
    argument_leaves(request.named((trees, {})), request.wrt, request.name, lowerer.loc(node))
    inner, named, passed = lowerer.outlined(request, args, {}, node)
    for name, d in named.items():
        if isinstance(d, Value):
            d.hint = name
    results = list(leaves(inner.result))  # one that is returned twice is two results
    inner.body.results = list(results)
    where = f"`{request.name}` ({request.place.short})"
    callee = Callee(inner.name, Function(inner.name, inner.params, inner.body, tuple(results), where))
    around = lifted(callee, lowerer.scope.around)
    lowerer.scope.around.update(around)
    loc = lowerer.loc(node)
    outer = [Value(r.kind, r.hint, loc) for r in results]
    call = Op(callee, (*passed, *around[callee]), {}, outer, False, callee.effect, loc)
    lowerer.builder.region.ops.append(call)
    lowerer.defs.update(dict.fromkeys(outer, call))
    each = iter(outer)
    value = map_tree(lambda _: next(each), denotation(inner.result))
    pullback = Pullback(request, call, lowerer.builder.region, value, named, len(args) if argnums is None else None)
    return lowerer.with_objects(value, (), request.name, {}), pullback


__all__ = ["Pullback", "pulled"]
