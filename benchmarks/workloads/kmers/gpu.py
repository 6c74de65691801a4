"""Pieces of DNA in CuPy: codes by windows, then bincount or unique."""

import cupy as cp

from gpu_peer import counted, first, hash_of, measure, repeated, second


def main(words, sizes):
    n, genome = sizes
    k = 8 if words[0] == "spectrum" else 21
    seed = hash_of(counted(n))
    lengths = hash_of(seed) % 200
    off, row, place = repeated(lengths)
    text = cp.asarray([65, 67, 84, 71], dtype=cp.uint8)[hash_of((seed[row] + place) % genome) % 4]
    del row, place

    def codes():
        digit = (text >> 1 & 3).astype(cp.int64)
        code = cp.zeros(len(text) - k + 1, cp.int64)
        for j in range(k):
            code = 4 * code + digit[j:len(text) - k + 1 + j]
        room = cp.maximum(0, lengths - k + 1)
        end = cp.cumsum(room)
        count = int(end[-1])
        row = cp.searchsorted(end, counted(count), side="right")
        return code[(off[:-1] - (end - room))[row] + counted(count)]

    if k == 8:
        measure("cupy", "codes by windows, bincount", lambda: cp.bincount(codes(), minlength=65536))
    else:
        measure("cupy", "codes by windows, unique", lambda: cp.unique(codes(), return_counts=True), first, second)
