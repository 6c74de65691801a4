"""What the functions give, in plain Python from their definitions."""

import cmath
import math

from plain import case_and_sizes, hash_of, report


def unit(i):
    return hash_of(i) / 2147483647.0


def eighth(i):
    return (hash_of(i) % 17 - 8) / 8.0


def table(n, at):
    return [[eighth(at(i, j)) for j in range(n)] for i in range(n)]


def with_diagonal(m):
    n = len(m)
    return [[x + (2.0 * n if i == j else 0.0) for j, x in enumerate(row)] for i, row in enumerate(m)]


def solved(a, b):
    """By elimination without pivots, which a heavy diagonal does not need."""
    n = len(a)
    m = [row + [x] for row, x in zip(a, b)]
    for k in range(n):
        for i in range(n):
            if i != k:
                f = m[i][k] / m[k][k]
                m[i] = [x - f * y for x, y in zip(m[i], m[k])]
    return [m[i][n] / m[i][i] for i in range(n)]


def lower_factor(a):
    n = len(a)
    l = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = a[i][j] - sum(l[i][k] * l[j][k] for k in range(j))
            l[i][j] = math.sqrt(rest) if i == j else rest / l[j][j]
    return l


def runs_of(xs):
    out = []
    for x in xs:
        if out and out[-1][0] == x:
            out[-1][1] += 1
        else:
            out.append([x, 1])
    return out


def reached(start, graph):
    steps, front = [-1] * len(graph), [start]
    steps[start] = 0
    while front:
        new = []
        for a in front:
            for b in graph[a]:
                if steps[b] < 0:
                    steps[b] = steps[a] + 1
                    new.append(b)
        front = new
    return steps


def least_connected(graph):
    both = [set() for _ in graph]
    for a, row in enumerate(graph):
        for b in row:
            both[a].add(b)
            both[b].add(a)
    least = [-1] * len(graph)
    for a in range(len(graph)):
        if least[a] < 0:
            for b, steps in enumerate(reached(a, both)):
                if steps >= 0:
                    least[b] = a
    return least


case, (n,) = case_and_sizes()
floats, integers = [unit(i) for i in range(n)], [hash_of(i) % 100000 for i in range(n)]
if case == "sort":
    report(sorted(floats))
elif case == "argsort":
    report(sorted(range(n), key=lambda i: floats[i]))
elif case == "search.greatest":
    report(sorted(floats)[::-1][:100])
elif case == "unique":
    report(sorted(set(integers)))
elif case == "group_by":
    keys = sorted({x % 1000 for x in integers})
    report(keys, [[x for x in integers if x % 1000 == k] for k in keys])
elif case == "search.runs":
    pairs = runs_of([hash_of(i) % 5 for i in range(n) for _ in range(1 + hash_of(i) % 8)])
    report([x for x, _ in pairs], [size for _, size in pairs])
elif case == "search.lower":
    report([sum(i / n < x for i in range(n)) for x in floats])
elif case == "sets.intersection":
    report(sorted({3 * i + hash_of(i) % 3 for i in range(n)} & {5 * i + hash_of(i + 7) % 5 for i in range(n)}))
elif case == "stats.quantiles":
    ordered, out = sorted(floats), []
    for part in [0.1, 0.25, 0.5, 0.75, 0.9]:
        place = part * (n - 1)
        i = math.floor(place)
        out.append(ordered[i] + (place - i) * (ordered[min(i + 1, n - 1)] - ordered[i]))
    report(out)
elif case == "stats.histogram":
    report([sum(min(255, int(x * 256)) == k for x in floats) for k in range(256)])
elif case == "stats.correlation":
    ys = [unit(i) + unit(i + n) for i in range(n)]
    mx, my = sum(floats) / n, sum(ys) / n
    together = lambda a, ma, b, mb: sum((x - ma) * (y - mb) for x, y in zip(a, b))
    report(together(floats, mx, ys, my) / math.sqrt(together(floats, mx, floats, mx) * together(ys, my, ys, my)))
elif case == "matrix.multiply":
    a, b = table(n, lambda i, j: i * n + j), table(n, lambda i, j: i + j * n)
    report([[sum(a[i][k] * b[k][j] for k in range(n)) for j in range(n)] for i in range(n)])
elif case == "matrix.solve":
    report(solved(with_diagonal(table(n, lambda i, j: i * n + j)), [eighth(i) for i in range(n)]))
elif case == "matrix.cholesky":
    report(lower_factor(with_diagonal(table(n, lambda i, j: min(i, j) * n + max(i, j)))))
elif case == "fft.forward":
    xs = [complex(eighth(i), eighth(i + n)) for i in range(n)]
    out = [sum(x * cmath.exp(-2j * cmath.pi * i * k / n) for i, x in enumerate(xs)) for k in range(n)]
    report([z.real for z in out], [z.imag for z in out])
elif case == "sparse.from_triples":
    places = {}
    for k in range(8 * n):
        at = (hash_of(k) % n, hash_of(k + 13) % n)
        places[at] = places.get(at, 0.0) + eighth(k)
    entries = sorted(places.items())
    starts = [sum(i < row for (i, _), _ in entries) for row in range(n + 1)]
    report(starts, [j for (_, j), _ in entries], [x for _, x in entries])
elif case == "sparse.apply":
    report([sum(eighth(16 * i + j) * eighth(hash_of(16 * i + j) % n) for j in range(hash_of(i) % 16)) for i in range(n)])
elif case == "text.words":
    letter = lambda i: 97 + hash_of(i + 1) % 26
    space = lambda i: 10 if hash_of(i + 3) % 9 == 0 else 32
    s = bytes(space(i) if hash_of(i) % 6 == 0 else letter(i) for i in range(n))
    report([list(word) for word in s.split()])
elif case == "text.parse_f64":
    report([float("%.3f" % ((hash_of(i) % 2000000 - 1000000) / 1000.0)) for i in range(n)])
elif case == "graph.components":
    end = lambda i, j: min(n - 1, i // 1000 * 1000 + (i % 1000 + 1 + hash_of(4 * i + j) % 40) % 1000)
    report(least_connected([[end(i, j) for j in range(hash_of(i) % 3)] for i in range(n)]))
elif case == "graph.distances":
    report(reached(0, [[hash_of(8 * i + j) % n for j in range(1 + hash_of(i) % 7)] for i in range(n)]))
