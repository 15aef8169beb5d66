"""The programs of `refused.py` after the remedy of their message, under the same names."""

import collections
import math

import numpy as np

TABLE = np.arange(4.0)


def store_to_one_of_two(x):
    y = x * 2.0
    z = y if x[0] > 0.0 else x
    y = y.copy()
    y[0] = x[1]
    return np.sum(y * z)


def store_through_a_name_that_a_loop_moves(x):
    y = x * 1.0
    z = y
    z = z.copy()
    for _ in range(2):
        z[0] = 1.0
        y = y * x
    return np.sum(y * z)


def augmented_view_or_copy(x):
    y = np.outer(x, x).T * 2.0
    z = y.reshape(-1)
    z = z.copy()
    z += 1.0
    return np.sum(y * y) + np.sum(z)


def store_to_a_view_or_a_copy(x):
    y = np.outer(x, x).T * 2.0
    y.flat[1] = x[0]
    return np.sum(y * y)


def store_to_the_new_shape_of_an_item(x):
    y = np.outer(x, x).T * 2.0
    kept = {"y": y}
    kept["y"].flat[:8] *= x[0]
    return np.sum(y * y) + np.sum(kept["y"])


def store_to_a_view_or_a_copy_in_loops(x):
    y = np.outer(x, x).T * 2.0
    for i in range(2):
        for j in range(2):
            y.flat[8 * i + j] *= x[0]
    return np.sum(y * y)


def store_to_what_may_be_put_in_order(x):
    y = np.outer(x, x).T * 2.0
    z = np.ascontiguousarray(y)
    z = z.copy()
    z[0] = x
    return np.sum(y * z)


def rows_that_a_function_may_read(x):
    def squared(v):
        return np.sum(v * v)

    y = np.outer(x, x)
    total = 0.0
    for i in range(len(y)):
        total += squared(y[i])
        y[i, :1] += total
    return np.sum(y)


def store_while_it_is_read(x):
    y = x * 2.0

    def changed():
        y[0] = 1.0
        return 2.0

    c = changed()
    return np.sum(y * c)


def store_before_what_reads_it(x):
    y = np.outer(x, x)
    y[0] = x
    return sum(np.sum(row * row) for row in reversed(y))


def store_to_a_global(x, table=TABLE):
    table[0] = x[0]
    return np.sum(x * table)


def store_to_a_copy(x):
    y = x * 2.0
    y[[0, 1][0]] = 0.0
    return np.sum(y * y)


def store_to_rows_of_a_copy(x):
    y = np.outer(x, x)
    y[np.array([0, 2])[1], 1:] += x[0]
    return np.sum(y * y)


def store_to_a_copy_by_a_mask(x):
    y = x * 2.0
    y[np.flatnonzero(x > 1.7)[0]] = x[0]
    return np.sum(y * x)


def store_to_a_copy_of_columns(x):
    y = np.outer(x, x)
    y[:, [0, 2][1]] = x
    return np.sum(y * y)


def store_to_a_tuple(x):
    pair = x[0], x[1]
    pair = (*pair[:0], x[2], *pair[1:])
    return pair[0] * pair[1]


def store_of_floats_into_ints(x):
    y = np.zeros(4, dtype=int)
    y = y.astype("float64")
    y[:] += x
    return np.sum(y * x)


def store_to_a_list_of_any_length(ys):
    ys = list(ys)
    ys[0] = ys[1]
    return ys[0] * ys[1]


def store_to_a_slice_of_a_long_list(x):
    ys = [v * v for v in x]
    new = ys[:1]
    new.append(x[0])
    return sum(new)


def store_to_the_shape(x):
    y = x * 2.0
    y = y.reshape((2, 2))
    return np.sum(y @ y)


def store_to_flat_of_its_own_elements(x):
    y = x * 2.0
    y.flat[:] = y[::-1].copy()
    return np.sum(y * x)


def operator_on_flat(x):
    y = x * 2.0
    y.flat[...] += 1.0
    return np.sum(y * y)


