//! Reductions of rows: irregular, regular and position-dependent ones, and rows that a block of threads shares.

use super::{Programs, affine, int, ints, pair, ragged, rows};
use terrace_plan::data::Data;

pub(crate) const PROGRAM: &str = r#"
check 0 : assert "small"
check 1 : index

entry sums(n_0 : i64, off_1 : i64[n_0 + 1], c_2 : i64, xs_3 : i64[c_2]) -> (i64, i64[n_0])
  takes [length][off]i64
  gives [length]i64
{
  let out_4 : i64[n_0] = reduce grid [n_0][off_1] (i_5, j_6 | p_7, q_8) by (a_9 : i64 | b_10 : i64) { let c_11 : i64 = a_9 + b_10; => c_11 } from 0 {
    let x_12 : i64 = xs_3[q_8]
    let y_13 : i64 = x_12 * i_5
    let z_14 : i64 = y_13 + j_6
    => z_14
  }
  => n_0, out_4
}

entry masked(n_0 : i64, off_1 : i64[n_0 + 1], c_2 : i64, xs_3 : i64[c_2]) -> (i64, i64[n_0])
  takes [length][off]i64
  gives [length]i64
{
  let out_4 : i64[n_0] = reduce grid [n_0][off_1] (i_5, j_6 | p_7, q_8) by (a_9 : i64 | b_10 : i64) { let c_11 : i64 = a_9 + b_10; => c_11 } from 0 masked {
    let x_12 : i64 = xs_3[q_8]
    let y_13 : bool = x_12 > 0
    => y_13, x_12
  }
  => n_0, out_4
}

entry affine(n_0 : i64, off_1 : i64[n_0 + 1], c_2 : i64, xs_3 : i64[c_2]) -> (i64, i64[n_0], i64[n_0])
  takes [length][off]i64
  gives [length](i64, i64)
{
  let out_4 : i64[n_0], t_5 : i64[n_0] = reduce grid [n_0][off_1] (i_6, j_7 | p_8, q_9) by AFFINE {
    let x_12 : i64 = xs_3[q_9]
    let y_13 : i64 = x_12 | 1
    => y_13, x_12
  }
  => n_0, out_4, t_5
}

entry checked(n_0 : i64, off_1 : i64[n_0 + 1], c_2 : i64, xs_3 : i64[c_2]) -> (i64, i64[n_0])
  takes [length][off]i64
  gives [length]i64
{
  let out_4 : i64[n_0] = reduce grid [n_0][off_1] (i_5, j_6 | p_7, q_8) by (a_9 : i64 | b_10 : i64) { let c_11 : i64 = a_9 + b_10; => c_11 } from 0 {
    let x_12 : i64 = xs_3[q_8]
    let y_13 : bool = x_12 < 5
    check 0 assert y_13 ()
    => x_12
  }
  => n_0, out_4
}

entry pairs(k_20 : i64, n_0 : i64, off_1 : i64[n_0 + 1], c_2 : i64, xs_3 : i64[c_2]) -> (i64, i64[n_0])
  takes i64, [length][off]i64
  gives [length]i64
{
  let out_4 : i64[n_0] = reduce grid [k_20][2][off_1] (h_5, i_6, j_7 | p_8, q_9, r_10) by (a_11 : i64 | b_12 : i64) { let c_13 : i64 = a_11 + b_12; => c_13 } from 0 {
    let x_14 : i64 = xs_3[r_10]
    let y_15 : i64 = x_14 * h_5
    let z_16 : i64 = y_15 + i_6
    let w_17 : i64 = z_16 ^ j_7
    => w_17
  }
  => n_0, out_4
}

entry rectangle(n_0 : i64, m_1 : i64) -> (i64, i64[n_0])
  takes i64, i64
  gives [length]i64
{
  let out_4 : i64[n_0] = reduce grid [n_0][m_1] (i_5, j_6 | p_7, q_8) by (a_9 : i64 | b_10 : i64) { let c_11 : i64 = a_9 + b_10; => c_11 } from 0 {
    let y_13 : i64 = q_8 * i_5
    let z_14 : i64 = y_13 + j_6
    => z_14
  }
  => n_0, out_4
}

entry triangle(n_0 : i64) -> (i64, i64[n_0])
  takes i64
  gives [length]i64
{
  let out_4 : i64[n_0] = reduce grid [n_0][(i_20) i_20] (i_5, j_6 | p_7, q_8) by (a_9 : i64 | b_10 : i64) { let c_11 : i64 = a_9 + b_10; => c_11 } from 0 {
    let y_13 : i64 = q_8 * i_5
    let z_14 : i64 = y_13 + j_6
    => z_14
  }
  => n_0, out_4
}

