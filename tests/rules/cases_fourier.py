"""`np.fft`: transforms of even and odd lengths, cut off and with zeros behind, along each axis, in each norm."""

import numpy as np

from rules.numpy.fourier import between, fitted
from tests.rules.case import case, normal

V, W, M = normal(6), normal(5), normal(3, 4)
C = normal(2, 3, 4) + 1j * normal(2, 3, 4, seed=2)

CASES = [
    *[case(f, a, **how) for f in (np.fft.fft, np.fft.ifft, np.fft.irfft, np.fft.hfft) for a, how in [
        (V, {}), (W, {"n": 8, "norm": "ortho"}), (C, {"n": 3, "axis": 1, "norm": "forward"}),
        (C, {"n": 2, "axis": -1, "norm": "backward"}), (C, {"axis": 0})]],
    *[case(f, a, **how) for f in (np.fft.rfft, np.fft.ihfft) for a, how in [
        (V, {}), (W, {}), (W, {"n": 8, "norm": "ortho"}), (M, {"n": 3, "axis": -1, "norm": "forward"}),
        (M, {"axis": 0, "norm": "backward"}), (M, {"n": 1})]],
    *[case(f, C, **how) for f in (np.fft.fft2, np.fft.ifft2, np.fft.irfft2) for how in [
        {}, {"s": (2, 5), "axes": (0, 2), "norm": "forward"}]],
    *[case(f, C, **how) for f in (np.fft.fftn, np.fft.ifftn, np.fft.irfftn) for how in [
        {"axes": (2, 0), "norm": "ortho"}, {"s": (4, 3), "axes": (0, 1), "norm": "forward"},
        {"s": (-1, 5), "axes": (0, 2)}]],
    *[case(f, C.real, **how) for f in (np.fft.rfft2, np.fft.rfftn) for how in [
        {}, {"axes": (2, 0), "norm": "ortho"}, {"s": (4, 3), "axes": (0, 1), "norm": "forward"},
        {"s": (-1, 5), "axes": (0, 2)}]],
    *[case(f, C, **how) for f in (np.fft.fftshift, np.fft.ifftshift) for how in [
        {}, {"axes": -1}, {"axes": (0, 1)}]],
    *[case(f, 5, d=0.3) for f in (np.fft.fftfreq, np.fft.rfftfreq)],
    *[case(fitted, M, like) for like in (np.zeros((3, 4)), np.zeros((2, 6)), np.zeros((2, 3)))],
    case(between, M + 1j, 0.5, 6),
    case(between, M + 1j, 2.0, 5, axis=0, conjugate=True),
]  # fmt: skip
