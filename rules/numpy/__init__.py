"""Rules for NumPy, filed as its documentation files the functions."""

from rules.numpy import arithmetic as arithmetic
from rules.numpy import averages as averages
from rules.numpy import axes as axes
from rules.numpy import complex_numbers as complex_numbers
from rules.numpy import creation as creation
from rules.numpy import decompositions as decompositions
from rules.numpy import diagonals as diagonals
from rules.numpy import differences as differences
from rules.numpy import exponential as exponential
from rules.numpy import extrema as extrema
from rules.numpy import indexing as indexing
from rules.numpy import joining as joining
from rules.numpy import linalg as linalg
from rules.numpy import logic as logic
from rules.numpy import miscellaneous as miscellaneous
from rules.numpy import nanfunctions as nanfunctions
from rules.numpy import order_statistics as order_statistics
from rules.numpy import powers as powers
from rules.numpy import products as products
from rules.numpy import reductions as reductions
from rules.numpy import rounding as rounding
from rules.numpy import searching as searching
from rules.numpy import shape as shape
from rules.numpy import splitting as splitting
from rules.numpy import trigonometric as trigonometric
