"""Programs as people write them, each with the adjoints that a careful engineer writes for it. A family a file."""

from benchmarks.workloads import (
    accumulation,
    bodies,
    elementwise,
    factorization,
    learning,
    mixture,
    numbers,
    products,
    recurrent,
    stencils,
)
from benchmarks.workloads.workload import Workload

_FAMILIES = (
    products, accumulation, elementwise, learning, recurrent, numbers, stencils, mixture, bodies, factorization,
)  # fmt: skip

WORKLOADS: tuple[Workload, ...] = tuple(workload for family in _FAMILIES for workload in family.WORKLOADS)
