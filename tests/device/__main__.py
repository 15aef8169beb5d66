"""`python -m tests.device`: these tests on CuPy itself; one line says why not, where that is not to be had."""

import importlib.util
import os
import sys

import pytest


def missing() -> str:
    """Why CuPy cannot be used here; an empty text where it can."""
    if importlib.util.find_spec("cupy") is None:
        return "CuPy is not installed: pip install 'adcompiler[cupy]'"
    import cupy

    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"CuPy finds no GPU: {error}"
    return "" if count else "CuPy finds no GPU"


if __name__ == "__main__":
    why = missing()
    if why:
        sys.exit(f"tests of arrays on a device: {why}")
    os.environ["ADC_CUPY"] = "1"
    sys.exit(pytest.main([os.path.dirname(__file__), "-p", "no:cacheprovider", *sys.argv[1:]]))
