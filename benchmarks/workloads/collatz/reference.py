from plain import case_and_sizes, report


def steps(n):
    return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)


_, (n,) = case_and_sizes()
report([steps(i + 1) for i in range(n)])
