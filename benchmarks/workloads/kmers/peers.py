"""Pieces of DNA with numpy's windows, bincount and unique, and with numba's loops."""

from peer import counted, hash_of, measure, package


def main(words, sizes):
    import numba
    import numpy as np

    n, genome = sizes
    k = 8 if words[0] == "spectrum" else 21
    seed = hash_of(counted(n))
    lengths = hash_of(seed) % 200
    off = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(counted(n), lengths)
    text = np.frombuffer(b"ACTG", np.uint8)[hash_of((seed[row] + np.arange(off[-1]) - off[row]) % genome) % 4]

    def codes():
        digit = (text >> 1 & 3).astype(np.int64)
        code = np.zeros(len(text) - k + 1, np.int64)
        for j in range(k):
            code = 4 * code + digit[j:len(text) - k + 1 + j]
        room = np.maximum(0, lengths - k + 1)
        starts = np.repeat(off[:-1] - (np.cumsum(room) - room), room)
        return code[starts + np.arange(room.sum())]

    @numba.njit(parallel=True)
    def rolled(off, text, k):
        n = len(off) - 1
        room = np.zeros(n + 1, np.int64)
        for r in numba.prange(n):
            room[r + 1] = max(0, off[r + 1] - off[r] - k + 1)
        place = np.cumsum(room)
        out = np.empty(place[n], np.int64)
        for r in numba.prange(n):
            code = 0
            for q in range(off[r], off[r + 1]):
                code = (code << 2 | (text[q] >> 1 & 3)) & ((1 << 2 * k) - 1)
                if q - off[r] >= k - 1:
                    out[place[r] + q - off[r] - k + 1] = code
        return out

    if k == 8:
        measure("numpy", "codes by windows, bincount", lambda: np.bincount(codes(), minlength=65536))
        measure("numba", "rolled codes, bincount", lambda: np.bincount(rolled(off, text, k), minlength=65536))

        @numba.njit(parallel=True)
        def spectrum(off, text, parts):
            n, out = len(off) - 1, np.zeros((parts, 65536), np.int64)
            for part in numba.prange(parts):
                for r in range(n * part // parts, n * (part + 1) // parts):
                    code = 0
                    for q in range(off[r], off[r + 1]):
                        code = (code << 2 | (text[q] >> 1 & 3)) & 65535
                        if q - off[r] >= 7:
                            out[part, code] += 1
            return out.sum(axis=0)

        measure("numba", "a histogram per thread", lambda: spectrum(off, text, numba.get_num_threads()))
        return
    picks = (lambda r: r[0], lambda r: r[1])
    measure("numpy", "codes by windows, unique", lambda: np.unique(codes(), return_counts=True), *picks)
    measure("numba", "rolled codes, numpy's unique", lambda: np.unique(rolled(off, text, k), return_counts=True), *picks)

    pl = package("polars")
    if pl is None:
        return
    measure("polars", "numba's codes, value_counts, sort",
            lambda: pl.DataFrame({"c": rolled(off, text, k)}).group_by("c").len().sort("c"),
            lambda t: t["c"].to_numpy(), lambda t: t["len"].to_numpy())
