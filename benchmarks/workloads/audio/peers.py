"""Frames of a sound in numpy and scipy: all frames as one matrix of windows, transformed by rows."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import os

    import scipy.fft

    size, step, n = sizes
    i = counted(n)
    samples = 0.5 * np.sin(0.05 * i * (1.0 + 20.0 * (i / n))) + (hash_of(i) % 64 - 32) / 256.0
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(size) / size)

    def analysis(transform):
        frames = np.lib.stride_tricks.sliding_window_view(samples, size)[::step]
        z = transform(frames * window)
        power = z.real ** 2 + z.imag ** 2
        bands = np.stack([power[:, 1 << b:min(2 << b, power.shape[1])].sum(axis=1) for b in range(8)], axis=1)
        return np.sqrt(np.mean(frames * frames, axis=1)), 1 + power[:, 1:].argmax(axis=1), bands

    parts = [lambda r, k=k: r[k] for k in range(3)]
    measure("numpy", "rfft of all frames", lambda: analysis(np.fft.rfft), *parts, tolerance=1e-8)
    measure("scipy", "rfft of all frames, all cores", lambda: analysis(lambda x: scipy.fft.rfft(x, workers=os.cpu_count())), *parts, tolerance=1e-8)
