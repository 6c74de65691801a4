"""A banded matrix times a vector: python reference.py CASE ROWS WIDTH"""

import json
import sys

from plain import checksum, hash_of


def main(n, w):
    v = [hash_of(i + 77) % 64 / 8.0 for i in range(n)]
    out = []
    for i in range(n):
        columns = [c for c in range(n) if abs(c - i) <= w]
        out.append(sum(hash_of((2 * w + 1) * i + j) % 64 / 8.0 * v[c] for j, c in ((c - i + w, c) for c in columns)))
    print(json.dumps({"checksums": [checksum(out)]}))


main(*map(int, sys.argv[2:]))
