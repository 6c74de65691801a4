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


def softmax(xs):
    return [math.exp(x) / sum(math.exp(y) for y in xs) for x in xs]


real_rows = [some.real_rows(n) for n in SIZES]
parts = [[0.25, 0.75], [0.5, 0.0, 0.5], [0.125] * 8]
write(
    __file__,
    "softmax",
    ("shares", lambda rows: [softmax(r) for r in rows if r], [(r,) for r in real_rows], "rounds"),
    ("log_sum", lambda xs: math.log(sum(map(math.exp, xs))), [(some.reals(n),) for n in (1, 2, 7)], "rounds"),
    ("entropy", lambda ps: -math.fsum(p * math.log(p) for p in ps if p), [(p,) for p in parts], "rounds"),
)


def angle(p, q):
    a, b, c, d = map(math.radians, (*p, *q))
    u = [math.cos(a) * math.cos(b), math.cos(a) * math.sin(b), math.sin(a)]
    v = [math.cos(c) * math.cos(d), math.cos(c) * math.sin(d), math.sin(c)]
    cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    return math.atan2(math.hypot(*cross), sum(x * y for x, y in zip(u, v)))


def place():
    return (some.uniform(-80, 80), some.uniform(-170, 170))


towns = [[place() for _ in range(n)] for n in (0, 1, 2, 5)]
write(
    __file__,
    "great_circles",
    ("distances", lambda ps: [[6371 * angle(p, q) for q in ps] for p in ps], [(t,) for t in towns], "rounds"),
    ("nearest", lambda a, b: [min(range(len(b)), key=lambda j: angle(p, b[j])) for p in a], [(t, towns[3]) for t in towns]),
)

spots = [[(some.uniform(-5, 5), some.uniform(-5, 5)) for _ in range(n)] for n in (0, 1, 2, 8)]


def turned_by(t, ps):
    return [(z.real, z.imag) for z in (complex(*p) * complex(math.cos(t), math.sin(t)) for p in ps)]


def angle_between(p, q):
    return abs(math.remainder(math.atan2(p[1], p[0]) - math.atan2(q[1], q[0]), math.tau))


angles = [some.uniform(-1.5, 1.5) for _ in range(6)]
write(
    __file__,
    "polar",
    ("to_polar", lambda ps: [(math.hypot(*p), math.atan2(p[1], p[0])) for p in ps], [(s,) for s in spots], "rounds"),
    ("turned", turned_by, [(t, s) for s in spots for t in (0.5, -2.0)], "rounds"),
    ("towers", lambda ts, ds: [(d * math.tan(t), t) for t, d in zip(ts, ds)], [(angles, some.reals(6, 1, 9))], "rounds"),
    ("between", lambda ps: [angle_between(*p) for p in ps], [(list(zip(spots[3], reversed(spots[3]))),)], "rounds"),
)

write(
    __file__,
    "hanging_chains",
    ("heights", lambda a, xs: [a * (math.exp(x / a) + math.exp(-x / a)) / 2 for x in xs], [(a, some.reals(6)) for a in (1.0, 3.5)], "rounds"),
    ("lengths", lambda a, es: [a * math.sinh(y / a) - a * math.sinh(x / a) for x, y in es], [(a, list(zip(some.reals(5), some.reals(5)))) for a in (2.0, 5.0)], "rounds"),
    ("slopes", lambda xs: [math.tanh(x) for x in xs], [(some.reals(9, -3, 3),)], "rounds"),
    ("power_means", lambda p, rows: [(sum(x**p for x in r) / len(r)) ** (1 / p) for r in rows if r], [(p, [some.reals(n, 1, 8) for n in (1, 0, 3, 6)]) for p in (0.5, 2.0, 3.0)], "rounds"),
)


def holes(n):
    return [math.nan if some.random() < 0.4 else x for x in some.reals(n, 0, 2)]


def summary(rows):
    known = [[x for x in r if x == x] for r in rows]
    return [(sum(k) / len(k) if k else 0.0, len(r) - len(k)) for r, k in zip(rows, known)]


def filled(xs):
    out, last = [], 0.0
    for x in xs:
        last = last if math.isnan(x) else x
        out.append(last)
    return out


tables = [[holes(some.randint(0, 5)) for _ in range(n)] for n in SIZES]
columns = [[[1.0, math.nan, 1.0], [2.0, 3.0], [math.nan], [], [4.0, 4.0], [0.0, 1.0, 0.0]]]
write(
    __file__,
    "data_cleaning",
    ("summary", summary, [(t,) for t in tables], "rounds"),
    ("filled", filled, [(holes(n),) for n in SIZES]),
    ("constant", lambda cs: [len({x for x in c if x == x}) <= 1 for c in cs], [(c,) for c in columns] + [(t,) for t in tables]),
)


def clusters(centres, points):
    return [min(range(len(centres)), key=lambda k: abs(p - centres[k])) for p in points]


