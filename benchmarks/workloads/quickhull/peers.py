"""Convex hull with scipy (Qhull), and with numpy's whole arrays in a recursion."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import numpy as np
    import scipy.spatial

    n = sizes[0]
    if words[0] == "parabola":
        x = (hash_of(counted(n)) % sizes[1]).astype(np.float64)
        points = np.stack([x, x * x], axis=1)
    else:
        points = np.stack([hash_of(counted(n)) % 1048576, hash_of(counted(n, 77777777)) % 1048576], axis=1).astype(np.float64)
    columns = (lambda hull: hull[:, 0], lambda hull: hull[:, 1])

    def turn(a, b, p):
        return (b[0] - a[0]) * (p[:, 1] - a[1]) - (b[1] - a[1]) * (p[:, 0] - a[0])

    def corners(a, b, p):
        if len(p) == 0:
            return []
        far = p[np.argmax(turn(a, b, p))]
        return corners(a, far, p[turn(a, far, p) > 0]) + [far] + corners(far, b, p[turn(far, b, p) > 0])

    def recursion():
        order = np.lexsort((points[:, 1], points[:, 0])) if n < 1000 else None
        if order is None:
            low, high = points[:, 0].min(), points[:, 0].max()
            left, right = points[points[:, 0] == low], points[points[:, 0] == high]
            first, last = left[left[:, 1].argmin()], right[right[:, 1].argmax()]
        else:
            first, last = points[order[0]], points[order[-1]]
        side = turn(first, last, points)
        return np.array([first] + corners(first, last, points[side > 0]) + [last] + corners(last, first, points[side < 0]))

    measure("numpy", "recursion over whole arrays", recursion, *columns)

    def qhull():
        hull = points[scipy.spatial.ConvexHull(points).vertices][::-1]
        return np.roll(hull, -np.lexsort((hull[:, 1], hull[:, 0]))[0], axis=0)

    if words[0] == "square":
        measure("scipy", "ConvexHull", qhull, *columns)
