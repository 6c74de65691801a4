"""Masses of muon pairs: every pair of every event."""

import math
import sys

from plain import hash_of, report


def muon(seed):
    a = hash_of(seed % 2147483647)
    b = hash_of(a)
    c = hash_of(b)
    return 3.0 + a % 400 / 8.0, b % 4001 / 1000.0 - 2.0, c % 6283 / 1000.0 - 3.1415


if __name__ == "__main__":
    case, n = sys.argv[1], int(sys.argv[2])
    bins = [0] * 121
    for i in range(n):
        seed = hash_of(i)
        event = [muon(seed + 7919 * j) for j in range(seed % (51 if case == "many" else 5))]
        for x in range(len(event)):
            for y in range(x):
                (p, eta, phi), (q, theta, psi) = event[x], event[y]
                mass = math.sqrt(2 * p * q * (math.cosh(eta - theta) - math.cos(phi - psi)))
                bins[min(120, int(mass))] += 1
    report(bins)
