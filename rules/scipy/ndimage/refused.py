"""What of `scipy.ndimage` has no rule: refused where a derivative would flow through it, with the reason."""

from scipy import ndimage

from rules.rule import unsupported

REFUSED = {
    "its interpolation by splines has no transpose in SciPy; write it with indices: x[i] * (1 - t) + x[i + 1] * t":
        "affine_transform geometric_transform map_coordinates rotate shift spline_filter spline_filter1d zoom",
    "it selects among pixels by their order; write it with np.stack of slices, and np.max, np.min or np.median":
        "black_tophat grey_closing grey_dilation grey_erosion grey_opening maximum_filter maximum_filter1d "
        "median_filter minimum_filter minimum_filter1d morphological_gradient morphological_laplace "
        "percentile_filter rank_filter white_tophat",
    "its rule is not written yet; write it with functions that have one (`adc rules scipy.ndimage`)":
        "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform gaussian_gradient_magnitude "
        "gaussian_laplace generic_filter generic_filter1d generic_gradient_magnitude generic_laplace "
        "vectorized_filter",
    "it is of regions and their shapes; call it outside of what is differentiated":
        "binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss binary_opening "
        "binary_propagation distance_transform_bf distance_transform_cdt distance_transform_edt find_objects "
        "generate_binary_structure iterate_structure label watershed_ift",
    "it sums up over regions; write it with NumPy: np.bincount(labels.ravel(), x.ravel())":
        "center_of_mass extrema histogram labeled_comprehension maximum maximum_position mean median minimum "
        "minimum_position standard_deviation sum sum_labels variance value_indices",
}  # fmt: skip

for _why, _names in REFUSED.items():
    unsupported(*dict.fromkeys(getattr(ndimage, n) for n in _names.split() if hasattr(ndimage, n)), why=_why)
