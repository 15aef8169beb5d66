"""Each construct of the language, in every mode: `grad`, `vjp`, `jvp`, ahead of time, twice."""

import contextlib
import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompiler import compile_module, grad, jvp, value_and_grad, vjp
from tests.numerics import assert_close, check, differences
from tests.signatures import NoSignature, signature_of


def at(f: Callable[..., Any], *points: Any) -> None:
    """The gradient of one compiled function is that of differences at several points; or it raises what `f` does."""
    gradient = value_and_grad(f)
    for x in points:
        try:
            wanted = f(copy.deepcopy(x))
        except Exception as error:
            with pytest.raises(type(error)):
                gradient(copy.deepcopy(x))
            continue
        value, slopes = gradient(copy.deepcopy(x))
        assert_close(value, wanted, 1e-12)
        assert_close(slopes, differences(f, (x,)))


def everywhere(f: Callable[..., Any], *args: Any, closed: bool = True, twice: bool = True) -> None:
    """The gradient by the first argument, an array, is that of differences in every mode; `closed` of a function that
    a module can hold."""
    check(f, *args, argnums=(0,))
    wanted = differences(f, args)
    plain = f(*copy.deepcopy(args))
    t = np.cos(np.arange(args[0].size)).reshape(args[0].shape)
    value, pullback = vjp(lambda x: f(x, *args[1:]), args[0])
    for _ in range(2):
        assert_close(pullback(1.0)[0], wanted)
    assert_close(value, plain, 1e-12)
    value, slope = jvp(lambda x: f(x, *args[1:]), (args[0],), (t,))
    assert_close(value, plain, 1e-12)
    assert_close(slope, np.sum(wanted * t))
    if closed:
        module: dict[str, Any] = {"__name__": "generated"}
        with contextlib.suppress(NoSignature):
            text = compile_module(f, signatures=signature_of(args))
            exec(compile(text, "<generated>", "exec"), module)
            name = next(n for n in module if n.endswith("_grad"))
            assert_close(module[name](*copy.deepcopy(args)), wanted)
    if twice:

        def along(x: Any, *rest: Any) -> Any:
            return np.sum(grad(f)(x, *rest) * np.cos(x))

        assert_close(grad(along)(*args), differences(along, args), 1e-5, 1e-6)
