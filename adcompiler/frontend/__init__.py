"""Python function to pure IR."""
