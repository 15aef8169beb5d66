"""The smaller examples: their gradients against differences and closed forms, and that they find what they look for."""

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import adcompiler
from adcompiler.cli import main
from adcompiler.compile import STAGES
from tests.numerics import check

pytest.importorskip("scipy")

EXAMPLES = Path(__file__).parents[1] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"{name}_example", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAMES = "poisson recurrent heat kalman kepler lotka_volterra hidden_markov".split()
poisson, recurrent, heat, kalman, kepler, lotka_volterra, hidden_markov = MODULES = [load(name) for name in NAMES]

ORBIT = {"period": 4.2, "phase": 0.15, "e": 0.3, "omega": 0.7, "K": 40.0}


def dice(rng):
    return {"swap": rng.standard_normal((2, 2)), "sides": rng.standard_normal((2, 6))}


# By file: the function, the arguments it is differentiated by, the kinds of all arguments, and such arguments.
PROGRAMS = {
    "poisson": (
        poisson.loss, (0,), "{'w': f64[p], 'b': float}, f64[n,p], i64[n], float",
        lambda rng: ({"w": rng.standard_normal(4), "b": 0.5}, *poisson.data(rng, 20)[:2], 0.1),
    ),
    "recurrent": (
        recurrent.loss, (0, 1, 2), "{'W': f64[d,d], 'u': f64[d], 'b': f64[d], 'v': f64[d]}, f64[n], f64[d]",
        lambda rng: (recurrent.parameters(rng, 3), rng.standard_normal(6), rng.standard_normal(3)),
    ),
    "heat": (
        heat.misfit, (0, 1), "f64[n,m], float, f64[t,i,j], float",
        lambda rng: (rng.standard_normal((4, 5)), 0.2, rng.standard_normal((3, 2, 3)), 0.1),
    ),
    "kalman": (
        kalman.minus_log_likelihood, (0, 1), "float, float, f64[n,2]",
        lambda rng: (-2.0, 0.3, rng.standard_normal((5, 2))),
    ),
    "kepler": (
        kepler.misfit, (0,),
        "{'period': float, 'phase': float, 'e': float, 'omega': float, 'K': float}, f64[n], f64[n]",
        lambda rng: (ORBIT, rng.uniform(0.0, 9.0, 7), 30.0 * rng.standard_normal(7)),
    ),
    "lotka_volterra": (
        lotka_volterra.misfit, (0, 1), "f64[2], f64[4], float, f64[n,2]",
        lambda rng: (rng.uniform(0.5, 2.0, 2), rng.uniform(0.2, 1.0, 4), 0.1, rng.uniform(0.5, 2.0, (6, 2))),
    ),
    "hidden_markov": (
        hidden_markov.minus_log_likelihood, (0,), "{'swap': f64[k,k], 'sides': f64[k,s]}, i64[n]",
        lambda rng: (dice(rng), rng.integers(0, 6, 9)),
    ),
}  # fmt: skip

each_program = pytest.mark.parametrize("program", PROGRAMS)


# ---- all of them ---------------------------------------------------------------------------------


@each_program
def test_gradient_agrees_with_differences_by_every_element(program):
    f, argnums, _, arguments = PROGRAMS[program]
    check(f, *arguments(np.random.default_rng(0)), argnums=argnums, rtol=1e-5)


def dot(x, y):
    return sum(np.sum(x[name] * y[name]) for name in x) if isinstance(x, dict) else np.sum(x * y)


def each(f, *trees):
    return {name: f(*(tree[name] for tree in trees)) for name in trees[0]} if isinstance(trees[0], dict) else f(*trees)


@each_program
def test_gradient_agrees_with_differences_along_directions_at_two_steps(program):
    f, argnums, _, arguments = PROGRAMS[program]
    rng = np.random.default_rng(1)
    args = arguments(rng)
    gradients = adcompiler.grad(f, argnums)(*args)
    for i, gradient in zip(argnums, gradients):
        for _ in range(3):
            along = each(lambda x: rng.standard_normal(np.shape(x)), args[i])
            for step in (1e-4, 1e-5):
                low, high = (f(*args[:i], each(lambda x, d: x + t * d, args[i], along), *args[i + 1 :])
                             for t in (-step, step))  # fmt: skip
                scale = dot(each(np.abs, gradient), each(np.abs, along))
                assert dot(gradient, along) == pytest.approx((high - low) / (2 * step), abs=1e-5 * scale)


