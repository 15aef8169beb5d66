"""What is refused at this stage: each construct with its line, its caret, a reason and a way out.

The programs are in `refused.py`. A row of the table names one, what its source has where the caret points, and words
that the reason and the remedy must have.
"""

import copy
import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adcompiler import grad
from adcompiler.errors import DifferentiationError, GradientError, Problem, UnsupportedError
from tests.frontend import refused, remedied
from tests.numerics import check

X = np.array([1.5, 2.0, 3.0, 4.0])
PARAMETERS = {"w": X, "b": 2.0}

#: Names of the compiler's own classes and notions, and Python's representations of them: not the user's language.
INTERNAL = re.compile(
    r"\b(Value|KindError|Poison|poison|Known|Closure|ListOf|Refusal|Promote|Unroll|UNDEF|Opaque|tracer|thunk|operand|"
    r"denotation|lower|lowering)\b|Num\(|Array\(|Seq\(|Length\(|object at 0x|<class |<ufunc |<function |\{name\}"
)


@dataclass(frozen=True)
class Case:
    """A refused program: the caret, words of the reason and of the remedy, and how to call it."""

    name: str
    at: str
    reason: str
    remedy: str
    args: tuple[Any, ...] = (X,)
    within: str = ""
    error: type[DifferentiationError] = UnsupportedError
    has_aux: bool = False

    @property
    def function(self) -> Callable[..., Any]:
        return getattr(refused, self.name)

    @property
    def place(self) -> tuple[int, int]:
        """The line and the column where the source says `at`, in the function `within` or in the program itself."""
        lines, first = inspect.getsourcelines(getattr(refused, self.within or self.name))
        found = [(first + i, s.index(self.at)) for i, s in enumerate(lines) if self.at in s]
        found = [place for place in found if place[0] > first] or found  # names are often in the heading too
        assert len(found) == 1, f"{self.at!r} is on {len(found)} lines"
        return found[0]


P = (PARAMETERS,)
ROWS = (np.ones((3, 4)),)
COPY = ".copy()"

