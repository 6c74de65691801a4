"""What the programs of this folder compute, in plain Python loops and library calls."""

import collections
import itertools
import math
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, Stop, write  # noqa: E402

some = Inputs(24)
numbers = [(some.ints(n),) for n in SIZES]
digits = [(some.ints(n, -30, 30),) for n in SIZES]
ragged = [(some.rows(n),) for n in SIZES]
tight = [(some.rows(n, 4, 0, 2),) for n in SIZES]


def order(xs):
    return sorted(range(len(xs)), key=lambda i: xs[i])


write(
    __file__,
    "sorting",
    ("three_ways", lambda xs: (sorted(xs), sorted(xs, reverse=True), sorted(xs, key=lambda x: x % 10)), digits),
    ("positions", lambda xs: (order(xs), True), numbers),
    ("ranks", lambda xs: [order(xs).index(i) for i in range(len(xs))], numbers),
)

words = [b"beta", b"alpha", b"gamma", b"al", b"b", b"alpine", b"beta"]
write(
    __file__,
    "sorting_rows",
    ("rows_sorted", lambda rows: [sorted(r) for r in rows], ragged),
    ("rows_by_length", lambda rows: sorted(rows, key=lambda r: (len(r), r)), tight),
    ("dictionary", lambda ws: sorted(ws), [(words[:n],) for n in (0, 1, 7)]),
    ("by_keys", lambda ks, xs: [x for _, x in sorted(zip(ks, xs), key=lambda p: p[0])], [(some.reals(n, 0, 1), some.ints(n)) for n in SIZES]),
)


def groups(key, xs):
    found = collections.defaultdict(list)
    for x in xs:
        found[key(x)].append(x)
    return sorted(found.items())


def twice(xs):
    return [(s, groups(lambda x: x % 2, g)) for s, g in groups(lambda x: x < 0, xs)]


write(
    __file__,
    "grouping",
    ("by_remainder", lambda k, xs: groups(lambda x: x % k, xs), [(k, xs) for (xs,) in numbers for k in (1, 3)]),
    ("initials", lambda ws: [(k, len(g)) for k, g in groups(lambda w: w[0], ws)], [(words[:n],) for n in (0, 1, 7)]),
    ("twice", twice, numbers),
)

write(
    __file__,
    "extremes",
    ("places", lambda xs: (xs.index(min(xs)), xs.index(max(xs)), min(xs), max(xs)), [(some.ints(n, 0, 3),) for n in (1, 2, 3, 9)]),
    ("nearest", lambda xs, ys: [min(range(len(ys)), key=lambda j: abs(x - ys[j])) for x in xs], [(some.ints(n), some.ints(4)) for n in SIZES]),
    ("best_row", lambda rows: max(rows, key=sum), [(some.rows(n, 4, -2, 3),) for n in (1, 2, 5, 9)]),
)


def before(xs):
    return ([sum(xs[:i]) for i in range(len(xs))], [math.prod(xs[:i]) for i in range(len(xs))])


nests = [([some.rows(some.randint(0, 4), 3) for _ in range(n)],) for n in (0, 1, 4)]
write(
    __file__,
    "exclusive_scans",
    ("before", before, numbers[:5]),
    ("records", lambda xs: [all(x > y for y in xs[:i]) for i, x in enumerate(xs)], [(some.ints(n, 0, n),) for n in SIZES]),
    ("starts", lambda gs: [[sum(map(len, rows[:i])) for i in range(len(rows))] for rows in gs], nests),
)


def distinct_rows(rows, pairs):
    return (sorted({tuple(r) for r in rows}), sorted(set(pairs)))


def lists(rows, pairs):
    a, b = distinct_rows(rows, pairs)
    return ([list(r) for r in a], b)


write(
    __file__,
    "uniqueness",
    ("distinct", lambda xs: (sorted(set(xs)), len(set(xs))), numbers),
    ("distinct_rows", lists, [(rows, list(zip(some.flags(9), some.ints(9, 0, 1)))) for (rows,) in tight]),
    ("constant_rows", lambda rows: [len(set(r)) < 2 for r in rows], [([some.ints(some.randint(0, 3), 0, 1) for _ in range(15)],)]),
    ("common", lambda a, b: sorted(set(a) & set(b)), [(some.ints(n), some.ints(6)) for n in SIZES]),
)

