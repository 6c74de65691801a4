"""Scores of alignments in numba (over pairs) and numpy (a row of one pair at a time, by an accumulated maximum)."""

import numpy as np

from peer import hash_of, measure


def main(words, sizes):
    import numba

    b, n = sizes
    k = np.arange(b)
    equal = words[0] == "equal"
    lengths = [np.full(b, n) if equal else hash_of(k + s) % (n + 1) for s in (0, 77)]
    made = []
    for which, size in enumerate(lengths):
        off = np.concatenate([[0], np.cumsum(size)])
        row = np.repeat(k, size)
        at = 5000 * row + np.arange(off[-1]) - off[row]
        if which:
            at = np.where(hash_of(at + 777) % 8 == 0, at + 7777, at)
        made.append((off, (hash_of(at) % 4).astype(np.uint8)))
    (xoff, xs), (yoff, ys) = made

    def rows():
        out = np.empty(b, dtype=np.int32)
        for p in range(b):
            x, y = xs[xoff[p]:xoff[p + 1]], ys[yoff[p]:yoff[p + 1]]
            steps = np.arange(len(y) + 1, dtype=np.int32)
            row = -steps
            cells = np.empty_like(row)
            for i in range(len(x)):
                cells[0] = -i - 1
                cells[1:] = np.maximum(row[:-1] + np.where(y == x[i], np.int32(3), np.int32(-1)), row[1:] - 1) + steps[1:]
                row = np.maximum.accumulate(cells) - steps
            out[p] = row[-1]
        return out

    measure("numpy", "row by row", rows)

    @numba.njit(parallel=True)
    def loops():
        out = np.empty(b, dtype=np.int32)
        for p in numba.prange(b):
            x, y = xs[xoff[p]:xoff[p + 1]], ys[yoff[p]:yoff[p + 1]]
            row = -np.arange(len(y) + 1)
            for i in range(len(x)):
                across = row[0]
                row[0] = -i - 1
                for j in range(1, len(y) + 1):
                    cell = max(across + (3 if x[i] == y[j - 1] else -1), max(row[j], row[j - 1]) - 1)
                    across, row[j] = row[j], cell
            out[p] = row[len(y)]
        return out

    measure("numba", "parallel over pairs", loops)
