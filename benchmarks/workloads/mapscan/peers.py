import numpy as np
from peer import counted, hash_of, measure


def main(_, sizes):
    n, m = sizes
    rows = (hash_of(counted(n * m)) % 15 - 7).astype(np.int32).reshape(n, m)
    measure("numpy", "np.cumsum of rows", lambda: np.cumsum(rows, axis=1, dtype=np.int32))
