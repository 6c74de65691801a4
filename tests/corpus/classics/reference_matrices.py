"""Reference answers: matrices, signals, numbers and dynamic programs, by numpy and plain loops."""

import functools
import itertools
import math

import numpy as np
from cases import SIZES, eighths, grid, lengths, programs, whole
from literals import Record

PROGRAMS, program = programs()

# --- dense matrices -------------------------------------------------------------------------------------------------


@program
def matrix_product(ref, rng):
    for n, k, m in [(1, 1, 1), (2, 3, 4), (4, 2, 3), (3, 0, 2), (5, 5, 5)]:
        a, b = grid(rng, n, k), grid(rng, k, m)
        out = (np.array(a).reshape(n, k) @ np.array(b).reshape(k, m)).tolist()
        if k:
            ref.equal("by_dots", [a, b], out)
            ref.equal("by_outer", [a, b], out)
            ref.equal("by_columns", [a, b], out)
    for n, sizes in [(1, [1]), (4, [1, 2, 4]), (6, [2, 3])]:
        a, b = grid(rng, n, n), grid(rng, n, n)
        for size in sizes:
            ref.equal("by_blocks", [size, a, b], (np.array(a) @ np.array(b)))
    for n, e in [(1, 0), (1, 5), (2, 1), (2, 10), (3, 6), (3, 7), (2, 0)]:
        m = np.array([whole(rng, n, -3, 3) for _ in range(n)])
        ref.equal("power", [m, e], functools.reduce(np.matmul, [m] * e, np.eye(n, dtype=int)))
    # More points than are reduced side by side, and more than a tile holds.
    for n, k, m in [(6, 9, 11), (4, 40, 8), (13, 21, 7), (66, 2, 9)]:
        a, b = grid(rng, n, k), grid(rng, k, m)
        ref.equal("by_columns", [a, b], (np.array(a) @ np.array(b)))


@program
def strassen(ref, rng):
    for n in [0, 1, 2, 4, 8]:
        a, b = [whole(rng, n) for _ in range(n)], [whole(rng, n) for _ in range(n)]
        ref.equal("product", [a, b], (np.array(a, dtype=int).reshape(n, n) @ np.array(b, dtype=int).reshape(n, n)).tolist())
    ref.stops("product", [[[1, 2, 3]] * 3, [[1, 2, 3]] * 3], "T0907")


def regular(rng, n):
    """A matrix that elimination handles well, with zeros on its diagonal."""
    while True:
        m = np.array([[rng.randint(-9, 9) for _ in range(n)] for _ in range(n)], dtype=float)
        if n > 1:
            m[0, 0] = 0.0
        if n == 0 or abs(np.linalg.det(m)) > 1 and np.linalg.cond(m) < 100:
            return m


@program
def linear_systems(ref, rng):
    for n in [1, 2, 3, 5, 8]:
        m, v = regular(rng, n), np.array(eighths(rng, n))
        ref.close("solve", [m, v], np.linalg.solve(m, v))
        ref.close("inverse", [m], np.linalg.inv(m))
        ref.close("determinant", [m], float(np.linalg.det(m)))
    ref.equal("determinant", [[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 1.0]]], 0.0)


@program
def cholesky(ref, rng):
    for n in [1, 2, 3, 6]:
        a = np.array(grid(rng, n, n))
        m = a @ a.T + np.eye(n) * 4
        factor = np.linalg.cholesky(m)
        rows = [factor[i, : i + 1].tolist() for i in range(n)]
        ref.close("factor", [m], rows)
        b = np.array(eighths(rng, n))
        ref.close("solve", [rows, b], np.linalg.solve(factor @ factor.T, b))
        ref.close("square", [rows], factor @ factor.T)


@program
def gram_schmidt(ref, rng):
    for rows, n in [(1, 1), (3, 2), (4, 4), (6, 3)]:
        while True:
            m = np.array(grid(rng, rows, n))
            if np.linalg.cond(m) < 20:
                break
        q, r = np.linalg.qr(m)
        sign = np.sign(np.diag(r))
        q, r = q * sign, (r.T * sign).T
        columns = m.T.tolist()
        ref.close("orthonormal", [columns], q.T)
        ref.close("triangle", [columns], [r[: j + 1, j].tolist() for j in range(n)])
        ref.close("product", [columns], columns)


