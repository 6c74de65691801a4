from plain import case_and_sizes, hash_of, report


def element(i):
    return (hash_of(i) % 15 - 7) / 8


def row(i):
    if case == "power":
        length = sizes[2] if i == sizes[0] // 2 else 4 + sizes[1] // (1 + hash_of(i) % sizes[1])
        return [element((hash_of(i) + 7919 * j) % 2147483647) for j in range(length)]
    return [element(i * sizes[1] + j) for j in range(sizes[1])]


case, sizes = case_and_sizes()
if case == "one":
    report(sum(element(i) for i in range(sizes[0])))
else:
    report([sum(row(i)) for i in range(sizes[0])])