@each_program
@pytest.mark.parametrize("stage", STAGES)
def test_show_ir_shows_the_program_at_every_stage(program, stage):
    f, argnums, signature, _ = PROGRAMS[program]
    path = f"{EXAMPLES / program}.py:{f.__name__}"
    arguments = ("--signature", signature, "--argnums", ",".join(map(str, argnums)), "--stage", stage)
    shown = CliRunner().invoke(main, ["show-ir", path, *arguments])
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert f.__name__ in shown.stdout.splitlines()[0]


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_main_part_prints_what_it_found(module, capsys):
    module.main()
    assert capsys.readouterr().out


def test_readme_lists_every_example():
    listed = (EXAMPLES / "README.md").read_text()
    assert all(f"({path.name})" in listed for path in EXAMPLES.glob("*.py"))


# ---- Poisson regression --------------------------------------------------------------------------


def test_score_of_a_poisson_regression():
    params, X, counts, decay = PROGRAMS["poisson"][3](np.random.default_rng(2))
    d = adcompiler.grad(poisson.loss)(params, X, counts, decay)
    residual = np.exp(X @ params["w"] + params["b"]) - counts
    np.testing.assert_allclose(d["w"], X.T @ residual / len(X) + 2 * decay * params["w"], rtol=1e-12)
    assert d["b"] == pytest.approx(np.mean(residual), rel=1e-12)


def test_poisson_regression_finds_what_reweighted_least_squares_find():
    X, counts, _ = poisson.data(np.random.default_rng(3), 400)
    design = np.column_stack([X, np.ones(len(X))])
    beta = np.zeros(5)
    for _ in range(20):  # Fisher scoring
        mean = np.exp(design @ beta)
        beta += np.linalg.solve(design.T * mean @ design, design.T @ (counts - mean))
    found = poisson.fit(X, counts, decay=0.0)
    np.testing.assert_allclose(np.append(found["w"], found["b"]), beta, atol=1e-4)


# ---- recurrent network ---------------------------------------------------------------------------


@pytest.mark.parametrize("argnum", [0, 1, 2])
def test_backpropagation_through_time_agrees_with_complex_steps(argnum):
    args = PROGRAMS["recurrent"][3](np.random.default_rng(4))
    gradient = adcompiler.grad(recurrent.loss, argnum)(*args)
    named = args[argnum] if argnum == 0 else {"": args[argnum]}
    for name, value in named.items():
        d = gradient[name] if argnum == 0 else gradient
        for index in np.ndindex(value.shape):
            shifted = value.astype(complex)
            shifted[index] += 1e-30j
            changed = {**args[0], name: shifted} if argnum == 0 else shifted
            expected = recurrent.loss(*args[:argnum], changed, *args[argnum + 1 :]).imag / 1e-30
            assert d[index] == pytest.approx(expected, rel=1e-11, abs=1e-14)


def test_recurrent_network_learns_the_signal():
    time = np.arange(80)
    losses = recurrent.train(recurrent.parameters(np.random.default_rng(5)), np.sin(0.3 * time))[1]
    assert losses[-1] < 0.01 * losses[0]


# ---- heat ----------------------------------------------------------------------------------------


def laplacian(rows, columns):
    """The matrix of the five-point stencil, zero outside."""
    ones = [np.eye(n, k=1) + np.eye(n, k=-1) - 2 * np.eye(n) for n in (rows, columns)]
    return np.kron(ones[0], np.eye(columns)) + np.kron(np.eye(rows), ones[1])


def test_gradient_of_the_heat_equation_is_that_of_powers_of_its_matrix():
    start, k, shown, _ = PROGRAMS["heat"][3](np.random.default_rng(6))
    L = laplacian(*start.shape)
    M = np.eye(start.size) + k * L
    thermometers = np.arange(start.size).reshape(start.shape)[::2, ::2].ravel()
    d_start, d_k = np.zeros(start.size), 0.0
    for t in range(1, len(shown) + 1):
        at_t = np.linalg.matrix_power(M, t)
        residual = np.zeros(start.size)
        residual[thermometers] = 2 * ((at_t @ start.ravel())[thermometers] - shown[t - 1].ravel())
        d_start += at_t.T @ residual
        d_k += residual @ (t * L @ np.linalg.matrix_power(M, t - 1) @ start.ravel())
    found = adcompiler.grad(heat.misfit, ("start", "k"))(start, k, shown, 0.0)
    np.testing.assert_allclose(found[0].ravel(), d_start, rtol=1e-11)
    assert found[1] == pytest.approx(d_k, rel=1e-11)


