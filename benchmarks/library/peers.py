"""Functions of numpy and scipy that do what functions of the library do, on the same data: `peers.py sorted 1000000`."""

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
from peer import counted, first, hash_of, measure, repeated, second


def unit(i):
    return hash_of(i) / 2147483647.0


def eighth(i):
    return (hash_of(i) % 17 - 8) / 8.0


def table(n, at):
    return eighth(at(counted(n)[:, None], counted(n)[None, :]))


def heavy(n):
    return 2.0 * n * np.eye(n)


def sorted_(n):
    xs = unit(counted(n))
    measure("numpy", "sort", lambda: np.sort(xs))


def order(n):
    xs = unit(counted(n))
    measure("numpy", "argsort, stable", lambda: np.argsort(xs, kind="stable"))


def greatest(n):
    xs = unit(counted(n))
    measure("numpy", "partition and sort", lambda: np.sort(np.partition(xs, n - 100)[n - 100:])[::-1])


def distinct(n):
    xs = hash_of(counted(n)) % 100000
    measure("numpy", "unique", lambda: np.unique(xs))


def groups(n):
    xs = hash_of(counted(n)) % 100000

    def run():
        keys = xs % 1000
        by = np.argsort(keys, kind="stable")
        ordered = keys[by]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        return ordered[starts], xs[by]

    measure("numpy", "argsort and starts", run, first, second)


def runs(n):
    xs = np.repeat(hash_of(counted(n)) % 5, 1 + hash_of(counted(n)) % 8)

    def run():
        starts = np.flatnonzero(np.concatenate([[True], xs[1:] != xs[:-1]]))
        return xs[starts], np.diff(np.append(starts, len(xs)))

    measure("numpy", "flatnonzero and diff", run, first, second)


def places(n):
    xs, wanted = counted(n) / float(n), unit(counted(n))
    measure("numpy", "searchsorted", lambda: np.searchsorted(xs, wanted))


def common(n):
    a, b = 3 * counted(n) + hash_of(counted(n)) % 3, 5 * counted(n) + hash_of(counted(n, 7)) % 5
    measure("numpy", "intersect1d, assume_unique", lambda: np.intersect1d(a, b, assume_unique=True))


def quantiles(n):
    xs = unit(counted(n))
    measure("numpy", "quantile", lambda: np.quantile(xs, [0.1, 0.25, 0.5, 0.75, 0.9]))


def histogram(n):
    xs = unit(counted(n))
    measure("numpy", "histogram", lambda: np.histogram(xs, 256, (0.0, 1.0))[0])


def correlation(n):
    xs, ys = unit(counted(n)), unit(counted(n)) + unit(counted(n, n))
    measure("numpy", "corrcoef", lambda: np.corrcoef(xs, ys)[0, 1])


def product(n):
    a, b = table(n, lambda i, j: i * n + j), table(n, lambda i, j: i + j * n)
    measure("numpy", "matmul", lambda: a @ b)


def solution(n):
    a, b = table(n, lambda i, j: i * n + j) + heavy(n), eighth(counted(n))
    measure("numpy", "linalg.solve", lambda: np.linalg.solve(a, b))


def cholesky(n):
    a = table(n, lambda i, j: np.minimum(i, j) * n + np.maximum(i, j)) + heavy(n)
    measure("numpy", "linalg.cholesky", lambda: np.linalg.cholesky(a))


def transform(n):
    xs = eighth(counted(n)) + 1j * eighth(counted(n, n))
    parts = lambda z: z.real, lambda z: z.imag
    measure("numpy", "fft.fft", lambda: np.fft.fft(xs), *parts, tolerance=1e-7)
    measure("scipy", "fft.fft, all cores", lambda: scipy.fft.fft(xs, workers=-1), *parts, tolerance=1e-7)


def csr(n):
    k = counted(8 * n)
    rows, columns = (hash_of(k) % n).astype(np.int32), (hash_of(k + 13) % n).astype(np.int32)
    values = eighth(k)

    def run():
        m = scipy.sparse.coo_array((values, (rows, columns)), shape=(n, n)).tocsr()
        m.sum_duplicates()
        return m

    measure("scipy", "coo_array.tocsr", run, lambda m: m.indptr, lambda m: m.indices, lambda m: m.data)


def applied(n):
    _, row, at = repeated(hash_of(counted(n)) % 16)
    columns, values = hash_of(16 * row + at) % n, eighth(16 * row + at)
    m, v = scipy.sparse.csr_array((values, (row, columns)), shape=(n, n)), eighth(counted(n))
    measure("scipy", "csr_array times vector", lambda: m @ v)


def words(n):
    i = counted(n)
    letters = 97 + hash_of(i + 1) % 26
    spaces = np.where(hash_of(i + 3) % 9 == 0, 10, 32)
    s = np.where(hash_of(i) % 6 == 0, spaces, letters).astype(np.uint8).tobytes()
    measure("python", "bytes.split", s.split, lambda parts: np.frombuffer(b"".join(parts), np.uint8))


def numbers(n):
    lines = np.char.mod(b"%.3f", (hash_of(counted(n)) % 2000000 - 1000000) / 1000.0)
    together = b"\n".join(lines.tolist())
    measure("numpy", "astype", lambda: lines.astype(np.float64))
    measure("numpy", "fromstring", lambda: np.fromstring(together.decode(), sep="\n"))


def graph(n, lengths, ends):
    _, row, at = repeated(lengths)
    return scipy.sparse.csr_array((np.ones(len(row)), (row, ends(row, at))), shape=(n, n))


def components(n):
    def ends(i, j):
        return np.minimum(n - 1, i // 1000 * 1000 + (i % 1000 + 1 + hash_of(4 * i + j) % 40) % 1000)

    m = graph(n, hash_of(counted(n)) % 3, ends)

    def least(found):
        _, starts, which = np.unique(found[1], return_index=True, return_inverse=True)
        return starts[which]

    measure("scipy", "connected_components", lambda: scipy.sparse.csgraph.connected_components(m, directed=False), least)


def distances(n):
    m = graph(n, 1 + hash_of(counted(n)) % 7, lambda i, j: hash_of(8 * i + j) % n)

    def run():
        order, before = scipy.sparse.csgraph.breadth_first_order(m, 0)
        steps = np.full(n, -1, np.int64)
        steps[0] = 0
        # Fronts lie one behind the other in the order, so whole ones can be done at once.
        done = 1
        while done < len(order):
            end = done + np.searchsorted(steps[before[order[done:]]] < 0, True)
            steps[order[done:end]] = steps[before[order[done:end]]] + 1
            done = end
        return steps

    measure("scipy", "breadth_first_order", run)


def main(words_, sizes):
    name = words_[0]
    globals()[name if name != "sorted" else "sorted_"](*sizes)
