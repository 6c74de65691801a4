"""What the programs of this folder compute, in plain Python loops and library calls."""

import functools
import math
import operator
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, write  # noqa: E402

some = Inputs(18)
numbers = [(some.ints(n),) for n in SIZES]
pairs = [(some.ints(n), some.ints(n)) for n in SIZES]
ragged = [some.rows(n) for n in SIZES]

triples = [([(a, (b, c)) for a, b, c in zip(some.ints(n), some.ints(n), some.ints(n))],) for n in SIZES]
bytes_ = [(limit, some.ints(n, 0, 255), some.ints(n, 0, 255)) for n in SIZES for limit in (255, 100)]
write(
    __file__,
    "lambdas",
    ("line", lambda a, b, xs: [a * x + b for x in xs], [(0.5, -1.25, some.reals(n)) for n in SIZES]),
    ("products", lambda ps: [a * b - c for a, (b, c) in ps], triples),
    ("saturated", lambda k, xs, ys: [min(x + y, k) for x, y in zip(xs, ys)], bytes_ + [(10, [4, 4, 10], [6, 7, 0])]),
)

write(
    __file__,
    "sections",
    ("pairwise", lambda a, b: tuple(list(map(f, a, b)) for f in (operator.add, operator.sub, operator.mul)), pairs),
    ("logic", lambda a, b: (list(map(operator.lt, a, b)), all(map(operator.lt, a, b))), pairs + [([1, 2], [3, 3])]),
    ("mixed", lambda xs: (functools.reduce(operator.or_, xs, 0), functools.reduce(operator.xor, xs, 0)), numbers),
)


def by_length(words):
    lengths = [len(w) for w in words]
    return [(n, lengths.count(n)) for n in sorted(set(lengths))]


words = [b"map", b"scan", b"sum", b"zip", b"iota", b"x", b"any"]
write(
    __file__,
    "pipes",
    ("even_squares", lambda xs: sum(x * x for x in xs if not x & 1), numbers),
    ("largest", lambda k, xs: sorted(xs, reverse=True)[:k], [(k, some.ints(n)) for n in SIZES for k in (0, 2, 9)]),
    ("by_length", by_length, [(words[:n],) for n in (0, 1, 7)]),
)

write(
    __file__,
    "higher_order",
    ("power", lambda n: 2**n, [(n,) for n in (0, 1, 5, 40)]),
    ("root", lambda a, n: math.sqrt(a), [(a, 40) for a in (2.0, 9.0, 0.25, 1000.0)], "rounds"),
    ("small", lambda xs: [x < 4 for x in xs], numbers),
)


def occurrences(a, rows, ps):
    return (a.count(2), rows.count([]), ps.count((1, True)))


write(
    __file__,
    "generic",
    ("all_ends", lambda *abc: tuple((x[0], x[-1]) for x in abc), [(some.ints(n), some.reals(n + 1), some.rows(n + 2)) for n in (1, 2, 7)]),
    ("all_occurrences", occurrences, [(some.ints(n, 0, 3), some.rows(n, 2), list(zip(some.ints(n, 0, 1), some.flags(n)))) for n in SIZES]),
    ("spreads", lambda a, b: (max(a) - min(a), max(b) - min(b)), [(some.ints(n), some.reals(n)) for n in (1, 2, 7)]),
)

write(
    __file__,
    "inferred",
    ("squares", lambda a, b, c: (a * a, b * b, c * c % 256), [(7, -1.5, 200), (-3, 0.25, 16), (0, 4.0, 5)]),
    ("fourth", lambda x, y: (x**4, (x, y)), [(2, 0.5), (-3, -1.0), (10, 8.0)]),
)

squares = [0, 1, 4, 9, 16, 25, 36]


def base7(n):
    out = []
    while n > 0:
        n, d = divmod(n, 7)
        out.append(d)
    return out


write(
    __file__,
    "constants",
    ("nearest", lambda x: min(abs(x - s) for s in squares), [(x,) for x in (-5, 0, 3, 13, 30, 31, 36, 50)]),
    ("digits", base7, [(n,) for n in (0, 1, 6, 7, 48, 49, 12345)]),
    ("known", lambda i: (7, 91, ord("abc"[i % 3])), [(i,) for i in range(4)]),
)


def horner(cs, x):
    return sum(c * x**k for k, c in enumerate(reversed(cs)))


write(
    __file__,
    "integer_classes",
    ("widths", lambda a, b, c: (a.bit_length(), b.bit_length(), c.bit_length()), [(0, 1, 2), (7, 32767, 2**63), (128, 256, 2**64 - 1)]),
    ("values", lambda cs, x, ds, y: (horner(cs, x) + 0.0, horner(ds, y) + 0.0), [(some.reals(n), 0.5, some.reals(2), -2.0) for n in (1, 2, 4)]),
)

write(
    __file__,
    "local_functions",
    ("excess", lambda k, rows: [[x - k if x > k else 0 for x in r] for r in rows], [(k, r) for r in ragged for k in (-2, 3)]),
    ("dominant", lambda rows: [[x > sum(r) / 2 for x in r] for r in rows], [(r,) for r in ragged]),
)

points = [list(zip(some.ints(n, -2, 2), some.ints(n, -2, 2))) for n in SIZES]
write(
    __file__,
    "comparators",
    ("down", lambda xs: sorted(xs, reverse=True), numbers),
    ("by_digit", lambda xs: sorted(xs, key=lambda x: x % 10), [(some.ints(n, -50, 50),) for n in SIZES]),
    ("by_distance", lambda ps: sorted(ps, key=lambda p: p[0] ** 2 + p[1] ** 2), [(p,) for p in points]),
)


def checksum(row):
    h = 2166136261
    for b in row:
        h = ((h ^ b) * 16777619) & 0xFFFFFFFF
    return h


write(
    __file__,
    "folds",
    ("number", lambda ds: int("".join(map(str, ds)) or "0"), [(some.ints(n, 0, 9),) for n in (0, 1, 5, 15)]),
    ("left", lambda s, xs: s - sum(xs), [(some.randint(-9, 9), some.ints(n)) for n in SIZES]),
    ("checksums", lambda rows: [checksum(r) for r in rows], [([b"hello", b"", b"terrace", b"z"],), ([],)]),
)


def rebound(x):
    square = (x + 1) ** 2
    return square - 1 + 10 * square


write(
    __file__,
    "shadowing",
    ("padded", lambda n, xs: xs + [0] * (n - len(xs)), [(n, some.ints(k)) for n in (0, 2, 5) for k in (0, 2, 3)]),
    ("rebound", rebound, [(x,) for x in (0, 4, -3)]),
    ("doubled", lambda rows: [[x + x for x in r] for r in rows], [(r,) for r in ragged]),
    ("limited", lambda xs: [x if x < 3 else 3 for x in xs], numbers),
)

write(
    __file__,
    "own_definitions",
    ("both", lambda xs: (xs[len(xs) // 2], sum(xs[::2])), [(some.ints(n),) for n in (1, 2, 3, 8)]),
    ("rows", lambda m: [sum(r[::2]) for r in m], [(r,) for r in ragged]),
)
