"""Breaks in time series in CuPy: all normal equations at once, gaps by weights."""

import cupy as cp

from gpu_peer import counted, first, hash_of, measure, second


def main(words, sizes):
    m, n = sizes
    history, boundary, k = n // 2, 1.5, 8
    t = counted(n)
    angle = lambda j: 2.0 * cp.pi * (j // 2) * t / 23.0
    x = cp.stack([cp.ones(n), t / n] + [cp.cos(angle(j)) if j % 2 else cp.sin(angle(j)) for j in range(2, k)], axis=1)
    h = hash_of(counted(m * n)).reshape(m, n)
    risen = (counted(m)[:, None] % 3 == 0) & (t > 3 * n // 4)
    series = cp.where(h % 8 < 3, cp.nan, 2.0 + x[:, 2] + h // 8 % 64 / 64.0 + risen)
    del h, risen

    def whole_arrays():
        there = ~cp.isnan(series)
        y, w = cp.where(there, series, 0.0), there.astype(cp.float64)
        past = there[:, :history].sum(axis=1)
        normal = (w[:, :history] @ (x[:history, :, None] * x[:history, None, :]).reshape(history, k * k)).reshape(m, k, k)
        fit = cp.linalg.solve(normal, (y[:, :history] @ x[:history])[:, :, None])[:, :, 0]
        r = (y - fit @ x.T) * w
        deviation = cp.sqrt((r[:, :history] ** 2).sum(axis=1) / (past - k))
        # Gaps add nothing to a running sum, so that the sum up to a value is found by its place among those that are there.
        seen, rank = there.sum(axis=1), cp.cumsum(there, axis=1)
        order = cp.zeros((m, n + 1), dtype=cp.int64)
        rows = counted(m)[:, None]
        order[cp.broadcast_to(rows, there.shape)[there], rank[there]] = cp.broadcast_to(t, there.shape)[there]
        sums = cp.concatenate([cp.zeros((m, 1)), cp.cumsum(r, axis=1)], axis=1)
        low = cp.clip(rank - (past // 4)[:, None], 0, n)
        before = cp.where(low > 0, cp.take_along_axis(order, low, axis=1) + 1, 0)
        moving = (sums[:, 1:] - cp.take_along_axis(sums, before, axis=1)) / (deviation * cp.sqrt(past))[:, None]
        inside = there & (rank > past[:, None])
        beyond = inside & (cp.abs(moving) > boundary * cp.sqrt(cp.maximum(1.0, cp.log(cp.maximum(rank, 1) / past[:, None]))))
        where = cp.where(beyond.any(axis=1), beyond.argmax(axis=1), -1)
        return where, cp.where(inside, moving, 0.0).sum(axis=1) / cp.maximum(seen - past, 1)

    measure("cupy", "all series at once", whole_arrays, first, second, tolerance=1e-8)
