import numpy as np
from peer import measure


def main(_, sizes):
    (n,) = sizes
    import numba

    @numba.njit(parallel=True)
    def loops(n, bound):
        out = np.empty((n, n), np.int32)
        step = np.float32(2.5) / np.float32(n)
        for i in numba.prange(n):
            for j in range(n):
                cre, cim = np.float32(j) * step - np.float32(1.875), np.float32(i) * step - np.float32(1.25)
                re, im, steps = cre, cim, 0
                while steps < bound and re * re + im * im <= np.float32(4.0):
                    re, im = re * re - im * im + cre, np.float32(2.0) * re * im + cim
                    steps += 1
                out[i, j] = steps
        return out

    # Numba does not contract products and sums: pixels at the border of the set may take another step.
    measure("numba", "parallel loops", lambda: loops(n, 256), tolerance=2e-3)
