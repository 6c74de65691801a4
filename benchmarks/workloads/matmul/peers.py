import numpy as np
from peer import counted, eighths, measure


def main(_, sizes):
    (n,) = sizes
    a = eighths(counted(n * n), 8).astype(np.float32).reshape(n, n)
    b = eighths(counted(n * n, 77), 8).astype(np.float32).reshape(n, n)
    measure("numpy", "a @ b, its BLAS", lambda: a @ b)
