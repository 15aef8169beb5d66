"""Bugs to plant in the compiler: a fuzz that doesn't find each of them proves nothing.

Each is a mistake of the kind that compilers of this design have made: a patch of one pass or rule, in force
for as long as a context lasts. Functions compiled outside the context keep what they were compiled to.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import gast
import numpy as np

import rules.cotangent
from adcompiler import compile, dispatch
from adcompiler.backend import emit, names, statements
from adcompiler.frontend import frames, lenses, of_objects, scope
from adcompiler.frontend.conditions import Conditions
from adcompiler.frontend.exceptions import Exceptions, Raises
from adcompiler.frontend.header import Shared
from adcompiler.frontend.heap import Heap
from adcompiler.frontend.joins import Joins
from adcompiler.frontend.lenses import Lens
from adcompiler.frontend.lower import Lowerer
from adcompiler.frontend.ownership import PENDING, Ownership
from adcompiler.frontend.records import Bound, Record
from adcompiler.frontend.versions import Versions
from adcompiler.frontend.writers import Writers
from adcompiler.ir.callee import Pull
from adcompiler.ir.core import UNDEF, For, Function, If, Op, Region, Value, While, walk
from adcompiler.passes import activity, adjoint, bufferize, memory, preallocate, simplify, tangent, trace
from rules.cotangent import element, project, update, without_last, zeros_like
from rules.kind import Array, Num
from rules.python import cotangents
from rules.rule import find
from rules.sequences import backwards
from rules.workspace import Pool

Plant = Callable[[], AbstractContextManager[Any]]
PLANTED: dict[str, Plant] = {}
#: The construct without which a bug cannot show: it is looked for in programs that have it.
NEEDS: dict[str, str] = {}
#: Bugs by which the value alone is wrong already, before anything is differentiated.
LOWERING: set[str] = set()
#: Bugs that show where a gradient is differentiated again, and nowhere else.
TWICE: set[str] = set()


def planted(plant: Plant) -> Plant:
    """List a bug under the name of the function that plants it."""
    PLANTED[plant.__name__] = plant
    return plant


def needing(construct: str) -> Callable[[Plant], Plant]:
    """List a bug that only programs with a construct can show."""

    def add(plant: Plant) -> Plant:
        NEEDS[plant.__name__] = construct
        return planted(plant)

    return add


def twice(plant: Plant) -> Plant:
    """List a bug of second derivatives alone."""
    TWICE.add(plant.__name__)
    return planted(plant)


# accumulation


@planted
def accumulation_keeps_only_the_last_term() -> AbstractContextManager[Any]:
    """`y = x * x + x`: of two contributions to one cotangent, the first is lost."""
    add = adjoint._Sweep.add

    def forgetful(self: Any, v: Any, term: Any) -> None:
        if isinstance(v, Value):
            self.cotangents.pop(v, None)
        add(self, v, term)

    return patch.object(adjoint._Sweep, "add", forgetful)


@planted
def projection_is_proved_idle_from_ndim_alone() -> AbstractContextManager[Any]:
    """`(n, 1) * (n, m)`: the cotangent is not summed over the axis that was broadcast."""
    return patch.object(trace, "same_shape", lambda a, b: a.ndim == b.ndim)


# rules


def with_pullback(function: Any, argument: str, body: Callable[..., Any]) -> AbstractContextManager[Any]:
    """Another pullback for one argument of a function's rule, taking the same names."""
    rule = find(function)
    assert rule is not None
    changed = replace(rule.pullbacks[argument], function=body)
    return patch.dict(rule.pullbacks, {argument: changed})


@planted
def sign_of_a_subtrahend_is_missing() -> AbstractContextManager[Any]:
    """`x - y`: the cotangent of y has the wrong sign."""
    return with_pullback(np.subtract, "y", lambda d_z: d_z)


@planted
def arms_of_where_are_swapped() -> AbstractContextManager[Any]:
    """`where(c, x, y)`: x gets what belongs to y."""
    return with_pullback(np.where, "x", lambda d_z, condition: np.where(condition, 0, d_z))


