"""Statements -> regions. Names become values; loops carry what they assign.

`lower` gives a pure function whose parameters are the leaves of the arguments and of what is captured.
"""

import importlib
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from adcompiler.errors import Problem, Refusal, UnsupportedError, distinct, problem_at
from adcompiler.frontend.borrowing import Borrowing
from adcompiler.frontend.contexts import Contexts
from adcompiler.frontend.exceptions import Attempted, Exceptions
from adcompiler.frontend.generators import Generators
from adcompiler.frontend.instances import own_classes
from adcompiler.frontend.iteration import Apart, assigned_names, changed_names, grown_places, in_place_names
from adcompiler.frontend.joins import DIVERGES, Diverges, JoinedViews, Returned
from adcompiler.frontend.kinds import Deque, Describe, Known, Leaf, ListOf
from adcompiler.frontend.liveness import read
from adcompiler.frontend.loops import inner_statements
from adcompiler.frontend.objects import Objects
from adcompiler.frontend.operations import no_rule
from adcompiler.frontend.ownership import PENDING, containers
from adcompiler.frontend.records import Record, records
from adcompiler.frontend.recursion import Recursion, Recursive
from adcompiler.frontend.results import Fields
from adcompiler.frontend.scope import (
    Callback,
    Captured,
    Closure,
    Frame,
    Identity,
    Poison,
    Scope,
    Unreturned,
    moment,
    poison_problem,
)
from adcompiler.frontend.source import Source
from adcompiler.frontend.static import Promote, Unroll
from adcompiler.frontend.storage import Place, keep_apart, written_arguments
from adcompiler.frontend.walk import walk_denotation
from adcompiler.frontend.words import construct
from adcompiler.ir.callee import reachable
from adcompiler.ir.core import (
    Function,
    Loc,
    Region,
    Value,
    clone,
    leaves,
    map_tree,
    raise_,
)
from rules.kind import Array, KindError, Lengths, Num, Opaque


@dataclass
class Lowered:
    """A function as IR, and how its parameters are found: argument trees, captured inputs, guards.

    `sources` are the function's and those of all that were lowered in place of their calls; `touched` are objects from
    outside of which it reads something, with where they are among the arguments, None where they are not; `classes` are
    those of its objects, with those that they are derived from.
    """

    function: Function
    source: Source
    arguments: dict[str, Any]
    leaves: list[Leaf]
    captured: list[Captured]
    identities: list[Identity]
    env: Lengths
    result: Any
    free_names: dict[str, Any] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    touched: list[tuple[Any, Any]] = field(default_factory=list)
    classes: list[type] = field(default_factory=list)
    written: set[Value] = field(default_factory=set)


