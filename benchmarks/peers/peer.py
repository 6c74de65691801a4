"""What the peers in Python share: the data's hash, measuring, and one line of JSON per way, as the C peers print.

    python peer.py FOLDER/peers.py [WORDS…] [SIZES…]      calls main(words, sizes) of that file

The data are made by the formulas of the programs. A way is run twice to warm up (which also compiles what numba compiles), then until its
time is spent (PEER_SECONDS, default 1.5). A checksum is the count, the sum, and the sum in which element i counts 1 + i % 1021 times.
"""

import importlib
import importlib.util
import json
import os
import pathlib
import sys
import time

import numpy as np


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def counted(n, start=0):
    return np.arange(start, start + n, dtype=np.int64)


def eighths(i, below):
    return (hash_of(i) % below).astype(np.float64) / 8.0


def checksum(values):
    flat = np.asarray(values).reshape(-1).astype(np.float64)
    weights = (1 + np.arange(flat.size) % 1021).astype(np.float64)
    return {"count": int(flat.size), "sum": float(flat.sum()), "weighted": float((flat * weights).sum())}


def measure(peer, way, run, *results, tolerance=1e-9):
    """`results` take what `run` returned and give the arrays to compare; by default it is one array itself."""
    limit = float(os.environ.get("PEER_SECONDS", "1.5"))
    for _ in range(2):
        out = run()
    times, began = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - began < limit and len(times) < 1000):
        start = time.perf_counter()
        out = run()
        times.append(1e3 * (time.perf_counter() - start))
    times.sort()
    arrays = [pick(out) for pick in results] if results else [out]
    print(json.dumps({"peer": peer, "way": way, "median_ms": times[len(times) // 2], "least_ms": times[0],
                      "runs": len(times), "tolerance": tolerance, "checksums": [checksum(a) for a in arrays]}), flush=True)


def first(pair):
    return pair[0]


def second(pair):
    return pair[1]


def repeated(lengths):
    """For every element of rows of these lengths: its row, and its place in the row."""
    off = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(np.arange(len(lengths)), lengths)
    return off, row, np.arange(off[-1]) - off[row]


def package(name):
    """A package that may not be there: a line says which is missing, and its peers are left out."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(json.dumps({"missing": name}), flush=True)
        return None


def call_main(path, arguments):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    spec = importlib.util.spec_from_file_location("peers", path)
    module = importlib.util.module_from_spec(spec)
    # Functions that go to other processes are sent by the name of their module.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    is_size = lambda word: word.lstrip("-").isdigit()
    module.main([a for a in arguments if not is_size(a)], [int(a) for a in arguments if is_size(a)])


if __name__ == "__main__":
    call_main(sys.argv[1], sys.argv[2:])