@planted
def repeated_indices_do_not_accumulate() -> AbstractContextManager[Any]:
    """`x[[0, 1, 1]]`: the last of two contributions to an element wins."""
    return patch.object(rules.cotangent, "_basic", lambda index: True)


# branches


def last_if(sweep: Any) -> If | None:
    """The If that the sweep has just built, if it has."""
    ops = sweep.builder.region.ops
    return ops[-1] if ops and isinstance(ops[-1], If) else None


@planted
def contribution_of_the_other_branch_is_dropped() -> AbstractContextManager[Any]:
    """`if c: y = x else: y = x * x`: what the else arm adds to a cotangent that came in is lost."""
    pull_if = adjoint._Sweep.pull_if

    def dropping(self: Any, op: If) -> None:
        before = dict(self.cotangents)
        pull_if(self, op)
        built = last_if(self)
        for v, d in self.cotangents.items():
            if built is not None and d in built.results and before.get(v) is not None:
                built.orelse.results[built.results.index(d)] = before[v]

    return patch.object(adjoint._Sweep, "pull_if", dropping)


@planted
def adjoint_of_a_branch_takes_the_other_arm() -> AbstractContextManager[Any]:
    """`if c: ... else: ...`: the reverse sweep runs the adjoint of the arm that was not taken."""
    pull_if = adjoint._Sweep.pull_if

    def crossed(self: Any, op: If) -> None:
        pull_if(self, op)
        built = last_if(self)
        if built is not None:
            built.then, built.orelse = built.orelse, built.then

    return patch.object(adjoint._Sweep, "pull_if", crossed)


# loops


def after_loop(change: Callable[[Any, Any, For], None]) -> AbstractContextManager[Any]:
    """Change what the adjoint of each loop has become: called with the sweep, the loop and its adjoint."""
    pull_loop = adjoint._Sweep.pull_loop

    def changed(self: Any, op: Any, elements: Any, scanned: Any) -> None:
        pull_loop(self, op, elements, scanned)
        built = [o for o in self.builder.region.ops if isinstance(o, For) and o.loc == op.loc and o is not op]
        if built:
            change(self, op, built[-1])

    return patch.object(adjoint._Sweep, "pull_loop", changed)


@planted
def kept_values_are_read_in_forward_order() -> AbstractContextManager[Any]:
    """What the forward loop kept is not reversed."""

    def forwards(sweep: Any, op: Any, built: For) -> None:
        made = {o.result: o for o in sweep.builder.region.ops if o.target is backwards}
        for i, sequence in enumerate(built.sequences):
            kept = made[sequence].args[0] if sequence in made else None
            if isinstance(kept, Value) and kept in op.results:
                built.sequences[i] = kept

    return after_loop(forwards)


@planted
def kept_value_is_stale() -> AbstractContextManager[Any]:
    """The loop keeps a carried value after its update, where the reverse sweep needs the one before."""

    def stale(sweep: Any, op: Any, built: For) -> None:
        n = len(op.inits)
        following = dict(zip(op.carried, op.body.results[:n], strict=True))
        kept = op.body.results[n:]
        op.body.results[n:] = [following.get(v, v) if isinstance(v, Value) else v for v in kept]

    return after_loop(stale)


@planted
def carried_cotangent_is_not_updated() -> AbstractContextManager[Any]:
    """A cotangent that goes from iteration to iteration stays what it was after the loop."""

    def skipped(sweep: Any, op: Any, built: For) -> None:
        if built.inits:
            built.body.results[0] = built.carried[0]

    return after_loop(skipped)


@planted
def loop_activity_stops_after_one_pass() -> AbstractContextManager[Any]:
    """`a, b = b, f(x)` in a loop: that b makes a active in the next iteration is not seen."""
    forward = activity._forward

    def once(region: Region, varied: set[Value]) -> None:
        forward(region, varied)
        for op in region.ops:
            if isinstance(op, For):
                seen = {v for v in op.inits if isinstance(v, Value) and v in varied}
                for init, param, result in zip(op.inits, op.carried, op.results, strict=False):
                    if init not in seen and isinstance(param.kind, Num):
                        varied.discard(param)
                        varied.discard(result)

    return patch.object(activity, "_forward", once)


