"""Source-transformation automatic differentiation of NumPy programs."""

from adcompiler.api import check_grad, differentiable, grad, value_and_grad
from adcompiler.errors import DifferentiationError, GradientError, UnsupportedError

__all__ = [
    "DifferentiationError",
    "GradientError",
    "UnsupportedError",
    "check_grad",
    "differentiable",
    "grad",
    "value_and_grad",
]
