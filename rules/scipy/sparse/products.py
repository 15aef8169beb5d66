"""`S @ x`, `x @ S` and `S.dot(x)`: linear in the array, with the transposed product for a pullback."""

from typing import Any

import numpy as np
from scipy import sparse

from rules.kind import Array, KindError, constant, kind_of, lengths
from rules.libraries import operations
from rules.operands import rank
from rules.rule import primitive, rule


@primitive
def sparse_product(S: Any, x: Any) -> Any:
    """`S @ x`, of a vector or a matrix."""
    return S @ x


@primitive
def transposed_product(S: Any, x: Any) -> Any:
    """`S.T @ x`, of a vector or a matrix."""
    return S.T @ x


@primitive
def from_the_left(S: Any, x: Any) -> Any:
    """`x @ S`, of a vector or a matrix."""
    return x @ S


def known_matrix(S: Any, what: str) -> Any:
    """The matrix itself. Raises KindError for what is none, or is made in the function."""
    if not sparse.issparse(S) or len(S.shape) != 2:
        raise KindError(f"{what} takes a sparse matrix that is made outside of what is differentiated",
                        "make it outside, or write the product with its elements: np.bincount(rows, data * x[columns])")
    return S


def _product(S: Any, x: Any, inner: int, outer: int) -> Array:
    known_matrix(S, "a product with a sparse matrix")
    x = kind_of(x)
    if not isinstance(x, Array) or x.ndim not in (1, 2):
        raise KindError("a sparse matrix is multiplied by a vector or a matrix here", "write a loop")
    lengths().agree(x.shape[0], constant(S.shape[inner]))
    dtype = (sparse.csr_matrix((1, 1), dtype=S.dtype) @ np.ones(1, x.dtype)).dtype
    return Array(dtype, (constant(S.shape[outer]), *x.shape[1:]), x.xp)


@rule("y = sparse_product(S, x)", sparse_product)
class sparse_product_rule:
    def kind(S, x): return _product(S, x, 1, 0)
    def d_x(d_y, S): return transposed_product(S, d_y)
    def t_y(S, t_x): return sparse_product(S, t_x)


@rule("y = transposed_product(S, x)", transposed_product)
class transposed_product_rule:
    def kind(S, x): return _product(S, x, 0, 1)
    def d_x(d_y, S): return sparse_product(S, d_y)
    def t_y(S, t_x): return transposed_product(S, t_x)


@rule("y = from_the_left(S, x)", from_the_left)
class from_the_left_rule:
    def kind(S, x):
        x = kind_of(x)
        y = _product(S, Array(x.dtype, x.shape[::-1], x.xp) if isinstance(x, Array) else x, 0, 1)
        return Array(y.dtype, y.shape[::-1], y.xp)

    def d_x(d_y, S): return sparse_product(S, d_y) if rank(d_y) == 1 else sparse_product(S, d_y.T).T
    def t_y(S, t_x): return from_the_left(S, t_x)


for _class in (sparse.sparray, sparse.spmatrix):
    operations(_class, __matmul__=sparse_product, __rmatmul__=from_the_left, dot=sparse_product)
