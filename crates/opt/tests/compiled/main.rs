//! Flat programs through places, kernels and C, on the CPU: what they compute, what they cost, what they report.
//!
//! Every program runs with tile sizes so small that a few elements cross every boundary, and with the normal ones.

mod gathers;
mod kept;
mod stages;
mod totals;
mod turning;

use terrace_base::Scalar;
use terrace_ir::{flat, kernel, mem};
use terrace_opt::lower::{kernels, place_in_memory::place_in_memory};
use terrace_opt::options::{Options, TileSizes};
use terrace_plan::Plan;
use terrace_plan::data::Data;
use terrace_runtime::{Backend, Loaded, RunError, Runtime, Stats};

fn plan(text: &str, tiles: TileSizes) -> Plan {
    let program: flat::Program = flat::parse::parse(text.trim_start()).expect("parses");
    flat::verify::verify(&program).expect("valid Flat");
    let placed = place_in_memory(&program).expect("can be placed");
    mem::verify::verify(&placed).unwrap_or_else(|e| panic!("{e}\n{placed}"));
    let options = Options { tiles, ..Options::default() };
    let kernels = kernels::lower(&placed, &options).unwrap_or_else(|e| panic!("{e:?}\n{placed}"));
    kernel::verify::verify(&kernels).unwrap_or_else(|e| panic!("{e}\n{kernels}"));
    terrace_codegen::c::print(&kernels)
}

fn load(text: &str, tiles: TileSizes) -> Loaded {
    let runtime = Runtime::new(Backend::Cpu { threads: 2 }, terrace_runtime::Options::default()).expect("a CPU");
    let plan = plan(text, tiles);
    match runtime.load(&plan) {
        Ok(loaded) => loaded,
        Err(e) => {
            let texts: String = plan.kernels.iter().map(|k| k.text.as_str()).collect();
            panic!("{e}\n{texts}")
        }
    }
}

fn run(text: &str, tiles: TileSizes, args: &[Data]) -> Result<(Data, Stats), RunError> {
    load(text, tiles).call(0usize, args)
}

fn check(text: &str, args: &[Data], expected: &Data) -> Stats {
    let (tiny, _) = run(text, TileSizes::TINY, args).expect("runs with tiny tiles");
    assert_eq!(&tiny, expected, "with tiny tiles");
    let (normal, stats) = run(text, TileSizes::NORMAL, args).expect("runs");
    assert_eq!(&normal, expected);
    stats
}

fn array<T: Into<Scalar> + Copy>(items: &[T]) -> Data {
    Data::Array(items.iter().map(|x| Data::Scalar((*x).into())).collect())
}

fn rows<T: Into<Scalar> + Copy>(items: &[Vec<T>]) -> Data {
    Data::Array(items.iter().map(|r| array(r)).collect())
}

fn scalar(x: impl Into<Scalar>) -> Data {
    Data::Scalar(x.into())
}

const SAXPY: &str = "
entry saxpy(a_0 : f32, n_1 : i64, xs_2 : f32[n_1], m_3 : i64, ys_4 : f32[n_1]) -> (i64, f32[n_1])
  takes f32, [length]f32, [length]f32
  gives [length]f32
{
  let out_5 : f32[n_1] = map grid [n_1] (i_6 | p_7) {
    let x_8 : f32 = xs_2[p_7]
    let y_9 : f32 = ys_4[p_7]
    let z_10 : f32 = fma(a_0, x_8, y_9)
    => z_10
  }
  => n_1, out_5
}
";

#[test]
fn saxpy() {
    let xs: Vec<f32> = (0..100).map(|i| i as f32 / 8.0).collect();
    let ys: Vec<f32> = (0..100).map(|i| (i % 7) as f32).collect();
    let expected: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| 2.0 * x + y).collect();
    let stats = check(SAXPY, &[scalar(2.0f32), array(&xs), array(&ys)], &array(&expected));
    assert_eq!((stats.launches, stats.host_reads), (1, 0));
    check(SAXPY, &[scalar(2.0f32), array::<f32>(&[]), array::<f32>(&[])], &array::<f32>(&[]));
}

