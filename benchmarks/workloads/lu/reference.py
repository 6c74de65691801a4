from plain import case_and_sizes, hash_of, report

_, (n, _) = case_and_sizes()
m = [[hash_of(i * n + j) % 64 / 64 + (n if i == j else 0) for j in range(n)] for i in range(n)]
for k in range(n):
    for i in range(k + 1, n):
        m[i][k] /= m[k][k]
        for j in range(k + 1, n):
            m[i][j] -= m[i][k] * m[k][j]
report(m)
