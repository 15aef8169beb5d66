import numpy as np


def network_loss(params, X, Y, decay):
    z = np.tanh(X @ params["W1"] + params["b1"])
    logits = z @ params["W2"] + params["b2"]
    logits = logits - np.max(logits, axis=1, keepdims=True)
    logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    weights = np.sum(params["W1"] ** 2) + np.sum(params["W2"] ** 2)
    return -np.mean(np.sum(Y * logp, axis=1)) + decay * weights
