"""Breadth-first search with scipy's csgraph and with numba's queue."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba
    import numpy as np
    import scipy.sparse
    import scipy.sparse.csgraph

    if words[0] == "grid":
        side = sizes[0]
        n = side * side
        i = counted(n)
        x, y = i % side, i // side
        around = np.stack([i - 1, i + 1, i - side, i + side], axis=1)
        inside = np.stack([x > 0, x + 1 < side, y > 0, y + 1 < side], axis=1)
        off, to = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]), around[inside].astype(np.int32)
    else:
        n = sizes[0]
        seed = hash_of(counted(n))
        lengths = seed % 17
        off = np.concatenate([[0], np.cumsum(lengths)])
        row = np.repeat(counted(n), lengths)
        to = (hash_of((seed[row] + 7919 * (np.arange(off[-1]) - off[row])) % 2147483647) % n).astype(np.int32)
    graph = scipy.sparse.csr_matrix((np.ones(len(to)), to.copy(), off.copy()), shape=(n, n))
    graph.sum_duplicates()

    @numba.njit
    def depths(order, before):
        far = np.full(len(before), -1)
        far[order[0]] = 0
        for node in order[1:]:
            far[node] = far[before[node]] + 1
        return far

    def with_scipy():
        order, before = scipy.sparse.csgraph.breadth_first_order(graph, 1)
        return depths(order, before)

    measure("scipy", "breadth_first_order", with_scipy)

    @numba.njit
    def search(off, to, start):
        n = len(off) - 1
        far, queue = np.full(n, -1), np.empty(n, np.int32)
        far[start], queue[0], head, tail = 0, start, 0, 1
        while head < tail:
            a = queue[head]
            head += 1
            for q in range(off[a], off[a + 1]):
                b = to[q]
                if far[b] < 0:
                    far[b] = far[a] + 1
                    queue[tail] = b
                    tail += 1
        return far

    measure("numba", "one queue", lambda: search(off, to, 1))
