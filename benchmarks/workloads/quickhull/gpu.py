"""Convex hull in CuPy. The first sides, of many points each, one after the other; then all sides of a wave at once, points with the number of
their side, and the farthest of each side by scattered maxima. The hull is kept in its order: a corner is put in behind the one that its side begins with."""

import cupy as cp

from gpu_peer import counted, first, hash_of, measure, second

ALONE = 4  # levels
NONE = 2 ** 31 - 1


def main(words, sizes):
    n = sizes[0]
    if words[0] == "parabola":
        x = (hash_of(counted(n)) % sizes[1]).astype(cp.float64)
        y = x * x
    else:
        x, y = ((hash_of(counted(n, start)) % 1048576).astype(cp.float64) for start in (0, 77777777))
    turn = cp.ElementwiseKernel("float64 ax, float64 ay, float64 bx, float64 by, float64 px, float64 py", "float64 out",
                                "out = (bx - ax) * (py - ay) - (by - ay) * (px - ax)", "turn")

    def left_of(a, b, points):
        kept = cp.flatnonzero(turn(*a, *b, *points) > 0)
        return points[0][kept], points[1][kept]

    def alone(sides):
        for a, b, points in sides:
            if len(points[0]) == 0:
                yield a, b, points
                continue
            far = turn(*a, *b, *points).argmax()
            corner = points[0][far], points[1][far]
            yield a, corner, left_of(a, corner, points)
            yield corner, b, left_of(corner, b, points)

    def hull():
        left, right = x.min(), x.max()
        least, greatest = (left, y[x == left].min()), (right, y[x == right].max())
        sides = [(least, greatest, left_of(least, greatest, (x, y))), (greatest, least, left_of(greatest, least, (x, y)))]
        for _ in range(ALONE):
            sides = list(alone(sides))
        lengths = [len(points[0]) for _, _, points in sides]
        hx, hy = (cp.stack([a[k] for a, _, _ in sides]) for k in (0, 1))
        px, py = (cp.concatenate([points[k] for _, _, points in sides]) for k in (0, 1))
        of = cp.repeat(counted(len(sides)), lengths)
        while len(of) > 0:
            ax, ay, bx, by = hx[of], hy[of], cp.roll(hx, -1)[of], cp.roll(hy, -1)[of]
            # Distances are above 0, where the order of numbers is that of their bits; and whole numbers have an instruction.
            far = turn(ax, ay, bx, by, px, py).view(cp.uint64)
            most = cp.zeros(len(hx), cp.uint64)
            cp.maximum.at(most, of, far)
            top = cp.flatnonzero(far == most[of]).astype(cp.int32)
            place = cp.full(len(hx), NONE, cp.int32)
            cp.minimum.at(place, of[top], top)
            split = place < NONE
            halved = cp.flatnonzero(split)
            corner_at = place[halved]
            # Behind each side that is halved there is one more.
            moved = counted(len(hx)) + cp.cumsum(split.astype(cp.int64)) - split
            new_x, new_y = (cp.empty(len(hx) + len(halved)) for _ in range(2))
            new_x[moved], new_y[moved] = hx, hy
            new_x[moved[halved] + 1], new_y[moved[halved] + 1] = px[corner_at], py[corner_at]
            corner = place[of]
            cx, cy = px[corner], py[corner]
            before = turn(ax, ay, cx, cy, px, py) > 0
            kept = cp.flatnonzero(before | (turn(cx, cy, bx, by, px, py) > 0))
            of, px, py, hx, hy = (moved[of] + ~before)[kept], px[kept], py[kept], new_x, new_y
        return hx, hy

    measure("cupy", "waves of sides", hull, first, second)
