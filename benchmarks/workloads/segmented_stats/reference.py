"""Statistics of rows, each from its definition."""

from plain import case_and_sizes, hash_of, report


def row_of(case, sizes, i):
    seed = hash_of(i)
    length = sizes[1] // (1 + seed % sizes[1]) if case == "power" else seed % 41
    return [hash_of((seed + 7919 * j) % 2147483647) % 64 / 8.0 for j in range(length)]


def statistics(row):
    if not row:
        return 0.0, 0.0, 0.0, 0.0, -1
    mean = sum(row) / len(row)
    variance = sum((x - mean) ** 2 for x in row) / len(row)
    return mean, variance, min(row), max(row), row.index(max(row))


if __name__ == "__main__":
    case, sizes = case_and_sizes()
    columns = zip(*[statistics(row_of(case, sizes, i)) for i in range(sizes[0])])
    report(*[list(column) for column in columns])
