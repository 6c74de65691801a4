from plain import case_and_sizes, hash_of, report

_, (n, bins) = case_and_sizes()
counts = [0] * bins
for i in range(n):
    counts[hash_of(i) % bins] += 1
report(counts)