def test_heat_without_steps_has_no_misfit_and_no_gradient():
    d_start, d_k = adcompiler.grad(heat.misfit, ("start", "k"))(np.ones((4, 5)), 0.2, np.empty((0, 2, 3)), 0.0)
    assert d_k == 0.0 and not d_start.any()


def test_start_and_diffusivity_are_recovered():
    start = np.zeros((8, 8))
    start[2:5, 3:6] = 1.0
    found, k = heat.recover(heat.readings(start, 0.2, 20), np.zeros_like(start), 0.1)
    assert k == pytest.approx(0.2, abs=1e-4)
    assert np.abs(found - start).max() < 0.05


# ---- Kalman filter -------------------------------------------------------------------------------


def test_gradient_of_a_kalman_filter_is_that_of_the_joint_density_of_the_measurements():
    """That of N(0, C), where C = cov(H s_i, H s_j): with C' its derivative, (tr C^-1 C' - y' C^-1 C' C^-1 y) / 2."""
    log_q, log_r, track = -2.0, 0.3, np.random.default_rng(7).standard_normal((4, 2))
    n, F, H = len(track), kalman.F, kalman.H

    def joint(first, drift):
        states, P = np.zeros((n, n, 4, 4)), first
        for i in range(n):
            P = F @ P @ F.T + drift
            for j in range(i, n):
                states[j, i] = np.linalg.matrix_power(F, j - i) @ P
                states[i, j] = states[j, i].T
        return np.block([[H @ states[i, j] @ H.T for j in range(n)] for i in range(n)])

    by_q = np.exp(log_q) * joint(np.zeros((4, 4)), kalman.DRIFT)
    by_r = np.exp(log_r) * np.eye(2 * n)
    C = joint(10.0 * np.eye(4), np.zeros((4, 4))) + by_q + by_r
    y, inverse = track.ravel(), np.linalg.inv(C)
    value, found = adcompiler.value_and_grad(kalman.minus_log_likelihood, (0, 1))(log_q, log_r, track)
    assert value == pytest.approx(0.5 * (y @ inverse @ y + np.linalg.slogdet(C)[1]), rel=1e-10)
    for d, by in zip(found, (by_q, by_r)):
        expected = 0.5 * (np.trace(inverse @ by) - y @ inverse @ by @ inverse @ y)
        assert d == pytest.approx(expected, rel=1e-10)


def test_variances_of_a_track_are_found():
    q, r = kalman.fit(kalman.measure(np.random.default_rng(8), 0.01, 2.0))
    assert 0.005 < q < 0.02
    assert 1.6 < r < 2.4


# ---- Kepler's equation ---------------------------------------------------------------------------


def test_gradient_through_newton_agrees_with_the_implicit_function_theorem():
    """E - e sin E = M, so that dE/dM = 1 / (1 - e cos E) and dE/de = sin E / (1 - e cos E)."""
    rng = np.random.default_rng(9)
    M, e, weights = rng.uniform(-3.0, 3.0, 8), 0.4, rng.standard_normal(8)

    def weighted(M, e):
        return np.sum(weights * kepler.eccentric_anomaly(M, e))

    d_M, d_e = adcompiler.grad(weighted, (0, 1))(M, e)
    E = kepler.eccentric_anomaly(M, e)
    slope = 1 - e * np.cos(E)
    np.testing.assert_allclose(d_M, weights / slope, rtol=1e-6)
    assert d_e == pytest.approx(np.sum(weights * np.sin(E) / slope), rel=1e-6)


def test_circular_orbit_needs_no_iterations():
    """With e = 0 the loop runs zero times; the derivative by e comes from the first guess."""
    weights = np.array([1.0, -2.0])
    M = np.array([0.5, 2.0])
    d = adcompiler.grad(lambda e: np.sum(weights * kepler.eccentric_anomaly(M, e)))(0.0)
    assert d == pytest.approx(np.sum(weights * np.sin(M)), rel=1e-12)


def test_orbit_is_found():
    time = np.linspace(0.0, 20.0, 50)
    found = kepler.fit({**ORBIT, "e": 0.2, "K": 30.0}, time, kepler.velocity(ORBIT, time))
    assert found == pytest.approx(ORBIT, rel=1e-3)


