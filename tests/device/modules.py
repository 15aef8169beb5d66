"""Modules that are written for NumPy, as they would be for the library of the device."""

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

from tests.device.library import to_device, xp

_count = itertools.count()


def on_device(path: Path) -> ModuleType:
    """A module of this file, in which `np` is the library of the device, and what arrays it has are there."""
    name = f"{path.stem}_on_device_{next(_count)}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for key, value in vars(module).items():
        if not key.startswith("__"):
            setattr(module, key, xp if key == "np" else to_device(value))
    return module