const SPMV: &str = "
check 0 : index

entry spmv(n_0 : i64, off_1 : i64[n_0 + 1], t_30 : i64, col_2 : i32[t_30], val_3 : f64[t_30], m_4 : i64, v_5 : f64[m_4]) -> (i64, f64[n_0])
  takes [length][off](i32, f64), [length]f64
  gives [length]f64
{
  let out_6 : f64[n_0] = reduce grid [n_0][off_1] (i_7, j_8 | p_9, q_10 <= t_30) by (a_11 : f64 | b_12 : f64) { let c_13 : f64 = a_11 + b_12; => c_13 } from 0.0 {
    let c_14 : i32 = col_2[q_10]
    let k_15 : i64 = i64(c_14)
    let ok_16 : bool = k_15 < m_4
    check 0 index ok_16 (k_15, m_4)
    let x_17 : f64 = v_5[k_15]
    let y_18 : f64 = val_3[q_10]
    let z_19 : f64 = x_17 * y_18
    => z_19
  }
  => n_0, out_6
}
";

fn sparse(lengths: &[usize]) -> (Data, Data, Data) {
    let v: Vec<f64> = (0..11).map(|i| i as f64 / 8.0).collect();
    let (mut matrix, mut sums) = (Vec::new(), Vec::new());
    for (r, n) in lengths.iter().enumerate() {
        let cells: Vec<(i32, f64)> = (0..*n).map(|j| (((r * 5 + j * 3) % 11) as i32, ((r + j) % 9) as f64)).collect();
        sums.push(cells.iter().map(|(c, x)| v[*c as usize] * x).sum::<f64>());
        let row = cells.iter().map(|(c, x)| Data::Tuple(vec![scalar(*c), scalar(*x)])).collect();
        matrix.push(Data::Array(row));
    }
    (Data::Array(matrix), array(&v), array(&sums))
}

