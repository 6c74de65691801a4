"""PageRank with scipy's sparse product and with numba's loops; both transpose the links first, as the program does."""

from peer import counted, hash_of, measure


def data(shape, sizes):
    import numpy as np

    n = sizes[0]
    seed = hash_of(counted(n))
    lengths = sizes[1] // (1 + seed % sizes[1]) if shape == "power" else seed % 17
    off = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(counted(n), lengths)
    t = hash_of((seed[row] + 7919 * (np.arange(off[-1]) - off[row])) % 2147483647) % n
    return off, (t * t // n if shape == "power" else t).astype(np.int32)


def main(words, sizes):
    import numba
    import numpy as np
    import scipy.sparse

    n, steps, damping = sizes[0], sizes[-1], 0.85
    off, to = data(words[0], sizes)
    degree = np.diff(off)

    def whole():
        links = scipy.sparse.csr_matrix((np.ones(len(to)), to, off), shape=(n, n), copy=False)
        incoming = links.T.tocsr()
        inverse = np.divide(1.0, degree, out=np.zeros(n), where=degree > 0)
        ranks = np.full(n, 1.0 / n)
        for _ in range(steps):
            lost = ranks[degree == 0].sum()
            ranks = (1.0 - damping + damping * lost) / n + damping * (incoming @ (ranks * inverse))
        return ranks

    measure("scipy", "csr_matrix.T @ vector", whole)

    @numba.njit(parallel=True)
    def loops(off, to, steps):
        n = len(off) - 1
        start = np.zeros(n + 1, np.int64)
        for t in to:
            start[t + 1] += 1
        for p in range(n):
            start[p + 1] += start[p]
        place, source = start.copy(), np.empty(len(to), np.int32)
        for p in range(n):
            for q in range(off[p], off[p + 1]):
                source[place[to[q]]] = p
                place[to[q]] += 1
        ranks, shares = np.full(n, 1.0 / n), np.empty(n)
        for _ in range(steps):
            lost = 0.0
            for p in numba.prange(n):
                d = off[p + 1] - off[p]
                if d == 0:
                    lost += ranks[p]
                else:
                    shares[p] = ranks[p] / d
            base = (1.0 - damping + damping * lost) / n
            for p in numba.prange(n):
                total = 0.0
                for q in range(start[p], start[p + 1]):
                    total += shares[source[q]]
                ranks[p] = base + damping * total
        return ranks

    measure("numba", "parallel loops", lambda: loops(off, to, steps))
