"""A function of the IR as the syntax tree of a Python function: what comes in, the statements, what is returned.

def loss(%x) { %y = %x * %x; return %y }       ->       def loss(x): return x * x
"""

import ast
import copy
import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adcompiler.backend.exits import Exits
from adcompiler.backend.loops import Loops
from adcompiler.backend.names import Names
from adcompiler.backend.slots import Slots
from adcompiler.backend.spell import Speller, name, numbered, store
from adcompiler.backend.tapes import Tapes
from adcompiler.backend.unmade import needless
from adcompiler.ir.core import For, Function, If, ListOf, Op, Region, Value, While, leaves, raise_, walk
from adcompiler.ir.library import of
from adcompiler.ir.structure import Attr, Instance, is_plain
from adcompiler.passes.bufferize import Buffers, handed_on
from adcompiler.passes.mark import at_split, give_back, read_by_pullback, split, turn
from adcompiler.passes.missing import filled
from adcompiler.passes.outs import into
from adcompiler.passes.schedule import Schedule
from rules.cotangent import update
from rules.python.instances import instance

#: Names that generated code uses as Python means them: no variable is called so.
BUILTINS = frozenset(
    "zip reversed enumerate slice len range float int complex bool print abs min max round list tuple dict str".split()
)
PULLBACK = "pullback"


@dataclass
class Input:
    """Where a parameter of the IR comes from: an expression with steps; `*` for "of each element".

    `pullback` marks cotangents, which come in where the pullback is called.
    """

    value: Value
    access: str
    steps: tuple[Any, ...] = ()
    captured: bool = False
    pullback: bool = False


@dataclass
class Emitted:
    """A generated function: its tree, the objects its free names stand for, and the functions that it calls.

    `workspace` is the parameter for its workspace, if it has one, `scratch` that of its pullback for one of its own.
    """

    tree: ast.FunctionDef
    free: dict[str, Any] = field(default_factory=dict)
    helpers: list[ast.FunctionDef] = field(default_factory=list)
    workspace: str = ""
    scratch: str = ""


def emit(
    function: Function,
    plan: Schedule,
    buffers: Buffers,
    inputs: list[Input],
    signature: ast.arguments,
    reserved: dict[str, Any],
    names: dict[Any, str],
    free: dict[str, Any],
    called: bool = False,
    keywords: Collection[str] = (),
    apart: Sequence[str] = (),
) -> Emitted:
    """The Python function that computes `function`.

    `reserved` are names that mean something already, `names` those of the functions of the IR that are called, and
    `free` what the free names of these stand for. With `called` it is one of them: it returns its values one by one.
    `keywords` are what its `**kwargs` are passed. `apart` are what gradients are called that have a pullback each.
    """
    speller = Speller(reserved, names, free)
    return _Emitter(function, plan, buffers, inputs, speller, called, keywords, apart).function(signature)


