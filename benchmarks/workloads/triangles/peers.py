"""Triangles with scipy's sparse product, masked by the graph, and with numba's loops."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba
    import numpy as np
    import scipy.sparse

    n, links = sizes
    i = np.repeat(counted(n), links)
    t = hash_of((hash_of(i) + 7919 * np.tile(np.arange(links), n)) % 2147483647) % n
    if words[0] == "power":
        t = n - 1 - t * t // n
    keep = i != t
    i, t = i[keep], t[keep]
    keys = np.unique(np.concatenate([i * n + t, t * n + i]))
    rows, to = keys // n, (keys % n).astype(np.int32)
    off = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    graph = scipy.sparse.csr_matrix((np.ones(len(to), np.int64), to, off), shape=(n, n))

    def product():
        up = scipy.sparse.triu(graph, k=1, format="csr")
        return np.asarray((up @ up).multiply(up).sum(axis=1)).reshape(-1)

    measure("scipy", "(U @ U).multiply(U)", product)

    @numba.njit(parallel=True)
    def loops(off, to):
        n = len(off) - 1
        up, out = np.empty(n, np.int64), np.zeros(n, np.int64)
        for a in numba.prange(n):
            up[a] = off[a] + np.searchsorted(to[off[a]:off[a + 1]], a, side="right")
        for a in numba.prange(n):
            for q in range(up[a], off[a + 1]):
                b = to[q]
                i, j = q + 1, up[b]
                while i < off[a + 1] and j < off[b + 1]:
                    x, y = to[i], to[j]
                    if x == y:
                        out[a] += 1
                    if x <= y:
                        i += 1
                    if y <= x:
                        j += 1
        return out

    measure("numba", "rows merged, parallel", lambda: loops(off, to))
