from plain import case_and_sizes, hash_of, report

_, (n,) = case_and_sizes()
report(sum((hash_of(i) % 15 - 7) / 8 * ((hash_of(i + 77) % 15 - 7) / 8) for i in range(n)))
