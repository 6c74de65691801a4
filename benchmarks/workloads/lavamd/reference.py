"""Particles in boxes, all pairs of boxes tried: python reference.py CASE SIDE PARTICLES"""

import json
import math
import sys

from plain import checksum, hash_of


def main(case, side, n):
    boxes = {}
    for i in range(side ** 3):
        many = hash_of(i + 77) % (2 * n + 1) if case == "varied" else n
        place = (i // side // side, i // side % side, i % side)
        boxes[place] = [[(k == 0) + hash_of(5 * (1000 * i + j) + k) % 64 / 64.0 for k in range(5)] for j in range(many)]
    out = [[], [], [], []]
    for here, mine in boxes.items():
        for va, xa, ya, za, _ in mine:
            sums = [0.0] * 4
            for there, others in boxes.items():
                if all(abs(a - b) <= 1 for a, b in zip(here, there)):
                    for vb, xb, yb, zb, qb in others:
                        e = qb * math.exp(-2.0 * 0.25 * (va + vb - (xa * xb + ya * yb + za * zb)))
                        for k, d in enumerate((0.5, xa - xb, ya - yb, za - zb)):
                            sums[k] += 2.0 * e * d
            for k in range(4):
                out[k].append(sums[k])
    print(json.dumps({"checksums": [checksum(column) for column in out]}))


main(sys.argv[1], *map(int, sys.argv[2:]))
