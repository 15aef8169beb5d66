"""What of `scipy.linalg` has no rule: refused where a derivative would flow through it, with the reason."""

from scipy import linalg

from rules.rule import unsupported

#: The functions of a group, by what is said of them. What a version of SciPy does not have is left out.
REFUSED = {
    "whether the result is real changes with the values, or NumPy has it too; call np.linalg.eig, pinv, np.kron":
        "eig kron pinvh",
    "whether the result is real changes with the values; write it by np.linalg.eigh of a symmetric matrix":
        "fractional_matrix_power funm signm",
    "its rule is not written yet; write it with functions that have one (`adc rules scipy.linalg`)":
        "cdf2rdf cho_solve_banded cholesky_banded companion convolution_matrix cossin diagsvd eig_banded "
        "eigh_tridiagonal eigvals_banded eigvalsh_tridiagonal expm_cond expm_frechet fiedler fiedler_companion "
        "hessenberg ldl leslie matrix_balance null_space ordqz orth orthogonal_procrustes polar qr_delete "
        "qr_insert qr_multiply qr_update qz rq rsf2csf schur solve_circulant subspace_angles",
    "it makes a matrix of a size, or asks what a matrix is like; call it outside of what is differentiated":
        "bandwidth clarkson_woodruff_transform dft find_best_blas_type get_blas_funcs get_lapack_funcs hadamard "
        "helmert hilbert invhilbert invpascal ishermitian issymmetric pascal",
}  # fmt: skip

for _why, _names in REFUSED.items():
    _there = [getattr(linalg, _name) for _name in _names.split() if hasattr(linalg, _name)]
    unsupported(*dict.fromkeys(_there), why=_why)
