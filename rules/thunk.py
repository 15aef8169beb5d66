"""A value that is computed when it is first asked for, once; what nobody asks for is never computed."""

import threading
from collections.abc import Callable
from typing import Any, NoReturn


class Thunk:
    """A value that `make` computes when the thunk is first called; every later call gives the same object.

    It may be called from several threads: one of them computes, the others wait. Where `make` raises, so does the call,
    and the next one tries again. Once there is a value, `make` is forgotten with all that it holds. `what` says what
    the value is, for `repr` and errors.

    A thunk is no array and no number: whatever takes it for one gets a TypeError that says to call it.

    >>> thunk = Thunk(lambda: 6.0 * 7.0, "the answer")
    >>> thunk
    <thunk of the answer, not computed>
    >>> thunk()
    42.0
    >>> thunk
    <thunk of the answer, computed>
    >>> thunk + 1.0
    Traceback (most recent call last):
    TypeError: this is a thunk of the answer, not the answer: call it, thunk(), for the value
    """

    __slots__ = ("__weakref__", "_lock", "_make", "_value", "_what")

    def __init__(self, make: Callable[[], Any], what: str = "a value") -> None:
        self._make: Callable[[], Any] | None = make
        self._value: Any = None
        self._what = what
        self._lock = threading.RLock()

    def __call__(self) -> Any:
        if self._make is not None:
            with self._lock:
                if self._make is not None:  # no other thread has computed it in the meantime
                    self._value = self._make()
                    self._make = None
        return self._value

    def __repr__(self) -> str:
        return f"<thunk of {self._what}, {'computed' if self._make is None else 'not computed'}>"

    def _not_called(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"this is a thunk of {self._what}, not {self._what}: call it, thunk(), for the value")

    def __getattr__(self, name: str) -> NoReturn:
        remedy = "" if name.startswith("_") else f": it is of {self._what}, call it, thunk(), for the value"
        raise AttributeError(f"a thunk has no attribute {name!r}{remedy}")

    __array__ = __array_ufunc__ = __array_function__ = _not_called
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _not_called
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _not_called
    __neg__ = __pos__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = _not_called
    __bool__ = __int__ = __float__ = __complex__ = __index__ = _not_called
    __len__ = __iter__ = __contains__ = __getitem__ = __setitem__ = __delitem__ = _not_called
