"""Reference answers: sorting, searching, graphs and geometry, mostly by brute force."""

import bisect
import heapq
import itertools
import math

from cases import SIZES, eighths, lengths, programs, whole
from literals import Record

PROGRAMS, program = programs()
FAR = 10**9
INFINITE = float("inf")


def point(x, y):
    """A point record."""
    return Record("point", x=float(x), y=float(y))


# --- sorting and searching ------------------------------------------------------------------------------------------


@program
def mergesort(ref, rng):
    for n in SIZES:
        rows = [whole(rng, k) for k in lengths(rng, n, 11)]
        ref.equal("sort_rows", [rows], [sorted(row) for row in rows])
        xs, ys = sorted(whole(rng, n)), sorted(whole(rng, n + 2))
        ref.equal("merged", [xs, ys], list(heapq.merge(xs, ys)))
        probes = whole(rng, 8, -11, 11)
        ref.equal("insertion_points", [xs, probes], [(bisect.bisect_left(xs, p), bisect.bisect_right(xs, p)) for p in probes])


@program
def quicksort(ref, rng):
    for n in SIZES:
        rows = [whole(rng, k) for k in lengths(rng, n, 11)]
        ref.equal("sort_numbers", [rows], [sorted(row) for row in rows])
        words = [bytes(rng.choice(b"abc") for _ in range(k)) for k in lengths(rng, n, 4)]
        ref.equal("sort_words", [words], sorted(words))
        if n:
            xs = whole(rng, n)
            ref.equal("select", [xs, list(range(n))], sorted(xs))
    rows = [whole(rng, k + 1) for k in lengths(rng, 9, 8)]
    ref.equal("medians", [rows], [sorted(row)[(len(row) - 1) // 2] for row in rows])
    ref.stops("select", [[1, 2], [2]], "T0901")


@program
def bitonic_sort(ref, rng):
    for n in [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 21]:
        xs = whole(rng, n, -50, 50)
        ref.equal("sort", [xs], sorted(xs))


@program
def radix_sort(ref, rng):
    for n in SIZES:
        xs = [rng.choice([rng.randrange(16), rng.randrange(2**32)]) for _ in range(n)]
        ref.equal("sort_unsigned", [xs], sorted(xs))
        ys = [rng.choice([rng.randint(-8, 8), rng.randint(-(2**31), 2**31 - 1)]) for _ in range(n)]
        ref.equal("sort_signed", [ys], sorted(ys))
        zs = [rng.randrange(16) for _ in range(n)]
        ref.equal("passes", [zs, 4], [sorted(zs, key=lambda z: z % 2**bit) for bit in range(4)])


@program
def top_k(ref, rng):
    for k in [0, 1, 2, 5]:
        rows = [[rng.randint(-3, 3) / 2 for _ in range(n)] for n in lengths(rng, 6, 9)]
        out = [sorted(((x, i) for i, x in enumerate(row)), key=lambda p: (-p[0], p[1]))[:k] for row in rows]
        for entry in ["by_rank", "by_sorting", "by_insertion"]:
            ref.equal(entry, [k, rows], out)


@program
def grouping(ref, rng):
    for n in SIZES:
        pairs = [(rng.randint(-2, 4), rng.randint(-9, 9)) for _ in range(n)]
        sales = [Record("sale", customer=c, amount=a) for c, a in pairs]
        keys = sorted({c for c, _ in pairs})
        groups = [(k, [a for c, a in pairs if c == k]) for k in keys]
        ref.equal("customers", [sales], keys)
        ref.equal("amounts", [sales], groups)
        ref.equal("totals", [sales], [(k, sum(g), max(g)) for k, g in groups])
        names = [(-2, b"ann"), (0, b"bob"), (4, b"cy"), (0, b"dee")]
        ref.equal("named", [names, sales], [(name, a) for c, a in pairs for key, name in names if key == c])


def occurrences(word, text):
    """All places of a word, overlapping ones too."""
    return [i for i in range(len(text) - len(word) + 1) if text.startswith(word, i)]


@program
def string_search(ref, rng):
    for n in [0, 1, 2, 3, 10, 30]:
        text = bytes(rng.choice(b"ab") for _ in range(n))
        for k in [1, 2, 3, 5]:
            word = bytes(rng.choice(b"ab") for _ in range(k))
            for entry in ["naive", "filtering", "kmp"]:
                ref.equal(entry, [word, text], occurrences(word, text))
    for word in [b"", b"a", b"abab", b"aaaa", b"abacabadabacaba", b"abcabcd", b"aabaaab"]:
        borders = []
        for i in range(1, len(word) + 1):
            borders.append(max(k for k in range(i) if word[:k] == word[i - k : i]))
        ref.equal("failure_lengths", [word], borders)


@program
def list_ranking(ref, rng):
    for n in SIZES:
        order = list(range(n))
        rng.shuffle(order)
        parts = sorted(rng.sample(range(1, n), min(2, n - 1))) if n > 1 else []
        bounds = [0] + parts + [n]
        after, rank = [0] * n, [0] * n
        values = whole(rng, n)
        for a, b in zip(bounds, bounds[1:]):
            for i in range(a, b):
                after[order[i]] = order[min(i + 1, b - 1)]
                rank[order[i]] = b - 1 - i
        ref.equal("ranks", [after], rank)
        for a, b in zip(bounds, bounds[1:]):
            if a < b:
                middle = (a + b) // 2
                ref.equal("in_order", [after, values, order[middle]], [values[v] for v in order[middle:b]])
        parents = [rng.randint(0, i) for i in range(n)]
        depth, root = [0] * n, list(range(n))
        for i in range(n):
            if parents[i] != i:
                depth[i], root[i] = depth[parents[i]] + 1, root[parents[i]]
        ref.equal("depths", [parents], (depth, root))


@program
def permutations(ref, rng):
    for n in range(5):
        orders = [list(order) for order in itertools.permutations(range(n))]
        ref.equal("all_orders", [n], orders)
        some = [rng.randrange(len(orders)) for _ in range(5)]
        ref.equal("numbered", [n, some], [orders[k] for k in some])
    ref.equal("numbered", [6, [719, 100]], [list(p) for i, p in enumerate(itertools.permutations(range(6))) if i in (719, 100)][::-1])
    for n in SIZES:
        a, b = list(range(n)), list(range(n))
        rng.shuffle(a)
        rng.shuffle(b)
        ref.equal("inverse", [a], [a.index(i) for i in range(n)])
        ref.equal("compose", [a, b], [b[a[i]] for i in range(n)])
        cycles = []
        for i in range(n):
            orbit = {i}
            while len(orbit | {a[v] for v in orbit}) > len(orbit):
                orbit |= {a[v] for v in orbit}
            cycles.append(len(orbit))
        ref.equal("cycle_lengths", [a], cycles)
        swaps, c = 0, list(a)
        for i in range(n):
            while c[i] != i:
                j = c[i]
                c[i], c[j] = c[j], c[i]
                swaps += 1
        ref.equal("is_even", [a], swaps % 2 == 0)


@program
def nqueens(ref, rng):
    for n in range(7):
        good = []
        for p in itertools.permutations(range(n)):
            if len({p[i] + i for i in range(n)}) == n and len({p[i] - i for i in range(n)}) == n:
                good.append(list(p))
        ref.equal("solutions", [n], good)
    for n in [1, 2, 4, 5, 6]:
        counts = []
        for rows in range(1, n + 1):
            found = 0
            for p in itertools.permutations(range(n), rows):
                found += all(abs(p[i] - p[j]) != j - i for i in range(rows) for j in range(i + 1, rows))
            counts.append(found)
        ref.equal("widths", [n], counts)


# --- graphs ---------------------------------------------------------------------------------------------------------


def random_edges(rng, n, m):
    """So many edges, with repetitions and loops."""
    return [(rng.randrange(n), rng.randrange(n)) for _ in range(m)] if n else []


def least_reachable(n, edges):
    """The least vertex of each component by depth-first search."""
    near = [[] for _ in range(n)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    label = [-1] * n
    for root in range(n):
        stack = [root] if label[root] < 0 else []
        while stack:
            v = stack.pop()
            if label[v] < 0:
                label[v] = root
                stack.extend(near[v])
    return label


@program
def connected_components(ref, rng):
    for n, m in [(0, 0), (1, 1), (2, 0), (3, 2), (7, 5), (20, 14), (20, 30)]:
        edges = random_edges(rng, n, m)
        label = least_reachable(n, edges)
        ref.equal("components", [n, edges], label)
        ref.equal("count_components", [n, edges], len(set(label)))
        ref.equal("sizes", [n, edges], [(r, label.count(r)) for r in sorted(set(label))])
    path = [(i, i + 1) for i in range(29)][::-1]
    ref.equal("components", [30, path], [0] * 30)


@program
def region_labels(ref, rng):
    for h, w in [(0, 0), (1, 1), (1, 6), (5, 1), (4, 4), (6, 9)]:
        picture = [[rng.randint(0, 1) for _ in range(w)] for _ in range(h)]
        edges = []
        for i in range(h):
            for j in range(w):
                if i + 1 < h and picture[i][j] == picture[i + 1][j]:
                    edges.append((i * w + j, i * w + w + j))
                if j + 1 < w and picture[i][j] == picture[i][j + 1]:
                    edges.append((i * w + j, i * w + j + 1))
        label = least_reachable(h * w, edges)
        ref.equal("regions", [picture], [label[i * w : i * w + w] for i in range(h)])
        ref.equal("survey", [picture], (len(set(label)), max((label.count(r) for r in label), default=0)))


def hops(graph, root):
    """Distances by relaxing all edges as often as there are vertices."""
    d = [FAR] * len(graph)
    d[root] = 0
    for _ in graph:
        for v, row in enumerate(graph):
            for w in row:
                d[w] = min(d[w], d[v] + 1)
    return [-1 if x >= FAR else x for x in d]


@program
def breadth_first(ref, rng):
    for n, most in [(1, 2), (2, 1), (6, 2), (12, 2), (20, 3)]:
        graph = [[rng.randrange(n) for _ in range(k)] for k in lengths(rng, n, most)]
        for root in {0, n // 2}:
            ref.equal("levels", [graph, root], hops(graph, root))
        ref.equal("eccentricities", [graph], [max(hops(graph, v)) for v in range(n)])
    ref.stops("levels", [[[5]], 0], "T0901")


@program
def minimum_spanning_tree(ref, rng):
    for n, m in [(0, 0), (1, 2), (2, 3), (5, 8), (9, 9), (12, 30), (20, 40)]:
        triples = [(a, b, rng.randint(-3, 9)) for a, b in random_edges(rng, n, m)]
        edges = [Record("edge", a=a, b=b, weight=w) for a, b, w in triples]
        chosen, taken = [], []
        for i in sorted(range(m), key=lambda i: (triples[i][2], i)):
            a, b, _ = triples[i]
            label = least_reachable(n, taken)
            if label[a] != label[b]:
                taken.append((a, b))
                chosen.append(i)
        ref.equal("forest", [n, edges], sorted(chosen))
        ref.equal("weight", [n, edges], sum(triples[i][2] for i in chosen))


@program
def shortest_paths(ref, rng):
    for n, low in [(0, 1), (1, 1), (2, 1), (3, 1), (6, 1), (9, 1), (5, -4), (8, -4)]:
        w = [[rng.choice([FAR, rng.randint(low, 9)]) if i != j else rng.choice([0, 3]) for j in range(n)] for i in range(n)]
        if low < 0:  # no circles, so that no way gets ever shorter
            w = [[w[i][j] if i < j else 0 if i == j else FAR for j in range(n)] for i in range(n)]
        d = [[0 if i == j else w[i][j] for j in range(n)] for i in range(n)]
        for _ in range(n):
            d = [[min([d[i][j]] + [d[i][k] + w[k][j] for k in range(n) if d[i][k] < FAR and w[k][j] < FAR]) for j in range(n)] for i in range(n)]
        ref.equal("distances", [w], d)
        steps = []
        for i in range(n):
            row = []
            for j in range(n):
                ways = [v for v in range(n) if v != i and w[i][v] < FAR and d[v][j] < FAR and w[i][v] + d[v][j] == d[i][j]]
                row.append(ways[0] if i != j and d[i][j] < FAR else -1)
            steps.append(row)
        ref.equal("first_steps", [w], steps)


@program
def triangle_count(ref, rng):
    for n, m in [(1, 1), (3, 3), (5, 8), (8, 16), (12, 40)]:
        edges = random_edges(rng, n, m)
        joined = {frozenset(e) for e in edges if e[0] != e[1]}
        found = [t for t in itertools.combinations(range(n), 3) if all(frozenset(p) in joined for p in itertools.combinations(t, 2))]
        ref.equal("triangles", [n, edges], len(found))
        ref.equal("per_vertex", [n, edges], [sum(v in t for t in found) for v in range(n)])


@program
def page_rank(ref, rng):
    for n, damping, tolerance in [(1, 0.85, 1e-3), (4, 0.5, 1e-4), (7, 0.85, 1e-2), (12, 0.9, 1e-3)]:
        links = [[rng.randrange(n) for _ in range(k)] for k in lengths(rng, n, 3)]
        ranks, steps, moving = [1 / n] * n, 0, True
        while moving:
            fresh = [(1 - damping) / n] * n
            for v, row in enumerate(links):
                for w in row or range(n):
                    fresh[w] += damping * ranks[v] / len(row or range(n))
            moving = sum(abs(a - b) for a, b in zip(fresh, ranks)) > tolerance
            ranks, steps = fresh, steps + 1
        ref.close("ranks", [damping, tolerance, [Record("page", links_to=row) for row in links]], (ranks, steps))


# --- geometry -------------------------------------------------------------------------------------------------------


def chain_hull(points):
    """The hull by Andrew's monotone chain, counterclockwise."""
    points = sorted(set(points))
    if len(points) < 2:
        return points
    hull = []
    for side in (points, points[::-1]):
        part = []
        for p in side:
            while len(part) > 1:
                (ax, ay), (bx, by) = part[-2], part[-1]
                if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                    break
                part.pop()
            part.append(p)
        hull += part[:-1]
    return hull


@program
def quickhull(ref, rng):
    for n in [0, 1, 2, 3, 7, 20, 40]:
        sets = []
        for spread in (3, 20):
            sets.append([(float(rng.randint(-spread, spread)), float(rng.randint(-spread, spread))) for _ in range(n)])
        ref.equal("hulls", [[[point(*p) for p in ps] for ps in sets]], [[point(*p) for p in chain_hull(ps)] for ps in sets])


@program
def closest_pair(ref, rng):
    sets = [[(rng.randint(-40, 40) / 4, rng.randint(-40, 40) / 4) for _ in range(n)] for n in [0, 1, 2, 3, 5, 8, 20, 45]]
    sets.append([(0.0, float(i * i)) for i in range(12)])
    sets.append([(float(i % 2) * 3, float(i)) for i in range(12)])
    out = [min(((a - c) ** 2 + (b - d) ** 2 for (a, b), (c, d) in itertools.combinations(ps, 2)), default=INFINITE) for ps in sets]
    ref.equal("closest_squared", [[[point(*p) for p in ps] for ps in sets]], out)
    for ps, best in zip(sets, out):
        ref.equal("all_pairs", [[point(*p) for p in ps]], best)


@program
def polygons(ref, rng):
    shapes = [[(0, 0), (4, 0), (4, 2), (0, 2)], [(0, 0), (1, 3), (5, 4)], [(0, 0), (6, 0), (6, 6), (3, 1.5), (0, 5)], [(-2, -1), (-3, 4), (2, 2)]]
    shapes.append([(round(3 * math.cos(t), 3), round(3 * math.sin(t), 3)) for t in range(6)])
    as_points = [[point(*p) for p in shape] for shape in shapes]
    areas, perimeters, centres = [], [], []
    for shape in shapes:
        area = cx = cy = 0.0
        (ox, oy) = shape[0]
        for (ax, ay), (bx, by) in zip(shape[1:], shape[2:]):
            t = ((ax - ox) * (by - oy) - (bx - ox) * (ay - oy)) / 2
            area, cx, cy = area + t, cx + t * (ox + ax + bx) / 3, cy + t * (oy + ay + by) / 3
        areas.append(area)
        centres.append(point(cx / area, cy / area))
        perimeters.append(sum(math.dist(shape[i - 1], shape[i]) for i in range(len(shape))))
    ref.close("areas", [as_points], areas)
    ref.close("perimeters", [as_points], perimeters)
    ref.close("centres", [as_points], centres)
    probes = [(rng.randint(-14, 26) / 4 + 0.1, rng.randint(-10, 24) / 4 + 0.05) for _ in range(60)]
    probes += [(x + 0.1, y) for y in (1.5, 3.0, 4.0, 5.0, -1.0) for x in (-3, -1, 0, 1, 2, 4, 6)]

    def turns(shape, x, y):
        angle = 0.0
        for i in range(len(shape)):
            (ax, ay), (bx, by) = shape[i - 1], shape[i]
            a, b = math.atan2(ay - y, ax - x), math.atan2(by - y, bx - x)
            angle += (b - a + math.pi) % (2 * math.pi) - math.pi
        return abs(angle) > 1

    ref.equal("containing", [as_points, [point(*p) for p in probes]], [[k for k, s in enumerate(shapes) if turns(s, *p)] for p in probes])


@program
def line_of_sight(ref, rng):
    for n in SIZES:
        lines = [eighths(rng, k, 0, 8) for k in lengths(rng, n, 9)]
        height = rng.randint(0, 8) / 4
        out = []
        for line in lines:
            seen = []
            for i, a in enumerate(line):
                eye = line[0] + height
                seen.append(i == 0 or all((a - eye) * j > (line[j] - eye) * i for j in range(1, i)))
            out.append(seen)
        ref.equal("views", [height, lines], out)
        ref.equal("visible_counts", [height, lines], [sum(seen) for seen in out])


@program
def barnes_hut(ref, rng):
    def pull(b, x, y, m):
        dx, dy = x - b[0], y - b[1]
        r2 = dx * dx + dy * dy + 0.0001
        return m * dx / r2**1.5, m * dy / r2**1.5

    def walk(theta, depth, bodies, b, level, row, column):
        """The pull of one cell on a body, by recursion into its quarters."""
        side = 2**level
        inside = [c for c in bodies if min(int(c[1] * side), side - 1) == row and min(int(c[0] * side), side - 1) == column]
        mass = sum(c[2] for c in inside)
        if not inside:
            return 0.0, 0.0
        x, y = sum(c[0] * c[2] for c in inside) / mass, sum(c[1] * c[2] for c in inside) / mass
        if 1 / side < theta * math.hypot(x - b[0], y - b[1]):
            return pull(b, x, y, mass)
        if level == depth:
            parts = [pull(b, *c) for c in inside]
        else:
            parts = [walk(theta, depth, bodies, b, level + 1, 2 * row + i, 2 * column + j) for i in (0, 1) for j in (0, 1)]
        return sum(p[0] for p in parts), sum(p[1] for p in parts)

    def record(b):
        return Record("body", x=b[0], y=b[1], mass=b[2])

    for n, theta, depth in [(1, 0.5, 1), (2, 0.5, 0), (5, 0.75, 1), (12, 0.6, 2), (20, 1.0, 3), (20, 0.3, 2)]:
        bodies = [(rng.randrange(1, 1000) / 1000, rng.randrange(1, 1000) / 1000, float(rng.randint(1, 5))) for _ in range(n)]
        ref.close("attractions", [theta, depth, [record(b) for b in bodies]], [walk(theta, depth, bodies, b, 0, 0, 0) for b in bodies])
        edge = bodies + [(1.0, 0.5, 2.0), (0.0, 1.0, 3.0)]
        cells = [[[0.0] * 2**k for _ in range(2**k)] for k in range(depth + 1)]
        for k, level in enumerate(cells):
            for x, y, mass in edge:
                level[min(int(y * 2**k), 2**k - 1)][min(int(x * 2**k), 2**k - 1)] += mass
        ref.equal("masses", [depth, [record(b) for b in edge]], [sum(level, []) for level in cells])
        pairs = [[pull(b, *c) for c in bodies] for b in bodies]
        ref.close("direct", [[record(b) for b in bodies]], [(sum(p[0] for p in row), sum(p[1] for p in row)) for row in pairs])
    for steps in [0, 1, 3]:
        dt = 0.001
        bodies = [(rng.randrange(200, 800) / 1000, rng.randrange(200, 800) / 1000, float(rng.randint(1, 3))) for _ in range(6)]
        now, speed = list(bodies), [(0.0, 0.0)] * 6
        for _ in range(steps):
            pulls = [walk(0.5, 2, now, b, 0, 0, 0) for b in now]
            speed = [(v[0] + dt * a[0], v[1] + dt * a[1]) for v, a in zip(speed, pulls)]
            now = [(b[0] + dt * v[0], b[1] + dt * v[1], b[2]) for b, v in zip(now, speed)]
        ref.close("simulate", [dt, steps, [record(b) for b in bodies]], [record(b) for b in now])


@program
def k_means(ref, rng):
    for n, k, d, steps in [(3, 2, 1, 1), (8, 3, 2, 2), (20, 3, 2, 4), (12, 4, 3, 0)]:
        points = [eighths(rng, d) for _ in range(n)]
        start = [eighths(rng, d) for _ in range(k)]

        def nearest(centres, p):
            return min(range(k), key=lambda c: (sum((a - b) ** 2 for a, b in zip(centres[c], p)), c))

        def step(centres):
            out = []
            for c in range(k):
                mine = [p for p in points if nearest(centres, p) == c]
                out.append([sum(p[i] for p in mine) / len(mine) for i in range(d)] if mine else centres[c])
            return out

        centres = start
        for _ in range(steps):
            centres = step(centres)
        ref.close("centres_after", [steps, points, start], centres)
        centres, choices, count = start, [nearest(start, p) for p in points], 0
        while True:
            centres, count = step(centres), count + 1
            fresh = [nearest(centres, p) for p in points]
            if fresh == choices:
                break
            choices = fresh
        ref.equal("settle", [points, start], (choices, count))


@program
def intervals(ref, rng):
    def record(a, b):
        return Record("interval", **{"from": a, "to": b})

    def runs(covered):
        """Half-open intervals from a set of unit cells on a doubled line (even: points, odd: between)."""
        out = []
        for c in sorted(covered):
            if out and out[-1][1] == c - 1:
                out[-1][1] = c
            else:
                out.append([c, c])
        return [(a // 2, b // 2) for a, b in out]

    sets = []
    for n in SIZES:
        starts = whole(rng, n, -20, 20)
        sets.append([(a, a + rng.randint(0, 6)) for a in starts])
    merged = [runs({c for a, b in s for c in range(2 * a, 2 * b + 1)}) for s in sets]
    records = [[record(*v) for v in s] for s in sets]
    ref.equal("merged", [records], [[record(*v) for v in m] for m in merged])
    ref.equal("covered", [records], [sum(b - a for a, b in m) for m in merged])
    ref.equal("deepest", [records], [max((sum(a <= x <= b for a, b in s) for x in range(-21, 30)), default=0) if s else 0 for s in sets])
    for s, m in zip(records, merged):
        ref.equal("gaps", [s], [record(x[1], y[0]) for x, y in zip(m, m[1:])])
