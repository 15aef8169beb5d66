"""Faddeeva's function w(z) = exp(-z**2) erfc(-iz), Voigt's profile, Owen's T and the inverse of log Phi.

w(z) is erfcx(-iz), whose derivatives are good far from 0 too. Voigt's profile is the real part of w at
(x + i gamma) / (sigma sqrt(2)) by sigma sqrt(2 pi): DLMF 7.19.
"""

import math
from typing import Any

import numpy as np
from scipy import special

from rules.rule import elementwise, partials
from rules.scipy.special.error_functions import ROOT_TWO_PI, density_by_distribution, erfcx_slope

ROOT_HALF = math.sqrt(0.5)

elementwise("y = wofz(z)", special.wofz, derivative=lambda z: -1j * erfcx_slope(-1j * z, 1))


def _of_profile(x: Any, sigma: Any, gamma: Any) -> tuple[Any, Any]:
    """z, and w'(z) by what z and the profile are divided by: sigma sqrt(2) and sigma sqrt(2 pi)."""
    z = (x + 1j * gamma) * (ROOT_HALF / sigma)
    return z, -1j * erfcx_slope(-1j * z, 1) * (ROOT_HALF / (ROOT_TWO_PI * sigma * sigma))


def _by_sigma(d: Any, x: Any, sigma: Any, gamma: Any, y: Any) -> Any:
    z, slope = _of_profile(x, sigma, gamma)
    return d * (-y / sigma - np.real(slope * z) / ROOT_HALF)


partials("y = voigt_profile(x, sigma, gamma)", special.voigt_profile, by={
    "x": lambda d, x, sigma, gamma, y: d * np.real(_of_profile(x, sigma, gamma)[1]),
    "sigma": _by_sigma,
    "gamma": lambda d, x, sigma, gamma, y: d * -np.imag(_of_profile(x, sigma, gamma)[1]),
})  # fmt: skip


def _by_slope(d: Any, h: Any, a: Any, y: Any) -> Any:
    square = 1 + a * a
    return d * (np.exp(-0.5 * h * h * square) / (2 * math.pi * square))


partials("y = owens_t(h, a)", special.owens_t, by={
    "h": lambda d, h, a, y: d * (-0.5 / ROOT_TWO_PI * np.exp(-0.5 * h * h) * special.erf(ROOT_HALF * a * h)),
    "a": _by_slope,
})  # fmt: skip


def _of_quantile(y: Any, x: Any) -> Any:
    """Phi(x) / phi(x), which is exp(y) / phi(x)."""
    below = 1 / density_by_distribution(np.minimum(x, 0.0))
    above = np.maximum(x, 0.0)
    return np.where(x < 0, below, ROOT_TWO_PI * np.exp(y + 0.5 * above * above))


elementwise("x = ndtri_exp(y)", special.ndtri_exp, derivative=lambda y, x: _of_quantile(y, x))
