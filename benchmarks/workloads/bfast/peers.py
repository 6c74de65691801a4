"""Breaks in time series in numpy (all normal equations at once, gaps by weights) and numba (over series)."""

import numpy as np

from peer import counted, first, hash_of, measure, second


def main(words, sizes):
    import numba

    m, n = sizes
    history, boundary, k = n // 2, 1.5, 8
    t = np.arange(n)
    angle = lambda j: 2.0 * np.pi * (j // 2) * t / 23.0
    x = np.stack([np.ones(n), t / n] + [np.cos(angle(j)) if j % 2 else np.sin(angle(j)) for j in range(2, k)], axis=1)
    h = hash_of(counted(m * n)).reshape(m, n)
    risen = (np.arange(m)[:, None] % 3 == 0) & (t > 3 * n // 4)
    series = np.where(h % 8 < 3, np.nan, 2.0 + x[:, 2] + h // 8 % 64 / 64.0 + risen)

    def whole_arrays():
        there = ~np.isnan(series)
        y, w = np.where(there, series, 0.0), there.astype(np.float64)
        past = there[:, :history].sum(axis=1)
        normal = (w[:, :history] @ (x[:history, :, None] * x[:history, None, :]).reshape(history, k * k)).reshape(m, k, k)
        fit = np.linalg.solve(normal, (y[:, :history] @ x[:history])[:, :, None])[:, :, 0]
        r = (y - fit @ x.T) * w
        deviation = np.sqrt((r[:, :history] ** 2).sum(axis=1) / (past - k))
        # Values that are there come first, in order.
        order = np.argsort(~there, axis=1, kind="stable")
        seen = there.sum(axis=1)
        sums = np.concatenate([np.zeros((m, 1)), np.cumsum(np.take_along_axis(r, order, axis=1), axis=1)], axis=1)
        place = np.arange(n)[None, :]
        low = np.clip(place + 1 - (past // 4)[:, None], 0, n)
        moving = (sums[:, 1:] - np.take_along_axis(sums, low, axis=1)) / (deviation * np.sqrt(past))[:, None]
        inside = (place >= past[:, None]) & (place < seen[:, None])
        beyond = inside & (np.abs(moving) > boundary * np.sqrt(np.maximum(1.0, np.log((place + 1) / past[:, None]))))
        where = np.where(beyond.any(axis=1), np.take_along_axis(order, beyond.argmax(axis=1)[:, None], axis=1)[:, 0], -1)
        return where, np.where(inside, moving, 0.0).sum(axis=1) / np.maximum(seen - past, 1)

    measure("numpy", "all series at once", whole_arrays, first, second, tolerance=1e-8)

    @numba.njit(parallel=True, fastmath={"reassoc", "contract", "arcp"})
    def loops():
        when, means = np.empty(m, dtype=np.int64), np.empty(m)
        for s in numba.prange(m):
            ys = series[s]
            at, seen, past = np.empty(n, dtype=np.int64), 0, 0
            a, b = np.zeros((k, k)), np.zeros(k)
            for q in range(n):
                if not np.isnan(ys[q]):
                    at[seen] = q
                    seen += 1
                    if q < history:
                        past += 1
                        for i in range(k):
                            b[i] += x[q, i] * ys[q]
                            for j in range(k):
                                a[i, j] += x[q, i] * x[q, j]
            fit = np.linalg.solve(a, b)
            sums, squares = np.zeros(seen + 1), 0.0
            for q in range(seen):
                r = ys[at[q]]
                for i in range(k):
                    r -= x[at[q], i] * fit[i]
                if q < past:
                    squares += r * r
                sums[q + 1] = sums[q] + r
            scale = 1.0 / (np.sqrt(squares / (past - k)) * np.sqrt(past))
            total, width = 0.0, past // 4
            when[s] = -1
            for q in range(past, seen):
                moving = (sums[q + 1] - sums[q + 1 - width]) * scale
                total += moving
                if when[s] < 0 and abs(moving) > boundary * np.sqrt(max(1.0, np.log((q + 1) / past))):
                    when[s] = at[q]
            means[s] = total / (seen - past) if seen > past else 0.0
        return when, means

    measure("numba", "parallel over series", loops, first, second, tolerance=1e-8)
