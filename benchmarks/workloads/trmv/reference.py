from plain import case_and_sizes, hash_of, report

_, (n,) = case_and_sizes()
v = [hash_of(i + 5) % 8 / 8 for i in range(n)]
report([sum(hash_of(i * n + j) % 8 / 8 * v[j] for j in range(i + 1)) for i in range(n)])