# the rest


@planted
def equal_calls_are_merged_whatever_their_keywords() -> AbstractContextManager[Any]:
    """`x.sum(axis=0)` and `x.sum(axis=1)` become one."""
    key = simplify.key_of

    def without_keywords(op: Op) -> Any:
        whole = key(op)
        return None if whole is None else whole[:2]

    return patch.object(simplify, "key_of", without_keywords)


@planted
def rest_of_a_chained_comparison_is_ignored() -> AbstractContextManager[Any]:
    """`0.1 < x < 0.5` is `0.1 < x`."""
    return patch.object(Conditions, "_chained", lambda self, node, result, *rest: result)


# stores


@needing("store: second name")
def a_second_name_is_not_seen() -> AbstractContextManager[Any]:
    """`z = y; y[0] = 1`: z keeps what y was."""
    return patch.object(Ownership, "other_holder", lambda self, v, name, live=None: "")


@needing("store: element")
def a_store_does_not_clear_the_cotangent() -> AbstractContextManager[Any]:
    """`y[0] = 1`: what y was keeps its cotangent at the place."""
    return with_pullback(update, "a", lambda d_b, path, op, value: d_b)


@needing("store: index array")
def each_of_repeated_indices_gets_the_cotangent() -> AbstractContextManager[Any]:
    """`y[[0, 0]] = x`: the first of the two elements is lost, and gets a gradient."""
    return patch.object(cotangents, "_repeats", lambda step: False)


# arrays with several names


def lowering(construct: str) -> Callable[[Plant], Plant]:
    """List a bug of the frontend, by which the lowered program has another value than the function."""

    def add(plant: Plant) -> Plant:
        LOWERING.add(plant.__name__)
        return needing(construct)(plant)

    return add


def moving(change: Callable[[Any, Callable[[], None]], None]) -> AbstractContextManager[Any]:
    """Change what becomes of names when an array gets a new version: called with what gives the names theirs."""
    moved = Versions.moved
    return patch.object(Versions, "moved", lambda self, roots: change(self, lambda: moved(self, roots)))


@lowering("shared: view")
def a_view_keeps_what_its_array_was() -> AbstractContextManager[Any]:
    """`v = a[1:]; a[1] = 1`: v is not read from the new version."""
    return patch.object(Versions, "views_of", lambda self, roots, environments: dict(roots))


@lowering("shared: reversed view")
def a_reversed_view_is_read_straight() -> AbstractContextManager[Any]:
    """`v = a[::-1]; a[0] = 1`: v[0] is 1."""
    seen = Versions.seen

    def straight(self: Any, of: Lens, root: Value) -> Value:
        same = [str(op.args[0].kind) == str(op.results[k].kind) for op, k in of.steps]
        return seen(self, Lens(of.root, tuple(s for s, drop in zip(of.steps, same, strict=True) if not drop)), root)

    return patch.object(Versions, "seen", straight)


@lowering("shared: view")
def a_change_of_a_view_goes_to_the_array_itself() -> AbstractContextManager[Any]:
    """`v = a[::-1]; v[0] = 1`: a[0] is 1."""
    put = Versions.put

    def straight(self: Any, base: Value, of: Lens, path: Any, *rest: Any) -> Value:
        same = len(of.steps) == 1 and of.steps[0][0].args[0].kind.ndim == of.steps[0][0].result.kind.ndim
        return put(self, base, Lens(of.root) if same and path else of, path, *rest)

    return patch.object(Versions, "put", straight)


@lowering("shared: helper writes")
def a_caller_does_not_see_what_a_helper_changes() -> AbstractContextManager[Any]:
    """`step(u)`: u is what it was."""

    def here(lowerer: Any, move: Callable[[], None]) -> None:
        with patch.object(lowerer, "frames", lambda: [lowerer.frame]):
            move()

    return moving(here)