class Lowerer(Borrowing, Contexts, Exceptions, Generators, Objects, Recursion):
    """Lowers one function and all it calls into one region."""

    #: Has a path been given up because it calls what is being lowered?
    unreturned = False

    def __init__(self, scope: Scope, frame: Frame, env: Lengths, differentiate: Callable[..., Any]) -> None:
        super().__init__(scope, frame, env)
        self.differentiate = differentiate
        self.heap = Frame(frame.source)
        self.known_objects = {}
        self.argument_objects = {}
        self.joined_attributes = {}
        self.stack = []
        self.unfolded = {}
        self.promotable_seen = []
        self.callers: list[Frame] = []
        self.pinned: list[tuple[Value, Any]] = []
        self.headers: list[Any] = []
        self.repeats: list[int] = []
        self.splices: list[Any] = []
        self.read_by: dict[Value, Any] = {}
        self.ordered: set[Value] = set()
        self.whole_arrays: set[Value] = set()
        self.views = JoinedViews()
        self.owned_joins: set[Value] = set()
        self.frozen_joins: set[Value] = set()
        self.lowest: dict[Value, int] = {}
        self.classes: dict[Value, frozenset[type]] = {}
        self.ordered_dicts = False
        self.same_objects: list[tuple[Any, Any]] = []
        self.elements_lent: dict[Any, Any] = {}
        self.factories: list[tuple[Any, Any]] = []
        self.lent_lists: set[Value] = set()
        self.passed: list[Any] = []
        self.changed_passed: list[tuple[Any, str, Loc | None]] = []
        self.changed: list[Value] = []
        self.sharers: dict[Value, list[Value]] = defaultdict(list)

    def outlined(self, request: Any, args: Any, kwargs: Any, node: Any) -> tuple[Function, dict[str, Any], list[Value]]:
        """The function of a request, lowered apart for these arguments.

        Gives its IR, the arguments by name, as its parameters, and the value for each parameter. A value that is
        passed twice is two parameters: each has a derivative of its own.
        """
        given: list[Value] = []
        fresh: list[Value] = []
        wall = moment()
        apart: dict[Record, Record] = {}

        def rename(d: Any) -> Any:
            if isinstance(d, Value):
                given.append(d)
                fresh.append(Value(d.kind, d.hint, d.loc))
                return fresh[-1]
            if isinstance(d, Record):
                return self.remade(d, rename, apart)
            return walk_denotation(d, (), lambda x, _: rename(x))

        arguments = tuple(map(rename, args)), {k: rename(v) for k, v in kwargs.items()}
        moved = {k: d for k, d in arguments[1].items() if k not in request.tangent_names}
        self.check_passed_once((*arguments[0], *moved.values()), apart, node)
        named = {n: self.without_objects(d, node) for n, d in request.named(arguments).items()}
        self.arguments |= frozenset(fresh)  # what it writes into is a copy of its own
        self.note_arguments((*arguments[0], *arguments[1].values()))
        for old, new in zip(given, fresh, strict=True):  # ints that turn out to be needed by value are still found
            if isinstance(old.kind, Num) and old.kind.dtype.kind == "i":
                tables: tuple[dict[Value, Any], ...] = (self.promotable, self.loop_elements, self.defs)
                for table in tables:
                    if old in table:
                        table[new] = table[old]
        outer, region = self.builder.region, Region()
        self.builder.region = region
        self.walls.append(wall)
        try:
            f, (positional, named_) = request.function, arguments
            plain = {k: v for k, v in named_.items() if k not in request.tangent_names}
            left = [request.named(arguments)[request.parameter_of(request.of)]] if request.of is not None else []
            with self.kept(PENDING, left) as name:
                result = self.call(f if isinstance(f, Closure) else Known(f), positional, plain, node)
                result = self.frame.env[name][0] if left else result
                result = self.without_objects(result, node)
        finally:
            self.walls.pop()
            self.builder.region = outer
        for p in _poisons(result):
            raise Refusal(poison_problem(p, "the result", self.loc(node)))
        region.results = list(dict.fromkeys(leaves(_plain_tree(result))))
        inner = Function(request.name, fresh, region, _plain_tree(result))
        if any(map(self.scope.is_unfinished, reachable(inner))):
            raise self.refuse(node, "a function that calls itself cannot take the gradient of a call of itself",
                              "take the gradient outside of the recursion")  # fmt: skip
        keep_apart(inner, written_arguments(inner, self.changed))
        return inner, named, given

    def gradient(self, request: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """A call of a gradient or in forward mode: the function is lowered apart, differentiated, and put in place."""
        made: dict[Any, Any] = {}
        args = tuple(self.variable(x, made) if request.moves(i) else x for i, x in enumerate(args))
        kwargs = {k: self.variable(x, made) if request.moves(k) else x for k, x in kwargs.items()}
        if made:  # an object that is in several arguments is one in all of them
            args = tuple(x if request.moves(i) else self.variable(x, made) for i, x in enumerate(args))
            kwargs = {k: x if request.moves(k) else self.variable(x, made) for k, x in kwargs.items()}
        inner, named, given = self.outlined(request, args, kwargs, node)
        pure, tree = self.differentiate(request, inner, named, inner.result, self.loc(node))
        before = moment()
        back = dict(zip(pure.params, given, strict=True))
        ops = clone(Region([], pure.body.ops, list(leaves(tree))), back)
        self.builder.region.ops.extend(ops.ops)
        for op in ops.ops:
            for r in op.results:
                self.defs[r] = op
        seen: set[Value] = set()

        def apart(v: Value) -> Any:
            """What a call returns has memory of its own, each part of it."""
            v = back.get(v, v)
            root = self.lens(v).root
            new = root.id > before and root not in seen and self.is_made_here(root)
            seen.add(root)
            return v if new or not isinstance(v.kind, Array) else self.method_rule("copy", node, v)

        return self.with_objects(map_tree(apart, denotation(tree)), (), request.name, {})

    # ------------------------------------------------------------------------------------- statements
    def body(self, node: Any) -> Any:
        d = self.ending(node)
        if isinstance(d, Diverges) and self.unreturned:
            raise Unreturned
        if isinstance(d, Diverges):
            raise self.refuse(
                node, f"{getattr(node, 'name', 'this function')} raises on every path", "return a value on one of them"
            )
        return d

    def apart_in(self, frame: Frame) -> "Lowerer":
        made = Lowerer(self.scope, frame, self.env, self.differentiate)
        made.heap, made.known_objects, made.argument_objects = self.heap, self.known_objects, self.argument_objects
        made.walls.append(moment())  # what is around it is changed by none of its calls
        frame.born = moment()
        made.repeats.append(moment())
        made.attempts = [Attempted(a.catches) for a in self.attempts[-1:]]
        return made

    def main(self, node: Any) -> Any:
        """The returned denotation of the function that is to be lowered."""
        frame = self.frame
        form, given = self.form_of(node, frame, frame.env)
        if form in self.scope.recursive:
            return self.entered(node, frame, frame.name, dict(frame.env), node)
        self.stack.append((form, self.axes(given.lengths)))
        return self.body(node)

    def called(
        self, form: Any, found: Any, axes: Any, node: Any, frame: Frame, name: str, bound: Any, call: Any
    ) -> Any:
        if next(records(tuple(bound.values())), None) is not None:
            raise self.refuse(call, f"{name} calls itself, and is passed an object, which is not supported",
                              "pass the attributes that it reads, and return what it changes")  # fmt: skip
        return super().called(form, found, axes, node, frame, name, bound, call)

    def template(self, got: Any, progress: Any) -> Any:
        if next(records(got), None) is not None:
            raise self.refuse(self.frame.source.node, "a function that calls itself returns an object, which is not "
                              "supported", "return its attributes")  # fmt: skip
        return super().template(got, progress)

    def ending(self, node: Any) -> Any:
        """The returned denotation of a function's body in the current frame, or DIVERGES."""
        if not isinstance(node.body, list):
            return self.expr(node.body)
        self.frame.body = self.scope.body(node, attempting=self.frame.catches is not None)
        status = self.block(self.frame.body.statements)
        return status.value if isinstance(status, Returned) else status or Known(None)

    def block(self, statements: list[Any]) -> Returned | Diverges | None:
        """Lower statements in order; how they end."""
        self.evaluated[-1].clear()  # the test of an `if`, and what a loop reads, which is pinned
        for i, s in enumerate(statements):
            mark = len(self.builder.region.ops)
            try:
                status = self.statement(s, statements[i + 1 :])
            except Unreturned:
                self.unreturned = True
                return DIVERGES
            except Refusal as refusal:
                if self.frame.source.of_rules:
                    raise
                if refusal.problem is not None and refusal.problem not in self.problems:
                    self.problems.append(refusal.problem)
                del self.builder.region.ops[mark:]
                owners = {path[0] for path in grown_places([s])} - self.frame.locals - set(self.frame.env)
                self.report_opaque(s)
                for name in (changed_names([s]) | in_place_names(s) & set(self.frame.env)) - owners:
                    self.frame.env[name] = Poison(reported=True)
                if isinstance(s, gast.Return):
                    return Returned(Poison(reported=True))
                continue
            if status is not None:
                return status
        return None

    def report_opaque(self, statement: Any) -> None:
        """Report the calls without a rule whose results a refused statement reads: it would be refused for them too."""
        for n in sorted(read(statement) & set(self.frame.env)):
            d = self.frame.env[n]
            op = self.defs.get(d) if isinstance(d, Value) and isinstance(d.kind, Opaque) else None
            if op is not None and not op.regions and no_rule(op) not in self.problems:
                self.problems.append(no_rule(op))

    def statement(self, node: Any, rest: list[Any]) -> Returned | Diverges | None:
        self.builder.loc = self.loc(node)
        outer, self.frame.here = self.frame.here, node
        self.evaluated.append([])
        try:
            return self.handled(node, rest)
        finally:
            self.evaluated.pop()
            self.frame.here = outer

    def handled(self, node: Any, rest: list[Any]) -> Returned | Diverges | None:
        handler = getattr(self, f"stmt_{type(node).__name__}", None)
        if handler is None:
            remedy = _REMEDIES.get(type(node).__name__, "leave it out of the function, or do it before the call")
            raise self.refuse(node, f"{construct(node)} is not supported yet", remedy)
        try:
            return handler(node, rest)
        except KindError as error:
            raise self.refuse(node, str(error), error.remedy) from None

    def stmt_Pass(self, node: Any, rest: list[Any]) -> None:
        return None

    def stmt_Expr(self, node: Any, rest: list[Any]) -> None:
        if not isinstance(node.value, gast.Constant):
            self.expr(node.value)

    def stmt_Assign(self, node: Any, rest: list[Any]) -> None:
        if isinstance(node.value, gast.ListComp | gast.GeneratorExp) and _unpacks(node.targets):
            self.assign(node.targets[0], self.unpacked(node.value))
        else:
            self.assign_all(node.targets, [self.expr(node.value)] * len(node.targets))

    def stmt_AnnAssign(self, node: Any, rest: list[Any]) -> None:
        if node.value is not None:
            self.assign(node.target, self.expr(node.value))

    def stmt_AugAssign(self, node: Any, rest: list[Any]) -> None:
        if self.augmented_item(node):
            return
        if isinstance(node.target, gast.Name):
            name = node.target.id
            self.check_local(name, node)
            self.augmented(Place(name, (), self.read_name(node.target), (), name), node)
        else:
            self.augmented(self.place(node.target, exists=True), node)

    def stmt_Return(self, node: Any, rest: list[Any]) -> Returned:
        return Returned(Known(None) if node.value is None else self.expr(node.value))

    def stmt_Delete(self, node: Any, rest: list[Any]) -> None:
        for target in node.targets:
            if isinstance(target, gast.Tuple | gast.List):
                self.stmt_Delete(gast.copy_location(gast.Delete(list(target.elts)), node), rest)
                continue
            if isinstance(target, gast.Subscript):
                self.deleted(target, node)
                continue
            if isinstance(target, gast.Attribute):
                self.deleted_attribute(target, node)
                continue
            self.check_local(target.id, target)
            gone = "{name} is deleted at line " + f"{node.lineno}"
            self.frame.env[target.id] = Poison(gone, "leave the `del` out", self.loc(node))

    def stmt_Import(self, node: Any, rest: list[Any]) -> None:
        for alias in node.names:
            module = self.imported(alias.name, node)
            first = alias.name.split(".")[0]
            self.bind(alias.asname or first, Known(module if alias.asname else sys.modules[first]))

    def stmt_ImportFrom(self, node: Any, rest: list[Any]) -> None:
        package = "." * node.level + (node.module or "")
        for alias in node.names:
            module = self.imported(package, node)
            if not hasattr(module, alias.name):
                module = self.imported(f"{package}.{alias.name}".replace("..", "."), node)
                self.bind(alias.asname or alias.name, Known(module))
            else:
                self.bind(alias.asname or alias.name, self.scope.attribute(module, alias.name, self.loc(node)))
        self.note_captures()

    def imported(self, name: str, node: Any) -> Any:
        """A module, imported as the function would."""
        try:
            return importlib.import_module(name, self.frame.source.globals.get("__package__"))
        except ImportError as error:
            self.raise_here(type(error), str(error))
            raise self.refuse(node, f"this raises {type(error).__name__}: {error}", "install it, or check the name") \
                from None  # fmt: skip

    def stmt_FunctionDef(self, node: Any, rest: list[Any]) -> None:
        made = self.closure(node, node.name)
        for decorator in reversed(node.decorator_list):
            made = self.call(self.expr(decorator), (made,), {}, decorator)
        self.frame.env[node.name] = made

    def stmt_Global(self, node: Any, rest: list[Any]) -> None:
        for name in sorted(set(node.names) & assigned_names(self.frame.body.statements)):
            raise self.refuse(node, f"the global {name} is assigned, which others see",
                              "pass the value as an argument, and return it")  # fmt: skip

    def stmt_Nonlocal(self, node: Any, rest: list[Any]) -> None:
        for name in node.names:
            if name not in self.frame.borrowed:
                self.frame.env[name] = Poison(reported=True)
                raise self.refuse(node, f"the variable {name} of a function outside is assigned, which others see",
                                  "pass the value as an argument, and return it")  # fmt: skip

    def stmt_Assert(self, node: Any, rest: list[Any]) -> Any:
        error = gast.Call(gast.Name("AssertionError", gast.Load(), None, None), [node.msg] if node.msg else [], [])
        gast.copy_location(error, node)
        gast.fix_missing_locations(error)
        test = gast.copy_location(gast.UnaryOp(gast.Not(), node.test), node)
        return self.branch(test, [gast.copy_location(gast.Raise(error, None), node)], [], [], node)

    def stmt_Raise(self, node: Any, rest: list[Any]) -> Diverges:
        if node.exc is None:
            raise self.refuse(node, "a bare `raise` has nothing to raise again here", "name the exception")
        raised = self.expr(node.exc)
        self.check_uncaught(raised, node)
        error = self.operand(raised)
        cause = (self.operand(self.expr(node.cause)),) if node.cause is not None else ()
        self.builder.effect(raise_, error, *cause)
        return DIVERGES

    def stmt_If(self, node: Any, rest: list[Any]) -> Any:
        return self.branch(node.test, node.body, node.orelse, rest, node)

    def branch(self, test: Any, body: list[Any], orelse: list[Any], rest: list[Any], node: Any) -> Any:
        """An `if`. Where one side returns, what follows it belongs to the other."""
        cond = self.condition(test)
        if isinstance(cond, bool):
            chosen = body if cond else orelse
            if not _returns(chosen):
                return self.block(chosen)
            return self.block([*chosen, *rest]) or Returned(Known(None))
        returns = _returns(body) or _returns(orelse)
        after = rest if returns else []

        def side(statements: list[Any]) -> Callable[[], Any]:
            def run() -> Any:
                status = self.block([*statements, *after])
                if isinstance(status, Diverges):
                    return DIVERGES
                if returns:
                    return status.value if isinstance(status, Returned) else Known(None)
                return Known(None)

            return run

        joined = self.fork(cond, side(body), side(orelse), self.loc(node), statement=True)
        if joined is DIVERGES:
            return DIVERGES
        return Returned(joined) if returns else None

    # ------------------------------------------------------------------------------------- assignment
    def assign(self, target: Any, d: Any) -> None:
        """`target = d`."""
        if isinstance(target, gast.Name):
            self.bind(target.id, d)
        elif isinstance(target, gast.Tuple | gast.List):
            self.unpack(target, d)
        else:
            self.store(target, d)

    def assign_all(self, targets: list[Any], values: list[Any]) -> None:
        """`target = d` one after the other: what is yet to be assigned sees what the first of them change."""
        if len(targets) == 1:
            self.assign(targets[0], values[0])
            return
        with self.kept(PENDING, values) as name:
            for i, target in enumerate(targets):
                values = self.frame.env[name]
                self.frame.env[name] = (*[Known(None)] * (i + 1), *values[i + 1 :])
                self.assign(target, values[i])

    def unpack(self, target: Any, d: Any) -> None:
        items = self.elements(d, target)
        stars = [i for i, t in enumerate(target.elts) if isinstance(t, gast.Starred)]
        n = len(target.elts)
        if (not stars and len(items) != n) or (stars and len(items) < n - 1):
            few = len(items) < n - len(stars)
            least = f"{'at least ' if stars else ''}{n - len(stars)}"
            said = f"not enough values to unpack (expected {least}, got {len(items)})"
            self.raise_here(ValueError, said if few else f"too many values to unpack (expected {n})")
            raise self.refuse(target, f"{len(items)} values are unpacked into {n} names",
                              "name as many variables as there are values")  # fmt: skip
        targets = [t.value if isinstance(t, gast.Starred) else t for t in target.elts]
        if stars:
            k, tail = stars[0], n - stars[0] - 1
            items = [*items[:k], items[k : len(items) - tail], *items[len(items) - tail :]]
        self.assign_all(targets, items)


_REMEDIES = {
    "Try": "test the condition with `if`",
    "ClassDef": "define it at the top of the file",
}


def _unpacks(targets: list[Any]) -> bool:
    """Is this one tuple of names? Then a generator may be read to its end before the first of them is assigned."""
    elements = targets[0].elts if len(targets) == 1 and isinstance(targets[0], gast.Tuple | gast.List) else []
    return bool(elements) and all(isinstance(t, gast.Name) for t in elements)


def _returns(statements: list[Any]) -> bool:
    return any(isinstance(s, gast.Return) for s in inner_statements(statements))


def lower(source: Source, describe: Callable[[Describe], dict[str, Any]], env: Lengths,
          differentiate: Callable[..., Any]) -> Lowered:  # fmt: skip
    """Lower a function for arguments that `describe` builds. Raises UnsupportedError with all problems found.

    Ints that turn out to be needed by value are promoted, and lowering starts again.
    """
    by_value: frozenset[tuple[Any, ...]] = frozenset()
    recursive: dict[Any, tuple[int, ...]] = {}
    made_apart: set[tuple[str, int, int]] = set()
    for _ in range(50):
        fresh = Lengths()
        env.sizes, env.guards, env.equal, env.count = fresh.sizes, fresh.guards, fresh.equal, 0
        scope = Scope(source, env, by_value, recursive, made_apart)
        arguments = describe(scope.describe)
        frame = Frame(
            source,
            {},
            locals=assigned_names(source.node.body) if isinstance(source.node.body, list) else frozenset(),
            name=source.name,
        )
        lowerer = Lowerer(scope, frame, env, differentiate)
        met: dict[Any, Any] = {}
        for i, (n, tree) in enumerate(arguments.items()):
            frame.env[n] = lowerer.with_objects(tree, (i,), n, met)
        found = {i: met.get(steps) for i, steps in scope.describe.met.items()}
        lowerer.argument_objects = {i: d for i, d in found.items() if isinstance(d, Record)}
        lowerer.note_captures()
        lowerer.argument_trees = tuple(frame.env.values())
        lowerer.arguments = frozenset(leaf.value for leaf in scope.leaves)
        lowerer.note_arguments(lowerer.argument_trees)
        lowerer.passed += [d for n, x in lowerer.heap.env.items() for _, d in containers(x, n)]
        problems: list[Problem] = []
        result: Any = None
        try:
            result = lowerer.without_objects(lowerer.main(source.node), source.node)
        except Apart as apart:
            made_apart.add(apart.comprehension)
            continue
        except Recursive as found:
            recursive[found.form] = found.axes
            continue
        except Promote as promote:
            missing = promote.steps - by_value
            if not missing:  # the kind was asked for in words
                raise UnsupportedError(promote.problem) from None
            by_value |= promote.steps
            continue
        except Refusal as refusal:
            if refusal.problem is not None:
                problems.append(refusal.problem)
        except Unroll as unroll:
            problems.append(unroll.problem)
        problems = lowerer.problems + problems or lowerer.globals_changed()
        if not problems:
            where = lowerer.loc(source.node)
            told = (poison_problem(p, "the result", p.loc or where) for p in _poisons(result))
            problems = [p for p in told if p is not None]
        if problems:
            raise UnsupportedError(distinct(problems))
        region = lowerer.builder.region
        region.results = list(dict.fromkeys(leaves(_plain_tree(result))))
        function = Function(source.name if source.name.isidentifier() else "f", [l.value for l in scope.leaves], region,
                            _plain_tree(result))  # fmt: skip
        written = written_arguments(function, lowerer.changed)
        keep_apart(function, written)
        touched = [(x, scope.describe.met.get(i)) for i, x in scope.touched.items()]
        found_classes = dict.fromkeys(k for r in lowerer.known_objects.values() for k in own_classes(r.cls))
        return Lowered(function, source, arguments, scope.leaves, list(scope.captured.values()),
                       scope.guarded(), env, result, scope.free_names,
                       list(scope.sources.values()), touched, list(found_classes), written)  # fmt: skip
    raise UnsupportedError("too many arguments are needed by value")


def _poisons(d: Any) -> Iterator[Poison]:
    """What of a result cannot be had."""
    if isinstance(d, Poison):
        yield d
    elif isinstance(d, tuple | list):
        for x in d:
            yield from _poisons(x)
    elif isinstance(d, dict):
        for x in d.values():
            yield from _poisons(x)


def denotation(tree: Any) -> Any:
    """A tree of values and constants as a denotation."""
    if isinstance(tree, Value | ListOf):
        return tree
    if isinstance(tree, tuple | list | dict):
        return walk_denotation(tree, (), lambda x, _: denotation(x))
    return Known(tree)


def _plain_tree(d: Any) -> Any:
    """A denotation as a tree of values and constants. Lists of structures stay marked."""
    if isinstance(d, Known):
        return d.value
    if isinstance(d, Deque):
        raise UnsupportedError("it returns a deque: return a list of it, list(...)")
    if isinstance(d, ListOf):
        return ListOf(_plain_tree(d.element))
    if isinstance(d, Fields):
        reason = f"it returns what {d.of} gives, of which there are parts alone here"
        raise UnsupportedError(problem_at(d.loc, reason, f"return those that are wanted: {', '.join(d)}"))
    if isinstance(d, Callback):
        raise UnsupportedError(problem_at(d.loc, f"it returns a {d.name}", "call it, and return its result"))
    if isinstance(d, Closure):
        place = Loc(d.frame.source.file, d.node.lineno, d.node.col_offset)
        reason = f"it returns the function {d.name}, which has no derivative"
        raise UnsupportedError(problem_at(place, reason, "call it, and return its result"))
    return walk_denotation(d, (), lambda x, _: _plain_tree(x))
