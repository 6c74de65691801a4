import numpy as np
from peer import counted, hash_of, measure


def sort_rows(n, m):
    rows = hash_of(counted(n * m)).reshape(n, m)
    measure("numpy", "np.sort of rows", lambda: np.sort(rows, axis=1))


def sort_one(n):
    xs = hash_of(counted(n))
    measure("numpy", "np.sort", lambda: np.sort(xs))


def main(words, sizes):
    {"rows": sort_rows, "one": sort_one}[words[0]](*sizes)