@lowering("shared: written in a branch")
def a_branch_makes_two_arrays_of_one_with_two_names() -> AbstractContextManager[Any]:
    """`b = a; if c: a[0] = 1; a[1] = 2`: b[1] is not 2."""
    result = Joins._result

    def anew(self: Any, x: Any, y: Any, kind: Any, op: Any, known: Any, *rest: Any) -> Value:
        made = known[id(x), id(y)] = result(self, x, y, kind, op, {}, *rest)
        if isinstance(kind, Array):
            self.owned_joins.add(made)
        return made

    return patch.object(Joins, "_result", anew)


@lowering("shared: written in a loop")
def a_name_keeps_what_an_array_was_before_a_loop() -> AbstractContextManager[Any]:
    """`b = a; for i in range(3): a[i] = 1`: b is what it was."""
    leave = Shared.leave

    def forgetful(self: Any, after: Any) -> None:
        frame = self.lowerer.frame
        before = frame.env
        leave(self, after)
        changed = [n for n, d in before.items() if frame.env[n] is not d]
        if len(changed) > 1:
            frame.env = {**frame.env, changed[-1]: before[changed[-1]]}

    return patch.object(Shared, "leave", forgetful)


@lowering("shared: rows at once")
def what_is_yet_to_be_assigned_is_not_moved() -> AbstractContextManager[Any]:
    """`A[0], A[1] = A[1], A[0]`: the second row becomes what the first one was."""

    def pending(lowerer: Any, move: Callable[[], None]) -> None:
        kept = {n: d for n, d in lowerer.frame.env.items() if n.startswith(PENDING)}
        move()
        lowerer.frame.env = {**lowerer.frame.env, **kept}

    return moving(pending)


@lowering("shared: elements of a loop")
def a_loop_reads_what_its_array_was() -> AbstractContextManager[Any]:
    """`for v in y: y[1] = v`: the second element is what it was before the loop."""
    return patch.object(Versions, "temporaries", lambda self: iter(()))


@lowering("shared: closure")
def a_function_keeps_what_an_array_was() -> AbstractContextManager[Any]:
    """`total = made_by(u); u[0] = 1; total()`, where total reads u."""
    return patch.object(frames, "closures", lambda d: iter(()))


@lowering("written: where with out")
def where_is_ignored() -> AbstractContextManager[Any]:
    """`np.sin(x, out=y, where=x > 0)`: all of y is written."""
    into = Writers.into

    def everywhere(self: Any, out: Any, function: Any, args: Any, kwargs: dict[str, Any], node: Any) -> Any:
        return into(self, out, function, args, {k: d for k, d in kwargs.items() if k != "where"}, node)

    return patch.object(Writers, "into", everywhere)


@lowering("shared: reshaped view")
def all_arrays_lie_in_memory_as_c_has_them() -> AbstractContextManager[Any]:
    """`y = x.T * 1.0; z = y.reshape(-1); y[0, 1] = 1`: z is taken for a view."""
    return patch.object(lenses, "is_ordered", lambda v, defs, ordered: True)


# objects, functions as values, handlers


@lowering("object: stored in a branch")
def what_one_branch_stores_to_an_object_is_lost() -> AbstractContextManager[Any]:
    """`if c: p.v = 1`: p.v is what it was."""
    fork_sides = Heap.fork_sides

    def losing(self: Any, before: Any, envs1: Any, envs2: Any) -> None:
        k = next(i for i, (frame, _) in enumerate(before) if frame is self.heap)
        envs1[k].update({n: d for n, d in before[k][1].items() if n in envs1[k]})
        fork_sides(self, before, envs1, envs2)

    return patch.object(Heap, "fork_sides", losing)


