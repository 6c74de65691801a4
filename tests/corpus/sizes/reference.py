"""What the programs of this folder compute, in plain Python loops and library calls."""

import itertools
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, Stop, write  # noqa: E402

some = Inputs(19)
numbers = [(some.ints(n),) for n in SIZES]
pairs = [(some.ints(n), some.ints(n)) for n in SIZES]
ragged = [some.rows(n) for n in SIZES]


def dot(xs, ys):
    return sum(map(lambda x, y: x * y, xs, ys))


def mean_product(xs, ys):
    return dot(xs, ys) / len(xs) if xs else 0.0


write(
    __file__,
    "same_length",
    ("added", lambda a, b: [x + y for x, y in zip(a, b)], pairs),
    ("mean_product", mean_product, [(some.reals(n), some.reals(n)) for n in (0, 1, 2, 4, 8)]),
    ("weighted", lambda rows, w: [dot(r, w) for r in rows], [(some.grid(n, m), some.ints(m)) for n, m in [(1, 3), (4, 2), (3, 5)]]),
)


def determinant(m):
    out = 0
    for p in itertools.permutations(range(3)):
        sign = (-1) ** sum(p[i] > p[j] for i in range(3) for j in range(i + 1, 3))
        out += sign * math.prod(m[i][p[i]] for i in range(3))
    return out


def cross(a, b):
    return [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]


write(
    __file__,
    "constant_sizes",
    ("cross", cross, [(some.ints(3), some.ints(3)) for _ in range(4)]),
    ("determinant", determinant, [(some.grid(3, 3),) for _ in range(4)]),
    ("words", lambda bs: [int.from_bytes(bytes(b), "big") for b in bs], [(some.grid(n, 4, 0, 255),) for n in (0, 1, 5)]),
)



def gaps(weights, posts):
    if len(posts) != len(weights) + 1:
        raise Stop("T0906")
    return [w * (b - a) for w, a, b in zip(weights, posts, posts[1:])]


write(
    __file__,
    "sums_of_sizes",
    ("gaps", gaps, [(some.ints(n), some.ints(m)) for n, m in [(0, 1), (1, 2), (5, 6), (2, 2), (0, 0)]]),
    ("posts", lambda gs: [sum(gs[:i]) for i in range(len(gs) + 1)], numbers),
    ("framed", lambda v, xs: [v] + xs + [v], [(5, x) for (x,) in numbers]),
    ("joined", lambda a, b: a + b, [(some.ints(n), some.ints(m)) for n, m in [(0, 0), (0, 2), (3, 1)]]),
)

grids = [some.grid(n, m) for n, m in [(1, 1), (2, 3), (4, 2), (3, 3)]]


def shaped(n, m, xs):
    if n * m != len(xs):
        raise Stop("T0906")
    return [xs[i : i + m] for i in range(0, n * m, m)]


write(
    __file__,
    "products_of_sizes",
    ("flat", lambda rows: [x for r in rows for x in r], [(g,) for g in grids]),
    ("shaped", shaped, [(2, 3, some.ints(6)), (3, 2, some.ints(6)), (1, 4, some.ints(4)), (2, 2, some.ints(5))]),
    ("pairs", lambda a, b: list(itertools.product(a, b)), [(some.ints(n), some.ints(m)) for n, m in [(0, 3), (2, 0), (3, 2), (1, 4)]]),
)

