"""Lattice Boltzmann in numpy (nine grids, each rolled) and numba (loops over cells)."""

import numpy as np

from peer import counted, hash_of, measure

DX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
DY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
OPPOSITE = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])
WEIGHT = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, dtype=np.float32)


def main(words, sizes):
    import numba

    steps, n, m = sizes
    omega = np.float32(1.25)
    solid = (hash_of(counted(n * m)) % 100 == 0).reshape(n, m)
    noise = ((hash_of(counted(n * m * 9)) % 64).astype(np.float32) / np.float32(4096)).reshape(n, m, 9)
    cells = WEIGHT * (np.float32(1) + (0.25 * DX).astype(np.float32) + noise)
    grids = np.ascontiguousarray(cells.transpose(2, 0, 1))

    def whole_grids():
        f = grids
        for _ in range(steps):
            g = np.stack([np.roll(f[k], (DY[k], DX[k]), (0, 1)) for k in range(9)])
            density = g.sum(axis=0)
            x = (g[1] - g[3] + g[5] - g[6] - g[7] + g[8]) / density
            y = (g[2] - g[4] + g[5] + g[6] - g[7] - g[8]) / density
            still = np.float32(1) - np.float32(1.5) * (x * x + y * y)
            f = np.empty_like(g)
            for k in range(9):
                along = np.float32(3) * (np.float32(DX[k]) * x + np.float32(DY[k]) * y)
                relaxed = g[k] + omega * (WEIGHT[k] * density * (still + along + np.float32(0.5) * along * along) - g[k])
                f[k] = np.where(solid, g[OPPOSITE[k]], relaxed)
        return f

    measure("numpy", "whole grids", whole_grids, lambda f: f.transpose(1, 2, 0), tolerance=1e-5)

    @numba.njit(parallel=True, fastmath=True)
    def one_step(f, to):
        for i in numba.prange(n):
            g = np.empty(9, dtype=np.float32)
            for j in range(m):
                for k in range(9):
                    g[k] = f[(i - DY[k]) % n, (j - DX[k]) % m, k]
                if solid[i, j]:
                    for k in range(9):
                        to[i, j, k] = g[OPPOSITE[k]]
                else:
                    density = g[0] + g[1] + g[2] + g[3] + g[4] + g[5] + g[6] + g[7] + g[8]
                    x = (g[1] - g[3] + g[5] - g[6] - g[7] + g[8]) / density
                    y = (g[2] - g[4] + g[5] + g[6] - g[7] - g[8]) / density
                    still = np.float32(1) - np.float32(1.5) * (x * x + y * y)
                    for k in range(9):
                        along = np.float32(3) * (np.float32(DX[k]) * x + np.float32(DY[k]) * y)
                        to[i, j, k] = g[k] + omega * (WEIGHT[k] * density * (still + along + np.float32(0.5) * along * along) - g[k])

    def loops():
        f, to = cells.copy(), np.empty_like(cells)
        for _ in range(steps):
            one_step(f, to)
            f, to = to, f
        return f

    measure("numba", "parallel loops", loops, tolerance=1e-5)
