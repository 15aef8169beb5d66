def discounted(w, rate, xs, ys):
    total = 0.0
    for t, (x, y) in enumerate(zip(xs, ys)):
        total += rate**t * (w @ x - y) ** 2
    return total
