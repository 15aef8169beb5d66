"""What of `scipy.signal` has no rule: refused where a derivative would flow through it, with the reason."""

from scipy import signal

from rules.rule import unsupported

REFUSED = {
    "its rule is not written yet; write it with signal.lfilter, which has one":
        "deconvolve lfiltic sosfilt_zi sosfiltfilt decimate upfirdn symiirorder1 symiirorder2",
    "its rule is not written yet; write it with functions that have one (`adc rules scipy.`)":
        "check_COLA check_NOLA choose_conv_method closest_STFT_dual_window coherence correlation_lags csd czt "
        "czt_points envelope hilbert2 istft lombscargle periodogram resample resample_poly savgol_coeffs "
        "spectrogram stft vectorstrength welch zoom_fft chirp gausspulse sawtooth square sweep_poly unit_impulse "
        "max_len_seq",
    "it selects among values by their order; write it with np.median or np.max of slices":
        "argrelextrema argrelmax argrelmin find_peaks find_peaks_cwt medfilt medfilt2d order_filter "
        "peak_prominences peak_widths wiener",
    "it designs or turns a filter; call it outside of what is differentiated, or write its formula":
        "abcd_normalize band_stop_obj bessel besselap bilinear bilinear_zpk bode buttap butter buttord cheb1ap "
        "cheb1ord cheb2ap cheb2ord cheby1 cheby2 cont2discrete dbode dfreqresp dimpulse dlsim dstep ellip ellipap "
        "ellipord findfreqs firls firwin firwin_2d firwin2 freqresp freqs freqs_zpk freqz freqz_sos freqz_zpk "
        "sosfreqz gammatone group_delay impulse invres invresz iircomb iirdesign iirfilter iirnotch iirpeak "
        "kaiser_atten kaiser_beta kaiserord lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk lsim "
        "minimum_phase normalize place_poles remez residue residuez sos2tf sos2zpk ss2tf ss2zpk step tf2sos tf2ss "
        "tf2zpk unique_roots zpk2sos zpk2ss zpk2tf",
    "splines of a signal have no rule yet; write the interpolation with indices":
        "bspline cspline1d cspline1d_eval cspline2d cubic gauss_spline qspline1d qspline1d_eval qspline2d quadratic "
        "sepfir2d spline_filter",
}  # fmt: skip

for _why, _names in REFUSED.items():
    _there = [getattr(signal, _name) for _name in _names.split() if hasattr(signal, _name)]
    unsupported(*dict.fromkeys(f for f in _there if not isinstance(f, type)), why=_why)
