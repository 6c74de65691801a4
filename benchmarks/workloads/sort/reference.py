from plain import case_and_sizes, hash_of, report


def element(i):
    return 2 * hash_of(i) % 2**32 ^ hash_of(i + 77) % 65536


case, (n,) = case_and_sizes()
if case == "rows":
    seeds = [hash_of(i) for i in range(n)]
    report([sorted(element((seed + 7919 * j) % 2147483647) for j in range(seed % 257)) for seed in seeds])
else:
    report(sorted(element(i) for i in range(n)))
