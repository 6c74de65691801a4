"""Blurring, with all weights of a cell at once: python reference.py CASE RADIUS ROWS COLUMNS"""

import json
import sys

from plain import checksum, hash_of


def main(r, n, m):
    weight = lambda d: (r + 1 - abs(d)) / (r + 1) ** 2
    mirrored = lambda i, size: -1 - i if i < 0 else 2 * size - 1 - i if i >= size else i
    cell = lambda i, j: hash_of(mirrored(i, n) * m + mirrored(j, m)) % 64 / 8.0
    near = range(-r, r + 1)
    out = [sum(weight(p) * weight(q) * cell(i + p, j + q) for p in near for q in near) for i in range(n) for j in range(m)]
    print(json.dumps({"checksums": [checksum(out)]}))


main(*map(int, sys.argv[2:]))
