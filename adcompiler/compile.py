"""The pipeline, a line a stage: a Python function and its arguments in, a running gradient out."""

import ast
import builtins
import itertools
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from adcompiler.backend.emit import Emitted, Input, emit
from adcompiler.backend.load import load
from adcompiler.backend.spell import numbered
from adcompiler.backend.writer import write
from adcompiler.callees import complete
from adcompiler.companions import Companion, companion, companions, plain
from adcompiler.errors import GradientError, UnsupportedError, problem_at
from adcompiler.frontend.closed import closed, is_literal
from adcompiler.frontend.instances import is_made_of_fields
from adcompiler.frontend.iterators import Once
from adcompiler.frontend.kinds import Again, Describe, Known
from adcompiler.frontend.lower import Lowered, lower
from adcompiler.frontend.operations import no_rule
from adcompiler.frontend.scope import Method
from adcompiler.frontend.source import Source
from adcompiler.ir.callee import functions_of, reachable
from adcompiler.ir.core import Function, ListOf, Loc, Op, Value, leaves, walk
from adcompiler.ir.interpret import interpret as run_ir
from adcompiler.ir.printer import show
from adcompiler.ir.structure import Attr, Instance, instance, like, part, written
from adcompiler.ir.structure import parts as parts_of
from adcompiler.passes.activity import active
from adcompiler.passes.adjoining import adjoin
from adcompiler.passes.adjoint import adjoint
from adcompiler.passes.bufferize import bufferize
from adcompiler.passes.capture import capture
from adcompiler.passes.checkpoint import uncheckpoint
from adcompiler.passes.dce import dce
from adcompiler.passes.inline import inline
from adcompiler.passes.inner_sums import inner_sums
from adcompiler.passes.keep import keep
from adcompiler.passes.mark import turn
from adcompiler.passes.pairing import check_pulls, paired
from adcompiler.passes.poles import past_poles
from adcompiler.passes.preallocate import preallocate, separate
from adcompiler.passes.reach import reach
from adcompiler.passes.settled import stored
from adcompiler.passes.simplify import simplify
from adcompiler.passes.singly import singly
from adcompiler.passes.states import keeps_state, stateful
from adcompiler.passes.surgery import check_handed
from adcompiler.passes.tangent import moving_results, tangent
from adcompiler.passes.unthunk import unthunk
from adcompiler.request import Request, from_call, pick
from adcompiler.seeds import Cotangent, cotangents_of, tangents_of
from rules.kind import Array, Lengths, Num, Opaque, is_differentiable, said, specialising

STAGES = (
    "parsed",
    "lower",
    "activity",
    "adjoint",
    "unthunk",
    "inline",
    "simplify",
    "capture",
    "bufferize",
    "source",
)
_numbers = itertools.count(1)


def argument_leaves(
    trees: dict[str, Any], wrt: list[tuple[Any, ...]], name: str, loc: Loc | None = None
) -> list[Value]:
    """The differentiable leaves of the arguments asked for. Raises GradientError where an argument has none."""
    out: list[Value] = []
    for path in wrt:
        tree, w = pick(trees, path, name, loc), written(path)
        check_once(trees, tree, w, name, loc)
        found = [v for v in leaves(tree) if is_differentiable(v.kind)]
        if not found:
            what = (
                _what(tree.kind)
                if isinstance(tree, Value)
                else f"is {said(tree.value)}"
                if isinstance(tree, Known)
                else "holds no float"
            )
            reason = (
                f"{name} cannot be differentiated with respect to {w}, which {what}: "
                "only float and complex arguments have gradients"
            )
            raise GradientError(problem_at(loc, reason, f"pass a float, or leave {w} out of argnums"))
        out.extend(found)
    return out


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _what(kind: Any) -> str:
    """What an argument without a gradient is, in words."""
    noun = {"i": "integer", "u": "integer", "b": "boolean"}.get(kind.dtype.kind if hasattr(kind, "dtype") else "", "")
    return (
        f"is {'an' if noun == 'integer' else 'a'} {noun} {'array' if isinstance(kind, Array) else 'number'} ({kind})"
        if noun
        else f"is {kind}"
    )


def _known_result(f: Function) -> None:
    """Refuse a function that returns what a call without a rule has given."""
    if isinstance(f.result, Value) and isinstance(f.result.kind, Opaque):
        made = [op for op in walk(f.body) if f.result in op.results and type(op) is Op and op.target is not str.format]
        if made:
            raise UnsupportedError(no_rule(made[0]))


