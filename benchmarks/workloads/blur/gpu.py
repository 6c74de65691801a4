"""Blurring in CuPy: its correlation along each axis, with mirrored borders."""

import cupy as cp

from gpu_peer import counted, hash_of, measure


def main(words, sizes):
    import cupyx.scipy.ndimage as ndimage

    r, n, m = sizes
    j = counted(2 * r + 1)
    weights = ((1 + cp.minimum(j, 2 * r - j)) / (r + 1) ** 2).astype(cp.float32)
    image = ((hash_of(counted(n * m)) % 64).astype(cp.float32) / cp.float32(8)).reshape(n, m)

    def correlations():
        rows = ndimage.correlate1d(image, weights, axis=1, mode="reflect")
        return ndimage.correlate1d(rows, weights, axis=0, mode="reflect")

    measure("cupy", "correlate1d twice", correlations, tolerance=1e-5)
