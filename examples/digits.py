"""Handwritten digits: softmax regression, then a network, trained with generated gradients.

The two losses below are plain NumPy over a dict of parameters, and know nothing of differentiation. One
call, `value_and_grad`, makes of each a function that returns the loss and its gradient, a dict of the same
structure; SciPy's L-BFGS does the rest. At the end the gradient of the network becomes a module, which gives the
same numbers where there is no compiler. Run `make demo`, or `python examples/digits.py`.
"""

import inspect
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console, Group
from rich.panel import Panel
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.syntax import Syntax
from rich.table import Table
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import adcompiler

Array = np.ndarray
Params = dict[str, Array]

OUTPUT = Path("demo-output") / "digits.png"
MODULE = Path("demo-output") / "network_loss_grad.py"
NETWORK_KINDS = "{'W1': f64[p,h], 'b1': f64[h], 'W2': f64[h,k], 'b2': f64[k]}, f64[n,p], f64[n,k], float"
WANTED_ACCURACY = 0.95


# ---- the models: plain NumPy ---------------------------------------------------------------------


def softmax_loss(params, X, Y, decay):
    logits = X @ params["W"] + params["b"]
    logits = logits - np.max(logits, axis=1, keepdims=True)
    logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(np.sum(Y * logp, axis=1)) + decay * np.sum(params["W"] ** 2)


def network_loss(params, X, Y, decay):
    z = np.tanh(X @ params["W1"] + params["b1"])
    logits = z @ params["W2"] + params["b2"]
    logits = logits - np.max(logits, axis=1, keepdims=True)
    logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    weights = np.sum(params["W1"] ** 2) + np.sum(params["W2"] ** 2)
    return -np.mean(np.sum(Y * logp, axis=1)) + decay * weights


def softmax_predict(params: Params, X: Array) -> Array:
    return np.argmax(X @ params["W"] + params["b"], axis=1)


def network_predict(params: Params, X: Array) -> Array:
    z = np.tanh(X @ params["W1"] + params["b1"])
    return np.argmax(z @ params["W2"] + params["b2"], axis=1)


def softmax_params(rng: np.random.Generator) -> Params:
    return {"W": 0.01 * rng.standard_normal((64, 10)), "b": np.zeros(10)}


def network_params(rng: np.random.Generator) -> Params:
    return {
        "W1": rng.standard_normal((64, 64)) / 8,
        "b1": np.zeros(64),
        "W2": rng.standard_normal((64, 10)) / 8,
        "b2": np.zeros(10),
    }


# ---- data and training ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Digits:
    """Images of 8 by 8 pixels in [0, 1], a row each; `Y` has a one in the column of the digit."""

    X: Array
    Y: Array
    X_test: Array
    digit_test: Array


@dataclass(frozen=True)
class Model:
    """What a model is called, starts from, minimises and predicts; `decay` weighs the squared weights."""

    name: str
    params: Callable[[np.random.Generator], Params]
    loss: Callable[[Params, Array, Array, float], float]
    predict: Callable[[Params, Array], Array]
    decay: float


MODELS = [
    Model("softmax regression", softmax_params, softmax_loss, softmax_predict, 1e-4),
    Model("two-layer network", network_params, network_loss, network_predict, 2e-4),
]


def load_data() -> Digits:
    images, digit = load_digits(return_X_y=True)
    X, X_test, digit, digit_test = train_test_split(
        images / 16.0, digit, test_size=0.25, random_state=0, stratify=digit
    )
    return Digits(X, np.eye(10)[digit], X_test, digit_test)


def ravel(params: Params) -> Array:
    return np.concatenate([value.ravel() for value in params.values()])


def unravel(vector: Array, like: Params) -> Params:
    params, start = {}, 0
    for name, value in like.items():
        params[name] = vector[start : start + value.size].reshape(value.shape)
        start += value.size
    return params


def train(
    model: Model, data: Digits, iterations: int, progress: Callable[[float], None] = lambda loss: None
) -> tuple[Params, list[float]]:
    """Minimise the loss of `model` with L-BFGS; return the parameters, and the loss after each iteration.

    `progress` is called with each of these losses.
    """
    start = model.params(np.random.default_rng(0))
    value_and_grad = adcompiler.value_and_grad(model.loss)

    def objective(vector: Array) -> tuple[float, Array]:
        value, gradient = value_and_grad(unravel(vector, start), data.X, data.Y, model.decay)
        return value, ravel(gradient)

    losses: list[float] = []

    def note(intermediate_result) -> None:  # SciPy goes by the parameter's name
        losses.append(float(intermediate_result.fun))
        progress(losses[-1])

    found = minimize(
        objective, ravel(start), jac=True, method="L-BFGS-B", callback=note, options={"maxiter": iterations}
    )
    return unravel(found.x, start), losses


