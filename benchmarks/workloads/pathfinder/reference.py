"""Cheapest ways, each cell from the way there: python reference.py CASE GRIDS ROWS COLUMNS"""

import json
import sys

from plain import checksum, hash_of


def main(b, n, m):
    out = []
    for k in range(b):
        cost = lambda i, j: hash_of((k * n + i) * m + j) % 10
        known = {(0, j): cost(0, j) for j in range(m)}
        for i in range(1, n):
            for j in range(m):
                known[i, j] = cost(i, j) + min(known[i - 1, c] for c in (j - 1, j, j + 1) if 0 <= c < m)
        out += [known[n - 1, j] for j in range(m)]
    print(json.dumps({"checksums": [checksum(out)]}))


main(*map(int, sys.argv[2:]))
