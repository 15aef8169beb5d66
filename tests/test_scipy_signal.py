"""Programs that call `scipy.signal` and `scipy.ndimage`: all modes, derivatives of derivatives, refusals."""

import numpy as np
import pytest
from scipy import ndimage, signal

from adcompiler import UnsupportedError, check_grad, differentiable, grad, jvp, value_and_grad, vjp
from adcompiler.ahead import compile_module

RNG = np.random.default_rng(0)
X, H, IMAGE, K = RNG.normal(size=12), RNG.normal(size=3), RNG.normal(size=(5, 6)), RNG.normal(size=(3, 3))


def deconvolution(x, h, y):
    """The misfit of a signal through an unknown filter, in two ways."""
    r = signal.fftconvolve(x, h, mode="same") - y
    return np.sum(r * r) + np.sum(signal.correlate(x, h, "valid", method="direct") ** 3)


def resonator(r, w, x):
    y = signal.lfilter([1.0 - r], np.array([1.0, -2.0 * r * np.cos(w), r * r]), x)
    return np.sum(y * y)


def by_blocks(b, a, x, z):
    """A filter that goes on from block to block with its state."""
    total = 0.0
    for k in range(3):
        y, z = signal.lfilter(b, a, x[4 * k : 4 * k + 4], zi=z)
        total += np.sum(y * y)
    return total + np.sum(z)


def spectrum(x):
    y = signal.detrend(x) * signal.windows.hann(len(x)) * signal.get_window("hamming", 12)
    envelope = np.abs(signal.hilbert(signal.savgol_filter(y, 5, 2)))
    return np.sum(envelope**2) + np.sum(signal.sosfilt(np.array([[1.0, 0.2, 0.1, 1.0, -0.5, 0.2]]), y) ** 2)


def sections(sos, x):
    for s in sos:
        x = signal.lfilter(s[:3], s[3:], x)
    return np.sum(x * x)


def both_ways(b, a, x):
    """Forwards and backwards, from steady states."""
    y = signal.filtfilt(b, a, x[:11], padlen=4) + signal.filtfilt(b, a, x[:11], padtype="even")
    z, _ = signal.lfilter(b, a, x, zi=signal.lfilter_zi(b, a) * x[0])
    return np.sum(y * y) + np.sum(z**3)


def network(image, k, bias):
    z = np.tanh(signal.convolve2d(image, k, mode="valid") + bias)
    return np.sum(ndimage.convolve(z, k, mode="wrap") ** 2) + np.sum(ndimage.correlate1d(z, k[0], axis=0) ** 2)


def blurred(image, sigma):
    y = ndimage.gaussian_filter(image, sigma, mode="nearest")
    edges = ndimage.sobel(y, axis=0) ** 2 + ndimage.sobel(y, 1) ** 2 + ndimage.laplace(y)
    return np.sum(np.sqrt(1.0 + edges)) + np.sum(ndimage.uniform_filter(image, (3, 2)) ** 3)


PROGRAMS = [
    (deconvolution, (X, H, np.cos(X)), (0, 1, 2)),
    (resonator, (0.8, 1.1, X), (0, 1, 2)),
    (by_blocks, (H, np.array([1.2, -0.5]), X, H[:2]), (0, 1, 2, 3)),
    (both_ways, (H, np.array([1.2, -0.5]), X), (0, 1, 2)),
    (spectrum, (X,), 0),
    (sections, (np.array([[1.0, 0.2, 0.1, 1.0, -0.5, 0.2], [0.5, 0.3, 0.0, 1.1, 0.1, 0.0]]), X), (0, 1)),
    (network, (IMAGE, K, 0.3), (0, 1, 2)),
    (blurred, (IMAGE, 0.8), 0),
]


