from plain import case_and_sizes, hash_of, report

case, sizes = case_and_sizes()
n = sizes[0] ** 3 if case == "banded" else sizes[0]
vector = [hash_of(i + 5) % 64 / 8 for i in range(n)]


def length(i):
    if case == "power":
        return 4 + sizes[1] // (1 + hash_of(i) % sizes[1])
    if case == "huge":
        return sizes[2] if i == n // 2 else sizes[1]
    return 0 if hash_of(i) % 2 == 0 else 1 + hash_of(i + 77777777) % 79


def scattered(i):
    for j in range(length(i)):
        at = (hash_of(i) + 7919 * j) % 2147483647
        yield hash_of(at) % n, at % 64 / 8


def banded(i):
    side, j = sizes[0], 0
    for x in (-1, 0, 1):
        for y in (-1, 0, 1):
            for z in (-1, 0, 1):
                yield min(max(i + x * side * side + y * side + z, 0), n - 1), (i + 5 * j) % 64 / 8
                j += 1


row = banded if case == "banded" else scattered
report([sum(value * vector[column] for column, value in row(i)) for i in range(n)])
