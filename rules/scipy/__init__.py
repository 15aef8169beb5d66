"""Rules for SciPy, a package for each of its modules, imported when a function of that is first met."""
