"""A Poisson regression: how counts depend on covariates, fitted with a generated gradient.

The counts have the means exp(X @ w + b); what is minimised is minus their mean log-likelihood, without the
factorials, and a penalty on w (McCullagh and Nelder, Generalized Linear Models, chapter 6). Run
`python examples/poisson.py`.
"""

import numpy as np
from scipy.optimize import minimize

import adcompiler


def loss(params, X, counts, decay):
    eta = X @ params["w"] + params["b"]
    return np.mean(np.exp(eta) - counts * eta) + decay * np.sum(params["w"] ** 2)


def data(rng, n=2000):
    """Covariates, counts, and the parameters that the counts were drawn with."""
    truth = {"w": np.array([0.5, -0.3, 0.0, 0.2]), "b": 1.0}
    X = rng.standard_normal((n, 4))
    return X, rng.poisson(np.exp(X @ truth["w"] + truth["b"])), truth


def fit(X, counts, decay=1e-6):
    value_and_grad = adcompiler.value_and_grad(loss)

    def objective(vector):
        value, d = value_and_grad({"w": vector[:-1], "b": vector[-1]}, X, counts, decay)
        return value, np.append(d["w"], d["b"])

    found = minimize(objective, np.zeros(X.shape[1] + 1), jac=True)
    return {"w": found.x[:-1], "b": found.x[-1]}


def main():
    X, counts, truth = data(np.random.default_rng(0))
    found = fit(X, counts)
    print("w:", np.round(found["w"], 3), "drawn with", truth["w"])
    print("b:", np.round(found["b"], 3), "drawn with", truth["b"])


if __name__ == "__main__":
    main()
