"""Layers and signals: gates in one buffer, im2col, convolutions, normalisation, attention, FFT butterflies."""

import numpy as np

RNG = np.random.default_rng(5)
X = RNG.normal(size=(3, 4))
IMAGE = RNG.normal(size=(4, 5))
KERNEL = RNG.normal(size=(2, 3))
SIGNAL = RNG.normal(size=8)
GATES = RNG.normal(size=(8, 5)) * 0.5
SEQUENCE = RNG.normal(size=(3, 3))


def softmax_rows(x):
    """A softmax in place, row by row."""
    y = x.copy()
    for row in y:
        row -= np.max(row)
        np.exp(row, out=row)
        row /= np.sum(row)
    return np.sum(y * x)


def softmax_at_once(x, w):
    """A softmax in place over an axis, and the cross entropy that follows."""
    p = x @ w
    p -= p.max(axis=1, keepdims=True)
    np.exp(p, out=p)
    p /= p.sum(axis=1, keepdims=True)
    return -np.mean(np.log(p[np.arange(3), np.array([0, 1, 1])]))


def batch_normalised(batches, gamma):
    """Batches that are normalised in place, with running statistics."""
    mean, var = np.zeros(4), np.ones(4)
    loss = 0.0
    for k in range(2):
        b = batches * (k + 1.0) + k
        mu, s = b.mean(axis=0), b.var(axis=0)
        b -= mu
        b /= np.sqrt(s + 1e-3)
        b *= gamma
        mean *= 0.9
        mean += 0.1 * mu
        var[:] = 0.9 * var + 0.1 * s
        loss += np.sum(np.tanh(b) ** 2)
    return loss + np.sum(mean * mean / var)


def lstm(xs, weights):
    """An LSTM cell whose gates are views into one buffer."""
    h, c, z = np.zeros(2), np.zeros(2), np.zeros(8)
    joined = np.zeros(5)
    i, f, o, g = z[:2], z[2:4], z[4:6], z[6:]
    for x in xs:
        joined[:3] = x
        joined[3:] = h
        np.matmul(weights, joined, out=z)
        z[:6] = 1.0 / (1.0 + np.exp(-z[:6]))
        np.tanh(g, out=g)
        c *= f
        c += i * g
        h[:] = o * np.tanh(c)
    return np.sum(h * h) + np.sum(c)


def gru(xs, weights):
    """A GRU whose states are rows of one array."""
    hs = np.zeros((len(xs) + 1, 2))
    for t in range(len(xs)):
        v = np.concatenate([xs[t], hs[t]])
        r = 1 / (1 + np.exp(-(weights[:2] @ v)))
        u = 1 / (1 + np.exp(-(weights[2:4] @ v)))
        v[3:] *= r
        hs[t + 1] = u * hs[t] + (1 - u) * np.tanh(weights[4:6] @ v)
    return np.sum(hs[1:] ** 2)


def padded_convolution(image, kernel):
    """A convolution by loops, of an image that is padded with zeros."""
    h, w = kernel.shape
    padded = np.zeros((image.shape[0] + h - 1, image.shape[1] + w - 1))
    padded[: image.shape[0], : image.shape[1]] = image
    out = np.zeros(image.shape)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(padded[i : i + h, j : j + w] * kernel)
    return np.sum(np.maximum(out, 0.1) ** 2)


def shifted_convolution(image, kernel):
    """A convolution by shifts of the whole image."""
    h, w = kernel.shape
    out = np.zeros((image.shape[0] - h + 1, image.shape[1] - w + 1))
    for i in range(h):
        for j in range(w):
            out += kernel[i, j] * image[i : i + out.shape[0], j : j + out.shape[1]]
    out -= out.mean()
    return np.sum(out**2)


def im2col(image, kernel):
    """A convolution as a product with a matrix of patches."""
    h, w = kernel.shape
    rows, columns = image.shape[0] - h + 1, image.shape[1] - w + 1
    patches = np.empty((rows * columns, h * w))
    for i in range(rows):
        for j in range(columns):
            patches[i * columns + j] = image[i : i + h, j : j + w].ravel()
    return np.sum(np.tanh(patches @ kernel.ravel()))


