"""What the programs of this folder compute, in plain Python loops and library calls."""

import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, Stop, write  # noqa: E402

some = Inputs(13)
numbers = [(some.ints(n),) for n in SIZES]
ragged = [(some.rows(n),) for n in SIZES]
cubes = [([some.rows(some.randint(0, 4), 3) for _ in range(n)],) for n in (0, 1, 3, 6)]
grids = [some.grid(n, m) for n, m in [(1, 1), (2, 2), (3, 4), (5, 3), (1, 5), (4, 1)]]


def chain(rows):
    return list(itertools.chain.from_iterable(rows))


def cut(lengths, xs):
    if min(lengths, default=0) < 0:
        raise Stop("T0905")
    if sum(lengths) != len(xs):
        raise Stop("T0915")
    at = iter(xs)
    return [[next(at) for _ in range(n)] for n in lengths]


write(
    __file__,
    "flattening",
    ("once", chain, ragged),
    ("twice", lambda cube: (chain(chain(cube)), [chain(p) for p in cube]), cubes),
    ("repeated", lambda ns: chain([n] * n for n in ns), [(some.ints(n, 0, 5),) for n in SIZES]),
)


def groups(m, xs):
    if len(xs) % m:
        raise Stop("T0915")
    return [xs[i : i + m] for i in range(0, len(xs), m)]


def blocks_of(m, k):
    return (m, some.ints(m * k))


pairs = [blocks_of(m, k) for m, k in [(1, 5), (2, 3), (3, 2), (5, 1), (4, 0), (3, 4)]]
write(
    __file__,
    "splitting",
    ("turn_blocks", lambda m, xs: chain(g[::-1] for g in groups(m, xs)), pairs),
    ("block_sums", lambda m, xs: [sum(g) for g in groups(m, xs)], pairs),
    ("planes", lambda k, m, xs: groups(k, groups(m, xs)), [(2, 3, some.ints(12)), (1, 1, [4]), (3, 2, some.ints(12)), (2, 2, [])]),
)


def alternating(n, a, b, xs):
    rows = cut([b if i % 2 else a for i in range(n)], xs)
    return (rows, [sum(r) for r in rows])


