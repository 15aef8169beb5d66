"""From `FILE.py:FUNC` or `package.module:FUNC`, as written on the command line, to the function itself.

The user's code runs here, when its module is imported: what it raises is shown as Python would show it,
from the user's first line on.
"""

import difflib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, NoReturn

import click

REFUSED = 1


@dataclass(frozen=True)
class Target:
    """A function named on the command line, and the module that it was found in."""

    name: str
    function: Callable[..., Any]
    module: ModuleType


class TargetType(click.ParamType):
    """`FILE.py:FUNC` or `package.module:FUNC`, split but not imported yet."""

    name = "target"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        place, colon, name = str(value).rpartition(":")
        if not (colon and place and name):
            self.fail(f"{value!r} names no function: write FILE.py:FUNC or package.module:FUNC.", param, ctx)
        if not all(part.isidentifier() for part in name.split(".")):
            self.fail(f"{name!r} is not the name of a function.", param, ctx)
        return place, name


def find_target(place: str, name: str) -> Target:
    """Import `place`, a file or a module, and find the function `name` in it."""
    is_file = place.endswith(".py") or "/" in place or "\\" in place
    module = _import_file(Path(place)) if is_file else _import_module(place)
    found: Any = module
    for part in name.split("."):
        if inspect.isclass(found):
            raise click.UsageError(
                f"{name} is a method of a class, which this command cannot call. "
                f"Write a function beside the class that calls it, and name that."
            )
        if not hasattr(found, part):
            close = difflib.get_close_matches(part, [key for key in vars(module) if callable(vars(module)[key])])
            hint = f" Did you mean {' or '.join(close)}?" if close else ""
            raise click.UsageError(f"There is no {part} in {place}.{hint}")
        found = getattr(found, part)
    if inspect.isclass(found) or not callable(found):
        raise click.UsageError(f"{name} in {place} is not a function, but {_described(found)}.")
    return Target(name, found, module)


def _described(value: object) -> str:
    return "a class" if inspect.isclass(value) else f"of type {type(value).__name__}"


def _import_file(path: Path) -> ModuleType:
    """Import a file as `python FILE` would see it, or as a module of its package if it lies in one."""
    if not path.is_file():
        raise click.UsageError(f"There is no file {path}.")
    path = path.resolve()
    folder, parts = path.parent, [path.stem]
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    if len(parts) > 1:
        return _import_module(".".join(parts), folder)

    name = path.stem
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None) == str(path):
        return loaded
    if loaded is not None or name in sys.stdlib_module_names:
        name = f"_adc_{name}"  # a file called numpy.py or rules.py must not take the place of the real one
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise click.UsageError(f"{path} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    _put_on_path(folder)
    with reported(f"importing {path.name}"):
        spec.loader.exec_module(module)
    return module


def _import_module(name: str, folder: Path | None = None) -> ModuleType:
    _put_on_path(folder or Path.cwd())
    with reported(f"importing {name}"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
                raise click.UsageError(f"There is no module {name}.") from None
            raise


def _put_on_path(folder: Path) -> None:
    # For good: the function may import when it is called. The compiler is loaded first, so that nothing in
    # the folder can take the place of one of its modules.
    importlib.import_module("adcompiler.api")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@contextmanager
def reported(doing: str) -> Iterator[None]:
    """Show what goes wrong inside on stderr, and exit with 1.

    The compiler's diagnostics are shown as they are; any other exception with its traceback, without the
    frames of the command line above it.
    """
    from adcompiler.errors import DifferentiationError

    try:
        yield
    except (click.ClickException, click.exceptions.Exit):
        raise
    except DifferentiationError as error:
        give_up(str(error))
    except SystemExit as error:
        give_up(f"adc: the program exited ({error.code!r}) while {doing}.")
    except Exception as error:
        frames = _user_frames(error.__traceback__)
        text = "".join(traceback.format_exception(type(error), error, frames))
        give_up(f"{text}adc: this happened while {doing}.")


def _user_frames(frames: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame that is neither ours nor the import system's."""
    ours = {__file__, importlib.__file__, str(Path(__file__).with_name("cli.py"))}
    while frames is not None:
        filename = frames.tb_frame.f_code.co_filename
        if filename not in ours and not filename.startswith("<frozen importlib"):
            break
        frames = frames.tb_next
    return frames


def give_up(message: str) -> NoReturn:
    click.echo(message.rstrip("\n"), err=True)
    raise click.exceptions.Exit(REFUSED)
