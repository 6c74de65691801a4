"""Blurring with scipy (a correlation along each axis) and numba (loops over an extended image)."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba
    import scipy.ndimage

    r, n, m = sizes
    j = np.arange(2 * r + 1)
    weights = ((1 + np.minimum(j, 2 * r - j)) / (r + 1) ** 2).astype(np.float32)
    image = ((hash_of(counted(n * m)) % 64).astype(np.float32) / np.float32(8)).reshape(n, m)

    def correlations():
        rows = scipy.ndimage.correlate1d(image, weights, axis=1, mode="reflect")
        return scipy.ndimage.correlate1d(rows, weights, axis=0, mode="reflect")

    measure("scipy", "correlate1d twice", correlations, tolerance=1e-5)

    @numba.njit(parallel=True, fastmath=True)
    def passes(wide):
        rows, out = np.zeros((n + 2 * r, m), dtype=np.float32), np.zeros((n, m), dtype=np.float32)
        for i in numba.prange(n + 2 * r):
            for k in range(2 * r + 1):
                for j in range(m):
                    rows[i, j] += weights[k] * wide[i, j + k]
        for i in numba.prange(n):
            for k in range(2 * r + 1):
                for j in range(m):
                    out[i, j] += weights[k] * rows[i + k, j]
        return out

    measure("numba", "two passes over an extended image", lambda: passes(np.pad(image, r, mode="symmetric")), tolerance=1e-5)
