"""A banded matrix times a vector in scipy (diagonals, and compressed rows) and numba."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba
    import scipy.sparse

    n, w = sizes
    i = counted(n)
    lengths = np.minimum(i, w) + np.minimum(n - 1 - i, w) + 1
    off = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(i, lengths)
    column = np.maximum(row - w, 0) + np.arange(off[-1]) - off[row]
    values = (hash_of((2 * w + 1) * row + column - row + w) % 64) / 8.0
    v = (hash_of(i + 77) % 64) / 8.0
    matrix = scipy.sparse.csr_array((values, column.astype(np.int32), off.astype(np.int32)), shape=(n, n))
    measure("scipy", "csr_array @ vector", lambda: matrix @ v)
    diagonals = matrix.todia()
    measure("scipy", "dia_array @ vector", lambda: diagonals @ v)
    del row, column, matrix, diagonals

    @numba.njit(parallel=True, fastmath=True)
    def loops():
        out = np.empty(n)
        for i in numba.prange(n):
            s, first, start = 0.0, max(i - w, 0), off[i]
            for j in range(off[i + 1] - start):
                s += values[start + j] * v[first + j]
            out[i] = s
        return out

    measure("numba", "parallel over rows", loops)
