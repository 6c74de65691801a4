"""Binomial trees in numpy (all options of equal height at once, else one after the other) and numba."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba

    n, size = sizes
    stock, rate, volatility = 60.0, 0.03, 0.25
    strike, years = 40.0 + hash_of(counted(n)) % 320 / 8.0, 0.25 + hash_of(counted(n, 77)) % 32 / 16.0
    steps = np.full(n, size) if words[0] == "equal" else 8 + size // (1 + hash_of(counted(n, 777)) % 64)

    def many(k, strike, years):
        step = years / k
        spread = volatility * np.sqrt(step)
        up, down, growth = np.exp(spread), np.exp(-spread), np.exp(rate * step)
        p = (growth - down) / (up - down)
        paid = np.maximum(strike - stock * np.exp((np.arange(2 * k + 1) - k)[:, None] * spread), 0.0)
        a, b, v = p / growth, (1.0 - p) / growth, paid[::2]
        for t in range(k):
            v = np.maximum(a * v[1:] + b * v[:-1], paid[t + 1:2 * k - t:2])
        return v[0]

    def by_heights():
        out = np.empty(n)
        for k in np.unique(steps):
            for part in np.array_split(np.nonzero(steps == k)[0], 1 + np.sum(steps == k) * k // 100000):
                out[part] = many(k, strike[part], years[part])
        return out

    measure("numpy", "options of equal height together", by_heights)

    @numba.njit(parallel=True, fastmath=True)
    def loops():
        out = np.empty(n)
        for i in numba.prange(n):
            k = steps[i]
            step = years[i] / k
            spread = volatility * np.sqrt(step)
            up, down, growth = np.exp(spread), np.exp(-spread), np.exp(rate * step)
            p = (growth - down) / (up - down)
            a, b = p / growth, (1.0 - p) / growth
            paid = np.empty(2 * k + 1)
            for q in range(2 * k + 1):
                paid[q] = max(strike[i] - stock * np.exp((q - k) * spread), 0.0)
            v = paid[::2].copy()
            for t in range(k):
                for j in range(k - t):
                    v[j] = max(a * v[j + 1] + b * v[j], paid[2 * j + t + 1])
            out[i] = v[0]
        return out

    measure("numba", "parallel over options", loops)
