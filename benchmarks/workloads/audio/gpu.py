"""Frames of a sound in CuPy: all frames as one matrix of windows, transformed by rows with cuFFT."""

import cupy as cp

from gpu_peer import counted, each, hash_of, measure


def main(words, sizes):
    size, step, n = sizes
    i = counted(n)
    samples = 0.5 * cp.sin(0.05 * i * (1.0 + 20.0 * (i / n))) + (hash_of(i) % 64 - 32) / 256.0
    window = 0.5 - 0.5 * cp.cos(2.0 * cp.pi * counted(size) / size)

    def analysis():
        frames = cp.lib.stride_tricks.as_strided(samples, ((n - size) // step + 1, size), (8 * step, 8))
        z = cp.fft.rfft(frames * window)
        power = z.real ** 2 + z.imag ** 2
        bands = cp.stack([power[:, 1 << b:min(2 << b, power.shape[1])].sum(axis=1) for b in range(8)], axis=1)
        return cp.sqrt(cp.mean(frames * frames, axis=1)), 1 + power[:, 1:].argmax(axis=1), bands

    measure("cupy", "cuFFT of all frames", analysis, *each(3), tolerance=1e-8)
