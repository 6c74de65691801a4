"""Convex hull by sorting and two chains (Andrew)."""

import json
import sys


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def chain(points, side):
    kept = []
    for x, y in points:
        while len(kept) > 1:
            (ax, ay), (bx, by) = kept[-2:]
            if side * ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) > 0:
                break
            kept.pop()
        kept.append((x, y))
    return kept


def checksum(values):
    return {"count": len(values), "sum": sum(values), "weighted": sum(v * (1 + i % 1021) for i, v in enumerate(values))}


if __name__ == "__main__":
    case, sizes = sys.argv[1], [int(word) for word in sys.argv[2:]]
    if case == "parabola":
        xs = [hash_of(i) % sizes[1] for i in range(sizes[0])]
        points = [(x, x * x) for x in xs]
    else:
        points = [(hash_of(i) % 1048576, hash_of(i + 77777777) % 1048576) for i in range(sizes[0])]
    order = sorted(set(points))
    hull = chain(order, -1)[:-1] + chain(order[::-1], -1)[:-1]
    print(json.dumps({"checksums": [checksum([x for x, _ in hull]), checksum([y for _, y in hull])]}))
