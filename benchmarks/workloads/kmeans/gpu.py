"""Clusters by k means in CuPy: distances and sums as matrix products, which cuBLAS does."""

import cupy as cp

from gpu_peer import counted, hash_of, measure


def main(words, sizes):
    n, d, k, groups, steps = sizes
    i, j = counted(n)[:, None], counted(d)[None, :]
    points = (hash_of((hash_of((i % groups + 99991) % 2147483647) + 31 * j) % 2147483647) % 512
              + hash_of((hash_of(i) + 7919 * j) % 2147483647) % 256 / 8.0)

    def whole():
        centres = points[:k].copy()
        for _ in range(steps):
            # The square of the point itself is the same for all centres.
            far = (centres * centres).sum(axis=1) - 2.0 * (points @ centres.T)
            mine = (far.argmin(axis=1)[:, None] == counted(k)[None, :]).astype(cp.float64)
            counts = mine.sum(axis=0)
            centres = cp.where(counts[:, None] == 0, centres, (mine.T @ points) / cp.maximum(1, counts)[:, None])
        return centres

    measure("cupy", "products of matrices, argmin", whole)
