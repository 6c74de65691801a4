"""What the programs of this folder compute, in plain Python loops and library calls."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, Stop, write  # noqa: E402

some = Inputs(14)
numbers = [(some.ints(n),) for n in SIZES]
grids = [some.grid(n, m) for n, m in [(3, 3), (3, 4), (5, 3), (2, 6)]]

write(
    __file__,
    "plain_slices",
    ("ends", lambda k, xs: (xs[:k], xs[len(xs) - k :], xs[k : len(xs) - k]), [(k, some.ints(9)) for k in range(5)]),
    ("beginnings", lambda xs: [xs[:i] for i in range(len(xs) + 1)], numbers[:5]),
    ("middles", lambda rows: [r[len(r) // 4 : len(r) - len(r) // 4] for r in rows], [(some.rows(n, 12),) for n in SIZES]),
)

write(
    __file__,
    "stepped_slices",
    ("even_and_odd", lambda xs: (xs[::2], xs[1::2]), numbers),
    ("every", lambda a, b, s, xs: xs[a:b:s], [(a, b, s, some.ints(12)) for a, b, s in [(0, 12, 1), (1, 11, 3), (3, 4, 2), (5, 5, 1), (2, 12, 5)]]),
    ("strided_sums", lambda s, xs: [sum(xs[i::s]) for i in range(min(s, len(xs)))], [(s, some.ints(n)) for n in (0, 1, 5, 11) for s in (1, 2, 4)]),
)

write(
    __file__,
    "two_dimensions",
    ("parts", lambda m, i, j: (m[i], [r[j] for r in m], [r[j:] for r in m[:i]]), [(g, i, j) for g in grids for i, j in [(0, 0), (1, 2)]]),
    ("inner", lambda m: [r[1:-1] for r in m[1:-1]], [(g,) for g in grids]),
    ("thinned", lambda m: [r[::2] for r in m[::2]], [(g,) for g in grids]),
)


def column(rows, j):
    if any(len(r) <= j for r in rows):
        raise Stop("T0901")
    return [r[j] for r in rows]


long_rows = [some.ints(some.randint(3, 6)) for _ in range(6)]
write(
    __file__,
    "columns_of_ragged_rows",
    ("column", column, [(long_rows, 0), (long_rows, 2), ([[1, 2], [3]], 1), ([], 4)]),
    ("lasts", lambda rows: [r[-1] for r in rows if r], [(some.rows(n),) for n in SIZES]),
    ("path", lambda rows, k: [rows[i][j] for i, j in enumerate(k)], [(long_rows, some.ints(n, 0, 2)) for n in (0, 1, 4, 6)]),
)

cube = [some.grid(4, 5) for _ in range(3)]
write(
    __file__,
    "three_dimensions",
    ("lines", lambda c, i, j, k: (c[i][j][k], c[i][j], [l[k] for l in c[i]], [p[j][k] for p in c]), [(cube, 0, 1, 2), (cube, 2, 3, 4), (cube, 1, 0, 0)]),
    ("faces", lambda c: (c[0], [p[0] for p in c], [[l[0] for l in p] for p in c]), [(cube,), (cube[:1],)]),
    ("corner", lambda c, k: [[l[k:] for l in p[k:]] for p in c[k:]], [(cube, k) for k in (0, 1, 3)]),
)


def flat(n, m):
    return [x for row in some.grid(n, m) for x in row]


def upper(n, k, xs):
    return [xs[i * n + j] for i in range(n) for j in range(n) if j - i == k]


def both(n, xs):
    return (upper(n, 0, xs), [xs[i * n + j] for i in range(n) for j in range(n) if i + j == n - 1])


squares = [(n, flat(n, n)) for n in (1, 2, 3, 5)]
write(
    __file__,
    "diagonals",
    ("both", both, squares),
    ("upper", upper, [(4, k, flat(4, 4)) for k in range(4)]),
    ("trace", lambda n, xs: sum(upper(n, 0, xs)), squares),
)

write(
    __file__,
    "strided_blocks",
    ("block", lambda m, i, j, h, w, xs: [[xs[(i + a) * m + j + b] for b in range(w)] for a in range(h)], [(5, 1, 2, 3, 2, flat(4, 5)), (3, 0, 0, 2, 3, flat(4, 3)), (2, 1, 1, 1, 1, flat(2, 2)), (4, 2, 1, 0, 3, flat(3, 4))]),
    ("windows", lambda k, xs: [xs[i : i + k] for i in range(len(xs) - k + 1)], [(1, some.ints(4)), (3, some.ints(8)), (4, some.ints(4)), (5, some.ints(4))]),
    ("opposite", lambda a, b, c, xs: [[[xs[(i * b + j) * c + k] for i in range(a)] for j in range(b)] for k in range(c)], [(2, 3, 4, some.ints(24)), (1, 1, 1, [3]), (3, 1, 2, some.ints(6))]),
)

write(
    __file__,
    "backward_slices",
    ("backward", lambda xs: xs[::-1], numbers),
    ("every_second", lambda xs: xs[::-2], numbers),
    ("half_turn", lambda n, m, xs: [xs[::-1][i * m : i * m + m] for i in range(n)], [(2, 3, some.ints(6)), (3, 1, some.ints(3)), (1, 1, [4])]),
    ("still", lambda k, xs: [xs[1]] * k, [(k, some.ints(4)) for k in (0, 1, 5)]),
)


def best(k, rows):
    return [max(sum(r[i : i + k]) for i in range(len(r) - k + 1)) for r in rows if len(r) >= k]


write(
    __file__,
    "slices_in_parallel",
    ("cuts", lambda t, places: [t[a:b] for a, b in places], [(b"parallel", [(0, 8), (3, 5), (7, 8), (0, 0)]), (b"x", [])]),
    ("lower", lambda m: [r[: i + 1] for i, r in enumerate(m)], [(some.grid(n, n),) for n in (0, 1, 2, 5)]),
    ("best", best, [(k, some.rows(8)) for k in (1, 2, 3, 5)]),
)

write(
    __file__,
    "slices_of_slices",
    ("view", lambda m, a, b: [list(c) for c in zip(*[r[::2] for r in m[a:b]])][::-1], [(some.grid(5, 6), a, b) for a, b in [(0, 5), (1, 4), (2, 3)]]),
    ("twice", lambda xs, a, b: (xs[a:][b:],) * 2, [(some.ints(9), a, b) for a, b in [(0, 0), (2, 3), (4, 5), (9, 0)]]),
    ("last_of_first", lambda xs, n, k: xs[:n][n - k :], [(some.ints(9), n, k) for n, k in [(9, 9), (5, 2), (3, 0), (4, 4)]]),
)

write(
    __file__,
    "merging_halves",
    ("halves", lambda xs: (xs[: len(xs) // 2], xs[len(xs) // 2 :]), numbers),
    ("folded", lambda xs: [xs[i] + xs[-1 - i] for i in range(len(xs) // 2)], numbers),
    ("thirds", lambda xs: [xs[: len(xs) // 3], xs[len(xs) // 3 : len(xs) // 3 * 2], xs[len(xs) // 3 * 2 :]], numbers),
)

write(
    __file__,
    "index_types",
    ("by_bytes", lambda t, js: [t[j] for j in js], [(some.ints(6), some.ints(n, 0, 5)) for n in SIZES]),
    ("by_pairs", lambda m, js: [m[i][j] for i, j in js], [(some.grid(3, 4), [(some.randint(0, 2), some.randint(0, 3)) for _ in range(n)]) for n in SIZES]),
    ("twice", lambda p: [p[j] for j in p], [(some.permutation(n),) for n in SIZES]),
)


def slice_(xs, a, b):
    if not 0 <= a <= b <= len(xs):
        raise Stop("T0902")
    return xs[a:b]


def strided(xs, off, n, s):
    if n < 0:
        raise Stop("T0905")
    places = [off + i * s for i in range(n)]
    if any(p not in range(len(xs)) for p in places):
        raise Stop("T0913")
    return [xs[p] for p in places]


def stepped(xs, s):
    if s < 1:
        raise Stop("T0917")
    return xs[::s]


three = [7, 8, 9]
write(
    __file__,
    "failing_slices",
    ("slice", slice_, [(three, a, b) for a, b in [(0, 3), (1, 2), (2, 1), (-1, 2), (0, 4), (3, 3), (4, 4)]]),
    ("strided", strided, [(three, *p) for p in [(0, 3, 1), (0, 4, 1), (2, 3, -1), (2, 4, -1), (3, 0, 1), (3, 1, 0), (1, 2, 2), (0, 2, 2), (0, -1, 1)]]),
    ("stepped", stepped, [(three, s) for s in (1, 2, 5, 0, -1)]),
)
