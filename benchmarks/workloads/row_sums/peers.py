import numpy as np
from peer import counted, hash_of, measure, repeated


def main(words, sizes):
    element = lambda i: ((hash_of(i) % 15 - 7).astype(np.float32)) / np.float32(8)
    if words == ["equal"]:
        n, m = sizes
        rows = element(counted(n * m)).reshape(n, m)
        measure("numpy", "sum of rows", lambda: rows.sum(axis=1))
        return
    n, m, tall = sizes
    seed = hash_of(counted(n))
    lengths = 4 + m // (1 + seed % m)
    lengths[n // 2] = tall
    off, row, j = repeated(lengths)
    xs = element((seed[row] + 7919 * j) % 2147483647)
    measure("numpy", "np.add.reduceat", lambda: np.add.reduceat(xs, off[:-1]))
