"""Particles in boxes in numpy (a matrix of pairs for each box) and numba (loops)."""

import numpy as np

from peer import counted, hash_of, measure


def main(words, sizes):
    import numba

    side, n = sizes
    boxes = side ** 3
    i = counted(boxes)
    lengths = np.full(boxes, n) if words[0] == "equal" else hash_of(i + 77) % (2 * n + 1)
    off = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(i, lengths)
    seed = 5 * (1000 * row + np.arange(off[-1]) - off[row])
    v, x, y, z, q = ((k == 0) + hash_of(seed + k) % 64 / 64.0 for k in range(5))
    near = []
    for b in range(boxes):
        a = np.array([b // side // side, b // side % side, b % side])
        cells = [a + np.array([k // 9 - 1, k // 3 % 3 - 1, k % 3 - 1]) for k in range(27)]
        near.append([(c[0] * side + c[1]) * side + c[2] for c in cells if (c >= 0).all() and (c < side).all()])
    factor = 2.0 * 0.5 * 0.5

    def box_by_box():
        out = np.zeros((4, off[-1]))
        for b in range(boxes):
            a = slice(off[b], off[b + 1])
            o = np.concatenate([np.arange(off[k], off[k + 1]) for k in near[b]])
            distance = v[a, None] + v[o] - (x[a, None] * x[o] + y[a, None] * y[o] + z[a, None] * z[o])
            potential = q[o] * np.exp(-factor * distance)
            force = 2.0 * potential
            out[0, a] = potential.sum(axis=1)
            for k, w in enumerate((x, y, z)):
                out[k + 1, a] = (force * (w[a, None] - w[o])).sum(axis=1)
        return out

    columns = [lambda out, k=k: out[k] for k in range(4)]
    measure("numpy", "a matrix of pairs per box", box_by_box, *columns)
    near_off = np.concatenate([[0], np.cumsum([len(r) for r in near])])
    flat = np.concatenate([np.array(r, dtype=np.int64) for r in near])

    @numba.njit(parallel=True, fastmath=True)
    def loops():
        out = np.zeros((4, off[-1]))
        for b in numba.prange(boxes):
            for a in range(off[b], off[b + 1]):
                s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
                for k in range(near_off[b], near_off[b + 1]):
                    for o in range(off[flat[k]], off[flat[k] + 1]):
                        potential = q[o] * np.exp(-factor * (v[a] + v[o] - (x[a] * x[o] + y[a] * y[o] + z[a] * z[o])))
                        force = 2.0 * potential
                        s0 += potential
                        s1 += force * (x[a] - x[o])
                        s2 += force * (y[a] - y[o])
                        s3 += force * (z[a] - z[o])
                out[0, a], out[1, a], out[2, a], out[3, a] = s0, s1, s2, s3
        return out

    measure("numba", "parallel over boxes", loops, *columns)