def check_cut(request: Request, function: Function, zeros: list[Value]) -> None:
    """Raise GradientError where the gradient by an argument is zero because `int` has cut the argument off."""
    for v in zeros:
        found = reach(function, v)
        cut = next((op for op in found.ends if op.target is int), None)
        if cut is not None and found.result:
            reason = (
                f"the gradient by {v.hint} is zero: the result depends on it through int(...) alone, which is constant"
            )
            remedy = f"leave {v.hint} out of argnums, or stop_gradient({v.hint}) to say that zero is meant"
            raise GradientError(problem_at(cut.loc, f"{reason} between its steps", remedy))


def scalar_output(result: Any, request: Request, loc: Loc | None) -> Any:
    """The number that is differentiated. Raises GradientError where the function returns something else."""
    if request.has_aux:
        if not isinstance(result, tuple) or len(result) != 2:
            raise GradientError(
                problem_at(
                    loc,
                    f"{request.name} with has_aux=True has to return a pair (value, aux)",
                    "return value, aux",
                )
            )
        result = result[0]
    if isinstance(result, Value):
        kind = result.kind
        if isinstance(kind, Num | Array) and kind.ndim == 0 and kind.dtype.kind == "f":
            return result
        what = f"returns {kind}"
    elif type(result) is float:
        return result
    else:
        what = f"returns {_article(type(result).__name__)}" if result is not None else "returns nothing"
    remedy = "return a real number: np.sum(...) of the result, or one element of it"
    kind = getattr(result, "kind", None)
    if isinstance(kind, Num) and kind.dtype.kind == "c":
        remedy = "return a real number: its real part, or np.abs(...) of it"
    elif isinstance(kind, Num) and kind.dtype.kind in "iub":
        remedy = "return a real number: a float that is computed without rounding, comparing or counting"
    elif isinstance(result, Method) and result.name != "flat":
        what, remedy = f"returns the method {result.name}", f"call it: {result.name}(...), and return a real number"
    elif isinstance(result, Method | Once):
        what = "returns an iterator"
    elif result is None:
        remedy = "return a real number: `return value` at the end of every path"
    if isinstance(result, tuple) and len(result) == 2:
        remedy += "; has_aux=True if the second is not to be differentiated"
    raise GradientError(problem_at(loc, f"{request.name} {what}, and a gradient is of one real number", remedy))


def by_attribute(tree: Instance, parts: dict[str, Any]) -> Any:
    """What belongs to the attributes of an object: in a dataclass of its own where that can be made, else in a dict."""
    return instance(tree.of, parts, True) if is_made_of_fields(tree.of, tree._fields) else parts


def check_alone(trees: dict[str, Any], wrt: list[tuple[Any, ...]], name: str, loc: Loc | None) -> None:
    """Raise GradientError where an argument that is differentiated is, or holds, an object of another argument."""
    found = [(again.steps, path) for path, again in _agains(trees, ())]
    names = list(trees)
    for steps, place in found:
        target = (names[steps[0]], *steps[1:])
        for path in wrt:
            inside = target[: len(path)] == path or path[: len(target)] == target
            if place[0] != target[0] and (inside or place[: len(path)] == path):
                reason = f"{written(place)} is the same object as {written(target)}, and {name} is differentiated "
                reason += f"with respect to {written(path)}"
                remedy = "pass a copy of it: copy.deepcopy(...)"
                raise GradientError(problem_at(loc, reason, remedy))


def _agains(tree: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Again]]:
    """The objects that are met again, with where that is."""
    if isinstance(tree, Again):
        yield path, tree
    for step, x in parts_of(tree) if isinstance(tree, tuple | list | dict) else ():
        yield from _agains(x, (*path, step))


def check_once(trees: dict[str, Any], tree: Any, text: str, name: str, loc: Loc | None) -> None:
    """Raise GradientError where an object of floats that is differentiated is met a second time."""
    for step, x in parts_of(tree) if isinstance(tree, tuple | list | dict) else ():
        check_once(trees, x, written((text, step)), name, loc)
    if not isinstance(tree, Again):
        return
    first: Any = list(trees.values())
    for step in tree.steps:
        first = part(first, step)
    if any(is_differentiable(v.kind) for v in leaves(first)):
        reason = f"{text} is an object that {name} is given more than once, and that is differentiated"
        remedy = "name the attributes in argnums that are meant, as in 'model.W', or pass a copy of the object"
        raise GradientError(problem_at(loc, reason, remedy))


