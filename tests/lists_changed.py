"""Programs that change lists of any length: by index, and in functions that get them or are made around them."""

import numpy as np


def prefix_sums(x):
    n = len(x)
    s = [0.0] * n
    s[0] = x[0]
    for i in range(1, n):
        s[i] = s[i - 1] * 0.5 + x[i] ** 2
    return s[-1] * s[0] + sum(s)


def paths_through_a_table(x):
    """The last row of a table of which two rows are kept at a time."""
    last = [0.0] * (len(x) + 1)
    for k in range(3):
        row = [0.0] * (len(x) + 1)
        for i in range(1, len(x) + 1):
            row[i] = last[i - 1] * 0.5 + x[i - 1] * row[i - 1] + x[i - 1] * (k + 1)
        last = row
    return last[-1] + last[1]


def sorted_by_swaps(x):
    a = [v * v for v in x]
    n = len(a)
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return sum(v * (k + 1) for k, v in enumerate(a))


def read_before_and_after(x):
    a = [v for v in x]
    t = 0.0
    for i in range(len(a) - 1):
        t += a[i] * a[i + 1]
        a[i + 1] *= a[i]
        a[i] = np.sin(a[i])
    return t + sum(a) + np.sum(np.array(a) * x)


def sums_by_bin(x):
    sums, counts = [0.0] * len(x), [0] * len(x)
    for i, k in enumerate(np.array([0, 2, 2, 1, 0])[: len(x)]):
        sums[k] += x[i] * (i + 1)
        counts[k] += 1
    out = 0.0
    for k in range(len(x)):
        if counts[k] > 0:
            out += sums[k] ** 2 / counts[k]
    return out


def until_it_is_large(x):
    a = [0.0] * len(x)
    i = 0
    while i < len(x):
        a[i] = x[i] * x[i] + 0.1
        if a[i] > 1.5:
            break
        i += 1
    return sum(a)


def an_index_that_is_not_there(x):
    a = [0.0] * len(x)
    for i in range(len(x)):
        try:
            a[i + 1] = x[i] * 2.0
        except IndexError:
            a[0] = x[i] * 7.0
    return sum(v * v for v in a)


def one_of_two(x):
    a = [0.0] * len(x)
    if x[0] > 0.0:
        a[0] = x[0] * x[1]
    else:
        a = [x[1]] * len(x)
    a[1] = a[0]
    return sum(v * v for v in a)


def stores(a, i, v):
    a[i] += v * v
    if i > 0:
        a[i - 1] *= 2.0


def stored_in_a_function(x):
    a = [0.0] * len(x)
    for i in range(len(x)):
        stores(a, i, x[i])
    return sum(a)


def relaxed(r, x):
    for i in range(len(r)):
        r[i] = r[i] * 0.5 + x[i] ** 2


class Cells:
    def __init__(self, n):
        self.values, self.log = [0.0] * n, []

    def step(self, x):
        relaxed(self.values, x)
        for v in self.values:
            self.log.append(v * v)


def a_buffer_of_an_object(x):
    cells = Cells(len(x))
    for _ in range(3):
        cells.step(x)
    relaxed(cells.values, x)
    return sum(v * v for v in cells.values) + cells.log[0] * sum(cells.log)


def exchanged(x):
    a, b = [0.0] * len(x), [1.0] * len(x)
    for _ in range(3):
        relaxed(a, x)
        a, b = b, a
    return sum(a) + 2.0 * sum(b)


def pushed(heap, v):
    heap.append(v)
    i = len(heap) - 1
    while i > 0:
        parent = (i - 1) // 2
        if heap[parent] > heap[i]:
            heap[parent], heap[i] = heap[i], heap[parent]
            i = parent
        else:
            break


def a_heap(x):
    heap = []
    for v in x:
        pushed(heap, v * v)
    return heap[0] * 2.0 + heap[1] * 3.0 + heap[-1]


def recorded(x):
    seen, pairs = [], []

    def record(v):
        seen.append(v)
        if len(seen) > 2:
            pairs.append((seen[-1] * seen[-3], v))
        return len(pairs)

    n = 0
    for v in x:
        n = record(v)
    return sum(a * b for a, b in pairs) * n + sum(seen)


def recorded_in_a_loop(x):
    out = [1.0]

    def run(scale):
        for v in x:
            out.append(v * out[-1] * scale)
        return out

    same = run(1.1)
    same.append(x[0])
    run(0.9)
    return sum(out)


def filled(a, x):
    for v in x:
        a.append(v**2)
        if len(a) > 7:
            return a[0]
    return a[-1]


def filled_twice(x):
    rows = []
    for k in range(len(x)):
        a = []
        first = filled(a, x)
        last = filled(a, x * 2.0)
        rows.append(sum(a) * x[k] + first * last)
    return sum(rows)


def two_names(x):
    a = [v * v for v in x]
    b = a
    a.append(x[1])
    b.append(x[0] * a[-1])
    b[0] = a[-1] * 3.0
    return sum(a) + len(b) * b[-1] + a[0]


def popped_in_a_function(x):
    def turned(a):
        last = a.pop()
        a.append(last * 2.0)
        return last

    a, s = [v for v in x], 0.0
    for k in range(len(x)):
        s += turned(a) * k
    return s + sum(a)


def longer_on_one_path(x):
    t = [x[0]]
    u = t
    if x[1] > 0.0:
        t.append(x[1] ** 2)
    if x[2] > 0.0:
        u.append(x[2] ** 3)
        t.append(2.0)
    t[0] = u[-1] * 2.0
    return sum(t) * len(u)


def empty_on_one_path(x):
    t = [(x[0], 2.0)]
    if x[1] > 0.0:
        t.append((x[1], x[2]))
    elif x[2] > 0.0:
        t = []
    rows = []
    if x[0] > 0.0:
        rows.append(x * x)
    rows.append(x)
    return sum(a * b for a, b in t) + np.sum(np.array(rows)) * x[0]


def some_terms(y):
    if y[0] > 0.0:
        return [y[0], y[1]]
    return [y[2]]


class Log:
    def __init__(self):
        self.kept = []

    def note(self, v):
        if v > 0.0:
            self.kept.append(v * v)


def noted_now_and_then(x):
    log, other = Log(), Log()
    for v in (x[0], x[1] * x[2], x[3]):
        log.note(v)
    for v in x:
        other.note(v)
    return sum(log.kept) * 2.0 + sum(other.kept) + sum(v * v for v in some_terms(x))


filled_by = [100.0]  # of the module: hidden by what functions call so


def kept_by_functions(x):
    def made(filled_by):
        for v in x:
            filled_by.append(v * v)
        return lambda: sum(filled_by)

    out = []

    def run():
        for v in x:
            out.append(v * v)

        def later():
            return sum(out)

        return later

    first = [1.0]
    f, g = made(first), run()
    first.append(x[0])
    out.append(x[1])
    s = f() * len(first) + g()
    out = [x[2]]
    return s + g()


CHANGED = [
    prefix_sums, paths_through_a_table, sorted_by_swaps, read_before_and_after, sums_by_bin, until_it_is_large,
    an_index_that_is_not_there, one_of_two, stored_in_a_function, a_buffer_of_an_object, exchanged, a_heap, recorded,
    recorded_in_a_loop, filled_twice, two_names, popped_in_a_function,
    longer_on_one_path, empty_on_one_path, noted_now_and_then, kept_by_functions,
]  # fmt: skip