#[test]
fn spmv() {
    for lengths in [
        vec![],
        vec![0],
        vec![0, 0, 0, 0, 0, 0, 0],
        vec![1],
        vec![50],
        vec![0, 3, 0, 0, 17, 1, 0, 2, 5, 40, 0],
        vec![1; 30],
        vec![2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    ] {
        let (matrix, v, sums) = sparse(&lengths);
        let stats = check(SPMV, &[matrix, v], &sums);
        assert_eq!(stats.host_reads, 0, "{lengths:?}");
    }
}

#[test]
fn the_least_failure_is_reported() {
    let cell = |c: i32| Data::Tuple(vec![scalar(c), scalar(1.0)]);
    let row = |cs: &[i32]| Data::Array(cs.iter().map(|c| cell(*c)).collect());
    let matrix = Data::Array(vec![row(&[0, 1, 2]), row(&[]), row(&[1, 77, 1, 1, 99])]);
    for tiles in [TileSizes::TINY, TileSizes::NORMAL] {
        let result = run(SPMV, tiles, &[matrix.clone(), array(&[1.0f64; 5])]);
        match result {
            Err(RunError::Check { check, index, values }) => {
                assert_eq!((check, index, &values[..2]), (0, 4, &[77i64, 5][..]));
            }
            other => panic!("{other:?}"),
        }
    }
}

const FILTER_SUM: &str = "
entry filter_sum(n_0 : i64, xs_1 : i64[n_0]) -> (i64)
  takes [length]i64
  gives i64
{
  let s_2 : i64 = reduce grid [n_0] (i_3 | p_4) by (a_5 : i64 | b_6 : i64) { let c_7 : i64 = a_5 + b_6; => c_7 } from 0 masked {
    let x_8 : i64 = xs_1[p_4]
    let keep_9 : bool = x_8 > 0
    => keep_9, x_8
  }
  let t_10 : i64 = s_2 + 1
  => t_10
}
";

#[test]
fn masked_sum_and_arithmetic_on_its_result() {
    let xs: Vec<i64> = (0..57).map(|i| (i * 37) % 19 - 9).collect();
    let expected: i64 = xs.iter().filter(|x| **x > 0).sum::<i64>() + 1;
    let stats = check(FILTER_SUM, &[array(&xs)], &scalar(expected));
    assert_eq!(stats.host_reads, 0);
    check(FILTER_SUM, &[array::<i64>(&[])], &scalar(1i64));
    check(FILTER_SUM, &[array(&[i64::MAX, 1])], &scalar(i64::MIN + 1));
}

const FLOAT_SUM: &str = "
entry sum(n_0 : i64, xs_1 : f32[n_0]) -> (f32)
  takes [length]f32
  gives f32
{
  let s_2 : f32 = reduce LEVEL [n_0] (i_3 | p_4) by (a_5 : f32 | b_6 : f32) { let c_7 : f32 = a_5 + b_6; => c_7 } from 0.0f32 { let x_8 : f32 = xs_1[p_4]; => x_8 }
  => s_2
}
";

/// The association that the CPU promises, written down again.
fn float_sum(xs: &[f32], block: usize) -> f32 {
    let mut total = 0.0f32;
    for chunk in xs.chunks(block) {
        let mut lanes = [0.0f32; 16];
        let groups = chunk.len() / 16 * 16;
        for (j, x) in chunk[..groups].iter().enumerate() {
            lanes[j % 16] += x;
        }
        let mut half = 8;
        while half > 0 {
            for l in 0..half {
                lanes[l] += lanes[l + half];
            }
            half /= 2;
        }
        total += lanes[0] + chunk[groups..].iter().fold(0.0, |a, x| a + x);
    }
    total
}

#[test]
fn float_sums_have_one_association() {
    let xs: Vec<f32> = (0..20_000).map(|i| 1.0 / (1.0 + ((i * 7919) % 1000) as f32)).collect();
    for n in [0, 1, 5, 16, 17, 100, 4096, 4097, 20_000] {
        for tiles in [TileSizes::TINY, TileSizes::NORMAL] {
            for block in [5, 33, 4096] {
                let tiles = TileSizes { cpu_reduce_block: block, ..tiles };
                let expected = float_sum(&xs[..n], block);
                for level in ["grid", "thread"] {
                    let text = FLOAT_SUM.replace("LEVEL", level);
                    let (sum, _) = run(&text, tiles, &[array(&xs[..n])]).expect("runs");
                    assert_eq!(sum, scalar(expected), "{n} {tiles:?} {level}");
                }
            }
        }
    }
}

const PACK_ROWS: &str = "
entry keep(n_0 : i64, off_1 : i64[n_0 + 1], t_2 : i64, xs_3 : i32[t_2]) -> (i64, i64[n_0 + 1], i64, i32[k_6])
  takes [length][off]i32
  gives [length][off]i32
{
  let koff_4 : i64[n_0 + 1], ys_5 : i32[k4(n_0)] <= t_2 = pack grid [n_0][off_1] (i_7, j_8 | p_9, q_10 <= t_2) {
    let x_11 : i32 = xs_3[q_10]
    let keep_12 : bool = x_11 > 3i32
    => keep_12, x_11
  }
  let k_6 : i64 <= t_2 = koff_4[n_0]
  => n_0, koff_4, k_6, ys_5
}
";

fn ragged(lengths: &[usize]) -> Vec<Vec<i32>> {
    let row = |(r, n): (usize, &usize)| (0..*n).map(|j| ((r * 7 + j * 5) % 10) as i32).collect();
    lengths.iter().enumerate().map(row).collect()
}

#[test]
fn pack_of_rows() {
    for lengths in [vec![], vec![0, 0, 0, 0, 0], vec![30], vec![0, 4, 0, 1, 2, 0, 0, 13, 3, 0], vec![1; 20]] {
        let xs = ragged(&lengths);
        let kept: Vec<Vec<i32>> = xs.iter().map(|r| r.iter().copied().filter(|x| *x > 3).collect()).collect();
        check(PACK_ROWS, &[rows(&xs)], &rows(&kept));
    }
}

const PACK: &str = "
entry keep(n_0 : i64, xs_1 : i32[n_0]) -> (i64, i32[k_2])
  takes [length]i32
  gives [length]i32
{
  let k_2 : i64 <= n_0, ys_3 : i32[k_2] <= n_0 = pack grid [n_0] (i_4 | p_5) {
    let x_6 : i32 = xs_1[p_5]
    let keep_7 : bool = x_6 > 3i32
    => keep_7, x_6
  }
  let zs_8 : i32[k_2] <= n_0 = map grid [k_2] (i_9 | p_10) {
    let y_11 : i32 = ys_3[p_10]
    let z_12 : i32 = y_11 * y_11
    => z_12
  }
  => k_2, zs_8
}
";

#[test]
fn pack_and_map_what_is_left() {
    for n in [0, 1, 2, 3, 4, 50] {
        let xs: Vec<i32> = (0..n).map(|i| (i * 7) % 10).collect();
        let kept: Vec<i32> = xs.iter().filter(|x| **x > 3).map(|x| x * x).collect();
        let stats = check(PACK, &[array(&xs)], &array(&kept));
        assert_eq!(stats.host_reads, 0, "the count stays on the device");
    }
}

const SCANS: &str = "
entry scans(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0 + 1], i64, i64[n_0])
  takes [length]i64
  gives ([length]i64, [length]i64)
{
  let m_2 : i64 = size n_0 + 1
  let off_3 : i64[n_0 + 1] = scan grid [n_0] (i_4 | p_5) by (a_6 : i64 | b_7 : i64) { let c_8 : i64 = a_6 + b_7; => c_8 } from 0 offsets { let x_9 : i64 = xs_1[p_5]; => x_9 }
  let inc_10 : i64[n_0] = scan grid [n_0] (i_11 | p_12) by (a_13 : i64 | b_14 : i64) { let c_15 : i64 = a_13 max b_14; => c_15 } from -100 inclusive { let x_16 : i64 = xs_1[p_12]; => x_16 }
  => m_2, off_3, n_0, inc_10
}
";

