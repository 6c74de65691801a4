"""Errors of the Heston model with the complex numbers of Python: python reference.py CASE POINTS QUOTES CANDIDATES"""

import cmath
import json
import math
import sys

from plain import checksum, hash_of


def part(i):
    return hash_of(i) % 64 / 128.0


def characteristic(speed, level, wildness, rho, start, t, u):
    """Heston's function at the complex number u, in the form that stays on one branch of the logarithm."""
    b = speed - rho * wildness * 1j * u
    d = cmath.sqrt(b * b + wildness ** 2 * (1j * u + u * u))
    g = (b - d) / (b + d)
    decay = cmath.exp(-d * t)
    mean = speed * level / wildness ** 2 * ((b - d) * t - 2.0 * cmath.log((1.0 - g * decay) / (1.0 - g)))
    return cmath.exp(mean + start / wildness ** 2 * (b - d) * (1.0 - decay) / (1.0 - g * decay))


def main(points, quotes, candidates):
    h = 64.0 / points
    out = []
    for i in range(candidates):
        c = (1.0 + 2.0 * part(5 * i), 0.04 + 0.1 * part(5 * i + 1), 0.3 + part(5 * i + 2), -0.8 + part(5 * i + 3), 0.02 + 0.1 * part(5 * i + 4))
        error = 0.0
        for q in range(quotes):
            strike, years, price = 0.75 + part(q), 0.25 + 2.0 * part(q + 77), 0.5 * part(q + 777)
            integral = 0.0
            for p in range(points):
                u = (p + 0.5) * h
                integral += h * (cmath.exp(-1j * u * math.log(strike)) * characteristic(*c, years, u - 0.5j)).real / (u * u + 0.25)
            error += (1.0 - math.sqrt(strike) / math.pi * integral - price) ** 2
        out.append(error)
    print(json.dumps({"checksums": [checksum(out)]}))


main(*map(int, sys.argv[2:]))
