//! Strided slices and updates.

use super::check;

const STRIDED: &str = "
check 0 : strided

entry f(o_0 : i64, a_1 : i64, s_2 : i64, xs_3 : []i64) -> []i64 {
  let e_4 : (i64, i64) = extent [o_0; a_1 by s_2]
  let low_5 : i64 = e_4.0
  let high_6 : i64 = e_4.1
  let n_7 : i64 = length xs_3
  let left_8 : bool = 0 <= low_5
  let right_9 : bool = high_6 < n_7
  let ok_10 : bool = left_8 & right_9
  check 0 strided ok_10 (low_5, high_6, n_7)
  let ys_11 : []i64 = strided xs_3[o_0; a_1 by s_2] after 0
  => ys_11
}
";

#[test]
fn strided_slices() {
    check(
        STRIDED,
        &[
            "0, 3, 2, [1, 2, 3, 4, 5]",
            "4, 3, -2, [1, 2, 3, 4, 5]",
            "0, 3, 3, [1, 2, 3, 4, 5]",
            "1, 3, -1, [1, 2, 3, 4, 5]",
            "2, 4, 0, [1, 2, 3]",
            "99, 0, 5, [1, 2, 3]",
            "99, 1, 5, [1, 2, 3]",
            "-9223372036854775808, 2, 9223372036854775807, [1]",
            "1, 9223372036854775807, 9223372036854775807, [1]",
            "-1, 9223372036854775807, -9223372036854775808, [1]",
            "1, 1, -9223372036854775808, [1, 7]",
            "5, 2, -9223372036854775808, [1, 7]",
            "-5, 4611686018427387905, 2, [1, 7]",
            "-4611686018427387904, 4611686018427387905, 2, [1, 7]",
        ],
    );
}

#[test]
fn extents_of_several_dimensions() {
    let (low, high) = (i64::MIN, i64::MAX);
    let calls: Vec<String> = [
        (0, [(3, 8), (2, 1)]),
        (10, [(3, -4), (2, 1)]),
        (10, [(3, -4), (0, 1)]),
        (-9, [(high, high), (high, low)]),
        (high, [(2, low), (2, low)]),
        (low, [(2, high), (3, 1)]),
        (low, [(2, high), (4, 1)]),
        (7, [(1, low), (1, high)]),
        (0, [(1 << 40, 1 << 40), (2, -1)]),
    ]
    .into_iter()
    .map(|(o, [(a, s), (b, t)])| format!("{o}, {a}, {s}, {b}, {t}"))
    .collect();
    check(
        "entry f(o_0 : i64, a_1 : i64, s_2 : i64, b_3 : i64, t_4 : i64) -> (i64, i64) {
           let e_5 : (i64, i64) = extent [o_0; a_1 by s_2, b_3 by t_4]
           => e_5
         }",
        &calls.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    check(
        "entry f(xs_0 : []i64) -> ((i64, i64), (i64, i64), bool, bool) {
           let a_1 : (i64, i64) = extent [1; 2 by 4, 3 by 1]
           let b_2 : (i64, i64) = extent [9; 0 by 4]
           let c_3 : bool = disjoint [9; 2 by 0]
           let d_4 : bool = disjoint [9; 2 by -3]
           let e_5 : ((i64, i64), (i64, i64), bool, bool) = (a_1, b_2, c_3, d_4)
           => e_5
         }",
        &["[1]"],
    );
}

#[test]
fn strided_slices_of_several_dimensions() {
    check(
        "entry f(n_0 : i64, s_1 : i64, xs_2 : []f64) -> ([][]f64, []f64, [][][]f64) {
           let a_3 : [][]f64 = strided xs_2[1; 2 by s_1, n_0 by 1]
           let b_4 : []f64 = strided xs_2[0; n_0 by 3]
           let c_5 : [][][]f64 = strided xs_2[5; n_0 by -1, 2 by 1, 1 by 7]
           let d_6 : ([][]f64, []f64, [][][]f64) = (a_3, b_4, c_5)
           => d_6
         }",
        &["2, 4, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]", "0, 4, []", "2, -1, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]"],
    );
}

