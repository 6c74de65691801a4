"""Lattice Boltzmann, cell by cell, by pushing: python reference.py CASE STEPS ROWS COLUMNS"""

import json
import sys

from plain import checksum, hash_of


# Direction: (x, y, weight). What stands in a wall turns round.
DIRECTIONS = [(0, 0, 4 / 9), (1, 0, 1 / 9), (0, 1, 1 / 9), (-1, 0, 1 / 9), (0, -1, 1 / 9),
              (1, 1, 1 / 36), (-1, 1, 1 / 36), (-1, -1, 1 / 36), (1, -1, 1 / 36)]


def main(steps, n, m):
    solid = [[hash_of(i * m + j) % 100 == 0 for j in range(m)] for i in range(n)]
    cells = [[[w * (1.0 + 0.25 * x + hash_of((i * m + j) * 9 + k) % 64 / 4096.0) for k, (x, _, w) in enumerate(DIRECTIONS)]
              for j in range(m)] for i in range(n)]
    for _ in range(steps):
        moved = [[[0.0] * 9 for _ in range(m)] for _ in range(n)]
        for i in range(n):
            for j in range(m):
                for k, (x, y, _) in enumerate(DIRECTIONS):
                    moved[(i + y) % n][(j + x) % m][k] = cells[i][j][k]
        for i in range(n):
            for j in range(m):
                f = moved[i][j]
                if solid[i][j]:
                    back = {(x, y): f[k] for k, (x, y, _) in enumerate(DIRECTIONS)}
                    cells[i][j] = [back[-x, -y] for x, y, _ in DIRECTIONS]
                else:
                    density = sum(f)
                    ux = sum(x * v for v, (x, _, _) in zip(f, DIRECTIONS)) / density
                    uy = sum(y * v for v, (_, y, _) in zip(f, DIRECTIONS)) / density
                    still = 1.0 - 1.5 * (ux * ux + uy * uy)
                    balanced = [w * density * (still + 3.0 * (x * ux + y * uy) + 4.5 * (x * ux + y * uy) ** 2) for x, y, w in DIRECTIONS]
                    cells[i][j] = [v + 1.25 * (e - v) for v, e in zip(f, balanced)]
    print(json.dumps({"checksums": [checksum([v for row in cells for cell in row for v in cell])]}))


main(*map(int, sys.argv[2:]))
