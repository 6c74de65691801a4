"""Scores of alignments, with the whole table: python reference.py CASE PAIRS LETTERS"""

import json
import sys

from plain import checksum, hash_of


def best(x, y):
    table = [[-(i + j) for j in range(len(y) + 1)] for i in range(len(x) + 1)]
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            across = table[i - 1][j - 1] + (3 if x[i - 1] == y[j - 1] else -1)
            table[i][j] = max(across, table[i - 1][j] - 1, table[i][j - 1] - 1)
    return table[-1][-1]


def main(case, b, n):
    out = []
    for k in range(b):
        sizes = (hash_of(k) % (n + 1), hash_of(k + 77) % (n + 1)) if case == "varied" else (n, n)
        x = [hash_of(5000 * k + i) % 4 for i in range(sizes[0])]
        y = [hash_of(5000 * k + i + (7777 if hash_of(5000 * k + i + 777) % 8 == 0 else 0)) % 4 for i in range(sizes[1])]
        out.append(best(x, y))
    print(json.dumps({"checksums": [checksum(out)]}))


main(sys.argv[1], *map(int, sys.argv[2:]))
