"""Triangles: every triple of nodes that are connected with each other."""

import sys

from plain import hash_of, report


if __name__ == "__main__":
    case, n, links = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    near = [set() for _ in range(n)]
    for i in range(n):
        for j in range(links):
            t = hash_of((hash_of(i) + 7919 * j) % 2147483647) % n
            if case == "power":
                t = n - 1 - t * t // n
            if t != i:
                near[i].add(t)
                near[t].add(i)
    found = [sum(1 for b in near[a] if b > a for c in near[a] if c > b and c in near[b]) for a in range(n)]
    report(found)
