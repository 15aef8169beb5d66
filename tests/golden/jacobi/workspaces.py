def jacobi_grad(A, n, *, ws):
    """Gradient of `jacobi` (source.py:4) with respect to A."""
    # forward
    A = A.copy()                                  # source.py:5
    B = A.copy()                                  # source.py:6
    steps = range(n)                              # source.py:7
    for _ in steps:
        s = ws.s = np.add(A[1:-1, :-2], A[1:-1, 2:], ws.s)  # source.py:8
        s += A[2:, 1:-1]
        s += A[:-2, 1:-1]
        s *= 0.25
        B[1:-1, 1:-1] = s
        A, B = B, A
    # backward
    d_A = 2.0 * A                                 # source.py:10
    d_B = zeros_like(B)                           # source.py:7
    for _ in steps:
        d = ws.s = np.multiply(d_A[1:-1, 1:-1], 0.25, ws.s)  # source.py:8
        d_B[:-2, 1:-1] += d
        d_B[2:, 1:-1] += d
        d_B[1:-1, 2:] += d
        d_B[1:-1, :-2] += d
        d_A[1:-1, 1:-1] = 0
        d_A, d_B = d_B, d_A
    d_A += d_B                                    # source.py:6
    return d_A
