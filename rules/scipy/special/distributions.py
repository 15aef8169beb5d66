"""Distribution functions by their argument: chi squared, gamma and Student's t; that of Poisson by the mean.

They are incomplete gamma functions, whose derivative is what is integrated, as that of Student's is the density.
"""

import math
from typing import Any

import numpy as np
from scipy import special

from rules.cotangent import strong
from rules.operands import is_constant
from rules.rule import partials
from rules.scipy.special.incomplete import NO_CLOSED_FORM, gamma_density


def _chi_squared(v: Any, x: Any) -> Any:
    return 0.5 * gamma_density(0.5 * v - 1, 0.5 * v, 0.5 * x)


def _gamma(b: Any, u: Any) -> Any:
    return gamma_density(b - 1, b, u)


def _student(df: Any, t: Any) -> Any:
    half = 0.5 * (df + 1)
    log = special.gammaln(half) - special.gammaln(0.5 * df) - half * np.log1p(t * t / df)
    return np.exp(log) / np.sqrt(math.pi * df)


def _poisson(k: Any, m: Any) -> Any:
    j = float(math.floor(k)) if is_constant(k) else np.floor(k)
    return gamma_density(j, j + 1, m)


for _f, _sign in ((special.chdtr, 1), (special.chdtrc, -1)):
    partials(f"y = {_f.__name__}(v, x)", _f, reasons={"v": NO_CLOSED_FORM},
             by={"x": lambda d, v, x, y, sign=_sign: strong(d, sign * _chi_squared(v, x))})  # fmt: skip
for _f, _sign in ((special.gdtr, 1), (special.gdtrc, -1)):
    partials(f"y = {_f.__name__}(a, b, x)", _f, reasons={"b": NO_CLOSED_FORM},
             by={"a": lambda d, a, b, x, y, sign=_sign: strong(d * x, sign * _gamma(b, a * x)),
                 "x": lambda d, a, b, x, y, sign=_sign: strong(d * a, sign * _gamma(b, a * x))})  # fmt: skip
for _f, _sign in ((special.pdtr, -1), (special.pdtrc, 1)):
    partials(f"y = {_f.__name__}(k, m)", _f, reasons={"k": "it is a count"},
             by={"m": lambda d, k, m, y, sign=_sign: d * (sign * _poisson(k, m))})  # fmt: skip
partials("y = stdtr(df, t)", special.stdtr, reasons={"df": NO_CLOSED_FORM},
         by={"t": lambda d, df, t, y: d * _student(df, t)})  # fmt: skip
