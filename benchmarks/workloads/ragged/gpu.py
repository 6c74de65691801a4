"""The ragged pipeline in PyTorch and CuPy, on the data of gpu.cu.

Rows are a flat array and offsets, because neither library filters ragged rows otherwise. PyTorch makes nested tensors of what is kept: their mean is taken
as they are, and they are padded for the place of the greatest element; its second way is made of operations on segments.
"""

import cupy as cp

from gpu_peer import clock, counted, hash_of, measure, package, repeated, rows_of, second

LIMIT = 2.0


def main(_, sizes):
    import cupyx

    n = sizes[0]
    seeds = hash_of(counted(n))
    offsets, row, column = repeated(seeds % 41)
    count = len(row)
    values = (hash_of((seeds[row] + 7919 * column) % 2147483647) % 64).astype(cp.float64) / 8.0
    del row, column, seeds

    def scans():
        """Sums are differences of one running sum, which is exact for these data."""
        keep = values > LIMIT
        before = cp.zeros(count + 1, dtype=cp.int64)
        cp.cumsum(keep, out=before[1:])
        elements, bounds = values[keep], before[offsets]
        counts = cp.diff(bounds)
        running = cp.zeros(elements.size + 1, dtype=cp.float64)
        cp.cumsum(elements, out=running[1:])
        means = cp.diff(running[bounds]) / cp.maximum(counts, 1)
        row = rows_of(bounds, elements.size)
        greatest = cp.full(n, -cp.inf, dtype=cp.float64)
        cupyx.scatter_max(greatest, row, elements)
        candidate = cp.where(elements == greatest[row], counted(elements.size) - bounds[row], 1 << 20)
        places = cp.full(n, 1 << 20, dtype=cp.int32)
        cupyx.scatter_min(places, row, candidate.astype(cp.int32))
        return means, cp.where(counts > 0, places, -1)

    measure("cupy", "scans and scatters", scans, second)
    torch = package("torch")
    if torch is not None:
        with_torch(torch, n, values, offsets)


def with_torch(torch, n, values, offsets):
    values, offsets = torch.from_dlpack(values), torch.from_dlpack(offsets)
    device = values.device
    counted = lambda k: torch.arange(k, device=device, dtype=torch.int64)

    def kept():
        keep = values > LIMIT
        before = torch.zeros(keep.numel() + 1, device=device, dtype=torch.int64)
        torch.cumsum(keep, 0, out=before[1:])
        return values[keep], before[offsets]

    def nested():
        elements, bounds = kept()
        counts = bounds.diff()
        rows = torch.nested.nested_tensor_from_jagged(elements, bounds, min_seqlen=0, max_seqlen=40)
        means = rows.sum(dim=1) / counts.clamp(min=1)
        places = torch.nested.to_padded_tensor(rows, float("-inf")).argmax(dim=1)
        return means, torch.where(counts > 0, places, -1)

    def segments():
        elements, bounds = kept()
        counts = bounds.diff()
        means = torch.segment_reduce(elements, "sum", lengths=counts, unsafe=True) / counts.clamp(min=1)
        row = torch.repeat_interleave(counted(n), counts)
        greatest = torch.segment_reduce(elements, "max", lengths=counts, unsafe=True)
        place = counted(elements.numel()) - bounds[row]
        candidate = torch.where(elements == greatest[row], place, 1 << 40)
        places = torch.full((n,), 1 << 40, device=device, dtype=torch.int64).scatter_reduce_(0, row, candidate, "amin")
        return means, torch.where(counts > 0, places, -1)

    with cp.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
        for way, run in (("nested tensors, padded for argmax", nested), ("operations on segments", segments)):
            measure("torch", way, run, lambda found: cp.from_dlpack(found[1]), clock=clock)
