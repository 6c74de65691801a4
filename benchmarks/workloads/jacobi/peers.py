import numpy as np
from peer import counted, eighths, measure


def jacobi(half, weight, n):
    import numba

    grid = eighths(counted(n * n), 64).astype(np.float32).reshape(n, n)
    weight = np.float32(weight)

    @numba.njit(parallel=True, fastmath=True)
    def loops(grid, half, weight):
        n = grid.shape[0]
        out = np.empty_like(grid)
        for i in numba.prange(n):
            for j in range(n):
                total = np.float32(0)
                if half <= i < n - half and half <= j < n - half:
                    for a in range(i - half, i + half + 1):
                        for b in range(j - half, j + half + 1):
                            total += grid[a, b]
                else:
                    for a in range(i - half, i + half + 1):
                        for b in range(j - half, j + half + 1):
                            total += grid[min(max(a, 0), n - 1), min(max(b, 0), n - 1)]
                out[i, j] = weight * total
        return out

    measure("numba", "parallel loops", lambda: loops(grid, half, weight))


def main(words, sizes):
    (n,) = sizes
    jacobi(*{"3x3": (1, 0.11111111), "9x9": (4, 0.012345679)}[words[0]], n)