CASES = [
    # stores into arrays
    Case("store_to_one_of_two", "y[0] = ", "y may share memory with z", "y.copy()"),
    Case("store_through_a_name_that_a_loop_moves", "z[0] = ", "z may share memory with y", "z.copy()"),
    Case("augmented_view_or_copy", "z += 1.0", "z may share memory with y", "z.copy() y.flat[i]"),
    Case("store_to_a_view_or_a_copy", "z[1] = ", "z may share memory with y",
         "view, into y itself, y.flat[i] copy, z = z.copy()"),
    Case("store_to_the_new_shape_of_an_item", "y[0] *= ", "y may share memory with kept['y']",
         "kept['y'].flat[i] y = y.copy()"),
    Case("store_to_a_view_or_a_copy_in_loops", "z[i, j] *= ", "z may share memory with y", "y.flat[i] z = z.copy()"),
    Case("store_into_an_array_of_a_list_that_a_loop_reads", "zip(", "loop reads a list, changes an array in it",
         "copies before", (X, np.ones(2))),
    Case("store_to_what_may_be_put_in_order", "z[0] = ", "z may share memory with y", "into y itself; z = z.copy()"),
    Case("rows_that_a_function_may_read", "row[:1] += ", "row may share memory with y",
         "indices, range(len(a)): a[i] ..."),
    Case("store_while_it_is_read", "y[0] = ", "y may share memory with what this expression has read", "statement"),
    Case("store_before_what_reads_it", "y[0] = ", "y may share memory with rows, which reads it", "after this `for`"),
    Case("store_to_a_global", "global_table[0] = ", "global_table local variable", "argument"),
    Case("store_to_a_copy", "y[[0, 1]][0] = ", "store copy index array leaves y as it is",
         "leave it out y[[0, 1][0]] = ..."),
    Case("store_to_rows_of_a_copy", "y[np.array(", "copy leaves y", "leave it out y[np.array([0, 2])[1], 1:] += ..."),
    Case("store_to_a_copy_by_a_mask", "y[x > 1.7]", "copy mask leaves y",
         "leave it out y[np.flatnonzero(x > 1.7)[0]] ="),
    Case("store_to_a_copy_of_columns", "y[:, [0, 2]]", "copy leaves y", "leave it out one subscript"),
    Case("store_to_an_element_of_an_element", "y[0, 1][0]", "element of y none itself", "one index for each axis"),
    Case("store_to_a_tuple", "pair[0] = ", "tuple changed", "new tuple"),
    Case("store_of_floats_into_ints", "y[:] += x", "float64 array of int64", "astype"),
    Case("store_to_a_list_of_any_length", "ys[0] = 1.0", "ys argument the caller's", "ys = list(ys)", ([1.0, 2.0],)),
    Case("store_to_a_slice_of_a_long_list", "ys[1:] =", "store list of any length", "new = ys[:k], new.append"),
    Case("store_to_the_shape", "y.shape = (2, 2)", "store attribute", "reshape"),
    Case("store_to_flat_of_its_own_elements", "y.flat[:] =", "y one element after the other", "v = v.copy()"),
    Case("operator_on_flat", "y.flat += 1.0", "y.flat no operators", "y.flat[...] += ..."),
    Case("store_to_the_transpose", "y.T = x", "store attribute T", "y.T[...] = value"),
    Case("store_to_a_diagonal", "d[...] = 0.0", "d diagonal", "a[i, i] = ..."),
    Case("store_to_a_broadcast_array", "y[0] = 0.0", "y broadcast", "np.array(...)"),
    Case("store_to_an_imaginary_part_of_a_real_array", "z.imag[1:] =", "z.imag imaginary real", "z.astype(complex)"),
    Case("store_to_a_flattened_array_of_unknown_order", "y.ravel()[1] =", "y.ravel() memory y", "index for each axis"),
    Case("put_along_no_axis", "np.put_along_axis(", "np.put_along_axis axis", "a.flat[indices] = values"),
    Case("maximum_at_places", "np.maximum.at(", "np.maximum.at writes",
         "for i, v in zip([0, 1, 0], x[1:]): y[i] = np.maximum(y[i], v)"),
    Case("product_at_rows", "np.multiply.at(", "np.multiply.at writes", "for i in np.array([0, 2, 0]): y[i] *= x"),
    Case("negative_at_places", "np.negative.at(", "np.negative.at writes", "for i in [0, 1]: y[i] = np.negative(y[i])"),
    Case("quotient_at_a_mask", "np.divide.at(", "np.divide.at writes", "write y[x > 1.7] /= x[0]"),
    Case("shuffled", "np.random.shuffle(", "np.random.shuffle writes array", "permutation outside y = y[order]"),
    Case("shuffled_list", "random.shuffle(", "random.shuffle writes list", "permutation y = np.array(y)[order]"),
    Case("permuted", "np.random.permutation(", "np.random.permutation no rule", "permutation outside y = y[order]"),
    Case("augmented_global", "global_table += 1.0", "global_table memory in place", COPY),
    Case("augmented_array_or_a_view_of_it", "z += 1.0", "z memory in place", "z = z + " + COPY),
    # methods and functions that write in place
    # stores into lists and dicts
    Case("append_an_empty_list_in_a_loop", "rows.append([])", "empty list rows loop filled", "fill inner append"),
    Case("append_lists_of_two_lengths", "rows.append([v])", "list rows structure", "one structure"),
    Case("change_an_element_of_a_long_list", 'points[0]["a"]', "list length", "comprehension"),
    Case("change_what_a_long_list_holds", 'p["a"]', "p element list", "new list"),
    Case("append_another_kind", "ys.append(", "ys list", "one kind"),
    Case("append_to_one_of_two_lists", "some.append(", "some in place", "list(some)"),
    Case("append_to_a_second_name_in_a_loop", "ys.append(", "ys in place", "list(ys)"),
    Case("append_as_a_function", "record(v * v)", "append in place", "comprehension"),
    Case("append_under_two_names", "ys[0])", "ys changed by grow under another name", "by the name that grow changes"),
    Case("grow_what_a_function_rebinds", "ys.append(", "ys another name", "list(ys) first, and return it"),
    Case("read_before_the_first_append", "ys[-1]", "ys empty", "first element"),
    Case("grow_a_list_that_is_read", "for v in ys", "ys loop", "list(ys)"),
    Case("pop_from_an_empty_list", "ys.pop()", "pop empty", "append"),
    Case("pop_within_an_expression", "ys.pop()", "ys same statement", "two statements"),
    Case("insert_into_a_long_list", "ys.insert(", "insert length", "append"),
    Case("store_to_a_slice_of_a_list", "ys[:1] = ", "store slice list", "new list"),
    Case("append_to_a_list_argument", "ys.append(1.0)", "ys argument in place", "list(ys)", ([1.0, 2.0],)),
    Case("update_a_dict", "change(", "update dict in place", "it = {**it", P),
    Case("pop_from_a_dict", 'p.pop("w")', "p.pop expression", "statement v = p.pop(...)", P),
    Case("set_default", "change(", "setdefault dict in place", "if key in it else", P),
    # statements
    Case("with_a_function_of_its_own", "quiet() as", "`with quiet()` context manager", "around the call"),
    Case("with_a_handler", "np.errstate", "call=", "divide"),
    Case("delete_an_element", "del y[0]", "`del` part array", "slice"),
    Case("raises_in_a_comprehension", "math.sqrt(", "math.sqrt may raise ValueError caught", "statement of its own"),
    Case("raises_after_it_prints", "1.0 / float", "/ may raise after printed", "two statements"),
    Case("catches_what_is_computed", "kinds[int(", "index known when compiling", ""),
    Case("global_statement", "global CALLS", "global CALLS assigned", "return it"),
    Case("what_an_exception_holds", "ValueError(x[1]", "exception holds not followed raised handler",
         "variable before the `raise`"),
    Case("what_an_exception_holds_in_a_loop", "ValueError(i)", "exception holds not followed raised handler",
         "variable before the `raise`"),
    Case("a_method_without_a_rule_in_a_try", "random.SystemRandom().random", "random has no rule", "rules"),
    Case("first_item_of_an_ordered_dict", "d.popitem", "popitem argument not supported",
         "key = list(d)[0]; value = d.pop(key)"),
    Case("end_of_an_ordered_dict", "d.move_to_end", "move_to_end of a dict not supported", "d[key] = d.pop(key)"),
    Case("key_of_the_largest", "max(d", "what max picks string 'b' on one path 'a'", "write out `if` each path"),
    Case("flags_of_an_array", "x.flags", "attribute flags of an array not supported", "outside"),
    Case("nonlocal_statement", "def bump", "count assigned expression", "a loop"),
    Case("class_statement", "class Pair:", "class", ""),
    Case("yields", "yield np.sum(x)", "`yield`", "return"),
    Case("yields_in_an_expression", "yield x[0])", "`yield` expression", "statement"),
    Case("generator_read_twice", "max(squares)", "read already", "list"),
    Case("generator_made_before_a_loop", "sum(squares)", "before the loop", "list"),
    Case("sends_to_a_generator", "squares.send", "send generator", "loop"),
    Case("set_comprehension", "{v * v for v in x}", "set of what is computed", "list"),
    Case("dict_comprehension", "{i: v**2", "dict comprehension", "dict"),
    Case("set_display", "{x[0], x[1]}", "set", "list"),
    Case("coroutine", "async def coroutine", "`async def`", ""),
    Case("coroutine_inside", "async def inner()", "`async def`", ""),
    Case("endless_loop", "True:", "never ends", "condition"),
    Case("walrus_in_the_test_of_while", "(z := y * y) < 10.0", "`:=` `while`", "before the loop"),
    Case("pattern_of_a_class", "slice(start=0)", "pattern of a class", "isinstance(...)", (X, slice(0, 2))),
    Case("recursion_without_end", "_halved(x)", "_halved again", "simplest case"),
    Case("mutual_recursion_without_end", "_even(x, n)", "_even again", "simplest case", (X, 2)),
    Case("recursion_to_two_kinds", "power(n)", "number tuple of 2", "one kind", (X, 2)),
    Case("recursion_into_other_structures", "_nested((x, x), n - 1)", "_nested another structure", "loop", (X, 2),
         within="_nested"),
    Case("recursion_that_stores", "x[0] = x[1] * 2.0", "x memory the caller of recursion_that_stores", COPY, (X, 2)),
    Case("recursion_that_changes_a_dict", 'p["w"] = p["w"] * 2.0', "p the caller of recursion_that_changes_a_dict",
         "p = {**p}", (PARAMETERS, 2)),
    Case("recursion_that_appends", "found.append(x[n])", "found argument of _appended caller", "list(found)", (X, 2),
         within="_appended"),
    Case("gradient_inside_recursion", "grad(gradient_inside_recursion)", "gradient of a call of itself",
         "outside of the recursion", (X, 2)),
    Case("decorated_nested_function", "staticmethod", "staticmethod no rule would call inner", "write out"),
    # calls
    Case("division_by_zero", "x[1] / 0", "divides by 0, whatever the arguments are", "leave it out np.inf"),
    Case("function_without_rule", "np.unique(x)", "np.unique no rule", "adc rules"),
    Case("function_without_rule_is_returned", "np.roots(x)", "np.roots no rule", "adc rules"),
    Case("function_without_rule_is_unpacked", "np.unique_counts(", "np.unique_counts no rule", "adc rules"),
    Case("method_of_a_ufunc", "np.subtract.reduceat(", "np.subtract.reduceat", "loop over the pieces"),
    Case("function_of_a_module_of_numpy", "np.emath.sqrt(", "np.emath.sqrt no rule", "give np.emath.sqrt one"),
    Case("function_of_a_package_of_numpy", "np.polynomial.", "np.polynomial.polynomial.polyval no rule", "adc rules"),
    Case("method_of_an_unknown_result", "np.lib.stride_tricks.as_strided(", "as_strided no rule", "adc rules"),
    Case("attribute_of_an_unknown_result", "np.unique(v)", "np.unique no rule", "adc rules", within="_unique"),
    Case("quantile_of_another_method", "np.quantile(", "np.quantile method='nearest'", "np.sort(a); y[k]: another"),
    Case("percentile_of_another_method", "np.nanpercentile(", "np.nanpercentile method='hazen'",
         "np.sort(a[~np.isnan(a)]); (1 - t) * y[k] + t * y[k + 1]: another"),
    Case("subscripts_that_are_computed", "np.einsum(", "np.einsum string list of ints for each array", '"ij,jk->ik"'),
    Case("function_of_a_library", "recfunctions.", "structured_to_unstructured no rule", "adc rules"),
    Case("c_function", "math.fsum(", "math.fsum no rule", "adc rules"),
    Case("builtin_without_rule", "iter(x)", "iter no rule", "adc rules"),
    Case("random_number", "random.gauss(", "gauss no rule", "adc rules"),
    Case("opaque_call_of_a_changed_array", "id(y)", "id write used elsewhere", COPY),
    Case("opaque_result_is_used", "hash((", "hash no rule", "outside"),
    Case("instance_is_called", "_Scale(2.0)", "_Scale", "methods"),
    Case("a_list_for_a_library", "np.polydiv(", "np.polydiv no rule", "adc rules"),
    Case("copies_of_a_list", "[None] * len(x)", "number of copies", "append in a loop"),
    Case("array_is_called", "x(1)", "array called", "function"),
    Case("number_is_called", "scale(3.0)", "2.0 called", "function"),
    Case("unknown_method", "x.exp()", "method exp", "np.exp(...)"),
    Case("unsupported_method", "x.tolist()", "method tolist", "array itself"),
    Case("unknown_attribute_of_an_array", "x.length", "attribute length", ""),
    Case("unknown_attribute_of_a_module", "np.summ", "no attribute 'summ'", "name"),
    Case("unknown_method_of_a_dict", "p.first(", "dict first", "name", P),
    Case("unknown_method_of_a_list", "ys.total()", "list total", "name"),
    Case("unknown_keyword", "np.sum(x, where", "sum where", "np.where"),
    Case("misspelt_keyword", "np.sum(x, axes=0)", "sum axes", "arguments"),
    Case("too_many_arguments", "np.tanh(", "tanh argument", "arguments"),
    Case("too_few_arguments", "np.dot(x)", "dot argument 'b'", "arguments"),
    Case("unknown_name", "undefined_factor", "undefined_factor not defined", "import"),
    Case("unknown_function", "total_of(x)", "total_of not defined", "import"),
    Case("callee_misses_an_argument", "_scaled(x)", "_scaled argument 'factor'", ""),
    Case("callee_gets_too_many", "_scaled(x, 2.0, 3.0)", "_scaled 2 3 arguments", ""),
    Case("callee_gets_an_unknown_keyword", "_scaled(x, 2.0, shift", "_scaled 'shift'", ""),
    Case("callee_gets_an_argument_twice", "_scaled(x, 2.0, x=x)", "_scaled multiple 'x'", ""),
    Case("problem_in_a_callee", "np.unique(v)", "np.unique no rule", "adc rules", within="_unique"),
    # what must be known when compiling
    Case("axis_of_data", "np.sum(np.outer", "axis sum known computed value", "int argument"),
    Case("axis_of_a_float", "np.sum(np.outer", "axis 1.0", ""),
    Case("axis_out_of_range", "np.sum(x, axis=1)", "axis 1 out of bounds", ""),
    Case("index_of_a_tuple_from_data", "pair[int", "index tuple known computed value", ""),
    Case("key_of_a_dict_from_data", "table[int", "key dict known computed value", "constant"),
    Case("missing_key", 'p["bias"]', "no key 'bias' 'w' 'b'", "", P),
    Case("index_out_of_range", "pair[2]", "index out of range", ""),
    Case("unpack_too_few", "a, b, c = ", "2 values 3 names", ""),
    Case("unpack_too_many", "a, b = ", "3 values 2 names", ""),
    Case("unpack_a_number", "a, b = ", "unpack number", ""),
    Case("unpack_what_has_no_known_length", "a, b = ", "number of elements", "index"),
    Case("lists_of_lists_of_tuples", "[[(v, w)", "list tuples rows", "array"),
    Case("loop_over_a_number", "x[0]:", "loop number", "range"),
    Case("loop_over_a_mixed_list", "items:", "18 elements unrolled 16", "one array", ([1.0, X] * 9,)),
    Case("min_of_tuples", "min((v * v, v)", "min numbers", "np.min"),
    Case("max_of_arrays", "max(x, 2.0 * x)", "max arrays", "np.maximum"),
    Case("identity_of_values", "y is x", "identity", "=="),
    Case("element_in_an_array", "1.0 in x", "`in` array", "np.any"),
    Case("order_of_tuples", "a < [1.0, 2.0]", "order tuples", "elements"),
    # joins
    Case("none_or_array", "y)", "y array None path", "one kind"),
    Case("number_or_array", "y)", "y array 1.0 path", "one kind"),
    Case("vector_or_matrix", "y)", "y array path", "one kind"),
    Case("tuples_of_different_length", "y[0]", "y tuple 2 1", "one number of elements"),
    Case("different_dicts", 'y["a"]', "y 'a' 'b'", "one"),
    Case("different_functions", "f(x))", "f sin cos", "call each"),
    Case("string_or_number", "s  # which", "s 'two' 2.0", "one kind"),
    Case("different_returns", "if x[0] > 0:", "result number None", "both"),
    Case("returns_on_one_path", "if x[0] > 0:", "result number None", "both"),
    Case("different_values_of_a_ternary", "x if x[0] > 0", "array 0.0", "both"),
    Case("none_before_a_loop", "best is None", "best None before loop", "one kind"),
    Case("number_becomes_an_array", "y * x", "y number array before loop", "one kind"),
    Case("tuple_grows_in_a_loop", "t + (v,)", "t tuple 0 1 elements loop", "t.append(...)"),
    Case("list_grows_in_a_loop", "ys + [v * v]", "ys list 0 1 elements loop", "ys.append(...)"),
    Case("rank_grows_in_a_loop", "y[None]", "y array loop", "one kind"),
    Case("read_before_assignment", "y * 2.0", "y before assigned", "assign y"),
    Case("augmented_before_assignment", "total += ", "total before assigned", "assign total"),
    # strings and other misuse
    Case("string_plus_array", '"a" + x', "string 'a' array", "number"),
    Case("array_plus_string", 'x + "a"', "string array", "number"),
    Case("none_plus_array", "None + x", "None", "array"),
    Case("function_plus_array", "np.sin + x", "function sin", "call"),
    Case("dict_plus_array", "p + 1.0", "dict", "", P),
    Case("tuple_minus_tuple", "(x[0], x[1]) - ", "tuple", "np.array"),
    Case("minus_a_tuple", "-(x[0], x[1])", "tuple", ""),
    Case("minus_a_string", '-"a"', "'a'", ""),
    Case("string_index", 'x["a"]', "indexed 'a'", "ints"),
    Case("float_index", "x[1.0]", "indexed 1.0", "ints"),
    Case("too_many_indices", "x[0, 1]", "too many indices 1 2", ""),
    Case("index_of_a_number", "y[0]", "number indexed", ""),
    Case("joined_by_r", "np.r_[", "np.r_[...]", "np.concatenate([x, [1.0]])"),
    Case("columns_by_c", "np.c_[", "np.c_[...]", "np.column_stack([...])"),
    Case("grids_by_mgrid", "np.mgrid[", "np.mgrid[...]", 'np.meshgrid( indexing="ij"'),
    Case("column_by_ogrid", "np.ogrid[", "np.ogrid[...]", "np.arange(n)[:, None]"),
    Case("index_by_s", "np.s_[", "np.s_[...]", "slice(start, stop)"),
    Case("index_of_a_function", "np.sin[0]", "sin indexed", ""),
    Case("matmul_of_a_number", "x @ 2.0", "matmul number", "*"),
    Case("length_of_a_number", "len(x[0])", "len number", ""),
    Case("compare_with_a_string", 'x[0] < "a"', "'a'", "number"),
    Case("bits_of_floats", "x & 1", "bitwise_and f64", ""),
    Case("stars_of_a_number", "*x[0])", "number", "array"),
    Case("double_stars_of_an_array", "x)  # keywords", "** not dict", "keywords"),
    Case("bare_raise", "raise", "`raise` nothing", ""),
    Case("raises_always", "def raises_always", "raises every path", ""),
    Case("function_to_a_library", "np.frompyfunc(", "frompyfunc", ""),
    Case("returns_a_function", "lambda: np.sum(x)", "returns function", ""),
    Case("locals_inside", "locals()", "locals", ""),
    # objects
    Case("makes_an_object", "_Single()", "_Single __new__", "outside"),
    # outputs
    Case("method_output", "def ", "method_output the method sum one real number", "sum(...)", error=GradientError),
    Case("vector_output", "def ", "vector_output f64[n0] one real number", "np.sum", error=GradientError),
    Case("one_element_output", "def ", "f64[1] one real number", "element", error=GradientError),
    Case("complex_output", "def ", "c128 one real number", "real", error=GradientError),
    Case("int_output", "def ", "int one real number", "real", error=GradientError),
    Case("argmax_output", "def ", "i64 one real number", "real", error=GradientError),
    Case("bool_output", "def ", "bool one real number", "real", error=GradientError),
    Case("none_output", "def ", "nothing", "return", error=GradientError),
    Case("string_output", "def ", "str one real number", "real", error=GradientError),
    Case("tuple_output", "def ", "tuple one real number", "has_aux=True", error=GradientError),
    Case("triple_output", "def ", "tuple one real number", "return", error=GradientError),
    Case("list_output", "def ", "list one real number", "return", error=GradientError),
    Case("dict_output", "def ", "dict one real number", "return", error=GradientError),
    Case("vector_output", "def ", "has_aux=True pair", "return value, aux", error=GradientError, has_aux=True),
    Case("triple_output", "def ", "has_aux=True pair", "return value, aux", error=GradientError, has_aux=True),
]

