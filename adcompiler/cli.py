"""The command line, `adc`: look at what the compiler makes of a function, and check it.

Each command prints its answer on stdout and its complaints on stderr. The exit status is 0 where all is
well, 1 where the user's program is refused, fails, or has a wrong gradient, and 2 where the command itself
was mistyped. The compiler and the terminal library are imported by the commands that need them, so that
`--help` is quick.
"""

import copy
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from adcompiler.target import REFUSED, TargetType, find_target, give_up, reported

if TYPE_CHECKING:
    from rich.table import Table

    from adcompiler.coverage import Count

Argnum = int | str
Argnums = Argnum | tuple[Argnum, ...]


# ---- options -------------------------------------------------------------------------------------


class ArgnumsType(click.ParamType):
    """`0`, `w`, `0,2`, `w,b`: one position or name, or several; `w,` is a sequence of one."""

    name = "argnums"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Argnums:
        items = [item.strip() for item in str(value).split(",")]
        several = len(items) > 1
        if several and not items[-1]:
            items.pop()
        argnums: list[Argnum] = []
        for item in items:
            if item.lstrip("-").isdigit():
                argnums.append(int(item))
            elif item.isidentifier():
                argnums.append(item)
            else:
                self.fail(f"{item!r} is neither the position nor the name of a parameter.", param, ctx)
        return tuple(argnums) if several else argnums[0]


class StageType(click.ParamType):
    """The name of a pass; the compiler, which knows them, is asked only when one is given or listed."""

    name = "stage"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.stages():
            self.fail(f"{value!r} is not a stage. The stages are {', '.join(self.stages())}.", param, ctx)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"[{'|'.join(self.stages())}]"

    @staticmethod
    def stages() -> Sequence[str]:
        from adcompiler.compile import STAGES

        return tuple(STAGES)


def evaluate_example(expression: str, module: ModuleType) -> tuple[Any, ...]:
    """The arguments that an example gives: the elements of a tuple, or anything else as the only argument.

    `np` and the globals of the function's module are in scope.
    """
    import numpy as np

    try:
        example = eval(expression, {"np": np, **vars(module)})
    except Exception as error:
        raise click.BadParameter(
            f"{expression!r} cannot be evaluated: {type(error).__name__}: {error}", param_hint="--example"
        ) from None
    return example if isinstance(example, tuple) else (example,)


target_argument = click.argument("target", type=TargetType(), metavar="FILE.py:FUNC")
argnums_option = click.option(
    "--argnums",
    type=ArgnumsType(),
    help="Differentiate with respect to these parameters: positions or names, with commas between them.",
)
example_help = "A Python expression for the arguments, as a tuple; np and the names of the file may be used."


# ---- commands ------------------------------------------------------------------------------------


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="adcompiler", prog_name="adc")
def main() -> None:
    """Exact gradients of ordinary NumPy functions, as Python source.

    FILE.py:FUNC names the function FUNC of a file; package.module:FUNC works too.
    """


