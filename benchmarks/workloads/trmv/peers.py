import numpy as np
from peer import counted, eighths, measure


def main(_, sizes):
    (n,) = sizes
    import scipy.linalg.blas

    row = np.repeat(counted(n), counted(n, 1))
    at = row * n + np.arange(n * (n + 1) // 2) - row * (row + 1) // 2
    packed, v = eighths(at, 8).astype(np.float32), eighths(counted(n, 5), 8).astype(np.float32)
    # Packed by rows and lower is packed by columns and upper, transposed.
    measure("scipy", "BLAS stpmv", lambda: scipy.linalg.blas.stpmv(n, packed, v, lower=0, trans=1))
