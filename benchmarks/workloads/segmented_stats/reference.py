"""Statistics of rows, each from its definition."""

import json
import sys


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def row_of(case, sizes, i):
    seed = hash_of(i)
    length = sizes[1] // (1 + seed % sizes[1]) if case == "power" else seed % 41
    return [hash_of((seed + 7919 * j) % 2147483647) % 64 / 8.0 for j in range(length)]


def statistics(row):
    if not row:
        return 0.0, 0.0, 0.0, 0.0, -1
    mean = sum(row) / len(row)
    variance = sum((x - mean) ** 2 for x in row) / len(row)
    return mean, variance, min(row), max(row), row.index(max(row))


def checksum(values):
    return {"count": len(values), "sum": sum(values), "weighted": sum(v * (1 + i % 1021) for i, v in enumerate(values))}


if __name__ == "__main__":
    case, sizes = sys.argv[1], [int(word) for word in sys.argv[2:]]
    columns = zip(*[statistics(row_of(case, sizes, i)) for i in range(sizes[0])])
    print(json.dumps({"checksums": [checksum(column) for column in columns]}))