class _Emitter(Loops):
    def __init__(
        self,
        function: Function,
        plan: Schedule,
        buffers: Buffers,
        inputs: list[Input],
        speller: Speller,
        called: bool,
        keywords: Collection[str],
        apart: Sequence[str],
    ) -> None:
        self.f = function
        self.plan = plan
        self.buffers = buffers
        self.inputs = inputs
        self.speller = speller
        self.called = called
        arrays = {*buffers.slots.values(), *buffers.spares.values(), *buffers.lasting.values()}
        self.in_workspace = bool(arrays - buffers.scratch)
        reserved = {**speller.reserved, **dict.fromkeys(speller.functions.values())}
        lasting = {i.value for i in inputs if i.captured} & read_by_pullback(function)  # the module may change them
        whole = [i for i in inputs if not i.steps and i.access.isidentifier() and i.value not in lasting]
        fixed = {i.value: i.access for i in whole}
        direct = {i.access for i in inputs if not i.steps and not i.captured}
        taken = (set(reserved) - direct) | {
            _head(i.access) for i in inputs if i.steps or i.captured or not i.access.isidentifier()
        }
        again = {i.access for i in inputs if i.pullback}
        self.apart = bool(apart)
        self.pullbacks: list[str] = []
        for wanted in [f"{PULLBACK}_{a}" for a in apart] or [PULLBACK] * bool(again):
            busy = {*reserved, *fixed.values(), *taken, *self.pullbacks}
            self.pullbacks.append(next(t for t in numbered(wanted) if t not in busy))
        taken |= {*self.pullbacks, *again}
        workspace = next(t for t in numbered("ws") if t not in {*taken, *reserved, *fixed.values(), *keywords})
        taken |= {workspace} if arrays else set()
        self.used = _used(function.body.ops, (function.result, function.body.results))
        speller.variables.update(str(v.hint) for op in walk(function.body) for v in op.results)
        self._scan_names(function.body)
        frozen = {i.value for i in inputs if i.captured and not i.steps} - lasting
        taken |= set(self.speller.free) | BUILTINS | {"np"}
        self.idle = next(t for n in itertools.count(1) if (t := "_" * n) not in {*taken, *reserved, *fixed.values()})
        self.names = Names(function, plan, buffers, taken | {self.idle}, fixed, frozen)
        self.handed_on = {self.names.find(v) for v in handed_on(function)} | self._moved()
        self.workspace = Slots(workspace, buffers, self.names, {*taken, *reserved})
        speller.assigned = {*self.names.names.values(), *fixed.values(), self.idle, workspace, *self.pullbacks, *again,
                            *self.workspace.lists.values(), *self.workspace.lasting.values()}  # fmt: skip
        self.tapes = Tapes(function, plan, self.names)
        self.exits = Exits(function, plan)
        self.needless = needless(function)
        self.filled = filled(function)
        self.out = []
        self.loc = None
        self.pending = ""
        self.errstate = ()

    def _moved(self) -> set[Value]:
        """The variables that loops and branches assign to others, perhaps before they are assigned themselves."""
        pairs: list[tuple[Any, Any]] = []
        for op in walk(self.f.body):
            if isinstance(op, For | While):
                pairs += zip(op.carried, op.inits, strict=True)
                pairs += zip(op.carried, op.body.results, strict=False)
            elif isinstance(op, If):
                pairs += [pair for side in op.regions for pair in zip(op.results, side.results, strict=False)]
        return {self.names.find(x) for r, x in pairs if isinstance(x, Value) and not self.names.same(r, x)}

    def _scan_names(self, region: Region) -> None:
        """Learn the names of the functions that are called, so that no variable takes one."""
        for op in walk(region):
            if type(op) is Op and op.target not in (update, raise_, turn, split, give_back):
                self.speller.call(op, _anything, _anything)
                if (id(op) in {*self.buffers.into, *self.buffers.slots, *self.buffers.spares}) and (out := into(op)):
                    target = np.dot if id(op) in self.buffers.dots else out.target
                    self.speller.callee(of(target, (op.args, op.kwargs, op.results)))

    def function(self, signature: ast.arguments) -> Emitted:
        sweeps = any(op.target is turn for op in self.f.body.ops)
        self.pending = "forward" if sweeps and self.f.body.ops and self.f.body.ops[0].target is not turn else ""
        self.enter([i for i in self.inputs if not i.pullback], self.used)
        self.open_lists(pullback=False)
        if self.in_workspace:
            signature = _with_parameter(signature, self.workspace.name)
        self.region(self.f.body)
        self.loc = None
        self.add(ast.Return(self.returned()))
        body = self.out
        if self.f.doc:
            body = [ast.Expr(ast.Constant(self.f.doc)), *body]
        tree = ast.FunctionDef(self.f.name, signature, body, [], None)
        ast.fix_missing_locations(tree)
        own, scratch = (self.workspace.name if has else "" for has in (self.in_workspace, self.buffers.scratch))
        return Emitted(tree, self.speller.free, workspace=own, scratch=scratch)

    def open_lists(self, pullback: bool) -> None:
        """Take the lists of arrays from the workspace."""
        for v, spares in self.workspace.lists.items():
            if (v in self.buffers.scratch) is not pullback:
                continue
            kept = self.workspace.lasting.get(v)
            method = f"{self.workspace.name}.{'turned' if kept else 'spares'}"
            call = ast.Call(name(method), [ast.Constant(self.workspace.slot(v))], [])
            targets = ast.Tuple([store(spares), store(kept)], ast.Store()) if kept else store(spares)
            self.add(ast.Assign([targets], call))

    def returned(self) -> ast.expr:
        """What the function returns: its result; with a pullback, the value and that."""
        if at_split(self.f) is None:
            return self.result(self.f.result)
        value, _ = self.f.result
        values = [self.result(x) for x in value] if self.called else [self.result(value)]
        return ast.Tuple([*values, *map(name, self.pullbacks)], ast.Load())

    def enter(self, inputs: list[Input], read: set[Value]) -> None:
        """Give the inputs that are read the names of their variables."""
        for i in inputs:
            if i.value in read and not (not i.steps and i.access == self.names[i.value]):
                self.add(ast.Assign([store(self.names[i.value])], _path(name(i.access), i.steps, self.speller)))

    def pullback(self, number: int, ops: list[Op]) -> None:
        """The operations behind a split, as a function in the function."""
        inputs = [i for i in self.inputs if i.pullback]
        gradients = self.f.result[1][number] if self.apart else self.f.result[1]

        def build() -> None:
            self.loc = None
            self.enter(inputs, _used(ops, gradients))
            self.open_lists(pullback=True)
            self.region(Region([], ops))
            self.loc = None
            self.add(ast.Return(self.result(gradients)))

        cotangents = [ast.arg(a) for a in dict.fromkeys(i.access for i in inputs)]
        signature = ast.arguments([], cotangents, None, [], [], None, [])
        if self.buffers.scratch:
            signature = _with_parameter(signature, self.workspace.name)
        body = self.block(build)
        self.loc = None
        self.add(ast.FunctionDef(self.pullbacks[number], signature, body, [], None))

    def result(self, tree: Any) -> ast.expr:
        """The returned structure: gradients alone, or (value, gradients)."""
        if isinstance(tree, Value):
            return self.expr(tree)
        if hasattr(tree, "_fields"):
            return self.object(tree)
        if isinstance(tree, tuple):
            return ast.Tuple([self.result(x) for x in tree], ast.Load())
        if isinstance(tree, list):
            return ast.List([self.result(x) for x in tree], ast.Load())
        if isinstance(tree, dict):
            return ast.Dict([self.speller.key(k) for k in tree], [self.result(x) for x in tree.values()])
        if isinstance(tree, ListOf):
            return self.rows(tree.element)
        return self.speller.constant(tree)

    def object(self, tree: Any) -> ast.expr:
        """An object or a named tuple, with the attributes that are returned."""
        cls = self.speller.callee(tree.of if isinstance(tree, Instance) else type(tree))
        keywords = [ast.keyword(k, self.result(x)) for k, x in zip(tree._fields, tree, strict=True)]
        if isinstance(tree, Instance) and not tree.called:
            return ast.Call(self.speller.callee(instance), [cls], keywords)
        if not isinstance(tree, Instance) and not is_plain(type(tree)):
            make = ast.Attribute(cls, "_make", ast.Load())
            return ast.Call(make, [ast.Tuple([k.value for k in keywords], ast.Load())], [])
        return ast.Call(cls, [], keywords)

    def rows(self, element: Any) -> ast.expr:
        """A list of structures, of one list for each leaf."""
        values = list(leaves(element))
        targets = [f"{self.names[v]}_k" if v not in self.plan.inlined else f"x_{i}" for i, v in enumerate(values)]
        by_value = dict(zip(values, targets, strict=True))

        def build(x: Any) -> ast.expr:
            if isinstance(x, Value):
                return name(by_value[x])
            if isinstance(x, tuple):
                return ast.Tuple([build(y) for y in x], ast.Load())
            if isinstance(x, dict):
                return ast.Dict([self.speller.key(k) for k in x], [build(y) for y in x.values()])
            return self.speller.constant(x)

        iterable = (
            ast.Call(self.speller.builtin(zip), [self.expr(v) for v in values], [])
            if len(values) > 1
            else self.expr(values[0])
        )
        target: ast.expr = ast.Tuple([store(t) for t in targets], ast.Store()) if len(values) > 1 else store(targets[0])
        return ast.ListComp(build(element), [ast.comprehension(target, iterable, [], 0)])


