"""What is asked of the first two programs, whatever the names of temporaries and the order of statements."""

import ast
import functools

import pytest

from adcompiler import differentiable
from tests.golden import cases


@functools.cache
def adjoint(name: str) -> ast.FunctionDef:
    """The generated function as it is now."""
    tree = ast.parse(cases.compiled(name).text)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    return definition


def calls(tree: ast.AST) -> list[str]:
    """What is called, as it is written."""
    return [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]


def assigned(tree: ast.AST) -> set[str]:
    """The names that are assigned to, also in place and as elements of a loop."""
    return {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def loops(tree: ast.AST) -> list[ast.For]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.For)]


def updates(tree: ast.AST) -> set[str]:
    """The names that `+=` adds to."""
    return {
        ast.unparse(node.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)
    }


def comments(name: str, word: str) -> int:
    return sum(line.strip() == f"# {word}" for line in cases.compiled(name).text.splitlines())


def returned(tree: ast.FunctionDef) -> str:
    last = tree.body[-1]
    assert isinstance(last, ast.Return) and last.value is not None
    return ast.unparse(last.value)


# ------------------------------------------------------------------------------ both
@pytest.mark.parametrize("name", ["logreg", "rnn", "rnn_xs", "rnn_b"])
def test_parts_are_headed_and_each_line_of_the_users_is_named(name):
    assert comments(name, "forward") == comments(name, "backward") == 1
    text = cases.compiled(name).text
    assert ast.get_docstring(adjoint(name)).startswith("Gradient of `")
    parts = text[text.index("# forward") :]
    assert all(f"source.py:{line}" in parts for line in ((5, 6, 7) if name == "logreg" else (6, 7, 8)))


@pytest.mark.parametrize("name", ["logreg", "rnn", "rnn_xs", "rnn_b"])
def test_kinds_prove_every_projection_away(name):
    assert not {"project", "accumulate", "float"} & {*calls(adjoint(name))}


@pytest.mark.parametrize("name", ["logreg", "rnn", "rnn_b"])
def test_nothing_is_copied(name):
    assert not [called for called in calls(adjoint(name)) if "copy" in called]


# ---------------------------------------------------------- logistic regression, wrt w and b
def test_logreg_is_a_straight_line():
    assert not loops(adjoint("logreg"))
    assert returned(adjoint("logreg")) == "(d_w, d_b)"


def test_logreg_computes_no_logarithm_and_no_mean():
    assert not {"np.log", "np.mean"} & {*calls(adjoint("logreg"))}


def test_logreg_computes_one_exponential_and_two_products():
    assert calls(adjoint("logreg")).count("np.exp") == 1
    products = [node for node in ast.walk(adjoint("logreg")) if isinstance(node, ast.MatMult)]
    assert len(products) == 2


def test_logreg_computes_nothing_for_the_data():
    assert not {"d_X", "d_y"} & assigned(adjoint("logreg"))


def test_logreg_spreads_no_mean():
    """The cotangent of the mean is one number: no array of ones, no broadcasting of it."""
    made = {"np.ones", "np.ones_like", "np.full", "np.broadcast_to", "spread", "zeros_like"}
    assert not made & {*calls(adjoint("logreg"))}


def test_logreg_sums_for_the_number_and_multiplies_for_the_vector():
    text = ast.unparse(adjoint("logreg"))
    assert "d_b = np.sum(d_" in text and "d_w = X.T @ d_" in text


def test_logreg_keeps_the_names_of_the_user():
    assert {"z", "p"} <= assigned(adjoint("logreg"))


# --------------------------------------------------------------------------------- rnn
@pytest.mark.parametrize("name", ["rnn", "rnn_xs", "rnn_b"])
def test_rnn_has_two_loops_and_the_second_runs_backwards(name):
    forward, backward = loops(adjoint(name))
    assert "reversed" not in calls(forward.iter) and "reversed" in calls(backward.iter)
    assert not [node for node in ast.walk(adjoint(name)) if isinstance(node, ast.While)]


def test_rnn_adds_to_the_accumulators_in_place_in_the_loop():
    assert {"d_W", "d_U", "d_b"} <= updates(loops(adjoint("rnn"))[1])


def test_rnn_creates_each_accumulator_once_before_the_loop():
    forward, backward = loops(adjoint("rnn"))
    created = [
        ast.unparse(node.targets[0])
        for node in adjoint("rnn").body
        if isinstance(node, ast.Assign) and "zeros_like" in calls(node.value)
    ]
    assert sorted(created) == ["d_U", "d_W", "d_b", "d_h"]
    assert not {"zeros_like", "np.zeros", "np.zeros_like"} & {*calls(forward), *calls(backward)}


@pytest.mark.parametrize("name", ["rnn", "rnn_xs", "rnn_b"])
def test_rnn_keeps_no_row_of_the_data(name):
    """What is kept is the states; the loop walks `xs` itself backwards, where it needs it at all."""
    kept = [
        node.args[0]
        for node in ast.walk(loops(adjoint(name))[0])
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "tape.append"
    ]
    (what,) = kept
    names = {node.id for node in ast.walk(what) if isinstance(node, ast.Name)}
    assert names == ({"h", "h_next"} if name == "rnn" else {"h"})
    assert ("reversed(xs)" in ast.unparse(loops(adjoint(name))[1].iter)) == (name == "rnn")


@pytest.mark.parametrize("name", ["rnn", "rnn_xs", "rnn_b"])
def test_rnn_computes_no_total(name):
    assert not {"total", "d_total"} & assigned(adjoint(name)) and "np.sum" not in calls(adjoint(name))


def test_rnn_returns_the_structure_of_its_parameters():
    assert returned(adjoint("rnn")) == "{'W': d_W, 'U': d_U, 'b': d_b}"


def test_rnn_of_b_alone_has_no_other_accumulator():
    assert not {"d_W", "d_U", "d_xs"} & assigned(adjoint("rnn_b")) and "np.outer" not in calls(
        adjoint("rnn_b")
    )
    assert "d_b" in updates(loops(adjoint("rnn_b"))[1])


def test_rnn_of_inputs_has_no_accumulator_of_parameters():
    assert not {"d_W", "d_U", "d_b"} & assigned(adjoint("rnn_xs")) and "np.outer" not in calls(
        adjoint("rnn_xs")
    )


def test_rnn_is_the_same_source_for_any_number_of_steps():
    f, (params, xs, h) = cases.function("rnn"), cases.case("rnn").arguments()
    texts = {differentiable(f).source(example=(params, xs[:n], h)) for n in (2, 3, 5)}
    assert len(texts) == 1
