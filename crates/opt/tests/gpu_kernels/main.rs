//! GPU kernels: Flat programs lowered for CUDA and run under the simulator.
//!
//! Every case is a program, arguments and the answer, which plain Rust computes. It runs with tiles so small that a hundred
//! elements cross every boundary, with blocks of one warp and of two, and under several schedules; all must give the same
//! bits. Operators over pairs do not commute, so any two elements combined in the wrong order show.
//!
//! The same texts are compiled for real devices where NVRTC is installed. Declined: speed.

mod counts;
mod maps;
mod products;
mod reductions;
mod rows;
mod scans;

use terrace_base::Scalar;
use terrace_ir::flat;
use terrace_opt::lower::{kernels, place_in_memory};
use terrace_opt::options::{Options, TileSizes};
use terrace_plan::data::Data;
use terrace_plan::{Plan, Target};
use terrace_runtime::{Backend, Loaded, RunError, Runtime};

const TWO_WARPS: TileSizes = TileSizes { gpu_block: 64, gpu_items: 3, ..TileSizes::TINY };

/// Compositions of `x -> a x + b`: associative, and the order matters.
const AFFINE: &str = "(a_100 : i64, b_101 : i64 | c_102 : i64, d_103 : i64) {
    let e_104 : i64 = a_100 * c_102
    let f_105 : i64 = b_101 * c_102
    let g_106 : i64 = f_105 + d_103
    => e_104, g_106
  } from 1, 0";

/// The same in Rust, with `x -> (v | 1) x + v` on the right.
fn affine((a, b): (i64, i64), v: i64) -> (i64, i64) {
    (a.wrapping_mul(v | 1), b.wrapping_mul(v | 1).wrapping_add(v))
}

fn lowered(text: &str, tiles: TileSizes) -> Plan {
    let text = text.replace("AFFINE", AFFINE);
    let program: flat::Program = flat::parse::parse(&text).expect("parses");
    flat::verify::verify(&program).expect("valid Flat");
    let program = place_in_memory::place_in_memory(&program).expect("can be placed");
    let options = Options { target: Target::Cuda, tiles, ..Options::default() };
    let program = kernels::lower(&program, &options).expect("can be lowered");
    terrace_ir::kernel::verify::verify(&program).expect("valid kernels");
    terrace_codegen::cuda::print(&program)
}

/// A program ready to run, in several shapes and under several schedules.
struct Programs(Vec<(String, Loaded)>);

impl Programs {
    fn of(text: &str) -> Programs {
        let mut all = Vec::new();
        for (shape, tiles) in [("one warp", TileSizes::TINY), ("two warps", TWO_WARPS)] {
            let plan = lowered(text, tiles);
            for seed in [0, 1, 2, 3] {
                let runtime = Runtime::new(Backend::CudaSim { seed }, Default::default()).expect("a simulator");
                all.push((format!("{shape}, seed {seed}"), runtime.load(&plan).expect("compiles")));
            }
        }
        Programs(all)
    }

    fn check(&self, entry: &str, args: &[Data], expected: &Data) {
        // Large inputs are for what needs thousands of tiles: the smallest shape, an orderly and a random schedule.
        let large = args.iter().map(size).sum::<usize>() > 5000;
        for (how, program) in self.0.iter().step_by(if large { 2 } else { 1 }).take(if large { 2 } else { 8 }) {
            let (found, _) = program.call(entry, args).unwrap_or_else(|e| panic!("{entry}, {how}: {e}"));
            assert!(
                found == *expected,
                "{entry}, {how}:\n{}\nfound {}\nwanted {}",
                cut(args),
                cut(&found),
                cut(expected)
            );
        }
    }

    fn check_failure(&self, entry: &str, args: &[Data], wanted: (u32, i64, &[i64])) {
        for (how, program) in &self.0 {
            match program.call(entry, args).map(|(found, _)| found) {
                Err(RunError::Check { check, index, values }) => {
                    assert_eq!((check, index, &values[..wanted.2.len()]), wanted, "{entry}, {how}");
                }
                other => panic!("{entry}, {how}: {}", cut(&other)),
            }
        }
    }
}

fn size(data: &Data) -> usize {
    match data {
        Data::Scalar(_) => 1,
        Data::Tuple(parts) | Data::Array(parts) => 1 + parts.iter().map(size).sum::<usize>(),
        Data::Variant(v) => 1 + v.fields.iter().map(size).sum::<usize>(),
    }
}

fn cut(value: &(impl std::fmt::Debug + ?Sized)) -> String {
    format!("{value:?}").chars().take(1000).collect()
}

fn int(n: i64) -> Data {
    Data::Scalar(Scalar::I64(n))
}

fn ints(list: &[i64]) -> Data {
    Data::Array(list.iter().map(|n| int(*n)).collect())
}

fn floats(list: &[f64]) -> Data {
    Data::Array(list.iter().map(|x| Data::Scalar(Scalar::F64(*x))).collect())
}

fn rows(list: &[Vec<i64>]) -> Data {
    Data::Array(list.iter().map(|row| ints(row)).collect())
}

fn pair((a, b): (i64, i64)) -> Data {
    Data::Tuple(vec![int(a), int(b)])
}

fn number(i: usize) -> i64 {
    (i as i64).wrapping_mul(0x1e37_79b9_7f4a_7c15) >> 11
}

/// Lists of lengths around the sizes of tiles; the longest has more tiles than look-back counts in two digits.
fn lists() -> Vec<Vec<i64>> {
    let lengths = [0, 1, 2, 31, 32, 63, 64, 65, 100, 1000, 3000, 70000];
    lengths.into_iter().map(|n| (0..n).map(number).collect()).collect()
}

/// Lists of rows: none, empty ones, many short ones, ones longer than many tiles.
fn ragged() -> Vec<Vec<Vec<i64>>> {
    let mut many_empty = vec![0; 300];
    many_empty.push(5);
    many_empty.extend([0; 300]);
    let lengths: Vec<Vec<usize>> = vec![
        vec![],
        vec![0],
        vec![0; 200],
        vec![1],
        vec![1; 150],
        vec![3, 0, 2, 0, 0, 5],
        vec![500],
        vec![0, 500, 0],
        vec![64, 64, 64],
        vec![63, 1, 64, 0, 0, 128, 2],
        vec![0, 0, 0, 1, 700, 0, 0, 3],
        (0..120).map(|i| (i * 7919) % 13).collect(),
        (0..60).map(|i| if i % 10 == 3 { 90 } else { i % 3 }).collect(),
        many_empty,
        vec![1000, 1, 2500, 0, 70],
        vec![3, 70000, 1],
        vec![1; 40000],
    ];
    let row = |(r, n): (usize, usize)| (0..n).map(|i| number(i + 31 * r)).collect();
    lengths.into_iter().map(|list| list.into_iter().enumerate().map(row).collect()).collect()
}

/// The texts compile for real devices, where there is a compiler for them.
#[test]
fn for_devices() {
    if terrace_runtime::nvrtc_available().is_err() {
        return;
    }
    for text in [counts::PROGRAM, maps::PROGRAM, products::PROGRAM, reductions::PROGRAM, rows::PROGRAM, scans::PROGRAM]
    {
        let plan = lowered(text, TileSizes::NORMAL);
        let parts = std::iter::once(&plan.preamble).chain(plan.kernels.iter().map(|k| &k.text));
        let unit: String = parts.map(String::as_str).collect();
        for arch in ["sm_80", "sm_90"] {
            terrace_runtime::compile_cubin(&unit, arch).unwrap();
        }
    }
}
