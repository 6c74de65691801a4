from plain import case_and_sizes, hash_of, report

_, (n,) = case_and_sizes()
report([1.5 * (hash_of(i) % 64 / 8) + hash_of(i + 77) % 64 / 8 for i in range(n)])