@main.command("show-ir")
@target_argument
@argnums_option
@click.option("--signature", help='What the arguments are, as in "f64[n,m], f64[m], int".')
@click.option("--example", help=example_help)
@click.option("--stage", type=StageType(), help="Show the program after this pass (default: adjoint).")
@click.option("--all", "all_stages", is_flag=True, help="Show the program after each pass.")
@click.option("--no-inline", is_flag=True, help="Leave the pullbacks of rules as calls.")
@click.option("--workspaces", is_flag=True, help="The form that runs by default: it computes into kept arrays.")
@click.option(
    "--mode",
    type=click.Choice(["grad", "value_and_grad"]),
    default="grad",
    show_default=True,
    help="What the compiled function returns.",
)
def show_ir(
    target: tuple[str, str],
    argnums: Argnums | None,
    signature: str | None,
    example: str | None,
    stage: str | None,
    all_stages: bool,
    no_inline: bool,
    workspaces: bool,
    mode: str,
) -> None:
    """Show what the compiler makes of a function.

    A stage of the compiler's intermediate language, or with --stage source the finished gradient, in its plain form or
    with workspaces. What the arguments are is told by a signature, an example, or the annotations of the function.

    \b
      adc show-ir model.py:loss --signature "f64[m], f64, f64[n,m], f64[n]" --argnums w,b
      adc show-ir model.py:loss --example "np.ones(3), 0.5" --stage source
    """
    from adcompiler.frontend.kinds import SignatureError

    if signature is not None and example is not None:
        raise click.UsageError("Give --signature or --example, not both.")
    if stage is not None and all_stages:
        raise click.UsageError("Give --stage or --all, not both.")
    found = find_target(*target)
    _refuse_unknown_argnums(found.function, argnums)
    arguments = None if example is None else evaluate_example(example, found.module)
    program = _differentiable(found.function)
    for name in StageType.stages() if all_stages else (stage or "adjoint",):
        with reported(f"compiling {found.name}"):
            try:
                text = program.ir(
                    stage=name,
                    mode=mode,
                    argnums=argnums,
                    signature=signature,
                    example=arguments,
                    inline=not no_inline,
                    workspaces=workspaces,
                )
            except SignatureError as error:
                raise click.BadParameter(str(error), param_hint="--signature") from None
        if all_stages:
            click.secho(f"# ---- {name} ----", bold=True)
        _print_code(text)
        if all_stages:
            click.echo()


@main.command("compile")
@target_argument
@argnums_option
@click.option(
    "--signature",
    "signatures",
    multiple=True,
    required=True,
    help='What the arguments are, as in "f64[n,m], f64[m], int". Given again: another variant of the function.',
)
@click.option("--value", is_flag=True, help="The compiled function returns (value, gradient).")
@click.option("--has-aux", is_flag=True, help="FUNC returns (value, aux); only the value is differentiated.")
@click.option("--of", metavar="PARAMETER", help="Differentiate what FUNC leaves in this parameter.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT.py",
    help="The module to write.",
)
@click.option("--plain", is_flag=True, help="The plainest code: no array is written again once it has been used.")
@click.option("--workspaces", is_flag=True, help="Let the module keep arrays from call to call.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; fail if OUT.py is not what would be written.")
def compile_ahead(
    target: tuple[str, str],
    argnums: Argnums | None,
    signatures: tuple[str, ...],
    value: bool,
    has_aux: bool,
    of: str | None,
    output: Path,
    plain: bool,
    workspaces: bool,
    only_check: bool,
) -> None:
    """Write the gradient of a function as a Python module.

    The module needs NumPy and the package rules, and not the compiler. It is the same to the byte whenever it is
    compiled from the same source, so that a continuous integration can tell by --check whether it is up to date.

    \b
      adc compile model.py:loss --argnums w,b --signature "f64[m], f64, f64[n,m], f64[n]" -o loss_grad.py
    """
    from adcompiler.ahead import PathError, compile_module
    from adcompiler.frontend.kinds import SignatureError

    found = find_target(*target)
    _refuse_unknown_argnums(found.function, argnums)
    _refuse_unknown_argnums(found.function, of, "--of")
    program = _differentiable(found.function)
    with reported(f"compiling {found.name}"):
        try:
            text = compile_module(
                program,
                None if only_check else output,
                signatures=signatures,
                argnums=program.argnums if argnums is None else argnums,
                value=value,
                has_aux=has_aux,
                of=of,
                reuse=not plain,
                workspaces=workspaces and not plain,
            )
        except SignatureError as error:
            raise click.BadParameter(str(error), param_hint="--signature") from None
        except PathError as error:
            raise click.BadParameter(str(error), param_hint="-o") from None
        except OSError as error:
            raise click.BadParameter(f"{output} cannot be written: {error.strerror}", param_hint="-o") from None
    if not only_check:
        click.echo(f"{output}: the gradient of {found.name}.")
    elif not output.is_file():
        give_up(f"There is no file {output}: compile it, without --check.")
    elif output.read_bytes() != text.encode():
        give_up(f"{output} is not what would be written now: compile it again, without --check.")
    else:
        click.echo(f"{output} is up to date.")


