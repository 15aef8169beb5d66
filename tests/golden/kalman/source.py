import numpy as np


def log_likelihood(F, Q, H, R, m, P, ys):
    total = 0.0
    for y in ys:
        m = F @ m
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        v = y - H @ m
        w = np.linalg.solve(S, v)
        total -= 0.5 * (v @ w + np.log(np.linalg.det(S)))
        K = P @ H.T @ np.linalg.inv(S)
        m = m + K @ v
        P = P - K @ H @ P
    return total