tuples = [(list(zip(some.ints(n), some.reals(n, 0, 2))),) for n in SIZES]
write(
    __file__,
    "pairs",
    ("parts", lambda ps: ([a for a, _ in ps], [b for _, b in ps]), tuples),
    ("by_second", lambda ps: [a for a, _ in sorted(ps, key=lambda p: p[1])], tuples),
    ("crossed", lambda ps: [(b, a) for a, b in ps], tuples),
)


def moments(xs, ys):
    return (statistics.fmean(xs), statistics.pvariance(xs), statistics.correlation(xs, ys))


def agree(xs, ys, tolerance):
    return [abs(x - y) <= tolerance * max(1, abs(x), abs(y)) for x, y in zip(xs, ys)]


write(
    __file__,
    "means",
    ("statistics", moments, [(some.reals(n), some.reals(n)) for n in (2, 3, 8, 30)], "rounds"),
    ("agree", agree, [(some.reals(20), [x + d for x, d in zip(some.reals(20), some.reals(20, -1, 1))], t) for t in (0.0, 0.25, 1.0)] + [([1.0, 8.0, 0.0, 0.0], [1.25, 10.0, 0.25, 0.5], 0.25)]),
    ("radians", lambda ds: [math.radians(d) for d in ds], [([0.0, 90.0, -45.0, 360.0],)], "rounds"),
)

write(
    __file__,
    "limits",
    ("limited", lambda a, b, xs: [sorted([a, x, b])[1] for x in xs], [(-2, 3, some.ints(20)), (0, 0, some.ints(5)), (-9, 9, some.ints(5))]),
    ("colours", lambda xs: [int(min(max(255 * x, 0), 255)) for x in xs], [([0.0, 1.0, 0.25, -3.0, 7.5, 0.999],)]),
    ("clamped_reads", lambda xs, js: [xs[min(max(j, 0), len(xs) - 1)] for j in js], [(some.ints(n), some.ints(9)) for n in (1, 2, 5)]),
)

write(
    __file__,
    "reversing",
    ("both_ways", lambda rows: (rows[::-1], [r[::-1] for r in rows]), ragged),
    ("by_reversal", lambda k, xs: (xs[k:] + xs[:k],) * 2, [(k, some.ints(7)) for k in (0, 1, 4, 7)]),
    ("opposite", lambda xs: [xs[i] + xs[-1 - i] for i in range(len(xs))], numbers),
)


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def form(a, x):
    return sum(a[i][j] * x[i] * x[j] for i in range(len(x)) for j in range(len(x)))


reals = [[some.reals(m) for _ in range(n)] for n, m in [(1, 1), (2, 3), (4, 2)]]
write(
    __file__,
    "inner_products",
    ("product_of", product, [(some.grid(n, m), some.grid(m, k)) for n, m, k in [(1, 1, 1), (2, 3, 4), (5, 2, 3)]]),
    ("gram", lambda a: product(a, list(zip(*a))), [(r,) for r in reals]),
    ("form", form, [(some.grid(n, n), some.ints(n)) for n in (1, 2, 5)]),
)


def rising(xs):
    return all(not (b < a) for a, b in zip(xs, xs[1:]))


def some_sorted(n):
    a, b, c = some.reals(n), list(zip(some.ints(n, 0, 1), some.flags(n))), [some.ints(some.randint(0, 2), 0, 1) for _ in range(n)]
    return tuple(sorted(x) if some.random() < 0.5 else x for x in (a, b, c))




write(
    __file__,
    "order_of_anything",
    ("sorted", lambda a, b, c: (rising(a), rising(b), rising(c)), [some_sorted(n) for n in (0, 1, 2, 2, 3, 5, 9)]),
    ("ends", lambda b, c: (min(b), max(c)), [some_sorted(n)[1:] for n in (1, 2, 5, 9)]),
)


def cut(lengths, xs):
    if any(n < 0 for n in lengths):
        raise Stop("T0905")
    if sum(lengths) != len(xs):
        raise Stop("T0915")
    at = iter(xs)
    return [[next(at) for _ in range(n)] for n in lengths]


def with_lengths(n):
    lengths = some.ints(n, 0, 4)
    return (lengths, some.ints(sum(lengths)))