def structured(tree: Any, by_leaf: dict[Value, Any]) -> Any:
    """The gradient of an argument, the tangent of a result, in its structure; None for leaves that have none."""
    if isinstance(tree, Value):
        return by_leaf.get(tree)
    if isinstance(tree, Instance):
        return by_attribute(tree, {k: structured(x, by_leaf) for k, x in zip(tree._fields, tree, strict=True)})
    if isinstance(tree, tuple | list):
        return like(tree, (structured(x, by_leaf) for x in tree))
    if isinstance(tree, dict):
        return {k: structured(x, by_leaf) for k, x in tree.items()}
    if isinstance(tree, ListOf):
        return ListOf(structured(tree.element, by_leaf))
    return type(tree)(0) if isinstance(tree, float | complex) else None


#: The text and the tree of what was generated, by the name that tracebacks show.
_generated: dict[str, tuple[str, ast.AST]] = {}


def user_line(filename: str, line: int) -> Loc | None:
    """The place in the user's source that a line of generated code stands for; None if it is not generated."""
    if filename not in _generated:
        return None
    text, tree = _generated[filename]
    written = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt))
    emitted = (n for n in ast.walk(tree) if isinstance(n, ast.stmt))
    best: tuple[int, Loc | None] = (1 << 30, None)
    for w, e in zip(written, emitted, strict=False):
        length = (w.end_lineno or 0) - w.lineno
        if w.lineno <= line <= (w.end_lineno or 0) and hasattr(e, "place") and length < best[0]:
            best = (length, e.place)
    return best[1]


@dataclass
class Build:
    """One specialisation, stage by stage."""

    request: Request
    lowered: Lowered
    stages: dict[str, Function] = field(default_factory=dict)
    active: set[Value] = field(default_factory=set)
    wrt: list[Value] = field(default_factory=list)
    cotangents: list[Cotangent] = field(default_factory=list)
    beside: list[Companion] = field(default_factory=list)
    text: str = ""
    emitted: Emitted | None = None
    run: Callable[..., Any] | None = None
    result: Any = None

    def returned(self, result: Any) -> Any:
        """What the generated function returns, from the result of a stage."""
        if self.request.mode == "jvp":
            return _with_tangent(self.stages["lower"], result)
        return _returned(self.request, result, self.lowered.arguments, self.wrt)

    def text_of(self, stage: str) -> str:
        """What `adc show-ir --stage` prints."""
        if stage == "parsed":
            return _parsed(self.lowered.source)
        if stage == "source":
            return self.text
        if stage == "activity":
            return show(self.stages["lower"], self.active)
        if stage not in self.stages:
            raise ValueError(f"there is no stage {stage} of {self.request.mode}, only {', '.join(self.stages)}")
        f = self.stages[stage]
        if stage in ("capture", "keep", "bufferize"):
            beside = [c.function for c in self.beside]
        elif stage == "lower":
            beside = [c.function for c in reachable(f) if c.function is not None]
        else:
            beside = [g for c in reachable(f) if (g := c.split or c.function) is not None]
        return "\n".join(show(g) for g in [f, *beside])


def _parsed(source: Source) -> str:
    import gast

    tree = gast.gast_to_ast(source.node)
    return write(tree) if isinstance(tree, ast.stmt) else ast.unparse(tree) + "\n"


def derive(
    request: Request,
    function: Function,
    wrt: list[Value],
    seeds: list[tuple[Value, Any]],
    primal: Any,
    build: Build | None = None,
) -> Function:
    """Differentiate pure IR: activity, adjoint, unthunk, inline, simplify, capture. The result is pure again."""
    pulled = request.mode == "vjp"
    stages: dict[str, Function] = {} if build is None else build.stages
    reached = active(function, wrt)
    if build is not None:
        build.active = reached
        check_cut(request, function, [v for v in wrt if v not in reached])
    check_handed(function, reached)
    last = build is not None  # nothing of it is differentiated again
    stages["adjoint"] = f = adjoint(
        function, wrt, reached, seeds, primal, pulled, states=last, watched=last and request.watched
    )
    stages["unthunk"] = f = unthunk(f)
    inlined = request.inline or not last
    f = dce(inline(f, inlined))
    stages["inline"] = f
    stages["simplify"] = f = simplify(f)
    complete(f, inlined, last and request.watched)
    stages["capture"] = f = simplify(capture(stateful(paired(f), inlined) if last else f))
    if pulled:
        stages["keep"] = f = keep(plain(f))
    return f


