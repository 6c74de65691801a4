from plain import case_and_sizes, hash_of, report

_, (n,) = case_and_sizes()
a = [[hash_of(i * n + j) % 8 / 8 for j in range(n)] for i in range(n)]
b = [[hash_of(i * n + j + 77) % 8 / 8 for j in range(n)] for i in range(n)]
report([[sum(a[i][k] * b[k][j] for k in range(n)) for j in range(n)] for i in range(n)])
