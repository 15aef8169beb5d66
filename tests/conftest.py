"""Compiling makes many small objects: the garbage among them is looked for less often."""

import gc


def pytest_collection_finish():
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
