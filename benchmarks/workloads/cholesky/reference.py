"""Cholesky's factors, row by row: python reference.py CASE [MATRICES] ROWS"""

import json
import math
import sys

from plain import checksum, hash_of


def main(b, n):
    out = []
    for k in range(b):
        a = [[hash_of(k * n * n + max(i, j) * n + min(i, j)) % 64 / 64.0 + (n if i == j else 0) for j in range(n)] for i in range(n)]
        l = [[0.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(i + 1):
                s = a[i][j] - sum(l[i][q] * l[j][q] for q in range(j))
                l[i][j] = math.sqrt(s) if i == j else s / l[j][j]
        out += [x for row in l for x in row]
    print(json.dumps({"checksums": [checksum(out)]}))


sizes = list(map(int, sys.argv[2:]))
main(*(sizes if len(sizes) == 2 else [1] + sizes))
