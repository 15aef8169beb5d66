"""`explain` tells what becomes of arguments, where derivatives end, what is kept, and what differences say."""

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from adcompiler import GradientError, differentiable, stop_gradient
from adcompiler.cli import main
from adcompiler.explanation import Explanation


@differentiable(argnums=("x", "p"))
def model(x, p, n, c, mode, unused, shape, lost):
    """A model."""
    s = np.zeros_like(shape)
    t = 0.0
    for i in range(n):
        if x[i] > c:
            t = t + x[i] ** 2 * np.round(p["b"])
    y = np.sin(x * p["a"]) + stop_gradient(x)
    gone = lost * 2.0
    gone = gone + 1.0
    while t > 10.0:
        t = t / 2.0
    return np.sum(y) + t + np.sum(s) + int(x[0])


ARGS = (np.array([1.5, 2.2, 3.1]), {"a": 2.0, "b": 1.2, "c": 7.0}, 3, 0.5, "m", 1.0, np.ones(2), 2.0)


@pytest.fixture(scope="module")
def told() -> Explanation:
    found: Explanation = model.explain(*ARGS)
    return found


def test_arguments(told: Explanation) -> None:
    assert {a.name: a.why for a in told.arguments} == {
        "x": "differentiated",
        "p['a']": "differentiated",
        "p['b']": "its derivative is zero: it ends in line 21",
        "p['c']": "nothing that is returned depends on it",
        "n": "has no gradient: only floats and complex numbers do",
        "c": "its derivative is zero: it ends in line 20",
        "mode": "a constant of the compiled code",
        "unused": "nothing that is returned depends on it",
        "shape": "its shape alone is read",
        "lost": "nothing that is returned depends on it",
    }
    assert [a.name for a in told.arguments if a.matters] == ["x", "p['a']"]


def test_what_does_not_matter_has_a_zero_gradient(told: Explanation) -> None:
    """The words and the numbers come from different passes."""
    every = differentiable(model.__wrapped__, argnums=("x", "p", "c", "unused", "shape", "lost"))
    _, d_p, *others = every.grad(*ARGS)
    gradients = {"p['b']": d_p["b"], "p['c']": d_p["c"], **dict(zip(("c", "unused", "shape", "lost"), others))}
    assert {a.name for a in told.arguments if not a.matters} >= set(gradients)
    assert all(not np.any(g) for g in gradients.values())


def test_ends(told: Explanation) -> None:
    assert [(e.line, e.why.split(":")[0]) for e in told.ends] == [
        (20, "a comparison decides, and has no derivative"),
        (21, "np.round is constant but for jumps"),
        (22, "stop_gradient ends it"),
        (25, "a comparison decides, and has no derivative"),
        (27, "int(...) cuts what is behind the point"),
    ]
    assert told.ends[1].source == 't = t + x[i] ** 2 * np.round(p["b"])'


def test_the_page(told: Explanation) -> None:
    page = str(told)
    for text in ("def model(x, p,", "def model_grad(x, p,", "bytes are kept", "central differences give"):
        assert text in page
    assert told.kept is not None
    assert told.kept.bytes == model.tape_report(*ARGS).bytes


def test_differences_that_disagree_are_told() -> None:
    @differentiable
    def cut(x):
        return x * int(x)

    assert "central differences give" in cut.explain(2.0).check
    assert "agree" in cut.explain(2.5).check


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda x: np.sum(x), (np.ones(3),)),
        (lambda xs: sum(x * x for x in xs), ([1.0, 2.0],)),
        (lambda x, *rest, k=2.0: x * rest[0] * k, (1.0, 3.0)),
        (lambda x: x if x > 100.0 else 2.0, (1.0,)),
        (lambda x: 1.0, (1.0,)),
    ],
)
def test_any_program_can_be_explained(f: Any, args: Any) -> None:
    assert str(differentiable(f).explain(*args))


def test_how_often_a_loop_runs_is_a_dependence() -> None:
    @differentiable
    def powers(x, n):
        y = 1.0
        for _ in range(int(n)):
            y = y * x
        return y

    assert [a.why for a in powers.explain(2.0, 3.5).arguments][1] == "its derivative is zero: it ends in line 110"


def test_a_function_without_a_gradient_is_refused_as_ever() -> None:
    with pytest.raises(GradientError, match="a gradient is of one real number"):
        differentiable(lambda x: x * x).explain(np.ones(2))


def test_on_the_command_line(tmp_path: Any) -> None:
    file = tmp_path / "program.py"
    file.write_text("import numpy as np\n\ndef f(x, y):\n    return np.sum(np.floor(x) * y)\n")
    example = "np.ones(2) / 3, np.ones(2)"
    done = CliRunner().invoke(main, ["explain", f"{file}:f", "--argnums", "y", "--example", example])
    assert done.exit_code == 0, done.output
    assert "x  f64[n0]  its derivative is zero: it ends in line 4" in done.output
    assert "y  f64[n1]  differentiated" in done.output
    assert "agree along random directions" in done.output
