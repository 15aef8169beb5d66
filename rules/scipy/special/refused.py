"""What of `scipy.special` has no rule: refused where a derivative would flow through it, with the reason."""

from scipy import special

from rules.rule import unsupported

#: The functions of a group, by what is said of them. What a version of SciPy does not have is left out.
REFUSED = {
    "it is a distribution function by its parameters, or an inverse of one; write it with gammainc, betainc or ndtr":
        "bdtr bdtrc bdtri bdtrik bdtrin btdtr btdtri btdtria btdtrib chdtri chdtriv chndtr chndtridf chndtrinc "
        "chndtrix fdtr fdtrc fdtri fdtridfd gdtria gdtrib gdtrix kolmogi kolmogorov nbdtr nbdtrc nbdtri nbdtrik "
        "nbdtrin ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc nctdtrit nrdtrimn "
        "nrdtrisd pdtri pdtrik smirnov smirnovi stdtridf stdtrit tklmbda",
    "it has several results, or is of all orders at once, and its rule is not written yet; take jv, iv, "
        "kv or another function of one result":
        "airye it2i0k0 it2j0y0 kelvin modfresnelm modfresnelp pbdv pbvv pbwa lqmn lqn lpmn clpmn lpn pbdn_seq "
        "pbdv_seq pbvv_seq riccati_jn riccati_yn assoc_legendre_p_all legendre_p_all sph_harm_y_all "
        "sph_legendre_p_all",
    "it is a wave function of spheroids or of Mathieu, and has no derivative in closed form; integrate its equation":
        "ellip_harm ellip_harm_2 ellip_normal mathieu_a mathieu_b mathieu_cem mathieu_even_coef mathieu_modcem1 "
        "mathieu_modcem2 mathieu_modsem1 mathieu_modsem2 mathieu_odd_coef mathieu_sem obl_ang1 obl_ang1_cv obl_cv "
        "obl_cv_seq obl_rad1 obl_rad1_cv obl_rad2 obl_rad2_cv pro_ang1 pro_ang1_cv pro_cv pro_cv_seq pro_rad1 "
        "pro_rad1_cv pro_rad2 pro_rad2_cv",
    "it is of integers, or makes a table of zeros, nodes or coefficients; call it outside of what is differentiated":
        "ai_zeros bei_zeros beip_zeros ber_zeros berp_zeros bernoulli bi_zeros comb erf_zeros euler factorial "
        "factorial2 factorialk fresnel_zeros fresnelc_zeros fresnels_zeros jn_zeros jnjnp_zeros jnp_zeros "
        "jnyn_zeros kei_zeros keip_zeros kelvin_zeros ker_zeros kerp_zeros perm stirling2 y0_zeros y1_zeros "
        "y1p_zeros yn_zeros ynp_zeros roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_gegenbauer "
        "roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi roots_laguerre roots_legendre "
        "roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi roots_sh_legendre",
    "it makes a polynomial as an object; write np.polyval of its coefficients":
        "assoc_laguerre chebyc chebys chebyt chebyu gegenbauer genlaguerre hermite hermitenorm jacobi laguerre "
        "legendre sh_chebyt sh_chebyu sh_jacobi sh_legendre",
    "it is a symmetric elliptic integral whose derivative has no rule that is good where arguments are "
        "equal; write ellipkinc or ellipeinc":
        "elliprd elliprg elliprj",
    "write it with gammaln: binom(n, k) is exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)), "
        "poch(z, m) exp(gammaln(z + m) - gammaln(z))":
        "binom poch",
    "the derivative by the exponent has no closed form; integrate the sum that you need":
        "zetac",
    "1 - p has the digits that matter for its derivative; write ellipk(1 - p)":
        "ellipkm1",
    "its rule is not written yet":
        "assoc_legendre_p besselpoly diric it2struve0 legendre_p lmbda lpmv sph_harm sph_harm_y sph_legendre_p",
    "it sets how errors are shown; call it outside of what is differentiated":
        "geterr seterr errstate",
}  # fmt: skip

for _why, _names in REFUSED.items():
    _there = [getattr(special, _name) for _name in _names.split() if hasattr(special, _name)]
    unsupported(*[f for f in dict.fromkeys(_there) if callable(f)], why=_why)