write(
    __file__,
    "partitions",
    ("triangle", lambda n, xs: cut(range(1, n + 1), xs), [(n, some.ints(n * (n + 1) // 2)) for n in (0, 1, 2, 5)] + [(2, [1, 2])]),
    ("alternating", alternating, [(4, 1, 3, some.ints(8)), (3, 0, 2, some.ints(2)), (5, 2, 0, some.ints(6)), (2, 1, 1, [1, 2, 3]), (2, 3, -1, [1, 2])]),
    ("round_trip", lambda n, xs: chain(cut(range(0, 2 * n, 2), xs)), [(4, some.ints(12)), (1, []), (3, [1, 2, 3])]),
)


def lengths(rows):
    return [len(r) for r in rows]


def reshape(shape, xs):
    return cut(lengths(shape), xs)


def shaped(n):
    rows = some.rows(n)
    return (rows, some.ints(sum(lengths(rows))))


write(
    __file__,
    "partitions_by_lengths",
    ("reshape", reshape, [shaped(n) for n in SIZES] + [([[0], [0]], [1, 2, 3])]),
    ("sorted_across", lambda rows: cut(lengths(rows), sorted(chain(rows))), ragged),
    ("running", lambda rows: cut(lengths(rows), list(itertools.accumulate(chain(rows)))), ragged),
)


def columns(n, m, xs):
    return [[xs[i * m + j] for i in range(n)] for j in range(m)]


flat = [(len(g), len(g[0]), chain(g)) for g in grids]
write(
    __file__,
    "unflattening",
    ("matrix", lambda n, m, xs: (cut([m] * n, xs),) * 2, flat),
    ("by_columns", columns, flat),
    ("round_trip", lambda n, m, xs: xs, flat),
)


def slide(size, step, xs):
    return [xs[i : i + size] for i in range(0, len(xs) - size + 1, step)]


write(
    __file__,
    "windows",
    ("moving_sums", lambda a, b, xs: [sum(w) for w in slide(a, b, xs)], [(a, b, some.ints(n)) for n in (0, 2, 7, 12) for a, b in [(1, 1), (2, 1), (3, 2), (2, 5)]]),
    ("rising", lambda xs: [a < b < c for a, b, c in slide(3, 1, xs)], [(some.ints(n, 0, 3),) for n in (0, 2, 3, 30)]),
    ("row_windows", lambda k, rows: [slide(k, 1, r) for r in rows], [(k, some.rows(6)) for k in (1, 2, 4)]),
)


def extended(left, right, mode, xs):
    n = len(xs)

    def at(i):
        if 0 <= i < n:
            return xs[i]
        if mode == "clamp":
            return xs[0] if i < 0 else xs[-1]
        if mode == "wrap":
            return xs[i % n]
        if mode == "mirror":
            i %= 2 * n
            return xs[i] if i < n else xs[2 * n - 1 - i]
        return mode

    return [at(i) for i in range(-left, n + right)]


def modes(left, right, xs):
    return tuple(extended(left, right, mode, xs) for mode in ("clamp", "wrap", "mirror", 0))


def laplace(xs):
    n = len(xs)
    return [2 * xs[i] - xs[i - 1] - xs[(i + 1) % n] for i in range(n)]


write(
    __file__,
    "padding",
    ("modes", modes, [(a, b, some.ints(n)) for n in (1, 2, 3, 5) for a, b in [(0, 0), (1, 1), (2, 0), (0, 3)] if max(a, b) <= n]),
    ("laplace", laplace, [(some.ints(n),) for n in (1, 2, 3, 9)]),
)


def around(m, i, j, wrapped):
    n, k = len(m), len(m[0])
    out = 0
    for a in (i - 1, i, i + 1):
        for b in (j - 1, j, j + 1):
            if wrapped:
                out += m[a % n][b % k]
            elif 0 <= a < n and 0 <= b < k:
                out += m[a][b]
    return out


def life(m):
    def cell(i, j):
        n = around(m, i, j, True) - m[i][j]
        return int(n == 3 or (n == 2 and m[i][j] == 1))

    return [[cell(i, j) for j in range(len(m[0]))] for i in range(len(m))]


def pool(k, m):
    return [[max(m[i + a][j + b] for a in range(k) for b in range(k)) for j in range(0, len(m[0]) - k + 1, k)] for i in range(0, len(m) - k + 1, k)]


write(
    __file__,
    "padding_in_two_dimensions",
    ("sums_around", lambda m: [[around(m, i, j, False) for j in range(len(m[0]))] for i in range(len(m))], [(g,) for g in grids]),
    ("life", life, [(some.grid(n, m, 0, 1),) for n, m in [(3, 3), (6, 7), (8, 4), (9, 9)]]),
    ("pool", pool, [(k, some.grid(n, m)) for k, n, m in [(1, 2, 3), (2, 4, 6), (3, 6, 3), (2, 5, 5)]]),
)


def frame(top, bottom, left, right, mode, m):
    wide = [extended(left, right, mode, row) for row in m]
    if not isinstance(mode, int):
        return extended(top, bottom, mode, wide)
    line = [mode] * len(wide[0])
    return [line] * top + wide + [line] * bottom


def blocks(a, b, c, d, m):
    return [[[r[j : j + b] for r in m[i : i + a]] for j in range(0, len(m[0]) - b + 1, d)] for i in range(0, len(m) - a + 1, c)]


write(
    __file__,
    "uneven_padding",
    ("framed", frame, [(1, 2, 0, 3, 7, grids[2]), (0, 0, 1, 0, -1, grids[3]), (2, 1, 2, 1, 0, grids[0])]),
    ("mirrored", lambda t, b, l, r, m: frame(t, b, l, r, "mirror", m), [(1, 2, 0, 3, grids[2]), (2, 0, 1, 2, grids[3]), (0, 1, 1, 0, grids[0])]),
    ("blocks", blocks, [(2, 3, 1, 2, some.grid(4, 7)), (1, 1, 2, 2, some.grid(3, 4)), (3, 2, 1, 1, some.grid(3, 3)), (4, 1, 1, 1, some.grid(3, 3))]),
)


def rotate(k, xs):
    return [xs[(i + k) % len(xs)] for i in range(len(xs))]


write(
    __file__,
    "rotations",
    ("turn", lambda k, xs: (rotate(k, xs), rotate(-k, xs)), [(k, some.ints(n)) for n in (0, 1, 2, 7) for k in (-9, -1, 0, 2, 13)]),
    ("skew", lambda m: [rotate(i, r) for i, r in enumerate(m)], [(g,) for g in grids]),
    ("quarter", lambda m: [list(c) for c in zip(*m[::-1])], [(g,) for g in grids]),
)


def flipped(m):
    return [list(c) for c in zip(*m)]


squares = [[[1, 2], [2, 1]], [[1, 2], [1, 2]], [[3]], [[1, 2, 3], [2, 0, 1], [3, 1, 0]], [[1, 2, 3], [4, 5, 6]]]
box = [[some.ints(2) for _ in range(3)] for _ in range(4)]
write(
    __file__,
    "transpositions",
    ("margins", lambda m: ([sum(r) for r in m], [sum(c) for c in zip(*m)]), [(g,) for g in grids]),
    ("symmetric", lambda m: m == flipped(m), [(s,) for s in squares]),
    ("turned", lambda c: (flipped(c), [flipped(p) for p in c]), [(box,), ([[[1]]],)]),
)


def mirrored(n, xs):
    out = [[0] * n for _ in range(n)]
    for (i, j), x in zip([(i, j) for i in range(n) for j in range(i + 1)], xs):
        out[i][j] = out[j][i] = x
    return out


triangles = [(n, some.ints(n * (n + 1) // 2)) for n in (0, 1, 2, 3, 6)]
write(
    __file__,
    "joined_triangles",
    ("row_sums", lambda n, xs: [sum(r) for r in cut(range(1, n + 1), xs)], triangles),
    ("upper", lambda m: [m[i][j] for i in range(len(m)) for j in range(i, len(m))], [(some.grid(n, n),) for n in (0, 1, 2, 4)]),
    ("mirrored", mirrored, triangles),
)


def shuffle(k, cards):
    half = len(cards) // 2
    for _ in range(k):
        cards = chain(zip(cards[:half], cards[half:]))
    return cards


write(
    __file__,
    "interleaving",
    ("interleave", lambda a, b: chain(zip(a, b)), [(some.ints(n), some.ints(n)) for n in SIZES]),
    ("shuffle", shuffle, [(k, some.ints(n)) for k, n in [(0, 4), (1, 6), (3, 10), (2, 2)]]),
    ("apart", lambda xs: (xs[::2], xs[1::2]), [(some.ints(2 * n),) for n in SIZES]),
)


def blocked(b, m):
    return blocks(b, b, b, b, m)


def unblocked(bs):
    return [chain(block[i] for block in band) for band in bs for i in range(len(band[0]))]


boxes = [(b, some.grid(b * n, b * k)) for b, n, k in [(1, 2, 3), (2, 2, 3), (3, 1, 2), (2, 1, 1)]]
write(
    __file__,
    "blocks_of_a_matrix",
    ("blocked", blocked, boxes),
    ("unblocked", unblocked, [(blocked(b, m),) for b, m in boxes]),
    ("transposed_inside", lambda b, m: unblocked([[flipped(x) for x in band] for band in blocked(b, m)]), boxes),
)


def nonempty(f):
    def checked(xs, *more):
        if not xs:
            raise Stop("T0916")
        return f(xs, *more)

    return checked


def windows(size, step, xs):
    return [xs[i : i + size] for i in range(0, len(xs) - size + 1, step)]


def stencil(f, size, step, pads, mode):
    """A function of the windows of a grid."""

    def run(g):
        if mode is None:
            framed = g
        elif isinstance(mode, int):
            line = [mode] * ((len(g[0]) if g else 0) + sum(pads[1]))
            framed = [line] * pads[0][0] + [extended(*pads[1], mode, row) for row in g] + [line] * pads[0][1]
        elif not g or not g[0]:
            raise Stop("T0916")
        else:
            framed = frame(*pads[0], *pads[1], mode, g)
        across = range(0, (len(framed[0]) if framed else 0) - size[1] + 1, step[1])
        return [[f([row[j : j + size[1]] for row in band]) for j in across] for band in windows(size[0], step[0], framed)]

    return run


def total(w):
    return sum(map(sum, w))


def real_grid(n, m):
    return [others.reals(m) for _ in range(n)]


def cubes_of(g):
    b, c = (len(g[0]), len(g[0][0])) if g and g[0] else (0, 0)
    at = [(k, i, j) for k in (0, 1) for i in (0, 1) for j in (0, 1)]
    return [[[sum(g[k + dk][i + di][j + dj] for dk, di, dj in at) for j in range(c - 1)] for i in range(b - 1)] for k in range(len(g) - 1)]


def repeatedly(g, count):
    for _ in range(count):
        g = around_clamped(g)
    return g


def element_of(g, i, j):
    flipped_frame = frame(1, 1, 1, 1, "clamp", flipped(g))
    if not (0 <= i < len(flipped_frame) - 1 and 0 <= j < len(flipped_frame[0]) - 1):
        raise Stop("T0901")
    return flipped_frame[i + 1][j]


others = Inputs(14)
lines = [(others.reals(n),) for n in [*SIZES, 40]]
shapes = [(1, 1), (1, 2), (2, 1), (2, 3), (1, 7), (7, 1), (3, 3), (4, 9), (9, 4), (12, 40)]
real_grids = [(real_grid(n, m),) for n, m in shapes]
int_grids = [(others.grid(n, m),) for n, m in shapes]
none = [([],), ([[], []],)]
around_clamped = stencil(total, (3, 3), (1, 1), ((1, 1), (1, 1)), "clamp")
write(
    __file__,
    "stencils",
    ("clamped", nonempty(lambda xs: [sum(w) for w in windows(3, 1, extended(1, 1, "clamp", xs))]), lines),
    ("wrapped", nonempty(lambda xs: [a - 2 * b + c for a, b, c in windows(3, 1, extended(1, 1, "wrap", xs))]), lines),
    ("mirrored", nonempty(lambda xs: [sum(x * 2**k for k, x in enumerate(w)) for w in windows(4, 2, extended(2, 3, "mirror", xs))]), lines),
    ("bounded", lambda xs: [max(w) for w in windows(5, 1, extended(2, 2, 0.5, xs))], lines),
    ("grid_clamped", around_clamped, real_grids + none),
    ("rows_clamped", around_clamped, real_grids + none),
    ("grid_wrapped", stencil(lambda w: total(w) - w[1][2], (2, 3), (1, 2), ((1, 0), (1, 1)), "wrap"), int_grids + none),
    ("grid_mirrored", stencil(lambda w: sum(map(max, w)), (3, 2), (1, 1), ((2, 1), (1, 3)), "mirror"), int_grids + none),
    ("grid_bounded", stencil(total, (3, 3), (1, 1), ((1, 1), (1, 1)), 1), int_grids + none),
    ("wide", stencil(total, (9, 9), (1, 1), ((4, 4), (4, 4)), "clamp"), real_grids[:9] + [(real_grid(5, 21),)] + none),
    ("inside", stencil(total, (3, 4), (1, 1), None, None), real_grids + none),
    ("cubes", cubes_of, [([others.grid(b, c) for _ in range(a)],) for a, b, c in [(0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 4, 5), (4, 1, 3), (2, 3, 1)]]),
    ("steps", repeatedly, [(real_grid(4, 5), n) for n in (0, 1, 3)] + [(real_grid(1, 2), 2)]),
    ("ragged", lambda rows: [[sum(w) for w in windows(3, 1, extended(1, 1, 0.25, row))] for row in rows], [(others.real_rows(n),) for n in SIZES]),
    ("element", element_of, [(others.grid(3, 2), i, j) for i, j in [(0, 0), (2, 3), (1, 2), (3, 0)]]),
)


def looked_up(xs, n, m):
    if n and m and n + m - 1 > len(xs):
        raise Stop("T0901")
    return [[xs[i + j] for j in range(m)] for i in range(n)]


rectangles = [(0, 3), (3, 0), (1, 1), (9, 2), (9, 17), (17, 32), (33, 3), (5, 70), (33, 33)]
write(
    __file__,
    "rectangles",
    ("digits", lambda n, m: [[1000 * i + j for j in range(m)] for i in range(n)], rectangles),
    ("nearer", lambda n, m: [[j - i if i < j else 2 * (i - j) for j in range(m)] for i in range(n)], rectangles),
    ("looked_up", looked_up, [(list(range(7, 67)), n, m) for n, m in [(5, 40), (33, 9), (9, 33), (60, 1), (28, 33), (28, 34), (2, 60)]]),
    ("halvings", lambda n, m: [[min(9, (i * j).bit_length()) for j in range(m)] for i in range(n)], rectangles),
    ("turned", lambda g: [list(r) for r in zip(*g)], [(others.grid(n, m),) for n, m in [(1, 1), (3, 40), (40, 3), (17, 33)]]),
    ("crossed", lambda g: [[sum(k * x for k, x in enumerate(r)) + j for r in g] for j in range(len(g[0]))], [(others.grid(n, m),) for n, m in [(1, 1), (3, 40), (40, 3), (17, 33)]]),
)
