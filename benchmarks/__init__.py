"""What gradients cost to compile, and to call beside adjoints written by hand: `python -m benchmarks`."""
