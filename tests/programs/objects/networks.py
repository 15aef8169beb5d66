"""Networks of layer objects, cells that are called, optimisers that keep moments."""

import numpy as np

RNG = np.random.default_rng(12)


class Layer:
    """A layer has its parameters in a dict."""

    def __init__(self, n_in, n_out, rng):
        self.params = {"W": rng.normal(size=(n_in, n_out)) / np.sqrt(n_in), "b": np.zeros(n_out)}

    def forward(self, x):
        raise NotImplementedError

    def __call__(self, x):
        self.last_input = x
        return self.forward(x)

    def penalty(self):
        return sum(np.sum(p**2) for p in self.params.values())


class Dense(Layer):
    def __init__(self, n_in, n_out, rng, activation=None):
        super().__init__(n_in, n_out, rng)
        self.activation = activation

    def forward(self, x):
        z = x @ self.params["W"] + self.params["b"]
        return z if self.activation is None else self.activation(z)


class Normalised(Dense):
    eps = 1e-5

    def __init__(self, n_in, n_out, rng):
        super().__init__(n_in, n_out, rng, np.tanh)
        self.params["gamma"] = np.ones(n_out)

    def forward(self, x):
        z = super().forward(x)
        mu, var = z.mean(axis=0), z.var(axis=0)
        return self.params["gamma"] * (z - mu) / np.sqrt(var + self.eps)


class Network:
    def __init__(self, layers, decay=1e-2):
        self.layers = layers
        self.decay = decay
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        for layer in self.layers:
            x = layer(x)
        return x

    def loss(self, x, y):
        p = self(x)
        total = np.mean((p - y) ** 2)
        for layer in self.layers:
            total = total + self.decay * layer.penalty()
        return total + 1e-3 * np.sum(self.layers[-1].last_input ** 2)


def network_loss(net, x, y):
    return net.loss(x, y)


class RNNCell:
    """A cell with a state, which each call moves on."""

    def __init__(self, Wx, Wh, b):
        self.Wx, self.Wh, self.b = Wx, Wh, b
        self.h = np.zeros(len(b))

    def reset(self):
        self.h = np.zeros(len(self.b))
        return self

    def __call__(self, x):
        self.h = np.tanh(self.Wx @ x + self.Wh @ self.h + self.b)
        return self.h


def recurrent(cell, xs, target):
    loss = 0.0
    cell.reset()
    for x in xs:
        loss += np.sum((cell(x) - target) ** 2)
    return loss


class Adam:
    """An optimiser that keeps its moments, and changes parameters in a dict."""

    def __init__(self, params, lr=0.1, betas=(0.9, 0.99), eps=1e-3):
        self.params, self.lr, self.betas, self.eps = params, lr, betas, eps
        self.m = {k: np.zeros_like(p) for k, p in params.items()}
        self.v = {k: np.zeros_like(p) for k, p in params.items()}
        self.t = 0

    def step(self, grads):
        self.t += 1
        b1, b2 = self.betas
        for k, g in grads.items():
            self.m[k] = b1 * self.m[k] + (1 - b1) * g
            self.v[k] = b2 * self.v[k] + (1 - b2) * g * g
            m_hat = self.m[k] / (1 - b1**self.t)
            v_hat = self.v[k] / (1 - b2**self.t)
            self.params[k] = self.params[k] - self.lr * m_hat / (np.sqrt(v_hat) + self.eps)


def fitted(lr, w, b, x, y):
    """Some steps of Adam on a regression: the derivative by the rate, and by where it starts."""
    opt = Adam({"w": w, "b": b}, lr=lr)
    for _ in range(4):
        r = x @ opt.params["w"] + opt.params["b"] - y
        opt.step({"w": x.T @ r / len(y), "b": np.array([np.mean(r)])})
    return np.sum((x @ opt.params["w"] + opt.params["b"] - y) ** 2)


def momentum_of_object(opt, g):
    """An optimiser that the caller has, whose arrays are changed in place."""
    for i in range(3):
        opt.velocity *= opt.mu
        opt.velocity -= opt.lr * g * (i + 1)
        opt.x += opt.velocity
        opt.trace[i] = opt.x[0]
    return np.sum(opt.x**2) + np.sum(opt.trace * opt.velocity)


class Momentum:
    __slots__ = ("x", "velocity", "mu", "lr", "trace")

    def __init__(self, x, lr=0.1, mu=0.9):
        self.x, self.lr, self.mu = x, lr, mu
        self.velocity = np.ones_like(x)
        self.trace = np.zeros(3)


X, Y = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 1))
PROGRAMS = [
    (network_loss, (Network([Normalised(3, 2, RNG), Dense(2, 2, RNG, np.tanh), Dense(2, 1, RNG)]), X, Y)),
    (recurrent, (RNNCell(*(RNG.normal(size=s) for s in ((2, 3), (2, 2), 2))), X, np.array([0.3, 0.1]))),
    (fitted, (0.2, RNG.normal(size=3), np.array([0.1]), X, Y[:, 0])),
    (momentum_of_object, (Momentum(RNG.normal(size=3)), RNG.normal(size=3))),
]
