"""Stencils: heat, waves, Burgers, level sets, cellular rules; double buffers, views and helpers that write."""

import numpy as np

RNG = np.random.default_rng(0)
LINE = RNG.uniform(0.5, 1.5, 7)
PLANE = RNG.uniform(0.5, 1.5, (4, 5))
CUBE = RNG.uniform(0.5, 1.5, (3, 4, 3))


def heat_swapped(u0, rate, steps):
    """Heat on a line, from one buffer into the other, which are swapped."""
    u, new = u0.copy(), u0.copy()
    for _ in range(steps):
        new[1:-1] = u[1:-1] + rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u, new = new, u
    return np.sum(u * u)


def heat_alternating(u0, steps):
    """Heat on a line, from a into b and from b into a, by turns."""
    a, b = u0.copy(), np.zeros_like(u0)
    for k in range(steps):
        if k % 2 == 0:
            b[1:-1] = 0.25 * (a[2:] + 2.0 * a[1:-1] + a[:-2])
            b[0], b[-1] = a[0], a[-1]
        else:
            a[1:-1] = 0.25 * (b[2:] + 2.0 * b[1:-1] + b[:-2])
    return np.sum(a * b)


def heat_ping_pong(u0, steps):
    """Heat on a line, in the two rows of one buffer."""
    buffers = np.empty((2, len(u0)))
    buffers[:] = u0
    for k in range(steps):
        source, target = buffers[k % 2], buffers[(k + 1) % 2]
        target[1:-1] = source[1:-1] + 0.2 * (source[2:] - 2 * source[1:-1] + source[:-2])
    return np.sum(buffers[steps % 2] ** 2)


def heat_into_rows(u0, steps):
    """Heat on a line, all of it in one table: a row a step."""
    u = np.zeros((steps + 1, len(u0)))
    u[0] = u0
    for n in range(steps):
        u[n + 1] = u[n]
        u[n + 1, 1:-1] += 0.2 * (u[n, 2:] - 2 * u[n, 1:-1] + u[n, :-2])
    return np.sum(u[-1] ** 2) + np.mean(u)


def smoothed_by_elements(u0, sweeps):
    """A stencil by elements, in place: each reads what was written before it."""
    u = u0.copy()
    for _ in range(sweeps):
        for i in range(1, len(u) - 1):
            u[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1])
    return np.sum(u * u * u)


def heat_in_the_plane(u0, conductivity, steps):
    """Heat in the plane, with named views of the neighbours."""
    u = u0.copy()
    inner, north, south = u[1:-1, 1:-1], u[:-2, 1:-1], u[2:, 1:-1]
    west, east = u[1:-1, :-2], u[1:-1, 2:]
    for _ in range(steps):
        inner += conductivity * (north + south + west + east - 4.0 * inner)
    return np.sum(u * u)


def heat_in_space(u0, steps):
    """Heat in three dimensions, the Laplacian collected in an array made before."""
    u, change = u0.copy(), np.zeros_like(u0)
    for _ in range(steps):
        change[:] = 0.0
        change[1:-1] += u[2:] - 2 * u[1:-1] + u[:-2]
        change[:, 1:-1] += u[:, 2:] - 2 * u[:, 1:-1] + u[:, :-2]
        change[:, :, 1:-1] += u[:, :, 2:] - 2 * u[:, :, 1:-1] + u[:, :, :-2]
        u += 0.1 * change
    return np.sum(u**2)


def wave_rotated(u0, steps):
    """The wave equation: three buffers that rotate."""
    before, now, after = u0.copy(), u0.copy(), np.zeros_like(u0)
    for _ in range(steps):
        after[1:-1] = 2 * now[1:-1] - before[1:-1] + 0.3 * (now[2:] - 2 * now[1:-1] + now[:-2])
        before, now, after = now, after, before
    return np.sum(now * now * before)


def leap_frog(u0, v0, speed, steps):
    """Velocity and pressure on staggered grids, by turns and in place."""
    u, v = u0.copy(), v0.copy()
    for _ in range(steps):
        v -= 0.1 * speed * (u[1:] - u[:-1])
        u[1:-1] -= 0.1 * (v[1:] - v[:-1])
    return 0.5 * np.sum(u * u) + 0.5 * np.sum(v * v)


def burgers_upwind(u0, viscosity, steps):
    """Burgers' equation, by a helper that writes its argument, in flux form."""
    u, flux = u0.copy(), np.zeros(len(u0) - 1)

    def advance(u, flux):
        np.multiply(u[:-1], 0.5 * u[:-1], out=flux)
        flux -= viscosity * (u[1:] - u[:-1])
        u[1:-1] -= 0.1 * (flux[1:] - flux[:-1])

    for _ in range(steps):
        advance(u, flux)
    return np.sum(u * u)


