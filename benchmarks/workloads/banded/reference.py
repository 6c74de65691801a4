"""A banded matrix times a vector: python reference.py CASE ROWS WIDTH"""

import json
import sys


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def checksum(values):
    return {"count": len(values), "sum": float(sum(values)), "weighted": float(sum(v * (1 + i % 1021) for i, v in enumerate(values)))}


def main(n, w):
    v = [hash_of(i + 77) % 64 / 8.0 for i in range(n)]
    out = []
    for i in range(n):
        columns = [c for c in range(n) if abs(c - i) <= w]
        out.append(sum(hash_of((2 * w + 1) * i + j) % 64 / 8.0 * v[c] for j, c in ((c - i + w, c) for c in columns)))
    print(json.dumps({"checksums": [checksum(out)]}))


main(*map(int, sys.argv[2:]))
