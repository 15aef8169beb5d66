"""Source-transformation automatic differentiation of NumPy programs."""

import rules

if getattr(rules, "ADCOMPILER_RULES", None) != 1:
    found = getattr(rules, "__file__", None) or list(getattr(rules, "__path__", []))
    raise ImportError(
        f"the package `rules` that was found, {found}, is not the one that belongs to adcompiler: a file rules.py, "
        "a folder rules or another distribution of that name hides it; rename it or take it off the path"
    )

from adcompiler.ahead import compile_module
from adcompiler.api import check_grad, differentiable, grad, jvp, release, value_and_grad, vjp
from adcompiler.dispatch import debug_nans
from adcompiler.errors import DifferentiationError, GradientError, UnsupportedError
from adcompiler.inside import checkpoint, cotangent, stop_gradient
from rules import Like, Scratch, borrows, nondifferentiable, primitive, rule
from rules.testing import check_rule

__all__ = [
    "DifferentiationError",
    "GradientError",
    "Like",
    "Scratch",
    "UnsupportedError",
    "borrows",
    "check_grad",
    "check_rule",
    "checkpoint",
    "compile_module",
    "cotangent",
    "debug_nans",
    "differentiable",
    "grad",
    "jvp",
    "nondifferentiable",
    "primitive",
    "release",
    "rule",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
