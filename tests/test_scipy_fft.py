"""Programs that call `scipy.fft`."""

import numpy as np
import pytest
from scipy import fft
from scipy.fft import irfft, rfft

from adcompiler import UnsupportedError, check_grad, grad

X, W = np.sin(np.arange(6.0) ** 2), np.array([1.0, 0.5, 0.25, 0.1])


def filtered(x, w):
    return np.sum(irfft(rfft(x) * w, len(x)) ** 3)


def power(x, d):
    f = fft.fftfreq(len(x), d)
    return np.sum(np.abs(fft.fft(x, norm="ortho")) ** 2 * f**2)


def padded(x):
    return np.sum(np.abs(fft.rfft(x, fft.next_fast_len(13), workers=1)) ** 2)


@pytest.mark.parametrize("f, args", [(filtered, (X, W)), (power, (X, 0.3)), (padded, (X,))])
def test_gradient(f, args):
    check_grad(f, *args, argnums=tuple(range(len(args))))


def test_refusals():
    for f in (lambda x: np.sum(fft.dct(x)), lambda x: np.sum(np.real(fft.fft(x, overwrite_x=True)))):
        with pytest.raises(UnsupportedError, match="its rule is not written yet|overwrite_x=True lets"):
            grad(f)(X)
