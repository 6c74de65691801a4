//! Sums of elements that lie anywhere, in threads and over the grid: the same bits, and the failure that comes first in its row.
//!
//! Checks of a group of lanes are made together, and its elements are loaded one by one into a vector. Rows have lengths around a group,
//! and bad places are tried at every position.

use super::{SPMV, array, load, scalar};
use terrace_opt::options::TileSizes;
use terrace_plan::data::Data;
use terrace_runtime::RunError;

const IN_THREADS: &str = "
check 0 : index

entry dots(n_0 : i64, off_1 : i64[n_0 + 1], t_2 : i64, col_3 : i32[t_2], val_4 : f64[t_2], m_5 : i64, v_6 : f64[m_5]) -> (i64, f64[n_0])
  takes [length][off](i32, f64), [length]f64
  gives [length]f64
{
  let out_7 : f64[n_0] = map grid [n_0] (i_8 | p_9 <= n_0 - 1) {
    let start_10 : i64 = off_1[p_9]
    let next_11 : i64 = p_9 + 1
    let end_12 : i64 = off_1[next_11]
    let len_13 : i64 = end_12 - start_10
    let sum_14 : f64 = reduce thread [len_13] (j_15 | q_16) by (a_17 : f64 | b_18 : f64) { let c_19 : f64 = a_17 + b_18; => c_19 } from 0.0 {
      let at_20 : i64 <= t_2 - 1 = start_10 + q_16
      let c_21 : i32 = col_3[at_20]
      let k_22 : i64 = i64(c_21)
      let low_23 : bool = 0 <= k_22
      let high_24 : bool = k_22 < m_5
      let ok_25 : bool = low_23 & high_24
      check 0 index ok_25 (k_22, m_5)
      let x_26 : f64 = v_6[k_22]
      let y_27 : f64 = val_4[at_20]
      let z_28 : f64 = y_27 * x_26
      => z_28
    }
    => sum_14
  }
  => n_0, out_7
}
";

fn matrix(rows: &[Vec<i32>]) -> Data {
    let cell = |(j, c): (usize, &i32)| Data::Tuple(vec![scalar(*c), scalar(1.0 / (j as f64 + 3.0))]);
    Data::Array(rows.iter().map(|r| Data::Array(r.iter().enumerate().map(cell).collect())).collect())
}

fn row(length: usize) -> Vec<i32> {
    (0..length).map(|j| (j as i32 * 7 + length as i32) % 23).collect()
}

/// The association of `terrace_opt::lower::kernels::reduce`, by hand.
fn sum(xs: &[f64], block: usize) -> f64 {
    xs.chunks(block).fold(0.0, |total, block| {
        let (groups, rest) = block.split_at(block.len() / 8 * 8);
        let mut lanes = [0.0; 8];
        groups.iter().enumerate().for_each(|(j, x)| lanes[j % 8] += x);
        for half in [4, 2, 1] {
            (0..half).for_each(|l| lanes[l] += lanes[l + half]);
        }
        total + (lanes[0] + rest.iter().fold(0.0, |s, x| s + x))
    })
}

#[test]
fn threads_and_grid_add_up_alike() {
    let v: Vec<f64> = (0..23).map(|i| 1.0 / (f64::from(i) + 1.5)).collect();
    let rows: Vec<Vec<i32>> = (0..60).chain([4095, 4096, 4097, 9000]).map(row).collect();
    for tiles in [TileSizes::TINY, TileSizes::NORMAL] {
        let product = |(j, c): (usize, &i32)| v[*c as usize] * (1.0 / (j as f64 + 3.0));
        let sum_of =
            |r: &Vec<i32>| sum(&r.iter().enumerate().map(product).collect::<Vec<f64>>(), tiles.cpu_reduce_block);
        let expected = array(&rows.iter().map(sum_of).collect::<Vec<f64>>());
        let args = [matrix(&rows), array(&v)];
        for text in [IN_THREADS, SPMV] {
            let (found, _) = load(text, tiles).call(0usize, &args).expect("runs");
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn the_first_failure_of_a_row_is_reported() {
    let v = array(&[1.0f64; 23]);
    for tiles in [TileSizes::TINY, TileSizes::NORMAL] {
        let loaded = load(IN_THREADS, tiles);
        for bad in 0..27 {
            let mut rows = vec![row(5), row(27), row(27), row(40)];
            rows[1][bad] = if bad % 2 == 0 { 23 } else { -1 };
            rows[1][26] = if bad < 26 { 99 } else { rows[1][26] };
            rows[3][0] = 77;
            match loaded.call(0usize, &[matrix(&rows), v.clone()]) {
                Err(RunError::Check { check, index, values }) => {
                    assert_eq!((check, index, &values[..2]), (0, 1, &[i64::from(rows[1][bad]), 23][..]), "{bad}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
