"""The ragged pipeline in PyTorch and CuPy, on the data of gpu.cu; one line of JSON per way, as the CUDA peers print.

    python gpu.py ROWS

Rows are a flat array and offsets, because neither library filters ragged rows otherwise. PyTorch makes nested tensors of what is kept: their mean is taken
as they are, and they are padded for the place of the greatest element; its second way is made of operations on segments. Times are device events. A library that
is not there is left out with a word. PEER_DEVICE=cpu tries the PyTorch ways without a GPU, timed by the host's clock.
"""

import json
import os
import sys
import time

LIMIT = 2.0


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def measure(peer, way, run, clock, host):
    """`clock` runs a function and says how many milliseconds it took, `host` brings the places to a list of sums."""
    limit = float(os.environ.get("PEER_SECONDS", "1.5"))
    try:
        for _ in range(3):
            clock(run)
        times, began = [], time.perf_counter()
        while len(times) < 3 or (time.perf_counter() - began < limit and len(times) < 1000):
            times.append(clock(run))
        times.sort()
        found = host(run()[1])
    except Exception as why:  # a version of the library that lacks an operation, or memory: the others are worth having all the same
        print(json.dumps({"peer": peer, "way": way, "failed": f"{type(why).__name__}: {why}"[:300]}), flush=True)
        return
    n = len(times)
    print(json.dumps({"peer": peer, "way": way, "median_ms": times[n // 2], "least_ms": times[0], "lower_quartile_ms": times[n // 4],
                      "upper_quartile_ms": times[3 * n // 4], "runs": n, **found}), flush=True)


def with_torch(n):
    import torch

    device = os.environ.get("PEER_DEVICE", "cuda")
    counted = lambda k: torch.arange(k, device=device, dtype=torch.int64)
    seeds = hash_of(counted(n))
    lengths = seeds % 41
    offsets = torch.zeros(n + 1, device=device, dtype=torch.int64)
    torch.cumsum(lengths, 0, out=offsets[1:])
    row = torch.repeat_interleave(counted(n), lengths)
    column = counted(row.numel()) - offsets[row]
    values = (hash_of((seeds[row] + 7919 * column) % 2147483647) % 64).double() / 8.0
    del row, column, seeds

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

    def clock(run):
        if device == "cpu":
            began = time.perf_counter()
            run()
            return 1e3 * (time.perf_counter() - began)
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop)

    def host(places):
        places = places.double()
        weights = (1 + counted(places.numel()) % 1021).double()
        return {"count": places.numel(), "sum": float(places.sum()), "weighted": float((places * weights).sum())}

    measure("torch", "nested tensors, padded for argmax", nested, clock, host)
    measure("torch", "operations on segments", segments, clock, host)


def with_cupy(n):
    import cupy
    import cupyx

    seeds = hash_of(cupy.arange(n, dtype=cupy.int64))
    lengths = seeds % 41
    offsets = cupy.zeros(n + 1, dtype=cupy.int64)
    cupy.cumsum(lengths, out=offsets[1:])
    rows_of = lambda bounds, count: cupy.searchsorted(bounds[1:], cupy.arange(count, dtype=cupy.int64), side="right")
    count = int(offsets[-1])
    row = rows_of(offsets, count)
    column = cupy.arange(count, dtype=cupy.int64) - offsets[row]
    values = (hash_of((seeds[row] + 7919 * column) % 2147483647) % 64).astype(cupy.float64) / 8.0
    del row, column, seeds

    def scans():
        """Sums are differences of one running sum, which is exact for these data."""
        keep = values > LIMIT
        before = cupy.zeros(count + 1, dtype=cupy.int64)
        cupy.cumsum(keep, out=before[1:])
        elements, bounds = values[keep], before[offsets]
        counts = cupy.diff(bounds)
        running = cupy.zeros(elements.size + 1, dtype=cupy.float64)
        cupy.cumsum(elements, out=running[1:])
        means = cupy.diff(running[bounds]) / cupy.maximum(counts, 1)
        row = rows_of(bounds, elements.size)
        greatest = cupy.full(n, -cupy.inf, dtype=cupy.float64)
        cupyx.scatter_max(greatest, row, elements)
        candidate = cupy.where(elements == greatest[row], cupy.arange(elements.size, dtype=cupy.int64) - bounds[row], 1 << 20)
        places = cupy.full(n, 1 << 20, dtype=cupy.int32)
        cupyx.scatter_min(places, row, candidate.astype(cupy.int32))
        return means, cupy.where(counts > 0, places, -1)

    def clock(run):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        run()
        stop.record()
        stop.synchronize()
        return cupy.cuda.get_elapsed_time(start, stop)

    def host(places):
        places = places.astype(cupy.float64)
        weights = (1 + cupy.arange(places.size) % 1021).astype(cupy.float64)
        return {"count": int(places.size), "sum": float(places.sum()), "weighted": float((places * weights).sum())}

    measure("cupy", "scans and scatters", scans, clock, host)


def main():
    n = int(sys.argv[1])
    for name, run in (("torch", with_torch), ("cupy", with_cupy)):
        try:
            run(n)
        except ImportError as why:
            print(json.dumps({"peer": name, "way": None, "skipped": str(why)}), flush=True)
        except Exception as why:
            print(json.dumps({"peer": name, "way": None, "failed": f"{type(why).__name__}: {why}"[:300]}), flush=True)


main()
