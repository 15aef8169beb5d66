"""IR to IR, one idea a file."""
