"""Anisotropic diffusion in numpy (all images at once) and numba (over images; within one for few)."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba

    steps, b, n, m = sizes
    rate = np.float32(0.5)
    middle = (np.abs(2 * np.arange(n) - n) < n // 2)[:, None] & (np.abs(2 * np.arange(m) - m) < m // 2)
    noise = (hash_of(counted(b * n * m)) % 64).astype(np.float32).reshape(b, n, m) / np.float32(128)
    images = np.where(middle, np.float32(3), np.float32(1)) + noise

    def whole_images():
        x = images
        f = np.float32
        for _ in range(steps):
            mean = x.mean(axis=(1, 2), dtype=np.float64)
            q = (((x * x).mean(axis=(1, 2), dtype=np.float64) - mean * mean) / (mean * mean)).astype(np.float32)[:, None, None]
            p = np.pad(x, ((0, 0), (1, 1), (1, 1)), mode="edge")
            up, down, left, right = p[:, :-2, 1:-1] - x, p[:, 2:, 1:-1] - x, p[:, 1:-1, :-2] - x, p[:, 1:-1, 2:] - x
            gradient = (up * up + down * down + left * left + right * right) / (x * x)
            laplacian = (up + down + left + right) / x
            scale = f(1) + f(0.25) * laplacian
            variation = (f(0.5) * gradient - f(0.0625) * laplacian * laplacian) / (scale * scale)
            c = np.clip(f(1) / (f(1) + (variation - q) / (q * (f(1) + q))), f(0), f(1))
            e = np.pad(c, ((0, 0), (0, 1), (0, 1)), mode="edge")
            x = x + f(0.25) * rate * (c * up + e[:, 1:, :-1] * down + c * left + e[:, :-1, 1:] * right)
        return x

    measure("numpy", "whole images", whole_images, tolerance=1e-5)

    @numba.njit(fastmath=True)
    def one_step(x, c, to):
        s, q = 0.0, 0.0
        for i in range(n):
            for j in range(m):
                s += x[i, j]
                q += x[i, j] * x[i, j]
        mean = s / (n * m)
        noise = np.float32((q / (n * m) - mean * mean) / (mean * mean))
        one, quarter = np.float32(1), np.float32(0.25)
        for i in range(n):
            for j in range(m):
                h = x[i, j]
                up, down = x[max(i - 1, 0), j] - h, x[min(i + 1, n - 1), j] - h
                left, right = x[i, max(j - 1, 0)] - h, x[i, min(j + 1, m - 1)] - h
                gradient = (up * up + down * down + left * left + right * right) / (h * h)
                laplacian = (up + down + left + right) / h
                scale = one + quarter * laplacian
                variation = (np.float32(0.5) * gradient - np.float32(0.0625) * laplacian * laplacian) / (scale * scale)
                c[i, j] = min(max(one / (one + (variation - noise) / (noise * (one + noise))), np.float32(0)), one)
        for i in range(n):
            for j in range(m):
                h, k = x[i, j], c[i, j]
                up, down = x[max(i - 1, 0), j] - h, x[min(i + 1, n - 1), j] - h
                left, right = x[i, max(j - 1, 0)] - h, x[i, min(j + 1, m - 1)] - h
                to[i, j] = h + quarter * rate * (k * up + c[min(i + 1, n - 1), j] * down + k * left + c[i, min(j + 1, m - 1)] * right)

    @numba.njit(parallel=True, fastmath=True)
    def loops():
        out = images.copy()
        for k in numba.prange(b):
            c, to = np.empty((n, m), dtype=np.float32), np.empty((n, m), dtype=np.float32)
            for _ in range(steps):
                one_step(out[k], c, to)
                out[k] = to
        return out

    measure("numba", "parallel over images", loops, tolerance=1e-5)
