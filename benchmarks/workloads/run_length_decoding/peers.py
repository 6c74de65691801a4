"""Run-length decoding with numpy's repeat, with polars, and with numba's loops."""

from peer import counted, hash_of, measure, package


def main(words, sizes):
    import numba
    import numpy as np

    n = sizes[0]
    value = (hash_of(counted(n)) % 1000).astype(np.int32)
    seed = hash_of(counted(n, 77777777))
    size = sizes[1] // (1 + seed % sizes[1]) if words[0] == "power" else seed % 9
    measure("numpy", "repeat", lambda: np.repeat(value, size))

    @numba.njit(parallel=True)
    def loops(value, size):
        end = np.cumsum(size)
        out = np.empty(end[-1], np.int32)
        for r in numba.prange(len(value)):
            for k in range(end[r] - size[r], end[r]):
                out[k] = value[r]
        return out

    measure("numba", "cumsum and parallel fill", lambda: loops(value, size))

    pl = package("polars")
    if pl is None:
        return
    table = pl.DataFrame({"value": value, "size": size}).filter(pl.col("size") > 0)
    measure("polars", "repeat_by and explode", lambda: table.select(pl.col("value").repeat_by("size").explode())["value"].to_numpy())
