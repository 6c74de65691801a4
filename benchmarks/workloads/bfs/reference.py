"""Breadth-first search with a queue."""

import collections
import sys

from plain import hash_of, report


def links_of(case, size):
    if case == "uniform":
        return [[hash_of((hash_of(i) + 7919 * j) % 2147483647) % size for j in range(hash_of(i) % 17)] for i in range(size)]
    links = []
    for y in range(size):
        for x in range(size):
            around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
            links.append([v * size + u for u, v in around if 0 <= u < size and 0 <= v < size])
    return links


if __name__ == "__main__":
    links = links_of(sys.argv[1], int(sys.argv[2]))
    far, queue = {1: 0}, collections.deque([1])
    while queue:
        a = queue.popleft()
        for b in links[a]:
            if b not in far:
                far[b] = far[a] + 1
                queue.append(b)
    report([far.get(i, -1) for i in range(len(links))])
