"""What of `scipy.special` has no rule: refused where a derivative would flow through it, with the reason."""

from scipy import special

from rules.rule import unsupported

#: The functions of a group, by what is said of them. What a version of SciPy does not have is left out.
REFUSED = {
    "it is a distribution function by its parameters, or an inverse of one; write it with gammainc, betainc or ndtr":
        "bdtr bdtrc bdtri bdtrik bdtrin btdtr btdtri btdtria btdtrib chdtr chdtrc chdtri chdtriv chndtr chndtridf "
        "chndtrinc chndtrix fdtr fdtrc fdtri fdtridfd gdtr gdtrc gdtria gdtrib gdtrix kolmogi kolmogorov nbdtr "
        "nbdtrc nbdtri nbdtrik nbdtrin ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc "
        "nctdtrit nrdtrimn nrdtrisd pdtr pdtrc pdtri pdtrik smirnov smirnovi stdtr stdtridf stdtrit tklmbda",
    "it has several results, or is of all orders at once, and its rule is not written yet; take jv, iv, kv or "
    "another function of one result":
        "airye it2i0k0 it2j0y0 itairy iti0k0 itj0y0 kelvin modfresnelm modfresnelp pbdv pbvv pbwa shichi lqmn lqn "
        "lpmn clpmn lpn pbdn_seq pbdv_seq pbvv_seq riccati_jn riccati_yn assoc_legendre_p_all legendre_p_all "
        "sph_harm_y_all sph_legendre_p_all",
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
    "its rule is not written yet":
        "agm assoc_legendre_p bei beip ber berp besselpoly binom diric ellipeinc ellipkinc ellipkm1 elliprc elliprd "
        "elliprf elliprg elliprj eval_chebyc eval_chebys eval_chebyt eval_chebyu eval_gegenbauer eval_genlaguerre "
        "eval_hermite eval_hermitenorm eval_jacobi eval_laguerre eval_legendre eval_sh_chebyt eval_sh_chebyu "
        "eval_sh_jacobi eval_sh_legendre h1vp h2vp it2struve0 itmodstruve0 itstruve0 ivp jvp kei keip ker kerp kvp "
        "lambertw legendre_p lmbda log_wright_bessel lpmv modstruve multigammaln ndtri_exp owens_t poch powm1 "
        "radian rgamma sph_harm sph_harm_y sph_legendre_p spherical_in spherical_jn spherical_kn spherical_yn "
        "struve voigt_profile wofz wright_bessel wrightomega yvp zetac",
    "it sets how errors are shown; call it outside of what is differentiated":
        "geterr seterr errstate",
}  # fmt: skip

for _why, _names in REFUSED.items():
    _there = [getattr(special, _name) for _name in _names.split() if hasattr(special, _name)]
    unsupported(*[f for f in dict.fromkeys(_there) if callable(f)], why=_why)
