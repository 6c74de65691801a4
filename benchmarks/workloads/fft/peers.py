import numpy as np
from peer import counted, hash_of, measure


def main(_, sizes):
    import scipy.fft

    n, m = sizes
    i = counted(n * m * m)
    part = lambda i: ((hash_of(i) % 8).astype(np.float32)) / np.float32(8)
    images = (part(i) + 1j * part(i + 3)).astype(np.complex64).reshape(n, m, m)
    parts = (lambda out: out.real, lambda out: out.imag)
    measure("scipy", "fft2, all threads", lambda: scipy.fft.fft2(images, workers=-1), *parts, tolerance=1e-4)
