"""What `vjp` gives beside the value: a pullback, which has what is kept of the forward sweep until it is gone."""

from collections.abc import Callable
from typing import Any

from adcompiler.dispatch import note_line
from adcompiler.forms import fitted
from adcompiler.ir.structure import written
from adcompiler.request import Request
from rules.thunk import Thunk


class Pullback:
    """Gives the gradients for a cotangent of the value, any number of times, in any threads.

    `pulls` is the compiled pullback, or one for each argument: then the gradients are thunks. `form` is that of the
    value; `positions` has for each gradient that is returned its number among those computed, or None.
    """

    #: Functions that are compiled cannot see into it.
    __adc_pullback__ = True

    def __init__(self, pulls: list[Callable[[Any], Any]], request: Request, form: Any, positions: Any = None) -> None:
        self._pulls: list[Callable[[Any], Any]] | None = pulls
        self._request = request
        self._form = form
        self._positions = positions

    def __call__(self, cotangent: Any) -> Any:
        pulls = self._pulls  # held, so that a release in the meantime takes nothing away
        if pulls is None:
            raise RuntimeError(f"this pullback of {self._request.name} was released: call vjp again for another")
        lazy = self._request.apart
        fitting = fitted(cotangent, self._form, own=lazy)
        if lazy:
            gradients: Any = tuple(_thunk(*pair, fitting) for pair in zip(pulls, self._request.wrt, strict=True))
            gradients = gradients[0] if self._request.single else gradients
        else:
            gradients = _called(pulls[0], fitting)
        if self._positions is None:
            return gradients
        return tuple(None if i is None else gradients[i] for i in self._positions)

    def __repr__(self) -> str:
        return f"<pullback of {self._request.name}{', released' if self._pulls is None else ''}>"

    def release(self) -> None:
        """Let go of what is kept, as when the pullback is collected. Later calls raise RuntimeError.

        A call that another thread is in, and thunks that were given before, are not disturbed.
        """
        self._pulls = None


def _called(pull: Callable[[Any], Any], cotangent: Any) -> Any:
    """What a compiled pullback gives; an error says which line of the user's it is about."""
    try:
        return pull(cotangent)
    except Exception as error:
        note_line(error)
        raise


def _thunk(pull: Callable[[Any], Any], path: tuple[Any, ...], cotangent: Any) -> Thunk:
    """The gradient for a cotangent, when it is asked for."""
    return Thunk(lambda: _called(pull, cotangent), f"the gradient with respect to {written(path)}")
