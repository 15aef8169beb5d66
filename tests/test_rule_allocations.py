"""A primal that allocates nothing has a gradient that allocates nothing: of every function that has a rule."""

import ast
import linecache
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcompiler import grad
from benchmarks.allocations import allocations, large_arrays
from rules.rule import Rule, find, find_method, registry

from .rules.case import normal, positive, within

_RNG = np.random.default_rng(0)
#: What the calls below are made of, by name; all arrays but `few` have 1 KiB or more.
VALUES: dict[str, Any] = {
    "a": normal(20, 30), "b": normal(20, 30, seed=2), "s": normal(4, 20, 30), "t": normal(4, 30, 20),  # any numbers
    "v": normal(200), "w": normal(200, seed=2), "few": normal(20), "c": 0.7,
    "x": normal(100, 3), "y": normal(100, 3, seed=2),
    "p": positive(20, 30), "q": positive(4, 20, 30), "h": within(-0.9, 0.9, 20, 30), "grid": np.sort(normal(200)),
    "z": normal(20, 30) + 1j * normal(20, 30, seed=2),
    "A": normal(40, 40) + 40 * np.eye(40), "B": normal(40, 40), "D": normal(150, 150),  # square; this one positive:
    "P": normal(40, 40) @ normal(40, 40).T + 40 * np.eye(40),
    "i": _RNG.integers(0, 20, 20), "j": _RNG.integers(0, 200, 200), "k": normal(20, 30) > 0,
}  # fmt: skip
CALLS = """
a + b; a - b; a * b; a / p; -a; +a; a // p; a % p; np.fmod(a, p); np.reciprocal(p); np.square(a)
a**2; a**3; p**0.5; p**1.5; p**b; 2.0**a; np.power(p, b); np.sqrt(p); np.cbrt(p); np.hypot(a, b)
np.sum(s, axis=0); np.mean(s, axis=0); np.var(s, axis=0); np.std(s, axis=0); np.sum(a); np.std(a); s.sum(axis=0)
np.average(s, axis=0); np.average(s, axis=0, weights=q)
np.reshape(a, (30, 20)); a.reshape(30, 20); np.ravel(a); a.flatten(); np.expand_dims(a, 0); np.squeeze(a)
np.atleast_1d(a); np.atleast_2d(v); np.atleast_3d(a); np.broadcast_to(v, (3, 200)); np.copy(a); a.copy()
np.transpose(a); a.T; s.transpose(2, 0, 1); np.matrix_transpose(s); np.swapaxes(s, 0, 1); np.moveaxis(s, 0, 1)
np.flip(a); np.fliplr(a); np.flipud(a); np.roll(a, 1); np.rot90(a); a.astype(np.float64); np.float64(a); np.float32(a)
np.complex128(a); np.real(z); np.imag(z); np.conj(z); z.conj(); np.angle(z)
np.convolve(v, w); np.correlate(v, w, "full"); np.cov(A); np.corrcoef(A); np.interp(v, grid, w)
np.full((20, 30), c); np.full_like(a, c); np.arange(c, 300.0); np.linspace(c, 2.0, 300)
np.linalg.solve(A, B); np.linalg.inv(A); np.linalg.matrix_power(A, 2); np.linalg.det(A); np.linalg.slogdet(A)[1]
np.linalg.cholesky(P); np.linalg.eigh(P)[1]; np.linalg.eigvalsh(P); np.linalg.eig(A)[0]; np.linalg.eigvals(A)
np.linalg.svd(a, full_matrices=False)[1]; np.linalg.svdvals(A); np.linalg.qr(A)[0]; np.linalg.pinv(a)
np.linalg.lstsq(A, B)[0]; np.linalg.tensorsolve(A.reshape(5, 8, 40), A[:5, :8]); np.linalg.tensorinv(A, ind=1)
np.linalg.multi_dot([A, B, A]); np.linalg.cond(A); np.linalg.norm(A, 2); np.linalg.matrix_norm(s)
np.linalg.vector_norm(a); np.linalg.matmul(A, B); np.linalg.outer(v, w); np.linalg.cross(x, y)
np.linalg.tensordot(A, B, axes=1); np.linalg.vecdot(a, b); np.linalg.matrix_transpose(s); np.linalg.diagonal(D)
np.fft.fft(z); np.fft.ifft(z); np.fft.rfft(a); np.fft.irfft(z); np.fft.hfft(z); np.fft.ihfft(a); np.linalg.trace(A)
np.fft.fft2(z); np.fft.ifft2(z); np.fft.rfft2(a); np.fft.irfft2(z); np.fft.fftn(z); np.fft.ifftn(z); np.fft.rfftn(a)
np.fft.irfftn(z); np.fft.fftshift(a); np.fft.ifftshift(a); np.fft.fftfreq(200, c); np.fft.rfftfreq(300, c)
np.linalg.norm(v); np.linalg.norm(A); np.linalg.norm(s, axis=0); np.linalg.norm(s, ord=1, axis=0)
np.tril(A); np.triu(A); np.diagonal(D); np.diag(D); np.diag(v); np.diagflat(v); np.trace(A)
np.diff(a); np.ediff1d(a); np.trapezoid(s, axis=0); np.gradient(v)
np.exp(a); np.expm1(a); np.exp2(a); np.log(p); np.log2(p); np.log10(p); np.log1p(p); np.logaddexp(a, b)
np.logaddexp2(a, b); np.sin(a); np.cos(a); np.tan(a); np.sinh(a); np.cosh(a); np.tanh(a); np.sinc(a); np.degrees(a)
np.arcsin(h); np.arccos(h); np.arctan(a); np.arcsinh(a); np.arccosh(p + 1.0); np.arctanh(h); np.arctan2(a, b)
np.radians(a)
np.maximum(a, b); np.minimum(a, b); np.fmax(a, b); np.fmin(a, b); np.maximum(a, 0)
np.max(s, axis=0); np.min(s, axis=0); np.ptp(s, axis=0); np.max(a); np.clip(a, -0.5, 0.8); np.clip(a, b, 3.0)
np.abs(a); np.fabs(a); np.copysign(a, b); np.where(k, a, b)
a[2:]; v[::2]; a[i]; a[:, i]; a[k]; np.take(v, j); np.take_along_axis(v, j, 0); np.sort(v)
np.concatenate([a, b]); np.stack([a, b]); np.vstack([a, b]); np.hstack([a, b]); np.column_stack([a, b])
np.dstack([a, b]); np.append(v, w); np.array([v, w]); np.array(a); np.asarray(a); np.ascontiguousarray(a)
np.split(a, 2)[0]; np.array_split(a, 3)[1]; np.meshgrid(v, w)[0]; np.repeat(a, 2, axis=0); np.tile(a, 2); np.pad(a, 1)
A @ B; s @ t; A @ few.repeat(2); np.dot(A, B); np.dot(v, w); np.inner(A, B); np.outer(v, w); np.vdot(v, w)
np.cross(x, y); np.tensordot(A, B, 1); np.einsum("ij,jk->ik", A, B); np.einsum("sij->ij", s); np.kron(A, few)
np.prod(s, axis=0); np.prod(v); np.cumsum(v); np.cumprod(v); np.cumsum(a, axis=0)
np.nansum(s, axis=0); np.nanmean(s, axis=0); np.nanprod(s, axis=0); np.nanvar(s, axis=0); np.nanstd(s, axis=0)
np.nanmax(s, axis=0); np.nanmin(s, axis=0); np.nan_to_num(a)
np.median(s, axis=0); np.quantile(s, 0.3, axis=0); np.percentile(s, 40, axis=0)
np.nanmedian(s, axis=0); np.nanquantile(s, 0.3, axis=0); np.nanpercentile(s, 40, axis=0)
np.nancumsum(v); np.nancumprod(v)
np.divmod(a, p)[1]; np.modf(a)[0]; np.frexp(a)[0]; np.ldexp(a, 2); np.nextafter(a, 9.0); np.float_power(p, b)
np.heaviside(a, b); np.unwrap(v); np.i0(a); np.kaiser(200, c); np.float16(a); np.complex64(z)
np.logspace(c, 2.0, 300); np.geomspace(c, 2.0, 300)
np.compress(k[0], a, axis=1); a.compress(k[0], axis=1); np.extract(k, a); np.select([k], [a], b); np.choose(k, [a, b])
k.choose([a, b]); np.insert(v, 2, w); np.delete(v, 3); np.resize(v, 500); np.block([[a, b]]); np.rollaxis(s, 1)
np.hsplit(a, 2)[0]; np.vsplit(a, 2)[0]; np.dsplit(s, 2)[0]; np.broadcast_arrays(a, b)[0]; np.partition(v, 50)
np.sort_complex(v); np.polyadd(v, w); np.polysub(v, w); np.polymul(v, w); np.polyder(v); np.polyint(v)
np.polyval(few, a); np.vander(v, 3); np.poly(few); np.polyfit(v, w, 3); np.histogram(v, 5, weights=w)[0]
np.histogram_bin_edges(v, 200); np.bincount(j, w)
"""
#: Calls of functions that not every NumPy has.
NEWER = {
    "astype": "np.astype(a, np.float64)", "cumulative_sum": "np.cumulative_sum(v)", "vecdot": "np.vecdot(s, s)",
    "cumulative_prod": "np.cumulative_prod(v)", "matvec": "np.matvec(s, s[0, 0])", "vecmat": "np.vecmat(s[0, :, 0], s)",
}  # fmt: skip
CALLS += "; ".join(call for name, call in NEWER.items() if hasattr(np, name))


