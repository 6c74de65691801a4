"""PageRank in CuPy: the links turned by cuSPARSE, then its product in every step."""

import cupy as cp

from gpu_peer import counted, hash_of, measure, repeated


def main(words, sizes):
    import cupyx.scipy.sparse as sparse

    n, steps, damping = sizes[0], sizes[-1], 0.85
    seed = hash_of(counted(n))
    lengths = sizes[1] // (1 + seed % sizes[1]) if words[0] == "power" else seed % 17
    off, row, place = repeated(lengths)
    t = hash_of((seed[row] + 7919 * place) % 2147483647) % n
    to, off = (t * t // n if words[0] == "power" else t).astype(cp.int32), off.astype(cp.int32)
    del row, place, t
    ones = cp.ones(len(to))

    def whole():
        links = sparse.csr_matrix((ones, to, off), shape=(n, n))
        incoming = links.T.tocsr()
        degree = cp.diff(off)
        inverse = cp.where(degree > 0, 1.0 / cp.maximum(degree, 1), 0.0)
        stuck = (degree == 0).astype(cp.float64)
        ranks = cp.full(n, 1.0 / n)
        for _ in range(steps):
            lost = (ranks * stuck).sum()
            ranks = (1.0 - damping + damping * lost) / n + damping * (incoming @ (ranks * inverse))
        return ranks

    measure("cupy", "csr_matrix.T @ vector, cuSPARSE", whole)
