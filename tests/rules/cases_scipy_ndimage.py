"""`scipy.ndimage`: also with weights that are longer than the image, which is then read more than once."""

from scipy import ndimage

from rules.scipy.ndimage.correlations import MODES, uncorrelate, weight_products
from rules.scipy.ndimage.smoothing import undifferences, ungaussian, ununiform
from tests.rules.case import case, normal

X, W, V = normal(3, 4), normal(3, 2), normal(3)
BOTH = {"skip": "empty broadcast numbers scalars zero-dim"}
ONE = {"skip": "numbers scalars zero-dim"}

CASES = [
    *[case(f, normal(4), normal(n), mode=m, cval=0.7, origin=o).but(wrt="input weights", **BOTH)
      for m in MODES for f, n, o in ((ndimage.correlate, 4, 1), (ndimage.convolve1d, 3, 0))],
    *[case(ndimage.correlate1d, normal(2), normal(7), mode=m).but(wrt="input weights", **BOTH) for m in MODES],
    *[case(f, X, W, mode=m, origin=o).but(wrt="input weights", **BOTH)
      for f in (ndimage.correlate, ndimage.convolve) for m, o in (("mirror", (-1, 0)), ("constant", 0))],
    *[case(f, X, V, axis=k, origin=o).but(wrt="input weights", **BOTH)
      for f in (ndimage.correlate1d, ndimage.convolve1d) for k, o in ((0, 1), (-1, 0))],
    *[case(uncorrelate, X, V, "wrap", o, 1, c).but(wrt="d weights", **BOTH) for o, c in ((0, False), (1, True))],
    *[case(weight_products, X, X + 1, V, "constant", 0.3, 0, 1, c).but(wrt="d x", **BOTH) for c in (False, True)],
    *[case(ndimage.gaussian_filter, X, 0.8, mode=m, cval=2.0).but(wrt="input", **ONE) for m in MODES],
    case(ndimage.gaussian_filter, X, (0.5, 1.2), order=(0, 1), mode=("wrap", "nearest"),
         truncate=2.0).but(wrt="input", **ONE),
    case(ndimage.gaussian_filter, X, 0.5, axes=(-1,), radius=2).but(wrt="input", **ONE),
    *[case(ndimage.gaussian_filter1d, X, 0.7, axis=0, order=k).but(wrt="input", **ONE) for k in (0, 2)],
    case(ungaussian, X, 0.7, 1, "mirror").but(wrt="d", **ONE),
    *[case(ndimage.uniform_filter, X, (2, 3), mode=m, origin=(0, 1)).but(**ONE) for m in MODES],
    case(ndimage.uniform_filter, X, mode="constant", cval=1.0, axes=1).but(wrt="input", **ONE),
    case(ndimage.uniform_filter1d, X, 4, axis=0, mode="wrap", origin=-1).but(**ONE),
    case(ununiform, X, 3, "nearest").but(**ONE),
    *[case(f, X, axis=k, mode=m).but(**ONE)
      for f in (ndimage.sobel, ndimage.prewitt) for k, m in ((0, "nearest"), (-1, "wrap"))],
    *[case(ndimage.laplace, X, mode=m).but(**ONE) for m in ("reflect", "mirror", "constant")],
    *[case(undifferences, X, n).but(**ONE) for n in ("sobel", "prewitt", "laplace")],
]
