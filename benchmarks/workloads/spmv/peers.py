import numpy as np
from peer import counted, eighths, hash_of, measure, repeated


def main(words, sizes):
    (shape,) = words
    import scipy.sparse

    n = sizes[0] ** 3 if shape == "banded" else sizes[0]
    if shape == "banded":
        side = sizes[0]
        j = np.arange(27)
        step = (j // 9 - 1) * side * side + (j // 3 % 3 - 1) * side + j % 3 - 1
        i = counted(n)
        col = np.clip(i[:, None] + step[None, :], 0, n - 1).astype(np.int32).reshape(-1)
        val = ((i[:, None] + 5 * j[None, :]) % 64).astype(np.float64).reshape(-1) / 8.0
        off = np.arange(n + 1) * 27
    else:
        if shape == "power":
            lengths = 4 + sizes[1] // (1 + hash_of(counted(n)) % sizes[1])
        elif shape == "half_empty":
            lengths = np.where(hash_of(counted(n)) % 2 == 0, 0, 1 + hash_of(counted(n, 77777777)) % 79)
        else:
            lengths = np.full(n, sizes[1])
            lengths[n // 2] = sizes[2]
        off, row, j = repeated(lengths)
        at = (hash_of(row) + 7919 * j) % 2147483647
        col, val = (hash_of(at) % n).astype(np.int32), (at % 64).astype(np.float64) / 8.0
    v = eighths(counted(n, 5), 64)
    matrix = scipy.sparse.csr_matrix((val, col, off.astype(np.int32)), shape=(n, n), copy=False)
    measure("scipy", "csr_matrix @ vector", lambda: matrix @ v)
