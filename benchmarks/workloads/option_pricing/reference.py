"""American puts by recursion over nodes, remembered: python reference.py CASE OPTIONS STEPS"""

import json
import math
import sys

from plain import checksum, hash_of


def price(strike, years, steps, stock=60.0, rate=0.03, volatility=0.25):
    dt = years / steps
    u = math.exp(volatility * math.sqrt(dt))
    p = (math.exp(rate * dt) - 1.0 / u) / (u - 1.0 / u)
    known = {}

    def node(depth, ups):
        if (depth, ups) not in known:
            now = max(strike - stock * u ** (2 * ups - depth), 0.0)
            later = 0.0
            if depth < steps:
                later = math.exp(-rate * dt) * (p * node(depth + 1, ups + 1) + (1.0 - p) * node(depth + 1, ups))
            known[depth, ups] = max(now, later)
        return known[depth, ups]

    return node(0, 0)


def main(case, n, size):
    steps = [size if case == "equal" else 8 + size // (1 + hash_of(i + 777) % 64) for i in range(n)]
    out = [price(40.0 + hash_of(i) % 320 / 8.0, 0.25 + hash_of(i + 77) % 32 / 16.0, steps[i]) for i in range(n)]
    print(json.dumps({"checksums": [checksum(out)]}))


main(sys.argv[1], *map(int, sys.argv[2:]))
