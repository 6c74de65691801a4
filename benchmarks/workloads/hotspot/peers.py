"""The temperature of a chip in numpy (whole grids, padded once per step) and numba (loops)."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba

    steps, n, m = sizes
    cells = counted(n * m)
    given = (323.0 + (hash_of(cells) % 64).astype(np.float32) / np.float32(8)).reshape(n, m).astype(np.float32)
    power = ((hash_of(cells + 77) % 64).astype(np.float32) / np.float32(8192)).reshape(n, m)
    height, width, thickness = 2.0e-5, 1.6e-5, 0.0005
    step = np.float32(0.001 / (3.0e6 / (0.5 * thickness * 1.75e6)) / (0.5 * 1.75e6 * thickness * width * height))
    across, along = np.float32(200.0 * thickness * height / width), np.float32(200.0 * thickness * width / height)
    up, two, air = np.float32(100.0 * height * width / thickness), np.float32(2), np.float32(80)

    def whole_grids():
        t = given
        for _ in range(steps):
            p = np.pad(t, 1, mode="edge")
            rows = (p[:-2, 1:-1] + p[2:, 1:-1] - two * t) * along
            columns = (p[1:-1, :-2] + p[1:-1, 2:] - two * t) * across
            t = t + step * (power + rows + columns + (air - t) * up)
        return t

    measure("numpy", "whole grids", whole_grids, tolerance=1e-5)

    @numba.njit(parallel=True, fastmath=True)
    def one_step(t, to):
        for i in numba.prange(n):
            a, b = max(i - 1, 0), min(i + 1, n - 1)
            for j in range(m):
                l, r, here = max(j - 1, 0), min(j + 1, m - 1), t[i, j]
                to[i, j] = here + step * (power[i, j] + (t[a, j] + t[b, j] - two * here) * along
                                          + (t[i, l] + t[i, r] - two * here) * across + (air - here) * up)

    def loops():
        t, to = given.copy(), np.empty_like(given)
        for _ in range(steps):
            one_step(t, to)
            t, to = to, t
        return t

    measure("numba", "parallel loops", loops, tolerance=1e-5)
