"""The energy of bodies that attract one another: arrays over all pairs."""

import numpy as np

from benchmarks.workloads.workload import Array, Gradient, Workload, normal, once, uniform


def energy(positions: Array, masses: Array) -> float:
    d = positions[:, None, :] - positions[None, :, :]
    r2 = np.sum(d * d, axis=2) + 0.01
    return -0.5 * np.sum(masses[:, None] * masses[None, :] / np.sqrt(r2))


def energy_by_hand(positions: Array, masses: Array) -> tuple[Array, Array]:
    d = positions[:, None, :] - positions[None, :, :]
    r2 = np.sum(d * d, axis=2) + 0.01
    inverse = 1.0 / np.sqrt(r2)
    d_r2 = 0.25 * (masses[:, None] * masses[None, :]) * inverse / r2
    d_d = 2.0 * d_r2[:, :, None] * d
    d_product = -0.5 * inverse
    return np.sum(d_d, axis=1) - np.sum(d_d, axis=0), d_product @ masses + masses @ d_product


def energy_pre(positions: Array, masses: Array) -> Gradient:
    n = masses.size
    d, d_d = np.empty((n, n, 3)), np.empty((n, n, 3))
    r2, inverse, weight = (np.empty((n, n)) for _ in range(3))
    d_positions, over_rows = np.empty_like(positions), np.empty_like(positions)
    d_masses, other = np.empty_like(masses), np.empty_like(masses)

    def gradient(positions: Array, masses: Array) -> tuple[Array, Array]:
        np.subtract(positions[:, None, :], positions[None, :, :], out=d)
        np.einsum("ijk,ijk->ij", d, d, out=r2)
        np.add(r2, 0.01, out=r2)
        np.sqrt(r2, out=inverse)
        np.divide(1.0, inverse, out=inverse)

        np.multiply(masses[:, None], masses[None, :], out=weight)
        np.multiply(weight, inverse, out=weight)
        np.divide(weight, r2, out=weight)
        np.multiply(weight, 0.5, out=weight)
        np.multiply(weight[:, :, None], d, out=d_d)
        np.sum(d_d, axis=1, out=d_positions)
        np.sum(d_d, axis=0, out=over_rows)
        np.subtract(d_positions, over_rows, out=d_positions)

        d_product = np.multiply(inverse, -0.5, out=inverse)
        np.dot(d_product, masses, out=d_masses)
        np.dot(masses, d_product, out=other)
        np.add(d_masses, other, out=d_masses)
        return d_positions, d_masses

    return gradient


def energy_best(positions: Array, masses: Array) -> tuple[Array, Array]:
    """Distances by a product of matrices, forces by another: no array over pairs and axes."""
    squares = np.sum(positions * positions, axis=1)
    r2 = positions @ positions.T
    r2 *= -2.0
    r2 += squares[:, None]
    r2 += squares[None, :] + 0.01
    weight = np.sqrt(r2)
    np.divide(1.0, weight, out=weight)
    d_masses = -(weight @ masses)
    weight /= r2
    weight *= masses
    weight *= masses[:, None]
    return weight.sum(1)[:, None] * positions - weight @ positions, d_masses


def energy_arguments(n: int) -> tuple[Array, Array]:
    return normal(n, 3), uniform(0.5, 1.0, n, seed=1)


WORKLOADS = (
    Workload(
        "N-body energy, n=500",
        energy,
        lambda: energy_arguments(500),
        lambda: energy_arguments(4),
        argnums=(0, 1),
        references={"pre": energy_pre, "hand": once(energy_by_hand), "best": once(energy_best)},
        bar=1.15,
    ),
)
