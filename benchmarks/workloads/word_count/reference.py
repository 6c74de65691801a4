"""Counting words with a dictionary."""

import json
import sys


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def spelled(k):
    seed = hash_of(k)
    letters = [chr(97 + hash_of((seed + 7919 * j) % 2147483647) % 26) for j in range(2 + seed % 8)]
    return "".join(letters) + ("\n" if seed % 11 == 0 else " ")


def document(case, sizes):
    pieces = []
    for i in range(sizes[0]):
        h = hash_of(i)
        if case == "prose":
            h %= sizes[1]
            h = h * h // sizes[1] * h // sizes[1]
        pieces.append(spelled(h))
    return "".join(pieces)


def checksum(values):
    return {"count": len(values), "sum": sum(values), "weighted": sum(v * (1 + i % 1021) for i, v in enumerate(values))}


if __name__ == "__main__":
    case, sizes = sys.argv[1], [int(word) for word in sys.argv[2:]]
    times = {}
    for word in document(case, sizes).split():
        times[word] = times.get(word, 0) + 1
    order = sorted(times)
    print(json.dumps({"checksums": [checksum(list("".join(order).encode())), checksum([times[w] for w in order])]}))