#[test]
fn scans() {
    for n in [0i64, 1, 3, 4, 7, 40] {
        let xs: Vec<i64> = (0..n).map(|i| (i * 13) % 11 - 4).collect();
        let mut offsets = vec![0];
        let mut running = Vec::new();
        for x in &xs {
            offsets.push(offsets[offsets.len() - 1] + x);
            running.push(running.last().map_or(*x, |m: &i64| *m.max(x)));
        }
        check(SCANS, &[array(&xs)], &Data::Tuple(vec![array(&offsets), array(&running)]));
        let sequential = SCANS.replace("scan grid", "scan thread");
        check(&sequential, &[array(&xs)], &Data::Tuple(vec![array(&offsets), array(&running)]));
    }
}

const SEGMENTED_SCAN: &str = "
entry scan_rows(n_0 : i64, off_1 : i64[n_0 + 1], t_2 : i64, xs_3 : i32[t_2]) -> (i64, i64[n_0 + 1], i64, i32[t_2])
  takes [length][off]i32
  gives [length][off]i32
{
  let ys_4 : i32[t_2] = scan grid [n_0][off_1] (i_5, j_6 | p_7, q_8 <= t_2) by (a_9 : i32 | b_10 : i32) { let c_11 : i32 = a_9 + b_10; => c_11 } from 0i32 inclusive { let x_12 : i32 = xs_3[q_8]; => x_12 }
  => n_0, off_1, t_2, ys_4
}
";

