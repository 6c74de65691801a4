import numpy as np
from peer import counted, hash_of, measure


def main(_, sizes):
    n, _ = sizes
    import scipy.linalg

    m = (hash_of(counted(n * n)) % 64).astype(np.float64).reshape(n, n) / 64.0 + n * np.eye(n)
    measure("scipy", "lu_factor, its LAPACK", lambda: scipy.linalg.lu_factor(m)[0])
