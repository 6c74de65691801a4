"""Convex hull by sorting and two chains (Andrew)."""

from plain import case_and_sizes, hash_of, report


def chain(points, side):
    kept = []
    for x, y in points:
        while len(kept) > 1:
            (ax, ay), (bx, by) = kept[-2:]
            if side * ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) > 0:
                break
            kept.pop()
        kept.append((x, y))
    return kept


if __name__ == "__main__":
    case, sizes = case_and_sizes()
    if case == "parabola":
        xs = [hash_of(i) % sizes[1] for i in range(sizes[0])]
        points = [(x, x * x) for x in xs]
    else:
        points = [(hash_of(i) % 1048576, hash_of(i + 77777777) % 1048576) for i in range(sizes[0])]
    order = sorted(set(points))
    hull = chain(order, -1)[:-1] + chain(order[::-1], -1)[:-1]
    report([x for x, _ in hull], [y for _, y in hull])
