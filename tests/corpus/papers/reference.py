"""Expected answers for the programs of the papers, computed without Terrace.

    python3 reference.py        writes NAME.ref beside every NAME.tce

Needs numpy. Each function below computes the cases of one program, on purpose in another way than the program does:
plain loops, numpy, hashlib.
"""

import hashlib
import math
import os
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from cases import SIZES, eighths, grid, lengths, programs, whole, write  # noqa: E402
from literals import Record  # noqa: E402

PROGRAMS, program = programs()


def wrap64(x):
    """An integer as a 64-bit one."""
    return (x + 2**63) % 2**64 - 2**63


# --- Shapes and Flattening ---------------------------------------------------------------------------------------


@program
def squares(ref, rng):
    for n in SIZES:
        xs = eighths(rng, n)
        ref.equal("squares", [xs], [x**2 for x in xs])
    rows = [whole(rng, n) for n in lengths(rng, 8)]
    ref.equal("square_rows", [rows], [[x**2 for x in row] for row in rows])


@program
def products(ref, rng):
    for n in SIZES:
        xs, ys = eighths(rng, n), eighths(rng, n)
        ref.equal("prod", [xs, ys], (np.array(xs) * np.array(ys)))
        ref.equal("outer", [xs, ys[: n // 2]], [[x * y for y in ys[: n // 2]] for x in xs])
        kept = [i for i in range(n) if not (xs[i] < 0 or ys[i] < 0)]
        ref.equal("prod_if_pos", [xs, ys], [xs[i] * ys[i] for i in kept])
    ref.equal("prod_if_pos", [[0.0, -0.125, 3.0, 0.0], [2.0, 5.0, -0.125, 0.0]], [0.0, 0.0])
    ref.stops("prod", [[1.0, 2.0], [1.0]], "T0903")
    ref.stops("prod_if_pos", [[], [1.0]], "T0903")


@program
def dense_product(ref, rng):
    for n in SIZES:
        xs, ys = eighths(rng, n), eighths(rng, n)
        ref.equal("dotp", [xs, ys], float(np.dot(xs, ys)))
        m = grid(rng, n // 2, n)
        ref.equal("mxv", [m, xs], [float(np.dot(row, xs)) for row in m])
    ref.stops("mxv", [[[1.0, 2.0], [1.0]], [1.0, 2.0]], "T0903")


def sparse(rng, rows, columns, most=6):
    """Rows of (column, value), columns in any order, with repetitions."""
    return [[(rng.randrange(columns), v) for v in eighths(rng, n)] for n in lengths(rng, rows, most)]


def dense(rows, columns):
    """The dense matrix of a sparse one."""
    m = np.zeros((len(rows), columns))
    for i, row in enumerate(rows):
        for j, v in row:
            m[i, j] += v
    return m


@program
def sparse_product(ref, rng):
    for n in SIZES[1:]:
        m, v = sparse(rng, n, n), eighths(rng, n)
        ref.equal("sparse_mxv", [m, v], dense(m, n) @ np.array(v))
    ref.stops("sparse_mxv", [[[(3, 1.0)]], [1.0, 2.0, 3.0]], "T0901")


@program
def normalise_pairs(ref, rng):
    for n in SIZES[1:]:
        xs, ys = eighths(rng, n, 1, 8), eighths(rng, n, -8, -1)
        ref.close("norm2", [list(zip(xs, ys))], ((np.array(xs) / sum(xs)).tolist(), (np.array(ys) / sum(ys)).tolist()))


@program
def matrix_sums(ref, rng):
    for n in SIZES:
        shape = lengths(rng, n)
        a, b = [eighths(rng, k) for k in shape], [eighths(rng, k) for k in shape]
        ref.equal("mm", [a, b], [[a[i][j] + b[i][j] for j in range(k)] for i, k in enumerate(shape)])
        m, v = grid(rng, n, 3), eighths(rng, 3)
        ref.equal("mv", [m, v], [[x + y for x, y in zip(row, v)] for row in m])
    ref.stops("mm", [[[1.0], [2.0, 3.0]], [[1.0], [2.0]]], "T0906")


@program
def segments(ref, rng):
    for n in SIZES:
        rows = [[(rng.random() < 0.5, x) for x in whole(rng, k)] for k in lengths(rng, n)]
        flat = [pair for row in rows for pair in row]
        columns = ([p[0] for p in flat], [p[1] for p in flat])
        ref.equal("describe", [rows], (columns, ([len(row) for row in rows], [n])))
        ref.equal("rebuild", [columns[0], columns[1], [len(row) for row in rows]], rows)
    ref.stops("rebuild", [[True], [1], [2]], "T0915")


@program
def split_combine(ref, rng):
    for n in SIZES:
        xs = whole(rng, n, -40, 40)
        out = [x // 2 if x % 2 == 0 else 3 * x + 1 for x in xs]
        ref.equal("direct", [xs], out)
        ref.equal("taken_apart", [xs], out)


# --- irregular array sequences -------------------------------------------------------------------------------------


@program
def nested_map(ref, rng):
    for n in SIZES:
        rows = [whole(rng, k) for k in lengths(rng, n)]
        ref.equal("foo", [rows], [[x + x + 1 for x in row] for row in rows])
        values = [x for row in rows for x in row]
        ref.equal("foo_flat", [[len(row) for row in rows], values], ([len(row) for row in rows], [x + x + 1 for x in values]))


@program
def dense_product_ways(ref, rng):
    for m, n in [(1, 1), (2, 3), (3, 2), (7, 5), (4, 0)]:
        mat, vec = grid(rng, m, n), eighths(rng, n)
        out = [float(np.dot(row, vec)) for row in mat]
        for entry in ["mvm_ndp", "mvm_replicate", "mvm_rows"]:
            ref.equal(entry, [mat, vec], out)


@program
def sparse_rows(ref, rng):
    for n in SIZES[1:]:
        m, v = sparse(rng, n, n), eighths(rng, n)
        out = dense(m, n) @ np.array(v)
        ref.equal("smvm", [m, v], out)
        ref.equal("smvm_flat", [[len(row) for row in m], [pair for row in m for pair in row], v], out)


@program
def zip_trimmed(ref, rng):
    for n, m, p, q in [(2, 3, 4, 2), (3, 3, 3, 3), (1, 5, 5, 1), (0, 0, 2, 2), (4, 2, 2, 4), (3, 1, 2, 0)]:
        a, b = grid(rng, n, m), grid(rng, p, q)
        rows, columns = min(n, p), min(m, q)
        ref.equal("difference", [a, b], [[a[i][j] - b[i][j] for j in range(columns)] for i in range(rows)])
        c = grid(rng, 3, 2)
        ref.equal("elements", [[a, b, c]], [x for mat in (a, b, c) for row in mat for x in row])
        rows, columns = min(rows, 3), min(columns, 2)
        ref.equal("tabulate", [[a, b, c]], [[row[:columns] for row in mat[:rows]] for mat in (a, b, c)])
    ref.equal("tabulate", [[]], [])


@program
def linear_index(ref, rng):
    for shape in [(4,), (2, 3), (5, 4, 3), (1, 1, 1), (3, 2, 2, 3), (7, 1, 2)]:
        for _ in range(3):
            index = [rng.randrange(n) for n in shape]
            position = int(np.ravel_multi_index(index, shape))
            ref.equal("linear_index", [list(shape), index], position)
            ref.equal("unrank", [list(shape), position], [int(i) for i in np.unravel_index(position, shape)])
    for shape in [(2, 3, 4), (1, 5, 2), (4, 2, 1)]:
        data = np.array(eighths(rng, math.prod(shape))).reshape(shape)
        for _ in range(3):
            index = tuple(rng.randrange(n) for n in shape)
            ref.equal("read_flat", [shape, data.reshape(-1), index], float(data[index]))


@program
def segmented_operations(ref, rng):
    cases = [[], [0], [1], [2, 0, 3], [0, 0, 4, 0], [3, 1, 0, 0, 2, 0, 5, 0]] + [lengths(rng, 12)]
    for sizes in cases:
        ref.equal("generate_seg", [sizes], [100 * i + j for i, k in enumerate(sizes) for j in range(k)])
        rows = [whole(rng, k) for k in sizes]
        flat = [x for row in rows for x in row]
        ref.equal("scan_seg", [sizes, flat], [sum(row[: j + 1]) for row in rows for j in range(len(row))])
        ref.equal("fold_seg", [sizes, flat], [sum(row) for row in rows])


@program
def scalar_functions(ref, rng):
    for n in SIZES:
        ref.equal("evens", [n], list(range(0, 2 * n, 2)))
        shape = lengths(rng, n)
        a, b = [whole(rng, k) for k in shape], [whole(rng, k) for k in shape]
        ref.equal("averages", [a, b], [[(x + y) // 2 for x, y in zip(r, s)] for r, s in zip(a, b)])
        ref.equal("sums", [a], [sum(row) for row in a])
        xs = whole(rng, n)
        ref.equal("inc_all", [xs], [x + 1 for x in xs])
        ref.equal("first", [n // 2, xs], xs[: n // 2])
    ref.equal("facts", [list(range(21))], [math.factorial(n) for n in range(21)])
    ref.stops("first", [3, [1, 2]], "T0902")


@program
def audio_windows(ref, rng):
    for n, size, step in [(0, 3, 1), (2, 3, 1), (3, 3, 1), (12, 4, 3), (20, 7, 2), (20, 2, 5), (16, 16, 1)]:
        xs = [rng.randint(-4, 4) / 2 for _ in range(n)]
        crossings, summary = [], []
        level = sum(xs) / n if n else 0.0
        for at in range(0, n - size + 1, step):
            window = xs[at : at + size]
            found = []
            for i in range(size - 1):
                a, b = window[i], window[i + 1]
                if a < 0 <= b:
                    found.append(Record("crossing", place=i - a / (b - a), slope=b - a))
            crossings.append(found)
            centred = [x - level for x in window]
            rises = sum(1 for a, b in zip(centred, centred[1:]) if a < 0 <= b)
            summary.append((rises, max(window) - min(window)))
        ref.close("zero_crossings", [size, step, xs], crossings)
        ref.close("summary", [size, step, xs], summary)
    ref.stops("zero_crossings", [0, 1, [1.0]], "T0917")


@program
def md5_search(ref, rng):
    words = [bytes(rng.randrange(32, 127) for _ in range(n)) for n in [0, 1, 3, 8, 20, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128]]
    ref.equal("digests", [words], [list(hashlib.md5(word).digest()) for word in words])
    binary = [list(rng.randrange(256) for _ in range(n)) for n in [5, 64, 200]]
    ref.equal("digests", [binary], [list(hashlib.md5(bytes(word)).digest()) for word in binary])
    for word in words[1:4]:
        ref.equal("hex", [word], hashlib.md5(word).hexdigest())
    bag = [b"red", b"", b"green", b"blue", b"green", b"a longer word than the others"]
    for wanted in [b"", b"green", b"a longer word than the others", b"yellow"]:
        place = bag.index(wanted) if wanted in bag else -1
        ref.equal("recover", [list(hashlib.md5(wanted).digest()), bag], place)


def pagerank(n, links, steps):
    """Ranks by a dense transition matrix."""
    matrix = np.zeros((n, n))
    for source in range(n):
        targets = [t for s, t in links if s == source]
        for t in targets:
            matrix[t, source] += 1 / len(targets)
        if not targets:
            matrix[:, source] = 1 / n
    ranks = np.full(n, 1 / n)
    for _ in range(steps):
        ranks = 0.15 / n + 0.85 * (matrix @ ranks)
    return ranks


@program
def page_rank_links(ref, rng):
    for n, m, steps in [(1, 0, 3), (2, 1, 1), (5, 9, 4), (12, 30, 10), (20, 15, 2)]:
        links = [(rng.randrange(n), rng.randrange(n)) for _ in range(m)]
        ref.close("page_rank", [n, links, steps], pagerank(n, links, steps))
    ref.stops("page_rank", [2, [(0, 2)], 1], "T0901")


# --- Preserving Regularity -----------------------------------------------------------------------------------------


def bubble_passes(xs):
    """How many double exchange passes sort a list."""
    xs, count = list(xs), 0
    while xs != sorted(xs):
        for first in (0, 1):
            for i in range(first, len(xs) - 1, 2):
                if xs[i] > xs[i + 1]:
                    xs[i], xs[i + 1] = xs[i + 1], xs[i]
        count += 1
    return count


@program
def bubble_sort_rows(ref, rng):
    for n in SIZES[1:]:
        rows = [eighths(rng, k) for k in lengths(rng, n, 9)]
        ref.equal("sort_all", [rows], [sorted(row) for row in rows])
        ref.equal("passes", [rows], [bubble_passes(row) for row in rows])
    down = [[float(n - i) for i in range(n)] for n in range(9)]
    ref.equal("passes", [down], [bubble_passes(row) for row in down])


@program
def double_rows(ref, rng):
    for limit in [0, 1, 2, 3, 8, 9]:
        rows = [whole(rng, k) for k in [0, 1, 2, 3, 5, 8, 9]]
        out = []
        for row in rows:
            while row and len(row) < limit:
                row = row * 2
            out.append(row)
        ref.equal("until_long", [limit, rows], out)
    rows = [[n] + whole(rng, k) for n, k in [(0, 3), (1, 0), (2, 2), (3, 1), (4, 0), (-1, 2)] if n >= 0] + [[]]
    ref.equal("as_told", [rows], [row * 2 ** row[0] if row else [] for row in rows])


@program
def conditional_rows(ref, rng):
    for n in SIZES:
        rows = [whole(rng, k, 5, 15) for k in lengths(rng, n)]
        ref.equal("plus_one", [rows], [[1 + x for x in row] for row in rows])
        ref.equal("unless_large", [rows], [row if row and row[0] > 10 else [1 + x for x in row] for row in rows])


@program
def quicksort_loop(ref, rng):
    sort_cases(ref, rng)


@program
def quicksort_recursive(ref, rng):
    sort_cases(ref, rng)


def sort_cases(ref, rng):
    """Rows of many lengths, with ties, sorted, reversed."""
    for n in SIZES:
        rows = [[rng.randint(-4, 4) / 2 for _ in range(k)] for k in lengths(rng, n, 12)]
        ref.equal("sort_rows", [rows], [sorted(row) for row in rows])
    rows = [eighths(rng, 30, -50, 50), [float(-i) for i in range(10)], [1.0] * 6, [float(i) for i in range(6)]]
    ref.equal("sort_rows", [rows], [sorted(row) for row in rows])


def fft_cases(ref, rng):
    """Signals of all short powers of two, against numpy."""
    signals = []
    for n in [0, 1, 2, 4, 8, 16, 32]:
        signals.append(list(zip(eighths(rng, n), eighths(rng, n))))
    out = []
    for signal in signals:
        spectrum = np.fft.fft([complex(*z) for z in signal]) if signal else []
        out.append([(float(z.real), float(z.imag)) for z in spectrum])
    ref.close("transforms", [signals], out)
    for signal, spectrum in zip(signals[3:], out[3:]):
        ref.close("transforms", [[signal]], [spectrum])
    ref.stops("transforms", [[signals[2], signals[4][:6]]], "T0907")


@program
def fft_recursive(ref, rng):
    fft_cases(ref, rng)


@program
def fft_loop(ref, rng):
    fft_cases(ref, rng)


# --- Position-Dependent Arrays -------------------------------------------------------------------------------------


@program
def triangular_product(ref, rng):
    for n, sizes in [(0, [1]), (1, [1]), (2, [1, 2]), (3, [1, 3]), (6, [1, 2, 3]), (12, [4, 6])]:
        m, v = [eighths(rng, i + 1) for i in range(n)], eighths(rng, n)
        square = np.array([row + [0.0] * (n - len(row)) for row in m]).reshape(n, n)
        out = square @ np.array(v)
        ref.equal("basic", [m, v], out)
        for size in sizes:
            ref.equal("padded", [size, m, v], out)
    ref.stops("basic", [[[1.0], [1.0]], [1.0, 2.0]], "T0906")


@program
def triangle_partition(ref, rng):
    for n in [0, 1, 2, 3, 6]:
        xs = whole(rng, n * (n + 1) // 2, -99, 99)
        rows, at = [], 0
        for i in range(n):
            rows.append(xs[at : at + i + 1])
            at += i + 1
        ref.equal("triangle", [xs, n], rows)
        ref.equal("there_and_back", [n, xs], xs)
        ref.equal("row_prefixes", [rows], [[int(x) for x in np.cumsum(row)] for row in rows])
        ref.equal("column_sums", [rows], [sum(row[j] for row in rows if len(row) > j) for j in range(n)])
        for i in range(n):
            ref.equal("element", [xs, i, i // 2], rows[i][i // 2])
        if n >= 2:
            ref.equal("grouped", [n - 1, xs], [rows[:2]] + [[row] for row in rows[2:]])
    ref.stops("triangle", [[1, 2], 2], "T0915")


@program
def jacobi_line(ref, rng):
    for n in SIZES[1:]:
        xs = eighths(rng, n)
        at = lambda i: xs[min(max(i, 0), n - 1)]  # noqa: E731
        out = [at(i - 1) + at(i) + at(i + 1) for i in range(n)]
        ref.equal("stencil", [xs], out)
        ref.equal("by_index", [xs], out)
        around = [xs[i - 1] + xs[i] + xs[(i + 1) % n] for i in range(n)]
        fixed = [sum(([7.5] + xs + [7.5])[i : i + 3]) for i in range(n)]
        ref.equal("borders", [xs, 7.5], (around, out, fixed))
        for size in [1, 3, 5]:
            if n >= size:
                half = size // 2
                ref.equal("in_parts", [size, xs], [sum(at(i + j) for j in range(-half, half + 1)) for i in range(n)])
        for steps in [0, 1, 4]:
            ys = np.array(xs)
            for _ in range(steps):
                if n >= 3:
                    ys[1:-1] = (ys[:-2] + ys[1:-1] + ys[2:]) / 3
            ref.close("relax", [xs, steps], ys)


def box_sums(size, outside, m):
    """Sums over square neighbourhoods by numpy's padding."""
    half = size // 2
    padded = np.pad(np.array(m), half, constant_values=outside)
    return [[float(padded[i : i + size, j : j + size].sum()) for j in range(len(m[0]))] for i in range(len(m))]


@program
def jacobi_grid(ref, rng):
    for n, k, size in [(1, 1, 1), (1, 1, 3), (2, 3, 3), (4, 5, 3), (5, 4, 5), (7, 6, 3), (8, 2, 7)]:
        m, outside = grid(rng, n, k), rng.randint(-8, 8) / 4
        ref.equal("jacobi", [size, outside, m], box_sums(size, outside, m))
        if n >= 2 * (size // 2):
            ref.equal("jacobi_parts", [size, outside, m], box_sums(size, outside, m))
            ref.equal("part_sizes", [size, m], [size // 2, n - size // 2 - size // 2, size // 2])
    ref.stops("jacobi", [2, 0.0, [[1.0, 2.0], [3.0, 4.0]]], "T0907")


# --- Static and Dynamic Analyses -----------------------------------------------------------------------------------


def align(gap, xs, ys):
    """The plain dynamic program."""
    table = [[-gap * (i + j) for j in range(len(ys) + 1)] for i in range(len(xs) + 1)]
    for i in range(1, len(xs) + 1):
        for j in range(1, len(ys) + 1):
            match = 3 if xs[i - 1] == ys[j - 1] else -1
            table[i][j] = max(table[i - 1][j - 1] + match, table[i - 1][j] - gap, table[i][j - 1] - gap)
    return table


def dna(rng, n):
    """A random word over four letters."""
    return bytes(rng.choice(b"acgt") for _ in range(n))


@program
def needleman_wunsch(ref, rng):
    for p, b in [(1, 1), (1, 3), (2, 1), (2, 2), (3, 2), (4, 3), (3, 4)]:
        gap = rng.randint(1, 3)
        xs, ys = dna(rng, p * b), dna(rng, p * b)
        table = align(gap, xs, ys)
        ref.equal("alignment_table", [b, gap, xs, ys], table)
        ref.equal("alignment", [b, gap, xs, ys], table[-1][-1])


@program
def needleman_wunsch_cells(ref, rng):
    for n, m in [(0, 0), (1, 0), (0, 2), (1, 1), (2, 1), (1, 3), (5, 5), (4, 9), (10, 3)]:
        gap = rng.randint(1, 3)
        xs, ys = dna(rng, n), dna(rng, m)
        ref.equal("alignment_table", [gap, xs, ys], align(gap, xs, ys))


def crout(m):
    """LU decomposition by the explicit sums, without pivoting."""
    n = len(m)
    a = [list(row) for row in m]
    for i in range(n):
        for j in range(n):
            s = sum(a[i][k] * a[k][j] for k in range(min(i, j)))
            a[i][j] = a[i][j] - s if i <= j else (a[i][j] - s) / a[j][j]
    return a


@program
def lu_decomposition(ref, rng):
    for n, blocks in [(1, [1]), (2, [1, 2]), (3, [3]), (4, [1, 2, 4]), (6, [2, 3])]:
        m = grid(rng, n, n)
        for i in range(n):
            m[i][i] += 8.0 * n + i
        out = crout(m)
        ref.close("lu", [m], out)
        for b in blocks:
            ref.close("lu_blocked", [b, m], out)


@program
def hotspot(ref, rng):
    for n, m, steps in [(1, 1, 2), (1, 4, 1), (3, 1, 2), (3, 4, 3), (5, 5, 2)]:
        c = dict(rate=0.125, across=0.5, along=0.25, up=0.0625, ambient=80.0)
        t, power = np.array(grid(rng, n, m, 40, 90)), np.array(grid(rng, n, m, 0, 2))
        now = t.copy()
        for _ in range(steps):
            edge = np.pad(now, 1, mode="edge")
            vertical = edge[:-2, 1:-1] + edge[2:, 1:-1] - 2 * now
            horizontal = edge[1:-1, :-2] + edge[1:-1, 2:] - 2 * now
            now = now + c["rate"] * (power + vertical * c["along"] + horizontal * c["across"] + (c["ambient"] - now) * c["up"])
        ref.close("hotspot", [Record("chip", **c), t, power, steps], now)


def rounds(rows):
    """Sixty-four times: add the row's number, take prefix sums, in 64-bit arithmetic."""
    out = []
    for i, row in enumerate(rows):
        row = list(row)
        for _ in range(64):
            total = 0
            for j, x in enumerate(row):
                total += x + i
                row[j] = wrap64(total)
        out.append(row)
    return out


@program
def mapscan(ref, rng):
    for m, n in [(1, 1), (1, 4), (3, 1), (3, 5), (5, 7)]:
        rows = [whole(rng, n, -99, 99) for _ in range(m)]
        for entry in ["mapscan", "outer", "inner"]:
            ref.equal(entry, [rows], rounds(rows))
    for k, ns in [(1, [1]), (6, [1, 2, 3, 6]), (12, [4, 1, 3]), (4, [])]:
        xs = whole(rng, k, -99, 99)
        flat = xs
        for n in ns:
            flat = [x for row in rounds([flat[i * (k // n) : (i + 1) * (k // n)] for i in range(n)]) for x in row]
        ref.equal("mapscan_var", [ns, xs], flat)


@program
def strided_slices(ref, rng):
    for n in [1, 2, 3, 6]:
        xs = whole(rng, n * n, -99, 99)
        m = np.array(xs).reshape(n, n)
        ref.equal("diagonal", [n, xs], np.diag(m))
        ref.equal("rising", [n, xs], np.diag(np.flipud(m)))
        raised = m.copy()
        if n > 1:
            raised[np.arange(n), n - 1 - np.arange(n)] += 1
            ref.equal("raise", [n, xs], raised.reshape(-1))
        for b in [b for b in [1, 2, 3] if n % b == 0]:
            ref.equal("blocks", [n, b, xs], m.reshape(n // b, b, n // b, b).transpose(0, 2, 1, 3))
            for i in range(n // b):
                ref.equal("block_diagonal", [n, b, i, xs], [m[j * b : j * b + b, (i - j) * b : (i - j) * b + b].tolist() for j in range(i + 1)])
    for n, m in [(1, 1), (2, 3), (4, 2), (1, 5)]:
        xs = whole(rng, n * m, -99, 99)
        ref.equal("transposed", [n, m, xs], np.array(xs).reshape(n, m).T)
        ref.equal("upside_down", [n, m, xs], np.flipud(np.array(xs).reshape(n, m)))
    ref.stops("diagonal", [3, list(range(8))], "T0913")


@program
def consumed_arrays(ref, rng):
    for n in SIZES[1:]:
        positions, values = [rng.randrange(n) for _ in range(n)], whole(rng, n)
        out = [0] * n
        for i, v in zip(positions, values):
            out[i] = v
        ref.equal("scattered", [n, positions, values], (out, out))
        xs, ys = whole(rng, n), whole(rng, n)
        ref.equal("shifted_sum", [xs, ys], [x + 2 + y for x, y in zip(xs, ys)])
        ref.equal("tally", [n, positions], [positions.count(i) for i in range(n)])
    ref.stops("tally", [2, [0, 2]], "T0901")
    ref.stops("scattered", [2, [-1], [5]], "T0901")


@program
def nearest_neighbours(ref, rng):
    for n, k in [(1, 0), (1, 1), (5, 2), (20, 7), (12, 12)]:
        records = list(zip(whole(rng, n, -4, 4), whole(rng, n, -4, 4)))
        records = [(float(x), float(y)) for x, y in records]
        point = (rng.randint(-4, 4) / 2, rng.randint(-4, 4) / 2)
        found = sorted((math.dist(point, r), i) for i, r in enumerate(records))[:k]
        ref.close("nearest", [k, point, records], [(i, d) for d, i in found])


@program
def lattice_boltzmann(ref, rng):
    velocity = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)]
    share = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    for n, m, omega, steps in [(1, 1, 0.5, 1), (1, 3, 1.25, 2), (3, 2, 0.75, 1), (4, 5, 1.5, 2)]:
        f = np.array([[[rng.randint(8, 24) / 16 for _ in range(9)] for _ in range(m)] for _ in range(n)])
        now = f.copy()
        for _ in range(steps):
            rho = now.sum(axis=2)
            uy = sum(now[:, :, q] * v[0] for q, v in enumerate(velocity)) / rho
            ux = sum(now[:, :, q] * v[1] for q, v in enumerate(velocity)) / rho
            after = np.empty_like(now)
            for q, (vy, vx) in enumerate(velocity):
                cu = vy * uy + vx * ux
                rest = share[q] * rho * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * (uy**2 + ux**2))
                after[:, :, q] = np.roll((1 - omega) * now[:, :, q] + omega * rest, (vy, vx), axis=(0, 1))
            now = after
        ref.close("flow", [omega, f, steps], now)
        ref.close("densities", [f], f.sum(axis=2))


def sobol_points(n):
    """The two sequences by the recurrence of Antonov and Saleev."""
    bits = 30
    first = [1 << (bits - 1 - k) for k in range(bits)]
    second = [1 << (bits - 1)]
    for k in range(1, bits):
        second.append(second[-1] ^ (second[-1] >> 1))
    x = y = 0
    out = []
    for i in range(n):
        lowest_zero = 0
        while i >> lowest_zero & 1:
            lowest_zero += 1
        x, y = x ^ first[lowest_zero], y ^ second[lowest_zero]
        out.append((x / 2**bits, y / 2**bits))
    return out


@program
def option_pricing(ref, rng):
    for n in [0, 1, 2, 40]:
        ref.equal("points", [n], sobol_points(n))
    calls, out = [], []
    n = 64
    zs = [math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v) for u, v in sobol_points(n)]
    for spot, strike, rate, vol, years in [(100, 100, 0.05, 0.2, 1), (90, 100, 0.02, 0.5, 2), (120, 80, 0.0, 0.1, 0.5)]:
        calls.append(Record("call", spot=float(spot), strike=float(strike), rate=rate, volatility=vol, years=float(years)))
        finals = [spot * math.exp((rate - vol**2 / 2) * years + vol * math.sqrt(years) * z) for z in zs]
        out.append(math.exp(-rate * years) * sum(f - strike for f in finals if f > strike) / n)
    ref.close("prices", [n, calls], out)


@program
def tridiagonal(ref, rng):
    systems, out = [], []
    for n in [0, 1, 2, 3, 7, 12]:
        lower, upper, right = eighths(rng, n, -2, 2), eighths(rng, n, -2, 2), eighths(rng, n)
        middle = [rng.choice([-1, 1]) * (abs(a) + abs(b) + 1.5) for a, b in zip(lower, upper)]
        systems.append([Record("equation", lower=a, middle=b, upper=c, right=d) for a, b, c, d in zip(lower, middle, upper, right)])
        m = np.diag(middle) + np.diag(lower[1:], -1) + np.diag(upper[:-1], 1) if n else np.zeros((0, 0))
        out.append(np.linalg.solve(m, right).tolist() if n else [])
    ref.close("by_loop", [systems], out)
    ref.close("by_scan", [systems], out)


@program
def strided_points(ref, rng):
    def record(offset, dims):
        return Record("slice", offset=offset, dims=[Record("dim", count=c, stride=s) for c, s in dims])

    def reach(offset, dims):
        out = []
        for index in np.ndindex(*[c for c, _ in dims]):
            out.append(offset + sum(i * s for i, (_, s) in zip(index, dims)))
        return out

    made = [(7, []), (0, [(5, 1)]), (9, [(3, -2)]), (0, [(3, 4), (4, 1)]), (0, [(3, 4), (5, 1)]), (2, [(2, 9), (3, 3), (3, 1)])]
    made += [(1, [(2, 9), (3, 3), (4, 1)]), (40, [(3, -10), (2, 3)]), (0, [(2, 5), (3, 2)]), (30, [(1, 7), (4, -1)])]
    made += [(rng.randint(0, 5), [(rng.randint(1, 4), rng.choice([-7, -3, -1, 1, 2, 3, 8])) for _ in range(2)]) for _ in range(6)]
    for offset, dims in made:
        s = record(offset, dims)
        ref.equal("all_points", [s], reach(offset, dims))
        ref.equal("unranked_points", [s], reach(offset, dims))
        low = min(reach(offset, dims))
        by_size = sorted(((c, abs(t)) for c, t in dims), key=lambda d: -d[1])
        ref.equal("normal", [s], record(low, by_size))
        rule = all(t > sum((c - 1) * u for c, u in by_size[i + 1 :]) for i, (_, t) in enumerate(by_size))
        ref.equal("is_injective", [s], rule)
    for a, b in zip(made, made[1:]):
        ref.equal("overlap", [record(*a), record(*b)], not set(reach(*a)).isdisjoint(reach(*b)))


@program
def back_propagation(ref, rng):
    for inputs, hidden, outputs, rounds in [(1, 1, 1, 1), (2, 3, 1, 2), (3, 2, 2, 1)]:
        a, b = np.array(grid(rng, hidden, inputs + 1, -1, 1)), np.array(grid(rng, outputs, hidden + 1, -1, 1))
        samples = [(eighths(rng, inputs, -1, 1), eighths(rng, outputs, 0, 1)) for _ in range(3)]

        def squash(x):
            return 1 / (1 + np.exp(-x))

        def forward(a, b, x):
            h = squash(a @ np.concatenate([[1.0], x]))
            return h, squash(b @ np.concatenate([[1.0], h]))

        net = Record("network", hidden=a.tolist(), output=b.tolist())
        ref.close("answers", [net, [x for x, _ in samples]], [forward(a, b, x)[1].tolist() for x, _ in samples])
        for _ in range(rounds):
            for x, t in samples:
                h, o = forward(a, b, x)
                d = (np.array(t) - o) * o * (1 - o)
                e = (b[:, 1:].T @ d) * h * (1 - h)
                b = b + 0.5 * np.outer(d, np.concatenate([[1.0], h]))
                a = a + 0.5 * np.outer(e, np.concatenate([[1.0], x]))
        ref.close("trained", [0.5, rounds, net, samples], Record("network", hidden=a.tolist(), output=b.tolist()))


@program
def speckle_reduction(ref, rng):
    for n, m, rate, steps in [(1, 2, 0.5, 1), (3, 2, 0.25, 1), (4, 5, 0.5, 2), (6, 6, 1.0, 3)]:
        picture = np.array(grid(rng, n, m, 1, 8))
        now = picture.copy()
        for _ in range(steps):
            q0 = now.var() / now.mean() ** 2
            edge = np.pad(now, 1, mode="edge")
            north, south = edge[:-2, 1:-1] - now, edge[2:, 1:-1] - now
            west, east = edge[1:-1, :-2] - now, edge[1:-1, 2:] - now
            g2 = (north**2 + south**2 + west**2 + east**2) / now**2
            total = (north + south + west + east) / now
            q = (g2 / 2 - total**2 / 16) / (1 + total / 4) ** 2
            c = np.clip(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0, 1)
            below, right = np.vstack([c[1:], c[-1:]]), np.hstack([c[:, 1:], c[:, -1:]])
            now = now + rate / 4 * (c * north + c * west + below * south + right * east)
        ref.close("smoothed", [rate, steps, picture], now)


@program
def threshold_search(ref, rng):
    def valley(n, lowest):
        """Different times that fall to a lowest one and rise again."""
        times = sorted(rng.sample(range(1, 100), n - 1), reverse=True)
        left = sorted(rng.sample(times, lowest), reverse=True)
        return left + [0] + sorted(t for t in times if t not in left)

    def runs(times):
        """How many runs the search needs: the candidates that it looks at, counted each time."""
        last, low, high, count = len(times) - 1, 0, len(times) - 1, 2
        while low <= high:
            middle, count = (low + high) // 2, count + 1
            if times[middle] > times[last]:
                low = middle + 1
            elif times[middle] > times[0] or middle == last:
                high = middle - 1
            else:
                count += 1
                falling = times[middle + 1] <= times[middle]
                low, high = (middle + 2, high) if falling else (low, middle - 1)
        return count

    for n in [1, 2, 3, 5, 8, 13]:
        programs = [valley(n, k) for k in range(n)]
        ref.equal("searches", [programs], [(times.index(0), runs(times)) for times in programs])
        values = [0] + sorted(rng.sample(range(1, 1000), n - 1))
        for k in {0, n // 2, n - 1}:
            low = values[k - 1] + 1 if k else 0
            ref.equal("interval", [values, valley(n, k)], (low, values[k]))


@program
def memory_examples(ref, rng):
    for n, m, rows, columns in [(1, 1, 1, 1), (3, 4, 2, 3), (5, 2, 5, 1), (4, 4, 4, 4)]:
        xs = [whole(rng, m) for _ in range(n)]
        k, l = rng.randrange(rows), rng.randrange(columns)
        ref.equal("corner", [xs, rows, columns, k, l], ([row[:columns] for row in xs[:rows]], xs[k][l]))
    ref.stops("corner", [[[1, 2], [3, 4]], 1, 2, 1, 0], "T0901")
    for first in (True, False):
        for n, k in [(0, 3), (4, 2), (1, 1)]:
            size = n if first else k
            ref.equal("either_length", [first, n, k], (list(range(size)), [10 * x for x in range(size)]))
    for n, m in [(0, 2), (1, 0), (5, 4)]:
        total = sum(i * i for i in range(n))
        ref.equal("one_after_the_other", [n, m], list(range(total, total + m)))
    for p, n, m in [(1, 1, 1), (2, 3, 2), (4, 2, 5)]:
        parts = [[whole(rng, n) for _ in range(m)] for _ in range(p)]
        xs, i = [whole(rng, m) for _ in range(n)], rng.randrange(p)
        out = [part if k != i else [[2 * row[j] for row in xs] for j in range(m)] for k, part in enumerate(parts)]
        ref.equal("place_transposed", [parts, i, xs], out)
        row = whole(rng, n)
        rows = [whole(rng, n) for _ in range(p)]
        ref.equal("place_row", [rows, i, row], ([r if k != i else [x - 1 for x in row] for k, r in enumerate(rows)], sum(row) - n))
        long = whole(rng, 2 * n - 1)
        ref.equal("place_even", [rows, i, long], [r if k != i else [x**2 for x in long[::2]] for k, r in enumerate(rows)])
        ref.equal("joined", [row, long], [x + 1 for x in row] + [y + y + y for y in long])


if __name__ == "__main__":
    write(__file__, PROGRAMS)
