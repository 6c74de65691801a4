import numpy as np
from peer import counted, hash_of, measure


def main(_, sizes):
    import numba

    (n,) = sizes
    unit = lambda k: ((hash_of(4 * counted(n) + k) % 4096).astype(np.float32)) / np.float32(4096)
    x, y, z, mass = unit(0), unit(1), unit(2), unit(3)

    @numba.njit(parallel=True, fastmath=True)
    def loops(x, y, z, mass):
        out = np.empty((3, len(x)), np.float32)
        for i in numba.prange(len(x)):
            sx, sy, sz = np.float32(0), np.float32(0), np.float32(0)
            for j in range(len(x)):
                dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                squared = dx * dx + dy * dy + dz * dz + np.float32(0.0001)
                strength = mass[j] / (squared * np.sqrt(squared))
                sx += dx * strength
                sy += dy * strength
                sz += dz * strength
            out[0, i], out[1, i], out[2, i] = sx, sy, sz
        return out

    pick = lambda k: lambda out: out[k]
    measure("numba", "parallel, fastmath", lambda: loops(x, y, z, mass), pick(0), pick(1), pick(2), tolerance=1e-2)