@pytest.mark.parametrize("f, args, argnums", PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_gradient(f, args, argnums):
    check_grad(f, *args, argnums=argnums)
    np.testing.assert_allclose(value_and_grad(f)(*args)[0], f(*args), rtol=1e-13)


def test_forward_and_reverse_mode_agree():
    for f, args, argnums in (PROGRAMS[2], PROGRAMS[6]):
        moved = tuple(np.cos(np.arange(np.size(a))).reshape(np.shape(a)) for a in args)
        _, t = jvp(f, args, moved)
        gradients = grad(f, argnums=argnums)(*args)
        np.testing.assert_allclose(t, sum(np.sum(g * m) for g, m in zip(gradients, moved)), rtol=1e-10)


def test_second_derivatives():
    for f, args, _ in (PROGRAMS[1], PROGRAMS[6]):
        check_grad(lambda a, b, c: np.sum(grad(f, argnums=1)(a, b, c) ** 2), *args, argnums=(0, 1))


def test_the_pullback_of_a_convolution_is_its_matrix_transposed():
    matrix = np.array([signal.convolve(e, H, "same") for e in np.eye(5)])
    _, pullback = vjp(lambda x: signal.convolve(x, H, mode="same"), X[:5])
    np.testing.assert_allclose(pullback(X[5:10])[0], matrix @ X[5:10], rtol=1e-12)


def test_complex_signals():
    z = X[:6] + 1j * X[6:]
    check_grad(lambda z, h: np.sum(np.abs(signal.correlate(z, h * z[:3], "same")) ** 2), z, H)
    check_grad(lambda z, h: np.sum(np.abs(signal.lfilter(h, [1.0, 0.3j], z)) ** 2), z, H)
    check_grad(lambda z, w: np.sum(np.abs(ndimage.correlate1d(z, w * z[:3])) ** 2), z, H)


def test_single_precision_stays():
    f = lambda x, h: np.sum(signal.fftconvolve(x, h) ** 2) + np.sum(signal.lfilter(h, h, x)) + np.sum(
        ndimage.gaussian_filter(signal.savgol_filter(x, 5, 1), 1.0) ** 2)  # fmt: skip
    assert [g.dtype for g in grad(f, argnums=(0, 1))(X.astype("f4"), np.array([1, 0.5], "f4"))] == ["f4", "f4"]


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda x: signal.convolve(x, x[None]), "signal.convolve takes two arrays of one rank"),
        (lambda x: signal.convolve(x[:0], x), "signal.convolve of nothing has another shape"),
        (lambda x: signal.convolve2d(x[None], x[None], boundary="wrap"), "signal.convolve2d is supported with zeros"),
        (lambda x: signal.correlate2d(x[None], x[None], "same"), 'signal.correlate2d with mode="same" is not'),
        (lambda x: signal.sosfilt(x[None, :6], x), "for s in sos: x = signal.lfilter(s[:3], s[3:], x)"),
        (lambda x: signal.detrend(x, overwrite_data=True), "overwrite_data=True lets signal.detrend write"),
        (lambda x: signal.sosfiltfilt(x[None, :6], x), "sosfiltfilt has no rule: "),
        (lambda x: signal.filtfilt(x[:2], [1.0], x, method="gust"), "with method='gust' is not supported"),
        (lambda x: signal.windows.kaiser(5, x[0]), "kaiser has no rule: "),
        (lambda x: ndimage.gaussian_filter(x, x[0]), "how many pixels a Gaussian reaches changes by jumps"),
        (lambda x: ndimage.correlate(x, x, mode="constant", cval=x[0]), "put the values around the image yourself"),
        (lambda x: ndimage.zoom(x, 2.0), "ndimage.zoom has no rule: its interpolation by splines has no transpose"),
        (lambda x: ndimage.uniform_filter(x, output=np.float32), "ndimage.uniform_filter with output is not supported"),
    ],
)
def test_what_has_no_derivative_is_refused_with_the_reason(f, words):
    with pytest.raises(UnsupportedError) as caught:
        grad(lambda x: np.sum(f(x)))(X)
    assert words in " ".join(str(caught.value).split())


def test_weights_that_scipy_lets_read_before_an_image_are_an_error():
    with pytest.raises(ValueError, match="is wrong where weights reach more than four times the length"):
        grad(lambda x, w: np.sum(ndimage.correlate(x, w, origin=4)))(X[:2], X[:9])


def test_a_module_ahead_of_time(tmp_path, monkeypatch):
    file = tmp_path / "spectrum_grad.py"
    text = compile_module(differentiable(spectrum), file, signatures=("f64[n]",))
    assert "import scipy.signal as signal\n" in text and "import scipy.signal.windows as windows\n" in text
    monkeypatch.syspath_prepend(tmp_path)
    found = __import__("spectrum_grad").spectrum_grad(X)
    np.testing.assert_allclose(found, grad(spectrum)(X), rtol=1e-12)
