"""The cases: what is measured, at which sizes, how many bytes each must move, and what is wanted of it.

A case names an entry and the maker of its arguments in a folder of benchmarks/workloads, and the arguments of its peer in peers/, which makes the same data. `bytes`
is the least traffic: every input read once, every output written once. `wanted` is a fraction of the limit (those bytes over the bandwidth of a
copy in the same run), or of the best way of a peer; none means that the figure is only reported. `options` are handed to `terrace`.
"""


class Case:
    def __init__(self, name, program, entry, maker, sizes, peer, peer_args, bytes_moved, wanted=None, tolerance=1e-9, strategies=False,
                 options=()):
        self.name, self.program, self.entry, self.maker = name, program, entry, maker
        self.sizes = [str(s) for s in sizes]
        self.peer, self.peer_args = peer, [str(a) for a in peer_args]
        self.bytes, self.wanted, self.tolerance, self.strategies = bytes_moved, wanted, tolerance, strategies
        self.options = list(options)


def limit(fraction):
    return ("limit", fraction)


def of(peer, fraction):
    return (peer, fraction)


def harmonic(m):
    return sum(m // (k + 1) for k in range(m)) / m


def spmv(shape, rows, count, *sizes):
    moved = count * 12 + rows * 8 + rows * 8 + rows * 8  # columns and values; offsets, vector, result
    return Case(f"spmv {shape}", "spmv", "spmv", shape, sizes, "spmv", (shape, *sizes), moved, of("cusparse", 1.0))


def row_sums(name, maker, sizes, rows, count, wanted):
    return Case(f"row sums {name}", "row_sums", "row_sums", maker, sizes, "sums", (maker, *sizes), 4 * count + 12 * rows, wanted)


def trmv(n):
    return Case(f"trmv {n}", "trmv", "trmv", "make", [n], "trmv", [n], 2 * n * (n + 1), limit(0.7))


def jacobi(size, n):
    return Case(f"jacobi {size} {n}", "jacobi", f"jacobi{size}", "make", [n], "jacobi", [size, n], 8 * n * n, None, 1e-5)


def mapscan(n, m):
    return Case(f"mapscan {n} x {m}", "mapscan", "mapscan", "make", [n, m], "mapscan", [n, m], 8 * n * m, None, strategies=True)


def histogram(n, bins):
    return Case(f"histogram {bins}", "histogram", "counts", "make", [n, bins], "histogram", [n, bins], 4 * n + 4 * bins, of("cub", 0.8))


def both_ways(name, *more, **named):
    """A case as it is, and with every row treated as if it had a length of its own."""
    return [Case(name, *more, **named), Case(f"{name} irregular", *more, **named, options=["--regularity", "off"])]


def cases(flat, filtered, collatz, side, power, power_m, half, huge, short, equal, law, hist, bins, sort, segments, product, scans, triangles, grids,
          ragged, one, rows, row, picture, bodies, images):
    n = filtered
    ragged_count = 20 * ragged
    return [
        Case("saxpy", "saxpy", "saxpy", "make", [flat], "saxpy", [flat], 12 * flat, limit(0.9)),
        Case("dot", "dot", "product", "make", [flat], "sums", ["dot", flat], 8 * flat, limit(0.9)),
        Case("sum", "row_sums", "total", "make", [flat], "sums", ["sum", flat], 4 * flat, limit(0.9)),
        Case("black_scholes f32", "black_scholes_f32", "prices", "make", [flat], "black_scholes", ["f32", flat], 20 * flat, limit(0.75), 1e-3),
        Case("black_scholes f64", "black_scholes", "prices", "make", [flat // 4], "black_scholes", ["f64", flat // 4], 10 * flat),
        Case("scan i32", "scan", "prefixes_i32", "make_i32", [flat], "scan", ["i32", flat], 8 * flat, of("cub", 0.85)),
        Case("scan f32", "scan", "prefixes_f32", "make_f32", [flat], "scan", ["f32", flat], 8 * flat, of("cub", 0.85)),
        Case("filter i32", "filter", "keep_i32", "make_i32", [flat], "filter_sum", ["keep_i32", flat], 6 * flat, of("cub", 0.85)),
        Case("filter_sum", "filter", "filter_sum", "make", [n], "filter_sum", ["filter_sum", n], 8 * n),
        Case("keep", "filter", "keep", "make", [n], "filter_sum", ["keep", n], 12 * n),
        Case("shares", "filter", "shares", "make", [n], "filter_sum", ["shares", n], 12 * n),
        row_sums("of 4", "equal", short, short[0], short[0] * short[1], limit(0.6)),
        *[row_sums(f"of {m}", "equal", (r, m), r, r * m, limit(0.75)) for r, m in equal],
        row_sums("power law", "power", law, law[0], law[2] + int(law[0] * (4 + harmonic(law[1]))), limit(0.6)),
        spmv("banded", side**3, 27 * side**3, side),
        spmv("power", power, int(power * (4 + harmonic(power_m))), power, power_m),
        spmv("half_empty", half, 20 * half, half),
        spmv("huge", huge[0], huge[0] * huge[1] + huge[2], *huge),
        *[histogram(hist, b) for b in bins],
        Case("sort u32", "sort", "sorted", "make", [sort], "sort", ["one", sort], 8 * sort, of("cub", 0.7)),
        Case("sort segments", "sort", "sorted_rows", "rows", [segments], "sort", ["rows", segments], 8 * 128 * segments, of("cub", 1.0)),
        Case("matmul", "matmul", "product", "make", [product], "matmul", [product], 12 * product**2, of("cublas", 0.3)),
        *[mapscan(*shape) for shape in scans],
        *[trmv(t) for t in triangles],
        *[jacobi(size, g) for g in grids for size in (3, 5, 7, 9)],
        Case("ragged", "ragged", "pipeline", "make", [ragged], "ragged", [ragged], 8 * ragged_count + 24 * ragged, limit(0.5)),
        Case("sort one array", "quicksort", "sort_one", "one", [one], "quicksort", ["one", one], 16 * one),
        *both_ways("qsort_rec", "quicksort", "sort_rows", "rows", [rows, row], "quicksort", ["rows", rows, row], 16 * rows * row),
        *both_ways("qsort_loop", "qsort_loop", "sort_rows", "rows", [rows, row], "quicksort", ["rows", rows, row], 16 * rows * row),
        *both_ways("fft", "fft", "transforms", "make", [images, 32], "fft", [images, 32], 16 * 32**2 * images, tolerance=1e-4),
        Case("collatz", "collatz", "collatz", "make", [collatz], "collatz", [collatz], 16 * collatz),
        Case("mandelbrot", "mandelbrot", "picture", "make", [picture], "mandelbrot", [picture], 4 * picture**2, of("cuda", 0.9), 1e-3),
        Case("nbody", "nbody", "accelerations", "make", [bodies], "nbody", [bodies], 28 * bodies, of("cuda", 0.9), 1e-2),
    ]


GPU = dict(flat=2**28, filtered=2**27, collatz=2**22, side=126, power=4_000_000, power_m=700_000, half=2_000_000, huge=(1_000_000, 6, 24_000_000),
           short=(2**26, 4), equal=[(2**22, 64), (2**16, 4096)], law=(10_000_000, 700_000, 2**26), hist=2**28, bins=[256, 65_536, 2**24],
           sort=2**27, segments=2**20, product=4096, scans=[(2**20, 2**4), (2**12, 2**12), (2**4, 2**20)], triangles=[16384, 32768],
           grids=[4096, 16384], ragged=20_000_000, one=2**20, rows=10_000, row=1000, picture=8192, bodies=65_536, images=4096)
QUICK = dict(flat=2**16, filtered=2**16, collatz=2**10, side=12, power=2000, power_m=900, half=1000, huge=(500, 6, 20_000),
             short=(2**10, 4), equal=[(2**8, 64), (2**4, 4096)], law=(1000, 500, 2**14), hist=2**14, bins=[256, 1000, 2**15],
             sort=2**12, segments=200, product=64, scans=[(2**10, 2**4), (2**6, 2**6), (2**4, 2**10)], triangles=[300], grids=[100],
             ragged=1000, one=2**10, rows=20, row=100, picture=64, bodies=256, images=4)
