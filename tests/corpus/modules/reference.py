"""What the programs of this folder compute, in plain Python loops and library calls."""

import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, write  # noqa: E402
from literals import Record, Variant  # noqa: E402

some = Inputs(23)


def vector(x, y, module="vectors"):
    return Record(module + ".vector", x=x, y=y)


def xy(v):
    return (v.fields["x"], v.fields["y"])


def random_vectors(n, module="vectors"):
    return [vector(*some.ints(2, -3, 3), module) for _ in range(n)]


def weighted(vs):
    return vector(sum(i * xy(v)[0] for i, v in enumerate(vs, 1)), sum(i * xy(v)[1] for i, v in enumerate(vs, 1)))


def with_total(vs):
    x, y = sum(xy(v)[0] for v in vs), sum(xy(v)[1] for v in vs)
    return [xy(v)[0] * x + xy(v)[1] * y for v in vs]


lists = [random_vectors(n) for n in SIZES]
write(__file__, "use_of_functions", ("weighted", weighted, [(v,) for v in lists]), ("with_total", with_total, [(v,) for v in lists]))


def quarter(p):
    x, y = xy(p)
    if x * y == 0:
        return 0
    return {(True, True): 1, (False, True): 2, (False, False): 3, (True, False): 4}[(x > 0, y > 0)]


short = [random_vectors(n, "v") for n in SIZES] + [[vector(x, y, "v") for x in (-1, 0, 1) for y in (-1, 0, 1)]]
write(
    __file__,
    "use_of_records",
    ("all_mirrored", lambda ps: [vector(xy(p)[0], -xy(p)[1], "v") for p in ps], [(p,) for p in short]),
    ("quarters", lambda ps: [quarter(p) for p in ps], [(p,) for p in short]),
    ("ordered", lambda ps: sorted(ps, key=xy), [(p,) for p in short]),
)


def token():
    kind = some.randrange(7)
    if kind < 4:
        return Variant("t.number", some.randint(-5, 9))
    return Variant("t.operator", ord(some.choice("+-*/?"))) if kind < 6 else Variant("t.end")


def described(tokens):
    strength = {"*": 2, "/": 2, "+": 1, "-": 1, "?": 0}
    return [t.parts[0] if t.name == "t.number" else strength[chr(t.parts[0])] if t.parts else -1 for t in tokens]


def value(tokens):
    result, op = 0, "+"
    for t in tokens:
        if t.name == "t.operator":
            op = chr(t.parts[0])
        elif t.name == "t.end":
            op = "?"
        else:
            b = t.parts[0]
            results = {"+": result + b, "-": result - b, "*": result * b, "/": result // b if b else 0, "?": 0}
            result = results[op]
    return result


programs = [[token() for _ in range(n)] for n in (0, 1, 3, 5, 8, 20)]
programs += [[Variant("t.number", 7), Variant("t.operator", ord(c)), Variant("t.number", n)] for c in "+-*/?" for n in (0, 2)]
write(__file__, "use_of_enums", ("described", described, [(p,) for p in programs]), ("value", value, [(p,) for p in programs]))


def mode(xs):
    counts = collections.Counter(xs)
    return min(x for x in xs if counts[x] == max(counts.values()))


def changes(xs):
    return sum(a != b for a, b in zip(xs, xs[1:]))


def inner(xs):
    kept = [x for x in xs if x not in (min(xs), max(xs))]
    return (sum(kept), len(kept))


texts = [b"to", b"be", b"or", b"not", b"to", b"be"]
write(
    __file__,
    "use_of_generics",
    ("modes", lambda a, b, c: (mode(a), mode(b), mode(c)), [(some.ints(n, 0, 4), texts[:n], some.flags(n)) for n in (1, 3, 6)]),
    ("all_changes", lambda rows: [changes(r) for r in rows], [(some.rows(n, 8, 0, 2),) for n in SIZES]),
    ("inner_sum", inner, [(some.ints(n, 0, 5),) for n in (1, 2, 3, 12)]),
)


def area(points):
    xs, ys = [xy(p)[0] for p in points], [xy(p)[1] for p in points]
    return sum(xs[i - 1] * ys[i] - ys[i - 1] * xs[i] for i in range(len(points)))


def square(side, at):
    x, y = xy(at)
    return [vector(x + a * side, y + b * side) for a, b in [(0, 0), (1, 0), (1, 1), (0, 1)]]


write(
    __file__,
    "layers",
    ("area", area, [(v,) for v in lists]),
    ("square", square, [(4, vector(0, 0)), (-2, vector(5, 7))]),
)

write(
    __file__,
    "own_names",
    ("all_dots", lambda a, b: (10 * a + b, 2 * a * b), [(3, 4), (-2, 5)]),
    ("squares", lambda n: (n * n, 2 * n * n), [(4,), (-3,), (0,)]),
)
