"""Rules for `scipy.fft`: those of `np.fft`, which computes the same in the same precision.

A cotangent is transformed by NumPy. `overwrite_x=True` is refused; how many `workers` there are changes no result.
"""

from typing import Any

from scipy import fft as scipy_fft

from rules.kind import KindError, Num
from rules.numpy import fourier
from rules.rule import Like, nondifferentiable, rule, unsupported


def _kept(overwrite_x: Any) -> None:
    if overwrite_x:
        raise KindError("overwrite_x=True lets a transform write into its argument", "leave it out")


# ------------------------------------------------------------------------------------------- of one axis
@rule("y = fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None)", scipy_fft.fft)
class fft:
    static = "norm overwrite_x workers"

    def kind(x, n, axis, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.fft.kind(x, n, axis, norm)

    def d_x(d_y, x: Like, n, axis, norm): return fourier.fft.d_a(d_y, x, n, axis, norm)
    def t_y(t_x, n, axis, norm): return fourier.fft.t_y(t_x, n, axis, norm)


@rule("y = ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None)", scipy_fft.ifft)
class ifft:
    static = "norm overwrite_x workers"

    def kind(x, n, axis, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.ifft.kind(x, n, axis, norm)

    def d_x(d_y, x: Like, n, axis, norm): return fourier.ifft.d_a(d_y, x, n, axis, norm)
    def t_y(t_x, n, axis, norm): return fourier.ifft.t_y(t_x, n, axis, norm)


@rule("y = rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None)", scipy_fft.rfft)
class rfft:
    static = "norm overwrite_x workers"

    def kind(x, n, axis, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.rfft.kind(x, n, axis, norm)

    def d_x(d_y, x: Like, n, axis, norm): return fourier.rfft.d_a(d_y, x, n, axis, norm)
    def t_y(t_x, n, axis, norm): return fourier.rfft.t_y(t_x, n, axis, norm)


@rule("y = irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None)", scipy_fft.irfft)
class irfft:
    static = "norm overwrite_x workers"

    def kind(x, n, axis, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.irfft.kind(x, n, axis, norm)

    def d_x(d_y, x: Like, n, axis, norm): return fourier.irfft.d_a(d_y, x, n, axis, norm)
    def t_y(t_x, n, axis, norm): return fourier.irfft.t_y(t_x, n, axis, norm)


@rule("y = hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None)", scipy_fft.hfft)
class hfft:
    static = "norm overwrite_x workers"

    def kind(x, n, axis, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.hfft.kind(x, n, axis, norm)

    def d_x(d_y, x: Like, n, axis, norm): return fourier.hfft.d_a(d_y, x, n, axis, norm)
    def t_y(t_x, n, axis, norm): return fourier.hfft.t_y(t_x, n, axis, norm)


@rule("y = ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None)", scipy_fft.ihfft)
class ihfft:
    static = "norm overwrite_x workers"

    def kind(x, n, axis, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.ihfft.kind(x, n, axis, norm)

    def d_x(d_y, x: Like, n, axis, norm): return fourier.ihfft.d_a(d_y, x, n, axis, norm)
    def t_y(t_x, n, axis, norm): return fourier.ihfft.t_y(t_x, n, axis, norm)


# ------------------------------------------------------------------------------------------- of several
@rule("y = fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None)", scipy_fft.fft2)
class fft2:
    static = "norm overwrite_x workers"

    def kind(x, s, axes, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.fft2.kind(x, s, axes, norm)

    def d_x(d_y, x: Like, s, axes, norm): return fourier.fft2.d_a(d_y, x, s, axes, norm)
    def t_y(t_x, s, axes, norm): return fourier.fft2.t_y(t_x, s, axes, norm)


@rule("y = ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None)", scipy_fft.ifft2)
class ifft2:
    static = "norm overwrite_x workers"

    def kind(x, s, axes, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.ifft2.kind(x, s, axes, norm)

    def d_x(d_y, x: Like, s, axes, norm): return fourier.ifft2.d_a(d_y, x, s, axes, norm)
    def t_y(t_x, s, axes, norm): return fourier.ifft2.t_y(t_x, s, axes, norm)


@rule("y = rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None)", scipy_fft.rfft2)
class rfft2:
    static = "norm overwrite_x workers"

    def kind(x, s, axes, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.rfft2.kind(x, s, axes, norm)

    def d_x(d_y, x: Like, s, axes, norm): return fourier.rfft2.d_a(d_y, x, s, axes, norm)
    def t_y(t_x, s, axes, norm): return fourier.rfft2.t_y(t_x, s, axes, norm)


@rule("y = irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None)", scipy_fft.irfft2)
class irfft2:
    static = "norm overwrite_x workers"

    def kind(x, s, axes, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.irfft2.kind(x, s, axes, norm)

    def d_x(d_y, x: Like, s, axes, norm): return fourier.irfft2.d_a(d_y, x, s, axes, norm)
    def t_y(t_x, s, axes, norm): return fourier.irfft2.t_y(t_x, s, axes, norm)


@rule("y = fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None)", scipy_fft.fftn)
class fftn:
    static = "norm overwrite_x workers"

    def kind(x, s, axes, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.fftn.kind(x, s, axes, norm)

    def d_x(d_y, x: Like, s, axes, norm): return fourier.fftn.d_a(d_y, x, s, axes, norm)
    def t_y(t_x, s, axes, norm): return fourier.fftn.t_y(t_x, s, axes, norm)


@rule("y = ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None)", scipy_fft.ifftn)
class ifftn:
    static = "norm overwrite_x workers"

    def kind(x, s, axes, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.ifftn.kind(x, s, axes, norm)

    def d_x(d_y, x: Like, s, axes, norm): return fourier.ifftn.d_a(d_y, x, s, axes, norm)
    def t_y(t_x, s, axes, norm): return fourier.ifftn.t_y(t_x, s, axes, norm)


@rule("y = rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None)", scipy_fft.rfftn)
class rfftn:
    static = "norm overwrite_x workers"

    def kind(x, s, axes, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.rfftn.kind(x, s, axes, norm)

    def d_x(d_y, x: Like, s, axes, norm): return fourier.rfftn.d_a(d_y, x, s, axes, norm)
    def t_y(t_x, s, axes, norm): return fourier.rfftn.t_y(t_x, s, axes, norm)


@rule("y = irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None)", scipy_fft.irfftn)
class irfftn:
    static = "norm overwrite_x workers"

    def kind(x, s, axes, norm, overwrite_x):
        _kept(overwrite_x)
        return fourier.irfftn.kind(x, s, axes, norm)

    def d_x(d_y, x: Like, s, axes, norm): return fourier.irfftn.d_a(d_y, x, s, axes, norm)
    def t_y(t_x, s, axes, norm): return fourier.irfftn.t_y(t_x, s, axes, norm)


# -------------------------------------------------------------------------------------------- the order
@rule("y = fftshift(x, axes=None)", scipy_fft.fftshift)
class fftshift:
    def kind(x): return fourier.fftshift.kind(x)
    def d_x(d_y, axes): return fourier.fftshift.d_x(d_y, axes)
    def t_y(t_x, axes): return fourier.fftshift.t_y(t_x, axes)


@rule("y = ifftshift(x, axes=None)", scipy_fft.ifftshift)
class ifftshift:
    def kind(x): return fourier.ifftshift.kind(x)
    def d_x(d_y, axes): return fourier.ifftshift.d_x(d_y, axes)
    def t_y(t_x, axes): return fourier.ifftshift.t_y(t_x, axes)


@rule("f = fftfreq(n, d=1.0)", scipy_fft.fftfreq)
class fftfreq:
    def kind(n, d): return fourier.fftfreq.kind(n, d)
    def d_d(d_f, f, d): return fourier.fftfreq.d_d(d_f, f, d)
    def t_f(f, d, t_d): return fourier.fftfreq.t_f(f, d, t_d)


@rule("f = rfftfreq(n, d=1.0)", scipy_fft.rfftfreq)
class rfftfreq:
    def kind(n, d): return fourier.rfftfreq.kind(n, d)
    def d_d(d_f, f, d): return fourier.rfftfreq.d_d(d_f, f, d)
    def t_f(f, d, t_d): return fourier.rfftfreq.t_f(f, d, t_d)


nondifferentiable("n = next_fast_len(target, real=False)", scipy_fft.next_fast_len, kind=lambda: Num(int))
if hasattr(scipy_fft, "prev_fast_len"):  # of SciPy 1.14
    nondifferentiable("n = prev_fast_len(target, real=False)", scipy_fft.prev_fast_len, kind=lambda: Num(int))

unsupported(scipy_fft.dct, scipy_fft.dctn, scipy_fft.dst, scipy_fft.dstn, scipy_fft.idct, scipy_fft.idctn,
            scipy_fft.idst, scipy_fft.idstn, scipy_fft.hfft2, scipy_fft.hfftn, scipy_fft.ihfft2, scipy_fft.ihfftn,
            scipy_fft.fht, scipy_fft.ifht, scipy_fft.fhtoffset, why="its rule is not written yet")  # fmt: skip
unsupported(scipy_fft.get_workers, scipy_fft.set_workers, scipy_fft.set_backend, scipy_fft.skip_backend,
            scipy_fft.register_backend, scipy_fft.set_global_backend,
            why="it sets how transforms are computed; call it outside of what is differentiated")  # fmt: skip
