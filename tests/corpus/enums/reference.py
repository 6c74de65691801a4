"""What the programs of this folder compute, in plain Python loops and library calls."""

import itertools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from inputs import SIZES, Inputs, write  # noqa: E402
from literals import Record, Variant as V  # noqa: E402

some = Inputs(17)


def shape():
    kind = some.randrange(3)
    return [V("circle", some.randint(0, 4)), V("rect", *some.ints(2, 0, 5)), V("nothing")][kind]


def area(s):
    return {"circle": lambda r: 3 * r * r, "rect": lambda a, b: a * b, "nothing": lambda: 0}[s.name](*s.parts)


def grown(shapes, k):
    def one(s):
        parts = [p + k for p in s.parts]
        return V(s.name, *parts) if parts and min(parts) > 0 else V("nothing")

    return [one(s) for s in shapes]


shapes = [[shape() for _ in range(n)] for n in SIZES]
write(
    __file__,
    "shapes",
    ("areas", lambda ss: [area(s) for s in ss], [(s,) for s in shapes]),
    ("grown", grown, [(s, k) for s in shapes[2:] for k in (-1, 1, -3)]),
)


def option(x):
    return V("none") if x is None else V("some", x)


ragged = [some.rows(n) for n in SIZES]
options = [[option(some.choice([None, 1, -4, 7])) for _ in range(n)] for n in SIZES]
write(
    __file__,
    "options",
    ("heads", lambda rows: [option(next(iter(r), None)) for r in rows], [(r,) for r in ragged]),
    ("heads_or", lambda d, rows: [next(iter(r), d) for r in rows], [(-99, r) for r in ragged]),
    ("present", lambda xs: (sum(sum(x.parts) for x in xs), sum(not x.parts for x in xs)), [(o,) for o in options]),
)

ways = ["north", "east", "south", "west"]


def walk(way):
    moves = {"north": 1j, "south": -1j, "east": 1, "west": -1}
    end = sum((moves[d.name] for d in way), 0j)
    return (int(end.real), int(end.imag))


def axes(way):
    flat = sum(d.name in ("east", "west") for d in way)
    return (flat, len(way) - flat)


walks = [[V(some.choice(ways)) for _ in range(n)] for n in SIZES]
write(
    __file__,
    "directions",
    ("walk", walk, [(w,) for w in walks]),
    ("turned", lambda k, way: [V(ways[(ways.index(d.name) + k) % 4]) for d in way], [(k, w) for k in (0, 1, 3) for w in walks[:5]]),
    ("axes", axes, [(w,) for w in walks]),
)


def machine(program):
    stack = []
    for i in program:
        if i.name == "push":
            stack.append(i.parts[0])
        elif i.name == "dup":
            stack.extend(stack[-1:])
        elif len(stack) > 1:
            b, a = stack.pop(), stack.pop()
            stack.extend({"add": [a + b], "sub": [a - b], "mul": [a * b], "swap": [b, a]}[i.name])
    return stack


def instruction():
    name = some.choice(["push", "push", "push", "add", "sub", "mul", "dup", "swap"])
    return V("push", some.randint(-5, 5)) if name == "push" else V(name)


programs = [[[instruction() for _ in range(some.randint(0, 9))] for _ in range(n)] for n in (0, 1, 8, 20)]
write(__file__, "calculator", ("results", lambda ps: [machine(p) for p in ps], [(p,) for p in programs]))


def colour():
    return V("grey", some.randint(0, 3)) if some.random() < 0.5 else V("rgb", *some.ints(3, 0, 9))


def command():
    kind = some.randrange(4)
    point = (some.randint(0, 2), some.randint(0, 2))
    return [V("fill", colour()), V("line", point, (some.randint(0, 2), some.randint(0, 2)), colour()), V("line", point, point, colour()), V("skip")][kind]


def brightness(commands):
    out = []
    for c in commands:
        if c.name == "skip":
            out.append(1)
        elif c.name == "fill":
            out.append(sum(c.parts[0].parts) * (3 if c.parts[0].name == "grey" else 1))
        elif c.parts[0] == c.parts[1]:
            out.append(-1)
        elif c.parts[2].name == "rgb":
            out.append(c.parts[2].parts[0])
        else:
            (a, b), (d, e) = c.parts[:2]
            out.append(c.parts[2].parts[0] * ((a - d) ** 2 + (b - e) ** 2))
    return out


write(__file__, "nested_patterns", ("brightness", brightness, [([command() for _ in range(n)],) for n in (0, 1, 7, 40)]))


