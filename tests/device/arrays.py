"""Arrays that are as strict as CuPy's, in the memory of the host: what leaves the device is counted.

They have the functions that CuPy has (`strict` is the module of these), and answer to NumPy's through
`__array_ufunc__` and `__array_function__`. They are never made NumPy's unasked, nor mixed with those; where NumPy gives
a number, and where an element is read, there is an array without axes, which is a view of it. `transfers` counts the
arrays copied to the host, `waits` what makes the host wait for a value: a truth, a number, what a mask chooses.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.device.names import FFT, LINALG, METHODS, PARAMETERS, SPECIAL, TOP

_NUMBERS = bool | int | float | complex | np.generic
#: What can only be done when the values are known.
_WAITING = dict.fromkeys("nonzero flatnonzero argwhere extract compress unique trim_zeros allclose polyfit".split(), 1)
_WAITING |= {"polymul": 2}  # which cuts leading zeros of both


@dataclass
class Counter:
    """What has been copied to the host, how often it waited, and what has been copied to the device."""

    transfers: int = 0
    waits: int = 0
    uploads: int = 0


counts = Counter()


@contextmanager
def counted() -> Iterator[Counter]:
    """Count from zero, inside."""
    found, before = Counter(), replace(counts)
    try:
        yield found
    finally:
        for name, value in vars(before).items():
            setattr(found, name, getattr(counts, name) - value)


class Flags:
    """What CuPy tells of an array's memory, and no more."""

    def __init__(self, host: np.ndarray) -> None:
        self.c_contiguous, self.f_contiguous, self.owndata = (
            host.flags.c_contiguous, host.flags.f_contiguous, host.base is None
        )  # fmt: skip

    def __getitem__(self, name: str) -> bool:
        return {"C_CONTIGUOUS": self.c_contiguous, "F_CONTIGUOUS": self.f_contiguous, "OWNDATA": self.owndata}[name]


