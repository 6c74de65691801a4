"""Run-length decoding in PyTorch (repeat_interleave) and CuPy, whose repeat wants the sizes on the host: a search in the running sum of the sizes, and marks that are summed up."""

import cupy as cp

from gpu_peer import counted, hash_of, measure, offsets, package, rows_of


def main(words, sizes):
    n = sizes[0]
    value = (hash_of(counted(n)) % 1000).astype(cp.int32)
    seed = hash_of(counted(n, 77777777))
    size = sizes[1] // (1 + seed % sizes[1]) if words[0] == "power" else seed % 9

    def marks():
        """A mark where a run begins; runs of no elements begin where the next one does."""
        off = offsets(size)
        begun = cp.bincount(off[:-1], minlength=int(off[-1]) + 1)[:int(off[-1])]
        return value[cp.cumsum(begun) - 1]

    measure("cupy", "a search for each element", lambda: value[rows_of(offsets(size))])
    measure("cupy", "marks, summed up", marks)
    torch = package("torch")
    if torch is None:
        return
    values, repeats = torch.from_dlpack(value), torch.from_dlpack(size)
    stream = cp.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
    with stream:
        measure("torch", "repeat_interleave", lambda: torch.repeat_interleave(values, repeats), cp.from_dlpack)
