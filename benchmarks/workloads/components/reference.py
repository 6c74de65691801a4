"""Connected components by walking from each node that was not reached yet."""

import sys

from plain import hash_of, report


if __name__ == "__main__":
    case, n = sys.argv[1], int(sys.argv[2])
    near = [[] for _ in range(n)]
    for i in range(n):
        seed = hash_of(i)
        if case == "chains":
            targets = [] if seed % 1000 == 0 else [(i + 7919) % n]
        else:
            targets = [hash_of((seed + 7919 * j) % 2147483647) % n for j in range(seed % 2)]
        for t in targets:
            near[i].append(t)
            near[t].append(i)
    least = [-1] * n
    for start in range(n):
        todo = [start] if least[start] < 0 else []
        while todo:
            a = todo.pop()
            if least[a] < 0:
                least[a] = start
                todo += near[a]
    report(least)
