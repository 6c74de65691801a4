"""What the programs of this folder compute, in plain Python loops and library calls."""

import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, Stop, write  # noqa: E402

some = Inputs(15)
numbers = [(some.ints(n),) for n in SIZES]
placed = [(some.ints(n), i) for n in (1, 2, 7) for i in (0, n // 2, n - 1)]


def put(xs, i, v):
    xs[i] = v
    return xs


def swap(xs, i, j):
    xs[i], xs[j] = xs[j], xs[i]
    return xs


write(
    __file__,
    "one_element",
    ("replaced", lambda xs, i, v: (list(xs), put(xs, i, v)), [(xs, i, 99) for xs, i in placed]),
    ("swapped", swap, [(xs, i, some.randrange(len(xs))) for xs, i in placed]),
    ("bumped", lambda xs, i: put(xs, i, xs[i] + 1), placed),
)

write(
    __file__,
    "rebinding",
    ("squares", lambda *abc: [x * x for x in abc], [(2, -5, 7), (0, 1, -1)]),
    ("ends_first", lambda xs: swap(xs, 0, -1), numbers[1:]),
)


def cell(m, i, j, v):
    m[i][j] = v
    return m


def part(m, i, a, b, r):
    m[i][a:b] = r
    return m


write(
    __file__,
    "two_dimensions",
    ("cell", cell, [(some.grid(3, 4), i, j, 50) for i, j in [(0, 0), (2, 3), (1, 2)]]),
    ("row", put, [(some.grid(3, 4), i, some.ints(4)) for i in range(3)]),
    ("part", part, [(some.grid(3, 5), i, a, b, some.ints(b - a)) for i, a, b in [(0, 0, 5), (1, 2, 3), (2, 4, 4)]]),
    ("unit", lambda n: [[int(i == j) for j in range(n)] for i in range(n)], [(0,), (1,), (4,)]),
)


def middle(xs, a, ys):
    return xs[:a] + ys + xs[a + len(ys) :]


def exchanged(xs, k):
    n = len(xs)
    return xs[n - k :] + xs[k : n - k] + xs[:k]


write(
    __file__,
    "slices_replaced",
    ("middle", middle, [(some.ints(7), a, some.ints(k)) for a, k in [(0, 7), (3, 2), (7, 0), (6, 1)]]),
    ("no_evens", lambda xs: [x if i % 2 else 0 for i, x in enumerate(xs)], numbers),
    ("exchanged", exchanged, [(some.ints(7), k) for k in range(4)]),
)


def strided(xs, places, ys):
    for p, y in zip(places, ys):
        xs[p] = y
    return xs


def block(m, i, j, xs, b):
    for (p, q) in [(0, 0), (0, 1), (1, 0), (1, 1)]:
        xs[(i + p) * m + j + q] = b[p][q]
    return xs


write(
    __file__,
    "strided_updates",
    ("diagonal", lambda n, xs, ys: strided(xs, range(0, n * n, n + 1), ys), [(n, some.ints(n * n), some.ints(n)) for n in (1, 2, 4)]),
    ("column", lambda m, j, xs, ys: strided(xs, range(j, len(xs), m), ys), [(4, j, some.ints(12), some.ints(3)) for j in (0, 2, 3)]),
    ("block", block, [(4, i, j, some.ints(16), some.grid(2, 2)) for i, j in [(0, 0), (1, 2), (2, 1)]]),
    ("backward", lambda xs, ys: xs[: len(xs) - len(ys)] + ys[::-1], [(some.ints(6), some.ints(k)) for k in (0, 1, 4, 6)]),
)


def primes(n):
    return [p for p in range(2, n + 1) if all(p % d for d in range(2, p))]


write(
    __file__,
    "in_loops",
    ("primes", primes, [(n,) for n in (1, 2, 3, 4, 9, 25, 60, 121)]),
    ("totals", lambda xs: [sum(xs[: i + 1]) for i in range(len(xs))], numbers),
)

write(
    __file__,
    "insertion_sort",
    ("sort_rows", lambda rows: [sorted(r) for r in rows], [(some.rows(n, 9, -4, 4),) for n in SIZES]),
)


def without_peak(rows):
    return [put(r, r.index(max(r)), 0) if r else r for r in rows]


write(
    __file__,
    "inside_comprehensions",
    ("without_peak", without_peak, [(some.rows(n, 6, 1, 4),) for n in SIZES]),
    ("permutation", lambda p: [[int(j == k) for k in range(len(p))] for j in p], [(some.permutation(n),) for n in (0, 1, 2, 5)]),
    ("tagged", lambda m: [put(r, i, 100 + i) for i, r in enumerate(m)], [(some.grid(n, n),) for n in (0, 1, 4)]),
)

write(
    __file__,
    "consumed",
    ("digits", lambda xs: [sum(x % 10 == d for x in xs) for d in range(10)], [(some.ints(n, -99, 99),) for n in SIZES]),
    ("turned", lambda xs: xs[::-1], numbers),
)


def ways(coins, amount):
    if not coins:
        return int(amount == 0)
    first, rest = coins[0], coins[1:]
    return sum(ways(rest, amount - k * first) for k in range(amount // first + 1))


def common(a, b):
    if not a or not b:
        return 0
    if a[-1] == b[-1]:
        return common(a[:-1], b[:-1]) + 1
    return max(common(a[:-1], b), common(a, b[:-1]))


write(
    __file__,
    "dynamic_programming",
    ("ways", ways, [([1, 2, 5], 12), ([2, 3, 7], 20), ([5], 4), ([4, 6], 9), ([1], 0), ([], 3), ([3, 9], 2)]),
    ("common", common, [(some.ints(n, 0, 3), some.ints(m, 0, 3)) for n, m in [(0, 3), (3, 0), (4, 4), (7, 5), (6, 8)]]),
)


def cheapest(n, offers):
    best = {}
    for item, price in offers:
        best[item] = min(price, best.get(item, price))
    return [(i in best, best.get(i, 0.0)) for i in range(n)]


write(
    __file__,
    "of_tuples",
    ("cheapest", cheapest, [(4, list(zip(some.ints(n, 0, 3), some.reals(n)))) for n in SIZES]),
    ("crossed", lambda ps, k: put(ps, k, ps[k][::-1]), [([(1, 2), (3, 4), (5, 6)], k) for k in range(3)]),
)


def buckets(k, xs):
    return [[0] + [x for x in xs if x % k == r] for r in range(k)]


def neighbours(n, edges):
    lists = collections.defaultdict(list)
    for a, b in edges:
        lists[a].append(b)
        lists[b].append(a)
    return [[i] + lists[i] for i in range(n)]


pairs = [(0, 1), (2, 3), (1, 3), (0, 3), (4, 2)]
write(
    __file__,
    "of_ragged_rows",
    ("buckets", buckets, [(k, some.ints(n)) for n in SIZES for k in (1, 3)]),
    ("neighbours", neighbours, [(5, pairs[:k]) for k in range(6)]),
)


def at(xs, i):
    if i not in range(len(xs)):
        raise Stop("T0901")
    return put(xs, i, 0)


def replaced(xs, a, b, ys):
    if not 0 <= a <= b <= len(xs):
        raise Stop("T0902")
    if b - a != len(ys):
        raise Stop("T0918")
    return middle(xs, a, ys)


def grid(xs, s, t, ys):
    places = [i * s + j * t for i in range(2) for j in range(2)]
    if min(places) < 0 or max(places) >= len(xs):
        raise Stop("T0913")
    if len(set(places)) < 4:
        raise Stop("T0914")
    return strided(xs, places, [y for row in ys for y in row])


write(
    __file__,
    "failing_updates",
    ("at", at, [(some.ints(3), i) for i in (-1, 0, 2, 3)]),
    ("part", replaced, [(some.ints(4), *p) for p in [(0, 2, [1, 2]), (1, 2, []), (3, 5, [1, 2]), (2, 1, []), (0, 4, [1, 2, 3])]]),
    ("grid", grid, [(some.ints(6), s, t, [[20, 21], [22, 23]]) for s, t in [(2, 1), (3, 2), (1, 1), (0, 1), (5, 1), (1, 4)]]),
)