entry by_blocks(n_0 : i64, off_1 : i64[n_0 + 1], c_2 : i64, xs_3 : i64[c_2]) -> (i64, i64[n_0])
  takes [length][off]i64
  gives [length]i64
{
  let out_4 : i64[n_0] = map grid [n_0] (i_5 | p_6) {
    let from_7 : i64 = off_1[i_5]
    let next_8 : i64 = i_5 + 1
    let to_9 : i64 = off_1[next_8]
    let l_10 : i64 = to_9 - from_7
    let a_11 : i64, b_12 : i64 = reduce block [l_10] (j_13 | q_14) by AFFINE {
      let k_15 : i64 = from_7 + q_14
      let x_16 : i64 = xs_3[k_15]
      let ok_17 : bool = x_16 != 77
      check 1 index ok_17 (k_15, x_16)
      let y_18 : i64 = x_16 | 1
      => y_18, x_16
    }
    let s_19 : i64 = a_11 ^ b_12
    => s_19
  }
  => n_0, out_4
}
"#;

fn whole_rows(list: &[Vec<i64>]) -> Vec<(i64, i64)> {
    list.iter().map(|row| row.iter().fold((1, 0), |acc, n| affine(acc, *n))).collect()
}

#[test]
fn irregular() {
    let p = Programs::of(PROGRAM);
    for list in ragged() {
        let sum = |(i, row): (usize, &Vec<i64>)| {
            let elements = row.iter().enumerate().map(|(j, x)| x.wrapping_mul(i as i64).wrapping_add(j as i64));
            elements.fold(0, i64::wrapping_add)
        };
        let wanted: Vec<i64> = list.iter().enumerate().map(sum).collect();
        p.check("sums", &[rows(&list)], &ints(&wanted));
        let positive = |row: &Vec<i64>| row.iter().filter(|n| **n > 0).fold(0, |a: i64, b| a.wrapping_add(*b));
        let wanted: Vec<i64> = list.iter().map(positive).collect();
        p.check("masked", &[rows(&list)], &ints(&wanted));
        let wanted = whole_rows(&list).into_iter().map(pair).collect();
        p.check("affine", &[rows(&list)], &Data::Array(wanted));
    }
}

#[test]
fn below_two_dimensions() {
    let p = Programs::of(PROGRAM);
    for list in ragged().into_iter().filter(|list| list.len() % 2 == 0) {
        let element = |q: usize, j: usize, x: i64| x.wrapping_mul(q as i64 / 2).wrapping_add(q as i64 % 2) ^ j as i64;
        let sum = |(q, row): (usize, &Vec<i64>)| {
            row.iter().enumerate().map(|(j, x)| element(q, j, *x)).fold(0, i64::wrapping_add)
        };
        let wanted: Vec<i64> = list.iter().enumerate().map(sum).collect();
        p.check("pairs", &[int(list.len() as i64 / 2), rows(&list)], &ints(&wanted));
    }
}

#[test]
fn computed() {
    let p = Programs::of(PROGRAM);
    for (n, m) in [(0, 5), (5, 0), (3, 1), (10, 64), (7, 33), (2, 1000), (300, 2)] {
        let wanted: Vec<i64> = (0..n).map(|i| (0..m).map(|j| (i * m + j) * i + j).sum()).collect();
        p.check("rectangle", &[int(n), int(m)], &ints(&wanted));
    }
    for n in [0, 1, 2, 10, 70] {
        let row = |i: i64| (0..i).map(|j| (i * (i - 1) / 2 + j) * i + j).sum();
        let wanted: Vec<i64> = (0..n).map(row).collect();
        p.check("triangle", &[int(n)], &ints(&wanted));
    }
}

#[test]
fn of_a_block_each() {
    let p = Programs::of(PROGRAM);
    for mut list in ragged().into_iter().filter(|list| list.len() <= 200) {
        let wanted: Vec<i64> = whole_rows(&list).into_iter().map(|(a, b)| a ^ b).collect();
        p.check("by_blocks", &[rows(&list)], &ints(&wanted));
        if list.len() == 60 {
            let start: usize = list[..33].iter().map(Vec::len).sum();
            [(53, 40), (33, 50), (33, 80)].into_iter().for_each(|(i, j): (usize, usize)| list[i][j] = 77);
            p.check_failure("by_blocks", &[rows(&list)], (1, 33, &[start as i64 + 50, 77]));
        }
    }
}

#[test]
fn that_fail() {
    let p = Programs::of(PROGRAM);
    let mut list: Vec<Vec<i64>> = (0..60).map(|i| vec![1; i % 7]).collect();
    [(41, 3), (20, 5), (55, 1)].into_iter().for_each(|(i, j): (usize, usize)| list[i][j] = 6);
    let at: usize = list[..20].iter().map(Vec::len).sum::<usize>() + 5;
    p.check_failure("checked", &[rows(&list)], (0, at as i64, &[]));
}