#[test]
fn updates() {
    check(
        "entry f(i_0 : i64, v_1 : f64, xs_2 : []f64, ps_3 : [](f64, i64)) -> ([]f64, [](f64, i64)) {
           let a_4 : []f64 = update xs_2[i_0] = v_1
           let t_5 : (f64, i64) = (v_1, i_0)
           let b_6 : [](f64, i64) = update ps_3[i_0] = t_5
           let c_7 : ([]f64, [](f64, i64)) = (a_4, b_6)
           => c_7
         }",
        &["0, 9.0, [1.0], [(2.0, 3)]", "2, -0.0, [1.0, 2.0, 3.0], [(2.0, 3), (3.0, 4), (5.0, 6), (7.0, 8)]"],
    );
    check(
        "entry f(i_0 : i64, j_1 : i64, v_2 : i64, row_3 : []i64, m_4 : [][]i64) -> ([][]i64, [][]i64) {
           let a_5 : [][]i64 = update m_4[i_0, j_1] = v_2
           let b_6 : [][]i64 = update m_4[i_0] = row_3
           let c_7 : ([][]i64, [][]i64) = (a_5, b_6)
           => c_7
         }",
        &["0, 1, 9, [], [[1, 2], [3], []]", "1, 0, 9, [7, 7, 7], [[1, 2], [3], []]", "2, 0, 5, [1], [[], [], [4]]"],
    );
    check(
        "entry f(i_0 : i64, row_1 : []i64, c_2 : [][][]i64) -> [][][]i64 {
           let a_3 : [][][]i64 = update c_2[i_0, 1] = row_1
           => a_3
         }",
        &["0, [9, 9], [[[1], [2], [3]], [[4], [5]]]", "1, [], [[[1], [2], [3]], [[4], [5]]]"],
    );
    check(
        "entry f(xss_0 : [][]i64) -> [][]i64 {
           let r_1 : [][]i64 = map (xs_2 : []i64) in xss_0 { let u_3 : []i64 = update xs_2[0] = 7 => u_3 }
           => r_1
         }",
        &["[[1, 2], [3]]", "[]"],
    );
}

#[test]
fn strided_updates() {
    check(
        "entry f(o_0 : i64, a_1 : i64, s_2 : i64, vs_3 : []i64, xs_4 : []i64) -> []i64 {
           let r_5 : []i64 = update xs_4[o_0; a_1 by s_2] = vs_3
           => r_5
         }",
        &[
            "0, 2, 2, [8, 9], [1, 2, 3, 4, 5]",
            "4, 2, -3, [8, 9], [1, 2, 3, 4, 5]",
            "1, 3, 1, [7, 8, 9], [1, 2, 3, 4, 5]",
            "2, 1, 0, [9], [1, 2, 3]",
            "77, 0, 3, [], [1, 2, 3]",
        ],
    );
    check(
        "entry f(vs_0 : [][]i64, xs_1 : [][]i64) -> [][]i64 {
           let n_2 : i64 = length vs_0
           let r_3 : [][]i64 = update xs_1[1; n_2 by 1] = vs_0
           => r_3
         }",
        &["[[8], [9, 9]], [[1], [2, 2], [], [3]]", "[], [[1]]"],
    );
}

#[test]
fn strided_updates_of_two_dimensions() {
    check(
        "entry f(o_0 : i64, a_1 : i64, s_2 : i64, b_3 : i64, t_4 : i64, vss_5 : [][]i64, xs_6 : []i64) -> []i64 {
           let r_7 : []i64 = update xs_6[o_0; a_1 by s_2, b_3 by t_4] = vss_5
           => r_7
         }",
        &[
            "1, 2, 4, 2, 1, [[50, 51], [60, 61]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "1, 2, 1, 2, 4, [[50, 51], [60, 61]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "8, 2, -5, 2, 1, [[50, 51], [60, 61]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "2, 3, 3, 2, -2, [[50, 51], [60, 61], [70, 71]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "9, 3, -1, 2, -4, [[50, 51], [60, 61], [70, 71]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "3, 1, 0, 2, 2, [[50, 51]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "3, 2, 2, 1, 77, [[50], [51]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "3, 1, 5, 1, -7, [[50]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "30, 0, 5, 3, 7, [], [0, 1, 2]",
            "30, 2, 5, 0, 7, [[], []], [0, 1, 2]",
        ],
    );
    let numbers = ["0", "1", "2", "3", "-2", "4", "-9223372036854775808", "9223372036854775807"];
    let counts = ["0", "1", "2", "3", "9223372036854775807"];
    let mut calls = Vec::new();
    for a in counts {
        for b in counts {
            for s in numbers {
                calls.extend(numbers.iter().map(|t| format!("{a}, {s}, {b}, {t}")));
            }
        }
    }
    // All at once: each pair of dimensions is an element.
    let all = calls.iter().map(|c| format!("({c})")).collect::<Vec<_>>().join(", ");
    check(
        "entry f(cs_0 : [](i64, i64, i64, i64)) -> [](bool, bool) {
           let r_1 : [](bool, bool) = map (c_2 : (i64, i64, i64, i64)) in cs_0 {
             let a_3 : i64 = c_2.0
             let s_4 : i64 = c_2.1
             let b_5 : i64 = c_2.2
             let t_6 : i64 = c_2.3
             let x_7 : bool = disjoint [0; a_3 by s_4, b_5 by t_6]
             let y_8 : bool = disjoint [0; a_3 by s_4]
             let z_9 : (bool, bool) = (x_7, y_8)
             => z_9
           }
           => r_1
         }",
        &[&format!("[{all}]")],
    );
}
