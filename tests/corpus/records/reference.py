"""What the programs of this folder compute, in plain Python loops and library calls."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, write  # noqa: E402
from literals import Record  # noqa: E402

some = Inputs(16)


def point(x, y):
    return Record("point", x=x, y=y)


def with_fields(record, **fields):
    return Record(record.name, **{**record.fields, **fields})


real_points = [point(*some.reals(2)) for _ in range(6)]
write(
    __file__,
    "points",
    ("middle", lambda a, b: point(*[(a.fields[k] + b.fields[k]) / 2 for k in "xy"]), list(zip(real_points, real_points[1:]))),
    ("distance", lambda a, b: sum((a.fields[k] - b.fields[k]) ** 2 for k in "xy"), list(zip(real_points, real_points[1:]))),
    ("mirrored", lambda p: point(p.fields["y"], p.fields["x"]), [(p,) for p in real_points[:2]]),
)


def account(owner, balance, is_open):
    return Record("account", owner=owner, balance=balance, open=is_open)


def pay(a, amount):
    return with_fields(a, balance=a.fields["balance"] + amount * a.fields["open"])


accounts = [account(1, 50, True), account(2, -3, True), account(3, 7, False)]
write(
    __file__,
    "field_updates",
    ("pay", pay, [(a, k) for a in accounts for k in (5, -8)]),
    ("close", lambda a: account(a.fields["owner"], 0, False), [(a,) for a in accounts]),
    ("hand_over", lambda a, ks, o: with_fields(pay(a, sum(ks)), owner=o), [(a, some.ints(4), 9) for a in accounts]),
)


def item(name, price, amount):
    return Record("item", name=name, price=price, amount=amount)


stock = [item(name, some.randint(1, 500), some.randint(0, 5)) for name in (b"pen", b"ink", b"paper", b"glue", b"tape", b"clip")]
stocks = [stock[:n] for n in (0, 1, 3, 6)]


def get(records, key):
    return [r.fields[key] for r in records]


write(
    __file__,
    "arrays_of_records",
    ("value", lambda s: sum(map(lambda p, n: p * n, get(s, "price"), get(s, "amount"))), [(s,) for s in stocks]),
    ("missing", lambda s, k: [i.fields["name"] for i in s if i.fields["amount"] < k], [(stock, k) for k in range(6)]),
    ("dearer", lambda s, p: [with_fields(i, price=i.fields["price"] * (100 + p) // 100) for i in s], [(s, p) for s in stocks[2:] for p in (0, 7, 150)]),
)


def box(a, b, c, d):
    return Record("box", low=point(a, b), high=point(c, d))


def corners(b):
    low, high = b.fields["low"].fields, b.fields["high"].fields
    return (low["x"], low["y"], high["x"], high["y"])


def area(b):
    a, b, c, d = corners(b)
    return len(range(a, c)) * len(range(b, d))


def overlap(a, b):
    a, b = corners(a), corners(b)
    return box(max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))


def around(ps):
    xs, ys = get(ps, "x"), get(ps, "y")
    return box(min(xs + [1000]), min(ys + [1000]), max(xs + [-1000]), max(ys + [-1000]))


boxes = [box(*some.ints(2, -9, 0), *some.ints(2, -2, 9)) for _ in range(8)]
write(
    __file__,
    "nested_records",
    ("area", area, [(b,) for b in boxes] + [(box(1, 1, 0, 5),), (box(1, 1, 4, 0),)]),
    ("overlap", overlap, list(zip(boxes, boxes[1:]))),
    ("around", around, [([point(*some.ints(2)) for _ in range(n)],) for n in SIZES]),
)


def pair(a, b):
    return Record("pair", first=a, second=b)


write(
    __file__,
    "generic_records",
    ("cross", lambda n, x: pair(x, n), [(3, 0.5), (-1, -2.25)]),
    ("greatest", lambda a, b, c, d: (max(a, b), max(c, d)), [(1, 2, 0.5, 1.5), (2, 1, 2.5, 1.5), (-3, -3, -1.0, -2.0)]),
)


def student(number, marks):
    return Record("student", id=number, marks=marks)


def best(students):
    return [(s.fields["id"], max(s.fields["marks"])) for s in students if s.fields["marks"]]


def marked(students, number, mark):
    for s in students:
        if s.fields["id"] == number:
            s.fields["marks"].append(mark)
    return students


def overview(students):
    marks = get(students, "marks")
    return (sorted(sum(marks, [])), sum(not m for m in marks))


classes = [[student(some.randint(1, 3), some.ints(some.randint(0, 4), 1, 6)) for _ in range(n)] for n in (0, 1, 3, 8)]
write(
    __file__,
    "records_with_arrays",
    ("best", best, [(c,) for c in classes]),
    ("marked", marked, [(c, 2, 6) for c in classes]),
    ("overview", overview, [(c,) for c in classes]),
)


def version(*parts):
    return Record("version", major=parts[0], minor=parts[1], patch=parts[2])


def parts(v):
    return tuple(v.fields.values())


versions = [version(*some.ints(3, 0, 2)) for _ in range(12)] + [version(1, 1, 1), version(1, 1, 1)]
write(
    __file__,
    "comparing_records",
    ("older", lambda a, b: (parts(a) < parts(b), parts(a) == parts(b)), list(zip(versions, versions[1:]))),
    ("newest", lambda vs: (max(vs, key=parts), sorted(vs, key=parts)), [(versions[:n],) for n in (1, 2, 5, 14)]),
    ("next", lambda v, b: version(v.fields["major"] + 1, 0, 0) if b else version(v.fields["major"], v.fields["minor"] + 1, 0), [(version(1, 2, 3), b) for b in (True, False)]),
)


def flight(speed):
    position, highest, steps = 0, 0, 0
    while True:
        position, speed, steps = position + speed, speed - 2, steps + 1
        highest = max(highest, position)
        if position <= 0:
            return (highest, steps)


write(
    __file__,
    "state_in_loops",
    ("flight", flight, [(v,) for v in (-2, 0, 1, 2, 3, 10, 31)]),
    ("flights", lambda vs: [flight(v) for v in vs], [(some.ints(n, -5, 30),) for n in SIZES]),
)


def apply(a, v):
    return [sum(x * y for x, y in zip(row, v)) for row in a]


def degrees(n, edges):
    ends = [e for edge in edges for e in edge]
    return [ends.count(i) for i in range(n)]


write(
    __file__,
    "abbreviations",
    ("twice", lambda a, v: apply(a, apply(a, v)), [(some.grid(n, n), some.ints(n)) for n in (1, 2, 5)]),
    ("degrees", degrees, [(5, [(some.randrange(5), some.randrange(5)) for _ in range(n)]) for n in (0, 1, 9)]),
)


def sale(shop, day, amount):
    return Record("sale", shop=shop, day=day, amount=amount)


def totals(sales):
    shops = sorted(set(get(sales, "shop")))
    return [(k, sum(s.fields["amount"] for s in sales if s.fields["shop"] == k)) for k in shops]


def ranked(sales):
    return [(s.fields["shop"], s.fields["amount"]) for s in sorted(sales, key=lambda s: s.fields["amount"], reverse=True)]


books = [[sale(some.randint(1, 4), some.randint(1, 3), some.randint(-2, 5)) for _ in range(n)] for n in SIZES]
write(
    __file__,
    "grouping_records",
    ("totals", totals, [(b,) for b in books]),
    ("ranked", ranked, [(b,) for b in books]),
    ("days", lambda b: sorted(set(get(b, "day"))), [(b,) for b in books]),
)


def number(z):
    return Record("complex", re=z.real, im=z.imag)


def value(record):
    return complex(record.fields["re"], record.fields["im"])


def fold(zs):
    product = 1 + 0j
    for z in map(value, zs):
        product *= z
    return (number(sum(map(value, zs), 0j)), number(product))


def escapes(points, most):
    out = []
    for c in map(value, points):
        z, n = c, 0
        while n < most and z.real**2 + z.imag**2 <= 4:
            z, n = z * z + c, n + 1
        out.append(n)
    return out


def reals(n):
    return [number(complex(*some.reals(2, -2, 2))) for _ in range(n)]


write(
    __file__,
    "complex_numbers",
    ("fold", fold, [(reals(n),) for n in (1, 2, 3, 5)], "rounds"),
    ("escapes", escapes, [(reals(20), 30), ([number(2 + 0j), number(-2 + 0j), number(0j)], 9)]),
)
