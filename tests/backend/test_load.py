import gc
import inspect
import io
import linecache
import pdb
import sys
import threading
import traceback
from types import CellType

import numpy as np
import pytest

from adcompiler.backend.load import load

COUNT = iter(range(10**6))


def filename():
    return f"<adcompiler test {next(COUNT)}>"


def loaded(source, name="f", module=None, free=(), cells=()):
    return load(source, name, filename(), {} if module is None else module, dict(free), dict(cells))


def test_globals_are_the_users_and_live():
    module = {"k": 2.0, "__name__": "user"}
    f = loaded("def f(x):\n    return k * x\n", module=module)
    assert f.__globals__ is module and f(3.0) == 6.0
    module["k"] = 10.0
    assert f(3.0) == 30.0
    assert f.__module__ == "user"


@pytest.mark.parametrize("module", [{"a": 1}, {"a": 1, "__builtins__": __builtins__}])
def test_nothing_is_written_into_the_module(module):
    before = dict(module)
    f = loaded(
        "def g(x):\n    return len(x)\n\ndef f(x):\n    return g(x) + a\n", module=module, free={"np": np}
    )
    assert f([1, 2]) == 3
    assert module == before


def test_free_names_hide_globals_and_builtins():
    f = loaded("def f(x):\n    return np.exp(x), len\n", module={"np": None}, free={"np": np, "len": 7})
    assert f(0.0) == (1.0, 7)
    assert inspect.getclosurevars(f).nonlocals == {"np": np, "len": 7}


def test_cells_are_the_users():
    def user():
        scale = 1.0

        def set_scale(value):
            nonlocal scale
            scale = value

        return set_scale

    set_scale = user()
    (cell,) = set_scale.__closure__
    f = loaded("def f(x):\n    return scale * x\n", cells={"scale": cell, "unused": CellType()})
    assert f(2.0) == 2.0
    set_scale(5.0)
    assert f(2.0) == 10.0
    assert f.__closure__ == (cell,)


def test_an_empty_cell_raises_as_in_user_code():
    f = loaded("def f():\n    return later\n", cells={"later": CellType()})
    with pytest.raises(NameError, match="later"):
        f()


def test_functions_see_each_other_and_themselves():
    source = (
        "def even(n):\n    return n == 0 or odd(n - 1)\n\ndef odd(n):\n    return n != 0 and even(n - 1)\n"
    )
    assert loaded(source, "even")(10) and not loaded(source, "odd")(10)


def test_defaults_see_free_names_cells_and_globals():
    source = "def f(x=one, *, y=two, z=three):\n    return x, y, z\n"
    assert loaded(source, free={"one": 1}, cells={"two": CellType(2)}, module={"three": 3})() == (1, 2, 3)


def test_names_are_those_of_the_source():
    f = loaded("def f():\n    def pullback():\n        pass\n    return pullback\n")
    assert (f.__name__, f.__qualname__, f.__code__.co_qualname) == ("f", "f", "f")
    assert f().__qualname__ == "f.<locals>.pullback"


@pytest.mark.parametrize(
    "free, cells",
    [({"a": 1}, {"a": CellType()}), ({"a b": 1}, {}), ({}, {"1": CellType()}), ({"x.y": 1}, {})],
)
def test_ambiguous_or_impossible_names_are_refused(free, cells):
    with pytest.raises(ValueError):
        loaded("def f():\n    pass\n", free=free, cells=cells)


def test_a_traceback_shows_the_generated_line():
    f = loaded('"""A module."""\n\ndef f(x):\n    y = x + 1\n    return y / (x - x)\n')
    linecache.checkcache()
    try:
        f(1)
    except ZeroDivisionError as error:
        (frame,) = traceback.extract_tb(error.__traceback__)[1:]
        text = "".join(traceback.format_exception(error))
    assert frame.lineno == 5 and frame.name == "f"
    assert f'File "{f.__code__.co_filename}", line 5, in f\n    return y / (x - x)\n' in text


def test_inspect_shows_the_text_of_one_function():
    g = "def g(x):\n    return x\n"
    f = 'def f(x):\n    """Twice."""\n    return 2 * x  # here\n'
    function = loaded(g + "\n\n" + f)
    linecache.checkcache()
    assert inspect.getsource(function) == f
    assert inspect.getsourcelines(function)[1] == 5
    assert function.__doc__ == "Twice."


def test_pdb_shows_the_text():
    f = loaded("def f(x):\n    y = x + 1\n    return y\n")
    output = io.StringIO()
    # readrc and nosigint keep the test from the developer's own settings
    commands = io.StringIO("next\nlist\ncontinue\n")
    debugger = pdb.Pdb(stdin=commands, stdout=output, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    trace = sys.gettrace()
    try:
        assert debugger.runcall(f, 1) == 2
    finally:
        sys.settrace(trace)
    assert "  3  ->\t    return y" in output.getvalue()
    assert "-> y = x + 1" in output.getvalue()


def test_the_text_goes_with_the_last_function_that_has_code_in_it():
    f = loaded("def f(x):\n    def pullback(d):\n        return d / x\n    return pullback\n")
    name = f.__code__.co_filename
    pullback = f(0.0)
    del f
    gc.collect()
    with pytest.raises(ZeroDivisionError) as info:
        pullback(1.0)
    assert str(info.traceback[-1].statement).strip() == "return d / x"
    assert name in linecache.cache
    del pullback, info
    gc.collect()
    assert name not in linecache.cache


def test_a_replaced_text_stays_when_the_old_function_goes():
    name = filename()
    old = load("def f():\n    return 1\n", "f", name, {}, {}, {})
    new = load("def f():\n    return 2\n", "f", name, {}, {}, {})
    del old
    gc.collect()
    assert inspect.getsource(new).endswith("return 2\n")


def test_threads_do_not_meet():
    results, errors = {}, []

    def work(number):
        try:
            for _ in range(30):
                f = loaded(f"def f(x):\n    return x + k + {number}\n", free={"k": number})
                linecache.checkcache(
                    f.__code__.co_filename
                )  # for all files, CPython's own is not thread-safe
                assert f"+ {number}" in inspect.getsource(f)
                results[number] = f(0)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert results == {number: 2 * number for number in range(8)}
