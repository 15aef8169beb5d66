def log_sqrt_grad(a, tolerance):
    """Value and gradient of `log_sqrt` (source.py:4) with respect to a."""
    # forward
    x = a                                         # source.py:6
    tape = []
    while abs(x * x - a) > tolerance:
        tape.append(x)
        x = 0.5 * (x + a / x)                     # source.py:7
    value = math.log(x)                           # source.py:8
    # backward
    d_x = 1.0 / x                                 # source.py:8
    d_a = 0.0                                     # source.py:6
    for x in reversed(tape):
        d = d_x * 0.5                             # source.py:7
        d_a += d / x
        d_x = d - d * (a / x / x)
    d_a += d_x                                    # source.py:6
    return value, float(d_a)
