"""Pieces of DNA with a dictionary of strings."""

import sys

from plain import hash_of, report


def code(piece):
    return int("".join(str("ACTG".index(letter)) for letter in piece), 4)


if __name__ == "__main__":
    case, n, genome = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    k = 8 if case == "spectrum" else 21
    times = {}
    for i in range(n):
        seed = hash_of(i)
        read = "".join("ACTG"[hash_of((seed + j) % genome) % 4] for j in range(hash_of(seed) % 200))
        for at in range(len(read) - k + 1):
            piece = read[at:at + k]
            times[piece] = times.get(piece, 0) + 1
    by_code = {code(piece): count for piece, count in times.items()}
    if case == "spectrum":
        out = [[by_code.get(c, 0) for c in range(65536)]]
    else:
        out = [sorted(by_code), [by_code[c] for c in sorted(by_code)]]
    report(*[list(values) for values in out])
