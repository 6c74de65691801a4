"""Frames of a sound, by the definition of the transform: python reference.py CASE SIZE STEP SAMPLES"""

import cmath
import json
import math
import sys

from plain import checksum, hash_of


def main(size, step, n):
    x = [0.5 * math.sin(0.05 * i * (1.0 + 20.0 * (i / n))) + (hash_of(i) % 64 - 32) / 256.0 for i in range(n)]
    roots = [cmath.exp(-2j * math.pi * k / size) for k in range(size)]
    loud, pitch, bands = [], [], []
    for start in range(0, n - size + 1, step):
        frame = x[start:start + size]
        weighted = [v * math.sin(math.pi * k / size) ** 2 for k, v in enumerate(frame)]
        power = [abs(sum(v * roots[k * j % size] for k, v in enumerate(weighted))) ** 2 for j in range(size // 2 + 1)]
        loud.append(math.sqrt(sum(v * v for v in frame) / size))
        pitch.append(max(range(1, len(power)), key=lambda j: power[j]))
        bands += [sum(power[2 ** b:2 ** (b + 1)]) for b in range(8)]
    print(json.dumps({"checksums": [checksum(loud), checksum(pitch), checksum(bands)]}))


main(*map(int, sys.argv[2:]))
