"""Clusters by k means with scipy's distances and numpy, and with numba's loops."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba
    import numpy as np
    import scipy.spatial.distance

    n, d, k, groups, steps = sizes
    i, j = counted(n)[:, None], np.arange(d)[None, :]
    points = (hash_of((hash_of((i % groups + 99991) % 2147483647) + 31 * j) % 2147483647) % 512
              + hash_of((hash_of(i) + 7919 * j) % 2147483647) % 256 / 8.0)

    def whole():
        centres = points[:k].copy()
        for _ in range(steps):
            places = scipy.spatial.distance.cdist(points, centres, "sqeuclidean").argmin(axis=1)
            counts = np.bincount(places, minlength=k)
            sums = np.stack([np.bincount(places, weights=points[:, j], minlength=k) for j in range(d)], axis=1)
            centres = np.where(counts[:, None] == 0, centres, sums / np.maximum(1, counts)[:, None])
        return centres

    measure("scipy", "cdist, argmin, bincount", whole)

    @numba.njit(parallel=True, fastmath=True)
    def loops(points, k, steps, parts):
        n, d = points.shape
        centres = points[:k].copy()
        for _ in range(steps):
            sums, counts = np.zeros((parts, k, d)), np.zeros((parts, k), np.int64)
            for part in numba.prange(parts):
                for i in range(n * part // parts, n * (part + 1) // parts):
                    best, least = 0, np.inf
                    for c in range(k):
                        s = 0.0
                        for j in range(d):
                            s += (points[i, j] - centres[c, j]) ** 2
                        if s < least:
                            best, least = c, s
                    counts[part, best] += 1
                    for j in range(d):
                        sums[part, best, j] += points[i, j]
            for c in range(k):
                count = counts[:, c].sum()
                if count > 0:
                    for j in range(d):
                        centres[c, j] = sums[:, c, j].sum() / count
        return centres

    measure("numba", "parallel loops", lambda: loops(points, k, steps, numba.get_num_threads()))
