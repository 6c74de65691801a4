"""Anisotropic diffusion, cell by cell in double precision: python reference.py CASE STEPS IMAGES ROWS COLUMNS"""

import json
import sys

from plain import checksum, hash_of


def main(steps, b, n, m):
    out = []
    for k in range(b):
        x = [[(3.0 if abs(2 * i - n) < n // 2 and abs(2 * j - m) < m // 2 else 1.0) + hash_of((k * n + i) * m + j) % 64 / 128.0
              for j in range(m)] for i in range(n)]
        for _ in range(steps):
            values = [v for row in x for v in row]
            mean = sum(values) / len(values)
            noise = (sum(v * v for v in values) / len(values) - mean ** 2) / mean ** 2
            at = lambda g, i, j: g[min(max(i, 0), n - 1)][min(max(j, 0), m - 1)]
            differences = lambda i, j: [at(x, i + p, j + q) - x[i][j] for p, q in ((-1, 0), (1, 0), (0, -1), (0, 1))]
            c = [[0.0] * m for _ in range(n)]
            for i in range(n):
                for j in range(m):
                    d = differences(i, j)
                    g, l = sum(v * v for v in d) / x[i][j] ** 2, sum(d) / x[i][j]
                    variation = (g / 2.0 - l * l / 16.0) / (1.0 + l / 4.0) ** 2
                    c[i][j] = min(max(1.0 / (1.0 + (variation - noise) / (noise * (1.0 + noise))), 0.0), 1.0)
            moved = [[0.0] * m for _ in range(n)]
            for i in range(n):
                for j in range(m):
                    up, down, left, right = differences(i, j)
                    divergence = c[i][j] * (up + left) + at(c, i + 1, j) * down + at(c, i, j + 1) * right
                    moved[i][j] = x[i][j] + 0.5 / 4.0 * divergence
            x = moved
        out += [v for row in x for v in row]
    print(json.dumps({"checksums": [checksum(out)]}))


main(*map(int, sys.argv[2:]))