def _id(case: Case) -> str:
    return case.name + ("-has_aux" if case.has_aux else "")


@functools.cache
def _caught(index: int) -> BaseException | None:
    case = CASES[index]
    try:
        grad(case.function, has_aux=case.has_aux)(*case.args)
    except Exception as error:  # whatever it is: the tests say which it has to be
        return error
    return None


def refusal(case: Case) -> DifferentiationError:
    """The error of a row."""
    error = _caught(CASES.index(case))
    assert isinstance(error, DifferentiationError), f"not refused, but {error!r}"
    return error


def has_words(text: str, words: str) -> None:
    missing = [w for w in words.split() if w not in text]
    assert not missing, f"{missing} not in: {text}"


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_place(case: Case) -> None:
    error = refusal(case)
    assert type(error) is case.error
    line, col = case.place
    assert [(p.file, p.line, p.col) for p in error.problems] == [(refused.__file__, line, col)]


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_reason(case: Case) -> None:
    error = refusal(case)
    for problem in error.problems:
        assert not INTERNAL.search(problem.reason), problem.reason
    has_words(error.problems[0].reason, case.reason)


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_remedy(case: Case) -> None:
    problem = refusal(case).problems[0]
    assert problem.remedy
    assert not INTERNAL.search(problem.remedy), problem.remedy
    assert "instead" not in problem.remedy.lower(), "the message says 'Instead:' itself"
    has_words(problem.remedy, case.remedy)