@lowering("object: array shared")
def two_objects_have_arrays_of_their_own() -> AbstractContextManager[Any]:
    """`q.u = p.u; p.u[0] = 1`: q.u is what it was."""

    def apart(lowerer: Any, move: Callable[[], None]) -> None:
        before = dict(lowerer.heap.env)
        move()
        changed = [n for n, d in before.items() if lowerer.heap.env.get(n) is not d]
        if len(changed) > 1:
            lowerer.heap.env[changed[-1]] = before[changed[-1]]

    return moving(apart)


@lowering("object: array changed")
def an_array_is_changed_and_not_where_an_object_has_it() -> AbstractContextManager[Any]:
    """`y = p.u; y[0] = 1`: p.u is what it was."""

    def unseen(lowerer: Any, move: Callable[[], None]) -> None:
        before, names = dict(lowerer.heap.env), dict(lowerer.frame.env)
        move()
        if any(lowerer.frame.env.get(n) is not d for n, d in names.items()):
            lowerer.heap.env.update(before)

    return moving(unseen)


@lowering("object: method changes it")
def a_caller_does_not_see_what_a_method_stores() -> AbstractContextManager[Any]:
    """`p.step()`: p is what it was."""
    called = Bound.called

    def forgetful(self: Any, lowerer: Any, args: Any, kwargs: Any, node: Any) -> Any:
        before = dict(lowerer.heap.env)
        found = called(self, lowerer, args, kwargs, node)
        lowerer.heap.env.update(before)
        return found

    return patch.object(Bound, "called", forgetful)


@lowering("object: bound in a branch")
def one_of_two_objects_is_the_first() -> AbstractContextManager[Any]:
    """`r = p if c else q`: r is p."""
    join = Heap.join

    def first(self: Any, a: Any, b: Any, *rest: Any, **more: Any) -> Any:
        if isinstance(a, Record) and isinstance(b, Record) and a.cls is b.cls:
            return a
        return join(self, a, b, *rest, **more)

    return patch.object(Heap, "join", first)


@lowering("object: copied")
def a_copy_is_the_object_itself() -> AbstractContextManager[Any]:
    """`q = copy.copy(p); q.v = 1`: p.v is 1."""
    return patch.dict(of_objects.FUNCTIONS, {copy.copy: lambda lowerer, node, x: x})


@lowering("object: swapped")
def objects_are_swapped_one_after_another() -> AbstractContextManager[Any]:
    """`a, b = b, a`: both are what b was."""
    assign = Lowerer.assign

    def one_by_one(self: Any, target: Any, d: Any, *rest: Any, **more: Any) -> Any:
        if isinstance(d, tuple) and len(d) == 2 and all(isinstance(x, Record) for x in d):
            d = (d[0], d[0])
        return assign(self, target, d, *rest, **more)

    return patch.object(Lowerer, "assign", one_by_one)


@lowering("late closure")
def a_lambda_keeps_what_a_name_was() -> AbstractContextManager[Any]:
    """`f = lambda v: v * w; w = 2.0`: f has the w of before."""
    made = scope.Closure.__init__

    def early(self: Any, node: Any, frame: Any, *rest: Any, **more: Any) -> None:
        if isinstance(node, gast.Lambda):
            frame = copy.copy(frame)
            frame.env = dict(frame.env)
        made(self, node, frame, *rest, **more)

    return patch.object(scope.Closure, "__init__", early)


@lowering("try")
def what_is_raised_is_passed_over() -> AbstractContextManager[Any]:
    """`try: if c: raise ValueError ... except ValueError: ...`: no handler runs, and what follows the `raise` does."""
    raised_at = Exceptions.raised_at

    def passed(self: Any, s: Any, a: Any) -> Any:
        found = raised_at(self, s, a)
        return None if isinstance(found, Raises) else found

    return patch.object(Exceptions, "raised_at", passed)


