"""Programs that are refused at this stage, as users write them. `test_refusals.py` tells where and why."""

# ruff: noqa: F821, F841

import collections
import math
import random

import numpy as np
from numpy.lib import recfunctions

from adcompiler import grad

# ------------------------------------------------------------------------------------- stores into arrays


def store_to_one_of_two(x):
    y = x * 2.0
    z = y if x[0] > 0.0 else x
    y[0] = x[1]
    return np.sum(y * z)


def store_through_a_name_that_a_loop_moves(x):
    y = x * 1.0
    z = y
    for _ in range(2):
        z[0] = 1.0
        y = y * x
    return np.sum(y * z)


def augmented_view_or_copy(x):
    y = np.outer(x, x).T * 2.0
    z = y.reshape(-1)
    z += 1.0
    return np.sum(y * y) + np.sum(z)


def store_to_a_view_or_a_copy(x):
    y = np.outer(x, x).T * 2.0
    z = y.reshape(-1)
    z[1] = x[0]
    return np.sum(y * y)


def store_to_the_new_shape_of_an_item(x):
    y = np.outer(x, x).T * 2.0
    kept = {"y": y}
    y = np.reshape(y, (2, -1))
    y[0] *= x[0]
    return np.sum(y * y) + np.sum(kept["y"])


def store_to_a_view_or_a_copy_in_loops(x):
    y = np.outer(x, x).T * 2.0
    z = y.reshape(2, 8)
    for i in range(2):
        for j in range(2):
            z[i, j] *= x[0]
    return np.sum(y * y)


def store_into_an_array_of_a_list_that_a_loop_reads(x, steps):
    t = 0.0
    for part, i in zip([x, 2.0 * x, x], range(len(steps))):
        x[0] = part[1]
        t = t + part[0]
    return np.sum(x) + t


def store_to_what_may_be_put_in_order(x):
    y = np.outer(x, x).T * 2.0
    z = np.ascontiguousarray(y)
    z[0] = x
    return np.sum(y * z)


def rows_that_a_function_may_read(x):
    def squared():
        return np.sum(row * row)

    y = np.outer(x, x)
    total = 0.0
    for row in y:
        total += squared()
        row[:1] += total
    return np.sum(y)


def store_while_it_is_read(x):
    y = x * 2.0

    def changed():
        y[0] = 1.0
        return 2.0

    return np.sum(y * changed())


def store_before_what_reads_it(x):
    y = np.outer(x, x)
    rows = reversed(y)
    y[0] = x
    return sum(np.sum(row * row) for row in rows)


def store_to_a_global(x):
    global_table[0] = x[0]
    return np.sum(x * global_table)


def store_to_a_copy(x):
    y = x * 2.0
    y[[0, 1]][0] = 0.0
    return np.sum(y)


def store_to_rows_of_a_copy(x):
    y = np.outer(x, x)
    y[np.array([0, 2])][1, 1:] += x[0]
    return np.sum(y * y)


def store_to_a_copy_by_a_mask(x):
    y = x * 2.0
    y[x > 1.7][0] = x[0]
    return np.sum(y * x)


def store_to_a_copy_of_columns(x):
    y = np.outer(x, x)
    y[:, [0, 2]].T[1] = x
    return np.sum(y * y)


def store_to_an_element_of_an_element(x):
    y = np.outer(x, x)
    y[0, 1][0] = x[0]
    return np.sum(y * y)


def store_to_a_tuple(x):
    pair = x[0], x[1]
    pair[0] = x[2]
    return pair[0]


def store_of_floats_into_ints(x):
    y = np.zeros(4, dtype=int)
    y[:] += x
    return np.sum(y * x)


def store_to_a_list_of_any_length(ys):
    ys[0] = 1.0
    return ys[0] * ys[1]


def store_to_a_slice_of_a_long_list(x):
    ys = [v * v for v in x]
    ys[1:] = [x[0]]
    return sum(ys)


