"""Triangles in CuPy: the product of the upper triangle of the graph with itself (cuSPARSE), masked by the triangle."""

import cupy as cp

from gpu_peer import counted, hash_of, measure


def main(words, sizes):
    import cupyx.scipy.sparse as sparse

    n, links = sizes
    at = counted(n * links)
    i = at // links
    t = hash_of((hash_of(i) + 7919 * (at % links)) % 2147483647) % n
    if words[0] == "power":
        t = n - 1 - t * t // n
    keep = i != t
    keys = cp.unique(cp.concatenate([(i * n + t)[keep], (t * n + i)[keep]]))
    rows, to = keys // n, keys % n
    above = rows < to
    rows, to = rows[above], to[above]
    off = cp.zeros(n + 1, dtype=cp.int32)
    off[1:] = cp.cumsum(cp.bincount(rows, minlength=n))
    up = sparse.csr_matrix((cp.ones(len(to)), to.astype(cp.int32), off), shape=(n, n))
    del at, i, t, keep, keys, rows, above

    measure("cupy", "(U @ U).multiply(U), cuSPARSE", lambda: (up @ up).multiply(up).sum(axis=1))
