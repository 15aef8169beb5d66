"""What CuPy 13 has of NumPy's functions, and their parameters where it has fewer: as its documentation has them."""

#: The functions of `cupy` that are of its own, and not NumPy's.
TOP = frozenset("""
empty empty_like eye full full_like identity ones ones_like zeros zeros_like copy array asanyarray asarray
ascontiguousarray fromfunction fromiter arange linspace logspace meshgrid diag diagflat tri tril triu vander piecewise
apply_along_axis put_along_axis copyto shape ravel reshape moveaxis rollaxis swapaxes transpose atleast_1d atleast_2d
atleast_3d broadcast_arrays broadcast_to expand_dims squeeze column_stack concatenate dstack hstack stack vstack
row_stack asarray_chkfinite asfortranarray require array_split dsplit hsplit split vsplit repeat tile delete append
resize unique trim_zeros flip fliplr flipud roll rot90 bitwise_and bitwise_or bitwise_xor bitwise_not invert
left_shift right_shift packbits unpackbits can_cast common_type result_type min_scalar_type indices ix_ mask_indices
tril_indices tril_indices_from triu_indices triu_indices_from ravel_multi_index unravel_index choose compress diagonal
extract select take take_along_axis place put putmask fill_diagonal diag_indices diag_indices_from einsum cross dot
inner kron matmul outer tensordot vdot trace allclose array_equal array_equiv isclose isfinite isinf isnan isneginf
isposinf iscomplex iscomplexobj isfortran isreal isrealobj in1d intersect1d isin setdiff1d setxor1d union1d isscalar
logical_and logical_not logical_or logical_xor equal greater greater_equal less less_equal not_equal all any poly
polyadd polysub polymul polyfit polyval roots arccos arcsin arctan arctan2 cos deg2rad degrees hypot rad2deg radians
sin tan unwrap arccosh arcsinh arctanh cosh sinh tanh around ceil fix floor rint round trunc prod sum cumprod cumsum
ediff1d nancumprod nancumsum nansum nanprod diff gradient bartlett blackman hamming hanning kaiser exp exp2 expm1 log
log10 log1p log2 logaddexp logaddexp2 i0 sinc copysign frexp ldexp nextafter signbit gcd lcm add divide divmod
floor_divide float_power fmod modf multiply negative positive power reciprocal remainder mod subtract true_divide
angle conj conjugate imag real abs absolute cbrt clip fabs fmax fmin interp maximum minimum nan_to_num real_if_close
sign heaviside sqrt square convolve may_share_memory shares_memory pad count_nonzero argmax argmin argwhere
flatnonzero nanargmax nanargmin nonzero searchsorted where argpartition argsort lexsort sort_complex partition sort
corrcoef cov correlate amax max amin min nanmax nanmin percentile ptp quantile median average mean std var nanmedian
nanmean nanstd nanvar bincount digitize histogram histogram2d histogramdd size ndim
""".split())  # fmt: skip

LINALG = frozenset("""
matrix_power cholesky qr svd eigh eigvalsh norm det matrix_rank slogdet solve tensorsolve lstsq inv pinv tensorinv
""".split())  # fmt: skip

FFT = frozenset("""
fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift
""".split())  # fmt: skip

#: The ufuncs of `cupyx.scipy.special` that SciPy has as well.
SPECIAL = frozenset("""
bdtr bdtrc bdtri beta betainc betaincinv betaln btdtr btdtri chdtr chdtrc chdtri cosm1 digamma ellipj ellipk ellipkinc
ellipkm1 entr erf erfc erfcinv erfcx erfinv exp1 exp10 exp2 expi expit expm1 expn exprel fdtr fdtrc fdtri gamma
gammainc gammaincc gammainccinv gammaincinv gammaln gammasgn gdtr gdtrc huber i0 i0e i1 i1e inv_boxcox inv_boxcox1p j0
j1 k0 k0e k1 k1e kl_div log1p log_expit log_ndtr loggamma logit lpmv nbdtr nbdtrc nbdtri ndtr ndtri owens_t pdtr pdtrc
pdtri poch pseudo_huber psi radian rel_entr rgamma round sinc sph_harm wright_bessel xlog1py xlogy y0 y1 yn yv zeta
""".split())  # fmt: skip

#: The methods of `cupy.ndarray`.
METHODS = frozenset("""
all any argmax argmin argpartition argsort astype choose clip compress conj conjugate copy cumprod cumsum diagonal dot
fill flatten max mean min nonzero partition prod ptp put ravel repeat reshape round searchsorted sort squeeze std sum
swapaxes take trace transpose var view
""".split())  # fmt: skip

#: The parameters of those that take fewer than NumPy's.
PARAMETERS = {
    name: tuple(parameters.split()) for name, parameters in {
        "sum": "a axis dtype out keepdims", "prod": "a axis dtype out keepdims", "cumsum": "a axis dtype out",
        "cumprod": "a axis dtype out", "amax": "a axis out keepdims", "amin": "a axis out keepdims",
        "max": "a axis out keepdims", "min": "a axis out keepdims", "mean": "a axis dtype out keepdims",
        "var": "a axis dtype out ddof keepdims", "std": "a axis dtype out ddof keepdims",
        "nansum": "a axis dtype out keepdims", "nanprod": "a axis dtype out keepdims",
        "nanmax": "a axis out keepdims", "nanmin": "a axis out keepdims", "nanmean": "a axis dtype out keepdims",
        "nanvar": "a axis dtype out ddof keepdims", "nanstd": "a axis dtype out ddof keepdims",
        "nanmedian": "a axis out overwrite_input keepdims", "median": "a axis out overwrite_input keepdims",
        "all": "a axis out keepdims", "any": "a axis out keepdims", "ptp": "a axis out keepdims",
        "clip": "a a_min a_max out", "take": "a indices axis out", "argmax": "a axis dtype out keepdims",
        "argmin": "a axis dtype out keepdims", "sort": "a axis kind", "argsort": "a axis kind",
        "average": "a axis weights returned keepdims", "percentile": "a q axis out overwrite_input method keepdims",
        "quantile": "a q axis out overwrite_input method keepdims", "broadcast_to": "array shape",
        "count_nonzero": "a axis", "cov": "a y rowvar bias ddof fweights aweights dtype",
        "cross": "a b axisa axisb axisc axis", "einsum": "", "trapezoid": "", "searchsorted": "a v side sorter",
        "linalg.cholesky": "a", "linalg.svd": "a full_matrices compute_uv", "linalg.pinv": "a rcond",
        "linalg.qr": "a mode", "linalg.matrix_rank": "M tol", "linalg.eigh": "a UPLO", "linalg.eigvalsh": "a UPLO",
    }.items() if parameters
}  # fmt: skip