def store_to_the_shape(x):
    y = x * 2.0
    y.shape = (2, 2)
    return np.sum(y)


def store_to_flat_of_its_own_elements(x):
    y = x * 2.0
    y.flat[:] = y[::-1]
    return np.sum(y * x)


def operator_on_flat(x):
    y = x * 2.0
    y.flat += 1.0
    return np.sum(y * y)


def store_to_the_transpose(x):
    y = np.outer(x, x)
    y.T = x
    return np.sum(y * y)


def store_to_a_diagonal(x):
    y = np.outer(x, x)
    d = y.diagonal()
    d[...] = 0.0
    return np.sum(y)


def store_to_a_broadcast_array(x):
    y = np.broadcast_to(x * 2.0, (3, 4))
    y[0] = 0.0
    return np.sum(y)


def store_to_an_imaginary_part_of_a_real_array(x):
    z = x * 2.0
    z.imag[1:] = x[1:]
    return np.sum(np.abs(z))


def store_to_a_flattened_array_of_unknown_order(x):
    y = (x * 2.0).reshape(2, 2).T * 1.0
    y.ravel()[1] = 0.0
    return np.sum(y * y)


def put_along_no_axis(x):
    y = np.outer(x, x)
    np.put_along_axis(y, np.array([1, 2]), x[:2], None)
    return np.sum(y * y)


def maximum_at_places(x):
    y = x * 2.0
    np.maximum.at(y, [0, 1, 0], x[1:])
    return np.sum(y * y)


def product_at_rows(x):
    y = np.outer(x, x)
    np.multiply.at(y, np.array([0, 2, 0]), x)
    return np.sum(y * y)


def negative_at_places(x):
    y = x * 2.0
    np.negative.at(y, [0, 1])
    return np.sum(y * x)


def quotient_at_a_mask(x):
    y = x * 2.0
    np.divide.at(y, x > 1.7, x[0])
    return np.sum(y * x)


def shuffled(x):
    y = x * x
    np.random.shuffle(y)
    return np.sum(y * x)


def shuffled_list(x):
    ys = [v * v for v in x]
    random.shuffle(ys)
    return ys[0] * ys[1]


def permuted(x):
    y = np.random.permutation(x * x)
    return np.sum(y * x)


def augmented_global(x):
    global_table = TABLE
    global_table += 1.0
    return np.sum(x * global_table)


def augmented_array_or_a_view_of_it(x):
    y = x * 2.0
    z = y.T if x[0] > 1.0 else y
    z += 1.0
    return np.sum(y)


TABLE = np.arange(4.0)


# ------------------------------------------------------------------- methods and functions that write in place


# ---------------------------------------------------------------------------------- stores into lists and dicts
def append_an_empty_list_in_a_loop(x):
    rows = []
    for v in x:
        rows.append([])
        rows[-1].append(v)
    return rows[0][0] * rows[1][0]


def append_lists_of_two_lengths(x):
    rows = []
    for v in x:
        rows.append([v, v * v])
        rows.append([v])
    return rows[0][0] * rows[1][0]


def change_an_element_of_a_long_list(x):
    points = [{"a": v} for v in x]
    points[0]["a"] = x[1]
    return points[1]["a"]


def change_what_a_long_list_holds(x):
    points = [{"a": v} for v in x]
    for p in points:
        p["a"] = p["a"] * x[0]
    return points[0]["a"]


def append_another_kind(x):
    ys = [x[0]]
    for v in x:
        ys.append(v * x)
    return np.sum(ys[1])


def append_to_one_of_two_lists(x):
    ys = [v * v for v in x]
    zs = [2.0 * v for v in x]
    some = ys if x[0] > 0.0 else zs
    some.append(x[1])
    return sum(ys) + sum(zs)


def append_to_a_second_name_in_a_loop(x):
    ys = []
    zs = ys
    for v in x:
        ys.append(v * v)
    return sum(ys) + len(zs)