class ndarray:
    """An array on the device that is not there."""

    __slots__ = ("__weakref__", "_host")
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, host: np.ndarray) -> None:
        self._host = host

    # ------------------------------------------------------------------------------------- what it tells
    shape = property(lambda self: self._host.shape)
    strides = property(lambda self: self._host.strides)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    dtype = property(lambda self: self._host.dtype)
    itemsize = property(lambda self: self._host.itemsize)
    nbytes = property(lambda self: self._host.nbytes)
    flags = property(lambda self: Flags(self._host))
    T = property(lambda self: self if self.ndim < 2 else ndarray(self._host.T))
    real = property(lambda self: ndarray(self._host.real), lambda self, x: self._set_part("real", x))
    imag = property(lambda self: ndarray(self._host.imag), lambda self, x: self._set_part("imag", x))

    def _set_part(self, name: str, value: Any) -> None:
        setattr(self._host, name, _inside(value))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return len(self._host)

    def __iter__(self) -> Any:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    # -------------------------------------------------------------------------------------- to the host
    def get(self) -> np.ndarray:
        counts.transfers += 1
        counts.waits += 1
        return self._host.copy()

    def _number(self) -> np.ndarray:
        counts.waits += 1
        return self._host

    def item(self) -> Any:
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._number().item()

    def tolist(self) -> Any:
        return self.get().tolist()

    def __bool__(self) -> bool:
        return bool(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def __float__(self) -> float:
        return float(self._number())

    def __complex__(self) -> complex:
        return complex(self._number())

    def __repr__(self) -> str:
        return f"strict.{self._host!r}"

    def __format__(self, spec: str) -> str:
        return format(self.get(), spec)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. "
                        "Please use `.get()` to construct a NumPy array explicitly.")  # fmt: skip

    def __copy__(self) -> "ndarray":
        return ndarray(self._host.copy())

    def __deepcopy__(self, memo: Any) -> "ndarray":
        return ndarray(self._host.copy())

    # -------------------------------------------------------------------------------------- its elements
    def __getitem__(self, index: Any) -> "ndarray":
        place = _place(index, True)
        found = self._host[place]
        if not isinstance(found, np.ndarray):
            found = self._host[(*place, ...) if isinstance(place, tuple) else (place, ...)]
        return ndarray(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._host[_place(index, isinstance(value, ndarray) and value.size != 1)] = _inside(value)

    # ------------------------------------------------------------------------------------ NumPy's protocols
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        name = ufunc.__name__
        special = isinstance(ufunc, np.ufunc) and getattr(np, name, None) is not ufunc
        if name not in (SPECIAL if special and name not in TOP else TOP):
            return NotImplemented
        if method == "at" and name not in ("add", "subtract", "maximum", "minimum"):
            return NotImplemented
        if method == "reduceat" and name != "add":
            return NotImplemented
        if method in ("reduce", "accumulate") and name not in ("add", "multiply"):
            return NotImplemented
        known = {"out", "dtype", "casting"} if method == "__call__" else {"out", "dtype", "axis", "keepdims"}
        if unknown := kwargs.keys() - known:
            raise TypeError(f"Wrong arguments {unknown} of {name}")
        if name in ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal"):
            # a scalar of NumPy comes as an array where it stands at the left (numpy/numpy#12142)
            inputs = tuple(x.item() if isinstance(x, np.ndarray) and not x.ndim else x for x in inputs)
        for x in (*inputs, *kwargs.get("out", ())):
            if not isinstance(x, ndarray | np.ndarray | _NUMBERS) and x is not None and method == "__call__":
                return NotImplemented
        out = kwargs.pop("out", None)
        if out is not None:
            if len(out) != 1:
                raise ValueError("The 'out' parameter must have exactly one array value")
            kwargs["out"] = tuple(map(_inside, out))
        found = getattr(ufunc, method)(*map(_inside, inputs), **kwargs)
        return out[0] if out is not None and out[0] is not None else _outside(found)

    def __array_function__(self, func: Any, kinds: Any, args: Any, kwargs: Any) -> Any:
        path = ".".join([*func.__module__.split(".")[1:], func.__name__])
        if not _has(path) or not all(issubclass(t, ndarray | np.ndarray) for t in kinds):
            return NotImplemented
        if path in ("array", "asarray", "asanyarray"):
            return maker(func)(*args, **kwargs)
        return _call(func, path, args, kwargs)


def _inside(x: Any) -> Any:
    """What an operand is on the host. Raises TypeError for an array of NumPy, which is elsewhere."""
    if isinstance(x, ndarray):
        return x._host
    if isinstance(x, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if isinstance(x, list | tuple):
        return type(x)(map(_inside, x)) if type(x) in (list, tuple) else tuple(map(_inside, x))
    return x


def _outside(x: Any) -> Any:
    """A result as what the device has."""
    if isinstance(x, np.ndarray | np.generic):
        return ndarray(np.asarray(x))
    if isinstance(x, tuple):
        return tuple(map(_outside, x))
    return list(map(_outside, x)) if isinstance(x, list) else x


def _place(index: Any, counted: bool) -> Any:
    """An index on the host; with `counted`, it has to be known how many elements a mask chooses."""
    items = index if isinstance(index, tuple) else (index,)
    for i in items:
        if isinstance(i, ndarray) and i.dtype == bool and counted:
            counts.waits += 1
        if isinstance(i, slice) and any(isinstance(x, ndarray) for x in (i.start, i.stop, i.step)):
            raise TypeError("slice indices must be integers or None or have an __index__ method")
    return tuple(map(_inside, items)) if isinstance(index, tuple) else _inside(index)


def _call(function: Any, path: str, args: Any, kwargs: Any) -> Any:
    """A function of NumPy on what is inside of the arrays."""
    if path in PARAMETERS:
        known = PARAMETERS[path]
        if len(args) > len(known) or not kwargs.keys() <= {*known, "array", "condition"}:
            raise TypeError(f"{path} takes {', '.join(known)}, got {len(args)} arguments and {', '.join(kwargs)}")
    if kwargs.get("subok") is not None:
        raise TypeError("subok is not supported yet")
    if function is np.copyto and "where" in kwargs and not isinstance(kwargs["where"], ndarray):
        raise TypeError("where is to be an array of the device")
    if function is np.einsum and not kwargs.keys() <= {"dtype", "optimize"}:
        raise TypeError("einsum takes dtype and optimize")
    if function is np.where and len(args) == 1:
        counts.waits += 1
    counts.waits += _WAITING.get(path, 0)
    out = kwargs.get("out")
    found = function(*map(_inside, args), **{k: _inside(v) for k, v in kwargs.items()})
    return out if out is not None else _outside(found)


# ------------------------------------------------------------------------------------------ methods, operators
def _method(name: str) -> Callable[..., Any]:
    def method(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        if unknown := kwargs.keys() & {"where", "initial", "correction", "mode"}:
            raise TypeError(f"{name}() got an unexpected keyword argument {unknown}")
        counts.waits += _WAITING.get(name, 0)
        out = kwargs.get("out")
        found = getattr(self._host, name)(*map(_inside, args), **{k: _inside(v) for k, v in kwargs.items()})
        return out if out is not None else _outside(found)

    return method


for _name in METHODS:
    setattr(ndarray, _name, _method(_name))


def _binary(ufunc: np.ufunc) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    def known(x: Any) -> bool:
        return isinstance(x, ndarray | np.ndarray | _NUMBERS)

    def forward(self: ndarray, other: Any) -> Any:
        return ufunc(self, other) if known(other) else NotImplemented

    def reflected(self: ndarray, other: Any) -> Any:
        return ufunc(other, self) if known(other) else NotImplemented

    def in_place(self: ndarray, other: Any) -> Any:
        return ufunc(self, other, out=self)

    return forward, reflected, in_place


_OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
}  # fmt: skip
for _name, _ufunc in _OPERATORS.items():
    _forward, _reflected, _in_place = _binary(_ufunc)
    setattr(ndarray, f"__{_name}__", _forward)
    setattr(ndarray, f"__r{_name}__", _reflected)
    setattr(ndarray, f"__i{_name}__", _in_place)
for _name, _ufunc in {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal,
                      "ne": np.not_equal}.items():  # fmt: skip
    setattr(ndarray, f"__{_name}__", _binary(_ufunc)[0])
for _name, _ufunc in {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}.items():
    setattr(ndarray, f"__{_name}__", lambda self, f=_ufunc: f(self))


# ----------------------------------------------------------------------------------------------- functions
class ufunc:
    """A function of this library that works on each element, with NumPy's methods."""

    def __init__(self, host: np.ufunc) -> None:
        self._host = host
        self.__name__ = host.__name__
        self.__module__ = "tests.device.strict"
        self.nin, self.nout = host.nin, host.nout

    def _run(self, method: str, args: Any, kwargs: Any) -> Any:
        made = [ndarray(np.asarray(x)) if isinstance(x, _NUMBERS) and k == 0 else x for k, x in enumerate(args)]
        return made[0].__array_ufunc__(self._host, method, *made, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is not None and not isinstance(kwargs["out"], tuple):
            kwargs["out"] = (kwargs["out"],)
        if self._host.signature is not None and len(args) > self.nin:
            raise TypeError("what a generalised ufunc computes into is called out")
        if len(args) > self.nin:
            args, kwargs["out"] = args[: self.nin], args[self.nin :]
        if kwargs.get("out") in (None, (None,)):
            kwargs.pop("out", None)
        if isinstance(args[0], _NUMBERS) and len(args) > 1 and isinstance(args[1], ndarray):
            return args[1].__array_ufunc__(self._host, "__call__", *args, **kwargs)
        return self._run("__call__", args, kwargs)

    def at(self, *args: Any) -> Any:
        return self._run("at", args, {})

    def reduce(self, *args: Any, **kwargs: Any) -> Any:
        return self._run("reduce", args, kwargs)

    def accumulate(self, *args: Any, **kwargs: Any) -> Any:
        return self._run("accumulate", args, kwargs)

    def reduceat(self, *args: Any, **kwargs: Any) -> Any:
        return self._run("reduceat", args, kwargs)

    def outer(self, *args: Any, **kwargs: Any) -> Any:
        return self._run("outer", args, kwargs)


def _function(host: Any, path: str) -> Callable[..., Any]:
    @functools.wraps(host, updated=())
    def function(*args: Any, **kwargs: Any) -> Any:
        return _call(host, path, args, kwargs)

    del function.__wrapped__  # type: ignore[attr-defined]
    function.__doc__ = ""
    function.__module__ = "tests.device.strict"
    return function


def _has(path: str) -> bool:
    first, _, rest = path.rpartition(".")
    return rest in {"": TOP, "linalg": LINALG, "fft": FFT}.get(first, ())


def functions(module: Any, names: Any, prefix: str = "") -> dict[str, Any]:
    """The functions of these names that a module of NumPy has, for arrays of the device."""
    found = {}
    for name in sorted(names):
        host = getattr(module, name, None)
        if host is not None:
            found[name] = ufunc(host) if isinstance(host, np.ufunc) else _function(host, prefix + name)
    return found


def maker(host: Any) -> Callable[..., Any]:
    """`asarray` and the like: they copy an array of the host to the device."""

    def make(a: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(a, np.ndarray):
            counts.uploads += 1
            return ndarray(host(a.copy(), *args, **kwargs))
        return ndarray(host(_inside(a), *args, **kwargs))

    make.__name__ = host.__name__
    return make
