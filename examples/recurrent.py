"""A recurrent network that learns to tell the next sample of a signal from those before it.

Elman's network (Finding structure in time, Cognitive Science 14, 1990): a state h that each sample updates, and a
prediction read from it. Its gradient is backpropagation through time. Run `python examples/recurrent.py`.
"""

import numpy as np

import adcompiler


def loss(params, signal, h):
    """The mean squared error of the predictions of signal[1:], from a first state h."""
    total = 0.0
    for t in range(len(signal) - 1):
        h = np.tanh(params["W"] @ h + params["u"] * signal[t] + params["b"])
        error = params["v"] @ h - signal[t + 1]
        total += error**2
    return total / (len(signal) - 1)


def parameters(rng, size=16):
    return {
        "W": 0.9 * np.linalg.qr(rng.standard_normal((size, size)))[0],
        "u": rng.standard_normal(size),
        "b": np.zeros(size),
        "v": rng.standard_normal(size) / size,
    }


def train(params, signal, steps=300, rate=0.01):
    """Adam (Kingma and Ba, 2015); returns the parameters, and the loss before each step."""
    value_and_grad = adcompiler.value_and_grad(loss)
    mean = {name: np.zeros_like(value) for name, value in params.items()}
    square = {name: np.zeros_like(value) for name, value in params.items()}
    losses = []
    for step in range(1, steps + 1):
        value, gradient = value_and_grad(params, signal, np.zeros_like(params["b"]))
        losses.append(value)
        for name, d in gradient.items():
            mean[name] = 0.9 * mean[name] + 0.1 * d
            square[name] = 0.999 * square[name] + 0.001 * d**2
            scale = np.sqrt(square[name] / (1 - 0.999**step)) + 1e-8
            params = {**params, name: params[name] - rate * mean[name] / (1 - 0.9**step) / scale}
    return params, losses


def main():
    time = np.arange(80)
    signal = np.sin(0.3 * time) + 0.5 * np.sin(0.7 * time)
    losses = train(parameters(np.random.default_rng(0)), signal)[1]
    print(f"mean squared error: {losses[0]:.4f} before training, {losses[-1]:.6f} after {len(losses)} steps")


if __name__ == "__main__":
    main()
