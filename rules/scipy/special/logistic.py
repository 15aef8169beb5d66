"""The logistic function, its logarithm and its inverse."""

import numpy as np
from scipy import special

from rules.kind import elementwise as kind_of_ufunc
from rules.rule import elementwise, rule

elementwise("y = expit(x)", special.expit, derivative=lambda y: y * (1 - y), infinite_at_pole=False)
elementwise("y = log_expit(x)", special.log_expit, derivative=lambda x: special.expit(-x), infinite_at_pole=False)
elementwise("y = logit(x)", special.logit, derivative=lambda x: 1 / (x * (1 - x)))

if hasattr(special, "softplus"):  # of SciPy 1.15

    @rule("y = softplus(x)", special.softplus)
    class softplus:
        def kind(x): return kind_of_ufunc(np.logaddexp, x, 0.0)
        def d_x(d_y, x): return d_y * special.expit(x)
        def t_y(t_x, x): return t_x * special.expit(x)
