"""Integrals by recursion, written with numba: neither numpy nor scipy cuts many intervals at once, each as far as it needs."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba
    import numpy as np

    n = sizes[0]
    h = hash_of(counted(n))
    even = words[0] == "even"
    middle = h % 1024 / 1024.0 + (0.0 if even else 0.0001)
    width = np.full(n, 0.0009765625) if even else np.where(h // 1024 % 50 == 0, 0.000001, 1.0)

    @numba.njit
    def height(m, w, x):
        return 1.0 / ((x - m) * (x - m) + w)

    @numba.njit(parallel=True)
    def loops(middle, width, tolerance):
        out, pieces = np.zeros(len(middle)), np.zeros(len(middle), np.int64)
        for p in numba.prange(len(middle)):
            m, w = middle[p], width[p]
            stack = np.empty((128, 6))
            stack[0] = (0.0, 1.0, height(m, w, 0.0), height(m, w, 0.5), height(m, w, 1.0), tolerance)
            top = 1
            while top > 0:
                top -= 1
                lo, hi, f, g, e, tol = stack[top]
                c, size = (lo + hi) / 2, hi - lo
                a, b = height(m, w, (lo + c) / 2), height(m, w, (c + hi) / 2)
                whole = size / 6 * (f + 4 * g + e)
                both = size / 12 * (f + 4 * a + 2 * g + 4 * b + e)
                if abs(both - whole) <= 15 * tol:
                    out[p] += both + (both - whole) / 15
                    pieces[p] += 1
                else:
                    stack[top] = (c, hi, g, b, e, tol / 2)
                    stack[top + 1] = (lo, c, f, a, g, tol / 2)
                    top += 2
        return out, pieces

    measure("numba", "an own stack, parallel", lambda: loops(middle, width, 0.000001 if even else 0.0001), lambda r: r[0], lambda r: r[1])
