import numpy as np
from peer import measure


def main(_, sizes):
    (n,) = sizes
    import numba

    @numba.njit(parallel=True)
    def loops(n):
        out = np.empty(n, np.int64)
        for i in numba.prange(n):
            x, steps = i + 1, 0
            while x != 1:
                x = x // 2 if x % 2 == 0 else 3 * x + 1
                steps += 1
            out[i] = steps
        return out

    measure("numba", "parallel loops", lambda: loops(n))
