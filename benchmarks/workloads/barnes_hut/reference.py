"""Forces after Barnes and Hut with a tree of tuples and a recursive walk."""

import math
import sys

from plain import hash_of, report


def build(bodies, left, low, side):
    mass = sum(m for _, _, m in bodies)
    x, y = sum(m * x for x, _, m in bodies) / mass, sum(m * y for _, y, m in bodies) / mass
    if len(bodies) == 1 or side < 0.0625:
        return x, y, mass, 0.0, []
    half, parts = side / 2, {}
    for b in bodies:
        parts.setdefault((b[1] >= low + half, b[0] >= left + half), []).append(b)
    inside = [build(parts[up, right], left + half * right, low + half * up, half) for up, right in sorted(parts)]
    return x, y, mass, side, inside


def force(cell, bx, by):
    x, y, mass, side, inside = cell
    dx, dy = x - bx, y - by
    far = dx * dx + dy * dy
    if 4 * side * side < far or not inside:
        pull = mass / (far + 0.01) ** 1.5
        return pull * dx, pull * dy
    forces = [force(c, bx, by) for c in inside]
    return math.fsum(f for f, _ in forces), math.fsum(f for _, f in forces)


if __name__ == "__main__":
    case, n = sys.argv[1], int(sys.argv[2])
    bodies = []
    for i in range(n):
        u, v = hash_of(i) % 8192, hash_of(i + 77777777) % 8192
        if case == "clustered":
            u, v = u * u // 8192 * u // 8192, v * v // 8192 * v // 8192
        bodies.append((u / 8, v / 8, 1 + hash_of(i + 55555) % 8 / 8))
    tree = build(bodies, 0.0, 0.0, 1024.0)
    forces = [force(tree, x, y) for x, y, _ in bodies]
    report([f for f, _ in forces], [f for _, f in forces])
