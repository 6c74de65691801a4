"""PageRank from its definition: each page hands its rank on along its links."""

import json
import sys


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def links_of(case, sizes):
    n = sizes[0]
    links = []
    for i in range(n):
        seed = hash_of(i)
        length = sizes[1] // (1 + seed % sizes[1]) if case == "power" else seed % 17
        ts = [hash_of((seed + 7919 * j) % 2147483647) % n for j in range(length)]
        links.append([t * t // n for t in ts] if case == "power" else ts)
    return links


def pagerank(links, steps, damping=0.85):
    n = len(links)
    ranks = [1.0 / n] * n
    for _ in range(steps):
        received, lost = [0.0] * n, 0.0
        for page, targets in enumerate(links):
            for t in targets:
                received[t] += ranks[page] / len(targets)
            if not targets:
                lost += ranks[page]
        ranks = [(1.0 - damping + damping * lost) / n + damping * r for r in received]
    return ranks


def checksum(values):
    return {"count": len(values), "sum": sum(values), "weighted": sum(v * (1 + i % 1021) for i, v in enumerate(values))}


if __name__ == "__main__":
    case, sizes = sys.argv[1], [int(word) for word in sys.argv[2:]]
    print(json.dumps({"checksums": [checksum(pagerank(links_of(case, sizes), sizes[-1]))]}))
