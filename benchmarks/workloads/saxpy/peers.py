import numpy as np
from peer import counted, eighths, measure


def main(_, sizes):
    (n,) = sizes
    xs = eighths(counted(n), 64).astype(np.float32)
    ys = eighths(counted(n, 77), 64).astype(np.float32)
    a = np.float32(1.5)
    measure("numpy", "a * xs + ys", lambda: a * xs + ys)
