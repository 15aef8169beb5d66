"""Dynamic programming over tables, scatter and histograms, prefix sums and products, masked updates."""

import numpy as np

RNG = np.random.default_rng(3)
V = RNG.uniform(0.5, 1.5, 6)
W = RNG.uniform(0.5, 1.5, 5)
SCORES = RNG.normal(size=(4, 3))
MOVES = RNG.normal(size=(3, 3))
BINS = np.array([0, 2, 2, 1, 0, 3])


def edit_distance(a, b):
    """A soft edit distance: each cell from three that are done."""
    n, m = len(a), len(b)
    D = np.zeros((n + 1, m + 1))
    D[1:, 0] = np.arange(1, n + 1)
    D[0, 1:] = np.arange(1, m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            costs = np.array([D[i - 1, j] + 1.0, D[i, j - 1] + 1.0, D[i - 1, j - 1] + (a[i - 1] - b[j - 1]) ** 2])
            D[i, j] = -np.log(np.sum(np.exp(-costs)))
    return D[n, m]


def time_warping(a, b):
    """Dynamic time warping, in two rows that are swapped."""
    before, now = np.full(len(b) + 1, 1e3), np.full(len(b) + 1, 1e3)
    before[0] = 0.0
    for i in range(len(a)):
        now[0] = 1e3
        for j in range(len(b)):
            now[j + 1] = abs(a[i] - b[j]) + min(before[j], before[j + 1], now[j])
        before, now = now, before
    return before[-1]


def forward_algorithm(scores, moves):
    """Log-sum-exp along a chain: a row of the table a step."""
    alpha = np.empty_like(scores)
    alpha[0] = scores[0]
    for t in range(1, len(scores)):
        for s in range(scores.shape[1]):
            alpha[t, s] = scores[t, s] + np.log(np.sum(np.exp(alpha[t - 1] + moves[:, s])))
    return np.log(np.sum(np.exp(alpha[-1])))


def viterbi(scores, moves):
    """The best path: the table is overwritten by what is best so far."""
    best = scores.copy()
    for t in range(1, len(best)):
        best[t] += np.max(best[t - 1][:, None] + moves, axis=0)
    return np.max(best[-1])


def soft_knapsack(values, temperature):
    """A soft knapsack over capacities, from above, in one row."""
    best = np.zeros(8)
    for i in range(len(values)):
        weight = i % 3 + 1
        for c in range(7, weight - 1, -1):
            take = best[c - weight] + values[i]
            best[c] = temperature * np.logaddexp(best[c] / temperature, take / temperature)
    return best[-1]


def optimal_parentheses(v):
    """The soft cost of a chain of products, by diagonals of a triangle."""
    n = len(v) - 1
    cost = np.zeros((n, n))
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            total = 0.0
            for k in range(i, j):
                total += np.exp(-(cost[i, k] + cost[k + 1, j] + v[i] * v[k + 1] * v[j + 1]))
            cost[i, j] = -np.log(total)
    return cost[0, n - 1]


def shortest_paths(weights):
    """Floyd and Warshall, a pivot at a time over the whole matrix."""
    D = np.abs(weights) + 0.1
    np.fill_diagonal(D, 0.0)
    for k in range(len(D)):
        np.minimum(D, D[:, k : k + 1] + D[k], out=D)
    return np.sum(D * D)


def pascal(x, order):
    """A polynomial's values by de Casteljau, in one row."""
    b = x.copy()
    for r in range(1, len(b)):
        b[: len(b) - r] = 0.3 * b[: len(b) - r] + 0.7 * b[1 : len(b) - r + 1]
    return b[0] ** order


def histogram(x, bins):
    """Sums by bins, with np.add.at, and what is left of them."""
    total, count = np.zeros(4), np.zeros(4)
    np.add.at(total, bins, x)
    np.add.at(count, bins, 1.0)
    total /= count
    return np.sum((x - total[bins]) ** 2)


def histogram_by_a_loop(x, bins):
    """The same in a loop."""
    total = np.zeros(4)
    for i in range(len(x)):
        total[bins[i]] += x[i] * x[i]
    return np.sum(total**2)


def soft_histogram(x):
    """Weights that are shared by two bins."""
    h = np.zeros(4)
    for v in x:
        k = int(2 * v)
        h[k] += 1 - (2 * v - k)
        h[(k + 1) % 4] += 2 * v - k
    return np.sum(h * h)


def assembled(x):
    """Finite elements: a 2 by 2 matrix added along the diagonal, then scaled by rows."""
    K = np.zeros((len(x) + 1, len(x) + 1))
    for e in range(len(x)):
        K[e : e + 2, e : e + 2] += np.array([[1.0, -1.0], [-1.0, 1.0]]) * x[e]
    K[0] = 0.0
    K[0, 0] = 1.0
    return np.sum(np.linalg.inv(K + np.eye(len(K))))


def prefix_sums(x, w):
    """Running sums, in place."""
    s = x.copy()
    for i in range(1, len(s)):
        s[i] += s[i - 1]
    return np.sum(s * w)


def running_products(x):
    """Running products, in place."""
    p = x.copy()
    for i in range(1, len(p)):
        p[i] *= p[i - 1]
    return np.sum(p)


def scanned_by_doubling(x):
    """Prefix sums by doubling strides."""
    s = x.copy()
    k = 1
    while k < len(s):
        s[k:] += s[:-k].copy()
        k *= 2
    return np.sum(s * s)


def horner(coefficients, x):
    """A polynomial at many places, by out=."""
    y = np.zeros_like(x)
    for c in coefficients:
        np.multiply(y, x, out=y)
        y += c
    return np.sum(y * y)


def divided_differences(x, y):
    """Newton's interpolation: the coefficients overwrite the values."""
    c = y.copy()
    n = len(c)
    for k in range(1, n):
        c[k:] = (c[k:] - c[k - 1 : -1]) / (x[k:] - x[: n - k])
    value = c[-1]
    for k in range(n - 2, -1, -1):
        value = value * (0.3 - x[k]) + c[k]
    return value


def clipped(x, limit):
    """Values above a limit are bent, below none are zero; masks that are made before they are used."""
    y = x - 1.0
    high, low = y > limit, y < 0
    y[high] = limit + np.tanh(y[high] - limit)
    y[low] *= 0.1
    np.putmask(y, y > 10.0, 0.0)
    return np.sum(y * x)


def escape_time(c, steps):
    """An escape-time iteration: what is out is left alone."""
    z, size = np.zeros_like(c), np.zeros(len(c))
    alive = np.ones(len(c), bool)
    for _ in range(steps):
        z[alive] = z[alive] ** 2 + c[alive]
        size[alive] += np.abs(z[alive]) ** 2
        alive = np.abs(z) < 1.2
    return np.sum(size)


def sorted_gaps(x):
    """Order statistics, sorted in place."""
    y = x * x
    y.sort()
    y[1:] -= y[:-1].copy()
    return np.sum(y * np.arange(6.0))


def bubble_sort(x):
    """A sort by swaps of elements."""
    y = x.copy()
    for i in range(len(y)):
        for j in range(len(y) - 1 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
    return np.sum(y * np.arange(6.0) ** 2)


PROGRAMS = [
    (edit_distance, (V[:3], W[:4])), (time_warping, (V[:3], W[:4])), (forward_algorithm, (SCORES, MOVES)),
    (viterbi, (SCORES, MOVES)), (soft_knapsack, (V[:4], 0.5)), (optimal_parentheses, (W,)),
    (shortest_paths, (MOVES,)), (pascal, (W, 2)), (histogram, (V, BINS)), (histogram_by_a_loop, (V, BINS)),
    (soft_histogram, (V,)), (assembled, (W,)), (prefix_sums, (V, V[::-1] ** 2)), (running_products, (V,)),
    (scanned_by_doubling, (V,)), (horner, (W, V)), (divided_differences, (np.sort(W), V[:5])), (clipped, (V, 0.2)),
    (escape_time, ((V - 1) + 1j * (V[::-1] - 0.8), 3)), (sorted_gaps, (V,)), (bubble_sort, (V,)),
]  # fmt: skip
