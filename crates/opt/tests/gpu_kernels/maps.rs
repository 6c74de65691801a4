//! Maps: regular, irregular and position-dependent spaces, and checks that fail in several blocks.

use super::{Programs, floats, int, ints, lists, pair, ragged, rows};
use terrace_base::Scalar;
use terrace_plan::data::Data;

pub(crate) const PROGRAM: &str = r#"
check 0 : assert "small"

entry saxpy(a_0 : f64, n_1 : i64, xs_2 : f64[n_1], m_3 : i64, ys_4 : f64[m_3]) -> (i64, f64[n_1])
  takes f64, [length]f64, [length]f64
  gives [length]f64
{
  let out_5 : f64[n_1] = map grid [n_1] (i_6 | q_7) {
    let x_8 : f64 = xs_2[q_7]
    let y_9 : f64 = ys_4[q_7]
    let r_10 : f64 = fma(a_0, x_8, y_9)
    => r_10
  }
  => n_1, out_5
}

entry ragged(n_0 : i64, off_1 : i64[n_0 + 1], c_2 : i64, xs_3 : i64[c_2]) -> (i64, i64[n_0 + 1], i64, i64[c_2])
  takes [length][off]i64
  gives [length][off]i64
{
  let out_4 : i64[c_2] = map grid [n_0][off_1] (i_5, j_6 | p_7, q_8) {
    let x_9 : i64 = xs_3[q_8]
    let a_10 : i64 = i_5 * 1000000
    let b_11 : i64 = j_6 * 1000
    let d_12 : i64 = a_10 + b_11
    let e_13 : i64 = x_9 & 7
    let f_14 : i64 = d_12 + e_13
    => f_14
  }
  => n_0, off_1, c_2, out_4
}

entry checked(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0])
  takes [length]i64
  gives [length]i64
{
  let out_2 : i64[n_0] = map grid [n_0] (i_3 | q_4) {
    let x_5 : i64 = xs_1[q_4]
    let ok_6 : bool = x_5 < 5
    check 0 assert ok_6 ()
    => x_5
  }
  => n_0, out_2
}

entry triangle(n_0 : i64) -> (i64, i64)
  takes i64
  gives (i64, i64)
{
  let out_1 : i64[(n_0*n_0 + n_0)/2] = map grid [n_0][(i_20) i_20 + 1] (i_2, j_3 | p_4, q_5) {
    let a_6 : i64 = i_2 * 1000
    let b_7 : i64 = a_6 + j_3
    let c_8 : i64 = b_7 * q_5
    => c_8
  }
  let m_15 : i64 = size (n_0*n_0 + n_0)/2
  let s_16 : i64 = reduce grid [m_15] (k_17 | k_18) by (l_19 : i64 | r_21 : i64) { let t_22 : i64 = l_19 + r_21; => t_22 } from 0 {
    let v_23 : i64 = out_1[k_18]
    => v_23
  }
  => m_15, s_16
}
"#;

#[test]
fn of_one_dimension() {
    let p = Programs::of(PROGRAM);
    for list in lists() {
        let xs: Vec<f64> = list.iter().map(|n| (n & 63) as f64 / 8.0).collect();
        let ys: Vec<f64> = xs.iter().rev().copied().collect();
        let wanted: Vec<f64> = xs.iter().zip(&ys).map(|(x, y)| 2.5f64.mul_add(*x, *y)).collect();
        p.check("saxpy", &[Data::Scalar(Scalar::F64(2.5)), floats(&xs), floats(&ys)], &floats(&wanted));
    }
}

#[test]
fn of_rows() {
    let p = Programs::of(PROGRAM);
    for list in ragged() {
        let element = |i: usize, j: usize, x: i64| i as i64 * 1000000 + j as i64 * 1000 + (x & 7);
        let row = |(i, r): (usize, &Vec<i64>)| r.iter().enumerate().map(|(j, x)| element(i, j, *x)).collect();
        let wanted: Vec<Vec<i64>> = list.iter().enumerate().map(row).collect();
        p.check("ragged", &[rows(&list)], &rows(&wanted));
    }
    for n in [0, 1, 2, 5, 30, 60] {
        let points = (0..n).flat_map(|i| (0..=i).map(move |j| i * 1000 + j));
        let wanted: i64 = points.enumerate().map(|(q, x)| q as i64 * x).sum();
        p.check("triangle", &[int(n)], &pair((n * (n + 1) / 2, wanted)));
    }
}

#[test]
fn that_fail() {
    let p = Programs::of(PROGRAM);
    p.check("checked", &[ints(&[1, 2, 3])], &ints(&[1, 2, 3]));
    let mut list = vec![1; 500];
    [499, 130, 77, 78, 300].into_iter().for_each(|i| list[i] = 9);
    p.check_failure("checked", &[ints(&list)], (0, 77, &[]));
    p.check_failure("checked", &[ints(&[9; 400])], (0, 0, &[]));
}