def store_to_the_transpose(x):
    y = np.outer(x, x)
    y.T[...] = x
    return np.sum(y * y)


def store_to_a_diagonal(x):
    y = np.outer(x, x)
    i = np.arange(4)
    y[i, i] = 0.0
    return np.sum(y)


def store_to_a_broadcast_array(x):
    y = np.array(np.broadcast_to(x * 2.0, (3, 4)))
    y[0] = 0.0
    return np.sum(y)


def store_to_an_imaginary_part_of_a_real_array(x):
    z = (x * 2.0).astype(complex)
    z.imag[1:] = x[1:]
    return np.sum(np.abs(z))


def store_to_a_flattened_array_of_unknown_order(x):
    y = (x * 2.0).reshape(2, 2).T * 1.0
    y[0, 1] = 0.0
    return np.sum(y * y)


def put_along_no_axis(x):
    y = np.outer(x, x)
    y.flat[np.array([1, 2])] = x[:2]
    return np.sum(y * y)


def maximum_at_places(x):
    y = x * 2.0
    for i, v in zip([0, 1, 0], x[1:]):
        y[i] = np.maximum(y[i], v)
    return np.sum(y * y)


def product_at_rows(x):
    y = np.outer(x, x)
    for i in np.array([0, 2, 0]):
        y[i] *= x
    return np.sum(y * y)


def negative_at_places(x):
    y = x * 2.0
    for i in [0, 1]:
        y[i] = np.negative(y[i])
    return np.sum(y * x)


def quotient_at_a_mask(x):
    y = x * 2.0
    y[x > 1.7] /= x[0]
    return np.sum(y * x)


def shuffled(x, order=np.array([2, 0, 3, 1])):
    y = x * x
    y = y[order]
    return np.sum(y * x)


def shuffled_list(x, order=np.array([2, 0, 3, 1])):
    ys = [v * v for v in x]
    ys = np.array(ys)[order]
    return ys[0] * ys[1]


def permuted(x, order=np.array([2, 0, 3, 1])):
    y = (x * x)[order]
    return np.sum(y * x)


def method_of_an_unknown_result(x):
    rows = np.cumsum(x)
    return np.sum(rows.reshape(-1) ** 2)


def quantile_of_another_method(x):
    y = np.sort(x * x)
    k = round(0.4 * (len(y) - 1))
    return y[k]


def percentile_of_another_method(x):
    y = x * x
    y = np.sort(y[~np.isnan(y)])
    place = 0.4 * len(y) - 0.5
    k = int(place)
    t = place - k
    return (1 - t) * y[k] + t * y[k + 1]


def subscripts_that_are_computed(x):
    return np.einsum("ij,j->i", np.outer(x, x), x)[0]


def joined_by_r(x):
    return np.sum(np.concatenate([x * x, [x[0]], [1.0]]))


def columns_by_c(x):
    return np.sum(np.column_stack([x * x, x]) ** 2)


def grids_by_mgrid(x):
    i, j = np.meshgrid(np.arange(4), np.arange(4), indexing="ij")
    return np.sum(x[i] * x[j] * i)


def column_by_ogrid(x):
    return np.sum(np.outer(x, x) * np.arange(4)[:, None])


def index_by_s(x):
    part = slice(1, None)
    return np.sum(x[part] ** 2)


def augmented_global(x):
    global_table = TABLE
    global_table = global_table + 1.0
    return np.sum(x * x * global_table)


def _not_in_place(v):
    v = v * 3.0
    return v


def append_an_empty_list_in_a_loop(x):
    rows = []
    for v in x:
        row = []
        row.append(v)
        rows.append(row)
    return rows[0][0] * rows[1][0]


def change_an_element_of_a_long_list(x):
    points = [{"a": v} for v in x]
    points = [{"a": x[1]} if i == 0 else p for i, p in enumerate(points)]
    return points[0]["a"]


def change_what_a_long_list_holds(x):
    points = [{"a": v} for v in x]
    points = [{**p, "a": p["a"] * x[0]} for p in points]
    return points[0]["a"]


