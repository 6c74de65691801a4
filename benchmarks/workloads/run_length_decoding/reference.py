"""Run-length decoding from its definition."""

from plain import case_and_sizes, hash_of, report


def size_of(case, sizes, i):
    seed = hash_of(i + 77777777)
    return sizes[1] // (1 + seed % sizes[1]) if case == "power" else seed % 9


if __name__ == "__main__":
    case, sizes = case_and_sizes()
    out = []
    for i in range(sizes[0]):
        out += [hash_of(i) % 1000] * size_of(case, sizes, i)
    report(out)