@main.command()
@target_argument
@argnums_option
@click.option("--example", required=True, help=example_help)
@click.option("--rtol", default=1e-5, show_default=True, help="The largest relative error that passes.")
def check(target: tuple[str, str], argnums: Argnums | None, example: str, rtol: float) -> None:
    """Compare the gradient of a function with finite differences.

    \b
      adc check model.py:loss --argnums w,b --example "np.ones(3), 0.5, np.eye(3), np.ones(3)"
    """
    found = find_target(*target)
    _refuse_unknown_argnums(found.function, argnums)
    arguments = evaluate_example(example, found.module)
    with reported(f"running {found.name} on the example"):
        found.function(*copy.deepcopy(arguments))
    results = check_arguments(found.function, arguments, argnums, rtol)
    _print_table(_check_table(results))
    if any(result.complaint for result in results):
        for result in results:
            if result.complaint:
                click.echo(f"\n{result.argument}: {result.complaint}", err=True)
        raise click.exceptions.Exit(REFUSED)
    click.echo(f"{found.name}: the gradient agrees with finite differences to {rtol:g}.")


@main.command("explain")
@target_argument
@argnums_option
@click.option("--example", required=True, help=example_help)
def explain(target: tuple[str, str], argnums: Argnums | None, example: str) -> None:
    """Tell what the gradient of a function is, and why.

    The function and its gradient, what is kept of the forward sweep, what becomes of each argument, where derivatives
    end, and what finite differences say.

    \b
      adc explain model.py:loss --argnums w,b --example "np.ones(3), 0.5, np.eye(3), np.ones(3)"
    """
    from adcompiler import differentiable

    found = find_target(*target)
    _refuse_unknown_argnums(found.function, argnums)
    arguments = evaluate_example(example, found.module)
    program = _differentiable(found.function)
    if argnums is not None:
        program = differentiable(program.__wrapped__, argnums=argnums)
    with reported(f"explaining {found.name}"):
        click.echo(str(program.explain(*arguments)))


@main.command("rules")
@click.argument("pattern", required=False)
@click.option("--missing", metavar="LIBRARY", help="What has no derivative in numpy, scipy, or a module of theirs.")
@click.option("--count", is_flag=True, help="How many functions of each library have which mode.")
def list_rules(pattern: str | None, missing: str | None, count: bool) -> None:
    """List the functions that the compiler knows, or those whose name contains PATTERN.

    For each: the arguments that it can be differentiated with respect to in reverse mode, and whether it has
    forward mode. What is followed is differentiated as if it stood there in Python; of a constant the derivative
    is zero; what is refused has none, for the reason that is given.

    \b
      adc rules tanh
      adc rules --missing scipy.special
      adc rules --count
    """
    if pattern is not None and (missing is not None or count) or (missing is not None and count):
        raise click.UsageError("Give PATTERN, --missing or --count, one of them.")
    from adcompiler import coverage

    rows = coverage.table()
    if count:
        _print_table(_count_table(coverage.counted(rows)))
        return
    if missing is not None:
        try:
            unknown = list(coverage.missing(missing))
        except ImportError as error:
            raise click.BadParameter(str(error), param_hint="--missing") from None
        refused = [row for row in coverage.within(rows, missing) if row.word == "refused"]
        table = _table("function", "no derivative, because")
        for name, why in [*((name, "it has no rule") for name in unknown), *((row.name, row.why) for row in refused)]:
            table.add_row(name, why.replace("[", "\\["))
        if unknown or refused:
            _print_table(table)
        click.echo(f"{missing}: {len(unknown)} functions are unknown, {len(refused)} are refused with a reason.")
        return
    table = _table("function", "rule", "reverse", "forward")
    for row in rows:
        if pattern is None or pattern in row.name:
            said = f"refused: {row.why}" if row.why else row.word or ", ".join(row.reverse)
            cells = (row.name, row.formula, said, "yes" if row.forward or row.word == "followed" else "")
            table.add_row(*(cell.replace("[", "\\[") for cell in cells))
    _print_table(table)


