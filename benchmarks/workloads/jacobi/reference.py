from plain import case_and_sizes, hash_of, report

case, (n,) = case_and_sizes()
half, weight = {"3x3": (1, 0.11111111), "5x5": (2, 0.04), "7x7": (3, 0.020408163), "9x9": (4, 0.012345679)}[case]
grid = [[hash_of(i * n + j) % 64 / 8 for j in range(n)] for i in range(n)]
inside = lambda i: min(max(i, 0), n - 1)
around = range(-half, half + 1)
report([[weight * sum(grid[inside(i + a)][inside(j + b)] for a in around for b in around) for j in range(n)] for i in range(n)])
