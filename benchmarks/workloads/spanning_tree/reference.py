"""Minimum spanning tree: edges in order of weight, taken where they join two groups of nodes."""

import sys

from plain import hash_of, report


def edges_of(case, sizes):
    edges = []
    if case == "grid":
        side = sizes[0]
        for i in range(2 * side * side):
            v = i // 2
            inside = v % side + 1 < side if i % 2 == 0 else v // side + 1 < side
            edges.append((v, (v + 1 if i % 2 == 0 else v + side) if inside else v, hash_of(i) % 1000000))
        return side * side, edges
    n, links = sizes
    for i in range(n * links):
        seed = hash_of(i)
        edges.append((i // links, seed % n, hash_of((seed + 7919) % 2147483647) % 1000000))
    return n, edges


if __name__ == "__main__":
    n, edges = edges_of(sys.argv[1], [int(word) for word in sys.argv[2:]])
    group = list(range(n))
    taken = []
    for weight, place in sorted((w, place) for place, (_, _, w) in enumerate(edges)):
        a, b, _ = edges[place]
        if group[a] != group[b]:
            old, new = group[a], group[b]
            group = [new if g == old else g for g in group]
            taken.append(place)
    report([sum(edges[p][2] for p in taken)], sorted(taken))