#[test]
fn scan_of_rows() {
    for lengths in [vec![], vec![0, 0], vec![20], vec![0, 4, 0, 1, 2, 0, 0, 13, 3, 0], vec![1; 10]] {
        let xs = ragged(&lengths);
        let sums = |r: &Vec<i32>| {
            let mut s = 0;
            r.iter()
                .map(|x| {
                    s += x;
                    s
                })
                .collect::<Vec<i32>>()
        };
        let expected: Vec<Vec<i32>> = xs.iter().map(sums).collect();
        check(SEGMENTED_SCAN, &[rows(&xs)], &rows(&expected));
        let sequential = SEGMENTED_SCAN.replace("scan grid", "scan thread");
        check(&sequential, &[rows(&xs)], &rows(&expected));
    }
}

const COLLATZ: &str = "
check 0 : assert \"positive\"

entry collatz(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0])
  takes [length]i64
  gives [length]i64
{
  let out_2 : i64[n_0] = map grid [n_0] (i_3 | p_4) {
    let x_5 : i64 = xs_1[p_4]
    let y_6 : i64, k_7 : i64 = loop y_8 : i64 = x_5, k_9 : i64 = 0 while { let go_10 : bool = y_8 != 1; => go_10 } do {
      let fine_11 : bool = y_8 > 0
      check 0 assert fine_11 ()
      let half_12 : i64 = y_8 / 2
      let odd_13 : i64 = y_8 % 2
      let even_14 : bool = odd_13 == 0
      let z_15 : i64 = if even_14 { => half_12 } else {
        let t_16 : i64 = 3 * y_8
        let u_17 : i64 = t_16 + 1
        => u_17
      }
      let k_18 : i64 = k_9 + 1
      => z_15, k_18
    }
    => k_7
  }
  => n_0, out_2
}
";

