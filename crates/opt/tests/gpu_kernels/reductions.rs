//! Reductions to a scalar.

use super::{Programs, affine, floats, int, ints, lists, pair};
use terrace_base::Scalar;
use terrace_plan::data::Data;

pub(crate) const PROGRAM: &str = "
entry total(n_0 : i64, xs_1 : f64[n_0]) -> (f64)
  takes [length]f64
  gives f64
{
  let s_2 : f64 = reduce grid [n_0] (i_3 | q_4) by (a_5 : f64 | b_6 : f64) { let c_7 : f64 = a_5 + b_6; => c_7 } from 0.0 {
    let x_8 : f64 = xs_1[q_4]
    => x_8
  }
  => s_2
}

entry masked(n_0 : i64, xs_1 : i64[n_0]) -> (i64)
  takes [length]i64
  gives i64
{
  let s_2 : i64 = reduce grid [n_0] (i_3 | q_4) by (a_5 : i64 | b_6 : i64) { let c_7 : i64 = a_5 + b_6; => c_7 } from 0 masked {
    let x_8 : i64 = xs_1[q_4]
    let k_9 : bool = x_8 > 0
    => k_9, x_8
  }
  => s_2
}

entry affine(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64)
  takes [length]i64
  gives (i64, i64)
{
  let s_2 : i64, t_3 : i64 = reduce grid [n_0] (i_4 | q_5) by AFFINE {
    let x_8 : i64 = xs_1[q_5]
    let y_9 : i64 = x_8 | 1
    => y_9, x_8
  }
  => s_2, t_3
}

entry in_order(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64)
  takes [length]i64
  gives (i64, i64)
{
  let s_2 : i64, t_3 : i64 = reduce thread [n_0] (i_4 | q_5) by AFFINE {
    let x_8 : i64 = xs_1[q_5]
    let y_9 : i64 = x_8 | 1
    => y_9, x_8
  }
  => s_2, t_3
}
";

#[test]
fn to_scalars() {
    let p = Programs::of(PROGRAM);
    for list in lists() {
        // Multiples of 1/8 below 8: their sums are exact in any order.
        let xs: Vec<f64> = list.iter().map(|n| (n & 63) as f64 / 8.0).collect();
        p.check("total", &[floats(&xs)], &Data::Scalar(Scalar::F64(xs.iter().fold(0.0, |a, b| a + b))));
        let kept = list.iter().filter(|n| **n > 0).fold(0, |a: i64, b| a.wrapping_add(*b));
        p.check("masked", &[ints(&list)], &int(kept));
        let wanted = pair(list.iter().fold((1, 0), |acc, n| affine(acc, *n)));
        p.check("affine", &[ints(&list)], &wanted);
        p.check("in_order", &[ints(&list)], &wanted);
    }
}