def level_set(phi0, steps):
    """A front that moves outward: one-sided differences, by masks."""
    phi = phi0.copy()
    left, right = np.zeros_like(phi), np.zeros_like(phi)
    for _ in range(steps):
        left[1:] = phi[1:] - phi[:-1]
        right[:-1] = phi[1:] - phi[:-1]
        left[left < 0] = 0.0
        np.minimum(right, 0.0, out=right)
        phi -= 0.1 * np.sqrt(left * left + right * right + 0.01)
    return np.sum(phi * phi)


def lattice(f0, steps):
    """A lattice gas: distributions that stream in opposite directions and collide in place."""
    f = np.stack([f0, f0[::-1], 0.5 * f0])
    right, left, rest = f[0], f[1], f[2]
    for _ in range(steps):
        right[1:] = right[:-1].copy()
        left[:-1] = left[1:].copy()
        density = right + left + rest
        for g in (right, left, rest):
            g += 0.5 * (density * density / 6.0 - g)
    return np.sum(f * f)


def reaction_diffusion(u0, v0, steps):
    """Gray and Scott: two fields with periodic ends, in a dict that a helper updates."""

    def diffuse(s, name, rate):
        a = s[name]
        s[name] += rate * (np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a)

    s = {"u": u0.copy(), "v": v0.copy()}
    for _ in range(steps):
        reaction = s["u"] * s["v"] ** 2
        diffuse(s, "u", 0.16)
        diffuse(s, "v", 0.08)
        s["u"] -= reaction - 0.03 * (1 - s["u"])
        s["v"] += reaction - 0.08 * s["v"]
    return np.sum(s["u"] * s["v"])


def fields_put_anew(u0, steps):
    """A helper that puts new arrays into the dict it is given."""

    def advance(s):
        s["u"] = s["u"] + 0.1 * s["v"]
        s["v"] = s["v"] - 0.1 * s["u"]

    s = {"u": u0.copy(), "v": np.zeros_like(u0)}
    for _ in range(steps):
        advance(s)
    return np.sum(s["u"] * s["v"])


def cells(state, steps):
    """A smooth cellular rule: the neighbours are counted into an array that is padded at the ends."""
    padded = np.zeros((state.shape[0] + 2, state.shape[1] + 2))
    board = padded[1:-1, 1:-1]
    board[...] = state
    for _ in range(steps):
        neighbours = np.zeros_like(state)
        for i in range(3):
            for j in range(3):
                if i != 1 or j != 1:
                    neighbours += padded[i : i + state.shape[0], j : j + state.shape[1]]
        board[...] = np.tanh(0.2 * neighbours * board + 0.1 * board)
    return np.sum(board)


def edges_reflected(u0, steps):
    """Ghost cells that a helper fills, at both ends of both axes."""

    def reflect(a):
        a[0], a[-1] = a[1], a[-2]
        a[:, 0] = a[:, 1]
        a[:, -1] = a[:, -2]

    u = np.zeros((u0.shape[0] + 2, u0.shape[1] + 2))
    u[1:-1, 1:-1] = u0
    for _ in range(steps):
        reflect(u)
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return np.sum(u**3)


def shock_tube(u0, steps):
    """Lax and Friedrichs for a system: rows of one array are density and momentum."""
    state = np.stack([u0, 0.1 * u0])
    new = state.copy()
    for _ in range(steps):
        rho, m = state
        f = np.stack([m, m * m / rho + 0.4 * rho])
        new[:, 1:-1] = 0.5 * (state[:, 2:] + state[:, :-2]) - 0.05 * (f[:, 2:] - f[:, :-2])
        state, new = new, state
    return np.sum(state[0] * state[1])


PROGRAMS = [
    (heat_swapped, (LINE, 0.2, 3)), (heat_alternating, (LINE, 3)), (heat_ping_pong, (LINE, 3)),
    (heat_into_rows, (LINE, 3)), (smoothed_by_elements, (LINE, 2)), (heat_in_the_plane, (PLANE, 0.1, 3)),
    (heat_in_space, (CUBE, 2)), (wave_rotated, (LINE, 4)), (leap_frog, (LINE, LINE[1:] - 1.0, 0.7, 3)),
    (burgers_upwind, (LINE, 0.1, 3)), (level_set, (LINE, 2)), (lattice, (LINE, 2)),
    (reaction_diffusion, (PLANE, PLANE[::-1] * 0.5, 2)), (fields_put_anew, (LINE, 2)), (cells, (PLANE, 2)),
    (edges_reflected, (PLANE, 2)), (shock_tube, (LINE, 3)),
]  # fmt: skip
