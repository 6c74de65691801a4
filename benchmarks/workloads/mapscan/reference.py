from itertools import accumulate

from plain import case_and_sizes, hash_of, report

_, (n, m) = case_and_sizes()
report([list(accumulate(hash_of(i * m + j) % 15 - 7 for j in range(m))) for i in range(n)])
