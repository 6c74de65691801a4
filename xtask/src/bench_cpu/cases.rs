//! What is measured: one line of the table per case.
//!
//! ```text
//! name       spmv power
//! program    benchmarks/programs/spmv.tce      entry `spmv` of what `power` makes
//! sizes      1000000 140000                          arguments of the maker, and of the peer behind its own words
//! peer       benchmarks/peers/spmv.c power           makes the same data by the same formulas
//! wants      0.95 of c, 1.2 of scipy                 the peer's least time over Terrace's
//! work       one per element                         time over work must not grow with the size
//! ```
//!
//! `bytes` is the least traffic: every input read once, every output written once. A want names a peer, or a peer and the beginning of one of
//! its ways (`c: by rows`); cases without one are reported.

/// A workload.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) program: &'static str,
    pub(crate) entry: &'static str,
    pub(crate) maker: &'static str,
    pub(crate) options: &'static [&'static str],
    pub(crate) peer: &'static str,
    pub(crate) words: &'static [&'static str],
    pub(crate) python: &'static str,
    pub(crate) quick: &'static [i64],
    pub(crate) full: &'static [i64],
    /// Smaller sizes, the least first; with `full` they are the four of which growth is measured.
    pub(crate) smaller: [&'static [i64]; 3],
    pub(crate) work: fn(&[i64]) -> f64,
    pub(crate) bytes: fn(&[i64]) -> f64,
    pub(crate) wants: &'static [Want],
}

