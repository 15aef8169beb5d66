"""Arrays that live from call to call: what generated code computes into, once the first call has made it.

A call of a gradient has a workspace to itself: it is taken before and given back after. An array that is not there yet
reads as None, as which NumPy makes a new one: `t = ws.t = np.multiply(x, y, ws.t)`.
"""

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from rules.arrays import is_array, on_device


class Workspace:
    """The arrays of one call at a time, by name: None until they are made."""

    def __getattr__(self, name: str) -> None:
        return None

    def spares(self, name: str) -> list[Any]:
        """The arrays that loops keep and give back, of one place in the program."""
        found: list[Any] | None = self.__dict__.get(name)
        if found is None:
            found = self.__dict__[name] = []
        return found

    def turned(self, name: str) -> tuple[list[Any], list[Any]]:
        """The arrays of one place that the last call has kept, and a list for those that this one keeps."""
        spare, kept = self.spares(name), self.spares(f"{name} in use")
        spare += kept
        kept.clear()
        return spare, kept


#: For so many shapes of its arguments a gradient keeps arrays.
MAX_WORKSPACES = 16
#: As many calls at the same time find the workspace of an earlier one.
AT_ONCE = 8
class Pool:
    """The workspaces of a gradient for arguments of the same shapes, that no call has now.

    Each call that runs at the same time has one of its own: `take()` before it, and `idle.append` after it. One is
    dropped where the call raises, and where more than AT_ONCE are there already. `name` is the function's parameter for
    them. `scratch` are those that calls of its pullback have.
    """

    def __init__(self, name: str = "ws", scratch: "Pool | None" = None) -> None:
        self.name = name
        self.scratch = scratch
        self.idle: deque[Workspace] = deque(maxlen=AT_ONCE)
        self.used = True

    def take(self) -> Workspace:
        """A workspace that no call has."""
        self.used = True
        try:
            return self.idle.pop()
        except IndexError:
            return Workspace()

    def clear(self) -> None:
        """Forget the arrays, those too that pullbacks have now and will give back."""
        self.idle.clear()
        self.idle = deque(maxlen=AT_ONCE)  # those that are given back go with the old one
        if self.scratch is not None:
            self.scratch.clear()

    def until_gone(self, ws: Workspace, pullback: Callable[..., Any]) -> Callable[..., Any]:
        """The pullback, which has a workspace until it is collected, and one more while it is called."""
        if self.name:
            weakref.finalize(pullback, self.idle.append, ws).atexit = False  # not sooner, if a call is going on
        return pullback if self.scratch is None else self.scratch.bind(pullback)

    def bind(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """`run`, with a workspace from here as its argument."""

        def call(*args: Any, **kwargs: Any) -> Any:
            kwargs[self.name] = ws = self.take()
            result = run(*args, **kwargs)
            self.idle.append(ws)
            return result

        return call


class Workspaces:
    """The workspaces of a function in a module, by the shapes of its arguments: for those that were used last.

    `name` is the function's parameter for them.
    """

    def __init__(self, name: str = "ws") -> None:
        self.name = name
        self.pools: dict[Any, Callable[..., Any]] = {}

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """What the function returns, with a workspace of earlier calls with arguments of the same shapes."""
        key = _shapes(args)
        run = self.pools.pop(key, None) or Pool(self.name).bind(function)
        self.pools[key] = run  # the one that was used last is the last
        while len(self.pools) > MAX_WORKSPACES:
            self.pools.pop(next(iter(self.pools), None), None)
        return run(*args)

    def release(self) -> None:
        """Forget the arrays of earlier calls."""
        self.pools.clear()


def _shapes(x: Any) -> Any:
    if is_array(x):
        return x.shape
    if isinstance(x, tuple | list):
        return tuple(map(_shapes, x))
    return tuple(map(_shapes, x.values())) if isinstance(x, dict) else None


def zeros(shape: Any, out: Any) -> Any:
    """Zeros of this shape: in `out`, unless that is None."""
    if out is None:
        return np.zeros(shape)
    out.fill(0)
    return out


def zeroed(like: Any, out: Any) -> Any:
    """Zeros of the shape and dtype of `like`: in `out`, unless that is None."""
    if out is None:
        return np.zeros_like(like) if on_device(like) else np.zeros_like(like, subok=False)
    out.fill(0)
    return out


def filled(like: Any, value: Any, out: Any) -> Any:
    """An array of the shape and dtype of `like` with this value throughout: `out`, unless that is None."""
    if out is None:
        return np.full_like(like, value) if on_device(like) else np.full_like(like, value, subok=False)
    out.fill(value)
    return out


def scratch(like: Any, out: Any) -> Any:
    """An array of the shape and dtype of `like` with any contents: `out`, unless that is None."""
    if out is not None:
        return out
    return np.empty_like(like, order="C") if on_device(like) else np.empty_like(like, order="C", subok=False)
