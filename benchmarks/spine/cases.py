"""The cases: what is measured, at which sizes, and how many bytes each must move.

A case names an entry and the maker of its arguments in programs/, and the arguments of its peer in peers/, which makes the same data. `bytes`
is the least traffic: every input read once, every output written once.
"""


class Case:
    def __init__(self, name, program, entry, maker, sizes, peer_args, bytes_moved):
        self.name, self.program, self.entry, self.maker = name, program, entry, maker
        self.sizes = [str(s) for s in sizes]
        self.peer_args = [str(a) for a in peer_args]
        self.bytes = bytes_moved


def spmv(shape, rows, count, *sizes):
    moved = count * 12 + rows * 8 + rows * 8 + rows * 8  # columns and values; offsets, vector, result
    return Case(f"spmv {shape}", "spmv", "spmv", shape, sizes, (shape, *sizes), moved)


def harmonic(m):
    return sum(m // (k + 1) for k in range(m)) / m


def cases(saxpy, filtered, collatz, side, power, power_m, half, huge, triangle, one, rows, row):
    n = filtered
    return [
        Case("saxpy", "saxpy", "saxpy", "make", [saxpy], [saxpy], 12 * saxpy),
        Case("filter_sum", "filter_sum", "filter_sum", "make", [n], ["filter_sum", n], 8 * n),
        Case("keep", "filter_sum", "keep", "make", [n], ["keep", n], 12 * n),
        Case("shares", "filter_sum", "shares", "make", [n], ["shares", n], 12 * n),
        Case("collatz", "collatz", "collatz", "make", [collatz], [collatz], 16 * collatz),
        spmv("banded", side**3, 27 * side**3, side),
        spmv("power", power, int(power * (4 + harmonic(power_m))), power, power_m),
        spmv("half_empty", half, 20 * half, half),
        spmv("huge", huge[0], huge[0] * huge[1] + huge[2], *huge),
        Case("trmv", "trmv", "trmv", "make", [triangle], [triangle], 2 * triangle * (triangle + 1)),
        Case("sort one array", "quicksort", "sort_one", "one", [one], ["one", one], 16 * one),
        Case("sort rows", "quicksort", "sort_rows", "rows", [rows, row], ["rows", rows, row], 16 * rows * row),
    ]


GPU = dict(saxpy=2**28, filtered=2**27, collatz=2**22, side=126, power=4_000_000, power_m=700_000, half=2_000_000,
           huge=(1_000_000, 6, 24_000_000), triangle=16384, one=2**20, rows=10_000, row=1000)
QUICK = dict(saxpy=2**16, filtered=2**16, collatz=2**10, side=12, power=2000, power_m=900, half=1000,
             huge=(500, 6, 20_000), triangle=300, one=2**10, rows=20, row=100)