def push(request: Request, function: Function, tangents: dict[Value, Any], build: Build | None = None) -> Function:
    """Forward mode of pure IR: activity, tangent, inline, simplify, capture. The result is pure again."""
    stages: dict[str, Function] = {} if build is None else build.stages
    function = uncheckpoint(function)  # nothing is kept
    reached = active(function, list(tangents), forward=True)
    if build is not None:
        build.active = reached
    stages["tangent"] = f = dce(tangent(function, tangents, reached))
    inlined = request.inline or build is None
    f = dce(inline(f, inlined))
    stages["inline"] = f
    stages["simplify"] = f = simplify(f)
    complete(f, inlined)
    stages["capture"] = f = simplify(capture(f if build is None else paired(f)))
    return f


def nested(request: Request, inner: Function, named: dict[str, Any], result: Any, loc: Loc) -> tuple[Function, Any]:
    """The derivative of a function called inside one that is being lowered: pure IR, and its result's tree."""
    if request.mode == "jvp":
        pure = push(request, inner, tangents_of(request, named, loc))
        return pure, _with_tangent(inner, pure.result)
    wrt = argument_leaves(named, request.wrt, request.name, loc)
    pure = derive(request, inner, wrt, _of_one(scalar_output(result, request, loc)), _primal(request, result))
    pure.body.ops = [op for op in pure.body.ops if op.target is not turn]
    return pure, _returned(request, pure.result, named, wrt)


def _by_argument(request: Request, trees: dict[str, Any], wrt: list[Value]) -> list[list[int]]:
    """Which of the leaves `wrt` are those of each argument."""
    numbers = iter(range(len(wrt)))
    found = [leaves(pick(trees, path, request.name, None)) for path in request.wrt]
    return [[next(numbers) for v in tree if is_differentiable(v.kind)] for tree in found]


def _of_one(output: Any) -> list[tuple[Value, Any]]:
    """The seed of a gradient: nothing flows back from a constant."""
    return [(output, 1.0)] if isinstance(output, Value) else []


def _primal(request: Request, result: Any) -> Any:
    if request.value or request.mode == "vjp":
        return result
    return result[1] if request.has_aux else None


def _returned(request: Request, result: Any, trees: dict[str, Any], wrt: list[Value]) -> Any:
    """What the generated function returns, from (primal, gradients of leaves)."""
    primal, gradients = result
    by_leaf = dict(zip(wrt, gradients, strict=True))
    out = tuple(structured(pick(trees, w, request.name, None), by_leaf) for w in request.wrt)
    d = out[0] if request.single else out
    if request.value or request.mode == "vjp":
        return (primal, out if request.apart else d)
    return (d, primal) if request.has_aux else d


def _with_tangent(function: Function, result: Any) -> Any:
    """(value, tangent of the value), from (value, tangents of the leaves that can have one)."""
    value, tangents = result
    return value, structured(function.result, dict(zip(moving_results(function), tangents, strict=True)))


