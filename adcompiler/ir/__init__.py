"""The language in the middle: pure SSA with structured control flow."""
