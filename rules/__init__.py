"""Derivative rules, and what generated code calls at run time. Needs NumPy alone."""

from rules.cotangent import accumulate, project, restack, scatter, spread, strong, strong_divide, zeros_like
from rules.rule import (
    Like,
    Rule,
    RuleError,
    Scratch,
    borrows,
    elementwise,
    find,
    find_method,
    nondifferentiable,
    partials,
    primitive,
    registry,
    rule,
    unsupported,
)  # fmt: skip
from rules.thunk import Thunk

#: Compiled modules and the compiler test this, so that a stranger's `rules` is told apart.
ADCOMPILER_RULES = 1

import rules.numpy  # noqa: E402
import rules.python  # noqa: E402, F401  (registers the rules; needs the names above)

__all__ = [
    "ADCOMPILER_RULES", "Like", "Rule", "RuleError", "Scratch", "Thunk", "accumulate", "borrows", "elementwise", "find",
    "find_method", "nondifferentiable", "partials", "primitive", "project", "registry", "restack", "rule", "scatter",
    "spread", "strong", "strong_divide", "unsupported", "zeros_like",
]  # fmt: skip
