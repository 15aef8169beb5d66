"""What is computed of a sparse matrix by its pattern and its data, linear in the data; the family is closed.

The cotangent of y = A x by the data is d_y[row] x[column], of each element; that of x is the product with the
transpose. No derivative makes a dense matrix, unless `A.toarray()` has made one.
"""

from typing import Any

import numpy as np
from scipy import sparse

from rules.kind import Array, KindError, constant, lengths
from rules.rule import primitive, rule
from rules.scipy.sparse.pattern import Pattern, structure, transposed


def data_of(data: Any, pattern: Any) -> Array:
    """The kind of the data of such a matrix."""
    if not isinstance(data, Array) or data.ndim != 1:
        raise KindError(f"{data} for the elements of a sparse matrix is not supported", "give it a vector of numbers")
    lengths().equate(data.shape[0], structure(pattern).count)
    return data


def vectors(*operands: Any) -> None:
    """Refuse what is not a vector or a matrix."""
    for x in operands:
        if not isinstance(x, Array) or x.ndim not in (1, 2):
            raise KindError(f"the product of a sparse matrix and {x} is not supported",
                            "multiply it by a vector or a matrix; write a loop for more axes")


def product_dtype(a: Any, b: Any) -> np.dtype[Any]:
    """The dtype of the product of a sparse matrix and an array."""
    made: np.dtype[Any] = (sparse.csr_matrix((1, 1), dtype=a.dtype) @ np.ones(1, b.dtype)).dtype
    return made


# ------------------------------------------------------------------------------------------------ products
@primitive
def matrix_product(pattern: Pattern, data: Any, x: Any) -> Any:
    """`A @ x`, of a vector or a matrix."""
    return pattern.matrix(data) @ x


@primitive
def element_products(pattern: Pattern, u: Any, v: Any) -> Any:
    """`u[row] * v[column]` for each element, summed over the columns of matrices: those of u v^T in the pattern."""
    if u.ndim == 1:
        return _products(pattern, u, v)
    if not u.shape[1]:
        return np.zeros(pattern.count, np.result_type(u, v))
    made = _products(pattern, u[:, 0], v[:, 0])
    for k in range(1, u.shape[1]):
        made += _products(pattern, u[:, k], v[:, k])
    return made


def _products(pattern: Pattern, u: Any, v: Any) -> Any:
    rows, columns = pattern.places
    if len(u) != pattern.shape[0] or len(v) != pattern.shape[1]:
        raise ValueError(f"vectors of lengths {len(u)} and {len(v)} beside a matrix of {pattern.shape}")
    made = v.take(columns, mode="clip")  # which is not checked again: they are within
    return np.multiply(u.take(rows, mode="clip"), made, out=made if np.result_type(u, v) == v.dtype else None)


@rule("y = matrix_product(pattern, data, x)", matrix_product)
class matrix_product_rule:
    def kind(pattern, data, x):
        p, data = structure(pattern), data_of(data, pattern)
        vectors(x)
        lengths().equate(x.shape[0], p.columns)
        return Array(product_dtype(data, x), (p.rows, *x.shape[1:]))

    def d_data(d_y, pattern, x): return element_products(pattern, d_y, x)
    def d_x(d_y, pattern, data): return matrix_product(transposed(pattern), data, d_y)

    def t_y(pattern, data, x, t_data, t_x):
        return matrix_product(pattern, t_data, x) + matrix_product(pattern, data, t_x)


@rule("e = element_products(pattern, u, v)", element_products)
class element_products_rule:
    def kind(pattern, u, v):
        p = structure(pattern)
        vectors(u, v)
        lengths().equate(u.shape[0], p.rows)
        lengths().equate(v.shape[0], p.columns)
        return Array(np.result_type(u.dtype, v.dtype), (p.count,))

    def d_u(d_e, pattern, v): return matrix_product(pattern, d_e, v)
    def d_v(d_e, pattern, u): return matrix_product(transposed(pattern), d_e, u)
    def t_e(pattern, u, v, t_u, t_v): return element_products(pattern, t_u, v) + element_products(pattern, u, t_v)


# ----------------------------------------------------------------------------------------- other patterns
@primitive
def collected(pattern: Pattern, positions: Any, elements: Any) -> Any:
    """The data of a matrix to which each of these elements is added at its position."""
    if len(positions) != len(elements):
        raise ValueError(f"a sparse matrix of {len(positions)} places with {len(elements)} elements")
    data = np.zeros(pattern.count, elements.dtype)
    np.add.at(data, positions, elements)
    return data


@rule("data = collected(pattern, positions, elements)", collected)
class collected_rule:
    def kind(pattern, positions, elements):
        lengths().equate(positions.shape[0], elements.shape[0])
        return Array(elements.dtype, (structure(pattern).count,))

    def d_elements(d_data, positions): return d_data[positions]
    def t_data(pattern, positions, t_elements): return collected(pattern, positions, t_elements)


# -------------------------------------------------------------------------------------------------- dense
@primitive
def dense(pattern: Pattern, data: Any) -> Any:
    """`A.toarray()`."""
    return pattern.matrix(data).toarray()


@primitive
def picked(pattern: Pattern, M: Any) -> Any:
    """What an array has at the place of each element."""
    return M[pattern.places]


@rule("M = dense(pattern, data)", dense)
class dense_rule:
    def kind(pattern, data):
        p = structure(pattern)
        return Array(data_of(data, pattern).dtype, (p.rows, p.columns))

    def d_data(d_M, pattern): return picked(pattern, d_M)
    def t_M(pattern, t_data): return dense(pattern, t_data)


@rule("e = picked(pattern, M)", picked)
class picked_rule:
    def kind(pattern, M): return Array(M.dtype, (structure(pattern).count,))
    def d_M(d_e, pattern): return dense(pattern, d_e)
    def t_e(pattern, t_M): return picked(pattern, t_M)


# ----------------------------------------------------------------------------------------------- diagonals
@primitive
def matrix_diagonal(pattern: Pattern, data: Any, k: Any = 0) -> Any:
    """`A.diagonal(k)`."""
    return pattern.matrix(data).diagonal(k)


@primitive
def on_diagonal(pattern: Pattern, v: Any, k: Any = 0) -> Any:
    """What a vector has for each element on a diagonal; zero for the others."""
    rows, columns = pattern.places
    there = columns - rows == k
    made = np.zeros(pattern.count, v.dtype)
    made[there] = v[(rows + min(k, 0))[there]]
    return made


@rule("v = matrix_diagonal(pattern, data, k=0)", matrix_diagonal)
class matrix_diagonal_rule:
    def kind(pattern, data, k):
        p = structure(pattern)
        m, n = map(lengths().resolve, (p.rows, p.columns))
        size = m if m == n and isinstance(k, int) and k == 0 else lengths().fresh()
        if isinstance(k, int) and m.constant and n.constant:
            size = constant(max(min(m.offset + min(k, 0), n.offset - max(k, 0)), 0))
        return Array(data_of(data, pattern).dtype, (size,))

    def d_data(d_v, pattern, k): return on_diagonal(pattern, d_v, k)
    def t_v(pattern, t_data, k): return matrix_diagonal(pattern, t_data, k)


@rule("e = on_diagonal(pattern, v, k=0)", on_diagonal)
class on_diagonal_rule:
    def kind(pattern, v): return Array(v.dtype, (structure(pattern).count,))
    def d_v(d_e, pattern, k): return matrix_diagonal(pattern, d_e, k)
    def t_e(pattern, t_v, k): return on_diagonal(pattern, t_v, k)
