//! Matrix products: squares of points whose operands lie in shared memory, read along rows and along columns.

use super::{Programs, int, ints, lowered, number};
use terrace_opt::options::TileSizes;
use terrace_plan::data::Data;

pub(crate) const PROGRAM: &str = r#"
entry product(n_0 : i64, m_1 : i64, k_2 : i64, s_3 : i64, a_4 : i64[s_3], t_5 : i64, b_6 : i64[t_5]) -> (i64, i64[n_0*m_1])
  takes i64, i64, i64, [length]i64, [length]i64
  gives [length]i64
{
  let c_7 : i64 = n_0 * m_1
  let out_8 : i64[n_0*m_1] = map grid [n_0][m_1] (i_9, j_10 | p_11, q_12) {
    let row_13 : i64 = i_9 * k_2
    let sum_14 : i64 = reduce thread [k_2] (h_15 | r_16) by (x_17 : i64 | y_18 : i64) { let z_19 : i64 = x_17 + y_18; => z_19 } from 0 {
      let at_20 : i64 = row_13 + h_15
      let u_21 : i64 = a_4[at_20]
      let down_22 : i64 = h_15 * m_1
      let to_23 : i64 = down_22 + j_10
      let v_24 : i64 = b_6[to_23]
      let w_25 : i64 = u_21 * v_24
      => w_25
    }
    let f_26 : i64 = i_9 * 1000
    let g_27 : i64 = f_26 + j_10
    let e_28 : i64 = sum_14 + g_27
    => e_28
  }
  => c_7, out_8
}
"#;

#[test]
fn squares_of_points() {
    let programs = Programs::of(PROGRAM);
    for (n, k, m) in [(0, 3, 2), (2, 0, 3), (1, 1, 1), (2, 5, 3), (13, 7, 17), (9, 40, 33), (40, 2, 1), (1, 3, 70)] {
        let a: Vec<i64> = (0..n * k).map(|i| number(i) % 1000).collect();
        let b: Vec<i64> = (0..k * m).map(|i| number(i + 77) % 1000).collect();
        let point = |(i, j): (usize, usize)| {
            let sum: i64 = (0..k).map(|h| a[i * k + h] * b[h * m + j]).sum();
            sum + 1000 * i as i64 + j as i64
        };
        let expected: Vec<i64> = (0..n).flat_map(|i| (0..m).map(move |j| (i, j))).map(point).collect();
        let sizes = [n, m, k].map(|s| int(s as i64));
        let args: Vec<Data> = sizes.into_iter().chain([ints(&a), ints(&b)]).collect();
        programs.check("product", &args, &ints(&expected));
    }
}

#[test]
fn operands_are_staged_once_for_a_block() {
    let plan = lowered(PROGRAM, TileSizes::NORMAL);
    let texts: Vec<&str> = plan.kernels.iter().map(|k| k.text.as_str()).collect();
    let [text] = texts.as_slice() else { panic!("one kernel, not {}", texts.len()) };
    assert_eq!(text.matches("__shared__").count(), 2, "{text}");
    // Neighbouring threads read neighbours: of `a` along the sum, of `b` along the side.
    assert!(text.contains(">> 3") && text.contains(">> 6"), "{text}");
}
