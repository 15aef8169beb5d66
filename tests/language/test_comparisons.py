"""Comparisons and questions about values: as Python answers them, or refused."""

import collections
import json
import os
import re
import sys
import time
import types
from typing import Any

import numpy as np
import pytest

from adcompiler import value_and_grad
from adcompiler.errors import UnsupportedError

GLOBAL = [1.0, 2.0]
HERE = os.getcwd()
KEYED = {str: 2.0}


def lists_of_any_length(x, v):
    return v == [1.0, 2.0], v != [1, 2], v in ([1, 2], [3, 4]), v == [], [v] == [[1.0, x]], {"a": v} == {"a": [1, 2]}


def list_that_grows(x, v):
    made = []
    for i in range(len(v)):
        made.append(i + 1.0)
    return made == [1.0, 2.0], made == v, made != GLOBAL


def list_of_an_object(x, v):
    return v.items == [1.0, 2.0], v.items == GLOBAL, GLOBAL == [1.0, 2.0], GLOBAL != [1.0, 2.0]


def list_and_what_is_none(x, v):
    return v == None, v != 3, v == "a", v == x, v is not None  # noqa: E711


def dicts(x, v):
    return (
        {"a": 1} == {"a": 1}, {} == {}, {"a": 1} == {"b": 1}, {"a": v, "b": 2} == {"b": 2, "a": 3}, ({"a": x}, 1) ==
        ({"a": x}, 1), [{"a": v}] != [{"a": 3}], {"a": 1} == [1],
    )  # fmt: skip


def lists_that_are_made(x, v):
    split, shape = "a-b".split("-"), np.shape(v)
    return split == ["a", "b"], sorted(v) == [1.0, 2.0], v[::-1] == [2.0, 1.0], shape == (2,), np.ndim(v) == 1


def array_and_list(x, v):
    return np.all(v == [1.0, 2.0]), np.any(v == (3.0, 2.0)), v.shape == (2,), v.nbytes == 16


def texts_of_numbers(x, v):
    return (
        f"{v}" == "3", f"{v}" != "3", f"{v}" in ("3",), f"{v}" < "4", repr(v) == "3", format(v, "02d") == "03",
        bin(v) == "0b11", hex(v) == "0x3", ascii(v) == "3", f"{v}" == 3, f"{v}" is None, isinstance(f"{v}", str),
    )  # fmt: skip


def texts_of_texts(x, v):
    t = f"<{v}>" if x > 1.0 else f"{v}"
    return f"{t}!" == "<3>!", t == "<3>"


def text_in_a_pattern(x, v):
    found = 0
    for i in range(v):
        match f"{i}":
            case "1":
                found = found + 1
    return found == 1, found == 3


def what_calls_return(x, v):
    return (
        os.getcwd() == HERE, time.strftime("a") == "a", os.getenv("NO_SUCH_VARIABLE") == None,  # noqa: E711
        os.getenv("NO_SUCH_VARIABLE") is None, re.sub("a", "b", "aa") == "bb", re.sub("a", "b", "aa") != "bb",
    )  # fmt: skip


def numbers_in_lists(x, v):
    return 2.0 in v, 3.0 not in v, x in v, len(v) in range(4), len(v) not in range(4)


def truth_of_containers(x, v):
    return bool(v), not v, {}.items(), {"a": 1}.keys(), bool({}), bool("")


def attributes_of_numbers(x, v):
    return getattr(v, "shape", None) is None, hasattr(v, "ndim"), hasattr(v, "dtype"), v.__class__ is float


def attributes_of_lists(x, v):
    return hasattr(v, "append"), hasattr(v, "__len__"), hasattr(v, "shape"), type(v) is list, v.__class__ is list


def class_of_an_array(x, v):
    return v.__class__ is np.ndarray, isinstance(v, np.ndarray), callable(v), hasattr(v, "append")


