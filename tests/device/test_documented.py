"""`docs/cupy.md` says what the stand-in does."""

import inspect
import re
from pathlib import Path

import numpy as np

from adcompiler import differentiable
from rules import arrays, registry
from tests.device.library import name, to_device
from tests.device.library import xp as cp

PAGE = (Path(__file__).parents[2] / "docs" / "cupy.md").read_text()


def test_the_functions_that_cupy_lacks_are_listed():
    (table,) = re.findall(r"<!-- table.*?-->\n(.*?)<!-- end -->", PAGE, re.S)
    made = arrays.get(name)
    found = {f for r in registry() if not r.why for f in r.functions if id(f) in arrays._paths()}
    lacking = {arrays._paths()[id(f)] for f in found if made.own(f) is None}
    assert lacking <= set(re.findall(r"`([\w.]+)`", table))
    if name == "strict":
        assert lacking == set(re.findall(r"`([\w.]+)`", table))


def test_the_generated_code_is_what_is_generated():
    source, generated = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert inspect.getsource(loss) in source
    w, X, y = (to_device(x) for x in (np.ones(3), np.ones((4, 3)), np.ones(4)))
    shown = differentiable(loss, argnums=0).source(example=(w, X, y, 0.1))
    alias = arrays.get(name).alias
    assert _bare(shown.replace(f"{alias}.", "cp.")) == _bare(generated)


def loss(w, X, y, decay):
    r = X @ w - y
    total = decay * cp.sum(w * w)
    for _ in range(3):
        total += cp.mean(r * r)
        r = cp.tanh(r)
    return total


def _bare(text):
    """The statements without their comments."""
    lines = (line.partition("  #")[0].rstrip() for line in text.splitlines())
    return [line for line in lines if line.strip() and not line.lstrip().startswith(('"""', "#"))]
