"""Run-length decoding from its definition."""

import json
import sys


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def size_of(case, sizes, i):
    seed = hash_of(i + 77777777)
    return sizes[1] // (1 + seed % sizes[1]) if case == "power" else seed % 9


def checksum(values):
    return {"count": len(values), "sum": sum(values), "weighted": sum(v * (1 + i % 1021) for i, v in enumerate(values))}


if __name__ == "__main__":
    case, sizes = sys.argv[1], [int(word) for word in sys.argv[2:]]
    out = []
    for i in range(sizes[0]):
        out += [hash_of(i) % 1000] * size_of(case, sizes, i)
    print(json.dumps({"checksums": [checksum(out)]}))