def build(request: Request, describe: Callable[[Describe], dict[str, Any]], env: Lengths, ahead: bool = False) -> Build:
    """Compile one specialisation; `ahead` of time it reads nothing but its arguments, and is not loaded.

    Raises UnsupportedError, GradientError.
    """
    source = request.source
    loc = request.place

    def arguments(d: Describe) -> dict[str, Any]:
        """The arguments, refused before the function is read where they hold nothing to differentiate."""
        trees = describe(d)
        check_alone(trees, request.wrt, request.name, loc)
        argument_leaves(trees, request.wrt, request.name, loc)
        return trees

    with specialising(env):
        lowered = lower(request.entry, arguments, env, nested)
        if ahead:
            lowered = closed(lowered)
        made = Build(request, lowered)
        check_pulls(lowered.function)
        made.stages["lower"] = f = dce(adjoin(lowered.function))
        _known_result(f)
        made.wrt = wrt = argument_leaves(lowered.arguments, request.wrt, request.name, loc)
        if request.mode == "jvp":
            g = push(request, f, tangents_of(request, lowered.arguments, loc), made)
        elif request.mode == "vjp":
            made.cotangents = cotangents_of(request, f.result, loc)
            g = derive(request, f, wrt, [(c.of, c.parameter) for c in made.cotangents], f.result, made)
        else:
            seeds = _of_one(scalar_output(f.result, request, loc))
            g = derive(request, f, wrt, seeds, _primal(request, f.result), made)
        g = stored(inner_sums(past_poles(plain(g))))
        if request.apart:
            made.stages["singly"] = g = singly(g, _by_argument(request, lowered.arguments, wrt))
        made.beside = companions(g, _taken(request, lowered), request.inline)
        once = request.mode == "grad"  # a pullback has a workspace that others had before
        apart = separate(g, once) if request.max_workspaces else set()
        states = bool(request.max_workspaces) and once and keeps_state(g)
        g, plan, buffers = bufferize(g, request.reuse, apart)
        plan = preallocate(g, plan, buffers, apart, once) if apart or states else plan
        made.result = g.result
        made.stages["bufferize"] = Function(g.name, g.params, g.body, g.result)
        inputs = _inputs(lowered, dict(zip((x.value for x in lowered.leaves), g.params, strict=False)))
        inputs += [Input(c.parameter, c.access, c.steps, pullback=True) for c in made.cotangents]
        g = Function(_generated_name(request, lowered), g.params, g.body, made.returned(g.result), _doc(request))
        signature, defaults = signature_of(request.entry)
        reserved = _reserved(lowered)
        names = {c.target: c.name for c in made.beside}
        helpers: list[ast.FunctionDef] = []
        known: dict[str, Any] = {}
        for c in made.beside:
            around = {n: o for n, o in reserved.items() if n not in lowered.arguments}
            helper = companion(c, names, around, known, request.reuse)
            helpers.append(helper.tree)
            known.update(helper.free)
        keywords = lowered.arguments[signature.kwarg.arg] if signature.kwarg else ()
        emitted = emit(g, plan, buffers, inputs, signature, reserved, names, known, keywords=keywords,
                       apart=[_identifier(w) for w in request.wrt] if request.apart else ())  # fmt: skip
    tree: ast.Module | ast.stmt = ast.Module([*helpers, emitted.tree], []) if helpers else emitted.tree
    made.text = write(tree)
    free = {**known, **emitted.free, **{n: o for c in lowered.captured for n, o in c.access.free}, **defaults}
    made.emitted = Emitted(emitted.tree, free, helpers, emitted.workspace, emitted.scratch)
    if ahead:
        return made
    filename = f"<adcompiler {g.name} {next(_numbers)}>"
    cells = {n: c for n, c in source.cells.items() if n not in free}
    _generated[filename] = (made.text, tree)
    made.run = load(made.text, g.name, filename, source.globals, free, cells)
    weakref.finalize(made.run, _generated.pop, filename, None).atexit = False
    return made


def _identifier(path: tuple[Any, ...]) -> str:
    """A name for what belongs to an argument or a part of one."""
    return "".join(c if c.isalnum() else "_" for c in "_".join(map(str, path)))


def _taken(request: Request, lowered: Lowered) -> set[str]:
    """Names that no companion may have."""
    functions = [f for c in reachable(lowered.function) for f in functions_of(c)]
    arguments = {*lowered.arguments, *(p.hint for f in functions for p in f.params)}
    return {
        _generated_name(request, lowered),
        *_reserved(lowered),
        *arguments,
        *lowered.source.globals,
        *dir(builtins),
        "np",
    }


def _generated_name(request: Request, lowered: Lowered) -> str:
    """What the generated function is called: as nothing that it reads or has around it."""
    reserved = _reserved(lowered)
    return next(n for n in numbered(f"{request.name.rstrip('_')}_{request.mode}") if n not in reserved)


def _doc(request: Request) -> str:
    """What a generated function says of itself."""
    source = request.source
    where = f"`{source.name}` ({request.place.short})"
    if request.of is not None:
        where = f"`{request.whole.parameter_of(request.of)}` after {where}"
    if request.mode == "jvp":
        return f"Value and tangent of {where} along {', '.join(request.tangents.values())}."
    names = ", ".join(map(written, request.wrt))
    if request.mode == "vjp":
        pullback = "pullbacks" if request.apart and not request.single else "pullback"
        return f"Value of {where}, and the {pullback} of its cotangent to {names}."
    return f"{'Value and gradient' if request.value else 'Gradient'} of {where} with respect to {names}."


