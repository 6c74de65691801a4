"""Sparse product in CuPy: cuSPARSE, its columns put in order."""

import cupy as cp

from gpu_peer import counted, hash_of, measure, repeated


def main(words, sizes):
    import cupyx.scipy.sparse as sparse

    n, width = sizes

    def matrix(second):
        seed = hash_of(counted(n, 5555555 if second else 0))
        lengths = cp.full(n, width) if words[0] == "uniform" else seed % 9 if second else width // (1 + seed % width)
        off, row, place = repeated(lengths)
        at = (seed[row] + 7919 * place) % 2147483647
        values = (1 + at % 64).astype(cp.float64) / 8.0
        return sparse.csr_matrix((values, (hash_of(at) % n).astype(cp.int32), off.astype(cp.int32)), shape=(n, n))

    a, b = matrix(False), matrix(True)

    def product():
        c = a @ b
        c.sort_indices()
        return c

    measure("cupy", "csr_matrix @ csr_matrix, cuSPARSE, sorted", product, lambda c: c.indices, lambda c: c.data)
