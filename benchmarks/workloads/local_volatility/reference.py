"""Implicit steps in two directions, with systems solved by elimination on whole matrices: python reference.py CASE STEPS ROWS COLUMNS STRIKES"""

import json
import sys

from plain import checksum, hash_of


def solved(matrix, right):
    a = [row[:] + [b] for row, b in zip(matrix, right)]
    for k in range(len(a)):
        for i in range(len(a)):
            if i != k and a[i][k] != 0.0:
                f = a[i][k] / a[k][k]
                a[i] = [x - f * y for x, y in zip(a[i], a[k])]
    return [row[-1] / row[i] for i, row in enumerate(a)]


def implicit(r, d):
    size = len(d)
    matrix = [[0.0] * size for _ in range(size)]
    for i in range(size):
        matrix[i][i] = 1.0
        if 0 < i < size - 1:
            matrix[i][i - 1:i + 2] = [-r[i], 1.0 + 2.0 * r[i], -r[i]]
    return solved(matrix, d)


def explicit(r, u):
    return [u[i] + r[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) if 0 < i < len(u) - 1 else u[i] for i in range(len(u))]


def turned(grid):
    return [list(column) for column in zip(*grid)]


def main(steps, n, m, count):
    along = [[0.25 + hash_of(i * m + j) % 64 / 128.0 for j in range(m)] for i in range(n)]
    across = [[0.125 + hash_of(i * m + j + 77) % 64 / 256.0 for i in range(n)] for j in range(m)]
    out = []
    for s in range(count):
        u = [[max(j - m * (0.25 + 0.5 * s / count), 0.0) for j in range(m)] for _ in range(n)]
        for _ in range(steps):
            u = turned([explicit(r, column) for r, column in zip(across, turned(u))])
            u = [implicit(r, row) for r, row in zip(along, u)]
            u = [explicit(r, row) for r, row in zip(along, u)]
            u = turned([implicit(r, column) for r, column in zip(across, turned(u))])
        out.append(u[n // 2][m // 2])
    print(json.dumps({"checksums": [checksum(out)]}))


main(*map(int, sys.argv[2:]))
