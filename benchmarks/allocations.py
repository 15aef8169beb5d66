"""Counts the arrays that NumPy allocates, exactly, through the hook that it has for memory of one's own.

Every array made inside of `with AllocationCounter() as counter:` takes its memory through the counter, which hands
the request on to the C library. `tracemalloc` would tell what is alive; this tells what was asked for.
"""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Smaller arrays are no matter: shapes, numbers, a row here and there.
LARGE = 1024

_SET_HANDLER = 304  # PyDataMem_SetHandler in NumPy's table of C functions, whose places never change

_pointer, _size = ctypes.c_void_p, ctypes.c_size_t
_Malloc = ctypes.PYFUNCTYPE(_pointer, _pointer, _size)
_Calloc = ctypes.PYFUNCTYPE(_pointer, _pointer, _size, _size)
_Realloc = ctypes.PYFUNCTYPE(_pointer, _pointer, _pointer, _size)
_Free = ctypes.PYFUNCTYPE(None, _pointer, _pointer, _size)


@dataclass(frozen=True)
class Allocations:
    """What was allocated for arrays between two points of time."""

    #: Arrays, and those among them of LARGE bytes or more.
    count: int
    large: int
    bytes: int
    #: The most that was alive at once, of what was allocated in between.
    peak: int


class _Allocator(ctypes.Structure):
    _fields_ = [("context", _pointer), ("malloc", _Malloc), ("calloc", _Calloc), ("realloc", _Realloc), ("free", _Free)]


class _Handler(ctypes.Structure):
    """`PyDataMem_Handler` of NumPy's C interface."""

    _fields_ = [("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("allocator", _Allocator)]


class AllocationCounter:
    """A context manager, used once; `total` tells what was allocated since it was entered."""

    def __init__(self) -> None:
        self._count = self._large = self._bytes = self._live = self._peak = 0
        allocator = _Allocator(None, *self._callbacks())
        self._handler = _Handler(b"counter", 1, allocator)
        self._capsule = _capsule(self._handler)
        _alive.append(self)

    def __enter__(self) -> "AllocationCounter":
        self._before = _set_handler()(self._capsule)
        return self

    def __exit__(self, *error: object) -> None:
        _set_handler()(self._before)

    @property
    def total(self) -> Allocations:
        return Allocations(self._count, self._large, self._bytes, self._peak)

    def _note(self, size: int) -> None:
        self._count += 1
        self._large += size >= LARGE
        self._bytes += size
        self._live += size
        self._peak = max(self._peak, self._live)

    def _callbacks(self) -> tuple[Any, ...]:
        library = _c_library()

        def malloc(context: int, size: int) -> Any:
            self._note(size)
            return library.malloc(size)

        def calloc(context: int, count: int, size: int) -> Any:
            self._note(count * size)
            return library.calloc(count, size)

        def realloc(context: int, block: int, size: int) -> Any:
            self._note(size)
            return library.realloc(block, size)

        def free(context: int, block: int, size: int) -> None:
            self._live -= size
            library.free(block)

        return _Malloc(malloc), _Calloc(calloc), _Realloc(realloc), _Free(free)


#: Counters are kept: an array that was made under one gives its memory back through the counter's functions.
_alive: list[AllocationCounter] = []


def allocations(call: Callable[[], object]) -> Allocations:
    """What one call allocates, its result included."""
    with AllocationCounter() as counter:
        result = call()
        total = counter.total
    del result  # not before: what is freed sooner might lower the peak
    return total


def large_arrays(result: Any) -> int:
    """How many arrays of LARGE bytes or more a result is made of, in tuples, lists and dicts."""
    if isinstance(result, dict):
        return sum(map(large_arrays, result.values()))
    if isinstance(result, tuple | list):
        return sum(map(large_arrays, result))
    return int(isinstance(result, np.ndarray) and result.nbytes >= LARGE)


def _c_library() -> Any:
    library = ctypes.CDLL(None)
    signatures = {
        "malloc": (_pointer, [_size]),
        "calloc": (_pointer, [_size, _size]),
        "realloc": (_pointer, [_pointer, _size]),
        "free": (None, [_pointer]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _capsule(handler: _Handler) -> Any:
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [_pointer, ctypes.c_char_p, _pointer]
    return new(ctypes.addressof(handler), b"mem_handler", None)


def _set_handler() -> Callable[[Any], Any]:
    """`PyDataMem_SetHandler`, which gives back the handler that was set before."""
    from numpy._core._multiarray_umath import _ARRAY_API  # type: ignore[import-not-found]

    content = ctypes.pythonapi.PyCapsule_GetPointer
    content.restype, content.argtypes = _pointer, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(content(_ARRAY_API, None), ctypes.POINTER(_pointer))
    made: Callable[[Any], Any] = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[_SET_HANDLER])
    return made