@lowering("try")
def what_was_changed_before_a_raise_is_undone() -> AbstractContextManager[Any]:
    """`try: p.v = 1; raise ValueError ... except ValueError: ...`: p.v is what it was."""
    attempts, note = Exceptions.stmt_Attempts, Exceptions.note_raised
    begun: list[dict[str, Any]] = []

    def noted(self: Any, node: Any, rest: Any) -> Any:
        begun.append(dict(self.heap.env))
        try:
            return attempts(self, node, rest)
        finally:
            begun.pop()

    def undone(self: Any, attempt: Any, a: Any, found: Any) -> None:
        if begun:
            self.heap.env.update(begun[0])
        note(self, attempt, a, found)

    @contextmanager
    def plant() -> Iterator[None]:
        with patch.object(Exceptions, "stmt_Attempts", noted), patch.object(Exceptions, "note_raised", undone):
            yield

    return plant()


# buffers, names, emission


@needing("store: evolution")
def what_is_kept_is_not_copied() -> AbstractContextManager[Any]:
    """`tape.append(u)`, and then `u[1:] = ...`."""

    init = memory.Memory.__init__

    def forgetful(self: Any, function: Function, decisions: Any, freeze: bool = True) -> None:
        init(self, function, decisions, freeze=False)
        for op in walk(function.body):
            if isinstance(op, For | While):
                self.table.update((r, frozenset({r})) for r in op.results[len(op.inits) :])

    @contextmanager
    def plant() -> Iterator[None]:
        with (
            patch.object(bufferize._Owner, "copy_what_is_kept", lambda self: None),
            patch.object(memory.Memory, "__init__", forgetful),
        ):
            yield

    return plant()


@needing("store: element")
def what_is_alive_is_overwritten() -> AbstractContextManager[Any]:
    """`d_x += t` where d_y is the same array."""
    return patch.object(memory.Memory, "in_the_way", lambda self, x, others: None)


@planted
def the_callers_arrays_are_written() -> AbstractContextManager[Any]:
    """`x[0] = 1` changes the argument."""
    return patch.object(memory.Memory, "ours", lambda self, x: bool(self.roots(x)))


@planted
def views_are_taken_for_new_memory() -> AbstractContextManager[Any]:
    """`v = d.T; d += t`: that v shares memory with d is forgotten, so d is written while v is needed."""
    return patch.object(memory, "shared", lambda op: [])


@planted
def gradients_are_returned_without_a_copy() -> AbstractContextManager[Any]:
    """`x + y`: both gradients are the one array that came in."""

    return patch.object(bufferize._Owner, "copy_results", lambda self: None)


@planted
def variables_that_live_at_once_share_a_name() -> AbstractContextManager[Any]:
    """`y = f(x)` and a later use of x: both are called x."""
    return patch.object(names.Names, "interfere", lambda self, a, b: False)


@planted
def what_a_region_yields_is_assigned_one_after_another() -> AbstractContextManager[Any]:
    """`a, b = b, a` becomes `a = b; b = a`."""

    def one_by_one(self: Any, targets: list[Value], sources: list[Any], none: bool = False) -> None:
        for target, source in zip(targets, sources, strict=False):
            if not self.names.same(target, source) and (none or source is not UNDEF):
                self.assign(target, self.expr(source))

    return patch.object(emit._Emitter, "moves", one_by_one)


@planted
def emitted_updates_lose_repeated_indices() -> AbstractContextManager[Any]:
    """`d[[0, 1, 1]] += t`, where np.add.at is meant."""
    return patch.object(statements, "_repeats", lambda index: False)


# arrays of earlier calls


@planted
def a_slot_is_taken_though_its_array_is_alive() -> AbstractContextManager[Any]:
    """`e = exp(x); s = sin(x); e * s`: both are computed into one array."""
    return patch.object(preallocate._Slots, "free", lambda self, op, roots: True)


@planted
def what_is_returned_has_a_slot() -> AbstractContextManager[Any]:
    """`return d_x`: the next call computes into it."""
    return patch.object(preallocate._Slots, "escaping", lambda self: set())


@planted
def what_is_alive_is_computed_into() -> AbstractContextManager[Any]:
    """`s = sin(e, e)`, and e is read afterwards."""

    class Careless(memory.Memory):
        def in_the_way(self, x: Value, others: set[Value]) -> Value | None:
            return None

    return patch.object(preallocate, "Memory", Careless)