def _with_parameter(signature: ast.arguments, name: str) -> ast.arguments:
    """The parameters with one more, by keyword."""
    out = copy.copy(signature)
    out.kwonlyargs = [*signature.kwonlyargs, ast.arg(name)]
    out.kw_defaults = [*signature.kw_defaults, None]
    return out


def _used(ops: list[Op], results: Any) -> set[Value]:
    """What operations read, and what is returned."""
    used = set(leaves(results))
    for op in walk(Region([], ops)):
        used.update(op.operands() if op.target is not split else ())
        for sub in op.regions:
            used.update(leaves(sub.results))
    return used


def _anything(x: Any) -> ast.expr:
    return ast.Constant(0)


def _head(access: str) -> str:
    """The name that an access begins with."""
    return access.split(".")[0].split("[")[0]


def _path(base: ast.expr, steps: tuple[Any, ...], speller: Speller) -> ast.expr:
    """`params["W"]`, `[p[0] for p in params]`."""
    for i, step in enumerate(steps):
        if step == "*":
            if not steps[i + 1 :]:
                return base
            element = _path(name("p"), steps[i + 1 :], speller)
            return ast.ListComp(element, [ast.comprehension(store("p"), base, [], 0)])
        attribute = isinstance(step, Attr)
        base = (
            ast.Attribute(base, str(step), ast.Load())
            if attribute
            else ast.Subscript(base, speller.key(step), ast.Load())
        )
    return base
