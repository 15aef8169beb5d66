"""Other libraries that differentiate, each as far as it is installed: autograd, jax (compiled), torch (eager).

They run the programs as these are written, on a namespace of their own in place of NumPy's, or as
`benchmarks.spellings` has them, where a library asks for another form. Nothing else imports these libraries.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from types import FunctionType
from typing import Any

import numpy as np

from benchmarks import spellings
from benchmarks.comparison import Call, Implementation, Unavailable
from benchmarks.workloads.workload import Arguments, Workload


def installed() -> Iterator[Implementation]:
    """An implementation for each library that can be imported."""
    for name, build in (("autograd", _autograd), ("jax", _jax), ("torch", _torch)):
        if find_spec(name):
            yield Implementation(name, build, counted=False)


def _on(namespace: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same program with another `np`."""
    assert isinstance(function, FunctionType)
    return FunctionType(function.__code__, {**function.__globals__, "np": namespace}, function.__name__)


def _spelled(workload: Workload, table: spellings.Table) -> Callable[..., Any]:
    found = table.get(workload.function, workload.function)
    if isinstance(found, str):
        raise Unavailable(found)
    return found


def _split(workload: Workload, arguments: Arguments) -> tuple[Arguments, Arguments]:
    """The data, and the constants after it."""
    n = len(arguments) - workload.constants
    return arguments[:n], arguments[n:]


def _autograd(workload: Workload, arguments: Arguments) -> Call:
    import autograd
    import autograd.numpy

    function = _on(autograd.numpy, _spelled(workload, spellings.AUTOGRAD))
    transform = autograd.value_and_grad if workload.value else autograd.grad
    gradient = transform(function, workload.argnums)
    return lambda: gradient(*arguments)


def _jax(workload: Workload, arguments: Arguments) -> Call:
    import jax
    import jax.numpy

    jax.config.update("jax_enable_x64", True)
    data, constants = _split(workload, arguments)
    function = _on(jax.numpy, _spelled(workload, spellings.JAX))
    transform = jax.value_and_grad if workload.value else jax.grad
    gradient = jax.jit(transform(lambda *data: function(*data, *constants), workload.argnums))
    on_device = tuple(map(jax.numpy.asarray, data))
    return lambda: jax.block_until_ready(gradient(*on_device))


def _torch(workload: Workload, arguments: Arguments) -> Call:
    import torch

    torch.set_num_threads(1)
    data, constants = _split(workload, arguments)
    function = _on(_TorchNumpy(torch), _spelled(workload, spellings.TORCH))
    tensors = [torch.as_tensor(a, dtype=None if isinstance(a, np.ndarray) else torch.float64) for a in data]
    wanted = [tensors[i].requires_grad_() for i in workload.argnums]

    def call() -> Any:
        value = function(*tensors, *constants)
        gradients = torch.autograd.grad(value, wanted)
        return (value.detach(), gradients) if workload.value else gradients

    return call


class _TorchNumpy:
    """torch under NumPy's names, as far as the programs use names that torch has not."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self.sum = lambda x, **options: torch.sum(x, **options) if torch.is_tensor(x) else x
        self.max = lambda x, axis, keepdims=False: torch.amax(x, dim=axis, keepdim=keepdims)
        self.maximum = lambda x, least: torch.clamp_min(x, least)
        self.zeros = lambda shape: torch.zeros(shape, dtype=torch.float64)
        self.ones = lambda shape: torch.ones(shape, dtype=torch.float64)
        self.eye = lambda n: torch.eye(n, dtype=torch.float64)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._torch, name)
