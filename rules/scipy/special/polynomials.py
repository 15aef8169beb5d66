"""Orthogonal polynomials by their argument: DLMF 18.9.15 to 18.9.28.

Of degree n the derivative is one of degree n - 1 of another family: of Legendre's and of Chebyshev's it is one of
Gegenbauer's. Those are symmetric in the degree, so that SciPy has them of negative degrees too. A degree that is no
integer is refused.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from rules.kind import KindError, kind_of
from rules.kind import elementwise as kind_of_ufunc
from rules.operands import is_constant
from rules.rule import partials

DEGREE = "the degree is an integer"
PARAMETER = "the derivative by a parameter has no closed form that is short"


def _below(n: Any) -> Any:
    """The degree n - 1, and 0 for the degree 0, whose derivative is 0 whatever stands there."""
    return (n - 1 if n else 0) if is_constant(n) else np.where(n == 0, n, n - 1)


def _unless_constant(n: Any, slope: Any) -> Any:
    return slope * (n != 0)


def _gegenbauer(n: Any, alpha: Any, x: Any) -> Any:
    """The derivative of C_n with parameter alpha - 1, divided by 2 (alpha - 1)."""
    return _unless_constant(n, special.eval_gegenbauer(_below(n), alpha, x))


def _of_legendre(n: Any, x: Any) -> Any:
    return _gegenbauer(np.maximum(n, -1 - n), 1.5, x)


def _of_second_kind(n: Any, x: Any) -> Any:
    return np.sign(n + 1) * (2 * _gegenbauer(np.maximum(np.abs(n + 1) - 1, 0), 2.0, x))


def _of_first_kind(n: Any, x: Any) -> Any:
    m = np.abs(n)
    return m * special.eval_chebyu(np.maximum(m - 1, 0), x)


def _serve(name: str, parameters: str, slope: Callable[..., Any]) -> None:
    """The rule of `special.eval_<name>`: `slope` is the derivative by x, of all arguments."""
    function = getattr(special, f"eval_{name}")

    def kind(*operands: Any) -> Any:
        if kind_of(operands[0]).dtype.kind not in "iu":
            raise KindError(f"special.eval_{name} of a degree that is no integer is not supported", "give it an int")
        return kind_of_ufunc(function, *operands)

    names = parameters.split()
    partials(f"y = eval_{name}({', '.join(('n', *names, 'x'))})", function, kind=kind,
             by={"x": lambda d, *arguments: d * slope(*arguments[:-1])},
             reasons={"n": DEGREE} | dict.fromkeys(names, PARAMETER))  # fmt: skip


_serve("legendre", "", _of_legendre)
_serve("chebyt", "", _of_first_kind)
_serve("chebyu", "", _of_second_kind)
_serve("chebyc", "", lambda n, x: _of_first_kind(n, 0.5 * x))
_serve("chebys", "", lambda n, x: 0.5 * _of_second_kind(n, 0.5 * x))
_serve("sh_legendre", "", lambda n, x: 2 * _of_legendre(n, 2 * x - 1))
_serve("sh_chebyt", "", lambda n, x: 2 * _of_first_kind(n, 2 * x - 1))
_serve("sh_chebyu", "", lambda n, x: 2 * _of_second_kind(n, 2 * x - 1))
_serve("hermite", "", lambda n, x: 2 * n * special.eval_hermite(np.maximum(n - 1, 0), x))
_serve("hermitenorm", "", lambda n, x: n * special.eval_hermitenorm(np.maximum(n - 1, 0), x))
_serve("laguerre", "", lambda n, x: -_unless_constant(n, special.eval_genlaguerre(_below(n), 1.0, x)))
_serve("genlaguerre", "alpha", lambda n, a, x: -_unless_constant(n, special.eval_genlaguerre(_below(n), a + 1, x)))
_serve("gegenbauer", "alpha", lambda n, a, x: 2 * a * _gegenbauer(n, a + 1, x))
_serve("jacobi", "alpha beta", lambda n, a, b, x: _unless_constant(
    n, 0.5 * (n + a + b + 1) * special.eval_jacobi(_below(n), a + 1, b + 1, x)))  # fmt: skip
_serve("sh_jacobi", "p q", lambda n, p, q, x: n * special.eval_sh_jacobi(_below(n), p + 2, q + 1, x))