/// A peer, and how fast Terrace must be beside it.
pub(crate) type Want = (&'static str, f64);

const SAXPY: Case = Case {
    name: "saxpy",
    program: "programs/saxpy",
    entry: "saxpy",
    maker: "make",
    options: &[],
    peer: "saxpy",
    words: &[],
    python: "saxpy",
    quick: &[1 << 16],
    full: &[1 << 26],
    smaller: [&[1 << 23], &[1 << 24], &[1 << 25]],
    work: |s| s[0] as f64,
    bytes: |s| 12.0 * s[0] as f64,
    wants: &[("c", 0.95)],
};

const SPMV: Case = Case {
    program: "programs/spmv",
    entry: "spmv",
    peer: "spmv",
    python: "spmv",
    wants: &[("c", 0.95), ("scipy", 1.2)],
    ..SAXPY
};

const FILTER: Case = Case {
    program: "programs/filter_sum",
    entry: "keep",
    maker: "share",
    peer: "filter_sum",
    words: &["keep"],
    python: "keep",
    bytes: |s| 8.0 * s[0] as f64 * (1.0 + s[1] as f64 / 100.0),
    wants: &[("c", 0.9)],
    ..SAXPY
};

const FILTER_SUM: Case = Case {
    maker: "make",
    quick: &[1 << 16],
    full: &[1 << 25],
    smaller: [&[1 << 22], &[1 << 23], &[1 << 24]],
    wants: &[],
    ..FILTER
};

const HISTOGRAM: Case = Case {
    program: "programs/histogram",
    entry: "counts",
    peer: "histogram",
    python: "histogram",
    bytes: |s| 4.0 * s[0] as f64 + 4.0 * s[1] as f64,
    wants: &[("c", 0.9)],
    ..SAXPY
};

const JACOBI: Case = Case {
    program: "programs/jacobi",
    peer: "jacobi",
    quick: &[200],
    full: &[4096],
    smaller: [&[2048], &[2560], &[3072]],
    work: |s| (s[0] * s[0]) as f64,
    bytes: |s| 8.0 * (s[0] * s[0]) as f64,
    wants: &[("c", 0.8)],
    ..SAXPY
};

const QSORT: Case = Case {
    entry: "sort_rows",
    maker: "rows",
    peer: "quicksort",
    words: &["rows"],
    python: "sort_rows",
    quick: &[40, 100],
    full: &[10_000, 1000],
    smaller: [&[2500, 1000], &[5000, 1000], &[7500, 1000]],
    work: |s| (s[0] * s[1]) as f64,
    bytes: |s| 16.0 * (s[0] * s[1]) as f64,
    wants: &[],
    ..SAXPY
};

const QSORT_LOOP: Case = Case { name: "qsort_loop", program: "programs/qsort_loop", ..QSORT };
const QSORT_REC: Case = Case { name: "qsort_rec", program: "programs/quicksort", ..QSORT };
const OFF: &[&str] = &["--regularity", "off"];

/// The mean of `m / k` over k from 1 to m.
fn mean_quotient(m: i64) -> f64 {
    (1..=m).map(|k| (m / k) as f64).sum::<f64>() / m as f64
}

fn power_elements(s: &[i64]) -> f64 {
    s[0] as f64 * (4.0 + mean_quotient(s[1]))
}

fn huge_elements(s: &[i64]) -> f64 {
    (s[0] * s[1] + s[2]) as f64
}

fn cubes(s: &[i64]) -> f64 {
    (s[0] * s[0] * s[0]) as f64
}

/// All of them, in the order of the table.
pub(crate) const CASES: &[Case] = &[
    SAXPY,
    Case {
        name: "dot",
        program: "programs/dot",
        entry: "product",
        peer: "dot",
        python: "dot",
        bytes: |s| 8.0 * s[0] as f64,
        ..SAXPY
    },
    Case {
        name: "black_scholes",
        program: "programs/black_scholes",
        entry: "prices",
        peer: "black_scholes",
        python: "black_scholes",
        full: &[1 << 24],
        smaller: [&[1 << 21], &[1 << 22], &[1 << 23]],
        bytes: |s| 40.0 * s[0] as f64,
        ..SAXPY
    },
    Case {
        name: "spmv banded",
        maker: "banded",
        words: &["banded"],
        quick: &[12],
        full: &[126],
        smaller: [&[63], &[80], &[100]],
        work: |s| 27.0 * cubes(s),
        bytes: |s| (27.0 * 12.0 + 24.0) * cubes(s),
        ..SPMV
    },
    Case {
        name: "spmv power",
        maker: "power",
        words: &["power"],
        quick: &[2000, 900],
        full: &[1_000_000, 140_000],
        smaller: [&[250_000, 140_000], &[500_000, 140_000], &[750_000, 140_000]],
        work: power_elements,
        bytes: |s| 12.0 * power_elements(s) + 24.0 * s[0] as f64,
        ..SPMV
    },
    Case {
        name: "spmv huge",
        maker: "huge",
        words: &["huge"],
        quick: &[500, 6, 20_000],
        full: &[1_000_000, 6, 24_000_000],
        smaller: [&[250_000, 6, 6_000_000], &[500_000, 6, 12_000_000], &[750_000, 6, 18_000_000]],
        work: huge_elements,
        bytes: |s| 12.0 * huge_elements(s) + 24.0 * s[0] as f64,
        wants: &[("c: by rows", 1.4), ("scipy", 1.2)],
        ..SPMV
    },
    Case {
        name: "spmv half_empty",
        maker: "half_empty",
        words: &["half_empty"],
        quick: &[1000],
        full: &[1_000_000],
        smaller: [&[250_000], &[500_000], &[750_000]],
        work: |s| 20.0 * s[0] as f64,
        bytes: |s| (240.0 + 24.0) * s[0] as f64,
        wants: &[],
        ..SPMV
    },
    Case {
        name: "ragged",
        program: "programs/ragged",
        entry: "pipeline",
        peer: "ragged",
        python: "ragged",
        quick: &[3000],
        full: &[2_000_000],
        smaller: [&[250_000], &[500_000], &[1_000_000]],
        work: |s| 20.0 * s[0] as f64,
        bytes: |s| (160.0 + 24.0) * s[0] as f64,
        wants: &[("numba", 1.0), ("awkward", 8.0)],
        ..SAXPY
    },
    Case {
        name: "mandelbrot",
        program: "programs/mandelbrot",
        entry: "picture",
        peer: "mandelbrot",
        python: "mandelbrot",
        quick: &[150],
        full: &[4096],
        smaller: [&[1024], &[2048], &[3072]],
        work: |s| (s[0] * s[0]) as f64,
        bytes: |s| 4.0 * (s[0] * s[0]) as f64,
        ..SAXPY
    },
    Case {
        name: "scan",
        program: "programs/scan",
        entry: "prefixes",
        peer: "scan",
        python: "scan",
        bytes: |s| 16.0 * s[0] as f64,
        wants: &[("c", 0.9)],
        ..SAXPY
    },
    Case {
        name: "histogram 1000",
        quick: &[1 << 16, 1000],
        full: &[1 << 26, 1000],
        smaller: [&[1 << 23, 1000], &[1 << 24, 1000], &[1 << 25, 1000]],
        ..HISTOGRAM
    },
    Case {
        name: "histogram 1000000",
        quick: &[1 << 16, 5000],
        full: &[1 << 26, 1_000_000],
        smaller: [&[1 << 23, 1_000_000], &[1 << 24, 1_000_000], &[1 << 25, 1_000_000]],
        ..HISTOGRAM
    },
    Case {
        name: "sort",
        program: "programs/sort",
        entry: "sorted",
        peer: "sort",
        python: "sort",
        full: &[1 << 25],
        smaller: [&[1 << 22], &[1 << 23], &[1 << 24]],
        bytes: |s| 8.0 * s[0] as f64,
        wants: &[("c", 0.9), ("numpy", 1.0)],
        ..SAXPY
    },
    Case {
        name: "filter 10",
        quick: &[1 << 16, 10],
        full: &[1 << 26, 10],
        smaller: [&[1 << 23, 10], &[1 << 24, 10], &[1 << 25, 10]],
        ..FILTER
    },
    Case {
        name: "filter 50",
        quick: &[1 << 16, 50],
        full: &[1 << 26, 50],
        smaller: [&[1 << 23, 50], &[1 << 24, 50], &[1 << 25, 50]],
        ..FILTER
    },
    Case {
        name: "filter 90",
        quick: &[1 << 16, 90],
        full: &[1 << 26, 90],
        smaller: [&[1 << 23, 90], &[1 << 24, 90], &[1 << 25, 90]],
        ..FILTER
    },
    Case {
        name: "matmul",
        program: "programs/matmul",
        entry: "product",
        peer: "matmul",
        python: "matmul",
        quick: &[70],
        full: &[1024],
        smaller: [&[512], &[640], &[768]],
        work: cubes,
        bytes: |s| 12.0 * (s[0] * s[0]) as f64,
        wants: &[("c", 0.6)],
        ..SAXPY
    },
    Case {
        name: "trmv",
        program: "programs/trmv",
        entry: "trmv",
        peer: "trmv",
        python: "trmv",
        quick: &[300],
        full: &[16384],
        smaller: [&[6000], &[8192], &[12000]],
        work: |s| (s[0] * (s[0] + 1) / 2) as f64,
        bytes: |s| 2.0 * (s[0] * (s[0] + 1)) as f64,
        ..SAXPY
    },
    Case { name: "jacobi 3x3", entry: "jacobi3", words: &["3"], python: "jacobi3", ..JACOBI },
    Case { name: "jacobi 9x9", entry: "jacobi9", words: &["9"], python: "jacobi9", ..JACOBI },
    QSORT_LOOP,
    Case { name: "qsort_loop irregular", options: OFF, ..QSORT_LOOP },
    QSORT_REC,
    Case { name: "qsort_rec irregular", options: OFF, ..QSORT_REC },
    Case {
        name: "qsort_one",
        entry: "sort_one",
        maker: "one",
        words: &["one"],
        python: "sort_one",
        quick: &[1 << 10],
        full: &[1 << 20],
        smaller: [&[1 << 17], &[1 << 18], &[1 << 19]],
        work: |s| s[0] as f64,
        bytes: |s| 16.0 * s[0] as f64,
        ..QSORT_REC
    },
    Case {
        name: "needleman_wunsch",
        program: "programs/needleman_wunsch",
        entry: "alignment_table",
        peer: "needleman_wunsch",
        python: "",
        quick: &[128, 16],
        full: &[4096, 64],
        smaller: [&[2048, 64], &[2560, 64], &[3072, 64]],
        work: |s| (s[0] * s[0]) as f64,
        bytes: |s| 4.0 * ((s[0] + 1) * (s[0] + 1)) as f64,
        wants: &[],
        ..SAXPY
    },
    Case {
        name: "lu",
        program: "programs/lu",
        entry: "lu",
        peer: "lu",
        python: "lu",
        quick: &[96, 16],
        full: &[1024, 32],
        smaller: [&[512, 32], &[640, 32], &[768, 32]],
        work: cubes,
        bytes: |s| 16.0 * (s[0] * s[0]) as f64,
        wants: &[],
        ..SAXPY
    },
    Case {
        name: "collatz",
        program: "programs/collatz",
        entry: "collatz",
        peer: "collatz",
        python: "collatz",
        quick: &[1 << 10],
        full: &[1 << 20],
        smaller: [&[1 << 17], &[1 << 18], &[1 << 19]],
        bytes: |s| 16.0 * s[0] as f64,
        wants: &[],
        ..SAXPY
    },
    Case {
        name: "filter_sum",
        entry: "filter_sum",
        words: &["filter_sum"],
        python: "filter_sum",
        bytes: |s| 8.0 * s[0] as f64,
        ..FILTER_SUM
    },
    Case {
        name: "shares",
        entry: "shares",
        words: &["shares"],
        python: "shares",
        bytes: |s| 12.0 * s[0] as f64,
        ..FILTER_SUM
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sizes_grow() {
        for (k, case) in CASES.iter().enumerate() {
            assert!(CASES[..k].iter().all(|other| other.name != case.name), "{} stands twice", case.name);
            let sizes = case.smaller.iter().chain([&case.full]);
            let work: Vec<f64> = sizes.map(|s| (case.work)(s)).collect();
            assert!(work.windows(2).all(|w| w[0] < w[1]), "{}: {work:?}", case.name);
            assert!((case.work)(case.quick) < work[0] && (case.bytes)(case.full) > 0.0, "{}", case.name);
        }
    }

    #[test]
    fn programs_and_peers_exist() {
        let benchmarks = crate::root().join("benchmarks");
        for case in CASES {
            assert!(benchmarks.join(format!("{}.tce", case.program)).exists(), "{}", case.program);
            assert!(benchmarks.join(format!("peers/{}.c", case.peer)).exists(), "{}", case.peer);
        }
    }
}
