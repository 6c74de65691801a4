//! Points that compute several functions: the same bits as one after the other, whatever crosses from stage to stage.

use super::{array, check};
use terrace_base::elementary::{exp, log};

const SEVERAL: &str = "
entry several(n_0 : i64, xs_1 : f64[n_0]) -> (i64, f64[n_0], i64, f64[n_0])
  takes [length]f64
  gives ([length]f64, [length]f64)
{
  let out_2 : f64[n_0], more_3 : f64[n_0] = map grid [n_0] (i_4 | p_5) {
    let x_6 : f64 = xs_1[p_5]
    let big_7 : bool = x_6 > 1.0
    let a_8 : f64 = exp x_6
    let b_9 : f64 = a_8 + x_6
    let c_10 : f64 = log b_9
    let d_11 : f64 = if big_7 { => c_10 } else { let m_12 : f64 = c_10 * x_6; => m_12 }
    let e_13 : f64 = exp d_11
    let f_14 : f64 = if big_7 { let s_15 : f64 = e_13 - a_8; => s_15 } else { => d_11 }
    let g_16 : f64 = f_14 * b_9
    => g_16, e_13
  }
  => n_0, out_2, n_0, more_3
}
";

#[test]
fn functions_one_at_a_time() {
    for n in [0, 1, 2, 7, 8, 63, 64, 65, 200, 16384 + 70] {
        let xs: Vec<f64> = (0..n).map(|i| f64::from(i * 37 % 101) / 32.0).collect();
        let (mut out, mut more) = (Vec::new(), Vec::new());
        for x in &xs {
            let a = exp(*x);
            let b = a + x;
            let c = log(b);
            let d = if *x > 1.0 { c } else { c * x };
            let e = exp(d);
            out.push(if *x > 1.0 { e - a } else { d } * b);
            more.push(e);
        }
        check(SEVERAL, &[array(&xs)], &terrace_plan::data::Data::Tuple(vec![array(&out), array(&more)]));
    }
}
