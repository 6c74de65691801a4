"""Shapes with holes: the area by triangles, covering by counting crossings."""

import math

from plain import case_and_sizes, hash_of, report


def around(j, n):
    t = 8.0 * j / n
    if t < 2:
        return t - 1, -1.0
    if t < 4:
        return 1.0, t - 3
    return (5 - t, 1.0) if t < 6 else (-1.0, 7 - t)


def shape(i):
    seed = hash_of(i)
    rings = []
    for r in range(1 + seed // 1024 % 4):
        size = 3 + hash_of(seed + 1) % 38 if r == 0 else 3 + hash_of((seed + r) % 2147483647) % 6
        ring = []
        for j in range(size):
            far = 16 + hash_of((seed + 31 * j) % 2147483647) % 16 if r == 0 else 3
            dx, dy = around(j if r == 0 else size - 1 - j, size)
            ring.append((seed % 1024 + math.floor(far * dx * 8) / 8 + 6 * max(0, r - 1), hash_of(seed) % 1024 + math.floor(far * dy * 8) / 8))
        rings.append(ring)
    return rings


def sides(ring):
    return list(zip(ring, ring[1:] + ring[:1]))


def covers(rings, u, v):
    found = 0
    for ring in rings:
        for (ax, ay), (bx, by) in sides(ring):
            if (ay > v) != (by > v) and u < ax + (bx - ax) * (v - ay) / (by - ay):
                found += 1
    return found % 2


if __name__ == "__main__":
    case, sizes = case_and_sizes()
    shapes = [shape(i) for i in range(sizes[0])]
    if case == "areas":
        out = [sum((ax * by - bx * ay) / 2 for ring in rings for (ax, ay), (bx, by) in sides(ring)) for rings in shapes]
    else:
        places = [(hash_of(i) % 4096 / 4 + 0.0625, hash_of(i + 99999) % 4096 / 4 + 0.0625) for i in range(sizes[1])]
        out = [sum(covers(rings, u, v) for rings in shapes) for u, v in places]
    report(out)
