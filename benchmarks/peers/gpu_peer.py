"""What the peers in Python on a GPU share: the twin of peer.py, with CuPy in numpy's place.

    python gpu_peer.py FOLDER/gpu.py [WORDS…] [SIZES…]      calls main(words, sizes) of that file

Data are made on the device, and stay there. A way is run three times to warm up, then until its time is spent (PEER_SECONDS, default 1.5); times are device
events around one run, so that what a library does on the host between two kernels counts too. A way that a version of a library cannot do is left out with a line.
"""

import importlib
import importlib.util
import json
import os
import pathlib
import sys
import time

import cupy as cp


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def counted(n, start=0):
    return cp.arange(start, start + n, dtype=cp.int64)


def offsets(lengths):
    """Where each row begins, and behind the last the number of all elements."""
    off = cp.zeros(len(lengths) + 1, dtype=cp.int64)
    cp.cumsum(lengths, out=off[1:])
    return off


def rows_of(off, count=None):
    """For every element its row."""
    return cp.searchsorted(off[1:], counted(int(off[-1]) if count is None else count), side="right")


def repeated(lengths):
    """For every element of rows of these lengths: its row, and its place in the row."""
    off = offsets(lengths)
    row = rows_of(off)
    return off, row, counted(len(row)) - off[row]


def checksum(values):
    flat = cp.asarray(values).reshape(-1).astype(cp.float64)
    weights = (1 + counted(flat.size) % 1021).astype(cp.float64)
    return {"count": int(flat.size), "sum": float(flat.sum()), "weighted": float((flat * weights).sum())}


def clock(run):
    """Milliseconds of one run, by device events, and what it returned."""
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    out = run()
    stop.record()
    stop.synchronize()
    return cp.cuda.get_elapsed_time(start, stop), out


def measure(peer, way, run, *results, tolerance=1e-9, clock=clock):
    """`results` take what `run` returned and give the arrays to compare; by default it is one array itself."""
    limit = float(os.environ.get("PEER_SECONDS", "1.5"))
    try:
        for _ in range(3):
            clock(run)
        times, began = [], time.perf_counter()
        while len(times) < 3 or (time.perf_counter() - began < limit and len(times) < 1000):
            took, out = clock(run)
            times.append(took)
        times.sort()
        sums = [checksum(pick(out)) for pick in results] if results else [checksum(out)]
    except Exception as why:
        print(json.dumps({"peer": peer, "left out": way, "why": f"{type(why).__name__}: {why}"[:400]}), flush=True)
        return
    n = len(times)
    print(json.dumps({"peer": peer, "way": way, "median_ms": times[n // 2], "least_ms": times[0], "lower_quartile_ms": times[n // 4],
                      "upper_quartile_ms": times[3 * n // 4], "runs": n, "tolerance": tolerance, "checksums": sums}), flush=True)


def first(pair):
    return pair[0]


def second(pair):
    return pair[1]


def each(count):
    """Picks the parts of a result one after the other."""
    return [lambda out, k=k: out[k] for k in range(count)]


def package(name):
    """A package that may not be there: a line says which is missing, and its peers are left out."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(json.dumps({"missing": name}), flush=True)
        return None


def call_main(path, arguments):
    sys.modules["gpu_peer"] = sys.modules[__name__]
    spec = importlib.util.spec_from_file_location("gpu", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    is_size = lambda word: word.lstrip("-").isdigit()
    module.main([a for a in arguments if not is_size(a)], [int(a) for a in arguments if is_size(a)])


if __name__ == "__main__":
    call_main(sys.argv[1], sys.argv[2:])
