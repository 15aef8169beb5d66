import numpy as np


def rnn(params, xs, h):
    total = 0.0
    for x in xs:
        h = np.tanh(params["W"] @ h + params["U"] @ x + params["b"])
        total += np.sum(h * h)
    return total

def rnn_of_bias(b, W, U, xs, h):
    return rnn({"W": W, "U": U, "b": b}, xs, h)
