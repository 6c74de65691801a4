"""MD5 of many words with Python's hashlib, in one process and in several."""

import numpy as np

from peer import hash_of, measure


def digests(words):
    import hashlib

    return b"".join(hashlib.md5(w).digest() for w in words)


def main(words, sizes):
    import concurrent.futures
    import os

    n = sizes[0]
    i = np.arange(n)
    lengths = np.where(i % 64 == 63, 20 + hash_of(i) % 181, 4 + hash_of(i) % 8)
    off = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(i, lengths)
    text = (97 + hash_of(256 * row + np.arange(off[-1]) - off[row]) % 26).astype(np.uint8).tobytes()
    listed = [text[a:b] for a, b in zip(off[:-1].tolist(), off[1:].tolist())]
    wanted = {digests([listed[hash_of(k) % n]]) for k in range(4)}

    def result(data):
        if words[0] == "found":
            return [k for k in range(n) if data[16 * k:16 * k + 16] in wanted]
        return np.frombuffer(data, dtype="<u4").reshape(n, 4)

    parts = [] if words[0] == "found" else [lambda r, k=k: r[:, k] for k in range(4)]
    measure("hashlib", "one process", lambda: result(digests(listed)), *parts)
    cores = os.cpu_count()
    with concurrent.futures.ProcessPoolExecutor(cores) as pool:
        pieces = [listed[n * k // cores:n * (k + 1) // cores] for k in range(cores)]
        measure("hashlib", "a process per core", lambda: result(b"".join(pool.map(digests, pieces))), *parts)
