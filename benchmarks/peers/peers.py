"""The workloads in Python: numpy, scipy, numba, awkward-array; one line of JSON per way, as the C peers print.

    python peers.py NAME [WORDS…] [SIZES…]

The data are made by the formulas of the programs. A way is run twice to warm up (which also compiles what numba compiles), then until its
time is spent (PEER_SECONDS, default 1.5). A checksum is the count, the sum, and the sum in which element i counts 1 + i % 1021 times.
"""

import json
import os
import sys
import time

import numpy as np


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def counted(n, start=0):
    return np.arange(start, start + n, dtype=np.int64)


def eighths(i, below):
    return (hash_of(i) % below).astype(np.float64) / 8.0


def checksum(values):
    flat = np.asarray(values).reshape(-1).astype(np.float64)
    weights = (1 + np.arange(flat.size) % 1021).astype(np.float64)
    return {"count": int(flat.size), "sum": float(flat.sum()), "weighted": float((flat * weights).sum())}


def measure(peer, way, run, *results, tolerance=1e-9):
    """`results` take what `run` returned and give the arrays to compare; by default it is one array itself."""
    limit = float(os.environ.get("PEER_SECONDS", "1.5"))
    for _ in range(2):
        out = run()
    times, began = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - began < limit and len(times) < 1000):
        start = time.perf_counter()
        out = run()
        times.append(1e3 * (time.perf_counter() - start))
    times.sort()
    arrays = [pick(out) for pick in results] if results else [out]
    print(json.dumps({"peer": peer, "way": way, "median_ms": times[len(times) // 2], "least_ms": times[0],
                      "runs": len(times), "tolerance": tolerance, "checksums": [checksum(a) for a in arrays]}), flush=True)


def first(pair):
    return pair[0]


def second(pair):
    return pair[1]


def saxpy(n):
    xs = eighths(counted(n), 64).astype(np.float32)
    ys = eighths(counted(n, 77), 64).astype(np.float32)
    a = np.float32(1.5)
    measure("numpy", "a * xs + ys", lambda: a * xs + ys)


def dot(n):
    xs = ((hash_of(counted(n)) % 15 - 7).astype(np.float32)) / np.float32(8)
    ys = ((hash_of(counted(n, 77)) % 15 - 7).astype(np.float32)) / np.float32(8)
    measure("numpy", "np.dot, its BLAS", lambda: np.dot(xs, ys))


def black_scholes(n):
    import numba

    between = lambda low, high, i: low + (high - low) * ((hash_of(i) % 65536).astype(np.float64) / 65536.0)
    stock, strike = between(5.0, 30.0, counted(n)), between(1.0, 100.0, counted(n, 77))
    years = between(0.25, 10.0, counted(n, 777))
    rate, vol = 0.02, 0.3

    def below(d):
        k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
        poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * poly
        return np.where(d > 0.0, 1.0 - tail, tail)

    def whole_arrays():
        spread = vol * np.sqrt(years)
        d1 = (np.log(stock / strike) + (rate + 0.5 * vol * vol) * years) / spread
        now = strike * np.exp(-rate * years)
        n1, n2 = below(d1), below(d1 - spread)
        return stock * n1 - now * n2, now * (1.0 - n2) - stock * (1.0 - n1)

    measure("numpy", "whole arrays", whole_arrays, first, second)

    @numba.njit(fastmath=True)
    def one_below(d):
        k = 1.0 / (1.0 + 0.2316419 * abs(d))
        poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * poly
        return 1.0 - tail if d > 0.0 else tail

    @numba.njit(parallel=True, fastmath=True)
    def loops(stock, strike, years, rate, vol):
        call, put = np.empty(len(stock)), np.empty(len(stock))
        for i in numba.prange(len(stock)):
            spread = vol * np.sqrt(years[i])
            d1 = (np.log(stock[i] / strike[i]) + (rate + 0.5 * vol * vol) * years[i]) / spread
            now = strike[i] * np.exp(-rate * years[i])
            n1, n2 = one_below(d1), one_below(d1 - spread)
            call[i] = stock[i] * n1 - now * n2
            put[i] = now * (1.0 - n2) - stock[i] * (1.0 - n1)
        return call, put

    measure("numba", "parallel, fastmath", lambda: loops(stock, strike, years, rate, vol), first, second)


def repeated(lengths):
    """For every element of rows of these lengths: its row, and its place in the row."""
    off = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(np.arange(len(lengths)), lengths)
    return off, row, np.arange(off[-1]) - off[row]


def spmv(shape, *sizes):
    import scipy.sparse

    n = sizes[0] ** 3 if shape == "banded" else sizes[0]
    if shape == "banded":
        side = sizes[0]
        j = np.arange(27)
        step = (j // 9 - 1) * side * side + (j // 3 % 3 - 1) * side + j % 3 - 1
        i = counted(n)
        col = np.clip(i[:, None] + step[None, :], 0, n - 1).astype(np.int32).reshape(-1)
        val = ((i[:, None] + 5 * j[None, :]) % 64).astype(np.float64).reshape(-1) / 8.0
        off = np.arange(n + 1) * 27
    else:
        if shape == "power":
            lengths = 4 + sizes[1] // (1 + hash_of(counted(n)) % sizes[1])
        elif shape == "half_empty":
            lengths = np.where(hash_of(counted(n)) % 2 == 0, 0, 1 + hash_of(counted(n, 77777777)) % 79)
        else:
            lengths = np.full(n, sizes[1])
            lengths[n // 2] = sizes[2]
        off, row, j = repeated(lengths)
        at = (hash_of(row) + 7919 * j) % 2147483647
        col, val = (hash_of(at) % n).astype(np.int32), (at % 64).astype(np.float64) / 8.0
    v = eighths(counted(n, 5), 64)
    matrix = scipy.sparse.csr_matrix((val, col, off.astype(np.int32)), shape=(n, n), copy=False)
    measure("scipy", "csr_matrix @ vector", lambda: matrix @ v)


def ragged(n):
    import awkward as ak
    import numba

    seed = hash_of(counted(n))
    off, row, j = repeated(seed % 41)
    xs, limit = eighths((seed[row] + 7919 * j) % 2147483647, 64), 2.0

    @numba.njit(parallel=True)
    def loops(off, xs, limit):
        means, places = np.empty(len(off) - 1), np.empty(len(off) - 1, np.int64)
        for r in numba.prange(len(off) - 1):
            total, kept, best, top = 0.0, 0, -1, -np.inf
            for q in range(off[r], off[r + 1]):
                x = xs[q]
                if x > limit:
                    if x > top:
                        top, best = x, kept
                    total += x
                    kept += 1
            means[r] = total / kept if kept > 0 else 0.0
            places[r] = best
        return means, places

    measure("numba", "parallel loops", lambda: loops(off, xs, limit), first, second)
    rows = ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(off), ak.contents.NumpyArray(xs)))

    def whole_arrays():
        kept = rows[rows > limit]
        return ak.mean(kept, axis=1), ak.argmax(kept, axis=1)

    fill = lambda values, empty: ak.to_numpy(ak.fill_none(ak.nan_to_num(values, nan=empty), empty))
    measure("awkward", "mask, mean, argmax", whole_arrays, lambda r: fill(r[0], 0.0), lambda r: fill(r[1], -1))


def mandelbrot(n):
    import numba

    @numba.njit(parallel=True)
    def loops(n, bound):
        out = np.empty((n, n), np.int32)
        step = np.float32(2.5) / np.float32(n)
        for i in numba.prange(n):
            for j in range(n):
                cre, cim = np.float32(j) * step - np.float32(1.875), np.float32(i) * step - np.float32(1.25)
                re, im, steps = cre, cim, 0
                while steps < bound and re * re + im * im <= np.float32(4.0):
                    re, im = re * re - im * im + cre, np.float32(2.0) * re * im + cim
                    steps += 1
                out[i, j] = steps
        return out

    # Numba does not contract products and sums: pixels at the border of the set may take another step.
    measure("numba", "parallel loops", lambda: loops(n, 256), tolerance=2e-3)


def scan(n):
    xs = hash_of(counted(n)) % 16 - 7
    measure("numpy", "np.cumsum", lambda: np.cumsum(xs))


def histogram(n, bins):
    places = (hash_of(counted(n)) % bins).astype(np.int32)
    measure("numpy", "np.bincount", lambda: np.bincount(places, minlength=bins))


def sort(n):
    xs = (2 * hash_of(counted(n))).astype(np.uint32) ^ (hash_of(counted(n, 77)) % 65536).astype(np.uint32)
    measure("numpy", "np.sort", lambda: np.sort(xs))


def filtered(n, percent=0):
    if percent:
        return (100 - percent) / 8.0 - 0.0625, eighths(counted(n), 100)
    return 3.9375, eighths(counted(n), 64)


def keep(_, n, percent=0):
    limit, xs = filtered(n, percent)
    measure("numpy", "xs[xs > limit]", lambda: xs[xs > limit])


def filter_sum(_, n):
    limit, xs = filtered(n)
    measure("numpy", "xs[xs > limit].sum()", lambda: xs[xs > limit].sum())


def shares(_, n):
    limit, xs = filtered(n)

    def run():
        kept = xs[xs > limit]
        return kept / kept.sum()

    measure("numpy", "whole arrays", run)


def matmul(n):
    a = eighths(counted(n * n), 8).astype(np.float32).reshape(n, n)
    b = eighths(counted(n * n, 77), 8).astype(np.float32).reshape(n, n)
    measure("numpy", "a @ b, its BLAS", lambda: a @ b)


def trmv(n):
    import scipy.linalg.blas

    row = np.repeat(counted(n), counted(n, 1))
    at = row * n + np.arange(n * (n + 1) // 2) - row * (row + 1) // 2
    packed, v = eighths(at, 8).astype(np.float32), eighths(counted(n, 5), 8).astype(np.float32)
    # Packed by rows and lower is packed by columns and upper, transposed.
    measure("scipy", "BLAS stpmv", lambda: scipy.linalg.blas.stpmv(n, packed, v, lower=0, trans=1))


def jacobi(half, weight, n):
    import numba

    grid = eighths(counted(n * n), 64).astype(np.float32).reshape(n, n)
    weight = np.float32(weight)

    @numba.njit(parallel=True, fastmath=True)
    def loops(grid, half, weight):
        n = grid.shape[0]
        out = np.empty_like(grid)
        for i in numba.prange(n):
            for j in range(n):
                total = np.float32(0)
                if half <= i < n - half and half <= j < n - half:
                    for a in range(i - half, i + half + 1):
                        for b in range(j - half, j + half + 1):
                            total += grid[a, b]
                else:
                    for a in range(i - half, i + half + 1):
                        for b in range(j - half, j + half + 1):
                            total += grid[min(max(a, 0), n - 1), min(max(b, 0), n - 1)]
                out[i, j] = weight * total
        return out

    measure("numba", "parallel loops", lambda: loops(grid, half, weight))


def jacobi3(_, n):
    jacobi(1, 0.11111111, n)


def jacobi9(_, n):
    jacobi(4, 0.012345679, n)


def sort_rows(_, n, m):
    rows = hash_of(counted(n * m)).reshape(n, m)
    measure("numpy", "np.sort of rows", lambda: np.sort(rows, axis=1))


def sort_one(_, n):
    xs = hash_of(counted(n))
    measure("numpy", "np.sort", lambda: np.sort(xs))


def lu(n, _):
    import scipy.linalg

    m = (hash_of(counted(n * n)) % 64).astype(np.float64).reshape(n, n) / 64.0 + n * np.eye(n)
    measure("scipy", "lu_factor, its LAPACK", lambda: scipy.linalg.lu_factor(m)[0])


def collatz(n):
    import numba

    @numba.njit(parallel=True)
    def loops(n):
        out = np.empty(n, np.int64)
        for i in numba.prange(n):
            x, steps = i + 1, 0
            while x != 1:
                x = x // 2 if x % 2 == 0 else 3 * x + 1
                steps += 1
            out[i] = steps
        return out

    measure("numba", "parallel loops", lambda: loops(n))


def main():
    name, words = sys.argv[1], sys.argv[2:]
    globals()[name](*[int(w) if w.isdigit() else w for w in words])


main()
