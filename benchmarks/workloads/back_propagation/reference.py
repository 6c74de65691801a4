"""A training step, weight by weight: python reference.py CASE INPUTS HIDDEN"""

import json
import math
import sys

from plain import checksum, hash_of


def main(n, h):
    x = [(hash_of(i) % 16 - 8) / 8192.0 for i in range(n)]
    weights = [[(hash_of(i * h + j) % 64 - 32) / 64.0 for j in range(h)] for i in range(n)]
    last = [[(hash_of(i * h + j + 77) % 64 - 32) / 1024.0 for j in range(h)] for i in range(n)]
    outwards = [(hash_of(j + 777) % 16 - 8) / 64.0 for j in range(h)]
    sigmoid = lambda v: 1.0 / (1.0 + math.exp(-v))
    hidden = [sigmoid(sum(x[i] * weights[i][j] for i in range(n))) for j in range(h)]
    out = sigmoid(sum(a * b for a, b in zip(hidden, outwards)))
    error = out * (1.0 - out) * (0.1 - out)
    changed = [0.3 * hidden[j] * (1.0 - hidden[j]) * error * outwards[j] * x[i] + 0.3 * last[i][j] for i in range(n) for j in range(h)]
    moved = [w + c for w, c in zip((w for row in weights for w in row), changed)]
    print(json.dumps({"checksums": [checksum(moved), checksum(changed), checksum([error])]}))


main(*map(int, sys.argv[2:]))