REMEDIED = [f for n, f in vars(remedied).items() if inspect.isfunction(f) and n[0] != "_"]


@pytest.mark.parametrize("f", REMEDIED, ids=lambda f: f.__name__)
def test_the_remedy_works(f: Callable[..., Any]) -> None:
    """The same program with the remedy is compiled, and its gradient is that of differences."""
    case = next(c for c in CASES if c.name == f.__name__)
    check(f, *copy.deepcopy(case.args), argnums=(0,))


def test_remedies_for_quantiles_give_what_the_methods_give() -> None:
    for name in ("quantile_of_another_method", "percentile_of_another_method"):
        np.testing.assert_allclose(getattr(remedied, name)(X), getattr(refused, name)(X), rtol=1e-14)


def test_every_program_is_in_the_table() -> None:
    functions = inspect.getmembers(refused, inspect.isfunction)
    programs = {n for n, f in functions if f.__module__ == refused.__name__ and n[0] != "_"}
    assert programs - {c.name for c in CASES} - {s.name for s in SEVERAL} == set()


# --------------------------------------------------------------------------------------------- the text
def shown(problem: Problem) -> tuple[str, str, str]:
    """The first three lines of a problem's text: where, the source line, the caret."""
    where, line, caret = str(problem).split("\n")[:3]
    return where, line, caret


