"""Sparse product with scipy, its columns put in order, and with numba's loops."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba
    import numpy as np
    import scipy.sparse

    n, width = sizes

    def matrix(second):
        seed = hash_of(counted(n, 5555555 if second else 0))
        lengths = np.full(n, width) if words[0] == "uniform" else seed % 9 if second else width // (1 + seed % width)
        off = np.concatenate([[0], np.cumsum(lengths)])
        row = np.repeat(counted(n), lengths)
        at = (seed[row] + 7919 * (np.arange(off[-1]) - off[row])) % 2147483647
        return off, (hash_of(at) % n).astype(np.int32), (1 + at % 64).astype(np.float64) / 8.0

    (ao, ac, av), (bo, bc, bv) = matrix(False), matrix(True)
    a = scipy.sparse.csr_matrix((av, ac, ao), shape=(n, n), copy=False)
    b = scipy.sparse.csr_matrix((bv, bc, bo), shape=(n, n), copy=False)

    def product():
        c = a @ b
        c.sort_indices()
        return c

    measure("scipy", "csr_matrix @ csr_matrix, sorted", product, lambda c: c.indices, lambda c: c.data)

    @numba.njit(parallel=True)
    def loops(ao, ac, av, bo, bc, bv, parts):
        n = len(ao) - 1
        most = np.zeros(n + 1, np.int64)
        for r in numba.prange(n):
            for q in range(ao[r], ao[r + 1]):
                most[r + 1] += bo[ac[q] + 1] - bo[ac[q]]
        start = np.cumsum(most)
        cols, vals, counts = np.empty(start[n], np.int32), np.empty(start[n]), np.zeros(n, np.int64)
        for part in numba.prange(parts):
            sums, seen = np.zeros(n), np.full(n, -1)
            for r in range(n * part // parts, n * (part + 1) // parts):
                count = 0
                for q in range(ao[r], ao[r + 1]):
                    for p in range(bo[ac[q]], bo[ac[q] + 1]):
                        j = bc[p]
                        if seen[j] != r:
                            seen[j] = r
                            sums[j] = 0.0
                            cols[start[r] + count] = j
                            count += 1
                        sums[j] += av[q] * bv[p]
                found = cols[start[r]:start[r] + count]
                found.sort()
                for k in range(count):
                    vals[start[r] + k] = sums[found[k]]
                counts[r] = count
        end = np.cumsum(counts)
        out_cols, out_vals = np.empty(end[-1], np.int32), np.empty(end[-1])
        for r in numba.prange(n):
            out_cols[end[r] - counts[r]:end[r]] = cols[start[r]:start[r] + counts[r]]
            out_vals[end[r] - counts[r]:end[r]] = vals[start[r]:start[r] + counts[r]]
        return out_cols, out_vals

    measure("numba", "dense rows, parallel", lambda: loops(ao, ac, av, bo, bc, bv, numba.get_num_threads()),
            lambda r: r[0], lambda r: r[1])
