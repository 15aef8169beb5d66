"""Random NumPy programs, and what must hold of their gradients: `python -m tests.fuzz --help`."""
