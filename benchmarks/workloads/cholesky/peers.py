"""Cholesky's factors in numpy (its LAPACK, one matrix or many) and numba."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba

    many = words[0] == "many"
    b, n = sizes if many else (1, sizes[0])
    i, j = np.indices((n, n))
    place = np.maximum(i, j) * n + np.minimum(i, j)
    given = hash_of(counted(b)[:, None, None] * (n * n) + place) % 64 / 64.0 + n * np.eye(n)
    matrices = given if many else given[0]
    measure("numpy", "linalg.cholesky", lambda: np.linalg.cholesky(matrices))

    @numba.njit(parallel=True, fastmath=True)
    def loops():
        out = np.zeros((b, n, n))
        for k in numba.prange(b):
            for i in range(n):
                for j in range(i + 1):
                    s = given[k, i, j]
                    for q in range(j):
                        s -= out[k, i, q] * out[k, j, q]
                    out[k, i, j] = np.sqrt(s) if i == j else s / out[k, j, j]
        return out

    if many:
        measure("numba", "parallel over matrices", loops)
