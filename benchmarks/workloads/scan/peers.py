import numpy as np
from peer import counted, hash_of, measure


def main(_, sizes):
    (n,) = sizes
    xs = hash_of(counted(n)) % 16 - 7
    measure("numpy", "np.cumsum", lambda: np.cumsum(xs))
