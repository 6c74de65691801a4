from plain import case_and_sizes, hash_of, report

_, (n,) = case_and_sizes()
means, places = [], []
for i in range(n):
    seed = hash_of(i)
    row = [hash_of((seed + 7919 * j) % 2147483647) % 64 / 8 for j in range(seed % 41)]
    kept = [x for x in row if x > 2.0]
    means.append(sum(kept) / len(kept) if kept else 0.0)
    places.append(kept.index(max(kept)) if kept else -1)
report(means, places)
