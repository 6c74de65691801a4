"""What the programs of this folder compute, in plain Python loops and library calls."""

import functools
import itertools
import math
import operator
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, Stop, write  # noqa: E402

some = Inputs(11)
numbers = [(some.ints(n),) for n in SIZES]
ragged = [(some.rows(n),) for n in SIZES]


def table(n):
    return [(n, n > 0, 0.5), (n * n, n == 0, n / 2)]


def triangle(*abc):
    return [list(abc[:k]) for k in range(4)]


write(
    __file__,
    "literals",
    ("around", lambda n: list(range(n - 1, n + 2)), [(5,), (-3,)]),
    ("triangle", triangle, [(4, 5, 6), (-1, 0, 1)]),
    ("table", table, [(3,), (0,), (-5,), (1,)]),
)


def measure(rows):
    return (len(rows), list(map(len, rows)), len(list(itertools.chain(*rows))))


write(
    __file__,
    "lengths",
    ("measure", measure, ragged),
    ("deep", lambda cube: [list(map(len, p)) for p in cube], [([some.rows(n) for n in (2, 0, 3, 1)],), ([],)]),
)

write(
    __file__,
    "ranges",
    ("span", lambda a, b: (list(range(a, b)), (b * (b - 1) - a * (a - 1)) // 2), [(0, 5), (-3, 4), (7, 7), (2, 3)]),
    ("span", lambda a, b: (_ for _ in ()).throw(Stop("T0905")), [(3, 2)]),
    ("numbered", lambda xs: list(enumerate(xs)), [(some.reals(n),) for n in SIZES]),
    ("doubling", lambda n: [list(range(i, 2 * i)) for i in range(n)], [(0,), (1,), (6,)]),
)

write(
    __file__,
    "replicated",
    ("grid", lambda n, m, v: [[v] * m for _ in range(n)], [(3, 4, -2), (0, 3, 1), (3, 0, 1), (1, 1, 9)]),
    ("staircase", lambda xs: [[x] * i for i, x in enumerate(xs)], numbers[:5]),
    ("bars", lambda ns: [list(b"#" * n) for n in ns], numbers),
)


def both(a, b):
    return (a + b, [x + y for x, y in zip(a, b)])


write(
    __file__,
    "concatenation",
    ("enclose", lambda a, xs, b: [a, *xs, b], [(some.randint(-9, 9), some.ints(n), 4) for n in SIZES]),
    ("both", both, [(some.rows(n), some.rows(n)) for n in SIZES]),
    ("sentence", lambda ws: b"".join(w + b" " for w in ws), [([b"one", b"more", b"word"],), ([b"x"],)]),
)


def compare(a, b):
    return (a < b, a == b, a > b)


def repeats(rows):
    return [i > 0 and rows[i - 1] == row for i, row in enumerate(rows)]


short = [some.ints(n, 0, 1) for n in [0, 1, 1, 2, 2, 3, 3]]
small_rows = [some.ints(some.randint(0, 2), 0, 1) for _ in range(25)]
write(
    __file__,
    "equality",
    ("compare", compare, [(a, b) for a in short for b in short]),
    ("repeats", repeats, [(small_rows,), ([],), ([[]],), ([[], []],)]),
    ("before", lambda a, b: a <= b, [((i, a), (1, b)) for i in (0, 1, 2) for a in short[:4] for b in short[:4]]),
)


def chosen(ts):
    kept = [t for t in ts if t[2]]
    return ([t[0] for t in kept], [t[1] for t in kept])


triples = [(some.ints(n), some.reals(n), some.flags(n)) for n in SIZES]
same = [(a, [some.ints(len(r)) for r in a]) for a in (some.rows(n) for n in SIZES)]
write(
    __file__,
    "zipped",
    ("triples", lambda *abc: list(zip(*abc)), triples),
    ("chosen", chosen, [(list(zip(*t)),) for t in triples]),
    ("row_pairs", lambda a, b: [list(zip(x, y)) for x, y in zip(a, b)], same),
)


def summary(xs):
    return (sum(xs), math.prod(xs), min(xs + [1000]), max(xs + [-1000]))


def bits(xs):
    fold = functools.reduce
    return (fold(operator.and_, xs, 255), fold(operator.or_, xs, 0), fold(operator.xor, xs, 0))


write(
    __file__,
    "reductions",
    ("summary", summary, numbers[:5]),
    ("extent", lambda xs: (min(xs + [1000]), max(xs + [-1000])), numbers),
    ("bits", bits, [(some.ints(n, 0, 255),) for n in SIZES]),
)


def running(xs):
    return (list(itertools.accumulate(xs)), list(itertools.accumulate(xs, max)))


write(
    __file__,
    "scans",
    ("running", running, numbers),
    ("starts", lambda rows: [sum(map(len, rows[:i])) for i in range(len(rows))], ragged),
    ("suffixes", lambda rows: [[sum(r[i:]) for i in range(len(r))] for r in rows], ragged),
)


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def product_of(ms):
    out = [[1, 0], [0, 1]]
    for a, b, c, d in ms:
        m = [[a, b], [c, d]]
        out = [[sum(out[i][k] * m[k][j] for k in range(2)) for j in range(2)] for i in range(2)]
    return tuple(out[0] + out[1])


write(
    __file__,
    "matrix_reduction",
    ("fibonacci", fibonacci, [(n,) for n in (0, 1, 2, 10, 50)]),
    ("fibonaccis", lambda n: [fibonacci(i + 1) for i in range(n)], [(12,)]),
    ("product_of", product_of, [([tuple(some.ints(4)) for _ in range(n)],) for n in (0, 1, 2, 3, 5)]),
)

write(
    __file__,
    "row_reduction",
    ("column_sums", lambda w, m: [sum(r[j] for r in m) for j in range(w)], [(w, some.grid(n, w)) for n, w in [(1, 3), (4, 2), (5, 5), (3, 1)]]),
    ("joined", lambda rows: sum(rows, []), ragged),
)


def facts(rows):
    return [(sum(r), math.prod(r), min(r), max(r)) for r in rows if r]


def above(limit, xs):
    return (any(x > limit for x in xs), all(x > limit for x in xs), sum(x > limit for x in xs))


write(
    __file__,
    "derived",
    ("facts", facts, ragged),
    ("above", above, [(k, some.ints(n, -3, 3)) for n in (0, 1, 3, 8) for k in (-4, 0, 1, 3)]),
    ("size", lambda xs: (sum(xs) / len(xs), sum(x * x for x in xs)), [(some.reals(n),) for n in (1, 2, 4, 8, 16)]),
)

write(
    __file__,
    "filtering",
    ("between", lambda a, b, xs: [x for x in xs if x in range(a, b)], [(a, a + 5, some.ints(20)) for a in (-9, -3, 0, 4)]),
    ("gains", lambda rows: [[x for x in r if x > -1] for r in rows if sum(r) > 0], ragged + [([[0], [1], [-1, 1], [0, 2]],)]),
    ("odd_squares", lambda xs: [x * x for x in xs if x & 1], numbers),
)


def everywhere(x, xs):
    return [i for i, y in enumerate(xs) if x == y]


def first(x, xs):
    return xs.index(x) if x in xs else len(xs)


few = [(x, some.ints(n, 0, 3)) for n in SIZES for x in (0, 2, 5)]
few_rows = [([some.ints(some.randint(0, 6), 0, 3) for _ in range(n)],) for n in SIZES]
write(
    __file__,
    "positions",
    ("everywhere", everywhere, few),
    ("first", first, few),
    ("peaks", lambda rows: [everywhere(max(r), r) if r else [] for r in rows], few_rows),
)

texts = [b"The Quick Brown fox", b"  two   spaces ", b"x", b"AZaz@[`{", b"racecar", b"Noon", b"a b c d"]
write(
    __file__,
    "strings",
    ("shout", lambda t: t.upper(), [(t,) for t in texts]),
    ("word_lengths", lambda t: [len(w) for w in t.split()], [(t,) for t in texts]),
    ("palindrome", lambda t: t == t[::-1], [(t,) for t in texts]),
)


def occurrences(n, xs):
    return [xs.count(k) for k in range(n)]


def best(n, limit, groups, values):
    top = [max([v for g, v in zip(groups, values) if g == k] + [-100]) for k in range(n)]
    return (top, len([t for t in top if t > limit]))


def outside(*_):
    raise Stop("T0901")


write(
    __file__,
    "histogram",
    ("occurrences", occurrences, [(5, some.ints(n, 0, 4)) for n in SIZES]),
    ("occurrences", outside, [(3, [0, 3]), (3, [-1])]),
    ("best", best, [(4, k, some.ints(n, 0, 3), some.ints(n, -3, 3)) for n in SIZES for k in (-3, 0, 2)]),
    ("by_row", lambda n, rows: [occurrences(n, r) for r in rows], [(4, some.rows(n, 6, 0, 3)) for n in SIZES]),
)


def inverse(p):
    return [p.index(i) for i in range(len(p))]


def fill(xs, places, values):
    for p, v in zip(places, values):
        if p >= 0:
            xs[p] = v
    return xs


def compact(limit, xs):
    kept = [x for x in xs if x > limit]
    return kept + [0] * (len(xs) - len(kept))


write(
    __file__,
    "scattering",
    ("inverse", inverse, [(some.permutation(n),) for n in SIZES]),
    ("inverse", outside, [([0, 2],)]),
    ("fill", fill, [(some.ints(6), some.ints(n, -2, 5), some.ints(n)) for n in SIZES]),
    ("compact", compact, [(k, some.ints(n, -3, 3)) for n in SIZES for k in (-1, 1)]),
)


def product_modulo(m, xs):
    if m == 0 and xs:
        raise Stop("T0904")
    return math.prod(xs) % m if xs else 1


def products_modulo(m, xs):
    return [product_modulo(m, xs[: i + 1]) for i in range(len(xs))]


def by_row(m, rows):
    return ([product_modulo(m, r) for r in rows], [products_modulo(m, r) for r in rows])


# Numbers that a modulus does not divide, so that products do not end in 0.
units = [[some.choice([1, 2, 3, 4, 5, 6, 8, 9]) for _ in range(n)] for n in SIZES]
write(
    __file__,
    "checked_operators",
    ("product_modulo", product_modulo, [(m, x) for x in units for m in (7, 11)] + [(0, [3, 4]), (0, [])]),
    ("products_modulo", products_modulo, [(m, x) for x in units for m in (7, 11)] + [(0, [3, 4]), (0, [])]),
    ("by_row", by_row, [(11, [some.choice(units)[:5] for _ in range(n)]) for n in SIZES] + [(0, [[], [2]]), (0, [[]])]),
)
