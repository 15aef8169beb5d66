"""How often CuPy waits for a value: it says so itself, to what once refused that. A copy is a wait too."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from tests.device.arrays import Counter


@contextmanager
def counted() -> Iterator[Counter]:
    """Count the waits inside; none where this version of CuPy no longer tells."""
    detect = import_module("cupy._core.syncdetect")
    told = getattr(detect, "_declare_synchronize", None)
    found = Counter()

    def note() -> None:
        found.waits += 1

    if told is not None:
        detect._declare_synchronize = note  # type: ignore[attr-defined]
    try:
        yield found
    finally:
        if told is not None:
            detect._declare_synchronize = told  # type: ignore[attr-defined]
