import numpy as np


def softmax_loss(params, X, Y, decay):
    logits = X @ params["W"] + params["b"]
    logits = logits - np.max(logits, axis=1, keepdims=True)
    logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(np.sum(Y * logp, axis=1)) + decay * np.sum(params["W"] ** 2)