def accuracy(model: Model, params: Params, data: Digits) -> float:
    return float(np.mean(model.predict(params, data.X_test) == data.digit_test))


# ---- ahead of time --------------------------------------------------------------------------------


def same_without_compiler(params: Params, data: Digits, decay: float, path: Path) -> bool:
    """Compile the gradient of the network into the module `path`, and call it in a process without the compiler.

    Says whether the loss and the gradients are the same to the bit.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    adcompiler.compile_module(network_loss, path, signatures=NETWORK_KINDS, value=True)
    inputs, outputs = path.with_suffix(".in.npz"), path.with_suffix(".out.npz")
    try:
        np.savez(inputs, **named(params), X=data.X, Y=data.Y, decay=decay)  # type: ignore[arg-type]
        script = Path(__file__).with_name("without_compiler.py")
        subprocess.run([sys.executable, script, path, inputs, outputs], check=True)
        there = dict(np.load(outputs))
    finally:
        inputs.unlink(missing_ok=True)
        outputs.unlink(missing_ok=True)
    value, gradient = adcompiler.value_and_grad(network_loss)(params, data.X, data.Y, decay)
    here = {"value": np.asarray(value), **named(gradient)}
    return here.keys() == there.keys() and all(np.array_equal(here[name], there[name]) for name in here)


def named(params: Params) -> Params:
    """The arrays of a file, called `params.<name>`."""
    return {f"params.{name}": value for name, value in params.items()}


# ---- what is shown -------------------------------------------------------------------------------


def show_gradient(console: Console, model: Model, data: Digits) -> None:
    """Print the loss and its generated gradient, side by side where the terminal is wide enough."""
    program = adcompiler.differentiable(model.loss)
    example = (model.params(np.random.default_rng(0)), data.X, data.Y, model.decay)
    texts = {
        "what was written": inspect.getsource(model.loss),
        "what was generated": program.source("grad", example=example),
    }
    panels = [
        Panel(Syntax(text.strip(), "python", theme="ansi_dark", word_wrap=True), title=title)
        for title, text in texts.items()
    ]
    frame = 4
    widths = [max(map(len, text.strip().splitlines())) + frame for text in texts.values()]
    if sum(widths) + 1 > console.width:
        console.print(Group(*panels))
        return
    beside = Table.grid(padding=(0, 1, 0, 0))
    for width in widths:
        beside.add_column(width=width)
    beside.add_row(*panels)
    console.print(beside)


def train_with_bar(
    console: Console, model: Model, data: Digits, iterations: int
) -> tuple[Params, list[float]]:
    with Progress(
        TextColumn("{task.description:20}"),
        BarColumn(),
        TextColumn("{task.completed:3.0f} iterations, loss {task.fields[loss]:.4f}"),
        TimeElapsedColumn(),
        console=console,
    ) as bars:
        bar = bars.add_task(model.name, total=iterations, loss=np.nan)
        params, losses = train(model, data, iterations, lambda loss: bars.update(bar, advance=1, loss=loss))
        bars.update(bar, total=len(losses))  # it may have converged early
    return params, losses


def save_losses(curves: dict[str, list[float]], path: Path) -> None:
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, losses in curves.items():
        axes.semilogy(range(1, len(losses) + 1), losses, label=name)
    axes.set(xlabel="iteration of L-BFGS", ylabel="training loss", title="Handwritten digits")
    axes.grid(alpha=0.3)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main(iterations: int = 100) -> int:
    """Train both models; the exit status says whether the network recognises enough digits."""
    console = Console()
    data = load_data()
    show_gradient(console, MODELS[-1], data)

    curves, table = {}, Table("model", "parameters", "final loss", "test accuracy", "seconds")
    reached = 0.0
    for model in MODELS:
        began = time.perf_counter()
        params, losses = train_with_bar(console, model, data, iterations)
        curves[model.name] = losses
        reached = accuracy(model, params, data)
        table.add_row(
            model.name,
            str(ravel(params).size),
            f"{losses[-1]:.4f}",
            f"{reached:.3f}",
            f"{time.perf_counter() - began:.1f}",
        )
    console.print(table)
    save_losses(curves, OUTPUT)
    console.print(f"The loss curves are in {OUTPUT}.")
    same = same_without_compiler(params, data, MODELS[-1].decay, MODULE)
    verdict = "the same to the bit" if same else "[red]not the same[/]"
    console.print(f"The network's gradient is in {MODULE}; called without the compiler, it gives {verdict}.")
    if not same:
        return 1
    if reached < WANTED_ACCURACY:
        console.print(f"[red]The network's accuracy {reached:.3f} is below {WANTED_ACCURACY}.[/]")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
