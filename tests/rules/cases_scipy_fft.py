"""`scipy.fft`: fewer forms than of `np.fft`, whose rules serve it."""

from scipy import fft as sf

from tests.rules.case import case, normal

V, M, C = normal(6), normal(3, 5), normal(2, 3, 4) + 1j * normal(2, 3, 4, seed=2)

CASES = [
    *[case(f, C, **how) for f in (sf.fft, sf.ifft, sf.irfft, sf.hfft)
      for how in ({}, {"n": 3, "axis": 1, "norm": "forward", "workers": 1})],
    *[case(f, M, **how) for f in (sf.rfft, sf.ihfft) for how in ({}, {"n": 4, "axis": 0, "norm": "ortho"})],
    *[case(f, C, **how) for f in (sf.fft2, sf.ifft2, sf.irfft2, sf.fftn, sf.ifftn, sf.irfftn)
      for how in ({}, {"s": (2, 5), "axes": (0, 2), "norm": "forward"})],
    *[case(f, C.real, **how) for f in (sf.rfft2, sf.rfftn)
      for how in ({}, {"s": (4, 3), "axes": (0, 1), "norm": "ortho"})],
    *[case(f, M, axes=k) for f in (sf.fftshift, sf.ifftshift) for k in (None, 0)],
    *[case(f, 5, d=0.3) for f in (sf.fftfreq, sf.rfftfreq)],
    case(sf.next_fast_len, 7),
]
