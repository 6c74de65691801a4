"""Shapes with holes: areas with awkward-array and numba, covered places with numpy and numba."""

from peer import counted, hash_of, measure


def data(n):
    import numpy as np

    seed = hash_of(counted(n))
    rings = 1 + seed // 1024 % 4
    ring_of = np.concatenate([[0], np.cumsum(rings)])
    shape = np.repeat(counted(n), rings)
    r = np.arange(ring_of[-1]) - ring_of[shape]
    s = seed[shape]
    size = np.where(r == 0, 3 + hash_of(s + 1) % 38, 3 + hash_of((s + r) % 2147483647) % 6)
    corner = np.concatenate([[0], np.cumsum(size)])
    ring = np.repeat(np.arange(len(size)), size)
    j = np.arange(corner[-1]) - corner[ring]
    s, r, size = s[ring], r[ring], size[ring]
    far = np.where(r == 0, 16.0 + hash_of((s + 31 * j) % 2147483647) % 16, 3.0)
    t = 8.0 * np.where(r == 0, j, size - 1 - j) / size
    dx = np.select([t < 2, t < 4, t < 6], [t - 1, 1.0, 5 - t], -1.0)
    dy = np.select([t < 2, t < 4, t < 6], [-1.0, t - 3, 1.0], 7 - t)
    x = s % 1024 + np.floor(far * dx * 8) / 8 + 6.0 * np.maximum(0, r - 1)
    y = hash_of(s) % 1024 + np.floor(far * dy * 8) / 8
    return ring_of, corner, x, y


def main(words, sizes):
    import numba
    import numpy as np

    n = sizes[0]
    ring_of, corner, x, y = data(n)
    last = corner[1:] - 1
    after = np.arange(1, len(x) + 1)
    after[last] = corner[:-1]

    if words[0] == "areas":
        import awkward as ak

        def column(v):
            inner = ak.contents.ListOffsetArray(ak.index.Index64(corner), ak.contents.NumpyArray(v))
            return ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(ring_of), inner))

        xs, ys = column(x), column(y)

        def with_awkward():
            u = ak.concatenate([xs[..., 1:], xs[..., :1]], axis=2)
            v = ak.concatenate([ys[..., 1:], ys[..., :1]], axis=2)
            return ak.to_numpy(0.5 * ak.sum(ak.sum(xs * v - u * ys, axis=2), axis=1))

        measure("awkward", "three levels", with_awkward)

        @numba.njit(parallel=True)
        def loops(ring_of, corner, x, y):
            area = np.zeros(len(ring_of) - 1)
            for s in numba.prange(len(area)):
                twice = 0.0
                for r in range(ring_of[s], ring_of[s + 1]):
                    j = corner[r + 1] - 1
                    for i in range(corner[r], corner[r + 1]):
                        twice += x[j] * y[i] - x[i] * y[j]
                        j = i
                area[s] = 0.5 * twice
            return area

        measure("numba", "parallel loops", lambda: loops(ring_of, corner, x, y))
        return

    m = sizes[1]
    px, py = hash_of(counted(m)) % 4096 / 4.0 + 0.0625, hash_of(counted(m, 99999)) % 4096 / 4.0 + 0.0625
    starts = corner[ring_of[:-1]]
    x2, y2 = x[after], y[after]

    def with_numpy():
        out = np.zeros(m, np.int64)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (x2 - x) / (y2 - y)
            for p in range(m):
                v = py[p]
                crossed = ((y > v) != (y2 > v)) & (px[p] < x + slope * (v - y))
                out[p] = (np.add.reduceat(crossed, starts, dtype=np.int64) % 2).sum()
        return out

    if m <= 20000:
        measure("numpy", "a place at a time", with_numpy)

    @numba.njit(parallel=True, error_model="numpy")
    def all_places(ring_of, corner, x, y, px, py):
        out = np.zeros(len(px), np.int64)
        for p in numba.prange(len(px)):
            u, v = px[p], py[p]
            for s in range(len(ring_of) - 1):
                odd = False
                for r in range(ring_of[s], ring_of[s + 1]):
                    j = corner[r + 1] - 1
                    for i in range(corner[r], corner[r + 1]):
                        if (y[j] > v) != (y[i] > v) and u < x[j] + (x[i] - x[j]) * (v - y[j]) / (y[i] - y[j]):
                            odd = not odd
                        j = i
                out[p] += odd
        return out

    measure("numba", "parallel loops", lambda: all_places(ring_of, corner, x, y, px, py))
