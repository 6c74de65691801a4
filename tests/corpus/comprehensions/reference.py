"""What the programs of this folder compute, in plain Python loops and library calls."""

import itertools
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, Stop, write  # noqa: E402

some = Inputs(12)
numbers = [(some.ints(n),) for n in SIZES]
ragged = [(some.rows(n),) for n in SIZES]
cubes = [([some.rows(some.randint(0, 4), 3) for _ in range(n)],) for n in (0, 1, 3, 6)]

write(
    __file__,
    "nested",
    ("table", lambda n, m: [[i * j for j in range(1, m + 1)] for i in range(1, n + 1)], [(3, 4), (0, 2), (2, 0), (1, 1)]),
    ("differences", lambda xs, ys: [[x - y for y in ys] for x in xs], [(some.ints(a), some.ints(b)) for a, b in [(3, 4), (0, 2), (2, 0), (7, 3)]]),
    ("countdown", lambda n: [list(range(i, -1, -1)) for i in range(n)], [(0,), (1,), (5,)]),
)


def alike(n):
    a = some.rows(n)
    return (a, [some.ints(len(r)) for r in a])


write(
    __file__,
    "in_step",
    ("weighted", lambda xs: sum(i * x for i, x in enumerate(xs, 1)), numbers),
    ("blend", lambda a, b, t: [x * (1 - w) + y * w for x, y, w in zip(a, b, t)], [(some.reals(n), some.reals(n), some.reals(n)) for n in SIZES]),
    ("row_dots", lambda a, b: [sum(map(lambda x, y: x * y, r, s)) for r, s in zip(a, b)], [alike(n) for n in SIZES]),
)