def append_as_a_function(x):
    ys = []
    record = ys.append
    for v in x:
        record(v * v)
    return sum(ys)


def append_under_two_names(x):
    ys = [x[0]]

    def grow(zs):
        for v in x:
            zs.append(v * ys[0])

    grow(ys)
    return sum(ys)


def grow_what_a_function_rebinds(x):
    def grow(ys):
        for v in x:
            ys.append(v * v)
        ys = []
        return len(ys)

    found = [x[0]]
    return grow(found) + sum(found)


def read_before_the_first_append(x):
    ys = []
    for v in x:
        last = ys[-1] if ys else v
        ys.append(last * v)
    return sum(ys)


def grow_a_list_that_is_read(x):
    ys = [x[0], x[1]]
    for v in ys:
        ys.append(v * x[2])
    return sum(ys)


def pop_from_an_empty_list(x):
    ys = []
    last = ys.pop()
    return last * x[0]


def pop_within_an_expression(x):
    ys = [x[0], x[1]]
    return sum(ys) * ys.pop()


def insert_into_a_long_list(x):
    ys = []
    for v in x:
        ys.append(v)
    ys.insert(0, x[2])
    return ys[0] * ys[1]


def store_to_a_slice_of_a_list(x):
    ys = [x[0], x[1]]
    ys[:1] = [x[2]]
    return ys[0] * ys[1]


def append_to_a_list_argument(ys):
    ys.append(1.0)
    return ys[0] * ys[1]


def update_a_dict(p):
    q = {"w": p["w"], "b": 2.0}
    change = q.update
    change(b=1.0)
    return np.sum(q["w"] * q["b"])


def pop_from_a_dict(p):
    return np.sum(p.pop("w") * 2.0)


def set_default(p):
    change = p.setdefault
    change("c", 1.0)
    return np.sum(p["w"]) * p["b"]


# ----------------------------------------------------------------------------------------- statements
def delete_an_element(x):
    y = x * 2.0
    del y[0]
    return np.sum(y)


def with_a_function_of_its_own(x):
    def quiet():
        return np.errstate(all="ignore")

    with quiet() as _:
        return np.sum(x)


def with_a_handler(x):
    with np.errstate(divide="call", call=print):
        y = 1.0 / x
    return np.sum(y)


def raises_in_a_comprehension(x):
    try:
        ys = [math.sqrt(float(v)) for v in x]
    except ValueError:
        return x[0]
    return sum(ys)


def raises_after_it_prints(x):
    try:
        y = x[0] if print("half") else 1.0 / float(x[0])
    except ZeroDivisionError:
        y = x[1]
    return y


def catches_what_is_computed(x):
    kinds = [ValueError, KeyError]
    try:
        y = math.sqrt(float(x[0]))
    except kinds[int(x[1])]:
        y = x[1]
    return y


def global_statement(x):
    global CALLS
    CALLS = 1
    return np.sum(x)


CALLS = 0


def what_an_exception_holds(x):
    try:
        if x[0] > 0.0:
            raise ValueError(x[1] * x[1])
        y = x[2]
    except ValueError as error:
        y = error.args[0]
    return y * x[3]


def what_an_exception_holds_in_a_loop(x):
    total = 0.0
    for i in range(3):
        try:
            if x[i] > 1.6:
                raise ValueError(i)
        except ValueError as error:
            total = total + error.args[0] * x[i]
    return total


def a_method_without_a_rule_in_a_try(x):
    try:
        v = random.SystemRandom().random()
    except ValueError:
        v = 1.0
    return x[0] * v


def first_item_of_an_ordered_dict(x):
    d = collections.OrderedDict(a=x[0], b=x[1])
    key, value = d.popitem(last=False)
    return value * d["b"]


def end_of_an_ordered_dict(x):
    d = collections.OrderedDict(a=x[0], b=x[1])
    d.move_to_end("a")
    return list(d.values())[0] * d["a"] * x[2]


def key_of_the_largest(x):
    d = {"a": x[0] * x[0], "b": x[1]}
    return d[max(d, key=d.get)]


