"""Source-transformation automatic differentiation of NumPy programs."""
