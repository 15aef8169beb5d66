"""Lists of lists, tuples and dicts that grow in loops; and what such a list holds, which is not changed."""

import numpy as np
import pytest

from adcompiler import grad
from adcompiler.errors import UnsupportedError
from tests.numerics import assert_close, differences

from .checking import at, everywhere

X = np.array([0.7, 0.4, 1.3, 0.9])


def table(x):
    rows = []
    for i in range(len(x)):
        row = []
        for j in range(len(x)):
            row.append(x[i] * x[j] ** 2)
        rows.append(row)
    A = np.array(rows)
    return np.sum(A * A[0])


def triangle(x):
    rows = []
    for i in range(len(x)):
        row = [x[i] ** 2]
        for j in range(i):
            row.append(row[-1] * x[j])
        rows.append(row)
    total = 0.0
    for k, row in enumerate(rows):
        for v in row:
            total += v * v * (k + 1)
    return total * rows[-1][1] * len(rows[2])


def literal_rows(x):
    rows = [[x[0], 1.0]]
    for v in x:
        rows.append([v, v * v])
    rows += [[x[1], x[2]], [x[3], 2.0]]
    A = np.array(rows)
    a, b = rows[0]
    return np.sum(A @ A.T) * a + b * sum([p * q for p, q in rows[1:]])


def mixed_rows(x):
    """The first row is written out, the others are made by loops."""
    rows = [[x[0], x[1], x[2], x[3]]]
    for v in x:
        rows.append([v * w for w in rows[-1]])
    return np.sum(np.array(rows) ** 2)


def records(x):
    points = []
    for i in range(len(x)):
        points.append({"xy": (x[i], x[i - 1]), "w": [x[i] ** 2, 3.0]})
    total = 0.0
    for p in points:
        total += p["xy"][0] * p["xy"][1] * p["w"][0] * p["w"][1]
    best = max(points, key=lambda p: p["w"][0])
    return total * best["xy"][0]


def states(x):
    history, v = [], x * 1.0
    n = 0
    while n < 7:
        v = v * 0.9 + 0.1 * x * v
        history.append([v, np.sum(v)])
        n += 1
    return sum(np.sum(a) * b for a, b in history)


def cubes(x):
    out = []
    for a in x:
        plane = []
        for b in x:
            line = []
            for c in x:
                line.append(a * b * c)
            plane.append(line)
        out.append(plane)
    return np.sum(np.array(out) ** 2)


def flattened(x):
    rows = []
    for i in range(len(x)):
        row = [x[i]]
        row.extend(x[:2] * x[i])
        rows.append(row)
    flat = [v for row in rows for v in row]
    first = [row[0] for row in rows]
    return np.sum(np.array(flat) ** 2) * first[0] + rows[-1][2] * rows[1][1]


def by_keys(x):
    out = {"p": [], "v": []}
    p, v = x[0], x[1]
    for _ in range(20):
        v = v - 0.1 * p
        p = p + 0.1 * v * x[2]
        for k, s in (("p", p), ("v", v)):
            out[k].append(s)
    return np.dot(np.array(out["p"]), np.array(out["v"]))


def of_known_length(x):
    rows = []
    for i in range(3):
        rows.append([])
        for v in x:
            rows[i].append(v * x[i])
    columns = [[] for _ in range(2)]
    zeros = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(2):
            columns[j].append(x[i] ** (j + 2))
            zeros[i][j] = x[i] * x[j]
    return np.sum(np.array(rows) ** 2) * columns[1][2] + sum(columns[0]) + np.sum(np.array(zeros) * x[1:])


def copied_first(x):
    p, points = {"a": x[0], "b": x[1]}, []
    for v in x:
        p["a"] = p["a"] * v
        points.append({**p})
    points = [{**q, "b": q["a"] * x[2]} for q in points]
    last = dict(points[-1])
    last["a"] = x[3]
    return sum(q["a"] * q["b"] for q in points) * last["a"]


def three_lists(x):
    """The loop that reads them is read backwards, and makes two of them again."""
    a = [v * v for v in x]
    b = [v * 2.0 for v in x]
    c = [v**3 for v in x]
    total = 0.0
    for p, q, r in zip(a, b, c):
        total += p * q * r
    return total * a[0]


PROGRAMS = [three_lists, table, triangle, literal_rows, mixed_rows, records, states, cubes, flattened, by_keys,
            of_known_length, copied_first]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_lists_in_lists(f):
    everywhere(f, X, twice=f in (table, triangle, records, states))
    at(f, X[::-1].copy())


@pytest.mark.parametrize("f", [table, triangle, literal_rows, states], ids=lambda f: f.__name__)
def test_lists_in_lists_of_float32(f):
    g = grad(f)(X.astype(np.float32))
    assert g.dtype == np.float32
    assert_close(g.astype(float), differences(f, (X,)), 1e-4, 1e-4)


def an_element_by_its_place(x):
    rows = [[v * w for w in x] for v in x]
    rows[0].pop()
    return sum(sum(r) for r in rows)


def an_element_by_a_name(x):
    rows = [[v * w for w in x] for v in x]
    row = rows[1]
    row.append(x[2])
    return sum(sum(r) for r in rows)


def an_element_of_a_loop(x):
    points = [{"a": v} for v in x]
    for p in points:
        p["a"] = p["a"] * x[0]
    return sum(p["a"] for p in points)


def what_is_appended(x):
    points = []
    for v in x:
        p = {"a": v}
        points.append(p)
        p["a"] = v * v
    return sum(p["a"] for p in points)


def what_is_collected(x):
    row = [v * v for v in x]
    rows = [row for _ in x]
    row.append(x[0])
    return sum(sum(r) for r in rows)


def the_same_again(x):
    p, points = {"a": x[0]}, []
    for v in x:
        p["a"] = v * v
        points.append(p)
    return sum(p["a"] for p in points)


def a_list_that_grows_on(x):
    row, rows = [], []
    for v in x:
        row.append(v * v)
        rows.append(row)
    return sum(sum(r) for r in rows)


def what_was_there_before(x):
    p = {"a": x[0]}
    points = [p]
    for v in x:
        points.append({"a": v})
    p.update(a=x[1])
    return sum(q["a"] for q in points)


def in_a_function(x):
    def scale(p):
        p["a"] *= x[0]

    points = []
    for v in x:
        points.append({"a": v})
        scale(points[-1])
    return sum(p["a"] for p in points)


def what_is_picked(x):
    points = [{"a": v, "b": v * v} for v in x]
    best = max(points, key=lambda p: p["b"])
    del best["b"]
    return best["a"] * points[0]["b"]


CHANGED = [an_element_by_its_place, an_element_by_a_name, an_element_of_a_loop, what_is_appended, what_is_collected,
           the_same_again, a_list_that_grows_on, what_was_there_before, in_a_function, what_is_picked]  # fmt: skip


@pytest.mark.parametrize("f", CHANGED, ids=lambda f: f.__name__)
def test_what_a_long_list_holds_is_not_changed(f):
    with pytest.raises(UnsupportedError, match=r"(may be the same|element of a list)(.|\n)*Instead: "):
        grad(f)(X)
