"""The log-likelihood of a mixture of Gaussians, whose covariances are given by their factors, with a prior."""

import numpy as np

from benchmarks.workloads.workload import Array, Gradient, Workload, normal, once


def mixture(alpha: Array, means: Array, log_diagonal: Array, lower: Array, X: Array) -> float:
    d = X.shape[1]
    Q = lower * np.tril(np.ones((d, d)), -1) + np.exp(log_diagonal)[:, :, None] * np.eye(d)
    y = (X[None, :, :] - means[:, None, :]) @ np.swapaxes(Q, 1, 2)
    log_p = (alpha + np.sum(log_diagonal, axis=1))[:, None] - 0.5 * np.sum(y * y, axis=2)
    top = np.max(log_p, axis=0)
    fit = np.sum(top + np.log(np.sum(np.exp(log_p - top), axis=0)))
    squares = np.sum(np.exp(2.0 * log_diagonal)) + np.sum((lower * np.tril(np.ones((d, d)), -1)) ** 2)
    prior = 0.5 * squares - np.sum(log_diagonal)
    return fit - X.shape[0] * np.log(np.sum(np.exp(alpha))) + prior


def mixture_by_hand(alpha: Array, means: Array, log_diagonal: Array, lower: Array, X: Array) -> tuple[Array, ...]:
    n, d = X.shape
    mask = np.tril(np.ones((d, d)), -1)
    diagonal = np.exp(log_diagonal)
    Q = lower * mask + diagonal[:, :, None] * np.eye(d)
    centred = X[None, :, :] - means[:, None, :]
    y = centred @ np.swapaxes(Q, 1, 2)
    log_p = (alpha + np.sum(log_diagonal, axis=1))[:, None] - 0.5 * np.sum(y * y, axis=2)
    weight = np.exp(log_p - np.max(log_p, axis=0))
    weight = weight / np.sum(weight, axis=0)
    share = np.sum(weight, axis=1)
    d_y = -weight[:, :, None] * y
    d_Q = np.swapaxes(d_y, 1, 2) @ centred
    d_means = -np.sum(d_y @ Q, axis=1)
    through_Q = np.diagonal(d_Q, axis1=1, axis2=2) * diagonal
    d_log_diagonal = share[:, None] + through_Q + diagonal * diagonal - 1.0
    e = np.exp(alpha)
    return share - n * e / np.sum(e), d_means, d_log_diagonal, (d_Q + lower) * mask


def mixture_pre(alpha: Array, means: Array, log_diagonal: Array, lower: Array, X: Array) -> Gradient:
    (n, d), k = X.shape, alpha.size
    mask, index = np.tril(np.ones((d, d)), -1), np.arange(d)
    centred, y, d_y = (np.empty((k, n, d)) for _ in range(3))
    Q, d_Q, d_lower = (np.empty((k, d, d)) for _ in range(3))
    diagonal, d_means, d_log_diagonal, squares = (np.empty((k, d)) for _ in range(4))
    log_p, row = np.empty((k, n)), np.empty(n)
    d_alpha, e = np.empty(k), np.empty(k)

    def likelihoods(alpha: Array, means: Array, log_diagonal: Array, lower: Array, X: Array) -> None:
        np.exp(log_diagonal, out=diagonal)
        np.multiply(lower, mask, out=Q)
        Q[:, index, index] = diagonal
        np.subtract(X[None, :, :], means[:, None, :], out=centred)
        np.matmul(centred, np.swapaxes(Q, 1, 2), out=y)
        np.einsum("knd,knd->kn", y, y, out=log_p)
        np.multiply(log_p, -0.5, out=log_p)
        np.sum(log_diagonal, axis=1, out=e)
        np.add(e, alpha, out=e)
        np.add(log_p, e[:, None], out=log_p)

    def softmax() -> None:
        np.max(log_p, axis=0, out=row)
        np.subtract(log_p, row, out=log_p)
        np.exp(log_p, out=log_p)
        np.sum(log_p, axis=0, out=row)
        np.divide(log_p, row, out=log_p)

    def gradient(alpha: Array, means: Array, log_diagonal: Array, lower: Array, X: Array) -> tuple[Array, ...]:
        likelihoods(alpha, means, log_diagonal, lower, X)
        softmax()
        np.sum(log_p, axis=1, out=d_alpha)
        np.multiply(log_p[:, :, None], y, out=d_y)
        np.negative(d_y, out=d_y)
        np.matmul(np.swapaxes(d_y, 1, 2), centred, out=d_Q)
        np.matmul(d_y, Q, out=y)
        np.sum(y, axis=1, out=d_means)
        np.negative(d_means, out=d_means)

        np.multiply(np.diagonal(d_Q, axis1=1, axis2=2), diagonal, out=d_log_diagonal)
        np.add(d_log_diagonal, d_alpha[:, None], out=d_log_diagonal)
        np.multiply(diagonal, diagonal, out=squares)
        np.add(d_log_diagonal, squares, out=d_log_diagonal)
        np.subtract(d_log_diagonal, 1.0, out=d_log_diagonal)

        np.exp(alpha, out=e)
        np.multiply(e, n / e.sum(), out=e)
        np.subtract(d_alpha, e, out=d_alpha)
        np.add(d_Q, lower, out=d_lower)
        np.multiply(d_lower, mask, out=d_lower)
        return d_alpha, d_means, d_log_diagonal, d_lower

    return gradient


def mixture_arguments(d: int, k: int, n: int) -> tuple[Array, ...]:
    return (
        normal(k),
        normal(k, d, seed=1),
        normal(k, d, seed=2) / 4,
        normal(k, d, d, seed=3) / 4,
        normal(n, d, seed=4),
    )


WORKLOADS = (
    Workload(
        "Gaussian mixture, d=10, k=25, n=1000",
        mixture,
        lambda: mixture_arguments(10, 25, 1000),
        lambda: mixture_arguments(2, 3, 5),
        argnums=(0, 1, 2, 3),
        references={"pre": mixture_pre, "hand": once(mixture_by_hand)},
        bar=1.1,
    ),
)
