from plain import case_and_sizes, hash_of, report

case, sizes = case_and_sizes()
if case == "one":
    report(sorted(hash_of(i) for i in range(sizes[0])))
else:
    n, m = sizes
    report([sorted(hash_of(i * m + j) for j in range(m)) for i in range(n)])