def _count_table(counts: "Sequence[Count]") -> "Table":
    table = _table("library", "reverse", "forward", "followed", "constant", "refused")
    for each in counts:
        numbers = each.reverse, each.forward, each.followed, each.constant, each.refused
        table.add_row(each.library, *map(str, numbers))
    return table


# ---- checking ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CheckResult:
    """How the gradient with respect to one argument compares; `complaint` is empty where it agrees."""

    argument: str
    kind: str
    complaint: str


def check_arguments(
    function: Callable[..., Any], arguments: tuple[Any, ...], argnums: Argnums | None, rtol: float
) -> list[CheckResult]:
    """Check the gradient with respect to each of `argnums`: by default, each argument of floating point."""
    from adcompiler import check_grad

    names = _parameter_names(function, len(arguments))
    if argnums is None:
        chosen: list[Argnum] = [position for position, argument in enumerate(arguments) if _is_differentiable(argument)]
        if not chosen:
            raise click.UsageError("No argument of the example has floating point values.")
    else:
        chosen = list(argnums) if isinstance(argnums, tuple) else [argnums]

    results = []
    for argnum in chosen:
        complaint = ""
        with reported("checking the gradient"):
            try:
                check_grad(function, *arguments, argnums=argnum, rtol=rtol)
            except AssertionError as error:
                complaint = str(error) or "The gradient differs from finite differences."
        position = names.index(argnum) if isinstance(argnum, str) else argnum
        results.append(CheckResult(names[position], _kind_of(arguments[position]), complaint))
    return results


def _refuse_unknown_argnums(function: Callable[..., Any], argnums: Argnums | None, hint: str = "--argnums") -> None:
    parameters = inspect.signature(function).parameters
    if argnums is None or any(each.kind is each.VAR_POSITIONAL for each in parameters.values()):
        return
    for argnum in argnums if isinstance(argnums, tuple) else (argnums,):
        if argnum not in parameters and argnum not in range(-len(parameters), len(parameters)):
            raise click.BadParameter(
                f"the parameters are {', '.join(parameters)}: there is no {argnum!r}.", param_hint=hint
            )


def _parameter_names(function: Callable[..., Any], count: int) -> list[str]:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    return [names[position] if position < len(names) else f"argument {position}" for position in range(count)]


def _is_differentiable(value: Any) -> bool:
    import numpy as np

    if isinstance(value, dict):
        return any(map(_is_differentiable, value.values()))
    if isinstance(value, (tuple, list)):
        return any(map(_is_differentiable, value))
    if isinstance(value, (np.ndarray, np.generic)):
        return np.issubdtype(value.dtype, np.inexact)
    return isinstance(value, (float, complex))


def _kind_of(value: Any) -> str:
    import numpy as np

    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, (dict, tuple, list)):
        return f"{type(value).__name__} of {len(value)}"
    return type(value).__name__


# ---- printing ------------------------------------------------------------------------------------


def _differentiable(function: Callable[..., Any]) -> Any:
    from adcompiler import differentiable

    already = hasattr(function, "ir") and hasattr(function, "source")
    return function if already else differentiable(function)


def _print_code(text: str) -> None:
    """Print a program: with colours on a terminal, to the letter anywhere else."""
    if not sys.stdout.isatty():
        click.echo(text.rstrip("\n"))
        return
    from rich.console import Console
    from rich.syntax import Syntax

    code = Syntax("", "python", theme="ansi_dark").highlight(text.rstrip("\n"))
    code.rstrip()
    Console().print(code, soft_wrap=True)


def _table(*headings: str) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _check_table(results: list[CheckResult]) -> "Table":
    table = _table("argument", "kind", "gradient")
    for result in results:
        verdict = "[bold red]WRONG[/]" if result.complaint else "[green]agrees[/]"
        table.add_row(result.argument, result.kind.replace("[", "\\["), verdict)
    return table


def _print_table(table: "Table") -> None:
    from rich.console import Console

    # A pipe has no width: give each row its line.
    Console(width=None if sys.stdout.isatty() else 200).print(table)


if __name__ == "__main__":
    main()
