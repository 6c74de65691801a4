"""Sparse product with a dictionary per row."""

import sys

from plain import hash_of, report


def matrix(case, n, width, second):
    rows = []
    for i in range(n):
        seed = hash_of(i + (5555555 if second else 0))
        length = width if case == "uniform" else seed % 9 if second else width // (1 + seed % width)
        places = [(seed + 7919 * j) % 2147483647 for j in range(length)]
        rows.append([(hash_of(at) % n, (1 + at % 64) / 8.0) for at in places])
    return rows


if __name__ == "__main__":
    case, n, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    a, b = matrix(case, n, width, False), matrix(case, n, width, True)
    columns, values = [], []
    for row in a:
        sums = {}
        for k, x in row:
            for j, y in b[k]:
                sums[j] = sums.get(j, 0.0) + x * y
        columns += sorted(sums)
        values += [sums[j] for j in sorted(sums)]
    report(columns, values)
