"""Cholesky's factors in CuPy: cuSOLVER, one matrix or a batch."""

import cupy as cp

from gpu_peer import counted, hash_of, measure


def main(words, sizes):
    many = words[0] == "many"
    b, n = sizes if many else (1, sizes[0])
    i, j = counted(n)[:, None], counted(n)[None, :]
    place = cp.maximum(i, j) * n + cp.minimum(i, j)
    given = hash_of(counted(b)[:, None, None] * (n * n) + place) % 64 / 64.0 + n * cp.eye(n)
    matrices = given if many else given[0]
    measure("cupy", "linalg.cholesky, cuSOLVER", lambda: cp.linalg.cholesky(matrices))
