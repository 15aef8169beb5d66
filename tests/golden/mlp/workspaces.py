def mlp_grad(layers, x, target):
    """Gradient of `mlp` (source.py:4) with respect to layers."""
    # forward
    layer_0s = [p[0] for p in layers]
    layer_1s = [p[1] for p in layers]
    part = layer_0s[:-1]                          # source.py:5
    part_2 = layer_1s[:-1]
    tape = []
    for W, b in zip(part, part_2):
        p = W @ x                                 # source.py:6
        s = p + b
        x_next = np.maximum(s, 0.0)
        tape.append((x, p, s))
        x = x_next
    W = layer_0s[-1]                              # source.py:7
    b = layer_1s[-1]
    p = W @ x                                     # source.py:8
    s = p + b
    r = s - target
    # backward
    d = project(r, s)                             # source.py:8
    d_2 = project(d, p)
    d_b = project(d, b)
    d_W = np.outer(d_2, x)
    d_W = project(d_W, W)
    d_x = W.T @ d_2
    d_x = project(d_x, x)
    d_layer_1s = zeros_like(layer_1s)             # source.py:7
    d_layer_1s[-1] = accumulate(d_layer_1s[-1], d_b)
    d_layer_0s = zeros_like(layer_0s)
    d_layer_0s[-1] = accumulate(d_layer_0s[-1], d_W)
    d_rows = []                                   # source.py:5
    d_rows_2 = []
    for b, W, (x, p, s) in zip(reversed(part_2), reversed(part), reversed(tape)):
        d = d_x * (s > 0.0)                       # source.py:6
        d_2 = project(d, p)
        d_b = project(d, b)
        d_W = np.outer(d_2, x)
        d_W = project(d_W, W)
        d_x = W.T @ d_2
        d_x = project(d_x, x)
        d_rows.append(d_W)
        d_rows_2.append(d_b)
    d_layer_1s_2 = zeros_like(layer_1s)           # source.py:5
    d_layer_1s_2[:-1] = accumulate(d_layer_1s_2[:-1], d_rows_2[::-1])
    d_layer_1s = accumulate(d_layer_1s, d_layer_1s_2)
    d_layer_0s_2 = zeros_like(layer_0s)
    d_layer_0s_2[:-1] = accumulate(d_layer_0s_2[:-1], d_rows[::-1])
    d_layer_0s = accumulate(d_layer_0s, d_layer_0s_2)
    return [
        (d_layer_0s_k, d_layer_1s_k) for d_layer_0s_k, d_layer_1s_k in zip(d_layer_0s, d_layer_1s)
    ]
