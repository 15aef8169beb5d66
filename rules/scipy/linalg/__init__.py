"""Rules for `scipy.linalg`: of single matrices, and of stacks where SciPy takes these.

A keyword that lets a function write into its arguments, `overwrite_a`, is refused.
"""

from rules.scipy.linalg import banded as banded
from rules.scipy.linalg import banded_symmetric as banded_symmetric
from rules.scipy.linalg import factorizations as factorizations
from rules.scipy.linalg import lu as lu
from rules.scipy.linalg import matrix_functions as matrix_functions
from rules.scipy.linalg import of_numpy as of_numpy
from rules.scipy.linalg import refused as refused
from rules.scipy.linalg import riccati as riccati
from rules.scipy.linalg import roots as roots
from rules.scipy.linalg import solving as solving
from rules.scipy.linalg import special_matrices as special_matrices
from rules.scipy.linalg import toeplitz as toeplitz
