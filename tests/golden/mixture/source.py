import numpy as np


def logsumexp(a):
    top = np.max(a, axis=1, keepdims=True)
    return np.log(np.sum(np.exp(a - top), axis=1)) + top[:, 0]


def mixture(logits, means, scales, x):
    z = (x[:, None] - means) / scales
    joint = logits - 0.5 * z**2 - np.log(scales)
    return -np.mean(logsumexp(joint))
