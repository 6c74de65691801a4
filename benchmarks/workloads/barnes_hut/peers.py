"""Forces after Barnes and Hut, written with numba. scipy and numpy have no such tree."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba
    import numpy as np

    n = sizes[0]
    u, v = hash_of(counted(n)) % 8192, hash_of(counted(n, 77777777)) % 8192
    if words[0] == "clustered":
        u, v = u * u // 8192 * u // 8192, v * v // 8192 * v // 8192
    xs, ys, ms = u / 8.0, v / 8.0, 1.0 + hash_of(counted(n, 55555)) % 8 / 8.0

    @numba.njit
    def build(xs, ys, ms):
        n = len(xs)
        order, spare = np.arange(n), np.empty(n, np.int64)
        tree, cells = np.zeros((20 * n + 64, 4)), np.ones(20 * n + 64, np.int64)
        # A stack of (first, last, left, low, side); a negative first closes the cell that it names.
        todo = [(0, n, 0.0, 0.0, 1024.0)]
        count = 0
        while len(todo) > 0:
            lo, hi, left, low, side = todo.pop()
            if lo < 0:
                cells[-1 - lo] = count - (-1 - lo)
                continue
            if lo == hi:
                continue
            m = x = y = 0.0
            for k in range(lo, hi):
                b = order[k]
                m += ms[b]
                x += ms[b] * xs[b]
                y += ms[b] * ys[b]
            own = count
            count += 1
            tree[own, 0], tree[own, 1], tree[own, 2] = x / m, y / m, m
            if hi - lo == 1 or side < 0.0625:
                continue
            tree[own, 3] = side
            half = side / 2
            ends = [lo, lo, lo, lo, lo]
            at = lo
            for part in range(4):
                for k in range(lo, hi):
                    b = order[k]
                    if (xs[b] >= left + half) + 2 * (ys[b] >= low + half) == part:
                        spare[at] = b
                        at += 1
                ends[part + 1] = at
            order[lo:hi] = spare[lo:hi]
            todo.append((-1 - own, 0, 0.0, 0.0, 0.0))
            for part in range(3, -1, -1):
                todo.append((ends[part], ends[part + 1], left + half * (part % 2), low + half * (part // 2), half))
        return tree[:count], cells[:count]

    @numba.njit(parallel=True)
    def walks(tree, cells, xs, ys):
        fx, fy = np.zeros(len(xs)), np.zeros(len(xs))
        for b in numba.prange(len(xs)):
            i = 0
            while i < len(tree):
                dx, dy, side = tree[i, 0] - xs[b], tree[i, 1] - ys[b], tree[i, 3]
                far = dx * dx + dy * dy
                if 4.0 * side * side < far or side == 0.0:
                    pull = tree[i, 2] / ((far + 0.01) * np.sqrt(far + 0.01))
                    fx[b] += pull * dx
                    fy[b] += pull * dy
                    i += cells[i]
                else:
                    i += 1
        return fx, fy

    def run():
        tree, cells = build(xs, ys, ms)
        return walks(tree, cells, xs, ys)

    measure("numba", "tree by one thread, parallel walks", run, lambda r: r[0], lambda r: r[1])
