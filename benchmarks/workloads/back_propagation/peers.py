"""A training step in numpy (its BLAS and whole matrices) and numba."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba

    n, h = sizes
    f = np.float32
    target = f(0.1)
    x = (hash_of(counted(n)) % 16 - 8).astype(f) / f(8192)
    weights = ((hash_of(counted(n * h)) % 64 - 32).astype(f) / f(64)).reshape(n, h)
    changes = ((hash_of(counted(n * h, 77)) % 64 - 32).astype(f) / f(1024)).reshape(n, h)
    outwards = (hash_of(counted(h, 777)) % 16 - 8).astype(f) / f(64)
    sigmoid = lambda v: f(1) / (f(1) + np.exp(-v))

    def blamed(sums):
        hidden = sigmoid(sums)
        out = sigmoid(hidden @ outwards)
        error = out * (f(1) - out) * (target - out)
        return hidden * (f(1) - hidden) * error * outwards, error

    def matrices():
        blame, error = blamed(x @ weights)
        changed = np.outer(f(0.3) * x, blame) + f(0.3) * changes
        return weights + changed, changed, error

    parts = [lambda r, k=k: r[k] for k in range(3)]
    measure("numpy", "matrices", matrices, *parts, tolerance=1e-5)

    @numba.njit(parallel=True, fastmath=True)
    def update(blame):
        moved, changed = np.empty_like(weights), np.empty_like(weights)
        for i in numba.prange(n):
            for j in range(h):
                c = f(0.3) * blame[j] * x[i] + f(0.3) * changes[i, j]
                changed[i, j] = c
                moved[i, j] = weights[i, j] + c
        return moved, changed

    def loops():
        blame, error = blamed(x @ weights)
        return *update(blame), error

    measure("numba", "numpy's product, then parallel loops", loops, *parts, tolerance=1e-5)