def flags_of_an_array(x):
    return np.sum(x) if x.flags.c_contiguous else x[0]


def nonlocal_statement(x):
    count = 0.0

    def bump(v):
        nonlocal count
        count = count + v
        return count

    return sum([bump(v) for v in x])


def class_statement(x):
    class Pair:
        scale = 2.0

    return np.sum(x) * Pair.scale


def yields(x):
    yield np.sum(x)


def yields_in_an_expression(x):
    def pieces():
        total = 1.0 + (yield x[0])
        yield total

    return sum(pieces())


def generator_read_twice(x):
    squares = (v * v for v in x)
    return sum(squares) * max(squares)


def generator_made_before_a_loop(x):
    squares = (v * v for v in x)
    total = 0.0
    for v in x:
        total = total + v * sum(squares)
    return total


def sends_to_a_generator(x):
    squares = (v * v for v in x)
    return squares.send(None)


def set_comprehension(x):
    return sum({v * v for v in x})


def dict_comprehension(x):
    squares = {i: v**2 for i, v in enumerate(x)}
    return squares[0] + squares[1]


def set_display(x):
    return sum({x[0], x[1]})


async def coroutine(x):
    return np.sum(x)


def coroutine_inside(x):
    async def inner():
        return x

    return np.sum(x)


def endless_loop(x):
    y = x[0]
    while True:
        y = y * 2.0
        assert y < 1e6
    return y


def walrus_in_the_test_of_while(x):
    y = x[0]
    for v in x:
        while (z := y * y) < 10.0:
            y = y + z + 1.0
        else:
            if v > 2.5:
                break
        y = y + v * z
    return y


def pattern_of_a_class(x, part):
    match part:
        case slice(start=0):
            return np.sum(x * x)
        case _:
            return np.sum(x)


def recursion_without_end(x):
    return np.sum(x) + _halved(x)


def _halved(x):
    return x[0] * _halved(x * 0.5)


def mutual_recursion_without_end(x, n):
    return _even(x, n)


def _even(x, n):
    return _odd(x * 2.0, n - 1)


def _odd(x, n):
    return _even(x * 3.0, n - 1)


def recursion_to_two_kinds(x, n):
    def power(k):
        if k == 0:
            return np.sum(x)
        return power(k - 1), 2.0

    return power(n)[1]


def recursion_into_other_structures(x, n):
    return _nested(np.sum(x), n)


def _nested(x, n):
    if n == 0:
        return 1.0
    return _nested((x, x), n - 1)


def recursion_that_stores(x, n):
    if n == 0:
        return np.sum(x)
    x[0] = x[1] * 2.0
    return recursion_that_stores(x, n - 1)


def recursion_that_changes_a_dict(p, n):
    if n == 0:
        return np.sum(p["w"])
    p["w"] = p["w"] * 2.0
    return recursion_that_changes_a_dict(p, n - 1)


def recursion_that_appends(x, n):
    return _appended(x, [x[0]], n)


def _appended(x, found, n):
    if n == 0:
        return np.sum(x)
    found.append(x[n])
    return found[0] + _appended(x, found[-1:], n - 1)


def gradient_inside_recursion(x, n):
    if n == 0:
        return np.sum(x)
    return np.sum(grad(gradient_inside_recursion)(x, n - 1))


def decorated_nested_function(x):
    @staticmethod
    def inner(v):
        return v * v

    return np.sum(inner(x))


# ------------------------------------------------------------------------------------ calls without a rule
def division_by_zero(x):
    return x[1] / 0


def function_without_rule(x):
    values = np.unique(x)
    return np.sum(values)


def function_without_rule_is_returned(x):
    return np.roots(x)


def function_without_rule_is_unpacked(x):
    values, counts = np.unique_counts(x)
    return np.sum(values * counts)


def method_of_a_ufunc(x):
    return np.sum(np.subtract.reduceat(x, [0, 2]))


