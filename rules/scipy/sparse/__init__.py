"""Rules for `scipy.sparse`: products with matrices that are known, and matrices that are made of data.

A matrix from outside is known by identity: an argument, or a variable of the module. Its numbers may be changed between
calls, not their type. One that is made in the program is its pattern and its data, which have derivatives.
"""

from rules.scipy.sparse import construction as construction
from rules.scipy.sparse import products as products
