"""Implicit steps in numpy (all systems of all strikes at once) and numba (over strikes)."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba

    steps, n, m, count = sizes
    cells = counted(n * m)
    along = (0.25 + hash_of(cells) % 64 / 128.0).reshape(n, m)
    across = (0.125 + hash_of(cells + 77) % 64 / 256.0).reshape(n, m)
    strikes = m * (0.25 + 0.5 * counted(count) / count)

    def solve(r, d):
        """Systems along the last axis but one, all others at once."""
        size, c, d = d.shape[-2], np.zeros_like(d), d.copy()
        for i in range(1, size - 1):
            below = 1.0 / (1.0 + 2.0 * r[i] - r[i] * c[:, i - 1])
            c[:, i] = r[i] * below
            d[:, i] = (d[:, i] + r[i] * d[:, i - 1]) * below
        for i in range(size - 2, 0, -1):
            d[:, i] += c[:, i] * d[:, i + 1]
        return d

    def whole_grids():
        u = np.broadcast_to(np.maximum(np.arange(m) - strikes[:, None], 0.0)[:, None, :], (count, n, m)).copy()
        for _ in range(steps):
            v = u.copy()
            v[:, 1:-1] += across[1:-1] * (u[:, :-2] - 2.0 * u[:, 1:-1] + u[:, 2:])
            v = solve(np.ascontiguousarray(along.T), np.ascontiguousarray(v.transpose(0, 2, 1))).transpose(0, 2, 1)
            u = v.copy()
            u[:, :, 1:-1] += along[:, 1:-1] * (v[:, :, :-2] - 2.0 * v[:, :, 1:-1] + v[:, :, 2:])
            u = solve(across, u)
        return u[:, n // 2, m // 2]

    measure("numpy", "all systems at once", whole_grids)

    @numba.njit(fastmath=True)
    def system(r, d, c):
        size = len(d)
        c[0] = 0.0
        for i in range(1, size - 1):
            below = 1.0 / (1.0 + 2.0 * r[i] - r[i] * c[i - 1])
            c[i] = r[i] * below
            d[i] = (d[i] + r[i] * d[i - 1]) * below
        for i in range(size - 2, 0, -1):
            d[i] += c[i] * d[i + 1]

    @numba.njit(parallel=True, fastmath=True)
    def loops():
        out = np.empty(count)
        for s in numba.prange(count):
            u, v, c = np.empty((n, m)), np.empty((n, m)), np.empty(max(n, m))
            for i in range(n):
                for j in range(m):
                    u[i, j] = max(j - strikes[s], 0.0)
            for _ in range(steps):
                for i in range(n):
                    for j in range(m):
                        inside = 0 < i < n - 1
                        v[i, j] = u[i, j] + across[i, j] * (u[i - 1, j] - 2.0 * u[i, j] + u[i + 1, j]) if inside else u[i, j]
                    system(along[i], v[i], c)
                for i in range(n):
                    for j in range(m):
                        inside = 0 < j < m - 1
                        u[i, j] = v[i, j] + along[i, j] * (v[i, j - 1] - 2.0 * v[i, j] + v[i, j + 1]) if inside else v[i, j]
                for j in range(m):
                    system(across[:, j], u[:, j], c)
            out[s] = u[n // 2, m // 2]
        return out

    measure("numba", "parallel over strikes", loops)
