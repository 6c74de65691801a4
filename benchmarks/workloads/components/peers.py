"""Connected components with scipy's csgraph, labels turned into least nodes, and with numba's union of trees."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba
    import numpy as np
    import scipy.sparse
    import scipy.sparse.csgraph

    n = sizes[0]
    i = counted(n)
    seed = hash_of(i)
    if words[0] == "chains":
        linked, target = seed % 1000 != 0, (i + 7919) % n
    else:
        linked, target = seed % 2 != 0, hash_of(seed) % n
    off = np.concatenate([[0], np.cumsum(linked)])
    to = target[linked].astype(np.int32)
    graph = scipy.sparse.csr_matrix((np.ones(len(to)), to, off), shape=(n, n))

    def with_scipy():
        number, labels = scipy.sparse.csgraph.connected_components(graph, directed=False)
        least = np.full(number, n)
        np.minimum.at(least, labels, i)
        return least[labels]

    measure("scipy", "connected_components", with_scipy)

    @numba.njit
    def union(off, to):
        n = len(off) - 1
        parent = np.arange(n)
        for i in range(n):
            for q in range(off[i], off[i + 1]):
                a, b = i, to[q]
                while parent[a] != a:
                    parent[a] = parent[parent[a]]
                    a = parent[a]
                while parent[b] != b:
                    parent[b] = parent[parent[b]]
                    b = parent[b]
                parent[max(a, b)] = min(a, b)
        for i in range(n):
            parent[i] = parent[parent[i]]
        return parent

    measure("numba", "union of trees, one thread", lambda: union(off, to))
