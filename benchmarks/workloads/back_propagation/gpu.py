"""A training step in CuPy: cuBLAS for the product, whole matrices for the rest; and with the update as one kernel."""

import cupy as cp

from gpu_peer import counted, each, hash_of, measure


def main(words, sizes):
    n, h = sizes
    f = cp.float32
    target = f(0.1)
    x = (hash_of(counted(n)) % 16 - 8).astype(f) / f(8192)
    weights = ((hash_of(counted(n * h)) % 64 - 32).astype(f) / f(64)).reshape(n, h)
    changes = ((hash_of(counted(n * h, 77)) % 64 - 32).astype(f) / f(1024)).reshape(n, h)
    outwards = (hash_of(counted(h, 777)) % 16 - 8).astype(f) / f(64)
    sigmoid = lambda v: f(1) / (f(1) + cp.exp(-v))

    def blamed(sums):
        hidden = sigmoid(sums)
        out = sigmoid(hidden @ outwards)
        error = out * (f(1) - out) * (target - out)
        return hidden * (f(1) - hidden) * error * outwards, error

    def matrices():
        blame, error = blamed(x @ weights)
        changed = cp.outer(f(0.3) * x, blame) + f(0.3) * changes
        return weights + changed, changed, error

    measure("cupy", "matrices", matrices, *each(3), tolerance=1e-5)
    updated = cp.ElementwiseKernel("float32 x, float32 blame, float32 old, float32 weight", "float32 moved, float32 changed",
                                   "changed = 0.3f * x * blame + 0.3f * old; moved = weight + changed;", "updated")

    def one_kernel():
        blame, error = blamed(x @ weights)
        return *updated(x[:, None], blame[None, :], changes, weights), error

    measure("cupy", "cuBLAS, then one kernel", one_kernel, *each(3), tolerance=1e-5)