#[test]
fn loops_inside_threads_stop_where_a_check_fails() {
    let steps = |x: i64| {
        let (mut y, mut k) = (x, 0i64);
        while y != 1 {
            y = if y % 2 == 0 { y / 2 } else { 3 * y + 1 };
            k += 1;
        }
        k
    };
    let xs: Vec<i64> = (1..40).collect();
    let expected: Vec<i64> = xs.iter().map(|x| steps(*x)).collect();
    check(COLLATZ, &[array(&xs)], &array(&expected));
    for tiles in [TileSizes::TINY, TileSizes::NORMAL] {
        match run(COLLATZ, tiles, &[array(&[7i64, 3, -5, 4, -6])]) {
            Err(RunError::Check { check: 0, index: 2, .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}

const TRIANGLE: &str = "
entry trmv(n_0 : i64, xs_1 : f64[(n_0^2 + n_0)/2], m_2 : i64, v_3 : f64[m_2]) -> (i64, f64[n_0], f64)
  takes [length][closed s0 + 1]f64, [length]f64
  gives ([length]f64, f64)
{
  let out_4 : f64[n_0] = reduce grid [n_0][(i_5) i_5 + 1] (i_5, j_6 | p_7, q_8) by (a_9 : f64 | b_10 : f64) { let c_11 : f64 = a_9 + b_10; => c_11 } from 0.0 {
    let x_12 : f64 = xs_1[q_8]
    let y_13 : f64 = v_3[j_6]
    let z_14 : f64 = x_12 * y_13
    => z_14
  }
  let ys_15 : f64[(n_0^2 + n_0)/2] = map grid [n_0][(i_16) i_16 + 1] (i_16, j_17 | p_18, q_19) {
    let x_20 : f64 = xs_1[q_19]
    let s_21 : i64 = i_16 * 10
    let t_22 : i64 = s_21 + j_17
    let u_23 : f64 = f64(t_22)
    let w_24 : f64 = x_20 * u_23
    => w_24
  }
  let m_25 : i64 = size (n_0^2 + n_0)/2
  let total_26 : f64 = reduce grid [m_25] (i_27 | p_28) by (a_29 : f64 | b_30 : f64) { let c_31 : f64 = a_29 + b_30; => c_31 } from 0.0 { let x_32 : f64 = ys_15[p_28]; => x_32 }
  => n_0, out_4, total_26
}
";

#[test]
fn triangles_have_closed_forms() {
    for n in [0usize, 1, 2, 3, 8, 13] {
        let xs: Vec<Vec<f64>> = (0..n).map(|i| (0..=i).map(|j| ((i * 3 + j) % 8) as f64 / 8.0).collect()).collect();
        let v: Vec<f64> = (0..n).map(|i| (i % 5) as f64).collect();
        let out: Vec<f64> = xs.iter().map(|r| r.iter().zip(&v).map(|(a, b)| a * b).sum()).collect();
        let total: f64 = xs
            .iter()
            .enumerate()
            .map(|(i, r)| r.iter().enumerate().map(|(j, x)| x * (i * 10 + j) as f64).sum::<f64>())
            .sum();
        check(TRIANGLE, &[rows(&xs), array(&v)], &Data::Tuple(vec![array(&out), scalar(total)]));
    }
}

const LOCAL_ARRAYS: &str = "
entry local(n_0 : i64, ks_1 : i64[n_0]) -> (i64, i64[n_0], i64[n_0])
  takes [length]i64
  gives [length](i64, i64)
{
  let out_2 : i64[n_0], same_40 : i64[n_0] = map grid [n_0] (i_3 | p_4) {
    let k_5 : i64 = ks_1[p_4]
    let big_6 : bool = k_5 > 4
    let xs_7 : i64[k_5] <= k_5 = map thread [k_5] (i_8 | p_9) {
      let x_10 : i64 = i_8 * k_5
      => x_10
    }
    let m_11 : i64 <= k_5, odd_12 : i64[m_11] <= k_5 = pack thread [k_5] (i_13 | p_14) {
      let x_15 : i64 = xs_7[p_14]
      let r_16 : i64 = x_15 % 2
      let is_17 : bool = r_16 == 1
      => is_17, x_15
    }
    let n_18 : i64 <= k_5, ys_19 : i64[n_18] <= k_5 = if big_6 { => m_11, odd_12 } else { => k_5, xs_7 }
    let s_20 : i64 = reduce thread [n_18] (i_21 | p_22) by (a_23 : i64 | b_24 : i64) { let c_25 : i64 = a_23 + b_24; => c_25 } from 0 { let x_26 : i64 = ys_19[p_22]; => x_26 }
    let table_27 : i64[3] = [s_20, k_5, 7]
    let j_28 : i64 = i_3 % 3
    let pick_29 : i64 = table_27[j_28]
    let t_30 : i64, zs_31 : i64[2] = loop t_32 : i64 = 0, zs_33 : i64[2] <= 2 = table_27 while { let go_34 : bool = t_32 < 3; => go_34 } do {
      let u_35 : i64 = t_32 + 1
      let next_36 : i64[2] <= 2 = map thread [2] (i_37 | p_38) {
        let other_41 : i64 = 1 - p_38
        let x_42 : i64 = zs_33[other_41]
        let y_43 : i64 = x_42 + t_32
        => y_43
      }
      => u_35, next_36
    }
    let end_39 : i64 = zs_31[0]
    let e_44 : i64 = end_39 + pick_29
    => s_20, e_44
  }
  => n_0, out_2, same_40
}
";

#[test]
fn local_arrays_are_expanded() {
    let ks: Vec<i64> = vec![3, 0, 7, 1, 12, 5, 0, 0, 9, 4];
    let each = |(i, k): (usize, &i64)| {
        let xs: Vec<i64> = (0..*k).map(|j| j * k).collect();
        let ys: Vec<i64> = if *k > 4 { xs.iter().copied().filter(|x| x % 2 == 1).collect() } else { xs };
        let s: i64 = ys.iter().sum();
        let table = [s, *k, 7];
        let mut zs = [table[0], table[1]];
        for t in 0..3 {
            zs = [zs[1] + t, zs[0] + t];
        }
        Data::Tuple(vec![scalar(s), scalar(zs[0] + table[i % 3])])
    };
    let expected = Data::Array(ks.iter().enumerate().map(each).collect());
    check(LOCAL_ARRAYS, &[array(&ks)], &expected);
}

const ROWS: &str = "
entry iotas(n_0 : i64, ks_1 : i64[n_0]) -> (i64, i64[n_0 + 1], i64, i64[t_9])
  takes [length]i64
  gives [length][off]i64
{
  let off_2 : i64[n_0 + 1] = scan grid [n_0] (i_3 | p_4) by (a_5 : i64 | b_6 : i64) { let c_7 : i64 = a_5 + b_6; => c_7 } from 0 offsets { let x_8 : i64 = ks_1[p_4]; => x_8 }
  let t_9 : i64 = off_2[n_0]
  let rows_10 : i64[t_9] = map grid [n_0] (i_11 | p_12) rows off_2 {
    let k_13 : i64 = ks_1[p_12]
    let even_14 : i64 = i_11 % 2
    let is_15 : bool = even_14 == 0
    let row_16 : i64[k_13] <= k_13 = if is_15 {
      let a_17 : i64[k_13] <= k_13 = map thread [k_13] (i_18 | p_19) { => i_18 }
      => a_17
    } else {
      let b_20 : i64[k_13] <= k_13 = map thread [k_13] (i_21 | p_22) { let m_23 : i64 = 0 - i_21; => m_23 }
      => b_20
    }
    => row_16
  }
  => n_0, off_2, t_9, rows_10
}
";

#[test]
fn rows_are_built_in_place() {
    let ks: Vec<i64> = vec![3, 0, 7, 1, 12, 5, 0, 0, 9, 4];
    let row = |(i, k): (usize, &i64)| (0..*k).map(|j| if i % 2 == 0 { j } else { -j }).collect::<Vec<i64>>();
    let expected: Vec<Vec<i64>> = ks.iter().enumerate().map(row).collect();
    let stats = check(ROWS, &[array(&ks)], &rows(&expected));
    assert_eq!(stats.host_reads, 1, "the total is needed to allocate");
}

const HOST_CONTROL: &str = "
check 0 : assert \"small\"

def halve(n_0 : i64, xs_1 : i64[n_0], d_2 : i64) -> (i64, i64[r_20]) {
  let s_3 : i64 = reduce grid [n_0] (i_4 | p_5) by (a_6 : i64 | b_7 : i64) { let c_8 : i64 = a_6 + b_7; => c_8 } from 0 { let x_9 : i64 = xs_1[p_5]; => x_9 }
  let small_10 : bool = d_2 < 50
  check 0 assert small_10 ()
  let stop_11 : bool = s_3 < 10
  let r_20 : i64, ys_21 : i64[r_20] = if stop_11 { => n_0, xs_1 } else {
    let k_12 : i64 <= n_0, zs_13 : i64[k_12] <= n_0 = pack grid [n_0] (i_14 | p_15) {
      let x_16 : i64 = xs_1[p_15]
      let h_17 : i64 = x_16 / 2
      let keep_18 : bool = h_17 > 0
      => keep_18, h_17
    }
    let d_19 : i64 = d_2 + 1
    let r_22 : i64, ys_23 : i64[r_22] = call halve(k_12, zs_13, d_19)
    => r_22, ys_23
  }
  => r_20, ys_21
}

entry control(n_0 : i64, xs_1 : i64[n_0], times_2 : i64) -> (i64, i64[n_3], i64)
  takes [length]i64, i64
  gives ([length]i64, i64)
{
  let n_3 : i64, ys_4 : i64[n_3] = call halve(n_0, xs_1, 0)
  let k_5 : i64, acc_6 : i64, zs_7 : i64[n_3] = loop k_8 : i64 = 0, acc_9 : i64 = 5, zs_10 : i64[n_3] = ys_4 while { let go_11 : bool = k_8 < times_2; => go_11 } do {
    let next_12 : i64[n_3] <= n_3 = map grid [n_3] (i_13 | p_14) {
      let z_15 : i64 = zs_10[p_14]
      let w_16 : i64 = z_15 + acc_9
      => w_16
    }
    let sum_17 : i64 = reduce grid [n_3] (i_18 | p_19) by (a_20 : i64 | b_21 : i64) { let c_22 : i64 = a_20 + b_21; => c_22 } from 0 { let x_23 : i64 = next_12[p_19]; => x_23 }
    let acc_24 : i64 = sum_17 % 7
    let k_25 : i64 = k_8 + 1
    => k_25, acc_24, next_12
  }
  => n_3, zs_7, acc_6
}
";

#[test]
fn host_control_flow() {
    fn halve(xs: Vec<i64>) -> Vec<i64> {
        if xs.iter().sum::<i64>() < 10 { xs } else { halve(xs.iter().map(|x| x / 2).filter(|x| *x > 0).collect()) }
    }
    let xs: Vec<i64> = (0..40).map(|i| (i * 17) % 23).collect();
    for times in [0i64, 1, 4] {
        let mut zs = halve(xs.clone());
        let mut acc = 5;
        for _ in 0..times {
            zs.iter_mut().for_each(|z| *z += acc);
            acc = zs.iter().sum::<i64>() % 7;
        }
        let expected = Data::Tuple(vec![array(&zs), scalar(acc)]);
        for tiles in [TileSizes::TINY, TileSizes::NORMAL] {
            let loaded = load(HOST_CONTROL, tiles);
            let (found, stats) = loaded.call("control", &[array(&xs), scalar(times)]).expect("runs");
            assert_eq!(found, expected);
            // The condition, and the number of elements for the next wave; nothing in the loop.
            assert_eq!(stats.host_reads, 2 * stats.calls - 1);
        }
    }
}

const MATRIX: &str = "
entry rows_of_3d(n_0 : i64, m_1 : i64, off_2 : i64[m_1*n_0 + 1], t_3 : i64, xs_4 : f64[t_3]) -> (i64, i64, f64[m_1*n_0])
  takes [length][length][off]f64
  gives [length][length]f64
{
  let out_5 : f64[m_1*n_0] = reduce LEVEL [n_0][m_1][off_2] (i_6, j_7, k_8 | p_9, q_10, r_11 <= t_3) by (a_12 : f64 | b_13 : f64) { let c_14 : f64 = a_12 + b_13; => c_14 } from 0.0 {
    let x_15 : f64 = xs_4[r_11]
    let d_16 : i64 = i_6 * 100
    let e_17 : i64 = j_7 * 10
    let f_18 : i64 = d_16 + e_17
    let g_19 : i64 = f_18 + k_8
    let h_20 : f64 = f64(g_19)
    let y_21 : f64 = x_15 * h_20
    => y_21
  }
  => n_0, m_1, out_5
}
";

#[test]
fn three_dimensions() {
    let (n, m) = (5usize, 3usize);
    let length = |i: usize, j: usize| (i * 4 + j * 3) % 7;
    let cube: Vec<Vec<Vec<f64>>> = (0..n)
        .map(|i| (0..m).map(|j| (0..length(i, j)).map(|k| ((i + j + k) % 8) as f64 / 8.0).collect()).collect())
        .collect();
    let sum = |i: usize, j: usize| -> f64 {
        cube[i][j].iter().enumerate().map(|(k, x)| x * (i * 100 + j * 10 + k) as f64).sum()
    };
    let expected: Vec<Vec<f64>> = (0..n).map(|i| (0..m).map(|j| sum(i, j)).collect()).collect();
    let data = Data::Array(cube.iter().map(|plane| rows(plane)).collect());
    for level in ["grid", "thread"] {
        check(&MATRIX.replace("LEVEL", level), std::slice::from_ref(&data), &rows(&expected));
    }
}
