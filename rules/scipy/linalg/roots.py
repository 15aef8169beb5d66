"""Square roots and logarithms of matrices, and trigonometric functions of them.

The derivative E of Y = sqrt(A) solves Y E + E Y = dA; that of the others at A along dA is the upper right block of the
function at [[A, dA], [0, A]], and its adjoint is the same at A^T (Higham, "Functions of Matrices", theorem 3.6).
"""

from functools import cache
from typing import Any

import numpy as np
from scipy import linalg

from rules.kind import Array, KindError
from rules.numpy.matrices import transposed, working
from rules.rule import primitive, recorded, rule
from rules.scipy.linalg.arguments import single
from rules.scipy.linalg.matrix_functions import corner, twofold


@primitive
def function_along(A: Any, E: Any, name: str) -> Any:
    """The derivative at A along E of the function of this name in `scipy.linalg`."""
    M = twofold.__wrapped__(A, E, A)
    return corner.__wrapped__(getattr(linalg, name)(M), A, 0, 1)


@cache
def _dtype(name: str, *dtypes: np.dtype[Any]) -> np.dtype[Any]:
    return getattr(linalg, name)(np.eye(1, dtype=np.result_type(*dtypes))).dtype


@rule("Y = function_along(A, E, name)", function_along)
class function_along_rule:
    """As the corner of a function; A stands in two of its blocks."""

    static = "name"
    def kind(A, E, name): return Array(_dtype(name, A.dtype, E.dtype), A.shape, A.xp)
    def d_E(d_Y, A, name): return function_along(transposed(A), d_Y, name)

    def d_A(d_Y, A, E, name):
        zeros = np.zeros_like(d_Y)
        d = function_along(transposed(twofold(A, E, A)), twofold(zeros, d_Y, zeros), name)
        return corner(d, A, 0, 0) + corner(d, A, 1, 1)

    def t_Y(A, E, name, t_A, t_E):
        t = function_along(twofold(A, E, A), twofold(t_A, np.zeros_like(A), t_A), name)
        return function_along(A, t_E, name) + corner(t, A, 0, 1)


def _complex(A: Any, name: str) -> Array:
    """The kind of a complex matrix; of a real one the result is real or complex as its eigenvalues are."""
    if single(A, name).dtype.kind != "c":
        raise KindError(f"linalg.{name} of a real matrix is not supported: whether the result is real changes with the "
                        "values", f"make it complex: linalg.{name}(A.astype(complex)), and take np.real where it is")
    return A


@rule("Y = sqrtm(A)", linalg.sqrtm)
class sqrtm:
    """The principal square root, of a matrix without eigenvalues that are 0 or negative."""

    def kind(A): return Array(_dtype("sqrtm", _complex(A, "sqrtm").dtype), A.shape, A.xp)
    def d_A(d_Y, Y): return recorded(linalg.solve_sylvester, Y.T, Y.T, d_Y)
    def t_Y(Y, t_A): return recorded(linalg.solve_sylvester, Y, Y, t_A)


@rule("Y = logm(A)", linalg.logm)
class logm:
    """The principal logarithm, of a matrix without eigenvalues that are 0 or negative."""

    def kind(A): return Array(_dtype("logm", _complex(A, "logm").dtype), A.shape, A.xp)
    def d_A(d_Y, A): return function_along(A.T, d_Y, "logm")
    def t_Y(A, t_A): return function_along(A, t_A, "logm")


def _serve(name: str) -> None:
    @rule(f"Y = {name}(A)", getattr(linalg, name))
    class function:
        def kind(A): return Array(_dtype(name, working(single(A, name))), A.shape, A.xp)
        def d_A(d_Y, A): return function_along(A.T, d_Y, name)
        def t_Y(A, t_A): return function_along(A, t_A, name)


for _name in ("sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm"):
    _serve(_name)
