from plain import case_and_sizes, hash_of, report

_, (n, _) = case_and_sizes()
xs, ys = [hash_of(i) % 4 for i in range(n)], [hash_of(i + 77) % 4 for i in range(n)]
table = [[-(i + j) for j in range(n + 1)] for i in range(n + 1)]
for i in range(n):
    for j in range(n):
        together = table[i][j] + (3 if xs[i] == ys[j] else -1)
        table[i + 1][j + 1] = max(together, table[i][j + 1] - 1, table[i + 1][j] - 1)
report(table)
