"""Minimum spanning tree with scipy's csgraph (its weight only: scipy does not say which of equal edges it took) and with numba."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba
    import numpy as np
    import scipy.sparse
    import scipy.sparse.csgraph

    if words[0] == "grid":
        side = sizes[0]
        n = side * side
        i = counted(2 * n)
        v = i // 2
        inside = np.where(i % 2 == 0, v % side + 1 < side, v // side + 1 < side)
        to = np.where(inside, np.where(i % 2 == 0, v + 1, v + side), v)
        weight = hash_of(i) % 1000000
    else:
        n, links = sizes
        i = counted(n * links)
        v, seed = i // links, hash_of(i)
        to, weight = seed % n, hash_of((seed + 7919) % 2147483647) % 1000000
    # scipy takes 0 for no edge and adds up edges between the same nodes: weights are shifted by 1, and the lightest of each pair kept.
    a, b = np.minimum(v, to), np.maximum(v, to)
    order = np.lexsort((weight, b, a))
    a, b, w = a[order], b[order], weight[order]
    first = (a != b) & np.concatenate([[True], (a[1:] != a[:-1]) | (b[1:] != b[:-1])])
    graph = scipy.sparse.csr_matrix((w[first] + 1.0, (a[first], b[first])), shape=(n, n))

    def with_scipy():
        tree = scipy.sparse.csgraph.minimum_spanning_tree(graph)
        return np.array([tree.data.sum() - tree.nnz])

    measure("scipy", "minimum_spanning_tree", with_scipy)

    @numba.njit
    def kruskal(n, v, to, order):
        parent, taken = np.arange(n), np.zeros(len(v), np.bool_)
        for e in order:
            x, y = v[e], to[e]
            while parent[x] != x:
                parent[x] = parent[parent[x]]
                x = parent[x]
            while parent[y] != y:
                parent[y] = parent[parent[y]]
                y = parent[y]
            if x != y:
                taken[e] = True
                parent[max(x, y)] = min(x, y)
        return np.nonzero(taken)[0]

    def with_numba():
        places = kruskal(n, v, to, np.argsort(weight, kind="stable"))
        return np.array([weight[places].sum()]), places

    measure("numba", "Kruskal, numpy's argsort", with_numba, lambda r: r[0], lambda r: r[1])