@planted
def arguments_are_computed_into() -> AbstractContextManager[Any]:
    """`y = exp(x, x)` with an argument x that is not read again."""

    class Greedy(memory.Memory):
        def ours(self, x: Any) -> bool:
            return bool(self.roots(x)) and not self.roots(x) & self.frozen

    return patch.object(preallocate, "Memory", Greedy)


@planted
def arrays_of_other_shapes_share_a_slot() -> AbstractContextManager[Any]:
    """`(n,)` and then `(m,)`: the second is computed into the array of the first."""

    def of_one_rank(self: Any, op: Op, slot: Any) -> bool:
        mine, other = op.result.kind, slot.ops[0].result.kind
        roots = {op.result, *(o.result for o in slot.ops)}
        same = (mine.ndim, mine.dtype) == (other.ndim, other.dtype)
        return same and all(self.free(o, roots) for o in (op, *slot.ops))

    return patch.object(preallocate._Slots, "together", of_one_rank)


@planted
def data_tells_the_shape_of_a_slot() -> AbstractContextManager[Any]:
    """`x[x > 0]`: the next call finds an array of another length."""
    return patch.object(preallocate, "_sized", lambda v, known: isinstance(v.kind, Array) and v.kind.ndim > 0)


@planted
def a_workspace_serves_arguments_of_all_shapes() -> AbstractContextManager[Any]:
    """`f(ones(3))`, and then `f(ones(5))` computes into the arrays of 3."""
    publish, pools = dispatch.Dispatcher.publish, dict[Any, Pool]()

    def shared(self: Any, variant: Any, args: Any, kwargs: Any) -> Any:
        with patch.object(dispatch, "Pool", lambda: pools.setdefault(variant, Pool())):
            return publish(self, variant, args, kwargs)

    return patch.object(dispatch.Dispatcher, "publish", shared)


@needing("carried array")
def a_kept_array_is_given_back_twice() -> AbstractContextManager[Any]:
    """`tape.append(h)`: the next call has one array for two iterations."""
    given_back = preallocate._Slots.given_back

    def twice(self: Any, op: Op, before: Any, loop: Any, tape: Any, reader: For, turned: Any) -> bool:
        done = given_back(self, op, before, loop, tape, reader, turned)
        if done:
            again = copy.copy(reader.body.ops[-1])
            reader.body.ops.append(again)
            self.buffers.given[id(again)] = op.result
        return done

    return patch.object(preallocate._Slots, "given_back", twice)


@needing("carried array")
def an_argument_is_given_back() -> AbstractContextManager[Any]:
    """`h = x`, and a loop that keeps what it carries: x is given back with the rest, and the next call writes it."""
    maker = preallocate._Slots.maker

    class Everything(dict[Value, Op]):
        def __contains__(self, v: object) -> bool:
            return True

    def careless(self: Any, loop: Any, v: Any, made: Any) -> Any:
        owning, plan = copy.copy(self.memory), copy.copy(self.plan)
        owning.foreign, plan.defs = set(), Everything(plan.defs)
        with patch.object(self, "memory", owning), patch.object(self, "plan", plan):
            return maker(self, loop, v, made)

    return patch.object(preallocate._Slots, "maker", careless)


# forward mode and the split form


@planted
def product_moves_with_its_first_factor_alone() -> AbstractContextManager[Any]:
    """`x * y`: in forward mode the tangent of y is lost."""
    rule = find(np.multiply)
    assert rule is not None and rule.pushforward is not None
    changed = replace(rule.pushforward, function=lambda x, y, t_x, t_y: t_x * y)
    return patch.object(rule, "pushforward", changed)


@planted
def loop_begins_with_no_tangent() -> AbstractContextManager[Any]:
    """`for ..: s = s * x`: the tangent that s has before the loop is lost."""
    loop = tangent._Sweep.loop

    def forgetful(self: Any, op: Any) -> None:
        before = dict(self.tangents)
        for init in op.inits:
            self.tangents.pop(init, None)
        loop(self, op)
        self.tangents.update({v: t for v, t in before.items() if v in op.inits})

    return patch.object(tangent._Sweep, "loop", forgetful)


