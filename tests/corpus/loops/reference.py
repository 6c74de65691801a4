"""What the programs of this folder compute, in plain Python loops and library calls."""

import bisect
import itertools
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, write  # noqa: E402

some = Inputs(20)
numbers = [(some.ints(n),) for n in SIZES]


def bezout(a, b):
    if b == 0:
        return (a, 1, 0)
    g, x, y = bezout(b, a % b)
    return (g, y, x - a // b * y)


write(
    __file__,
    "while_loops",
    ("halvings", lambda n: max(n, 0).bit_length(), [(n,) for n in (-3, 0, 1, 2, 255, 256)]),
    ("root", math.isqrt, [(n,) for n in (0, 1, 2, 3, 4, 8, 9, 99, 100, 10**12 - 1)]),
    ("bezout", bezout, [(240, 46), (46, 240), (7, 0), (0, 7), (17, 5), (12, 12)]),
)


def fibonacci(n):
    return 1 if n in (1, 2) else 0 if n == 0 else fibonacci(n - 1) + fibonacci(n - 2)


write(
    __file__,
    "counted_loops",
    ("factorial", math.factorial, [(n,) for n in (0, 1, 2, 6, 20)]),
    ("fibonacci", fibonacci, [(n,) for n in (0, 1, 2, 3, 15)]),
    ("choose", math.comb, [(n, k) for n, k in [(0, 0), (5, 0), (5, 2), (5, 5), (10, 3), (4, 6), (30, 15)]]),
)


def balance(money, amounts):
    refused = 0
    for a in amounts:
        if money + a >= 0:
            money += a
        else:
            refused += 1
    return (money, refused)


few = [(some.ints(n, 0, 1),) for n in (0, 1, 2, 3, 7, 20, 40)]
write(
    __file__,
    "loops_over_arrays",
    ("longest_run", lambda xs: max((len(list(g)) for _, g in itertools.groupby(xs)), default=0), few),
    ("balance", balance, [(s, some.ints(n)) for n in SIZES for s in (0, 10)] + [(3, [-3, -1])]),
    ("weighted", lambda ps: sum(a * b for a, b in ps), [(list(zip(some.ints(n), some.ints(n))),) for n in SIZES]),
)

write(
    __file__,
    "nested_loops",
    ("bubble", lambda xs: sorted(xs), numbers),
    ("disk", lambda r: sum(abs(complex(i, j)) <= r for i in range(-r, r + 1) for j in range(-r, r + 1)), [(r,) for r in (0, 1, 2, 5)]),
)


def persistence(n):
    return 0 if n < 10 else 1 + persistence(math.prod(map(int, str(n))))


def zeros(n, b):
    k = 0
    while n and n % b ** (k + 1) == 0:
        k += 1
    return k


write(
    __file__,
    "in_parallel",
    ("persistence", lambda rows: [[persistence(x) for x in r] for r in rows], [(some.rows(n, 5, 0, 9999),) for n in SIZES] + [([[9, 10, 99, 77, 679]],)]),
    ("zeros", lambda ns, b: [zeros(n, b) for n in ns], [(some.ints(12, -99, 99), b) for b in (2, 3, 10)]),
)


def look_and_say(steps):
    text = "1"
    for _ in range(steps):
        text = "".join(f"{len(list(g))}{d}" for d, g in itertools.groupby(text))
    return [int(c) for c in text]


def last_left(n, k):
    place = 0
    for size in range(2, n + 1):
        place = (place + k) % size
    return place


write(
    __file__,
    "growing_state",
    ("look_and_say", look_and_say, [(n,) for n in (0, 1, 2, 5, 9)]),
    ("last_left", last_left, [(n, k) for n in (1, 2, 5, 41) for k in (1, 2, 3)]),
)


def heat(steps, rod):
    for _ in range(steps):
        rod = rod[:1] + [(rod[i - 1] + rod[i + 1]) // 2 for i in range(1, len(rod) - 1)] + (rod[-1:] if len(rod) > 1 else [])
    return rod


def shortest(m):
    n = len(m)
    out = []
    for start in range(n):
        best = [m[start][j] for j in range(n)]
        for _ in range(n):
            for i in range(n):
                for j in range(n):
                    best[j] = min(best[j], best[i] + m[i][j])
        out.append(best)
    return out


def network(n):
    return [[0 if i == j else some.choice([1, 2, 7, 50]) for j in range(n)] for i in range(n)]


write(
    __file__,
    "parallel_bodies",
    ("heat", heat, [(s, some.ints(n, -99, 99)) for n in (0, 1, 2, 3, 8) for s in (0, 1, 5)]),
    ("shortest", shortest, [(network(n),) for n in (1, 2, 4, 7)]),
    ("prefix", lambda xs: list(itertools.accumulate(xs)), numbers),
)


def rounds(limit, xs):
    k = 0
    while k < 20 and abs(sum(xs)) <= limit:
        xs, k = [a + b for a, b in zip(xs, xs[1:] + xs[:1])], k + 1
    return k


def first_above(limit, xs):
    return next((i for i, x in enumerate(xs) if x > limit), len(xs))


write(
    __file__,
    "early_end",
    ("first_above", first_above, [(k, some.ints(n)) for n in SIZES for k in (-5, 3, 8)]),
    ("below", lambda x, xs: bisect.bisect_left(xs, x), [(x, sorted(some.ints(n, 0, 9))) for n in SIZES for x in (0, 3, 5, 9)]),
    ("rounds", rounds, [(k, some.ints(n)) for n in (1, 2, 5) for k in (0, 20, 999)] + [(4, [1, 1]), (3, [1, 1]), (9, [-5])]),
)

MASK = 0xFFFFFFFF


def stream(seed, n):
    out = []
    for _ in range(n):
        seed = (seed * 1664525 + 1013904223) & MASK
        out.append(seed // 2**24)
    return out


def xorshift(s, n):
    for _ in range(n):
        s = (s ^ (s << 13)) & MASK
        s = s ^ (s >> 17)
        s = (s ^ (s << 5)) & MASK
    return s


write(
    __file__,
    "random_numbers",
    ("numbers", stream, [(s, n) for s, n in [(0, 0), (42, 5), (4294967295, 3)]]),
    ("streams", lambda seeds, n: [stream(s, n) for s in seeds], [([], 3), (some.ints(4, 0, 10**9), 6)]),
    ("xorshift", xorshift, [(s, n) for s in (1, 2463534242) for n in (0, 1, 2, 100)]),
)


def prime(n):
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


write(
    __file__,
    "loop_results",
    ("digit_sums", lambda ns: sum(int(c) for n in ns for c in str(n)), [(some.ints(n, 0, 99999),) for n in SIZES]),
    ("primes", lambda ns: [n for n in ns if prime(n)], [(list(range(-2, 40)),), ([91, 97, 121, 127],), ([],)]),
    ("powers", lambda bs, n: [[b**k for k in range(n + 1)] for b in bs], [(some.ints(4), n) for n in (0, 1, 5)]),
)


def determinant(a):
    if not a:
        return 1
    return sum((-1) ** j * x * determinant([r[:j] + r[j + 1 :] for r in a[1:]]) for j, x in enumerate(a[0]) if x)


matrices = [some.grid(n, n) for n in (1, 2, 3, 4, 5)] + [some.grid(4, 4, 0, 1) for _ in range(8)]
write(__file__, "matrices_in_loops", ("determinant", determinant, [(m,) for m in matrices]))

powers = [([2.0**k for k in range(3 - n, 3 + n)], [4.0 ** (k % 5 - 2) for k in range(n)]) for n in SIZES]
write(
    __file__,
    "quotients_in_sums",
    ("shares", lambda xs, ys: [sum(x / y for y in ys) for x in xs], powers),
    ("roots", lambda xs, ys: [sum(math.sqrt(x * y) for y in ys) for x in xs], [([4.0**k for k in range(n)], ys) for n, (_, ys) in zip(SIZES, powers)]),
    ("choices", lambda xs, ys: [sum(y / x if y > x else math.sqrt(x * y) / y for y in ys) for x in xs], [([4.0**k for k in range(n % 7)], ys) for n, (_, ys) in zip(SIZES, powers)]),
    ("pairs", lambda xs, ys, zs: [sum(x * y / z for y, z in zip(ys, zs)) for x in xs], [(xs, ys, ys) for xs, ys in powers]),
)