def _reserved(lowered: Lowered) -> dict[str, Any]:
    """What names mean already where the generated function stands; the module may hide builtins."""
    source = lowered.source
    out: dict[str, Any] = {n: x for n, x in source.globals.items() if getattr(builtins, n, x) is not x}
    out.update(lowered.free_names)
    out.update((n, object()) for n in lowered.arguments)
    for c in lowered.captured:
        head = c.access.text.split(".")[0].split("[")[0]
        out.setdefault(head, c)
    return {**out, **{n: n for n in source.cells if n not in out}}


def _inputs(lowered: Lowered, actual: dict[Value, Value]) -> list[Input]:
    names = list(lowered.arguments)
    out = []
    for leaf in lowered.leaves:
        head = leaf.steps[0]
        if isinstance(head, int):
            access, captured = names[head], False
        else:
            captured = True
            access = lowered.captured[int(head.split()[1])].access.text
        out.append(Input(actual[leaf.value], access, leaf.steps[1:], captured))
    return out


def signature_of(source: Source) -> tuple[ast.arguments, dict[str, Any]]:
    """The user's parameters for a generated function; defaults that are no literals become free names."""
    a, free = source.node.args, dict[str, Any]()

    def default(name: str) -> ast.expr | None:
        if name not in source.defaults:
            return None
        value = source.defaults[name]
        if is_literal(value):
            return ast.Constant(value)
        around = {*source.globals, *source.cells, *free}
        chosen = next(n for n in numbered(f"_default_{name}") if n not in around)
        free[chosen] = value
        return ast.Name(chosen, ast.Load())

    positional = [p.id for p in (*a.posonlyargs, *a.args)]
    given = [d for d in map(default, positional) if d is not None]
    return ast.arguments(
        posonlyargs=[ast.arg(p.id) for p in a.posonlyargs],
        args=[ast.arg(p.id) for p in a.args],
        vararg=ast.arg(a.vararg.id) if a.vararg else None,
        kwonlyargs=[ast.arg(p.id) for p in a.kwonlyargs],
        kw_defaults=[default(p.id) for p in a.kwonlyargs],
        kwarg=ast.arg(a.kwarg.id) if a.kwarg else None,
        defaults=given,
    ), free


def interpret(
    f: Callable[..., Any], args: tuple[Any, ...], stage: str = "lower", argnums: Any = None, checked: bool = False,
    tangents: tuple[Any, ...] | None = None, cotangents: tuple[Any, ...] | None = None,
) -> Any:  # fmt: skip
    """Run the IR of `f` after `stage` with the interpreter, for these arguments; `checked` tests every kind.

    "lower" gives the value of `f`; the stages from "adjoint" to "capture" give (value, gradients). With `tangents` of
    the arguments in `argnums` the stages from "tangent" to "capture" give (value, tangent); with `cotangents`, one for
    each float leaf of the result, those from "adjoint" to "keep" give (value, gradients).
    """
    mode = "jvp" if tangents is not None else "vjp" if cotangents is not None else "grad"
    request = Request(f, 0 if argnums is None else argnums, value=True, mode=mode)
    env = Lengths()
    moves = {} if tangents is None else dict(zip(request.tangents.values(), tangents, strict=True))
    describe = from_call(request, args, moves)
    if stage == "lower":
        with specialising(env):
            lowered = lower(request.entry, describe, env, nested)
            complete(lowered.function)
            return run_ir(lowered.function, leaf_values(lowered, args, moves, request), checked)
    made = build(request, describe, env)
    function = made.stages[stage]
    values = [*leaf_values(made.lowered, args, moves, request), *(cotangents or ())]
    returned = Function(function.name, function.params, function.body, made.returned(function.result))
    with specialising(env):
        return run_ir(returned, values, checked)


def leaf_values(lowered: Lowered, args: tuple[Any, ...], kwargs: dict[str, Any], request: Request) -> list[Any]:
    """The values of the IR's parameters for a call."""
    named = list(request.named((args, kwargs)).values())
    out = []
    for leaf in lowered.leaves:
        head = leaf.steps[0]
        root = named[head] if isinstance(head, int) else lowered.captured[int(head.split()[1])].value
        out.append(_follow(root, leaf.steps[1:]))
    return out


def _follow(x: Any, steps: tuple[Any, ...]) -> Any:
    for i, s in enumerate(steps):
        if s == "*":
            return [_follow(e, steps[i + 1 :]) for e in x]
        x = getattr(x, s) if isinstance(s, Attr) else x[s]
    return x
