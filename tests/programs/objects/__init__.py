"""Programs with classes, as they are found in solvers, filters, networks and models of mechanics."""