def pooled(image):
    """Two by two maxima, written over a quarter of the image."""
    y = image.copy()
    for i in range(2):
        for j in range(2):
            y[i, j] = np.max(image[2 * i : 2 * i + 2, 2 * j : 2 * j + 2])
    return np.sum(y[:2, :2] ** 2) + np.sum(y)


def butterflies(signal, twist):
    """A fast Fourier transform by butterflies, through reshaped views of one buffer."""
    n = len(signal)
    z = np.zeros(n, complex)
    z[:] = signal[np.array([0, 4, 2, 6, 1, 5, 3, 7])] * twist
    half = 1
    while half < n:
        pairs = z.reshape(n // (2 * half), 2, half)
        w = np.exp(-1j * np.pi * np.arange(half) / half)
        odd = pairs[:, 1] * w
        pairs[:, 1] = pairs[:, 0] - odd
        pairs[:, 0] += odd
        half *= 2
    return np.sum(np.abs(z) ** 2 * np.arange(8.0)) + np.sum(z.real)


def lifted(signal):
    """A wavelet by lifting: odd and even samples are views that predict each other."""
    s = signal.copy()
    even, odd = s[::2], s[1::2]
    for _ in range(2):
        odd -= 0.5 * (even + np.roll(even, -1))
        even += 0.25 * (odd + np.roll(odd, 1))
    return np.sum(odd**2) + np.sum(even**3)


def causal_attention(x):
    """Attention with scores that are masked in place."""
    scores = x @ x.T
    scores[np.triu_indices(len(x), 1)] = -1e3
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return np.sum((scores @ x) ** 2)


def filtered(signal, b, a):
    """A recursive filter of second order, with its delays in a small array."""
    y, delay = np.empty_like(signal), np.zeros(2)
    for n in range(len(signal)):
        y[n] = b[0] * signal[n] + delay[0]
        delay[0] = b[1] * signal[n] - a[0] * y[n] + delay[1]
        delay[1] = b[2] * signal[n] - a[1] * y[n]
    return np.sum(y * y)


def dropped(x, mask):
    """Layers in a list of buffers that are reused, with a mask and a residual."""
    buffers = [x.copy(), np.zeros_like(x)]
    for k in range(2):
        a, b = buffers[k % 2], buffers[1 - k % 2]
        np.tanh(a, out=b)
        b[mask] = 0.0
        b *= 2.0
        b += 0.5 * a
    return np.sum(buffers[0] ** 2)


def embedded(table, words):
    """Rows of a table that are scaled in place before they are looked up, and summed by np.add.at."""
    E = table.copy()
    norms = np.sqrt(np.sum(E * E, axis=1))
    big = norms > 1.5
    E[big] /= norms[big][:, None]
    bag = np.zeros((2, E.shape[1]))
    np.add.at(bag, np.array([0, 1, 0, 1]), E[words])
    return np.sum(bag**2)


PROGRAMS = [
    (softmax_rows, (X,)), (softmax_at_once, (X, X.T[:, :2])), (batch_normalised, (X, X[0])),
    (lstm, (SEQUENCE, GATES)), (gru, (SEQUENCE, GATES)), (padded_convolution, (IMAGE, KERNEL)),
    (shifted_convolution, (IMAGE, KERNEL)), (im2col, (IMAGE, KERNEL)), (pooled, (IMAGE,)),
    (butterflies, (SIGNAL, np.exp(0.3j * SIGNAL))), (lifted, (SIGNAL,)), (causal_attention, (X,)),
    (filtered, (SIGNAL, KERNEL[0], KERNEL[1, :2] * 0.3)), (dropped, (X, X > 0.5)),
    (embedded, (X, np.array([0, 2, 2, 1]))),
]  # fmt: skip
