"""A prefix tree of sorted words in numba: three passes in parallel. numpy has no way to say it but letter by letter over all words."""

import numpy as np

from peer import hash_of, measure


def main(words, sizes):
    import numba

    n = sizes[0]
    i = np.arange(n)
    is_long = words[0] == "long_words"
    departs = hash_of(i) % 160 if is_long else np.zeros(n, dtype=np.int64)
    lengths = departs + 1 + hash_of(i + 77) % 40 if is_long else 4 + hash_of(i) % 8
    off = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(i, lengths)
    j = np.arange(off[-1]) - off[row]
    letters = 26 if is_long else sizes[1]
    loose = (97 + np.where(j < departs[row], hash_of(j) % 26, hash_of(256 * row + j) % letters)).astype(np.uint8).tobytes()
    listed = sorted(loose[a:b] for a, b in zip(off[:-1].tolist(), off[1:].tolist()))
    text = np.frombuffer(b"".join(listed), dtype=np.uint8)
    off = np.concatenate([[0], np.cumsum([len(w) for w in listed])])

    @numba.njit(parallel=True)
    def passes():
        known = np.zeros(n, dtype=np.int64)
        for i in numba.prange(1, n):
            a, b = off[i - 1], off[i]
            most, k = min(b - a, off[i + 1] - b), 0
            while k < most and text[a + k] == text[b + k]:
                k += 1
            known[i] = k
        first = np.zeros(n + 1, dtype=np.int64)
        for i in range(n):
            first[i + 1] = first[i] + off[i + 1] - off[i] - known[i]
        letter, above, depth = np.empty(first[n], dtype=np.uint8), np.empty(first[n], dtype=np.int64), np.empty(first[n], dtype=np.int64)
        for i in numba.prange(n):
            k, j = known[i], i - 1
            while j > 0 and known[j] >= k:
                j -= 1
            up = first[j] + k - 1 - known[j] if k > 0 else -1
            at = first[i]
            for d in range(k, off[i + 1] - off[i]):
                letter[at], above[at], depth[at] = text[off[i] + d], up, d
                up = at
                at += 1
        return letter, above, depth

    measure("numba", "three passes", passes, *[lambda r, k=k: r[k] for k in range(3)])
