//! Scans and packs, of one dimension and of rows, and sizes that only the device knows.

use super::{Programs, affine, int, ints, lists, number, pair, ragged, rows};
use terrace_plan::data::Data;

pub(crate) const PROGRAM: &str = "
entry offsets(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0 + 1])
  takes [length]i64
  gives [length]i64
{
  let out_2 : i64[n_0 + 1] = scan grid [n_0] (i_3 | q_4) by (a_5 : i64 | b_6 : i64) { let c_7 : i64 = a_5 + b_6; => c_7 } from 0 offsets {
    let x_8 : i64 = xs_1[q_4]
    => x_8
  }
  let m_9 : i64 = n_0 + 1
  => m_9, out_2
}

entry affine(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0], i64[n_0])
  takes [length]i64
  gives [length](i64, i64)
{
  let s_2 : i64[n_0], t_3 : i64[n_0] = scan grid [n_0] (i_4 | q_5) by AFFINE inclusive {
    let x_8 : i64 = xs_1[q_5]
    let y_9 : i64 = x_8 | 1
    => y_9, x_8
  }
  => n_0, s_2, t_3
}

entry affine_rows(n_0 : i64, off_1 : i64[n_0 + 1], c_2 : i64, xs_3 : i64[c_2]) -> (i64, i64[n_0 + 1], i64, i64[c_2], i64[c_2])
  takes [length][off]i64
  gives [length][off](i64, i64)
{
  let out_4 : i64[c_2], t_5 : i64[c_2] = scan grid [n_0][off_1] (i_6, j_7 | p_8, q_9) by AFFINE inclusive {
    let x_12 : i64 = xs_3[q_9]
    let y_13 : i64 = x_12 | 1
    => y_13, x_12
  }
  => n_0, off_1, c_2, out_4, t_5
}

entry affine_grid(n_0 : i64, m_1 : i64, c_2 : i64, xs_3 : i64[c_2]) -> (i64, i64[n_0*m_1], i64[n_0*m_1])
  takes i64, i64, [length]i64
  gives [length](i64, i64)
{
  let s_4 : i64[n_0*m_1], t_5 : i64[n_0*m_1] = scan grid [n_0][m_1] (i_6, j_7 | p_8, q_9) by AFFINE inclusive {
    let x_12 : i64 = xs_3[q_9]
    let y_13 : i64 = x_12 | 1
    => y_13, x_12
  }
  let k_14 : i64 = n_0 * m_1
  => k_14, s_4, t_5
}

entry positive(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[m_2], i64[m_2])
  takes [length]i64
  gives [length](i64, i64)
{
  let m_2 : i64 <= n_0, ys_3 : i64[m_2] <= n_0, zs_4 : i64[m_2] <= n_0 = pack grid [n_0] (i_5 | q_6) {
    let x_7 : i64 = xs_1[q_6]
    let k_8 : bool = x_7 > 0
    => k_8, x_7, q_6
  }
  => m_2, ys_3, zs_4
}

entry positive_rows(n_0 : i64, off_1 : i64[n_0 + 1], c_2 : i64, xs_3 : i64[c_2]) -> (i64, i64[n_0 + 1], i64, i64[m_6])
  takes [length][off]i64
  gives [length][off]i64
{
  let o_4 : i64[n_0 + 1], ys_5 : i64[c_2] <= c_2 = pack grid [n_0][off_1] (i_7, j_8 | p_9, q_10) {
    let x_11 : i64 = xs_3[q_10]
    let k_12 : bool = x_11 > 0
    => k_12, x_11
  }
  let m_6 : i64 <= c_2 = o_4[n_0]
  => n_0, o_4, m_6, ys_5
}

entry chain(n_0 : i64, xs_1 : i64[n_0]) -> (i64)
  takes [length]i64
  gives i64
{
  let m_2 : i64 <= n_0, ys_3 : i64[m_2] <= n_0 = pack grid [n_0] (i_5 | q_6) {
    let x_7 : i64 = xs_1[q_6]
    let k_8 : bool = x_7 > 0
    => k_8, x_7
  }
  let zs_9 : i64[m_2] <= n_0 = map grid [m_2] (i_10 | q_11) {
    let x_12 : i64 = ys_3[q_11]
    let y_13 : i64 = x_12 * 3
    => y_13
  }
  let os_14 : i64[m_2 + 1] <= n_0 + 1 = scan grid [m_2] (i_15 | q_16) by (a_17 : i64 | b_18 : i64) { let c_19 : i64 = a_17 + b_18; => c_19 } from 0 offsets {
    let x_20 : i64 = zs_9[q_16]
    => x_20
  }
  let s_21 : i64 = reduce grid [m_2] (i_22 | q_23) by (a_24 : i64 | b_25 : i64) { let c_26 : i64 = a_24 + b_25; => c_26 } from 0 {
    let x_27 : i64 = os_14[q_23]
    => x_27
  }
  => s_21
}
";

fn prefixes(list: &[i64]) -> Data {
    let scanned = list.iter().scan((1, 0), |acc, n| {
        *acc = affine(*acc, *n);
        Some(pair(*acc))
    });
    Data::Array(scanned.collect())
}

#[test]
fn of_one_dimension() {
    let p = Programs::of(PROGRAM);
    for list in lists() {
        let mut wanted = vec![0i64];
        list.iter().for_each(|n| wanted.push(wanted[wanted.len() - 1].wrapping_add(*n)));
        p.check("offsets", &[ints(&list)], &ints(&wanted));
        p.check("affine", &[ints(&list)], &prefixes(&list));
        let kept = list.iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, n)| pair((*n, i as i64)));
        p.check("positive", &[ints(&list)], &Data::Array(kept.collect()));
        let mut offset = 0i64;
        let before = list.iter().filter(|n| **n > 0).map(|n| {
            let start = offset;
            offset = offset.wrapping_add(n.wrapping_mul(3));
            start
        });
        let wanted = before.fold(0, i64::wrapping_add);
        p.check("chain", &[ints(&list)], &int(wanted));
    }
}

#[test]
fn of_equally_long_rows() {
    let p = Programs::of(PROGRAM);
    let shapes =
        [(0, 3), (3, 0), (1, 1), (70, 1), (50, 2), (50, 3), (30, 5), (9, 63), (9, 64), (9, 65), (4, 500), (1, 3000)];
    for (n, m) in shapes {
        let list: Vec<i64> = (0..n * m).map(number).collect();
        let rows = list.chunks(m.max(1)).map(prefixes).flat_map(|row| match row {
            Data::Array(row) => row,
            _ => Vec::new(),
        });
        let wanted = Data::Array(rows.collect());
        p.check("affine_grid", &[int(n as i64), int(m as i64), ints(&list)], &wanted);
    }
}

#[test]
fn of_rows() {
    let p = Programs::of(PROGRAM);
    for list in ragged() {
        p.check("affine_rows", &[rows(&list)], &Data::Array(list.iter().map(|row| prefixes(row)).collect()));
        let kept: Vec<Vec<i64>> = list.iter().map(|row| row.iter().copied().filter(|n| *n > 0).collect()).collect();
        p.check("positive_rows", &[rows(&list)], &rows(&kept));
    }
}
