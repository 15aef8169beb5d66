def fun_grad_2(x, u, k, d_value):
    """The pullback of `fun` (source.py:7)."""
    d_k = d_value * x**3 * 0.1                    # source.py:7
    d_u = -d_value
    return d_u, d_k


def fun_grad(x, u, k, d_value):
    """The pullback of `fun` (source.py:7)."""
    d_x = d_value * (0.1 * k) * (3 * x**2)        # source.py:7
    d_x += d_value
    return d_x


def fun(x, u, k):
    """Value of `fun` (source.py:7)."""
    return x - u + 0.1 * k * x**3


def relaxed_grad(k, u, n):
    """Gradient of `relaxed` (source.py:5) with respect to k, u."""
    # forward
    tape = []                                     # source.py:6
    for _ in range(n):
        x, success, _ = root_of(lambda x: fun(x, u, k), starting(u))  # source.py:7
        tape.append((u, x, success))
        u = x
    # backward
    d_u = 2.0 * u                                 # source.py:9
    d_k = zeros_like(k)                           # source.py:6
    for u, x, success in reversed(tape):
        jacobian = np.stack([fun_grad(x, u, k, row) for row in np.eye(x.shape[0])])  # source.py:7
        jacobian = well_posed(jacobian, fun(x, u, k), x, d_u, "root", success=success)
        t = np.linalg.solve(jacobian.T, d_u)
        r = np.negative(t, t)
        d_u, t = fun_grad_2(x, u, k, r)
        d_k += t
    return d_k, d_u