def append_to_one_of_two_lists(x):
    ys = [v * v for v in x]
    zs = [2.0 * v for v in x]
    some = ys if x[0] > 0.0 else zs
    some = list(some)
    some.append(x[1])
    return sum(some) + sum(zs)


def append_as_a_function(x):
    return sum([v * v for v in x])


def append_under_two_names(x):
    ys = [x[0]]

    def grow(zs):
        for v in x:
            zs.append(v * zs[0])

    grow(ys)
    return sum(ys)


def grow_what_a_function_rebinds(x):
    def grow(ys):
        ys = list(ys)
        for v in x:
            ys.append(v * v)
        return ys

    found = [x[0]]
    return sum(grow(found))


def read_before_the_first_append(x):
    ys = [x[0]]
    for v in x:
        ys.append(ys[-1] * v)
    return sum(ys)


def grow_a_list_that_is_read(x):
    ys = [x[0], x[1]]
    for v in list(ys):
        ys.append(v * x[2])
    return sum(ys)


def pop_from_an_empty_list(x):
    ys = []
    ys.append(x[1])
    last = ys.pop()
    return last * x[0]


def pop_within_an_expression(x):
    ys = [x[0], x[1]]
    total = sum(ys)
    return total * ys.pop()


def insert_into_a_long_list(x):
    ys = []
    for v in x:
        ys.append(v)
    new = ys[:1]
    new.append(x[2])
    new.extend(ys[1:])
    return new[0] * new[1] * new[4]


def store_to_a_slice_of_a_list(x):
    ys = [x[0], x[1]]
    ys = [*ys[:0], x[2], *ys[1:]]
    return ys[0] * ys[1]


def append_to_a_list_argument(ys):
    ys = list(ys)
    ys.append(1.0)
    return ys[0] * ys[1]


def update_a_dict(p):
    q = {"w": p["w"]}
    q = {**q, "b": 3.0}
    return np.sum(q["w"] * q["b"])


def pop_from_a_dict(p):
    w = p["w"]
    p = {k: v for k, v in p.items() if k != "w"}
    return np.sum(w) * sum(p.values())


def set_default(p):
    b = p["c"] if "c" in p else 4.0
    return np.sum(p["w"]) * b


def raises_in_a_comprehension(x):
    ys = []
    try:
        for v in x:
            ys.append(math.sqrt(float(v)))
    except ValueError:
        return x[0]
    return sum(ys)


def what_an_exception_holds(x):
    held = x[1] * x[1]
    try:
        if x[0] > 0.0:
            raise ValueError(held)
        y = x[2]
    except ValueError:
        y = held
    return y * x[3]


def what_an_exception_holds_in_a_loop(x):
    total = 0.0
    for i in range(3):
        held = i
        try:
            if x[i] > 1.6:
                raise ValueError(held)
        except ValueError:
            total = total + held * x[i]
    return total


def first_item_of_an_ordered_dict(x):
    d = collections.OrderedDict(a=x[0], b=x[1])
    key = list(d)[0]
    value = d.pop(key)
    return value * d["b"]


def end_of_an_ordered_dict(x):
    d = collections.OrderedDict(a=x[0], b=x[1])
    d["a"] = d.pop("a")
    return list(d.values())[0] * d["a"] * x[2]


def key_of_the_largest(x):
    d = {"a": x[0] * x[0], "b": x[1]}
    return d["b"] if d["b"] > d["a"] else d["a"]


def nonlocal_statement(x):
    def bump(count):
        count = count + 1.0
        return count

    return np.sum(x) * bump(0.0)


def yields_in_an_expression(x):
    def pieces():
        return [x[0], x[1]]

    total = 0.0
    for piece in pieces():
        total = total + piece * piece
    return total


def generator_read_twice(x):
    squares = [v * v for v in x]
    return sum(squares)


def set_comprehension(x):
    return sum([v * v for v in x])


def dict_comprehension(x):
    squares = {0: x[0] ** 2, 1: x[1] ** 2}
    return squares[0] + squares[1]


def set_display(x):
    return sum((x[0], x[1]))


