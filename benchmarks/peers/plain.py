"""What the references share. They are plain Python, straight from the definition, for small sizes only: slow, and simple enough to believe.

    python3 reference.py CASE SIZES…      {"checksums": [{"count": 3, "sum": 6.0, "weighted": 14.0}]}

`PYTHONPATH=benchmarks/peers` finds this file. A checksum is the count, the sum, and the sum in which element i counts 1 + i % 1021 times.
"""

import json
import struct
import sys


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def f32(x):
    """The nearest number in single precision."""
    return struct.unpack("f", struct.pack("f", x))[0]


def flat(values):
    for value in values:
        if isinstance(value, list):
            yield from flat(value)
        else:
            yield float(value)


def checksum(values):
    values = list(flat(values if isinstance(values, list) else [values]))
    return {"count": len(values), "sum": sum(values), "weighted": sum(x * (1 + i % 1021) for i, x in enumerate(values))}


def report(*arrays):
    print(json.dumps({"checksums": [checksum(array) for array in arrays]}))


def case_and_sizes():
    return sys.argv[1], [int(word) for word in sys.argv[2:]]
