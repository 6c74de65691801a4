//! Elements that stay, in every width: sizes around a vector, a group of points and a tile, with all, none and some of them kept.
//!
//! Processors with wide vectors pack a vector at a time, others element by element. The test runs itself once more with a compiler that is not
//! allowed to use wide vectors, so that both are seen.

use super::{array, load, plan, scalar};
use std::process::Command;
use terrace_base::Scalar;
use terrace_opt::options::TileSizes;
use terrace_plan::data::Data;
use terrace_runtime::RunError;

const COLUMNS: &str = "
entry keep(limit_0 : i32, n_1 : i64, xs_2 : i32[n_1]) -> (i64, u8[k_3], i64, i16[k_3], i64, f32[k_3], i64, f64[k_3], i64, bool[k_3])
  takes i32, [length]i32
  gives ([length]u8, [length]i16, [length]f32, [length]f64, [length]bool)
{
  let k_3 : i64 <= n_1, a_4 : u8[k_3] <= n_1, b_5 : i16[k_3] <= n_1, c_6 : f32[k_3] <= n_1, d_7 : f64[k_3] <= n_1, e_8 : bool[k_3] <= n_1 = pack grid [n_1] (i_9 | p_10) {
    let x_11 : i32 = xs_2[p_10]
    let keep_12 : bool = x_11 < limit_0
    let a_13 : u8 = u8(x_11)
    let b_14 : i16 = i16(x_11)
    let c_15 : f32 = f32(x_11)
    let d_16 : f64 = f64(x_11)
    let e_17 : bool = x_11 > 3i32
    => keep_12, a_13, b_14, c_15, d_16, e_17
  }
  => k_3, a_4, k_3, b_5, k_3, c_6, k_3, d_7, k_3, e_8
}
";

const ROWS: &str = "
entry keep(limit_0 : i32, n_1 : i64, off_2 : i64[n_1 + 1], t_3 : i64, xs_4 : i32[t_3]) -> (i64, i64[n_1 + 1], i64, i32[k_7], i64[k_7])
  takes i32, [length][off]i32
  gives [length][off](i32, i64)
{
  let koff_5 : i64[n_1 + 1], ys_6 : i32[k6(n_1)] <= t_3, js_8 : i64[k6(n_1)] <= t_3 = pack grid [n_1][off_2] (i_9, j_10 | p_11, q_12 <= t_3) {
    let x_13 : i32 = xs_4[q_12]
    let keep_14 : bool = x_13 < limit_0
    => keep_14, x_13, j_10
  }
  let k_7 : i64 <= t_3 = koff_5[n_1]
  => n_1, koff_5, k_7, ys_6, js_8
}
";

#[test]
fn rows_of_every_length() {
    let lengths = [0, 1, 63, 64, 65, 3, 1023, 1024, 1025, 0, 40_000, 7, 16_384];
    let row = |n: usize| (0..n).map(|i| (i * 37 % 101) as i32).collect::<Vec<i32>>();
    let all: Vec<Vec<i32>> = lengths.iter().map(|n| row(*n)).collect();
    let few: Vec<Vec<i32>> = all.iter().map(|r| r[..r.len().min(130)].to_vec()).collect();
    for (tiles, rows) in [(TileSizes::TINY, few), (TileSizes::NORMAL, all)] {
        let loaded = load(ROWS, tiles);
        for limit in [0, 13, 50, 101] {
            let pair = |(j, x): (usize, &i32)| Data::Tuple(vec![scalar(*x), scalar(j as i64)]);
            let kept =
                |r: &Vec<i32>| Data::Array(r.iter().enumerate().filter(|(_, x)| **x < limit).map(pair).collect());
            let wanted = Data::Array(rows.iter().map(kept).collect());
            let (found, _) = loaded.call("keep", &[scalar(limit), super::rows(&rows)]).expect("runs");
            assert_eq!(found, wanted, "{limit} {tiles:?}");
        }
    }
}

const CHECKED: &str = "
check 0 : assert \"small\"

entry keep(limit_0 : i32, n_1 : i64, off_2 : i64[n_1 + 1], t_3 : i64, xs_4 : i32[t_3]) -> (i64, i64[n_1 + 1], i64, i32[k_7])
  takes i32, [length][off]i32
  gives [length][off]i32
{
  let koff_5 : i64[n_1 + 1], ys_6 : i32[k6(n_1)] <= t_3 = pack grid [n_1][off_2] (i_8, j_9 | p_10, q_11 <= t_3) {
    let x_12 : i32 = xs_4[q_11]
    let ok_13 : bool = x_12 < 1000i32
    check 0 assert ok_13 ()
    let keep_14 : bool = x_12 < limit_0
    => keep_14, x_12
  }
  let k_7 : i64 <= t_3 = koff_5[n_1]
  => n_1, koff_5, k_7, ys_6
}
";

#[test]
fn points_whose_check_fails_are_not_kept() {
    let text: String = plan(CHECKED, TileSizes::NORMAL).kernels.iter().map(|k| k.text.as_str()).collect();
    let said = text.lines().any(|l| l.trim_start().starts_with("keep_a") && l.ends_with("] = false;"));
    assert!(said, "nothing says before the check that a point does not stay\n{text}");
    let mut row: Vec<i32> = (0..5000).map(|i| i % 101).collect();
    row[3000] = 2000;
    row[3001] = 2000;
    let loaded = load(CHECKED, TileSizes::NORMAL);
    match loaded.call("keep", &[scalar(50), super::rows(&[vec![1], row])]) {
        Err(RunError::Check { check: 0, index: 3001, .. }) => {}
        other => panic!("{:?}", other.map(|_| ())),
    }
}

fn column<T: Into<Scalar>>(kept: &[i32], of: impl Fn(i32) -> T) -> Data {
    Data::Array(kept.iter().map(|x| Data::Scalar(of(*x).into())).collect())
}

#[test]
fn columns_of_every_width() {
    let sizes = [0, 1, 2, 7, 8, 9, 15, 16, 17, 64, 65, 255, 256, 257, 1000, 16384, 16385 + 300];
    for tiles in [TileSizes::TINY, TileSizes::NORMAL] {
        let loaded = load(COLUMNS, tiles);
        for n in sizes.into_iter().filter(|n| tiles == TileSizes::NORMAL || *n < 300) {
            let xs: Vec<i32> = (0..n).map(|i| (i * 37 + i / 8) % 10).collect();
            for limit in [0, 1, 5, 9, 10] {
                let kept: Vec<i32> = xs.iter().copied().filter(|x| *x < limit).collect();
                let expected = Data::Tuple(vec![
                    column(&kept, |x| x as u8),
                    column(&kept, |x| x as i16),
                    column(&kept, |x| x as f32),
                    column(&kept, f64::from),
                    column(&kept, |x| x > 3),
                ]);
                let (found, _) = loaded.call(0usize, &[Data::Scalar(limit.into()), array(&xs)]).expect("runs");
                assert_eq!(found, expected, "{n} elements, those below {limit}");
            }
        }
    }
}

#[test]
fn columns_of_every_width_without_wide_vectors() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let mut again = Command::new(std::env::current_exe().expect("this test"));
    again.args(["--exact", "kept::columns_of_every_width"]).env("TERRACE_CC", "cc -mno-avx512f");
    let output = again.output().expect("ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
