"""The nearest points in numpy (partitions of all distances), numba (lists of k) and scipy (a tree, built anew and built before)."""

import numpy as np

from peer import counted, first, hash_of, measure, second


def main(words, sizes):
    import numba
    import scipy.spatial

    k, n, places = sizes
    made = lambda i: np.stack([hash_of(2 * i) % 2048 / 8.0, hash_of(2 * i + 1) % 2048 / 8.0], axis=1).astype(np.float32)
    points, at = made(counted(n)), made(counted(places, 77777777))
    x, y = np.ascontiguousarray(points[:, 0]), np.ascontiguousarray(points[:, 1])

    def partitions():
        out = np.empty((places, k), dtype=np.float32)
        for p in range(places):
            d = (x - at[p, 0]) ** 2 + (y - at[p, 1]) ** 2
            out[p] = np.sort(np.partition(d, k - 1)[:k])
        return out

    measure("numpy", "partition for each place, distances only", partitions)

    @numba.njit(parallel=True, fastmath=True)
    def lists():
        best, which = np.full((places, k), np.inf, dtype=np.float32), np.full((places, k), -1)
        for p in numba.prange(places):
            for i in range(n):
                d = (x[i] - at[p, 0]) ** 2 + (y[i] - at[p, 1]) ** 2
                if d < best[p, k - 1]:
                    j = k - 1
                    while j > 0 and d < best[p, j - 1]:
                        best[p, j], which[p, j] = best[p, j - 1], which[p, j - 1]
                        j -= 1
                    best[p, j], which[p, j] = d, i
        return best, which

    measure("numba", "parallel over places", lists, first, second)
    found = lambda tree: np.round(64.0 * tree.query(at, k=k, workers=-1)[0].reshape(places, k) ** 2) / 64.0
    measure("scipy", "cKDTree built each time, distances only", lambda: found(scipy.spatial.cKDTree(points)))