def moved(centres, points):
    near = clusters(centres, points)
    mine = [[p for p, k in zip(points, near) if k == c] for c in range(len(centres))]
    return [sum(m) // len(m) if m else c for m, c in zip(mine, centres)]


def renamed(centres, near):
    ranks = order(centres)
    return ([centres[i] for i in ranks], [ranks.index(k) for k in near])


starts = [[0], [-5, 5], [9, -9, 0, 30]]
write(
    __file__,
    "assignments",
    ("clusters", clusters, [(c, some.ints(n)) for c in starts for n in (0, 1, 9)]),
    ("moved", moved, [(c, some.ints(n, -20, 20)) for c in starts for n in (0, 1, 9)]),
    ("renamed", renamed, [(c, some.ints(6, 0, len(c) - 1)) for c in starts]),
)


def around(m, i, j, mode):
    def at(k, n):
        if mode == "clamp":
            return min(max(k, 0), n - 1)
        return -1 - k if k < 0 else 2 * n - 1 - k if k >= n else k

    return [[m[at(a, len(m))][at(b, len(m[0]))] for b in (j - 1, j, j + 1)] for a in (i - 1, i, i + 1)]


def stencil(m, mode, f):
    return [[f(around(m, i, j, mode)) for j in range(len(m[0]))] for i in range(len(m))]


def strength(b):
    weights = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
    gx = sum(weights[i][j] * b[i][j] for i in range(3) for j in range(3))
    gy = sum(weights[j][i] * b[i][j] for i in range(3) for j in range(3))
    return abs(gx) + abs(gy)


def brightest(m):
    best = max(max(r) for r in m)
    return next((i, r.index(best)) for i, r in enumerate(m) if best in r)


pictures = [some.grid(n, m, 0, 9) for n, m in [(1, 1), (2, 3), (4, 4), (5, 7)]]
write(
    __file__,
    "edge_detection",
    ("edges", lambda m: stencil(m, "clamp", strength), [(p,) for p in pictures]),
    ("median", lambda m: stencil(m, "mirror", lambda b: statistics.median(b[0] + b[1] + b[2])), [(p,) for p in pictures]),
    ("brightest", brightest, [(p,) for p in pictures]),
)


def all_turns(xs):
    return [xs[k:] + xs[:k] for k in range(len(xs))]


rings = [some.ints(n, 0, 2) for n in (0, 1, 2, 3, 6, 9)]
write(
    __file__,
    "rings",
    ("curvature", lambda xs: [xs[i - 1] - 2 * xs[i] + xs[(i + 1) % len(xs)] for i in range(len(xs))], numbers),
    ("turns", lambda xs, ys: [k for k, t in enumerate(all_turns(xs)) if t == ys], [(r, r[2:] + r[:2]) for r in rings] + [([0, 1, 0, 1], [1, 0, 1, 0]), ([0, 1], [1, 1])]),
    ("least_turn", lambda xs: min(all_turns(xs), default=[]), [(r,) for r in rings]),
    ("correlation", lambda xs: [sum(x * y for x, y in zip(xs, t)) for t in all_turns(xs)], numbers),
)


def smooth(rows):
    return [[sum(([r[0]] + r + [r[-1]])[i : i + 3]) for i in range(len(r))] for r in rows if r]


write(
    __file__,
    "padded_rows",
    ("rectangle", lambda v, rows: [r + [v] * (max(map(len, rows)) - len(r)) for r in rows], [(v, r) for (r,) in ragged for v in (0, -7)]),
    ("right", lambda w, ws: [t.rjust(w) for t in ws], [(w, words) for w in (0, 4, 9)]),
    ("smooth", smooth, ragged),
)


def rank(x, xs):
    key = [(math.isnan(y), 0.0 if math.isnan(y) else y) for y in xs]
    mine = (math.isnan(x), 0.0 if math.isnan(x) else x)
    return sum(k < mine for k in key)


flagged = [list(zip(some.ints(n, 0, 2), some.flags(n))) for n in SIZES]
write(
    __file__,
    "ordering_by_precedes",
    ("ranks", lambda xs: [rank(x, xs) for x in xs], [(holes(n),) for n in SIZES]),
    ("known", lambda ps, qs: [p in qs for p in ps], [(p, flagged[3]) for p in flagged] + [([(1, True)], [])]),
    ("placed", lambda ws: sorted(ws), [(words[:n],) for n in (0, 1, 7)]),
)


def away(x):
    return math.floor(x + 0.5) if x >= 0 else math.ceil(x - 0.5)


def minutes(xs):
    whole = [math.copysign(math.floor(abs(x)), x) for x in xs]
    return [(w, math.copysign(math.floor(abs(x - w) * 60), x - w)) for w, x in zip(whole, xs)]


write(
    __file__,
    "whole_numbers_of_floats",
    ("prices", lambda xs: [divmod(away(x * 100), 100) for x in xs], [(some.reals(12),), ([0.125, 0.375, -0.125],)]),
    ("cells", lambda s, xs: ([int(x // s) for x in xs], -int(-max(xs) // s)), [(s, some.reals(9)) for s in (0.5, 2.0, 3.0)]),
    ("minutes", minutes, [([x for x in some.reals(20) if x % 1],)]),
)


def by_length(most, ws):
    rows = [[i for i, w in enumerate(ws) if len(w) == n] for n in sorted(set(map(len, ws)))]
    return [(r + [-1] * most)[:most] for r in rows]


def squeezed(xs):
    kept = [k for k, _ in itertools.groupby(xs)]
    return kept + [0] * (len(xs) - len(kept))


write(
    __file__,
    "compacting",
    ("by_length", by_length, [(most, words[:n]) for most in (1, 2, 3) for n in (1, 4, 7)]),
    ("squeezed", squeezed, [(some.ints(n, 0, 1),) for n in SIZES]),
)
