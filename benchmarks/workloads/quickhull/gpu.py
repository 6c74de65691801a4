"""Convex hull in CuPy: all sides of a wave at once, points with the number of their side; the farthest of each side by scattered maxima."""

import cupy as cp

from gpu_peer import counted, hash_of, measure


def main(words, sizes):
    import cupyx

    n = sizes[0]
    if words[0] == "parabola":
        x = (hash_of(counted(n)) % sizes[1]).astype(cp.float64)
        y = x * x
    else:
        x, y = ((hash_of(counted(n, start)) % 1048576).astype(cp.float64) for start in (0, 77777777))

    def turn(ax, ay, bx, by, px, py):
        return (bx - ax) * (py - ay) - (by - ay) * (px - ax)

    def hull():
        at_left, at_right = x == x.min(), x == x.max()
        first = cp.argmin(cp.where(at_left, y, cp.inf))
        last = cp.argmax(cp.where(at_right, y, -cp.inf))
        ends = cp.stack([first, last])
        ax, ay, bx, by = x[ends], y[ends], x[ends[::-1]], y[ends[::-1]]
        side = turn(ax[0], ay[0], bx[0], by[0], x, y)
        points = cp.concatenate([cp.flatnonzero(side > 0), cp.flatnonzero(side < 0)])
        of = cp.concatenate([cp.zeros(int((side > 0).sum()), cp.int64), cp.ones(int((side < 0).sum()), cp.int64)])
        below = cp.asarray([False, True])
        found, lower = [], []
        while len(points) > 0:
            px, py = x[points], y[points]
            far = turn(ax[of], ay[of], bx[of], by[of], px, py)
            most = cp.full(len(ax), -cp.inf)
            cupyx.scatter_max(most, of, far)
            nearest = cp.full(len(ax), 2 ** 31 - 1, dtype=cp.int32)
            cupyx.scatter_min(nearest, of, cp.where(far == most[of], counted(len(points)), 2 ** 31 - 1).astype(cp.int32))
            full = nearest < 2 ** 31 - 1
            corner = points[cp.where(full, nearest, 0)]
            found.append(corner[full])
            lower.append(below[full])
            cx, cy = x[corner], y[corner]
            before = turn(ax[of], ay[of], cx[of], cy[of], px, py) > 0
            after = turn(cx[of], cy[of], bx[of], by[of], px, py) > 0
            keep = before | after
            # Each side becomes two, one behind the other.
            of = (2 * of + ~before)[keep]
            points = points[keep]
            ax, bx = cp.stack([ax, cx], axis=1).ravel(), cp.stack([cx, bx], axis=1).ravel()
            ay, by = cp.stack([ay, cy], axis=1).ravel(), cp.stack([cy, by], axis=1).ravel()
            below = cp.repeat(below, 2)
            # Sides without points are done.
            used = cp.zeros(len(ax), cp.bool_)
            used[of] = True
            of = (cp.cumsum(used) - 1)[of]
            ax, ay, bx, by, below = ax[used], ay[used], bx[used], by[used], below[used]
        corners = cp.concatenate(found) if found else cp.zeros(0, cp.int64)
        lower = cp.concatenate(lower) if found else cp.zeros(0, cp.bool_)
        up, down = corners[~lower], corners[lower]
        up = up[cp.lexsort(cp.stack([y[up], x[up]]))]
        down = down[cp.lexsort(cp.stack([y[down], x[down]]))][::-1]
        order = cp.concatenate([first[None], up, last[None], down])
        return x[order], y[order]

    measure("cupy", "waves of sides", hull, lambda r: r[0], lambda r: r[1])
