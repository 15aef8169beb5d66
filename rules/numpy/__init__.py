"""Rules for NumPy, filed as its documentation files the functions."""

from rules.numpy import arithmetic as arithmetic
from rules.numpy import exponential as exponential
from rules.numpy import powers as powers
from rules.numpy import reductions as reductions
from rules.numpy import trigonometric as trigonometric