def divide(a, b):
    return V("ok", a // b) if b else V("error", b"division by zero")


def chain(a, b, c):
    first = divide(a, b)
    return divide(first.parts[0], c) if first.name == "ok" else first


pairs = [(some.ints(n), some.ints(n, -2, 2)) for n in SIZES]
write(
    __file__,
    "results",
    ("chain", chain, [(20, 3, 2), (20, 0, 2), (20, 3, 0), (-7, 2, 3), (0, 0, 0)]),
    ("quotients", lambda a, b: [divide(x, y) for x, y in zip(a, b)], pairs),
    ("good", lambda a, b: [x // y for x, y in zip(a, b) if y], pairs),
)


def points(i):
    span = range(-20, 21)
    return set(span) if i.name == "whole" else set(p for p in span if i.name == "between" and i.parts[0] <= p <= i.parts[1])


def as_interval(ps):
    if not ps:
        return V("empty")
    return V("whole") if len(ps) == 41 else V("between", min(ps), max(ps))


def interval():
    low = some.randint(-15, 5)
    return V(*some.choice([("whole",), ("between", low, low + 12), ("between", low, 10), ("between", -15, low)]))


def running(intervals):
    return [as_interval(set.intersection(*map(points, intervals[: i + 1]))) for i in range(len(intervals))]


lists = [[interval() for _ in range(n)] for n in (1, 2, 3, 4, 7)] + [[V("between", 0, 3), V("between", 3, 5)], [V("between", 0, 3), V("between", 4, 5)], [V("empty"), V("whole")]]
write(
    __file__,
    "reducing_enums",
    ("common", lambda xs: running(xs)[-1], [(x,) for x in lists]),
    ("running", running, [(x,) for x in lists]),
)


def visits(start, path):
    x, y = start
    if path.name == "stay":
        return [start]
    moves = [path.parts] if path.name == "jump" else path.parts[0]
    out = [start]
    for dx, dy in moves:
        x, y = x + dx, y + dy
        out.append((x, y))
    return out


def path():
    steps = [tuple(some.ints(2)) for _ in range(some.randint(0, 4))]
    return some.choice([V("stay"), V("jump", *some.ints(2)), V("line", steps), V("line", steps)])


paths = [[path() for _ in range(n)] for n in SIZES]
write(
    __file__,
    "enums_with_arrays",
    ("all_visits", lambda s, ps: [visits(s, p) for p in ps], [((3, -2), p) for p in paths]),
    ("steps", lambda ps: [len(visits((0, 0), p)) - 1 for p in ps], [(p,) for p in paths]),
)


def days(month, leap):
    import calendar

    return calendar.monthrange(2024 if leap else 2023, month)[1] if 1 <= month <= 12 else 0


def meaning(word):
    return {b"one": 1, b"two": 2, b"minus one": -1, b"": 0}.get(word, 100 + len(word))


def relation(a, b):
    if a == b:
        return b"equal"
    if abs(a - b) == 1:
        return b"next" if a > b else b"before"
    return b"above" if a > b else b"below"


write(
    __file__,
    "matching_numbers",
    ("days", days, [(m, leap) for m in range(0, 14) for leap in (True, False)]),
    ("meaning", meaning, [(w,) for w in (b"one", b"two", b"minus one", b"x", b"twofold", b"ones")]),
    ("relation", relation, [(3, b) for b in range(0, 7)]),
)

runs = [list(zip(some.reals(n, 1, 8), [2.0 ** some.randint(-2, 3) for _ in range(n)])) for n in SIZES]
write(
    __file__,
    "one_variant",
    ("speeds", lambda rs: [m / s for m, s in rs], [(r,) for r in runs]),
    ("total", lambda ws: V("metres", float(sum(w.parts[0] for w in ws))), [([V("metres", m) for m, _ in r],) for r in runs]),
)


def key(r):
    return (["low", "number", "high"].index(r.name), r.parts)


ranks = [V("low"), V("high"), V("number", 0), V("number", 1), V("number", -1), V("number", 1)]
write(
    __file__,
    "comparing_enums",
    ("compare", lambda a, b: (key(a) < key(b), key(a) == key(b)), list(itertools.product(ranks[:5], ranks[:5]))),
    ("ordered", lambda rs: sorted(rs, key=key), [(some.sample(ranks, n),) for n in (0, 1, 3, 6)]),
    ("reached", lambda limit, rs: sum(key(r) >= key(limit) for r in rs), [(limit, ranks) for limit in ranks]),
)


def tokens(text):
    found = re.findall(rb"[a-z]+|[0-9]+", text)
    return [int(t) if t.isdigit() else len(t) for t in found]


texts = [b"x1 and y22", b"12ab34", b"  ", b"z", b"7", b"a,b,,c 007 9z`{/:", b"word 123", b"100 20 0"]
write(__file__, "state_machines", ("tokens", tokens, [(t,) for t in texts]))


def point(x, y):
    return Record("point", x=x, y=y)


def robot(x, y, goal, steps):
    return Record("robot", place=point(x, y), goal=goal, steps=steps)


def moved(n, robots):
    out = []
    for r in robots:
        x, y = r.fields["place"].fields.values()
        goal, steps = r.fields["goal"], r.fields["steps"]
        for _ in range(n):
            if goal.name == "nowhere":
                break
            gx, gy = goal.parts[0].fields.values()
            if abs(gx - x) + abs(gy - y) <= (goal.parts[1] if goal.name == "near" else 0):
                break
            x, steps = x + 1, steps + 1
        out.append(robot(x, y, goal, steps))
    return out


def any_robot():
    goal = point(*some.ints(2, -3, 6))
    goals = [V("nowhere"), V("at", goal), V("near", goal, some.randint(0, 4)), V("near", goal, 3)]
    return robot(*some.ints(2, -3, 3), some.choice(goals), some.randint(0, 2))


crowd = [any_robot() for _ in range(14)] + [robot(0, 2, V("at", point(3, 2)), 1)]
write(__file__, "enums_in_records", ("moved", moved, [(n, crowd) for n in (0, 1, 4, 9)] + [(3, [])]))
