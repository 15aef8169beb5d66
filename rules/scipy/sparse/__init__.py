"""Rules for `scipy.sparse`: products of a sparse matrix that is known, and does not depend on anything, with an array.

A matrix is known by identity: an argument, or a variable of the module. Its numbers may be changed between calls, not
their type.
"""

from rules.scipy.sparse import products as products
