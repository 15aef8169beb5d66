"""What gradients cost to compile, and to call beside adjoints by hand and other libraries: `python -m benchmarks`."""