@pytest.mark.parametrize("case", CASES, ids=_id)
def test_text(case: Case) -> None:
    """File and line, the line of the source, a caret under the column, one sentence of reason, one of remedy."""
    error = refusal(case)
    text = str(error)
    where, line, caret = shown(error.problems[0])
    assert where == f'  File "{refused.__file__}", line {case.place[0]}'
    assert caret.strip() == "^" and line[caret.index("^") :].startswith(case.at.rstrip())
    lines = text.strip("\n").split("\n")
    assert len(lines) == 5 and lines[4].startswith("  Instead: ")
    assert all(s.endswith((".", "!", "?")) and not s.endswith("..") or s.endswith("...") for s in lines[3:])
    assert not INTERNAL.search("\n".join(lines[3:]))


# ------------------------------------------------------------------------------------------ several at once
@dataclass(frozen=True)
class Several:
    """A program with several problems: what stands where the carets point, in order."""

    name: str
    at: tuple[str, ...]
    within: str = ""


SEVERAL = [
    Several("three_problems", ("x.exp()", "np.unique(x)", "{v for v in x}")),
    Several("problem_used_twice", ("x.exp()",)),
    Several("problems_on_both_paths", ("x.exp()", "x.log()")),
    Several("problem_in_a_loop", ("v.exp()",)),
    Several("problem_in_a_callee_called_twice", ("np.unique(v)",), "_unique"),
]  # fmt: skip


@pytest.mark.parametrize("case", SEVERAL, ids=lambda s: s.name)
def test_all_problems_at_once(case: Several) -> None:
    expected = [Case(case.name, at, "", "", within=case.within).place for at in case.at]
    with pytest.raises(UnsupportedError) as caught:
        grad(getattr(refused, case.name))(X)
    assert [(p.line, p.col) for p in caught.value.problems] == expected


# -------------------------------------------------------------------------------------------------- methods
@pytest.mark.parametrize("method", ["counts", "remembers", "logs"])
def test_stores_to_the_object_of_a_method_are_followed(method: str) -> None:
    model = refused.Model()
    np.testing.assert_array_equal(grad(getattr(model, method))(X), model.w)
    assert vars(model).keys() == {"w", "calls", "history"} and model.calls == 0 and model.history == []


def test_a_refusal_stands_alone() -> None:
    with pytest.raises(UnsupportedError) as caught:
        grad(refused.store_to_one_of_two)(X)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_arguments_are_not_modified_by_a_refusal() -> None:
    x = X.copy()
    with pytest.raises(UnsupportedError):
        grad(refused.store_to_one_of_two)(x)
    assert np.array_equal(x, X)