def what_is_known(x, v):
    return (
        sys.version_info >= (3, 0), (1, 2) < (1, 3), "a" < "b", {1, 2} == {2, 1}, (1, 2) == [1, 2], zip([1]) == None,  # noqa: E711
        dict(a=1).items() == None, collections.deque([1]) == [1], None in (1, None), slice(0, v) == None,  # noqa: E711
    )  # fmt: skip


def functions(x, v):
    f = lambda y: y
    g = f
    return callable(f), f == g, callable(abs), callable(v)


def a_class_for_a_key(x, v):
    return KEYED[str] == 2.0, str in KEYED, int in KEYED


def either_class_will_do(x, v):
    k = 1 if v == 3 else 2.0
    return isinstance(k, (int, float)), isinstance(k, str), hasattr(k, "shape")


LIST = [1.0, 2.0]
ANSWERED: list[tuple[Any, Any]] = [
    (lists_of_any_length, LIST), (lists_of_any_length, [1.0, 3.0]), (lists_of_any_length, []),
    (list_that_grows, LIST), (list_that_grows, [1.0, 3.0]),
    (list_of_an_object, types.SimpleNamespace(items=LIST)),
    (list_and_what_is_none, LIST), (dicts, 3), (dicts, 4), (lists_that_are_made, LIST),
    (array_and_list, np.array(LIST)), (texts_of_numbers, 3), (texts_of_numbers, 14), (text_in_a_pattern, 3),
    (texts_of_texts, 3),
    (what_calls_return, 1), (numbers_in_lists, LIST), (truth_of_containers, LIST), (truth_of_containers, []),
    (attributes_of_numbers, 1.0), (attributes_of_numbers, np.float64(1.0)), (attributes_of_lists, LIST),
    (class_of_an_array, np.ones(1)), (functions, 1.0), (what_is_known, 2),
    (either_class_will_do, 3), (either_class_will_do, 4), (a_class_for_a_key, 3),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "v"), ANSWERED)
def test_comparisons_answer_as_python_does(ask: Any, v: Any) -> None:
    def f(x, v):
        y, k = 0.0, 1.0
        for answer in ask(x, v):
            y = y + k * (x * x if answer else x)
            k = 2.0 * k
        return y

    weights = [(2.0**i, bool(a)) for i, a in enumerate(ask(1.5, v))]
    value, slope = value_and_grad(f)(1.5, v)
    assert value == f(1.5, v)
    assert slope == sum(w * (3.0 if a else 1.0) for w, a in weights)


def test_assertions_that_compare_lists() -> None:
    def f(x, v):
        assert v != [1, 2]
        return x * x

    with pytest.raises(AssertionError):
        value_and_grad(f)(1.5, [1.0, 2.0])
    assert value_and_grad(f)(1.5, [1.0, 3.0]) == (2.25, 3.0)


def test_comparisons_of_arrays_in_tuples_raise_as_in_python() -> None:
    def f(x, v):
        return x * x if (v,) == (v + 1.0,) or v in [v + 2.0] else x

    for v in (np.ones(2), np.ones(1)):
        try:
            wanted = f(1.5, v)
        except ValueError:
            with pytest.raises(ValueError, match="ambiguous"):
                value_and_grad(f)(1.5, v)
        else:
            assert value_and_grad(f)(1.5, v) == (wanted, 1.0)


def int_or_float(x, v):
    k = 1 if v == 3 else 2.0
    return isinstance(k, int)


def type_of_int_or_float(x, v):
    k = 1 if v == 3 else 2.0
    return type(k) is int


def int_that_becomes_a_float(x, v):
    k = 0
    for _ in range(v):
        k = k + 0.5
    return isinstance(k, int)


def bool_or_int(x, v):
    k = True if v == 3 else 2
    return isinstance(k, bool)


def bool_or_int_by_identity(x, v):
    k = True if v == 3 else 2
    return k is True


def text_of_int_or_float(x, v):
    k = 1 if v == 3 else 2.0
    return f"{k}" == "1"