write(
    __file__,
    "partitions_and_joins",
    ("sorted_parts", lambda ns, xs: list(itertools.chain(*[sorted(r) for r in cut(ns, xs)])), [with_lengths(n) for n in SIZES]),
    ("differences", lambda xs: [[x - y for y in xs[:i]] for i, x in enumerate(xs)], numbers[:5]),
    ("columns", lambda ps: [list(p) for p in ps], [(list(zip(some.ints(n), some.ints(n))),) for n in SIZES]),
)


def choose(weights, xs):
    places = [i for i, w in enumerate(weights) for _ in range(w)]
    return [places[x] if x < len(places) else len(weights) for x in xs]


def chosen(weights, xs):
    found = choose(weights, xs)
    if any(f >= len(weights) for f in found):
        raise Stop("T0901")
    return [found.count(i) for i in range(len(weights))]


weights = [[3, 1, 0, 4], [1], [0, 2, 5, 0, 1]]
write(
    __file__,
    "weighted_choice",
    ("choose", choose, [(w, list(range(sum(w) + 2))) for w in weights]),
    ("shares", lambda ws: [w * 100 // sum(ws) for w in ws], [(w,) for w in weights]),
    ("chosen", chosen, [(w, list(range(sum(w)))) for w in weights] + [([1, 1], [2])]),
)


def encode(xs):
    return [(k, len(list(g))) for k, g in itertools.groupby(xs)]


few = [some.ints(n, 0, 1) for n in SIZES]
runs = [list(zip(some.ints(n), some.ints(n, 0, 3))) for n in SIZES]
write(
    __file__,
    "run_lengths",
    ("encode", encode, [(x,) for x in few]),
    ("decode", lambda rs: [x for x, n in rs for _ in range(n)], [(r,) for r in runs]),
    ("longest", lambda rows: [max((n for _, n in encode(r)), default=0) for r in rows], tight),
)

pairs = [(some.ints(n, 0, 9), some.ints(m, 0, 9)) for n in (0, 1, 5, 12) for m in (0, 1, 7)]
write(
    __file__,
    "set_operations",
    ("union", lambda a, b: sorted(set(a) | set(b)), pairs),
    ("intersection", lambda a, b: sorted(set(a) & set(b)), pairs),
    ("difference", lambda a, b: sorted(set(a) - set(b)), pairs),
)


def table(n):
    return list(zip(some.ints(n, 0, 4), some.ints(n)))


tables = [(table(n), table(m)) for n, m in [(0, 3), (3, 0), (4, 5), (8, 3)]]
write(
    __file__,
    "joins_of_tables",
    ("inner", lambda a, b: [(k, x, y) for k, x in a for l, y in b if k == l], tables),
    ("lookup", lambda ks, b: [sum(y for l, y in b if l == k) for k in ks], [(some.ints(n, 0, 6), table(6)) for n in SIZES]),
    ("unmatched", lambda a, b: sorted({k for k, _ in a} ^ {k for k, _ in b}), tables),
)


def least(xs):
    if not xs:
        raise Stop("T0916")
    return min(xs)


def place(xs):
    return xs.index(max(xs)) if xs else least(xs)


def windows(size, step, xs):
    if min(size, step) < 1:
        raise Stop("T0917")
    return [xs[i : i + size] for i in range(0, len(xs) - size + 1, step)]


def turned(rows):
    if len(set(map(len, rows))) > 1:
        raise Stop("T0908")
    return [list(c) for c in zip(*rows)]


def written(xs, js):
    for j in js:
        if j not in range(len(xs)):
            raise Stop("T0901")
        xs[j] = j
    return xs


write(
    __file__,
    "failing_uses",
    ("smallest", least, [([],), ([3, 1, 2],)]),
    ("place", place, [([],), ([3, 1, 3],)]),
    ("cut", cut, [([1, 2], [1, 2, 3]), ([1, 2], [1, 2]), ([2, -1], [1]), ([], [])]),
    ("windows", windows, [(0, 1, [1]), (1, 0, [1]), (2, 1, []), (2, 2, [1, 2, 3, 4])]),
    ("turned", turned, [([[1, 2], [3]],), ([[1, 2], [3, 4]],), ([[], []],)]),
    ("written", written, [([1, 2, 3], [2, 0]), ([1, 2, 3], [3]), ([1], [-1]), ([], [])]),
)
