"""A banded matrix times a vector in CuPy: compressed rows (cuSPARSE) and diagonals."""

import cupy as cp

from gpu_peer import counted, hash_of, measure, repeated


def main(words, sizes):
    import cupyx.scipy.sparse as sparse

    n, w = sizes
    i = counted(n)
    off, row, place = repeated(cp.minimum(i, w) + cp.minimum(n - 1 - i, w) + 1)
    column = cp.maximum(row - w, 0) + place
    values = (hash_of((2 * w + 1) * row + column - row + w) % 64) / 8.0
    v = (hash_of(i + 77) % 64) / 8.0
    del row, place
    matrix = sparse.csr_matrix((values, column.astype(cp.int32), off.astype(cp.int32)), shape=(n, n))
    measure("cupy", "csr_matrix @ vector, cuSPARSE", lambda: matrix @ v)
    del values, column, matrix
    # The matrix by diagonals: row k holds what stands w - k below the main one, by columns.
    k, j = counted(2 * w + 1)[:, None], i[None, :]
    at = j - k + w
    diagonals = sparse.dia_matrix(((hash_of((2 * w + 1) * at + j - at + w) % 64) / 8.0, cp.asnumpy(counted(2 * w + 1) - w)), shape=(n, n))
    del k, j, at
    measure("cupy", "dia_matrix @ vector", lambda: diagonals @ v)
