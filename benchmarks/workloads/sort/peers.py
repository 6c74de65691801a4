import numpy as np
from peer import counted, hash_of, measure


def main(_, sizes):
    (n,) = sizes
    xs = (2 * hash_of(counted(n))).astype(np.uint32) ^ (hash_of(counted(n, 77)) % 65536).astype(np.uint32)
    measure("numpy", "np.sort", lambda: np.sort(xs))
