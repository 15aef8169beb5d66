"""The examples, piece by piece and small enough to run with every other test."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import adcompiler

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module")
def digits() -> ModuleType:
    pytest.importorskip("sklearn")
    spec = importlib.util.spec_from_file_location("digits_example", EXAMPLES / "digits.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["digits_example"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data(digits):
    return digits.load_data()


@pytest.mark.parametrize("which", [0, 1])
def test_gradient_agrees_with_finite_differences(digits, data, which):
    model = digits.MODELS[which]
    rng = np.random.default_rng(1)
    params = {
        name: value + 0.1 * rng.standard_normal(value.shape) for name, value in model.params(rng).items()
    }
    X, Y = data.X[:20], data.Y[:20]
    gradient = adcompiler.value_and_grad(model.loss)(params, X, Y, model.decay)[1]
    assert gradient.keys() == params.keys()
    for _ in range(3):
        direction = {name: rng.standard_normal(value.shape) for name, value in params.items()}
        step = 1e-5

        def at(t, direction=direction):
            moved = {name: params[name] + t * direction[name] for name in params}
            return model.loss(moved, X, Y, model.decay)

        expected = (at(step) - at(-step)) / (2 * step)
        found = sum(np.sum(gradient[name] * direction[name]) for name in params)
        assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("which", [0, 1])
def test_forty_iterations_recognise_most_digits(digits, data, which):
    model = digits.MODELS[which]
    params, losses = digits.train(model, data, iterations=40)
    assert losses[-1] < losses[0]
    assert digits.accuracy(model, params, data) >= 0.95


def test_training_is_deterministic(digits, data):
    model = digits.MODELS[0]
    assert digits.train(model, data, 5)[1] == digits.train(model, data, 5)[1]


def test_ravel_and_unravel_are_inverse(digits):
    params = digits.network_params(np.random.default_rng(0))
    again = digits.unravel(digits.ravel(params), params)
    assert all(np.array_equal(again[name], params[name]) for name in params)


def test_demo_prints_the_adjoint_and_saves_the_curves(digits, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert digits.main(iterations=30) == 0
    printed = capsys.readouterr().out
    assert "def network_loss(" in printed
    assert "def network_loss_grad(" in printed
    assert "called without the compiler, it gives the same to the bit" in " ".join(printed.split())
    assert sorted(p.name for p in (tmp_path / "demo-output").iterdir() if p.is_file()) == [
        "digits.png",
        "network_loss_grad.py",
    ]
    assert (tmp_path / "demo-output" / "digits.png").read_bytes().startswith(b"\x89PNG")


def test_a_module_that_gives_other_numbers_is_told(digits, data, tmp_path, monkeypatch):
    def other(params, X, Y, decay):
        return digits.network_loss(params, X, Y, 2 * decay)

    compile_module = adcompiler.compile_module
    monkeypatch.setattr(adcompiler, "compile_module", lambda f, path, **options: compile_module(other, path, **options))
    params = digits.network_params(np.random.default_rng(0))
    assert not digits.same_without_compiler(params, data, 1e-4, tmp_path / "other.py")


def test_demo_fails_when_the_network_learns_too_little(digits, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert digits.main(iterations=1) == 1
