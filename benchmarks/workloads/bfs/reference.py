"""Breadth-first search with a queue."""

import collections
import json
import sys


def hash_of(i):
    h = (i * 1103515245 + 12345) % 2147483647
    return (h * h + i) % 2147483647


def links_of(case, size):
    if case == "uniform":
        return [[hash_of((hash_of(i) + 7919 * j) % 2147483647) % size for j in range(hash_of(i) % 17)] for i in range(size)]
    links = []
    for y in range(size):
        for x in range(size):
            around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
            links.append([v * size + u for u, v in around if 0 <= u < size and 0 <= v < size])
    return links


def checksum(values):
    return {"count": len(values), "sum": sum(values), "weighted": sum(v * (1 + i % 1021) for i, v in enumerate(values))}


if __name__ == "__main__":
    links = links_of(sys.argv[1], int(sys.argv[2]))
    far, queue = {1: 0}, collections.deque([1])
    while queue:
        a = queue.popleft()
        for b in links[a]:
            if b not in far:
                far[b] = far[a] + 1
                queue.append(b)
    print(json.dumps({"checksums": [checksum([far.get(i, -1) for i in range(len(links))])]}))
