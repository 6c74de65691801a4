"""Errors of the Heston model in numpy (quotes by points at once for each candidate) and numba (loops)."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba

    points, quotes, candidates = sizes
    part = lambda i: hash_of(i) % 64 / 128.0
    h = 64.0 / points
    u = (counted(points) + 0.5) * h
    q = counted(quotes)
    strike, years, price = 0.75 + part(q), 0.25 + 2.0 * part(q + 77), 0.5 * part(q + 777)
    c = 5 * counted(candidates)
    all_candidates = np.stack([1.0 + 2.0 * part(c), 0.04 + 0.1 * part(c + 1), 0.3 + part(c + 2), -0.8 + part(c + 3), 0.02 + 0.1 * part(c + 4)], axis=1)

    def whole_arrays():
        out = np.empty(candidates)
        shifted = np.exp(-1j * u[None, :] * np.log(strike)[:, None]) * (h / (u * u + 0.25))
        t = years[:, None]
        for i, (speed, level, wildness, rho, start) in enumerate(all_candidates):
            variance = wildness * wildness
            b = speed - 0.5 * rho * wildness - 1j * rho * wildness * u
            d = np.sqrt(b * b + variance * (u * u + 0.25))
            less = b - d
            g = less / (b + d)
            decay = np.exp(-t * d)
            rest = 1.0 - g * decay
            phi = np.exp(speed * level / variance * (t * less - 2.0 * np.log(rest / (1.0 - g))) + start / variance * less * (1.0 - decay) / rest)
            found = 1.0 - np.sqrt(strike) / np.pi * (shifted * phi).real.sum(axis=1)
            out[i] = np.sum((found - price) ** 2)
        return out

    measure("numpy", "quotes by points", whole_arrays, tolerance=1e-8)

    @numba.njit(parallel=True, fastmath=True)
    def loops():
        out = np.zeros((candidates, quotes))
        for k in numba.prange(candidates * quotes):
            i, j = k // quotes, k % quotes
            speed, level, wildness, rho, start = all_candidates[i, 0], all_candidates[i, 1], all_candidates[i, 2], all_candidates[i, 3], all_candidates[i, 4]
            variance, t, x, s = wildness * wildness, years[j], -np.log(strike[j]), 0.0
            for p in range(points):
                b = complex(speed - 0.5 * rho * wildness, -rho * wildness * u[p])
                d = np.sqrt(b * b + variance * (u[p] * u[p] + 0.25))
                less = b - d
                g = less / (b + d)
                decay = np.exp(-t * d)
                rest = 1.0 - g * decay
                phi = np.exp(speed * level / variance * (t * less - 2.0 * np.log(rest / (1.0 - g))) + start / variance * less * (1.0 - decay) / rest)
                s += h * (np.exp(complex(0.0, u[p] * x)) * phi).real / (u[p] * u[p] + 0.25)
            e = 1.0 - np.sqrt(strike[j]) / np.pi * s - price[j]
            out[i, j] = e * e
        return out.sum(axis=1)

    measure("numba", "parallel over pairs", loops, tolerance=1e-8)