def function_of_a_module_of_numpy(x):
    return np.sum(np.emath.sqrt(x))


def function_of_a_package_of_numpy(x):
    return np.polynomial.polynomial.polyval(x[0], x)


def method_of_an_unknown_result(x):
    rows = np.lib.stride_tricks.as_strided(x)
    return np.sum(rows.reshape(-1))


def attribute_of_an_unknown_result(x):
    return _unique(x).real


def function_of_a_library(x):
    return recfunctions.structured_to_unstructured(x)[0]


def quantile_of_another_method(x):
    return np.quantile(x * x, 0.4, method="nearest")


def percentile_of_another_method(x):
    return np.nanpercentile(x * x, 40, method="hazen")


def subscripts_that_are_computed(x):
    return np.einsum(np.outer(x, x), np.argsort(x[:2]), x, [1])[0]


def joined_by_r(x):
    return np.sum(np.r_[x * x, x[0], 1.0])


def columns_by_c(x):
    return np.sum(np.c_[x * x, x] ** 2)


def grids_by_mgrid(x):
    i, j = np.mgrid[:4, :4]
    return np.sum(x[i] * x[j] * i)


def column_by_ogrid(x):
    return np.sum(np.outer(x, x) * np.ogrid[0:4, 0:4][0])


def index_by_s(x):
    part = np.s_[1:]
    return np.sum(x[part] ** 2)


def c_function(x):
    return math.fsum(x)


def builtin_without_rule(x):
    return list(iter(x))[0]


def random_number(x):
    return np.sum(x) * random.gauss(x[0], 1.0)


def opaque_call_of_a_changed_array(x):
    y = x * 2.0
    id(y)
    return np.sum(y)


def opaque_result_is_used(x):
    y = hash((1.0, 2.0))
    return np.sum(x) * y


def instance_is_called(x):
    return np.sum(x * _Scale(2.0)(x))


def a_list_for_a_library(x):
    return np.polydiv([1.0, 2.0], x)


def copies_of_a_list(x):
    out = [None] * len(x)
    for i in range(len(x)):
        out[i] = x[i] ** 2
    return sum(out)


class _Scale:
    def __init__(self, factor):
        self.factor = factor

    def scaled(self, x):
        return x * self.factor


def array_is_called(x):
    return np.sum(x(1))


def number_is_called(x):
    scale = 2.0
    return np.sum(x) * scale(3.0)


def unknown_method(x):
    return np.sum(x.exp())


def unsupported_method(x):
    return np.sum(np.array(x.tolist()))


def unknown_attribute_of_an_array(x):
    return np.sum(x.length)


def unknown_attribute_of_a_module(x):
    return np.summ(x)


def unknown_method_of_a_dict(p):
    return np.sum(p.first("w"))


def unknown_method_of_a_list(x):
    ys = [x[0], x[1]]
    return ys.total()


def unknown_keyword(x):
    return np.sum(x, where=x > 0)


def misspelt_keyword(x):
    return np.sum(x, axes=0)


def too_many_arguments(x):
    return np.tanh(x, 1.0, 2.0, 3.0)


def too_few_arguments(x):
    return np.sum(np.dot(x))


def unknown_name(x):
    return np.sum(x) * undefined_factor


def unknown_function(x):
    return total_of(x)


def callee_misses_an_argument(x):
    return _scaled(x)


def callee_gets_too_many(x):
    return _scaled(x, 2.0, 3.0)


def callee_gets_an_unknown_keyword(x):
    return _scaled(x, 2.0, shift=1.0)


def callee_gets_an_argument_twice(x):
    return _scaled(x, 2.0, x=x)


def _scaled(x, factor):
    return np.sum(x) * factor


def problem_in_a_callee(x):
    return _unique(x)


def _unique(v):
    return np.sum(np.unique(v))


# ------------------------------------------------------------------------------ what must be known when compiling
def axis_of_data(x):
    return np.sum(np.sum(np.outer(x, x), axis=int(x[0])))


