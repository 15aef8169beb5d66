"""`scipy.special`."""

import numpy as np
from scipy import special as sc

from rules.scipy.special.error_functions import dawsn_slope, erfcx_slope
from rules.scipy.special.exponential_integrals import expn_of_any_order
from rules.scipy.special.incomplete import beta_density, gamma_density
from tests.rules.case import case, normal, positive, within

A, P, Q, U = normal(3, 4), positive(3, 4), positive(3, 4, seed=2), within(0.05, 0.95, 3, 4)
V, W = within(0.3, 3.7, 3, 4), within(1.5, 3.5, 3, 4, seed=3)
LEFT = np.array([-0.6, -1.3, -2.45])
PLANE = normal(2, 2) + 1j * normal(2, 2, seed=4)
SCALED = (sc.ive, sc.kve, sc.jve, sc.yve, sc.hankel1, sc.hankel2, sc.hankel1e, sc.hankel2e)

CASES = [
    # the gamma function; psi is complex, and its derivative is not
    *[case(f, P).but(complex=False) for f in (sc.gamma, sc.loggamma, sc.psi, sc.gammaln)],
    *[case(f, LEFT).but(complex=False) for f in (sc.gamma, sc.psi, sc.gammaln)],
    *[case(f, PLANE).but(upto=1) for f in (sc.gamma, sc.loggamma)],
    *[case(sc.polygamma, n, P).but(wrt="x") for n in (0, 1, 3)],
    case(sc.polygamma, np.array([0, 1, 2, 3]), P).but(wrt="x"),
    *[case(f, P, Q) for f in (sc.beta, sc.betaln)],
    *[case(sc.zeta, s, P) for s in (2, 3.5, np.array([2.0, 1.5, 3.0, 4.0]))],
    # elementary functions
    *[case(f, A) for f in (sc.expm1, sc.exp2, sc.exp10, sc.cosm1, sc.sindg, sc.cosdg)],
    *[case(f, P) for f in (sc.log1p, sc.cbrt)],
    case(sc.log1p, PLANE),
    case(sc.exprel, np.array([-30.0, -2.0, -1e-3, 0.0, 1e-3, 0.7, 20.0])).but(tol=1e-5),
    *[case(f, 10 * P).but(complex=False) for f in (sc.tandg, sc.cotdg)],
    case(sc.huber, np.array([[0.5], [0.9], [2.0]]), A),
    case(sc.round, A),
    case(sc.gammasgn, LEFT),
    *[case(sc.pseudo_huber, np.array([[0.5], [0.9], [2.0]]), x) for x in (A, 1e-4 * A)],
    *[case(f, P, within(-1.5, 2.5, 3, 4, seed=6)) for f in (sc.boxcox, sc.boxcox1p)],
    *[case(f, 0.4 * A, within(-0.5, 0.5, 3, 4, seed=6)) for f in (sc.inv_boxcox, sc.inv_boxcox1p)],
    *[case(f, P, np.zeros(4)) for f in (sc.boxcox, sc.boxcox1p, sc.inv_boxcox, sc.inv_boxcox1p)],
    # elliptic integrals and functions
    *[case(f, within(-3, 0.95, 3, 4)) for f in (sc.ellipk, sc.ellipe)],
    *[case(f, np.array([0.0, 1e-3, -1e-3])) for f in (sc.ellipk, sc.ellipe)],
    case(sc.ellipj, A, U).but(wrt="u"),
    # error functions
    *[case(f, A) for f in (sc.erf, sc.erfc, sc.erfi, sc.erfcx, sc.dawsn, sc.ndtr, sc.log_ndtr)],
    *[case(f, np.array([-3.0, 28.0, 33.0, 60.0])).but(tol=1e-5) for f in (sc.erfcx, sc.dawsn, sc.log_ndtr)],
    case(sc.log_ndtr, np.array([-50.0, -8.0, 5.0])),
    *[case(f, x, n) for f in (erfcx_slope, dawsn_slope) for x in (A, 35 + P) for n in (1, 2, 3)],
    case(sc.erfinv, within(-0.9, 0.9, 3, 4)),
    case(sc.erfcinv, within(0.1, 1.9, 3, 4)),
    case(sc.ndtri, U),
    # logistic functions
    *[case(f, A) for f in (sc.expit, sc.log_expit, *([sc.softplus] if hasattr(sc, "softplus") else []))],
    case(sc.logit, U),
    # sums of exponentials
    *[case(sc.logsumexp, A, axis=k, keepdims=b).but(complex=False)
      for k in (None, 0, -1, (0, 1)) for b in (False, True)],  # fmt: skip
    *[case(sc.logsumexp, A, axis=1, b=b).but(complex=False) for b in (P, P[0], 2.0, np.array([1.0, 0.0, 2.0, 0.0]))],
    case(sc.logsumexp, A, axis=0, b=P[:, :1], keepdims=True).but(complex=False),
    case(sc.logsumexp, np.array([1e4, 1e4 - 1, -1e4])).but(complex=False),
    *[case(f, A, axis=k).but(complex=False) for f in (sc.softmax, sc.log_softmax) for k in (None, 0, -1, (0, 1))],
    # entropies
    *[case(f, P, Q) for f in (sc.xlogy, sc.xlog1py, sc.rel_entr, sc.kl_div)],
    *[case(f, np.zeros(3), positive(3)).but(wrt="y") for f in (sc.xlogy, sc.xlog1py)],
    case(sc.entr, P),
    # exponential integrals
    *[case(f, P) for f in (sc.exp1, sc.expi)],
    case(sc.expi, LEFT).but(complex=False),
    case(sc.exp1, PLANE),
    *[case(sc.expn, n, P).but(wrt="x") for n in (0, 1, 2, 5, np.array([0, 1, 2, 3]))],
    *[case(expn_of_any_order, n, P).but(wrt="x") for n in (-2, 0, 3)],
    case(sc.spence, P),
    case(sc.spence, np.array([1.0, 0.9, 1.1])),
    case(sc.airy, A),
    *[case(sc.sici, x) for x in (P, -P)],
    case(sc.fresnel, A),
    # incomplete gamma and beta functions
    *[case(f, V, P).but(wrt="x") for f in (sc.gammainc, sc.gammaincc)],
    *[case(f, 2, P).but(wrt="x") for f in (sc.gammainc, sc.gammaincc)],
    *[case(f, V + 1, U).but(wrt="y") for f in (sc.gammaincinv, sc.gammainccinv)],
    *[case(f, V, W, U).but(wrt="x") for f in (sc.betainc, sc.betaincc)],
    *[case(f, 2, 3, U).but(wrt="x") for f in (sc.betainc, sc.betaincc)],
    *[case(f, V + 1, W, U).but(wrt="y") for f in (sc.betaincinv, sc.betainccinv)],
    case(gamma_density, V - 1, V, P).but(wrt="x"),
    case(beta_density, V - 1, W - 1, V, W, U).but(wrt="x"),
    # hypergeometric functions
    case(sc.hyp0f1, V, A).but(wrt="z"),
    *[case(f, V, W, P).but(wrt="x") for f in (sc.hyp1f1, sc.hyperu)],
    case(sc.hyp2f1, V, W, 1.7, U).but(wrt="z"),
    # Bessel functions
    *[case(f, v, P) for f in (sc.jv, sc.yv, sc.iv, sc.kv, *SCALED) for v in (0, 2.5)],
    *[case(f, V, P).but(wrt="z") for f in (sc.jv, sc.yv, sc.iv, sc.kv, sc.ive, sc.kve)],
    *[case(f, 2, A) for f in (sc.jv, sc.iv, sc.ive)],
    *[case(f, n, P).but(wrt="x") for f in (sc.yn, sc.kn, sc.expn) for n in (0, 2, 0.7, V)],
    *[case(f, A) for f in (sc.j0, sc.j1, sc.i0, sc.i1, sc.i0e, sc.i1e)],
    *[case(f, P) for f in (sc.y0, sc.y1, sc.k0, sc.k1, sc.k0e, sc.k1e)],
    # derivatives of Bessel functions, spherical ones, Struve's and Kelvin's
    *[case(f, v, P, n=n).but(wrt="z") for f in (sc.jvp, sc.yvp, sc.ivp, sc.kvp) for v, n in ((2, 1), (V, 2), (0.5, 0))],
    *[case(f, 1.5, P) for f in (sc.h1vp, sc.h2vp)],
    *[case(f, n, P, derivative=k).but(upto=2 - k)
      for f in (sc.spherical_jn, sc.spherical_yn, sc.spherical_in, sc.spherical_kn)
      for n, k in ((0, False), (np.array([0, 1, 2, 5]), False), (2, True), (0, True))],
    case(sc.spherical_jn, np.array([0, 1, 2, 5]), np.full(4, 0.01), True),
    *[case(f, v, P).but(wrt="x") for f in (sc.struve, sc.modstruve) for v in (0, V)],
    *[case(f, A) for f in (sc.itstruve0, sc.itmodstruve0, sc.ber, sc.bei, sc.berp, sc.beip)],
    *[case(f, np.zeros(2)) for f in (sc.ber, sc.bei, sc.berp, sc.beip)],
    *[case(f, P) for f in (sc.ker, sc.kei, sc.kerp, sc.keip, sc.iti0k0, sc.itj0y0, sc.shichi)],
    *[case(f, A) for f in (sc.itairy, sc.shichi)],
    # polynomials
    *[case(f, n, 0.6 * A) for n in (0, 1, 4, np.array([0, 1, 2, 5]))
      for f in (sc.eval_legendre, sc.eval_chebyt, sc.eval_chebyu, sc.eval_chebyc, sc.eval_chebys, sc.eval_sh_legendre,
                sc.eval_sh_chebyt, sc.eval_sh_chebyu, sc.eval_hermite, sc.eval_hermitenorm, sc.eval_laguerre)],
    *[case(f, n, 0.6 * A) for n in (-1, np.array([-1, -2, -3, -5]))
      for f in (sc.eval_legendre, sc.eval_chebyt, sc.eval_chebyu)],
    *[case(f, n, V, 0.6 * A).but(wrt="x") for n in (0, 3, np.array([0, 1, 2, 5]))
      for f in (sc.eval_genlaguerre, sc.eval_gegenbauer)],
    *[case(f, n, V + 1, W - 1, U).but(wrt="x") for n in (0, 3) for f in (sc.eval_jacobi, sc.eval_sh_jacobi)],
    # Faddeeva's function and its kin, Lambert's
    case(sc.wofz, PLANE),
    case(sc.wofz, 20 * PLANE.real + 3j),
    *[case(sc.voigt_profile, x, U, W) for x in (A, 100 * A)],
    case(sc.owens_t, A, P),
    case(sc.ndtri_exp, -P),
    case(sc.ndtri_exp, np.array([-300.0, -30.0, -1e-2])),
    *[case(sc.lambertw, x, k) for x in (P, PLANE) for k in (0, -1, 2)],
    case(sc.lambertw, np.array([0.0, -0.2]).astype(complex)),
    *[case(sc.wrightomega, x) for x in (A, PLANE)],
    # others
    *[case(sc.rgamma, x).but(complex=False) for x in (P, LEFT, np.array([0.0, -1.0, -2.0]))],
    case(sc.rgamma, PLANE).but(upto=1),
    case(sc.multigammaln, P + 1, 3).but(complex=False),
    *[case(sc.powm1, P, A), case(sc.radian, A, A, A), case(sc.agm, P, Q).but(upto=1), case(sc.agm, P, P).but(upto=1)],
    *[case(f, phi, m).but(upto=1) for f in (sc.ellipkinc, sc.ellipeinc)
      for phi, m in ((A, U), (4 * A, -P), (4 * A, np.zeros(4)))],
    *[case(sc.ellipkinc, A, 0.3).but(wrt="phi"), case(sc.ellipeinc, 3 * A, 0.3).but(wrt="phi")],
    case(sc.elliprf, P, Q, P).but(upto=1),
    case(sc.elliprc, P, Q).but(upto=1),
    case(sc.wright_bessel, V, W, P).but(wrt="x"),
    *([case(sc.log_wright_bessel, V, W, P).but(wrt="x")] if hasattr(sc, "log_wright_bessel") else []),
    *[case(f, V, P).but(wrt="x") for f in (sc.chdtr, sc.chdtrc)],
    *[case(f, P, V, Q).but(wrt="a x") for f in (sc.gdtr, sc.gdtrc)],
    *[case(f, np.array([0, 1, 2, 5.5]), P).but(wrt="m") for f in (sc.pdtr, sc.pdtrc)],
    case(sc.stdtr, V, A).but(wrt="t"),
]
