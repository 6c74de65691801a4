"""The temperature of a chip, cell by cell, in double precision: python reference.py CASE STEPS ROWS COLUMNS"""

import json
import sys

from plain import checksum, hash_of


def main(steps, n, m):
    t = [[323.0 + hash_of(i * m + j) % 64 / 8.0 for j in range(m)] for i in range(n)]
    power = [[hash_of(i * m + j + 77) % 64 / 8192.0 for j in range(m)] for i in range(n)]
    h, w, d = 2.0e-5, 1.6e-5, 0.0005
    capacity = 0.5 * 1.75e6 * d * w * h
    rx, ry, rz = w / (2.0 * 100.0 * d * h), h / (2.0 * 100.0 * d * w), d / (100.0 * h * w)
    step = 0.001 / (3.0e6 / (0.5 * d * 1.75e6))
    for _ in range(steps):
        at = lambda i, j: t[min(max(i, 0), n - 1)][min(max(j, 0), m - 1)]
        t = [[at(i, j) + step / capacity * (power[i][j] + (at(i - 1, j) + at(i + 1, j) - 2 * at(i, j)) / ry
                                            + (at(i, j - 1) + at(i, j + 1) - 2 * at(i, j)) / rx + (80.0 - at(i, j)) / rz)
              for j in range(m)] for i in range(n)]
    print(json.dumps({"checksums": [checksum([x for row in t for x in row])]}))


main(*map(int, sys.argv[2:]))
