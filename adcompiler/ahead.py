"""Ahead of time: the gradient of a function as a Python module, for the kinds of arguments that are asked for."""

import ast
import hashlib
import importlib.metadata
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from adcompiler.backend.aot import Variant, module
from adcompiler.compile import Build, build
from adcompiler.dispatch import COMPILING
from adcompiler.frontend.closed import source_text
from adcompiler.frontend.kinds import Known
from adcompiler.ir.core import ListOf, Value, leaves
from adcompiler.request import Request, from_text
from rules.kind import Length, Lengths, Seq
from rules.workspace import MAX_WORKSPACES


class PathError(ValueError):
    """A file that the module must not be written to."""


def compile_module(
    f: Callable[..., Any],
    path: str | os.PathLike[str] | None = None,
    *,
    signatures: Sequence[str] | str,
    argnums: Any = 0,
    value: bool = False,
    has_aux: bool = False,
    of: Any = None,
    reuse: bool = True,
    workspaces: bool = False,
) -> str:
    """The text of a Python module with the gradient of `f`; written to the file `path`, unless that is None.

    The module has one function, `<name>_grad`, or `<name>_value_and_grad` with `value`. It imports NumPy and `rules`,
    and never adcompiler. Each of `signatures`, such as "f64[n,m], f64[m], float", is a variant of the function; a call
    with arguments that fit none of them is a TypeError. With `workspaces` the module keeps arrays from call to call, as
    `grad` does. The other arguments are those of `adcompiler.grad`.

    Raises:
        UnsupportedError: as `grad` at its first call; and where `f` reads an array or a list from outside, has a
            default that is no literal, or calls by name what the module could not import.
        GradientError: the result is not one real number, or an argument of `argnums` is not of floats.
        SignatureError: a signature cannot be read.
        PathError: `path` is the file that `f` is defined in, or would hide the package `rules`.
        ValueError: `signatures` is empty.
        OSError: the file cannot be written.
    """
    signatures = [signatures] if isinstance(signatures, str) else list(dict.fromkeys(signatures))
    if not signatures:
        raise ValueError("a module is compiled for at least one signature")
    argnums = tuple(argnums) if isinstance(argnums, list) else argnums
    request = Request(
        f, argnums, value, has_aux, reuse=reuse, max_workspaces=MAX_WORKSPACES if workspaces else 0, of=of
    )
    if path is not None:
        _refuse_path(Path(path), request)
    with COMPILING:
        made = [build(request, from_text(request, text), Lengths(), ahead=True) for text in signatures]
    text = _text(request, made)
    if path is not None:
        Path(path).write_bytes(text.encode())
    return text


def _refuse_path(path: Path, request: Request) -> None:
    if path.name == "rules.py":
        raise PathError("a module rules.py would hide the package `rules` that it needs; give it another name")
    if path.exists() and Path(request.source.file).exists() and path.samefile(request.source.file):
        raise PathError(f"{path} is the file in which {request.name} is defined; write to another one")


def _text(request: Request, made: list[Build]) -> str:
    version = importlib.metadata.version("adcompiler")
    emitted = [m.emitted for m in made if m.emitted is not None]
    doc = ast.get_docstring(emitted[0].tree)
    advice = f"Written by adcompiler {version}. To change it, change `{request.name}` and compile it again."
    variants = [
        Variant(e, {n: _kinds(tree, m) for n, tree in m.lowered.arguments.items()}, _guards(m))
        for e, m in zip(emitted, made, strict=True)
    ]
    constants = {"ADCOMPILER_VERSION": version, "SOURCE_SHA256": _digest(made)}
    function = f"{request.name.rstrip('_')}_{'value_and_grad' if request.value else 'grad'}"
    own = next(filter(None, (s.globals.get("__name__") for s in made[0].lowered.sources)), "")
    return module(function, f"{doc}\n\n{advice}\n", constants, variants, request.place, own)


def _digest(made: list[Build]) -> str:
    """Of the text of each function that went in, and of the constants."""
    digest = hashlib.sha256()
    for text in dict.fromkeys(
        [source_text(s) for m in made for s in m.lowered.sources]
        + [f"{c.name} = {c.value!r}" for m in made for c in m.lowered.captured]
    ):
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def _guards(made: Build) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(g) for g in made.lowered.env.guards))


def _kinds(tree: Any, made: Build) -> Any:
    """An argument's kind in the form of `rules.entry.Signature`; a list's length where a guard names it."""
    if isinstance(tree, Value):
        if not isinstance(tree.kind, Seq):
            return str(tree.kind)
        return [str(tree.kind.element), *_named(tree.kind.length, made)]
    if isinstance(tree, ListOf):
        inner = _elements(tree.element)
        return [inner, *_named(next(leaves(tree.element)).kind.length, made)]
    if isinstance(tree, tuple):
        return tuple(_kinds(x, made) for x in tree)
    if isinstance(tree, dict):
        return {k: _kinds(x, made) for k, x in tree.items()}
    assert isinstance(tree, Known), tree
    return repr(tree.value)


def _elements(tree: Any) -> Any:
    """The kinds of one element of a list of structures."""
    if isinstance(tree, tuple):
        return tuple(map(_elements, tree))
    if isinstance(tree, dict):
        return {k: _elements(x) for k, x in tree.items()}
    return str(tree.kind.element)


def _named(length: Length | None, made: Build) -> list[str]:
    symbols = {side.symbol for g in made.lowered.env.guards for side in (g.left, g.right)}
    return [str(length)] if length is not None and length.symbol in symbols else []