def calls() -> list[str]:
    return [call.strip() for call in CALLS.replace("\n", ";").split(";") if call.strip()]


def program(call: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The sum of the squares of what a call gives, as a function of what it is made of, and arguments for it."""
    names = sorted({x.id for x in ast.walk(ast.parse(call)) if isinstance(x, ast.Name)} & VALUES.keys())
    text = f"def f({', '.join(names)}):\n    out = {call}\n    return np.real(np.sum(out * out))\n"
    file = f"<{call}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    env: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec"), env)
    return env["f"], tuple(VALUES[n] for n in names)


def evaluated(text: str, **more: Any) -> Any:
    return eval(text, {"np": np, **VALUES, **more})


_OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.MatMult: operator.matmul, ast.Mod: operator.mod, ast.FloorDiv: operator.floordiv,
    ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip


def called(call: str) -> Any:
    """The function that a text calls; the name of a method or attribute as rules have it."""
    node: Any = ast.parse(call, mode="eval").body
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
        node = node.value  # a part of what it gives
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        return _OPERATORS[type(node.op)]
    if isinstance(node, ast.Subscript):
        return operator.getitem
    place = node.func if isinstance(node, ast.Call) else node
    if isinstance(place.value, ast.Name) and place.value.id in VALUES:
        return f"ndarray.{place.attr}"
    return evaluated(ast.unparse(place))


def rule_of(call: str) -> Rule | None:
    function = called(call)
    return find_method(function) if isinstance(function, str) else find(function)


def own(call: str) -> int:
    """How many large arrays the function itself makes: its result too, unless it takes `out=`."""
    if called(call) in _OPERATORS.values():
        return 0
    try:
        out = np.empty_like(evaluated(call))
        return allocations(lambda: evaluated(f"{call[:-1]}, out=out)", out=out)).large
    except (TypeError, ValueError, SyntaxError):  # it takes none
        return allocations(lambda: evaluated(call)).large


#: How many large arrays the gradients of these calls make besides, and what for.
REMAINS = {
    "masks: where the cotangent is zero, and zeros are not to become NaN by a pole": {
        "p**b": 3, "np.power(p, b)": 3, "np.float_power(p, b)": 3,
    },
    "as many elements as a mask chooses": {
        "a[k]": 2, "np.compress(k[0], a, axis=1)": 1, "a.compress(k[0], axis=1)": 1, "np.extract(k, a)": 2,
    },
    "a view of another shape is summed into an array that fits": {"np.broadcast_to(v, (3, 200))": 1},
    "what is added to its own transpose in place is copied by NumPy": {"np.cov(A)": 1, "np.corrcoef(A)": 1},
    "a cotangent becomes complex, real, or of another precision": {
        "np.real(z)": 1, "np.imag(z)": 1, "np.angle(z)": 2, "np.float32(a)": 1, "np.float16(a)": 1,
        "np.complex64(z)": 1,
    },
    "the pullback calls a NumPy function without out=: where, tril, diff, argsort, convolve, eigh, inv": {
        "np.nansum(s, axis=0)": 1, "np.nanmean(s, axis=0)": 1, "np.nanmax(s, axis=0)": 1, "np.nanmin(s, axis=0)": 1,
        "np.nanvar(s, axis=0)": 6, "np.nanstd(s, axis=0)": 7, "np.nanprod(s, axis=0)": 4,
        "np.tril(A)": 1, "np.triu(A)": 1, "np.diff(a)": 1, "np.ediff1d(a)": 1, "np.sort(v)": 2, "np.cross(x, y)": 4,
        'np.correlate(v, w, "full")': 1, "np.linalg.slogdet(A)[1]": 1, "np.linalg.eigvalsh(P)": 6,
        "np.linalg.cholesky(P)": 12, "np.nancumsum(v)": 1, "np.sort_complex(v)": 3,
        "np.cumulative_sum(v)": 1, "np.polymul(v, w)": 5, "np.polyfit(v, w, 3)": 6, "np.bincount(j, w)": 1,
        "np.linalg.eigh(P)[1]": 7, "np.linalg.cross(x, y)": 4, "np.linalg.qr(A)[0]": 4,
        "np.linalg.multi_dot([A, B, A])": 5, "np.linalg.tensorinv(A, ind=1)": 1,
    },
    "the pullback transforms back, and takes the real part or counts the frequencies between the ends twice": {
        "np.fft.fft(z)": 1, "np.fft.ifft(z)": 1, "np.fft.rfft(a)": 3, "np.fft.irfft(z)": 3, "np.fft.hfft(z)": 2,
        "np.fft.ihfft(a)": 3, "np.fft.fft2(z)": 3, "np.fft.ifft2(z)": 1, "np.fft.rfft2(a)": 5, "np.fft.irfft2(z)": 3,
        "np.fft.fftn(z)": 3, "np.fft.ifftn(z)": 3, "np.fft.rfftn(a)": 5, "np.fft.irfftn(z)": 4,
    },
    "the pullback is no formula: it loops, sorts or factorises, in arrays of its own": {
        "np.prod(s, axis=0)": 1, "np.prod(v)": 1, "np.cumprod(v)": 1, "np.take_along_axis(v, j, 0)": 1,
        "np.linspace(c, 2.0, 300)": 1, "np.diagonal(D)": 3, "np.diag(D)": 3, "np.gradient(v)": 1, "np.sinc(a)": 3,
        "np.linalg.diagonal(D)": 3, "np.linalg.eig(A)[0]": 1, "np.linalg.eigvals(A)": 6, "np.linalg.svdvals(A)": 2,
        "np.linalg.lstsq(A, B)[0]": 4, "np.linalg.cond(A)": 2, "np.linalg.norm(A, 2)": 2,
        "np.linalg.det(A)": 4, "np.linalg.solve(A, B)": 2, "np.interp(v, grid, w)": 50,
        "np.median(s, axis=0)": 10, "np.quantile(s, 0.3, axis=0)": 10, "np.percentile(s, 40, axis=0)": 10,
        "np.nanmedian(s, axis=0)": 19, "np.nanquantile(s, 0.3, axis=0)": 19, "np.nanpercentile(s, 40, axis=0)": 19,
        "np.nancumprod(v)": 4, "np.cumulative_prod(v)": 2, "np.i0(a)": 1, "np.kaiser(200, c)": 2,
        "np.logspace(c, 2.0, 300)": 1, "np.geomspace(c, 2.0, 300)": 1, "np.partition(v, 50)": 4, "np.polyder(v)": 1,
        "np.polyval(few, a)": 1,
        "np.poly(few)": 4, "np.histogram(v, 5, weights=w)[0]": 5, "np.histogram_bin_edges(v, 200)": 1,
    },
}  # fmt: skip


def test_every_rule_of_arrays_has_a_call() -> None:
    found = {id(rule_of(call)) for call in calls()}
    numbers = {"math", "builtins"}
    missing = [
        r.name for r in registry()
        if r.differentiable and not r.why and r.where.startswith("rules.") and id(r) not in found
        and not r.where.startswith("rules.scipy.")  # another test may have imported these
        and not all(f.__module__ in numbers or f.__module__.startswith("rules.") for f in r.functions)
    ]  # fmt: skip
    assert not missing, f"write a call for these: {missing}"


@pytest.mark.parametrize("call", calls())
def test_a_gradient_makes_no_arrays_but_those_that_the_function_makes_itself(call: str) -> None:
    f, args = program(call)
    gradient = grad(f, tuple(k for k, x in enumerate(args) if np.asarray(x).dtype.kind in "fc"))
    results = large_arrays(gradient(*args))
    made = allocations(lambda: gradient(*args)).large - results
    known = sum(counts.get(call, 0) for counts in REMAINS.values())
    assert max(made - own(call), 0) == known


def test_what_remains_is_of_calls_that_are_here() -> None:
    assert {call for counts in REMAINS.values() for call in counts} <= {*calls(), *NEWER.values()}
