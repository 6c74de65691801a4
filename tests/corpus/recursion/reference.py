"""What the programs of this folder compute, in plain Python loops and library calls."""

import functools
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, write  # noqa: E402

some = Inputs(21)
numbers = [(some.ints(n),) for n in SIZES]
ragged = [(some.rows(n, 9),) for n in SIZES]


def fast(m, n):
    return [n + 1, n + 2, 2 * n + 3, 2 ** (n + 3) - 3][m]


write(
    __file__,
    "plain",
    ("powers", lambda x, ns: [x**n for n in ns], [(x, list(range(12))) for x in (2, -3, 0, 1)]),
    ("fast", fast, [(m, n) for m in range(3) for n in range(4)] + [(3, 2)]),
)


def greatest(xs):
    return max(sum(xs[i:j]) for i in range(len(xs)) for j in range(i + 1, len(xs) + 1))


write(
    __file__,
    "divide_and_conquer",
    ("greatest", greatest, numbers[1:] + [(some.ints(n, -4, 2),) for n in (3, 5, 9, 16)]),
    ("greatest_rows", lambda rows: [greatest(r) for r in rows if r], ragged),
)

write(
    __file__,
    "merge_sort",
    ("sort_rows", lambda rows: [sorted(r) for r in rows], ragged + [([some.ints(30, 0, 5)],)]),
    ("merged", lambda a, b: sorted(a + b), [(some.ints(n, 0, 4), some.ints(m, 0, 4)) for n, m in [(0, 0), (0, 3), (5, 6), (9, 2)]]),
)


def sums(tree):
    out = list(tree)
    for i in range(len(tree) - 1, 0, -1):
        out[(i - 1) // 2] += out[i]
    return out


write(
    __file__,
    "trees_in_arrays",
    ("sums", sums, numbers),
    ("depths", lambda ts: [len(t).bit_length() for t in ts], [([[0] * n for n in (0, 1, 2, 3, 4, 7, 8, 20)],), ([],)]),
)


def random_tree(n):
    children = [[] for _ in range(n)]
    for node in range(1, n):
        children[some.randrange(node)].append(node)
    return children


def measure(children):
    order, stack, heights = [], [(0, 1)], []
    while stack:
        node, level = stack.pop()
        order.append(node)
        heights.append(level)
        stack.extend((c, level + 1) for c in reversed(children[node]))
    return (len(order), max(heights), order)


write(__file__, "trees_by_children", ("measure", measure, [(random_tree(n),) for n in (1, 2, 3, 8, 25)]))


def sequences(n):
    f, m = [1], [0]
    for i in range(1, n):
        m.append(i - f[m[i - 1]])
        f.append(i - m[f[i - 1]])
    return (f[:n], m[:n])


write(
    __file__,
    "mutual",
    ("parities", lambda ns: [n % 2 == 0 for n in ns], [([0, 1, 2, 55, 100],), ([],)]),
    ("sequences", sequences, [(n,) for n in (0, 1, 2, 14)]),
)


def subsets(xs):
    if not xs:
        return [[]]
    rest = subsets(xs[1:])
    return rest + [[xs[0]] + r for r in rest]


def compositions(n):
    found = []
    for size in range(n + 1):
        for parts in itertools.product(range(1, n + 1), repeat=size):
            if sum(parts) == n:
                found.append(list(parts))
    return sorted(found)


write(
    __file__,
    "permutations",
    ("all_orders", lambda xs: [list(p) for p in itertools.permutations(xs)], [(some.ints(n),) for n in (0, 1, 2, 4)]),
    ("all_subsets", subsets, [(some.ints(n),) for n in (0, 1, 2, 4)]),
    ("all_sums", compositions, [(n,) for n in (0, 1, 2, 5)]),
)

write(__file__, "queens", ("solutions", lambda ns: [[1, 1, 0, 0, 2, 10, 4, 40][n] for n in ns], [([6, 4, 7],), ([],)]))

write(
    __file__,
    "quickselect",
    ("medians", lambda rows: [sorted(r)[(len(r) - 1) // 2] for r in rows if r], ragged),
    ("ordered", lambda xs: sorted(xs), numbers + [(some.ints(15, 0, 3),)]),
)


def cube_root(n):
    return next(x for x in range(-999, 1001) if x**3 >= n)


def halves(f, xs):
    if len(xs) == 1:
        return xs[0]
    return f(halves(f, xs[: len(xs) // 2]), halves(f, xs[len(xs) // 2 :]))


write(
    __file__,
    "with_functions",
    ("cube_roots", lambda ns: [cube_root(n) for n in ns], [(some.ints(n, -9999, 9999),) for n in (0, 1, 9)] + [([1, 8, 64, 65, -1, -8, -7],)]),
    ("trees", lambda a, b: (halves(lambda x, y: x - y, a), max(b)), [(some.ints(n), some.reals(n)) for n in (1, 2, 3, 7, 20)]),
)


@functools.cache
def steps(n):
    return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)


def digits(base, n):
    out = [n % base]
    while n >= base:
        n //= base
        out.insert(0, n % base)
    return out


write(
    __file__,
    "of_many_lengths",
    ("hailstones", lambda rows: [[steps(n) for n in r] for r in rows], [(some.rows(n, 5, 1, 200),) for n in SIZES]),
    ("all_digits", lambda b, ns: [digits(b, n) for n in ns], [(b, some.ints(6, 0, 9999) + [b, b - 1]) for b in (2, 7, 10)]),
)


def eight(xs):
    return [sum(x * 2 ** (i * k) for i, x in enumerate(xs)) % 17 for k in range(8)]


write(
    __file__,
    "fast_transform",
    ("eight", eight, [(some.ints(8, 0, 16),) for _ in range(5)]),
    ("there_and_back", lambda xs: xs, [(some.ints(8, 0, 16),) for _ in range(3)]),
)