@program
def power_iteration(ref, rng):
    for n, steps in [(1, 1), (2, 3), (3, 0), (4, 5), (6, 2)]:
        a = np.array(grid(rng, n, n))
        m = a + a.T
        start = np.array(eighths(rng, n, 1, 8))
        v = start / np.linalg.norm(start)
        for _ in range(steps):
            v = m @ v / np.linalg.norm(m @ v)
        ref.close("dominant", [m, start, steps], (float(v @ m @ v), v.tolist()))
        m = a @ a.T + np.eye(n)
        v, old, count = start / np.linalg.norm(start), 0.0, 0
        while True:
            new, count = float(v @ m @ v), count + 1
            v = m @ v / np.linalg.norm(m @ v)
            if abs(new - old) <= 0.01:
                break
            old = new
        ref.equal("steps_needed", [m, start, 0.01], count)
    turning = [[0.0, 1.0], [2.0, 0.0]]
    ref.equal("steps_needed", [turning, [1.0, 0.5], -1.0], 1000)


# --- sparse matrices ------------------------------------------------------------------------------------------------


def sparse_rows(rng, n, m, most=4):
    """Rows of (column, value) with different ascending columns."""
    return [[(j, rng.randint(-8, 8) / 2) for j in sorted(rng.sample(range(m), min(k, m)))] for k in lengths(rng, n, most)]


def dense(rows, m):
    """The dense matrix of rows of (column, value)."""
    out = np.zeros((len(rows), m))
    for i, row in enumerate(rows):
        for j, x in row:
            out[i, j] += x
    return out


@program
def sparse_formats(ref, rng):
    for n, m in [(1, 1), (3, 4), (6, 5), (12, 9)]:
        rows, v = sparse_rows(rng, n, m), eighths(rng, m)
        out = (dense(rows, m) @ np.array(v)).tolist()
        triples = [(i, j, x) for i, row in enumerate(rows) for j, x in row]
        record = Record("rows", entries=rows)
        ref.equal("from_rows", [record, v], out)
        shuffled = rng.sample(triples, len(triples))
        ref.equal("from_coordinates", [Record("coordinates", height=n, entries=shuffled), v], out)
        starts = [sum(len(row) for row in rows[:i]) for i in range(n + 1)]
        compressed = Record("compressed", starts=starts, columns=[t[1] for t in triples], values=[t[2] for t in triples])
        ref.equal("compress", [record], compressed)
        ref.equal("from_compressed", [compressed, v], out)
        width = max(len(row) for row in rows)
        filled = [row + [(-1, 0.0)] * (width - len(row)) for row in rows]
        padded = Record("padded", columns=[[p[0] for p in row] for row in filled], values=[[p[1] for p in row] for row in filled])
        ref.equal("fill_up", [record], padded)
        ref.equal("from_padded", [padded, v], out)
        columns = [[(i, x) for i, k, x in triples if k == j] for j in range(m)]
        ref.equal("by_columns", [m, record], columns)
        ref.equal("from_columns", [n, columns, v], out)


@program
def sparse_matrix_product(ref, rng):
    for n, k, m in [(1, 1, 1), (3, 4, 2), (6, 5, 7), (10, 8, 6)]:
        a = [[(j, rng.randint(-3, 3)) for j, _ in row] for row in sparse_rows(rng, n, k)]
        b = [[(j, rng.randint(-3, 3)) for j, _ in row] for row in sparse_rows(rng, k, m)]
        product = (dense(a, k) @ dense(b, m)).astype(int).tolist()
        touched = (dense([[(j, 1) for j, _ in row] for row in a], k) @ dense([[(j, 1) for j, _ in row] for row in b], m)).tolist()
        out = [[(j, product[i][j]) for j in range(m) if touched[i][j]] for i in range(n)]
        ref.equal("product", [a, b], out)
        ref.equal("pruned", [out], [[(j, product[i][j]) for j in range(m) if product[i][j]] for i in range(n)])
        ref.equal("transposed", [k, a], [[(i, x) for i, row in enumerate(a) for c, x in row if c == j] for j in range(k)])


