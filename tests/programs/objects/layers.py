"""Layers, cells and optimisers as objects with parameters in attributes, dicts and lists."""

from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

RNG = np.random.default_rng(8)
X = RNG.normal(size=(5, 3))
T = RNG.normal(size=(5, 2))


class Layer:
    def __call__(self, x):
        return self.forward(x)

    def penalty(self):
        return 0.0


class Dense(Layer):
    def __init__(self, params):
        self.params = params
        self.last = None

    def forward(self, x):
        self.last = x @ self.params["W"] + self.params["b"]
        return self.last

    def penalty(self):
        return 0.01 * np.sum(self.params["W"] ** 2)


class Activation(Layer):
    functions = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0.0)}

    def __init__(self, name):
        self.function = self.functions[name]

    def forward(self, x):
        return self.function(x)


class Sequential(Layer):
    def __init__(self, *layers):
        self.layers = list(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def penalty(self):
        return sum(layer.penalty() for layer in self.layers)


def mlp(p1, p2):
    net = Sequential(Dense(p1), Activation("tanh"), Dense(p2))
    return np.mean((net(X) - T) ** 2) + net.penalty() + np.sum(net.layers[0].last)


class Cell:
    """A recurrent cell that keeps its state between calls."""

    def __init__(self, W, U):
        self.W = W
        self.U = U
        self.h = np.zeros(W.shape[0])

    def reset(self):
        self.h = np.zeros_like(self.h)

    def __call__(self, x):
        self.h = np.tanh(self.W @ self.h + self.U @ x)
        return self.h


def recurrent(W, U):
    cell = Cell(W, U)
    outputs = [np.sum(cell(x)) for x in X]
    last = cell.h
    cell.reset()
    cell(X[0])
    return sum(o * o for o in outputs) + last @ cell.h


@dataclass
class Adam:
    rate: float
    b1: float = 0.9
    b2: float = 0.99
    step: int = 0

    def start(self, w):
        self.m = np.zeros_like(w)
        self.v = np.zeros_like(w)

    def update(self, w, g):
        self.step += 1
        self.m = self.b1 * self.m + (1 - self.b1) * g
        self.v = self.b2 * self.v + (1 - self.b2) * g**2
        m = self.m / (1 - self.b1**self.step)
        v = self.v / (1 - self.b2**self.step)
        return w - self.rate * m / (np.sqrt(v) + 1e-3)


def unrolled_adam(rate, w):
    opt = Adam(rate)
    opt.start(w)
    for _ in range(4):
        w = opt.update(w, 2.0 * (w - 1.0) + 0.1 * w**3)
    return np.sum((w - 1.0) ** 2)


Weights = namedtuple("Weights", ["W", "b"])


class BatchNorm:
    def __init__(self, gamma, beta, momentum=0.9):
        self.gamma, self.beta = gamma, beta
        self.momentum = momentum
        self.mean = np.zeros(gamma.shape)
        self.var = np.ones(gamma.shape)

    def __call__(self, x, training=True):
        if training:
            mean, var = np.mean(x, axis=0), np.var(x, axis=0)
            self.mean = self.momentum * self.mean + (1 - self.momentum) * mean
            self.var = self.momentum * self.var + (1 - self.momentum) * var
        else:
            mean, var = self.mean, self.var
        return self.gamma * (x - mean) / np.sqrt(var + 1e-5) + self.beta


def batch_norm(gamma, beta, W):
    norm = BatchNorm(gamma, beta)
    for _ in range(2):
        y = norm(X @ W)
    return np.sum(np.tanh(norm(X @ W, training=False)) * y)


def named_weights(W, b):
    layers = [Weights(W, b), Weights(W.T @ W, b * 2.0)]
    x = X
    for w in layers:
        x = np.tanh(x @ w.W + w.b)
    first, *_ = layers
    second = first._replace(b=first.b + 1.0)
    return np.sum(x) + np.sum(second.b * first.b)


def namespaces(W, b):
    s = SimpleNamespace(W=W, b=b, count=0)
    s.h = X
    for _ in range(2):
        s.h = np.tanh(s.h @ s.W + s.b)
        s.count += 1
    return np.sum(s.h) * s.count


class Attention:
    def __init__(self, d, params):
        self.d = d
        for name, value in params.items():
            setattr(self, name, value)

    @staticmethod
    def softmax(s):
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    @classmethod
    def square(cls, W):
        return cls(3, {"Q": W, "K": W, "V": W.T})

    def __call__(self, x):
        q, k, v = x @ self.Q, x @ self.K, x @ self.V
        return self.softmax(q @ k.T / np.sqrt(self.d)) @ v


def attention(Q, K, V):
    one = Attention(3, {"Q": Q, "K": K, "V": V})
    return np.sum(one(X) ** 2) + np.sum(Attention.square(Q)(X))


PROGRAMS = [
    (mlp, ({'W': RNG.normal(size=(3, 4)), 'b': RNG.normal(size=4)}, {'W': RNG.normal(size=(4, 2)), 'b': np.zeros(2)})),
    (recurrent, (0.3 * RNG.normal(size=(2, 2)), RNG.normal(size=(2, 3)))),
    (unrolled_adam, (0.1, RNG.normal(size=3))),
    (batch_norm, (np.ones(2), np.zeros(2), RNG.normal(size=(3, 2)))),
    (named_weights, (RNG.normal(size=(3, 3)), RNG.normal(size=3))),
    (namespaces, (RNG.normal(size=(3, 3)), RNG.normal(size=3))),
    (attention, tuple((RNG.normal(size=(3, 3)) for _ in range(3)))),
]
