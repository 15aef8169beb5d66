"""Which values have one shape in every call with arguments of the same shapes.

%H = length(%W, 0); %m = %H * 2; %g = %z[:, %H:%m]     ->     g has one shape, though its kind does not tell which

What a value looks like may depend on numbers that are passed, on the iteration or on the data: then it is not fixed.
Only operations that are known not to look at data are followed.
"""

import operator
from typing import Any

import numpy as np

from adcompiler.ir.core import UNDEF, Checkpoint, For, Function, If, Op, Value, While, leaves, walk
from adcompiler.ir.state import STATE, WITH_STATE
from adcompiler.passes.mark import incoming
from adcompiler.passes.outs import UFUNCS
from rules.cotangent import (
    direction,
    length,
    project,
    size,
    spread,
    strong,
    strong_divide,
    unless_zero,
    update,
    zeros_like,
)
from rules.kind import Array, Num, Seq, same_shape
from rules.numpy.fourier import between, fitted
from rules.numpy.least_squares import beside, pseudoinverse, regular
from rules.numpy.singular_values import leading
from rules.numpy.spectral import anchors, beyond, complex_eig, complex_eigvals, eigenvectors, gaps
from rules.rule import find
from rules.sequences import backwards

_INTEGERS = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.neg, length, size)
#: Of these the shapes of the operands, and the numbers among them, tell the shape of the result.
_BY_SHAPE = frozenset((
    operator.getitem, np.sum, np.mean, np.max, np.min, np.prod, np.std, np.var, np.ptp, np.cumsum, np.cumprod,
    np.dot, np.outer, np.inner, np.tensordot, np.einsum, np.zeros_like, np.ones_like, np.full_like, np.zeros,
    np.ones, np.full, np.eye, np.copy, np.where, np.tril, np.triu, np.concatenate, np.stack, np.vstack, np.hstack,
    np.append, np.repeat, np.tile, np.kron, np.convolve, np.correlate, np.ediff1d, np.clip, np.linalg.solve,
    np.linalg.inv, np.linalg.norm, np.linalg.cholesky, np.linalg.det, np.fft.fft, np.fft.ifft, np.fft.rfft,
    np.fft.irfft, np.fft.hfft, np.fft.ihfft, np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2, np.fft.fftn,
    np.fft.ifftn, np.fft.rfftn, np.fft.irfftn, np.fft.fftshift, np.fft.ifftshift, between, fitted, np.linalg.eigh,
    np.linalg.eigvalsh, np.linalg.eig, np.linalg.eigvals, complex_eig, complex_eigvals, eigenvectors, anchors, gaps,
    beyond, leading, np.linalg.svd, np.linalg.svdvals, np.linalg.qr, beside, regular, np.linalg.pinv, pseudoinverse,
    np.linalg.multi_dot, np.linalg.tensorsolve, np.linalg.tensorinv, np.linalg.cond, np.linalg.vector_norm,
    np.linalg.matrix_norm, np.linalg.matmul, np.linalg.outer, np.linalg.tensordot, spread, project, zeros_like, strong,
    strong_divide, direction, unless_zero, update,
))  # fmt: skip
_ELEMENTWISE = frozenset((*UFUNCS, operator.pow, strong, strong_divide, direction, unless_zero, np.where, np.clip))


def fixed(function: Function) -> set[Value]:
    """The arrays that have one shape, and the integers that have one value, for arguments of the same shapes."""
    varying: set[Value] = {p for p in function.params if not isinstance(p.kind, Array) or _integer(p)}
    defined: set[Value] = set(function.params)
    before = -1
    while len(varying) != before:  # what is not found to vary does not
        before = len(varying)
        varying |= incoming(function, varying)
        for op in walk(function.body):
            defined.update(op.results, *(sub.params for sub in op.regions))
            _visit(op, varying)
    return defined - varying


def _visit(op: Op, varying: set[Value]) -> None:
    def varies(x: Any) -> bool:
        return isinstance(x, Value) and x in varying

    if isinstance(op, If | Checkpoint):
        for k, r in enumerate(op.results):
            sides = [side.results[k] for side in op.regions if side.results]
            if any(map(varies, sides)) or not _alike(r, sides):
                varying.add(r)
    elif isinstance(op, For | While):
        n = len(op.inits)
        for p, i, y, r in zip(op.carried, op.inits, op.body.results, op.results, strict=False):
            if varies(i) or varies(y) or varies(p) or not _alike(p, [i, y]):
                varying.update((p, r))
        varying.update(r for r, y in zip(op.results[n:], op.body.results[n:], strict=False) if varies(y) or y is UNDEF)
        if isinstance(op, For):
            for e, s in zip(op.elements, op.sequences, strict=True):
                if varies(s) or isinstance(e.kind, Num):
                    varying.add(e)
        if isinstance(op, While):
            varying.update(q for q, p in zip(op.test.params, op.carried, strict=True) if p in varying)
    elif not _determined(op, varying):
        varying.update(op.results)


def _alike(r: Value, sources: list[Any]) -> bool:
    """Do arrays of one shape come together here?"""
    if not isinstance(r.kind, Array):
        return isinstance(r.kind, Num) and r.kind.dtype.kind not in "iub"
    return all(x is r or (isinstance(x, Value) and same_shape(x.kind, r.kind)) for x in sources)


def _determined(op: Op, varying: set[Value]) -> bool:
    """Do the shapes of the operands tell the shapes of the results, and are they fixed?"""
    t = op.target
    if t is backwards:
        return op.args[0] not in varying
    if t not in _INTEGERS and any(map(_integer, op.results)):
        return False  # read from data
    arrays = [v for v in op.operands() if isinstance(v.kind, Array)]
    if any(v in varying for v in arrays) or any(isinstance(v.kind, Seq) for v in op.operands()):
        return t is operator.getitem and all(isinstance(r.kind, Num) and r.kind.dtype.kind == "f" for r in op.results)
    integers = [v for v in op.operands() if isinstance(v.kind, Num) and v.kind.dtype.kind in "iub"]
    if t is np.where and len(op.args) != 3:
        return False
    if t in _ELEMENTWISE or isinstance(t, np.ufunc):
        return all(isinstance(r.kind, Array) or r.kind.dtype.kind == "f" for r in op.results) or (
            t in _INTEGERS and not any(v in varying for v in integers)
        )
    if t in (length, size):
        return True
    results = [r for r in op.results if r.kind != STATE]
    if isinstance(t, WITH_STATE) and t.rule.functions:
        t = t.rule.functions[0]  # and a pullback gives what has the shape of an argument
    rule = find(t)
    if t not in _BY_SHAPE and not (rule is not None and rule.view):
        return all(isinstance(r.kind, Num) and r.kind.dtype.kind == "f" for r in results) and rule is not None
    if t is operator.getitem:
        steps = op.args[1] if isinstance(op.args[1], tuple) else (op.args[1],)
        bounds = {v for s in steps if isinstance(s, slice) for v in leaves((s.start, s.stop, s.step))}
        return not (bounds & varying or any(_mask(v) for v in leaves(op.args[1])))
    if t is update:
        return True  # as its base
    return not any(v in varying for v in integers)


def _integer(v: Value) -> bool:
    """Is this a number that a shape may be made of, or an array of one such number?"""
    scalar = isinstance(v.kind, Num) or (isinstance(v.kind, Array) and not v.kind.ndim)
    return scalar and v.kind.dtype.kind in "iub"


def _mask(v: Value) -> bool:
    return isinstance(v.kind, Array) and v.kind.dtype == np.bool_
