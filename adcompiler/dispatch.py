"""One look-up a call: the key of the arguments leads to the specialisation.

The code that builds the key is generated for the structure of the arguments, and has the function's own signature,
so that Python binds the call. A key that is not in the table takes the slow path.
"""

import ast
import contextlib
import functools
import linecache
import math
import operator
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from adcompiler.backend.load import load
from adcompiler.compile import Build, build, signature_of, user_line
from adcompiler.errors import UnsupportedError
from adcompiler.frontend.instances import attributes_of, slots
from adcompiler.frontend.kinds import Again, Describe, Known, Unread
from adcompiler.frontend.scope import Access
from adcompiler.guards import PLAIN, Names, can_be_written, code_of, identity, is_same, unchanged
from adcompiler.ir.core import ListOf, Value
from adcompiler.ir.structure import Attr, Instance
from adcompiler.ir.structure import parts as parts_of
from adcompiler.request import Request, from_call
from rules.kind import Array, Lengths, Seq
from rules.workspace import Pool

MAX_VARIANTS = 32
#: Around compilation: it is not re-entered from two threads at once.
COMPILING = threading.RLock()


class Variant:
    """A specialisation, with what tells whether it serves other arguments."""

    def __init__(self, made: Build, function: Any) -> None:
        assert made.run is not None
        self.build = made
        self.code = code_of(function)
        self.run = made.run
        lowered = made.lowered
        self.by_value = frozenset(_known_steps(lowered))
        self.text = _text(lowered.arguments)
        self.key_text, self.key = _key_function(made, function)
        self.captures = _reader([c.access for c in lowered.captured], made)
        self.captured_text = _text([c.tree for c in lowered.captured])
        self.identities = _reader([i.access for i in lowered.identities], made)
        self.expected = tuple(i.value for i in lowered.identities)
        self.codes = tuple(map(code_of, self.expected))
        self.classes = [(k, _looked_up(k)) for k in lowered.classes]

    def serves(self, request: Request, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Were these arguments compiled for: the same kinds, and every guard holds?"""
        env = Lengths()
        describe = Describe(env, self.by_value)
        arguments = from_call(request, args, kwargs)(describe)
        if _text(arguments) != self.text or code_of(request.function) is not self.code:
            return False
        if any(describe.met.get(id(x)) != steps for x, steps in self.build.lowered.touched):
            return False
        if any(_looked_up(k) != names for k, names in self.classes):
            return False
        try:
            now = self.identities()
            if not all(map(is_same, now, self.expected)) or any(map(operator.is_not, map(code_of, now), self.codes)):
                return False
            trees = [describe.tree(x, (f"capture {i}",), "") for i, x in enumerate(self.captures())]
        except Exception:  # what it reads is not there any more, or is something else
            return False
        if _text(trees) != self.captured_text:
            return False
        return all(g.holds(env.sizes) for g in self.build.lowered.env.guards)


def _known_steps(lowered: Any) -> list[tuple[Any, ...]]:
    out: list[tuple[Any, ...]] = []

    def visit(tree: Any, steps: tuple[Any, ...]) -> None:
        if isinstance(tree, Known) and type(tree.value) is int:
            out.append(steps)
        elif isinstance(tree, tuple | list | dict):
            for step, x in parts_of(tree):
                visit(x, (*steps, step))

    for i, tree in enumerate(lowered.arguments.values()):
        visit(tree, (i,))
    for i, c in enumerate(lowered.captured):
        visit(c.tree, (f"capture {i}",))
    return out


def _text(tree: Any) -> str:
    """Kinds and structure as text: equal for arguments that one specialisation serves."""
    if isinstance(tree, Value):
        return str(tree.kind) + (f" x {tree.kind.length}" if isinstance(tree.kind, Seq) else "")
    if isinstance(tree, tuple | list):
        return f"{_class_text(tree)}({', '.join(map(_text, tree))})"
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{_key_text(k)}: {_text(v)}" for k, v in tree.items()) + "}"
    if isinstance(tree, ListOf):
        return f"[{_text(tree.element)}]"
    if isinstance(tree, Again):
        return f"the object at {tree.steps}"
    if isinstance(tree, Unread):
        return f"{tree.cls.__name__} {id(tree.cls)}, not read"
    by_value = isinstance(tree.value, PLAIN)
    return f"{type(tree.value).__name__} {tree.value!r}" if by_value else f"object {id(tree.value)}"


def _key_text(key: Any) -> str:
    """A key of a dict: what is no literal is told by its class and its hash as well."""
    return repr(key) if type(key) in PLAIN else f"{key!r} of {id(type(key))}, {hash(key)}"


def _class_text(tree: Any) -> str:
    """The class of a tuple or list; of an object, its class and the names of its attributes."""
    if not hasattr(tree, "_fields"):
        return type(tree).__name__
    cls = tree.of if isinstance(tree, Instance) else type(tree)
    return f"{cls.__name__} {id(cls)} with {', '.join(tree._fields)} "


#: What a key leads to: a specialisation, and the workspaces of calls with this key if it computes into arrays of those.
Entry: TypeAlias = tuple[Callable[..., Any], Pool | None]


#: The workspaces of calls with one key, where that is found.
Kept: TypeAlias = tuple[Pool, dict[Any, Entry], Any]


class Dispatcher:
    """Calls the right specialisation of one request, compiling it where there is none yet.

    `pools` are the workspaces that are kept, if others keep theirs there as well: then so many for all of them.
    """

    def __init__(self, request: Request, pools: "list[Kept] | None" = None) -> None:
        self.request = request
        self.code = code_of(request.function)
        self.variants: list[Variant] = []
        self.tables: list[tuple[tuple[Any, ...], Callable[..., Any], dict[Any, Entry]]] = []
        self.state: list[Any] = [(_no_key, {})]
        self.pools: list[Kept] = [] if pools is None else pools
        _DISPATCHERS.add(self)

    @functools.cached_property
    def watched(self) -> "Dispatcher":
        """The same in a plain form, where each cotangent is tested to be finite."""
        return Dispatcher(replace(self.request, watched=True, reuse=False, max_workspaces=0))

    def call(self) -> Callable[..., Any]:
        """The function that users call."""
        state, miss = self.state, self.miss

        def gradient(*args: Any, **kwargs: Any) -> Any:
            key, table = state[0]
            try:
                entry = table[key(*args, **kwargs)]
            except Exception:  # another structure, an unhashable static, arguments that do not bind
                entry = None
            run, pool = entry or miss(args, kwargs)
            try:
                if pool is None:
                    return run(*args, **kwargs)
                kwargs[pool.name] = ws = pool.take()
                result = run(*args, **kwargs)
            except Exception as error:
                note_line(error)
                raise
            pool.idle.append(ws)
            return result

        gradient.release = self.release  # type: ignore[attr-defined]
        return gradient

    def split(self) -> Callable[..., tuple[Any, list[Callable[..., Any]]]]:
        """The function that gives the value, and the pullback, or one for each argument."""

        def forward(*args: Any, **kwargs: Any) -> tuple[Any, list[Callable[..., Any]]]:
            key, table = self.state[0]
            try:
                entry = table[key(*args, **kwargs)]
            except Exception:  # as in `call`
                entry = None
            run, pool = entry or self.miss(args, kwargs)
            ws: Any = None
            try:
                if pool is not None and pool.name:
                    kwargs[pool.name] = ws = pool.take()
                value, *pulls = run(*args, **kwargs)
            except Exception as error:
                note_line(error)
                raise
            return value, pulls if pool is None else [pool.until_gone(ws, pull) for pull in pulls]

        return forward

    def miss(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        """The specialisation for a call whose key was not found."""
        if code_of(self.request.function) is not self.code:  # it has been reloaded: its source is read anew
            self.request, self.code = replace(self.request), code_of(self.request.function)
        self.request.named((args, kwargs))
        with COMPILING:
            if _watching and not self.request.watched:
                return self.watched.miss(args, kwargs)
            for i, (_, key, table) in enumerate(self.tables):
                try:
                    entry = table[key(*args, **kwargs)]
                except Exception:  # not the structure that this key is for
                    continue
                self.tables.insert(0, self.tables.pop(i))
                self.state[0] = (key, table)
                return entry
            variant = self.variant(args, kwargs)
            return self.publish(variant, args, kwargs)

    def variant(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Variant:
        for v in self.variants:
            if v.serves(self.request, args, kwargs):
                return v
        if len(self.variants) >= MAX_VARIANTS:
            raise UnsupportedError(
                f"{self.request.name} has been compiled for {MAX_VARIANTS} kinds of arguments, which is the most: "
                "ranks, dtypes, axes of length 1, ints and strings that decide the code count, and objects and "
                "functions outside that are replaced; sizes do not. Make another gradient with grad(...), or pass "
                "what varies as an argument: a float, an array of one rank, an object"
            )
        variant = Variant(build(self.request, from_call(self.request, args, kwargs), Lengths()), self.request.function)
        self.variants.append(variant)
        return variant

    def publish(self, v: Variant, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        known = [row for row in self.tables if row[0] == v.key_text]
        row = known[0] if known else (v.key_text, v.key, {})
        self.tables = [row, *(r for r in self.tables if r is not row)]
        _, key, table = row
        workspace, scratch = ("", "") if (made := v.build.emitted) is None else (made.workspace, made.scratch)
        pool = Pool(workspace, Pool(scratch) if scratch else None) if workspace or scratch else None
        with contextlib.suppress(TypeError):  # an unhashable static: found by the slow path each time
            found = key(*args, **kwargs)
            table[found] = v.run, pool
            if pool is not None:
                self.keep(pool, table, found)
        self.state[0] = (key, table)
        return v.run, pool

    def keep(self, pool: Pool, table: dict[Any, Entry], key: Any) -> None:
        """Keep one pool more, at the cost of the one that has not been used for longest if they are too many."""
        if len(self.pools) >= self.request.max_workspaces:
            self.pools.sort(key=lambda entry: entry[0].used)
            _, old, found = self.pools.pop(0)
            old.pop(found, None)
            for entry in self.pools:
                entry[0].used = False
        self.pools.append((pool, table, key))

    def release(self) -> None:
        """Forget the arrays of earlier calls."""
        with COMPILING:
            mine = [id(table) for _, _, table in self.tables]
            for pool, table, _ in self.pools:
                if id(table) in mine:
                    pool.clear()


_DISPATCHERS: weakref.WeakSet[Dispatcher] = weakref.WeakSet()
#: How many contexts of `debug_nans` there are.
_watching = 0


@contextlib.contextmanager
def debug_nans() -> Iterator[None]:
    """In this context gradients and pullbacks stop at the first cotangent that is not finite.

    They raise FloatingPointError, which quotes the line of the program whose derivative it came out of, and names what
    it is the cotangent of. Each gradient is compiled once more for that, and runs in its plain form, for all threads;
    outside of the context it costs nothing. A pullback of `vjp` is watched if the `vjp` was called in the context.

    >>> import numpy as np
    >>> from adcompiler import grad
    >>> def f(x):
    ...     return np.sum(1.0 / x)
    >>> with debug_nans(), np.errstate(divide="ignore"):
    ...     grad(f)(np.array([1.0, 0.0]))
    Traceback (most recent call last):
        ...
    FloatingPointError:
      File "...", line 2
        return np.sum(1.0 / x)
      the cotangent of x is not finite: -inf at [1]
    """
    _watch(1)
    try:
        yield
    finally:
        _watch(-1)


def _watch(change: int) -> None:
    """Enter or leave a context: all calls take the slow path once, from where they find what serves them."""
    global _watching
    with COMPILING:
        _watching += change
        for d in list(_DISPATCHERS):
            d.state[0] = (_no_key, {})


def note_line(error: Exception) -> None:
    """Add to an exception from generated code which line of the user's that code stands for."""
    trace = error.__traceback__
    while trace is not None:
        place = user_line(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        if place is not None:
            text = linecache.getline(place.file, place.line).strip()
            line = f'File "{place.file}", line {place.line}'
            note = f"Generated from {line}" + (f"\n    {text}" if text else "")
            if note not in getattr(error, "__notes__", ()) and line not in str(error):
                error.add_note(note)
            return
        trace = trace.tb_next


def _no_key(*args: Any, **kwargs: Any) -> None:
    raise LookupError


# ---------------------------------------------------------------------------------------- generated keys
def _key_function(made: Build, function: Any) -> tuple[tuple[Any, ...], Callable[..., Any]]:
    """A function with the user's signature that gives the key of a call, and what tells it from others."""
    lowered = made.lowered
    signature, defaults = signature_of(lowered.source)
    accesses = [*(c.access for c in lowered.captured), *(i.access for i in lowered.identities)]
    names = Names({*lowered.arguments, *lowered.source.cells, *defaults}, accesses)
    parts = _Parts(names, lowered.written)
    if (code := code_of(function)) is not None:
        parts.add(f"{names.of('_function', function)}.__code__ is {names.of('_code', code)} or []")
    for k, cls in enumerate(lowered.classes):  # what is used of a class is guarded; this tells where it is looked up
        parts.add(f"{names.of('_looked_up', _looked_up)}({names.of(f'_class_{k}', cls)})")
    for n, tree in lowered.arguments.items():
        parts.of(tree, n)
    objects = [text for n, tree in lowered.arguments.items() for text in _objects(tree, n, names)]
    has_objects = any(map(_has_objects, lowered.arguments.values()))
    if has_objects:
        objects += [names.of(f"_outside_{k}", x) for k, (x, _) in enumerate(lowered.touched)]
    if len(objects) > 1 and has_objects:
        parts.add(f"{names.of('_which', _which)}({', '.join(objects)})")
    for c in lowered.captured:
        parts.of(c.tree, names.text(c.access))
    for i in lowered.identities:
        parts.add(*unchanged(names.text(i.access), i.value, names))
    body: list[ast.stmt] = [ast.Return(ast.parse(f"({', '.join(parts.texts)},)", mode="eval").body)]
    name = names.fresh("key")
    source = ast.unparse(ast.fix_missing_locations(ast.FunctionDef(name, signature, body, [], None, lineno=1)))
    key = load(
        source,
        name,
        f"<adcompiler key of {lowered.source.name}>",
        lowered.source.globals,
        {**names.free, **defaults},
        lowered.source.cells,
    )
    return (source, *map(id, names.free.values())), key


def _objects(tree: Any, e: str, names: Names) -> Iterator[str]:
    """Where the objects, lists and dicts in an argument are."""
    if isinstance(tree, Instance | Again | list | dict):
        yield e
    if isinstance(tree, tuple | list | dict):
        for step, x in parts_of(tree):
            yield from _objects(x, _step(e, step, names), names)


def _has_objects(tree: Any) -> bool:
    inner = parts_of(tree) if isinstance(tree, tuple | list | dict) else ()
    return isinstance(tree, Instance) or any(_has_objects(x) for _, x in inner)


def _step(e: str, step: Any, names: Names) -> str:
    """A part of what is read by `e`; a key that has no literal has a name."""
    if isinstance(step, Attr):
        return f"{e}.{step}"
    if type(step) in PLAIN and step == step and step not in (math.inf, -math.inf):
        return f"{e}[{step!r}]"
    return f"{e}[{names.of('_key', step)}]"


def _which(*objects: Any) -> tuple[int, ...]:
    """Which of these are one object."""
    first: dict[int, int] = {}
    return tuple(first.setdefault(id(x), i) for i, x in enumerate(objects))


def _names(x: Any) -> tuple[str, ...]:
    """The names of the attributes of an object with slots."""
    return tuple(attributes_of(x))


def _looked_up(cls: type) -> tuple[Any, ...]:
    """Where attributes of a class are found: the names that it has, and the classes that it looks into next."""
    return (*vars(cls), *cls.__bases__)


class _Parts:
    """The expressions that make up a key. What is `written` is tested as well: whether it can be."""

    def __init__(self, names: Names, written: set[Value]) -> None:
        self.names = names
        self.written = written
        self.texts: list[str] = []

    def add(self, *texts: str) -> None:
        self.texts += texts

    def of(self, tree: Any, e: str) -> None:
        """What tells the kind of an input that `e` reads."""
        if isinstance(tree, Value) and isinstance(tree.kind, Array):
            self.add(f"{e}.__class__", f"{e}.dtype", f"{e}.shape")
            if tree in self.written and tree.kind.ndim:
                self.add(f"{self.names.of('_can_be_written', can_be_written)}({e})")
        elif isinstance(tree, ListOf) or (isinstance(tree, Value) and isinstance(tree.kind, Seq)):
            self.add(f"{self.names.of('_list_key', _list_key)}({e})")
        elif isinstance(tree, Value | Unread | Again):
            self.add(f"{e}.__class__")
        elif hasattr(tree, "_fields"):
            self.add(f"{e}.__class__")
            if isinstance(tree, Instance):
                own = f"{self.names.of('_names', _names)}({e})" if slots(tree.of) else f"(*{e}.__dict__,)"
                self.add(own)
            for step, x in parts_of(tree):
                self.of(x, _step(e, step, self.names))
        elif isinstance(tree, tuple | list):
            self.add(f"{e}.__class__", f"{self.names.of('_len', len)}({e})")
            for i, x in enumerate(tree):
                self.of(x, f"{e}[{i}]")
        elif isinstance(tree, dict):
            self.add(f"{e}.__class__", f"(*{e},)")
            for k, x in tree.items():
                self.of(x, _step(e, k, self.names))
        else:
            self.add(*identity(e, tree.value, self.names))


def _list_key(x: Any) -> Any:
    """The key of a list of any length: of its elements, at any depth."""
    if isinstance(x, list | tuple):
        return (x.__class__, *map(_list_key, x))
    if isinstance(x, dict):
        return (dict, *((k, _list_key(v)) for k, v in x.items()))
    shape = getattr(x, "shape", None)
    return (x.__class__, x.dtype, shape) if shape is not None else x.__class__


def _reader(accesses: list[Access], made: Build) -> Callable[[], tuple[Any, ...]]:
    """A function that reads what is captured, as it is now."""
    source = made.lowered.source
    names = Names(source.cells, accesses)
    read = f"({''.join(names.text(a) + ', ' for a in accesses)})"
    name = names.fresh("read")
    file = f"<adcompiler captures of {source.name}>"
    return load(f"def {name}():\n    return {read}\n", name, file, source.globals, names.free, source.cells)
