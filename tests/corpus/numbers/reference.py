"""What the programs of this folder compute, in Python's unlimited integers, cut to the widths by masks."""

import itertools
import math
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, write  # noqa: E402

some = Inputs(22)


def signed(x, bits):
    x &= 2**bits - 1
    return x - 2**bits if x >> (bits - 1) else x


def unsigned(x, bits):
    return x & (2**bits - 1)


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


write(
    __file__,
    "floor_division",
    ("table", lambda xs, ds: [[divmod(x, d) for d in ds] for x in xs], [(list(range(-7, 8)), [-3, -2, -1, 1, 2, 3]), ([], [1])]),
    ("weekdays", lambda ds: [(4 + d) - 7 * math.floor((4 + d) / 7) for d in ds], [(list(range(-9, 9)),)]),
    ("small", lambda a, b, c, d: (signed(a // b, 8), a % b, c // d, c % d), [(-128, -1, 255, 2), (-128, 3, 255, 16), (100, -7, 7, 200), (-1, 127, 0, 5)]),
)


def three(f, a, b):
    return (f(a + b), f(a - b), f(a * b))


limits8 = [-128, -127, -1, 0, 1, 2, 64, 127]
limits16 = [0, 1, 2, 255, 256, 32768, 65534, 65535]
pairs8 = list(itertools.product(limits8, limits8))
pairs16 = list(itertools.product(limits16, limits16))
write(
    __file__,
    "wrapping",
    ("bytes", lambda a, b: [three(lambda x: signed(x, 8), *p) for p in zip(a, b)], [([p[0] for p in pairs8], [p[1] for p in pairs8])]),
    ("words", lambda a, b: [three(lambda x: unsigned(x, 16), *p) for p in zip(a, b)], [([p[0] for p in pairs16], [p[1] for p in pairs16])]),
    ("wide", lambda a, b, c, d: (signed(a + b, 32), signed(a * b, 32), signed(c - d, 64), signed(c * d, 64)), [(2**31 - 1, 1, -(2**63), 1), (-(2**31), -1, 2**62, 5), (65536, 65537, 3, -4), (7, -8, 2**63 - 1, 2**63 - 1)]),
    ("sums", lambda rows: [sum(r) % 256 for r in rows], [([some.ints(n, 0, 255) for n in (0, 1, 2, 9)],)]),
)


def narrow(xs):
    return [tuple(signed(x, b) for b in (8, 16, 32)) + tuple(unsigned(x, b) for b in (8, 16, 32)) for x in xs]


def clamp(x, low, high):
    return 0 if math.isnan(x) else high if x >= high else low if x <= low else int(x)


def whole(xs):
    return [(clamp(x, -128, 127), clamp(x, 0, 255), clamp(x, -(2**63), 2**63 - 1)) for x in xs]


write(
    __file__,
    "conversions",
    ("narrow", narrow, [([0, 1, -1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32, -(2**63), 2**63 - 1],)]),
    ("whole", whole, [([0.0, 0.9, -0.9, 127.9, 128.0, -128.5, -129.0, 255.5, 256.0, 1e19, -1e19, math.inf, -math.inf, math.nan],)]),
    ("signs", lambda xs: [(signed(x, 8), x, float(x)) for x in xs], [([0, 1, 127, 128, 255],)]),
)


def at_8(a, b, counts):
    return [(unsigned(a << n % 8, 8), a >> n % 8, signed(b << n % 8, 8), b >> n % 8) for n in counts]


write(
    __file__,
    "shifts",
    ("at_8", at_8, [(a, b, [0, 1, 3, 7, 8, 9, 15]) for a, b in [(173, -83), (1, 1), (255, -128)]]),
    ("at_64", lambda a, ns: [(signed(a << n % 64, 64), a >> n % 64) for n in ns], [(a, [0, 1, 31, 32, 63, 64, 65, 100]) for a in (1, -2, 123456789, -(2**63))]),
    ("bits", lambda n, x: [int(c) for c in f"{x:064b}"[::-1][:n]], [(0, 5), (7, 77), (64, 2**64 - 2), (10, 1023)]),
)


def gray(xs):
    return ([x ^ x // 2 for x in xs], xs)


write(
    __file__,
    "bit_patterns",
    ("table", lambda a, b: (a & b, a | b, a ^ b, 255 - a), [tuple(some.ints(2, 0, 255)) for _ in range(4)]),
    ("population", lambda xs: [bin(x).count("1") for x in xs], [([0, 1, 2, 3, 2**63, 2**64 - 1, 12345678901234567890],)]),
    ("gray", gray, [(list(range(20)) + [2**32 - 1, 2**31],), ([],)]),
    ("negated", lambda x: signed(-x, 16), [(x,) for x in (0, 1, -1, 32767, -32768)]),
)

write(
    __file__,
    "literals_of_numbers",
    ("same", lambda: ([255] * 4, [65] * 3, [1000.0] * 3), [()]),
    ("mask", lambda n, x: x % 2**n, [(n, x) for n in (1, 8, 31, 32) for x in (0, 4294967295, 2863311530)]),
    ("mixed", lambda a, b, c: (unsigned(a + 1, 8), b * 2 + 1, signed(c - 300, 16)), [(255, 1.5, -32768), (4, -0.25, 1000)]),
)

positive = [x for x in some.reals(12) if x > 0] + [0.001, 1.0, 20.0]
angles = some.reals(10) + [0.0, 100.0]
units = [-1.0, -0.5, 0.0, 0.25, 1.0]
write(
    __file__,
    "float_functions",
    ("powers", lambda xs: [(math.sqrt(x), math.exp(x), math.log(x), x**1.5) for x in xs], [(positive,)], "rounds"),
    ("angles", lambda xs: [(math.sin(x), math.cos(x), math.tan(x)) for x in xs], [(angles,)], "rounds"),
    ("inverses", lambda xs: [(math.asin(x), math.acos(x), math.atan(x)) for x in xs], [(units,)], "rounds"),
    ("hyperbolic", lambda xs: [(math.sinh(x), math.cosh(x), math.tanh(x)) for x in xs], [(some.reals(8, -3, 3),)], "rounds"),
    ("direction", lambda ys, xs: [math.atan2(y, x) for y, x in zip(ys, xs)], [(some.reals(12), some.reals(12)), ([0.0, 1.0, -1.0], [-1.0, 0.0, 0.0])], "rounds"),
)


def normed(xs):
    n = math.hypot(*xs)
    return (n, [x / n if n else x for x in xs])


write(
    __file__,
    "single_floats",
    ("normed", normed, [(some.reals(n),) for n in SIZES] + [([0.0, 0.0],)], "rounds"),
    ("functions", lambda xs: [(math.exp(x), math.sin(x), math.atan(x), math.sqrt(abs(x))) for x in xs], [(some.reals(9, -4, 4),)], "rounds"),
    ("rounded", lambda xs: [single(x) for x in xs], [([0.1, 1 / 3, 16777217.0, -2.5, 1e-3],)]),
)


def nearest(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


def ways(xs):
    return [tuple(math.copysign(f(x), x) for f in (math.floor, math.ceil, nearest, math.trunc)) for x in xs]


halves = [0.5, 1.5, 2.5, -0.5, -1.5, 3.0, -3.0, 2.25, -2.75, 1000000.5]
write(
    __file__,
    "rounding",
    ("ways", ways, [(halves + some.reals(8),)]),
    ("to_step", lambda s, xs: [nearest(x / s) * s for x in xs], [(0.25, [0.3, -0.45, 2.0]), (2.0, [3.5, 0.9, -5.25])]),
    ("fractions", lambda xs: [math.fmod(math.fmod(x, 1) + 1, 1) for x in xs], [(some.reals(12),)]),
)


def total(x):
    bits = struct.unpack(">q", struct.pack(">d", x))[0]
    return (math.isnan(x), bits if bits >= 0 else -(2**63) - bits - 1)


odd = [1.0, -0.0, 0.0, -1.0, math.inf, math.nan, -math.inf, 0.5, -0.0, 0.0]
write(
    __file__,
    "special_floats",
    ("divided", lambda xs: [math.nan if x == 0 else math.copysign(math.inf, x) for x in xs], [([1.0, -2.0, 0.0, 0.5],)]),
    ("compared", lambda a, b: (a < b, a == b, a != b, a >= b), [(a, b) for a in odd[:7] for b in odd[:7]]),
    ("ordered", lambda xs: sorted(xs, key=total), [(odd,), ([],), ([math.nan, 1.0],)]),
    ("numbers", lambda xs: [x for x in xs if x == x], [(odd,)]),
)


def apart(xs, ys):
    return [min(abs(x - y) for y in ys) for x in xs]


write(
    __file__,
    "least_and_greatest",
    ("both", lambda a, b, x, y: (min(a, b), max(a, b), min(x, y), max(x, y)), [(-128, 127, 0.5, 0.25), (5, -5, -1.0, 2.0), (3, 3, 7.5, 7.5)]),
    ("unsigned", lambda xs: (min(xs), max(xs)), [([2**64 - 1, 0, 2**63],), ([5],)]),
    ("absolute", lambda xs: [signed(abs(x), 8) for x in xs], [(limits8,)]),
    ("nearest", apart, [(some.ints(7), some.ints(n)) for n in (1, 2, 5)]),
)


def checksums(data):
    a, b = 0, 0
    for byte in data:
        a, b = (a * 31 + byte) % 65536, (b + byte) % 65521
    return (a, b)


write(
    __file__,
    "mixed_widths",
    ("brightness", lambda rows: [sum(r) // len(r) if r else 0 for r in rows], [([some.ints(n, 0, 255) for n in (0, 1, 2, 7)],)]),
    ("products", lambda a, b: [x * y for x, y in zip(a, b)], [(some.ints(5, -(2**31), 2**31 - 1), some.ints(5, -(2**31), 2**31 - 1))]),
    ("checksums", checksums, [(b"terrace",), (some.ints(300, 200, 255),), (b"x",)]),
)


def inverse(a, p):
    return next(b for b in range(1, p) if a * b % p == 1)


def remainders(r, a, s, b):
    return next((x for x in range(a * b) if (x - r) % a == 0 and (x - s) % b == 0), a * b)


write(
    __file__,
    "modular_arithmetic",
    ("powers", lambda xs, n, m: [pow(x, n, m) for x in xs], [(some.ints(6, -99, 99), n, m) for n, m in [(0, 7), (1, 7), (13, 97), (100, 1000003)]]),
    ("inverses", lambda p: [inverse(a, p) for a in range(1, p)], [(p,) for p in (2, 3, 11, 13)]),
    ("remainders", remainders, [(2, 3, 3, 5), (-1, 4, 2, 7), (1, 2, 0, 4), (9, 5, 10, 6)]),
)


def fixed(x):
    return int(nearest(x * 256))


def results(xs, ys):
    return [(fixed(x) * fixed(y) // 256 / 256, fixed(x) * 256 // fixed(y) / 256) for x, y in zip(xs, ys)]


write(
    __file__,
    "fixed_point",
    ("results", results, [(some.reals(9), [y or 1.0 for y in some.reals(9)]), ([0.3, -0.3, 1000.0], [0.7, 0.7, -0.004])]),
    ("polynomial", lambda xs: [256 + x + x * x // 256 for x in xs], [([0, 1, -1, 255, 256, 1000, -1000],)]),
)


def leap(years):
    import calendar

    return [calendar.isleap(y) for y in years]


def safe(xs, i):
    return i in range(len(xs)) and xs[i] > 0


write(
    __file__,
    "truth_values",
    ("leap", leap, [([1600, 1700, 1996, 1999, 2000, 2004, 2100, 2400],)]),
    ("safe", safe, [([1, -1, 0, 5], i) for i in range(-1, 5)] + [([], 0)]),
    ("logic", lambda a, b, c: (a + b + c == 1, (not a) or b, (a == b) == c), list(itertools.product([True, False], repeat=3))),
)