def axis_of_a_float(x):
    return np.sum(np.sum(np.outer(x, x), axis=1.0))


def axis_out_of_range(x):
    return np.sum(np.sum(x, axis=1))


def index_of_a_tuple_from_data(x):
    pair = (x, 2.0)
    return np.sum(pair[int(x[0])])


def key_of_a_dict_from_data(x):
    table = {0: 1.0, 1: 2.0}
    return np.sum(x) * table[int(x[0])]


def missing_key(p):
    return np.sum(p["bias"])


def index_out_of_range(x):
    pair = (x, 2.0)
    return np.sum(pair[2])


def unpack_too_few(x):
    a, b, c = (x[0], x[1])
    return a * b * c


def unpack_too_many(x):
    a, b = x[0], x[1], x[2]
    return a * b


def unpack_a_number(x):
    a, b = x[0]
    return a * b


def unpack_what_has_no_known_length(x):
    a, b = [v * v for v in x if v > 0]
    return a * b


def lists_of_lists_of_tuples(x):
    rows = [[(v, w) for w in x] for v in x if v > 1.0]
    return rows[0][0][1]


def loop_over_a_number(x):
    total = 0.0
    for v in x[0]:
        total = total + v
    return total


def loop_over_a_mixed_list(items):
    total = 0.0
    for item in items:
        total = total + np.sum(item)
    return total


def min_of_tuples(x):
    return min((v * v, v) for v in x)[0]


def max_of_arrays(x):
    return np.sum(max(x, 2.0 * x))


def identity_of_values(x):
    y = x
    return np.sum(x) if y is x else 0.0 * np.sum(x)


def element_in_an_array(x):
    return np.sum(x) if 1.0 in x else 2.0 * np.sum(x)


def order_of_tuples(x):
    a = [v for v in x]
    return x[0] if a < [1.0, 2.0] else x[1]


# ------------------------------------------------------------------------------------------------- joins
def none_or_array(x):
    y = None
    if x[0] > 0:
        y = x * 2.0
    return np.sum(y)


def number_or_array(x):
    if x[0] > 0:
        y = x * 2.0
    else:
        y = 1.0
    return np.sum(y)


def vector_or_matrix(x):
    if x[0] > 0:
        y = x
    else:
        y = np.outer(x, x)
    return np.sum(y)


def tuples_of_different_length(x):
    if x[0] > 0:
        y = (x[0], x[1])
    else:
        y = (x[0],)
    return y[0]


def different_dicts(x):
    if x[0] > 0:
        y = {"a": x}
    else:
        y = {"b": x}
    return np.sum(y["a"])


def different_functions(x):
    if x[0] > 0:
        f = np.sin
    else:
        f = np.cos
    return np.sum(f(x))


def string_or_number(x):
    if x[0] > 0:
        s = "two"
    else:
        s = 2.0
    return np.sum(x) * s  # which


def different_returns(x):
    if x[0] > 0:
        return np.sum(x)
    return None


def returns_on_one_path(x):
    if x[0] > 0:
        return np.sum(x)


def different_values_of_a_ternary(x):
    y = x if x[0] > 0 else 0.0
    return np.sum(y)


def none_before_a_loop(x):
    best = None
    for v in x:
        best = v if best is None else np.maximum(best, v)
    return best


def number_becomes_an_array(x):
    y = 1.0
    for _ in range(len(x)):
        y = y * x + np.sum(y)
    return np.sum(y)


def tuple_grows_in_a_loop(x):
    t = ()
    for v in x:
        t = t + (v,)
    return t[0]


def list_grows_in_a_loop(x):
    ys = []
    for v in x:
        ys = ys + [v * v]
    return sum(ys)


def rank_grows_in_a_loop(x):
    y = x
    for _ in range(len(x)):
        y = y[None]
    return np.sum(y)


def read_before_assignment(x):
    z = y * 2.0
    y = np.sum(x)
    return z


