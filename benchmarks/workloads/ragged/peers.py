import numpy as np
from peer import counted, eighths, first, hash_of, measure, repeated, second


def main(_, sizes):
    (n,) = sizes
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