write(
    __file__,
    "halves_of_sizes",
    ("neighbours", lambda xs: [a + b for a, b in zip(xs[::2], xs[1::2])], numbers),
    ("rest", lambda xs: xs[-1:] if len(xs) % 2 else [], numbers),
    ("halves", lambda xs: (xs[: len(xs) // 2], xs[len(xs) // 2 :]), numbers),
)


def triangle(n):
    return [some.ints(i + 1) for i in range(n)]


def lower(m, v):
    if [len(r) for r in m] != list(range(1, len(m) + 1)) or len(v) != len(m):
        raise Stop("T0906")
    return [dot(r, v) for r in m]


write(
    __file__,
    "triangles",
    ("lower", lower, [(triangle(n), some.ints(n)) for n in (0, 1, 2, 5)] + [([[1], [2]], [1, 2]), ([[1, 2]], [1])]),
    ("pascal", lambda n: [[math.comb(i, k) for k in range(i + 1)] for i in range(n)], [(0,), (1,), (2,), (9,)]),
    ("upper", lambda m: [r[i:] for i, r in enumerate(m)], [(some.grid(n, n),) for n in (0, 1, 2, 5)]),
)


def added(a, b):
    if [len(r) for r in a] != [len(r) for r in b]:
        raise Stop("T0906")
    return [[x + y for x, y in zip(r, s)] for r, s in zip(a, b)]


def alike(rows):
    return (rows, [some.ints(len(r)) for r in rows])


write(
    __file__,
    "size_functions",
    ("added", added, [alike(r) for r in ragged] + [([[1], [2]], [[1], []]), ([[1]], [])]),
    ("lengths", lambda rows: [len(r) for r in rows], [(r,) for r in ragged]),
    ("longer", lambda rows, v: [r + [v] for r in rows], [(r, 4) for r in ragged]),
    ("doubled", lambda rows: [r + r[::-1] for r in rows], [(r,) for r in ragged]),
)


def cubes(n):
    a = [some.rows(some.randint(0, 3), 3) for _ in range(n)]
    return (a, [[some.ints(len(l)) for l in p] for p in a])


def pyramid(n):
    return [[[100 * i + 10 * j + k for k in range(j + 1)] for j in range(i + 1)] for i in range(n)]


heaps = [[triangle(i + 1) for i in range(n)] for n in (0, 1, 2, 4)]
write(
    __file__,
    "two_positions",
    ("line_dots", lambda a, b: [[dot(r, s) for r, s in zip(p, q)] for p, q in zip(a, b)], [cubes(n) for n in (0, 1, 3, 6)]),
    ("pyramid", pyramid, [(n,) for n in (0, 1, 2, 5)]),
    ("plane_sums", lambda p: [sum(sum(l) for l in plane) for plane in p], [(h,) for h in heaps]),
)

write(
    __file__,
    "sizes_from_numbers",
    ("squares", lambda n: [i * i for i in range(n)], [(0,), (1,), (7,)]),
    ("board", lambda n, m: [[(i ^ j) & 1 for j in range(m)] for i in range(n)], [(0, 3), (3, 0), (4, 5)]),
    ("exactly", lambda k, xs: (xs + [0] * k)[:k], [(k, some.ints(n)) for n in (0, 2, 5) for k in (0, 2, 3)]),
)


def positive(xs):
    return ([x for x in xs if x > 0], [i for i, x in enumerate(xs) if x > 0])


write(
    __file__,
    "unknown_sizes",
    ("positive", positive, [(some.ints(n, -2, 2),) for n in SIZES]),
    ("weighted", lambda xs: dot(*positive(xs)), numbers),
    ("described", lambda rows: ([len(r) for r in rows], [x for r in rows for x in r]), [(r,) for r in ragged]),
)

write(
    __file__,
    "least_and_greatest",
    ("first", lambda k, xs: xs[: max(k, 0)], [(k, some.ints(n)) for n in (0, 2, 5) for k in (-1, 0, 2, 7)]),
    ("band", lambda n, w: [[10 * i + j for j in range(n) if j <= i and j < w] for i in range(n)], [(0, 2), (5, 1), (5, 3), (4, 9), (3, 0)]),
    ("diamond", lambda n: [[i] * (i + 1 if i < n - i else n - i) for i in range(n)], [(n,) for n in (0, 1, 2, 5, 8)]),
)


def multiply(a, b):
    return [[dot(r, c) for c in zip(*b)] for r in a]


write(
    __file__,
    "sized_functions",
    ("echoes", lambda xs: [x + (xs[i - 1] if i else 0) for i, x in enumerate(xs)], numbers),
    ("gram", lambda a: multiply(a, list(zip(*a))), [(g,) for g in grids]),
    ("chain", lambda a, b, c: multiply(a, multiply(b, c)), [(some.grid(2, 3), some.grid(3, 4), some.grid(4, 1)), ([[2]], [[3]], [[-4]])]),
)


def smoothed(steps, xs):
    for _ in range(steps):
        wide = xs[:1] + xs + xs[-1:]
        xs = [(wide[i] + 2 * wide[i + 1] + wide[i + 2]) // 4 for i in range(len(xs))]
    return xs


def power(k, m):
    return multiply(power(k - 1, m), m) if k else [[int(i == j) for j in range(len(m))] for i in range(len(m))]


def enough(k, xs):
    out = list(xs)
    while out and len(out) < k:
        out = out * 2
    return out


write(
    __file__,
    "sizes_and_loops",
    ("smoothed", smoothed, [(s, some.ints(n, -99, 99)) for n in (0, 1, 2, 7) for s in (0, 1, 4)]),
    ("power", power, [(k, some.grid(n, n, -3, 3)) for k, n in [(0, 2), (1, 3), (4, 2), (2, 4)]]),
    ("enough", enough, [(k, some.ints(n)) for n in (0, 1, 3) for k in (0, 3, 4, 9)]),
)

write(
    __file__,
    "sized_types",
    ("sums", lambda m: [sum(r[: i + 1]) for i, r in enumerate(m)], [(some.grid(n, n),) for n in (0, 1, 2, 5)]),
    ("lower_reals", lambda m: [r[: i + 1] for i, r in enumerate(m)], [([some.reals(n) for _ in range(n)],) for n in (1, 3)]),
)


def checked(value, right):
    if not right:
        raise Stop("T0906")
    return value


shapes = [[[1, 2], [3, 4]], [[1], [2, 3]], [[1, 2], [3]], [[5]]]
corners = [[[1]], [[1], [2, 3]], [[1], [2]], [[1, 2]], [[7], [8, 9], [1, 2, 3]]]
write(
    __file__,
    "checked_sizes",
    ("dot", lambda a, b: checked(dot(a, b) if len(a) == len(b) else 0, len(a) == len(b)), [([1, 2], [3, 4]), ([1], []), ([1, 2], [1, 2, 3])]),
    ("all_positive", lambda xs: checked(xs, all(x > 0 for x in xs)), [([1, 2],), ([1, 0],), ([-1],), ([],)]),
    ("width", lambda rows: checked(len(rows[0]), len(set(map(len, rows))) == 1), [(s,) for s in shapes]),
    ("corner", lambda t: checked(t[-1][-1], [len(r) for r in t] == list(range(1, len(t) + 1))), [(c,) for c in corners]),
)
