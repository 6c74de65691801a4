from math import sqrt

from plain import case_and_sizes, hash_of, report

_, (n,) = case_and_sizes()
unit = lambda i: hash_of(i) % 4096 / 4096
bodies = [tuple(unit(4 * i + k) for k in range(4)) for i in range(n)]
sums = [[0.0] * n for _ in range(3)]
for i, a in enumerate(bodies):
    for b in bodies:
        away = [b[k] - a[k] for k in range(3)]
        squared = sum(d * d for d in away) + 0.0001
        for k in range(3):
            sums[k][i] += away[k] * b[3] / (squared * sqrt(squared))
report(*sums)
