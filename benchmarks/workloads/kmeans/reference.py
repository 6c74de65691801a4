"""Clusters by k means from the definition."""

import sys

from plain import hash_of, report


if __name__ == "__main__":
    n, d, k, groups, steps = [int(word) for word in sys.argv[2:]]
    points = []
    for i in range(n):
        group = hash_of((i % groups + 99991) % 2147483647)
        points.append([hash_of((group + 31 * j) % 2147483647) % 512 + hash_of((hash_of(i) + 7919 * j) % 2147483647) % 256 / 8 for j in range(d)])
    centres = points[:k]
    for _ in range(steps):
        members = [[] for _ in range(k)]
        for p in points:
            distances = [sum((x - y) ** 2 for x, y in zip(p, c)) for c in centres]
            members[distances.index(min(distances))].append(p)
        centres = [[sum(column) / len(own) for column in zip(*own)] if own else centre for own, centre in zip(members, centres)]
    report([x for centre in centres for x in centre])
