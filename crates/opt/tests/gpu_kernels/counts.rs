//! Histograms and sorts: what blocks count in shared memory.

use super::{Programs, int, ints, lists};

pub(crate) const PROGRAM: &str = "
entry sums(k_0 : i64, n_1 : i64, xs_2 : i64[n_1]) -> (i64, i64[k_0])
  takes i64, [length]i64
  gives [length]i64
{
  let out_3 : i64[k_0] = hist grid [n_1] (i_4 | q_5) bins k_0 by (a_6 : i64 | b_7 : i64) { let c_8 : i64 = a_6 + b_7; => c_8 } from 0 {
    let x_9 : i64 = xs_2[q_5]
    let b_10 : i64 = x_9 % k_0
    => b_10, x_9
  }
  => k_0, out_3
}

entry sorted(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0])
  takes [length]i64
  gives [length]i64
{
  let out_2 : i64[n_0] = sort grid [n_0] (i_3 | q_4) keys {
    let x_5 : i64 = xs_1[q_4]
    => x_5
  }
  => n_0, out_2
}

entry order(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0])
  takes [length]i64
  gives [length]i64
{
  let out_2 : i64[n_0] = sort grid [n_0] (i_3 | q_4) {
    let x_5 : i64 = xs_1[q_4]
    let y_6 : i64 = x_5 % 10
    => y_6
  }
  => n_0, out_2
}
";

#[test]
fn of_one_dimension() {
    let programs = Programs::of(PROGRAM);
    for list in &lists() {
        // Two bins have many copies, a thousand have none.
        for bins in [2, 40, 1000] {
            let mut sums = vec![0i64; bins as usize];
            for x in list {
                let bin = &mut sums[x.rem_euclid(bins) as usize];
                *bin = bin.wrapping_add(*x);
            }
            programs.check("sums", &[int(bins), ints(list)], &ints(&sums));
        }
        let mut sorted = list.clone();
        sorted.sort();
        programs.check("sorted", &[ints(list)], &ints(&sorted));
        let mut order: Vec<i64> = (0..list.len() as i64).collect();
        order.sort_by_key(|i| list[*i as usize].rem_euclid(10));
        programs.check("order", &[ints(list)], &ints(&order));
    }
}
