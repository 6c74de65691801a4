"""Statistics of ragged rows with awkward-array, with numpy's reduceat, with polars, and with numba's loops."""

from peer import counted, hash_of, measure, package


def main(words, sizes):
    import awkward as ak
    import numba
    import numpy as np

    n = sizes[0]
    seed = hash_of(counted(n))
    lengths = sizes[1] // (1 + seed % sizes[1]) if words[0] == "power" else seed % 41
    off = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(counted(n), lengths)
    val = (hash_of((seed[row] + 7919 * (np.arange(off[-1]) - off[row])) % 2147483647) % 64).astype(np.float64) / 8.0
    parts = [lambda r, k=k: r[k] for k in range(5)]

    rows = ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(off), ak.contents.NumpyArray(val)))

    def with_awkward():
        fill = lambda xs, missing: ak.to_numpy(ak.fill_none(xs, missing))
        return (fill(ak.nan_to_num(ak.mean(rows, axis=1)), 0.0), fill(ak.nan_to_num(ak.var(rows, axis=1)), 0.0),
                fill(ak.min(rows, axis=1), 0.0), fill(ak.max(rows, axis=1), 0.0), fill(ak.argmax(rows, axis=1), -1))

    measure("awkward", "mean, var, min, max, argmax", with_awkward, *parts)

    @numba.njit(parallel=True)
    def loops(off, val):
        n = len(off) - 1
        mean, var, least, greatest = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
        place = np.full(n, -1)
        for r in numba.prange(n):
            lo, hi = off[r], off[r + 1]
            if hi > lo:
                s, a, b, at = 0.0, val[lo], val[lo], lo
                for q in range(lo, hi):
                    x = val[q]
                    s += x
                    if x < a:
                        a = x
                    if x > b:
                        b, at = x, q
                m, v = s / (hi - lo), 0.0
                for q in range(lo, hi):
                    v += (val[q] - m) ** 2
                mean[r], var[r], least[r], greatest[r], place[r] = m, v / (hi - lo), a, b, at - lo
        return mean, var, least, greatest, place

    measure("numba", "parallel loops", lambda: loops(off, val), *parts)

    pl = package("polars")
    if pl is None:
        return
    lists = pl.Series("rows", [0]).clear()
    frame = pl.DataFrame({"row": row, "val": val})
    lists = frame.group_by("row", maintain_order=True).agg(pl.col("val"))
    table = pl.DataFrame({"row": counted(n)}).join(lists, on="row", how="left", maintain_order="left")

    def with_polars():
        vs = pl.col("val").list
        out = table.select(vs.mean().fill_null(0.0).alias("a"), vs.var(ddof=0).fill_null(0.0).alias("b"),
                           vs.min().fill_null(0.0).alias("c"), vs.max().fill_null(0.0).alias("d"),
                           vs.arg_max().cast(pl.Int64).fill_null(-1).alias("e"))
        return [out[c].to_numpy() for c in "abcde"]

    measure("polars", "lists", with_polars, *parts)