write(
    __file__,
    "filters",
    ("over", lambda xs: [x for i, x in enumerate(xs) if x > i], [(some.ints(n, -2, n),) for n in SIZES]),
    ("changed", lambda xs, ys: [(i, x, y) for i, (x, y) in enumerate(zip(xs, ys)) if x - y], [(some.ints(n, 0, 2), some.ints(n, 0, 2)) for n in SIZES]),
    ("sieve", lambda rows, k: [[x // k for x in r if x % k == 0] for r in rows if len(r) > k], [(some.rows(8), k) for k in (1, 2, 3, 4)]),
)


def point():
    return tuple(some.ints(2))


names = [b"ash", b"birch", b"cedar", b"fir", b"oak"]
write(
    __file__,
    "patterns",
    ("lengths_squared", lambda ss: [(p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 for p, q in ss], [([(point(), point()) for _ in range(n)],) for n in SIZES]),
    ("positive", lambda es: [(n, i) for i, (n, v) in enumerate(es) if v > 0], [(list(zip(names, some.ints(5, -2, 2))),) for _ in range(4)]),
    ("ends", lambda ts: [(t[0], t[2]) for t in ts], [(list(zip(some.ints(n), some.reals(n), some.flags(n))),) for n in SIZES]),
)


def tidy(rows, most):
    out = []
    for row in rows:
        if not row:
            out.append([-1])
        elif len(row) > most:
            out.append(row[:most] + [-2])
        else:
            out.append(row)
    return out


write(
    __file__,
    "conditionals",
    ("signs", lambda xs: [(x > 0) - (x < 0) for x in xs], [(some.ints(n, -2, 2),) for n in SIZES]),
    ("tidy", tidy, [(some.rows(9), k) for k in (0, 1, 3, 6)]),
    ("quotients", lambda xs, ds: [x // d if d else 0 for x, d in zip(xs, ds)], [(some.ints(n), some.ints(n, -2, 2)) for n in SIZES]),
)


def spreads(rows):
    out = []
    for row in rows:
        if row:
            m = sum(row) / len(row)
            out.append((m, sum(x * x for x in row) / len(row) - m * m))
    return out


def discriminants(bs, cs):
    return [max(b * b - 4 * c, -1) for b, c in zip(bs, cs)]


write(
    __file__,
    "locals",
    ("spreads", spreads, [(some.real_rows(n),) for n in SIZES], "rounds"),
    ("discriminants", discriminants, [(some.ints(n), some.ints(n)) for n in SIZES] + [([2], [1])]),
)


def report(rows):
    return [(sorted(r), list(itertools.accumulate(r)), r.index(max(r))) for r in rows if r]


write(
    __file__,
    "bodies_with_reductions",
    ("report", report, [(some.rows(n, 6, -2, 2),) for n in SIZES]),
    ("sorted_rows", lambda rows: sum(r == sorted(r) for r in rows), [(some.rows(12, 4, 0, 2),) for _ in range(4)]),
)


def divisors(n):
    return [d for d in range(1, n + 1) if not n % d]


write(
    __file__,
    "calls",
    ("all_divisors", lambda ns: [divisors(n) for n in ns], [([],), ([1, 12, 13, 36, 0],), ([60],)]),
    ("perfect", lambda n: [p for p in (6, 28, 496) if p < n], [(6,), (7,), (28,), (29,), (500,), (1,)]),
)

write(
    __file__,
    "loops_inside",
    ("digits", lambda ns: [[int(c) for c in reversed(str(n))] if n > 0 else [] for n in ns], [(some.ints(n, 0, 99999),) for n in SIZES] + [([-5, 0, 1, 10],)]),
    ("divisors", lambda a, b: [math.gcd(x, y) for x, y in zip(a, b)], [(some.ints(n, 1, 99), some.ints(n, 1, 99)) for n in SIZES] + [([0, 4], [4, 0])]),
)


def words(ns):
    named = {0: b"none", 1: b"one", 2: b"few", 3: b"few"}
    return [named.get(n, b"less" if n < 0 else b"many") for n in ns]


def fizz(n):
    return [b"fizz" * (i % 3 == 0) + b"buzz" * (i % 5 == 0) for i in range(1, n + 1)]


def apply(name, xs, ys):
    work = {b"add": lambda x, y: x + y, b"sub": lambda x, y: x - y, b"mul": lambda x, y: x * y}
    return [work.get(name, lambda x, y: 0)(x, y) for x, y in zip(xs, ys)]


write(
    __file__,
    "matches_inside",
    ("words", words, [(list(range(-3, 7)),), ([],)]),
    ("fizz", fizz, [(0,), (16,), (31,)]),
    ("apply", apply, [(w, some.ints(5), some.ints(5)) for w in (b"add", b"sub", b"mul", b"pow")]),
)


def has_sum(xs, target):
    return any(a + b == target for a, b in itertools.combinations(xs, 2))


def inversions(xs):
    return sum(a > b for a, b in itertools.combinations(xs, 2))


write(
    __file__,
    "quantifiers",
    ("has_sum", has_sum, [(some.ints(n), t) for n in (0, 1, 2, 3, 5) for t in (-4, 0, 3, 8)] + [([4, 1], 8), ([4, 4], 8), ([2, 3, 9], 5), ([9, 2, 3], 5)]),
    ("inversions", inversions, [(some.ints(n, 0, 4),) for n in SIZES]),
    ("subset", lambda a, b: set(a) <= set(b), [(some.ints(n, 0, 4), some.ints(5, 0, 4)) for n in SIZES]),
)


def border(a):
    n, m = len(a), len(a[0])
    i, j, out = 0, 0, []
    for di, dj, steps in [(0, 1, m - 1), (1, 0, n - 1), (0, -1, m - 1), (-1, 0, n - 1)]:
        for _ in range(steps):
            out.append(a[i][j])
            i, j = i + di, j + dj
    return out


def leaning(n, a):
    return [sum(a[i][j] for i in range(n) for j in range(n) if i + j == k) for k in range(2 * n - 1)]


grids = [some.grid(n, m) for n, m in [(2, 2), (3, 4), (5, 3), (2, 5)]]
write(
    __file__,
    "transposing_by_index",
    ("columns", lambda m, rows: [list(c) for c in zip(*rows)], [(len(g[0]), g) for g in grids]),
    ("border", border, [(g,) for g in grids]),
    ("leaning", leaning, [(n, some.grid(n, n)) for n in (1, 2, 3, 6)]),
)


def shifted(cube):
    return [[[x + int(f"{i}{j}{k}") for k, x in enumerate(l)] for j, l in enumerate(p)] for i, p in enumerate(cube)]


def sums(cube):
    lines = [[sum(l) for l in p] for p in cube]
    return (lines, [sum(l) for l in lines], sum(sum(l) for l in lines))


write(
    __file__,
    "three_levels",
    ("shifted", shifted, cubes),
    ("sums", sums, cubes),
    ("pruned", lambda cube: [p for p in ([l for l in p if l] for p in cube) if p], cubes + [([[[]], [[], [3]], []],)]),
)


def automaton(rule, cells):
    bits = f"{rule:08b}"[::-1]
    text = "0" + "".join(map(str, cells)) + "0"
    return [int(bits[int(text[i : i + 3], 2)]) for i in range(len(cells))]


write(
    __file__,
    "neighbours",
    ("dilate", lambda xs: [max(xs[max(i - 1, 0) : i + 2]) for i in range(len(xs))], numbers),
    ("automaton", automaton, [(r, some.ints(n, 0, 1)) for r in (30, 110, 45) for n in (0, 1, 2, 12)]),
)

write(
    __file__,
    "generator_of_rows",
    ("steps", lambda xs: [xs[i + 1] - xs[i] for i in range(len(xs) - 1)], numbers),
    ("joined", lambda rows: [rows[i] + rows[i + 1] for i in range(len(rows) - 1)], ragged),
    ("powers", lambda x: [x**k + 1 for k in (1, 2, 3)], [(2,), (-3,), (0,), (10,)]),
)


def roots(xs):
    if any(math.isqrt(x) ** 2 != x for x in xs):
        raise Stop("T0907")
    return [math.isqrt(x) for x in xs]


def paired(rows):
    if any(len(r) % 2 for r in rows):
        raise Stop("T0907")
    return [list(zip(r[::2], r[1::2])) for r in rows]


write(
    __file__,
    "asserts_inside",
    ("roots", roots, [([0, 1, 4, 9, 100, 49],), ([1, 3],), ([],), ([8, 9],)]),
    ("paired", paired, [([[1, 2], [], [3, 4, 5, 6]],), ([[1, 2], [3]],), ([],)]),
)


def pipeline(limit, rows):
    kept = [[x for x in r if x > limit] for r in rows]
    return [(sum(k) / len(k), k.index(max(k))) if k else (0.0, -1) for k in kept]


def odd(rows):
    return [[x for x in r if x % 2 == 1] for r in rows]


def place(xs, best, of):
    return max(i for i, x in enumerate(xs) if x == best) if of == "last" else xs.index(best)


def last_places(rows):
    if not all(odd(rows)):
        raise Stop("T0916")
    return [tuple((best, place(k, best, "last")) for best in (min(k), max(k))) for k in odd(rows)]


def in_order(x):
    return (1, 0.0, 0.0) if math.isnan(x) else (0, x, math.copysign(1.0, x))


def greatest(rows):
    kept = [[in_order(x) for x in r if not x > 4.0] for r in rows]
    return [(k.index(min(k)), k.index(max(k))) if k else (-1, -1) for k in kept]


def spread(rows):
    kept = [[x for x in r if x >= 0.0] for r in rows]
    means = [sum(k) / max(len(k), 1) for k in kept]
    return [(m, sum(abs(x - m) for x in k) / max(len(k), 1)) for m, k in zip(means, kept)]


def steps(rows):
    return [-1 if not k else sum(k) if len(k) < 3 else max(k) - min(k) for k in odd(rows)]


def bold(rows):
    kept = [[x for x in r if x > 0] for r in rows]
    if not all(kept):
        raise Stop("T0916")
    return [k.index(max(k)) for k in kept]


def quotients(rows):
    kept = [[x for x in r if x > 0] for r in rows]
    if any(k and sum(k) == 3 for k in kept):
        raise Stop("T0904")
    return [100 // (sum(k) - 3) if k else 0 for k in kept]


nothing, empty = ([],), ([[], [], []],)
long = [(17 * i) % 41 - 20 for i in range(90)]
whole = [nothing, empty, *ragged, ([long],), ([[], long, [1], long[3:], []],), ([[-(2**63), 2**63 - 1, -(2**63) + 1, -(2**63) + 1]],)]
eighth = [nothing, empty] + [([[x / 8 for x in r] for r in rows],) for (rows,) in [*ragged, ([long],), ([long, [], long[5:]],)]]
odd_ones = [0.0, -0.0, math.nan, math.inf, -math.inf]
special = [([[], odd_ones, odd_ones[::-1], [math.nan], [-math.inf], [math.nan, 1.0, math.nan], [-0.0, 0.0], [-math.inf, -math.inf], [4.0, 1.0]],)]
write(
    __file__,
    "filtered_rows",
    ("pipeline", pipeline, [(limit, rows) for (rows,) in eighth for limit in (0.5, 100.0)]),
    ("first", lambda rows: [(k.index(min(k)), k.index(max(k)), len(k)) if k else (-1, -1, 0) for k in odd(rows)], whole),
    ("last", last_places, [nothing, empty, ([long],), ([long, [1], [2, 3, 3, 1, 1]],), whole[-1], ([[1], [2]],)]),
    ("greatest", greatest, eighth + special),
    ("spread", spread, [nothing, empty, ([[1.0, -4.0, 3.0], [], [-1.0], [0.5, 1.5, 2.5, 3.5], [0.0, 1.0]],)]),
    ("steps", steps, whole[:-1]),
    ("means", lambda rows: [sum(r) / len(r) if r else 0.0 for r in rows], eighth),
    ("bold", bold, [nothing, empty, ([long],), ([[1, 1, 2, 2], [-5, 3]],), ([[1], [-2, 0], [3]],), ([[1], []],), ([[0, 3], [-1, 0, 2]],)]),
    ("quotients", quotients, [nothing, empty, ([long],), ([[4, -9], [-3], [50, 3], [0]],), ([[1], [2, -1, 1]],)]),
)
