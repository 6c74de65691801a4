"""Breaks in time series, with sums taken anew for each window: python reference.py CASE SERIES VALUES"""

import json
import math
import sys

from plain import checksum, hash_of


def solved(matrix, right):
    a = [row[:] + [b] for row, b in zip(matrix, right)]
    for k in range(len(a)):
        pivot = max(range(k, len(a)), key=lambda i: abs(a[i][k]))
        a[k], a[pivot] = a[pivot], a[k]
        for i in range(len(a)):
            if i != k:
                f = a[i][k] / a[k][k]
                a[i] = [x - f * y for x, y in zip(a[i], a[k])]
    return [row[-1] / row[i] for i, row in enumerate(a)]


def regressor(t, n):
    x = [1.0, t / n]
    for k in (1, 2, 3):
        x += [math.sin(2.0 * math.pi * k * t / 23.0), math.cos(2.0 * math.pi * k * t / 23.0)]
    return x


def main(m, n):
    when, means = [], []
    for i in range(m):
        points = []
        for t in range(n):
            h = hash_of(i * n + t)
            if h % 8 >= 3:
                y = 2.0 + math.sin(2.0 * math.pi * t / 23.0) + h // 8 % 64 / 64.0 + (1.0 if i % 3 == 0 and t > 3 * n // 4 else 0.0)
                points.append((t, regressor(t, n), y))
        known = [(x, y) for t, x, y in points if t < n // 2]
        p = len(known)
        normal = [[sum(x[a] * x[b] for x, _ in known) for b in range(8)] for a in range(8)]
        fit = solved(normal, [sum(x[a] * y for x, y in known) for a in range(8)])
        residual = [y - sum(a * b for a, b in zip(x, fit)) for _, x, y in points]
        deviation = math.sqrt(sum(r * r for r in residual[:p]) / (p - 8))
        moving = [sum(residual[q + 1 - p // 4:q + 1]) / (deviation * math.sqrt(p)) for q in range(p, len(points))]
        beyond = [points[p + q][0] for q, v in enumerate(moving) if abs(v) > 1.5 * math.sqrt(max(1.0, math.log((p + q + 1) / p)))]
        when.append(beyond[0] if beyond else -1)
        means.append(sum(moving) / len(moving) if moving else 0.0)
    print(json.dumps({"checksums": [checksum(when), checksum(means)]}))


main(*map(int, sys.argv[2:]))
