"""Rules for NumPy, filed as its documentation files the functions."""
