"""A hidden Markov model: how fair and loaded dice are, and how often they are swapped, from the throws alone.

The forward algorithm with scaling gives the likelihood of the throws (Rabiner, A tutorial on hidden Markov models,
1989, section V.A); the example of the dishonest casino is from Durbin, Eddy, Krogh and Mitchison, Biological
Sequence Analysis, 1998, chapter 3. Run `python examples/hidden_markov.py`.
"""

import numpy as np
from scipy.optimize import minimize

import adcompiler


def softmax(logits):
    e = np.exp(logits - np.max(logits, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def minus_log_likelihood(params, throws):
    """Of throws (numbers from 0), given logits of the transitions and of the sides of each die."""
    swap, sides = softmax(params["swap"]), softmax(params["sides"])
    alpha = np.full(len(swap), 1 / len(swap)) * sides[:, throws[0]]
    total = 0.0
    for t in range(1, len(throws)):
        scale = np.sum(alpha)
        total -= np.log(scale)
        alpha = (alpha / scale) @ swap * sides[:, throws[t]]
    return total - np.log(np.sum(alpha))


def throw(rng, swap, sides, n):
    die, throws = 0, np.empty(n, dtype=int)
    for t in range(n):
        throws[t] = rng.choice(6, p=sides[die])
        die = rng.choice(2, p=swap[die])
    return throws


def fit(throws, guess):
    value_and_grad = adcompiler.value_and_grad(minus_log_likelihood)

    def objective(vector):
        params = {"swap": vector[:4].reshape(2, 2), "sides": vector[4:].reshape(2, 6)}
        value, d = value_and_grad(params, throws)
        return value, np.append(d["swap"], d["sides"])

    found = minimize(objective, np.append(guess["swap"], guess["sides"]), jac=True, method="L-BFGS-B")
    return softmax(found.x[:4].reshape(2, 2)), softmax(found.x[4:].reshape(2, 6))


def main():
    swap, sides = np.array([[0.95, 0.05], [0.1, 0.9]]), np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])
    throws = throw(np.random.default_rng(0), swap, sides, 2000)
    guess = {"swap": np.array([[2.0, 0.0], [0.0, 2.0]]), "sides": np.array([[0.0] * 6, [0.0] * 5 + [1.0]])}
    found = fit(throws, guess)
    print("swaps, found and simulated with:", *np.round(found[0], 2), *swap, sep="\n")
    print("sides, found and simulated with:", *np.round(found[1], 2), *np.round(sides, 2), sep="\n")


if __name__ == "__main__":
    main()