# ---- predators and prey --------------------------------------------------------------------------


def test_prey_alone_grow_as_runge_kutta_has_them_grow():
    """Without predators a step multiplies by R(z) = 1 + z + z**2/2 + z**3/6 + z**4/24, with z = birth * dt."""
    dt, steps, birth = 0.1, 7, 0.8
    start, rates = np.array([1.5, 0.0]), np.array([birth, 0.3, 0.2, 0.4])

    def prey(start, rates):
        return lotka_volterra.trajectory(start, rates, dt, steps)[-1, 0]

    d_start, d_rates = adcompiler.grad(prey, (0, 1))(start, rates)
    R, slope = (np.polyval(c, birth * dt) for c in ([1 / 24, 1 / 6, 1 / 2, 1, 1], [1 / 6, 1 / 2, 1, 1]))
    assert d_start[0] == pytest.approx(R**steps, rel=1e-12)
    np.testing.assert_allclose(d_rates, [start[0] * steps * R ** (steps - 1) * slope * dt, 0, 0, 0], rtol=1e-12)


def test_gradient_of_the_conserved_quantity_is_that_at_the_start():
    """V = growth x - death log x + hunt y - birth log y does not change along a solution, nor does its gradient."""
    start, rates = np.array([3.0, 1.0]), np.array([1.0, 0.4, 0.1, 0.4])
    birth, hunt, growth, death = rates

    def conserved(start):
        x, y = lotka_volterra.trajectory(start, rates, 0.01, 300)[-1]
        return growth * x - death * np.log(x) + hunt * y - birth * np.log(y)

    expected = [growth - death / start[0], hunt - birth / start[1]]
    np.testing.assert_allclose(adcompiler.grad(conserved)(start), expected, rtol=1e-6)


def test_rates_of_predators_and_prey_are_found():
    start, rates = np.array([3.0, 1.0]), np.array([1.0, 0.4, 0.1, 0.4])
    counted = lotka_volterra.trajectory(start, rates, 0.1, 100)
    found = lotka_volterra.fit(1.1 * start, 0.9 * rates, 0.1, counted)
    np.testing.assert_allclose(np.concatenate(found), np.concatenate([start, rates]), atol=0.01)


# ---- hidden Markov model -------------------------------------------------------------------------


def test_gradient_of_a_hidden_markov_model_is_that_of_expected_counts():
    """Fisher's identity, over all paths: minus (expected count of the outcome - its probability * of the row)."""
    rng = np.random.default_rng(10)
    params, throws = dice(rng), rng.integers(0, 6, 6)
    swap, sides = hidden_markov.softmax(params["swap"]), hidden_markov.softmax(params["sides"])
    likelihood, swaps, seen = 0.0, np.zeros((2, 2)), np.zeros((2, 6))
    for path in itertools.product(range(2), repeat=len(throws)):
        moves = list(zip(path, path[1:]))
        p = 0.5 * np.prod([swap[move] for move in moves]) * np.prod(sides[list(path), throws])
        likelihood += p
        np.add.at(swaps, tuple(np.transpose(moves)), p)
        np.add.at(seen, (list(path), throws), p)
    value, d = adcompiler.value_and_grad(hidden_markov.minus_log_likelihood)(params, throws)
    assert value == pytest.approx(-np.log(likelihood), rel=1e-12)
    for got, counts, probability in ((d["swap"], swaps, swap), (d["sides"], seen, sides)):
        counts /= likelihood
        expected = np.sum(counts, axis=1, keepdims=True) * probability - counts
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


def test_dice_are_found_that_are_likelier_than_those_thrown():
    swap, sides = np.array([[0.95, 0.05], [0.1, 0.9]]), np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])
    throws = hidden_markov.throw(np.random.default_rng(11), swap, sides, 1000)
    guess = {"swap": 2 * np.eye(2), "sides": np.array([[0.0] * 6, [0.0] * 5 + [1.0]])}
    found = dict(zip(guess, map(np.log, hidden_markov.fit(throws, guess))))
    thrown = {"swap": np.log(swap), "sides": np.log(sides)}
    likelihood = [-hidden_markov.minus_log_likelihood(params, throws) for params in (guess, thrown, found)]
    assert likelihood == sorted(likelihood)
