"""Integrals by recursion, one at a time."""

import sys

from plain import hash_of, report


def simpson(f, a, b):
    return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b))


def integral(f, a, b, tolerance):
    middle = (a + b) / 2
    better, whole = simpson(f, a, middle) + simpson(f, middle, b), simpson(f, a, b)
    if abs(better - whole) <= 15 * tolerance:
        return better + (better - whole) / 15, 1
    (x, m), (y, n) = integral(f, a, middle, tolerance / 2), integral(f, middle, b, tolerance / 2)
    return x + y, m + n


if __name__ == "__main__":
    case, n = sys.argv[1], int(sys.argv[2])
    found = []
    for i in range(n):
        h = hash_of(i)
        middle = h % 1024 / 1024 + (0 if case == "even" else 0.0001)
        width = 0.0009765625 if case == "even" else 0.000001 if h // 1024 % 50 == 0 else 1.0
        found.append(integral(lambda x: 1 / ((x - middle) ** 2 + width), 0.0, 1.0, 0.000001 if case == "even" else 0.0001))
    report([x for x, _ in found], [m for _, m in found])