@planted
def pullback_reads_the_arrays_of_the_caller() -> AbstractContextManager[Any]:
    """`vjp`: what is kept for the pullback is not copied."""
    return patch.object(compile, "keep", lambda function: function)


# functions that call themselves


@needing("recursion: two calls")
def a_call_gets_the_pullback_of_another() -> AbstractContextManager[Any]:
    """`f(a) + f(b)`: both cotangents go through what one call has kept."""
    pull_call = adjoint._Sweep.pull_call
    kept: dict[Any, Value] = {}

    def confused(self: Any, op: Op) -> None:
        made = len(self.builder.region.ops)
        pull_call(self, op)
        for new in self.builder.region.ops[made:]:
            if isinstance(new.target, Pull):
                new.args = (kept.setdefault(new.target, new.args[0]), *new.args[1:])

    return patch.object(adjoint._Sweep, "pull_call", confused)


@needing("recursion")
def what_a_pullback_keeps_is_written() -> AbstractContextManager[Any]:
    """`y = f(x); y *= 2`: the pullback of f has kept y."""

    def forgetful(self: Any, op: Op) -> None:
        for r in op.results:
            self._set(r, frozenset({r}))

    return patch.object(memory.Memory, "_call", forgetful)


@needing("recursion: in a loop")
def the_pullback_of_one_argument_is_that_of_another() -> AbstractContextManager[Any]:
    """`f(x, w)`: what d_x is asked for gives d_w."""
    pull_call = adjoint._Sweep.pull_call

    def turned(self: Any, op: Op) -> None:
        made = len(self.builder.region.ops)
        pull_call(self, op)
        for new in self.builder.region.ops[made:]:
            if isinstance(new.target, Pull) and len(new.results) == 2:
                new.results.reverse()

    return patch.object(adjoint._Sweep, "pull_call", turned)


# lists


@needing("list: store")
def a_store_into_a_list_leaves_its_cotangent() -> AbstractContextManager[Any]:
    """`a[i] = v`: what comes back for the element goes to the number that was there before, too."""
    own = find(update).pullbacks["a"].function

    def d_a(d_b: Any, path: Any, op: Any, value: Any) -> Any:
        return own(d_b, path, op, value) if hasattr(d_b, "dtype") else d_b

    return with_pullback(update, "a", d_a)


@needing("list: changed in a function")
def lists_that_functions_change_keep_their_first_version() -> AbstractContextManager[Any]:
    """`fill(a)`, which changes a in a loop: the caller goes on with the list that it has passed."""
    own = Lowerer.renamed

    def renamed(self: Any, old: Any, new: Any) -> Any:
        places = own(self, old, new)
        if isinstance(old, scope.Poison):  # it is given back
            first = self.lent.pop(old)
            own(self, new, first) if type(new) is type(first) else None
            return []
        self.lent = {**getattr(self, "lent", {}), new: old}
        return places

    return patch.object(Lowerer, "renamed", renamed)


# second derivatives


@twice
def a_gradient_that_is_summed_is_taken_for_constant() -> AbstractContextManager[Any]:
    """`x * w` with w of one row: the gradient of w is a sum over rows, which moves with x."""
    return with_pullback(project, "d", lambda d_y, d: np.zeros_like(d))


@twice
def an_element_that_is_read_early_has_no_derivative() -> AbstractContextManager[Any]:
    """`if i != 1: y[1] *= y[0]`: the factor that the gradient needs is read before the test."""
    return with_pullback(element, "a", lambda d_y, a, index: np.zeros_like(a))


@twice
@needing("list: append")
def a_list_of_cotangents_that_becomes_shorter_has_no_derivative() -> AbstractContextManager[Any]:
    """`xs.append(x[i])`: going back, the gradients of the elements are taken from the end of a list, one by one."""
    return with_pullback(without_last, "items", lambda d_y, items: zeros_like(items))
