"""Masses of muon pairs with awkward-array's combinations and with numba's loops."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import awkward as ak
    import numba
    import numpy as np

    n = sizes[0]
    seed = hash_of(counted(n))
    lengths = seed % (51 if words[0] == "many" else 5)
    off = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(counted(n), lengths)
    a = hash_of((seed[row] + 7919 * (np.arange(off[-1]) - off[row])) % 2147483647)
    b = hash_of(a)
    c = hash_of(b)
    pt, eta, phi = 3.0 + (a % 400) / 8.0, (b % 4001) / 1000.0 - 2.0, (c % 6283) / 1000.0 - 3.1415
    column = lambda xs: ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(off), ak.contents.NumpyArray(xs)))
    events = ak.zip({"pt": column(pt), "eta": column(eta), "phi": column(phi)})

    def combinations():
        x, y = ak.unzip(ak.combinations(events, 2))
        masses = np.sqrt(2.0 * x.pt * y.pt * (np.cosh(x.eta - y.eta) - np.cos(x.phi - y.phi)))
        return np.bincount(np.minimum(ak.to_numpy(ak.flatten(masses)).astype(np.int64), 120), minlength=121)

    measure("awkward", "combinations", combinations)

    @numba.njit(parallel=True)
    def loops(off, pt, eta, phi, parts):
        n, out = len(off) - 1, np.zeros((parts, 121), np.int64)
        for part in numba.prange(parts):
            for e in range(n * part // parts, n * (part + 1) // parts):
                for i in range(off[e], off[e + 1]):
                    for j in range(i + 1, off[e + 1]):
                        m = np.sqrt(2.0 * pt[i] * pt[j] * (np.cosh(eta[i] - eta[j]) - np.cos(phi[i] - phi[j])))
                        out[part, min(120, int(m))] += 1
        return out.sum(axis=0)

    measure("numba", "parallel loops", lambda: loops(off, pt, eta, phi, 8 * numba.get_num_threads()))