def text_of_a_text(x, v):
    k = 1 if v == 3 else 2.0
    t = f"<{k}>" if x > 1.0 else f"{v}"
    return f"{t}!" == "<1>!"


def dumped(x, v):
    k = 1 if v == 3 else 2.0
    return json.dumps(k) == "1"


def range_or_list(x, v):
    return isinstance(range(v), range)


def range_and_list(x, v):
    return list(range(v)) == [0, 1, 2]


def ordered_dict(x, v):
    return isinstance(collections.OrderedDict(), collections.OrderedDict)


def order_of_lists(x, v):
    return v < [1.0, 3.0]


def order_of_numbers_and_strings(x, v):
    return (1, "a") < ("b", 1)


def tuples_in_a_list(x, v):
    return (1.0, 2.0) in v


def array_and_none(x, v):
    return v == None  # noqa: E711


def strides(x, v):
    return v.strides == (8,)


def attribute_that_lists_lack(x, v):
    return v.shape is None


def document(x, v):
    return v.__doc__ is None


def base(x, v):
    return v.base is None


def loaded(x, v):
    return json.loads("{}") == {}


def slices(x, v):
    return v == slice(0, 2)


def views_of_dicts(x, v):
    return {"a": 1}.keys() == {"a"}


def counters(x, v):
    return collections.Counter("ab") == collections.Counter("ba")


REFUSED: list[tuple[Any, Any, str, str]] = [
    (int_or_float, 3, "a float or an int", "write 1.0 for 1"),
    (type_of_int_or_float, 3, "a float or an int", "write 1.0 for 1"),
    (int_that_becomes_a_float, 0, "a float or an int", "write 1.0 for 1"),
    (bool_or_int, 3, "a bool or an int", "one class on all paths"),
    (bool_or_int_by_identity, 3, "a bool or an int", "one class on all paths"),
    (text_of_int_or_float, 3, "a float or an int", "write 1.0 for 1"),
    (text_of_a_text, 3, "a float or an int", "write 1.0 for 1"),
    (dumped, 3, "a float or an int", "write 1.0 for 1"),
    (range_or_list, 3, "list or range", "what holds for both"),
    (range_and_list, 3, "a range, or a list of one", "compare the elements"),
    (ordered_dict, 3, "OrderedDict or dict", "what holds for both"),
    (order_of_numbers_and_strings, 3, "raises TypeError", "compare numbers"),
    (order_of_lists, LIST, "the order of tuples and lists", "compare their elements"),
    (tuples_in_a_list, [(1.0, 2.0)] * 20, "numbers in a list of numbers", "any(v == x for v in xs)"),
    (array_and_none, np.ones(2), "element by element", "x is None"),
    (strides, np.ones(2), "strides", "outside the function"),
    (attribute_that_lists_lack, LIST, "the attribute shape of a list", "check the name"),
    (attribute_that_lists_lack, (1.0, 2.0), "the field shape of a tuple", "unpack it"),
    (attribute_that_lists_lack, {"a": 1.0}, "the attribute shape of a dict", "check the name"),
    (document, LIST, "__doc__", "check the name"),
    (document, np.ones(2), "__doc__", "outside"),
    (base, np.ones(2), "base", "outside the function"),
    (slices, slice(0, 2), "a slice and a slice", "a number or an array"),
    (views_of_dicts, 3, "a view of a dict", "number"),
    (counters, 3, "Counters", "compare the items"),
    (loaded, 3, "loads has no rule", "outside"),
]


@pytest.mark.parametrize(("ask", "v", "reason", "remedy"), REFUSED)
def test_comparisons_of_what_is_not_known_are_refused(ask: Any, v: Any, reason: str, remedy: str) -> None:
    def f(x, v):
        return x * x if ask(x, v) else x

    with pytest.raises(UnsupportedError) as raised:
        value_and_grad(f)(1.5, v)
    (problem,) = raised.value.problems
    assert reason in problem.reason
    assert remedy in problem.remedy