def endless_loop(x):
    y = x[0]
    while y < 100.0:
        y = y * 2.0
    return y


def walrus_in_the_test_of_while(x):
    y = x[0]
    for v in x:
        z = y * y
        while z < 10.0:
            y = y + z + 1.0
            z = y * y
        else:
            if v > 2.5:
                break
        y = y + v * z
    return y


def c_function(x):
    total = x[0]
    for v in x[1:]:
        total = total + v * total
    return total


def builtin_without_rule(x):
    return np.sort(x)[0]


def opaque_call_of_a_changed_array(x):
    y = x * 2.0
    id(y.copy())
    return np.sum(y)


def instance_is_called(x):
    return np.sum(x * SCALE(x))


class _Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


SCALE = _Scale(2.0)


def copies_of_a_list(x):
    out = []
    for i in range(len(x)):
        out.append(x[i] ** 2)
    return sum(out)


def array_is_called(x):
    return np.sum(x[1])


def unknown_method(x):
    return np.sum(np.exp(x))


def unknown_keyword(x):
    return np.sum(np.where(x > 2.5, x * x, 0.0)) + np.sum(x[x > 0])


def axis_out_of_range(x):
    return np.sum(np.sum(x * x, axis=-1))


def unpack_what_has_no_known_length(x):
    pair = [v * v for v in x if v > 0]
    return pair[0] * pair[1]


def lists_of_lists_of_tuples(x):
    rows = [np.array([(v, w) for w in x]) for v in x if v > 1.0]
    return rows[0][0][1]


def min_of_tuples(x):
    return np.min(np.array([v * v for v in x]))


def max_of_arrays(x):
    return np.sum(np.maximum(x, 2.0 * x))


def element_in_an_array(x):
    return np.sum(x) if np.any(x == 1.0) else 2.0 * np.sum(x)


def order_of_tuples(x):
    return x[0] if x[0] < 1.0 or (x[0] == 1.0 and x[1] < 2.0) else x[1]


def number_or_array(x):
    if x[0] > 0:
        y = x * 2.0
    else:
        y = np.ones(4)
    return np.sum(y)


def different_functions(x):
    if x[0] > 0:
        y = np.sin(x)
    else:
        y = np.cos(x)
    return np.sum(y)


def returns_on_one_path(x):
    if x[0] > 0:
        return np.sum(x * x)
    return 0.0


def none_before_a_loop(x):
    best = -np.inf
    for v in x:
        best = np.maximum(best, v)
    return best


def number_becomes_an_array(x):
    y = np.ones(4)
    for _ in range(3):
        y = y * x + np.sum(y)
    return np.sum(y * y)


def tuple_grows_in_a_loop(x):
    t = []
    for v in x:
        t.append(v)
    return t[0] * t[1]


def list_grows_in_a_loop(x):
    ys = []
    for v in x:
        ys.append(v * v)
    return sum(ys)


def read_before_assignment(x):
    y = np.sum(x)
    z = y * 2.0
    return z


def function_plus_array(x):
    return np.sum(np.sin(x) + x)


def dict_plus_array(p):
    return np.sum(p["w"] + 1.0)


def tuple_minus_tuple(x):
    return (np.array((x[0], x[1])) - np.array((1.0, 2.0)))[0]


def minus_a_tuple(x):
    return (-np.array((x[0], x[1])))[0]


def too_many_indices(x):
    return x[0]


def matmul_of_a_number(x):
    return np.sum(x * 2.0)


def bits_of_floats(x):
    return np.sum(x * ((x + 0.2).astype(int) & 1))


def function_to_a_library(x):
    total = 0.0
    for v in x:
        total += v * v
    return total


def decorated_nested_function(x):
    def inner(v):
        return v * v

    return np.sum(inner(x))


def makes_an_object(x):
    model = {"w": np.ones(4)}
    return np.sum(model["w"] * x)


def double_stars_of_an_array(x):
    return _scaled(x, factor=x[0])


def _scaled(x, factor):
    return np.sum(x) * factor


def vector_output(x):
    return np.sum(x * 2.0)