def augmented_before_assignment(x):
    total += np.sum(x)
    return total


# -------------------------------------------------------------------------------------- strings and other misuse
def string_plus_array(x):
    return np.sum("a" + x)


def array_plus_string(x):
    return np.sum(x + "a")


def none_plus_array(x):
    return np.sum(None + x)


def function_plus_array(x):
    return np.sum(np.sin + x)


def dict_plus_array(p):
    return np.sum(p + 1.0)


def tuple_minus_tuple(x):
    return ((x[0], x[1]) - (1.0, 2.0))[0]


def minus_a_tuple(x):
    return (-(x[0], x[1]))[0]


def minus_a_string(x):
    return np.sum(x) * -"a"


def string_index(x):
    return np.sum(x["a"])


def float_index(x):
    return x[1.0]


def too_many_indices(x):
    return x[0, 1]


def index_of_a_number(x):
    y = x[0]
    return y[0]


def index_of_a_function(x):
    return np.sum(x) * np.sin[0]


def matmul_of_a_number(x):
    return np.sum(x @ 2.0)


def length_of_a_number(x):
    return np.sum(x) * len(x[0])


def compare_with_a_string(x):
    return np.sum(x) if x[0] < "a" else 0.0


def bits_of_floats(x):
    return np.sum(x & 1)


def stars_of_a_number(x):
    return np.maximum(*x[0])


def double_stars_of_an_array(x):
    return _scaled(x, **x)  # keywords


def bare_raise(x):
    if x[0] > 0:
        raise
    return np.sum(x)


def raises_always(x):
    raise ValueError("never")


def function_to_a_library(x):
    return np.sum(np.frompyfunc(lambda v: v * v, 1, 1)(x))


def returns_a_function(x):
    return lambda: np.sum(x)


def locals_inside(x):
    return np.sum(locals()["x"])


# --------------------------------------------------------------------------------------------- objects
class Model:
    def __init__(self):
        self.w = np.ones(4)
        self.calls = 0
        self.history = []

    def predict(self, x):
        return np.sum(self.w * x)

    def counts(self, x):
        self.calls += 1
        return np.sum(self.w * x)

    def remembers(self, x):
        self.last = x
        return np.sum(self.w * x)

    def logs(self, x):
        self.history.append(1.0)
        return np.sum(self.w * x)


class _Single:
    def __new__(cls):
        made = object.__new__(cls)
        made.w = 2.0
        return made


def makes_an_object(x):
    model = _Single()
    return np.sum(model.w * x)


# ------------------------------------------------------------------------------------------ several at once
def three_problems(x):
    y = x.exp()
    z = np.unique(x)
    total = sum({v for v in x})
    return np.sum(x) + total + np.sum(z) + np.sum(y)


def problem_used_twice(x):
    y = x.exp()
    z = y * 2.0
    for v in y:
        z = z + v
    return np.sum(y) + np.sum(z)


def problems_on_both_paths(x):
    if x[0] > 0:
        y = x.exp()
    else:
        y = x.log()
    return np.sum(y)


def problem_in_a_loop(x):
    total = 0.0
    for v in x:
        total = total + v.exp()
    return total


def problem_in_a_callee_called_twice(x):
    return _unique(x) + _unique(2.0 * x)


# -------------------------------------------------------------------------------------------- outputs
def method_output(x):
    return x.sum


def vector_output(x):
    return x * 2.0


def one_element_output(x):
    return np.sum(x, keepdims=True)


def complex_output(x):
    return np.sum(x) * 1j


def int_output(x):
    return int(np.sum(x))


def argmax_output(x):
    return np.argmax(x)


def bool_output(x):
    return x[0] > 0


def none_output(x):
    np.sum(x)


def string_output(x):
    return "a"


def tuple_output(x):
    return np.sum(x), x


def list_output(x):
    return [np.sum(x)]


def dict_output(x):
    return {"loss": np.sum(x)}


def triple_output(x):
    return np.sum(x), x, 2.0