# --- signals --------------------------------------------------------------------------------------------------------


@program
def fourier(ref, rng):
    for n in [1, 2, 3, 4, 8, 16]:
        xs = list(zip(eighths(rng, n), eighths(rng, n)))
        z = np.array([complex(*x) for x in xs])
        ref.close("by_definition", [xs], [(c.real, c.imag) for c in np.fft.fft(z).tolist()])
        if n != 3:
            ref.close("transform", [xs], [(c.real, c.imag) for c in np.fft.fft(z).tolist()])
            ref.close("inverse", [xs], [(c.real, c.imag) for c in np.fft.ifft(z).tolist()])
    for n, m in [(0, 0), (0, 3), (1, 1), (2, 3), (4, 4), (5, 4), (9, 2)]:
        a, b = whole(rng, n, -99, 99), whole(rng, m, -99, 99)
        out = [0] * max(0, n + m - 1)
        for i, j in itertools.product(range(n), range(m)):
            out[i + j] += a[i] * b[j]
        ref.equal("multiply", [a, b], out)


@program
def convolution(ref, rng):
    for n, k in [(1, 1), (3, 2), (2, 3), (7, 4), (12, 5)]:
        xs, kernel = eighths(rng, n), eighths(rng, k)
        ref.equal("full", [kernel, xs], np.convolve(xs, kernel))
        ref.equal("by_shifts", [kernel, xs], np.convolve(xs, kernel))
    for h, w, p, q in [(1, 2, 1, 1), (3, 4, 3, 3), (5, 4, 1, 3), (4, 6, 5, 3), (6, 6, 3, 5)]:
        picture, kernel = grid(rng, h, w), grid(rng, p, q)

        def at(i, j):
            i = i if 0 <= i < h else (-1 - i if i < 0 else 2 * h - 1 - i)
            j = j if 0 <= j < w else (-1 - j if j < 0 else 2 * w - 1 - j)
            return picture[i][j]

        def filtered(kernel):
            return [[sum(kernel[a][b] * at(i + a - p // 2, j + b - q // 2) for a in range(p) for b in range(q)) for j in range(w)] for i in range(h)]

        ref.equal("filtered", [kernel, picture], filtered(kernel))
        column, row = eighths(rng, p, -2, 2), eighths(rng, q, -2, 2)
        ref.equal("separable", [column, row, picture], filtered([[c * r for r in row] for c in column]))


@program
def moving_average(ref, rng):
    for n in SIZES:
        xs = eighths(rng, n)
        for size in [1, 2, 4]:
            windows = [xs[i : i + size] for i in range(n - size + 1)]
            ref.equal("by_windows", [size, xs], [sum(w) / size for w in windows])
            ref.equal("by_prefix_sums", [size, xs], [sum(w) / size for w in windows])
            ref.equal("medians", [size, xs], [sorted(w)[size // 2] for w in windows])
            near = [[xs[j] for j in range(n) if abs(i - j) <= size] for i in range(n)]
            ref.close("centred", [size, xs], [sum(w) / len(w) for w in near])


@program
def smoothing(ref, rng):
    for n in SIZES:
        a, start, xs = rng.randint(1, 9) / 10, rng.randint(-8, 8) / 2, eighths(rng, n)
        out = [start * (1 - a) ** (i + 1) + sum(a * xs[j] * (1 - a) ** (i - j) for j in range(i + 1)) for i in range(n)]
        ref.close("by_scan", [a, start, xs], out)
        ref.close("by_loop", [a, start, xs], out)
        periods, balance, balances = list(zip([rng.randint(-2, 9) / 100 for _ in range(n)], eighths(rng, n))), start, []
        for rate, deposit in periods:
            balance = balance + balance * rate + deposit
            balances.append(balance)
        ref.close("balances", [start, periods], balances)


# --- numbers --------------------------------------------------------------------------------------------------------


@program
def sieve(ref, rng):
    def is_prime(n):
        return n > 1 and all(n % d for d in range(2, n))

    for n in [0, 1, 2, 3, 4, 5, 8, 9, 10, 24, 25, 26, 48, 49, 50, 121, 200]:
        ref.equal("primes", [n], [p for p in range(n + 1) if is_prime(p)])
        ref.equal("twins", [n], [(p, p + 2) for p in range(n - 1) if is_prime(p) and is_prime(p + 2)])
    ns = [rng.randrange(300) for _ in range(12)]
    ref.equal("prime_counts", [ns], [sum(is_prime(p) for p in range(n + 1)) for n in ns])


@program
def prime_factors(ref, rng):
    numbers = list(range(1, 41)) + [rng.randint(100, 3000) for _ in range(12)] + [49, 169, 1024, 2 * 997, 997]

    def split(n):
        for d in range(2, n + 1):
            if n % d == 0:
                return [d] + split(n // d)
        return []

    ref.equal("factors", [numbers], [split(n) for n in numbers])
    ref.equal("factor_powers", [numbers], [[(p, split(n).count(p)) for p in sorted(set(split(n)))] for n in numbers])
    small = numbers[:40]
    ref.equal("divisors", [small], [sorted({d for k in range(1, n + 1) if n % k == 0 for d in (k, n // k)}) for n in small])
    ref.equal("totients", [small], [sum(math.gcd(n, k) == 1 for k in range(1, n + 1)) for n in small])
    rows = [[rng.choice([6, 12, 18, 30, 7, 0]) * rng.randint(1, 9) for _ in range(k)] for k in lengths(rng, 12)]
    ref.equal("common_divisors", [rows], [math.gcd(*row) for row in rows])


@program
def pascal(ref, rng):
    for n in [0, 1, 2, 3, 8, 20]:
        rows = [[math.comb(i, j) for j in range(i + 1)] for i in range(n)]
        ref.equal("triangle", [n], rows)
        ref.equal("by_ratio", [n], rows)
        ref.equal("divisible", [n, 3], [[x % 3 == 0 for x in row] for row in rows])
        fib = [1, 1]
        while len(fib) < n:
            fib.append(fib[-1] + fib[-2])
        ref.equal("diagonal_sums", [n], fib[:n])


@program
def polynomials(ref, rng):
    for n in [0, 1, 2, 3, 6]:
        p, q, xs = eighths(rng, n, -3, 3), eighths(rng, max(0, n - 1), -3, 3), eighths(rng, 5, -2, 2)
        values = [sum(c * x**i for i, c in enumerate(p)) + 0.0 for x in xs]
        for entry in ["horner", "by_powers", "by_reduction"]:
            ref.equal(entry, [p, xs], values)
        size = max(len(p), len(q))
        total = np.array(p + [0.0] * (size - len(p))) + np.array(q + [0.0] * (size - len(q)))
        ref.equal("add", [p, q], total)
        ref.equal("add", [q, p], total)
        out = [0.0] * (len(p) + len(q) - 1) if p and q else []
        for i, j in itertools.product(range(len(p)), range(len(q))):
            out[i + j] += p[i] * q[j]
        ref.equal("multiply", [p, q], out)
        ref.equal("multiply", [q, p], out)
        ref.equal("derivative", [p], [i * c for i, c in enumerate(p)][1:])
        zeros = eighths(rng, n, -2, 2)
        ref.equal("from_zeros", [zeros], (np.poly(zeros)[::-1].tolist() if zeros else [1.0]))


@program
def recurrences(ref, rng):
    fib = [0, 1]
    while len(fib) < 100:
        fib.append(fib[-1] + fib[-2])
    for n, m in [(0, 5), (1, 5), (2, 3), (20, 1000), (60, 97), (5, 1)]:
        ref.equal("fibonacci", [n, m], [f % m for f in fib[:n]])
    for p, q, x0, x1, n, m in [(1, 1, 0, 1, 12, 1000), (2, -1, 3, 5, 7, 101), (3, 4, -2, 7, 15, 997), (-5, 2, 1, 1, 9, 50), (1, 2, 3, 4, 0, 9)]:
        xs = [x0, x1]
        for _ in range(n):
            xs.append(p * xs[-1] + q * xs[-2])
        ref.equal("second_order", [p, q, x0, x1, n, m], [x % m for x in xs[2:]])
    ks = [0, 1, 2, 3, 10, 31, 64, 99]
    ref.equal("far_fibonacci", [ks, 1000007], [fib[k] % 1000007 for k in ks])


@program
def xorshift(ref, rng):
    def next32(x):
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        return x ^ (x << 5 & 0xFFFFFFFF)

    def stars(x, n):
        out = []
        for _ in range(n):
            x ^= x << 13 & (2**64 - 1)
            x ^= x >> 7
            x ^= x << 17 & (2**64 - 1)
            out.append(x * 2685821657736338717 % 2**64)
        return out

    seeds = [rng.randrange(1, 2**32) for _ in range(6)]
    for steps in [0, 1, 2, 20]:
        out = list(seeds)
        for _ in range(steps):
            out = [next32(x) for x in out]
        ref.equal("after32", [seeds, steps], out)
    for n in SIZES:
        seed = rng.randrange(1, 2**63)
        ref.equal("stars", [seed, n], stars(seed, n))
        ref.equal("dice", [seed, n], [(x >> 33) % 6 + 1 for x in stars(seed, n)])
        keys = stars(seed, n)
        ref.equal("shuffled", [seed, n], sorted(range(n), key=lambda i: keys[i]))


@program
def newton(ref, rng):
    def solve(f, slope, x, tolerance):
        for steps in range(1, 51):
            delta = f(x) / slope(x)
            x -= delta
            if abs(delta) <= tolerance:
                break
        return x, steps

    cs = [0.125, 1.0, 2.0, 8.0, 30.0, 1000.0]
    for tolerance in [0.1, 1e-6]:
        ref.close("cube_roots", [tolerance, cs], [solve(lambda x: x**3 - c, lambda x: 3 * x**2, max(c, 1.0), tolerance) for c in cs])
        starts = eighths(rng, 5, -1, 3)
        ref.close("fixed_points", [tolerance, starts], [solve(lambda x: math.cos(x) - x, lambda x: -math.sin(x) - 1, s, tolerance) for s in starts])
    intervals = [(0.0, 4.0), (1.0, 2.5), (-8.0, 3.0)]
    for width, c in [(0.5, 8.0), (0.01, 5.0), (1e-9, 2.0)]:
        out = []
        for low, high in intervals:
            while high - low > width:
                middle = (low + high) / 2
                low, high = (middle, high) if middle**3 < c else (low, middle)
            out.append((low + high) / 2)
        ref.close("bisected", [width, c, intervals], out)


@program
def differential_equations(ref, rng):
    def pendulum(s):
        return np.array([s[1], -math.sin(s[0]) - 0.1 * s[1]])

    def animals(s):
        return np.array([1.5 * s[0] - s[0] * s[1], 0.5 * s[0] * s[1] - s[1]])

    def classic(f, h, s):
        a = f(s)
        b = f(s + h * a / 2)
        c = f(s + h * b / 2)
        d = f(s + h * c)
        return s + h * (a + 2 * b + 2 * c + d) / 6

    def record(s):
        return Record("state", a=float(s[0]), b=float(s[1]))

    starts = [eighths(rng, 2, -3, 3) for _ in range(4)]
    for h, steps in [(0.1, 0), (0.1, 1), (0.05, 10)]:
        slow, fast = [np.array(s) for s in starts], [np.array(s) for s in starts]
        for _ in range(steps):
            slow = [s + h * pendulum(s) for s in slow]
            fast = [classic(pendulum, h, s) for s in fast]
        ref.close("pendulum_euler", [h, steps, [record(s) for s in starts]], [record(s) for s in slow])
        ref.close("pendulum_runge_kutta", [h, steps, [record(s) for s in starts]], [record(s) for s in fast])
    tasks = [(eighths(rng, 2, 1, 4), k) for k in [0, 1, 4]]
    ways = []
    for s, k in tasks:
        way = [np.array(s)]
        for _ in range(k):
            way.append(classic(animals, 0.125, way[-1]))
        ways.append([record(s) for s in way])
    ref.close("animal_ways", [0.125, [(record(s), k) for s, k in tasks]], ways)


@program
def adaptive_integration(ref, rng):
    def integrate(f, a, b, tolerance):
        """Simpson's rule with a stack of intervals instead of recursion."""
        todo, total, count = [(a, b, tolerance)], [], 0
        while todo:
            a, b, t = todo.pop()
            xs = [a + (b - a) * k / 4 for k in range(5)]
            ys = [f(x) for x in xs]
            whole_rule = (b - a) / 6 * (ys[0] + 4 * ys[2] + ys[4])
            halves = (b - a) / 12 * (ys[0] + 4 * ys[1] + 2 * ys[2] + 4 * ys[3] + ys[4])
            if abs(halves - whole_rule) <= 15 * t:
                total.append(halves + (halves - whole_rule) / 15)
                count += 1
            else:
                todo += [(a, xs[2], t / 2), (xs[2], b, t / 2)]
        return math.fsum(total), count

    for tolerance in [1.0, 1e-2, 1e-4]:
        intervals = [(-1.0, 1.0), (0.0, 2.0), (3.0, 5.0), (-0.3, 0.7), (2.0, 2.0)]
        ref.close("peaks", [tolerance, intervals], [integrate(lambda x: 1 / (0.01 + x * x), a, b, tolerance) for a, b in intervals])
        ref.close("waves", [tolerance, intervals], [integrate(lambda x: x * math.sin(x), a, b, tolerance) for a, b in intervals])


@program
def mandelbrot(ref, rng):
    def escape(c, bound):
        z = c
        for k in range(bound):
            if abs(z) > 2:
                return k
            z = z * z + c
        return bound

    for bound, re, im, step, h, w in [(0, 0.0, 0.0, 1.0, 1, 2), (5, -2.0, -1.0, 0.5, 5, 6), (12, -1.75, -1.0, 0.25, 8, 11), (20, -0.5, 0.5, 0.125, 3, 7)]:
        times = [[escape(complex(re + j * step, im + i * step), bound) for j in range(w)] for i in range(h)]
        corner = Record("complex", re=re, im=im)
        ref.equal("picture", [bound, corner, step, h, w], times)
        ref.equal("profile", [bound, corner, step, h, w], [sum(row.count(k) for row in times) for k in range(bound + 1)])


@program
def game_of_life(ref, rng):
    for h, w, generations in [(1, 1, 1), (3, 3, 1), (4, 6, 2), (7, 5, 3), (6, 6, 0)]:
        board = [[rng.random() < 0.4 for _ in range(w)] for _ in range(h)]
        torus, flat = board, board
        for _ in range(generations):
            around = [[[torus[(i + a) % h][(j + b) % w] for a in (-1, 0, 1) for b in (-1, 0, 1)] for j in range(w)] for i in range(h)]
            torus = [[sum(c) == 3 or (sum(c) == 4 and c[4]) for c in row] for row in around]
            near = [[[flat[i + a][j + b] for a in (-1, 0, 1) for b in (-1, 0, 1) if (a or b) and 0 <= i + a < h and 0 <= j + b < w] for j in range(w)] for i in range(h)]
            flat = [[sum(near[i][j]) == 3 or (flat[i][j] and sum(near[i][j]) == 2) for j in range(w)] for i in range(h)]
        ref.equal("on_torus", [board, generations], torus)
        ref.equal("bounded", [board, generations], flat)


@program
def rule_110(ref, rng):
    for rule in [110, 90, 30, 0, 255, 184]:
        cells = [rng.randrange(2) for _ in range(9)]
        rows = [cells]
        for _ in range(4):
            bits = "0" + "".join(map(str, rows[-1])) + "0"
            rows.append([rule // 2 ** int(bits[i : i + 3], 2) % 2 for i in range(9)])
        ref.equal("history", [rule, cells, 4], rows)
    rows = [[0] * 11 + [1]]
    for _ in range(6):
        bits = "0" + "".join(map(str, rows[-1])) + "0"
        rows.append([110 // 2 ** int(bits[i : i + 3], 2) % 2 for i in range(12)])
    ref.equal("picture", [12, 6], ["".join(".#"[c] for c in row) for row in rows])


# --- dynamic programs -----------------------------------------------------------------------------------------------


def words(rng, n, letters=b"abc"):
    """A random word."""
    return bytes(rng.choice(letters) for _ in range(n))


@program
def levenshtein(ref, rng):
    @functools.cache
    def distance(a, b):
        if not a or not b:
            return len(a) + len(b)
        return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))

    for n in [0, 1, 2, 3, 7, 12]:
        pairs = [(words(rng, n), words(rng, k)) for k in [0, 1, n, n + 2, 2 * n]]
        ref.equal("distances", [pairs], [distance(a, b) for a, b in pairs])
    for _ in range(4):
        word, dictionary = words(rng, 5), [words(rng, k) for k in [3, 4, 5, 5, 6, 7]]
        best = [distance(word, other) for other in dictionary]
        ref.equal("suggestion", [word, dictionary], best.index(min(best)))


@program
def common_subsequence(ref, rng):
    def longest(a, b):
        """By trying all subsequences of the first word, from the longest."""
        for k in range(len(a), -1, -1):
            for part in itertools.combinations(a, k):
                rest = iter(b)
                if all(c in rest for c in part):
                    return k
        return 0

    cases = [(b"ab", b"ba"), (b"ba", b"ab"), (b"abcbdab", b"bdcaba"), (b"aba", b"bab"), (b"abcabc", b"cbacba")]
    for n, m in [(0, 0), (0, 3), (3, 0), (1, 1), (3, 4), (6, 5), (9, 9)]:
        cases.append((words(rng, n), words(rng, m)))
    for a, b in cases:
        n, m = len(a), len(b)
        rows = [[longest(a[:i], b[:j]) for j in range(m + 1)] for i in range(n + 1)]
        ref.equal("table", [a, b], rows)
        i, j, found = n, m, []
        while i and j:
            if a[i - 1] == b[j - 1]:
                i, j, found = i - 1, j - 1, [a[i - 1]] + found
            elif rows[i - 1][j] >= rows[i][j - 1]:
                i -= 1
            else:
                j -= 1
        ref.equal("subsequence", [a, b], bytes(found))
        ref.equal("lengths", [[(a, b), (b, a)]], [rows[n][m], rows[n][m]])


@program
def knapsack(ref, rng):
    for n, capacity in [(0, 3), (1, 4), (3, 7), (6, 12), (8, 15)]:
        things = [(rng.randint(1, 6), rng.randint(1, 12)) for _ in range(n)]
        records = [Record("thing", weight=w, value=v) for w, v in things]
        subsets = [s for k in range(n + 1) for s in itertools.combinations(range(n), k)]

        def value(limit, upto):
            return max(sum(things[i][1] for i in s) for s in subsets if all(i < upto for i in s) and sum(things[i][0] for i in s) <= limit)

        ref.equal("best", [capacity, records], [value(c, n) for c in range(capacity + 1)])
        room, taken = capacity, []
        for i in reversed(range(n)):
            if value(room, i + 1) > value(room, i):
                taken, room = [i] + taken, room - things[i][0]
        ref.equal("selection", [capacity, records], taken)

        @functools.cache
        def many(limit):
            return max([0] + [v + many(limit - w) for w, v in things if w <= limit])

        ref.equal("unlimited", [capacity, records], [many(c) for c in range(capacity + 1)])
    for total, coins in [(0, [1]), (7, [2]), (10, [1, 2, 5]), (25, [5, 10, 1]), (12, [3, 7, 4])]:
        counts = sum(1 for ks in itertools.product(*[range(total // c + 1) for c in coins]) if sum(k * c for k, c in zip(ks, coins)) == total)
        ref.equal("ways", [total, coins], counts)
