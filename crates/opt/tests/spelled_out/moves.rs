//! Rotations, windows, padding, reshaping, and rows to elements and back.

use super::check;

#[test]
fn rotations() {
    check(
        "entry f(k_0 : i64, xs_1 : []f64) -> []f64 { let ys_2 : []f64 = rotate xs_1 by k_0 => ys_2 }",
        &[
            "0, [1.0, 2.0, 3.0]",
            "1, [1.0, 2.0, 3.0]",
            "-1, [1.0, 2.0, 3.0]",
            "8, [1.0, 2.0, 3.0]",
            "9223372036854775807, [1.0, 2.0, 3.0]",
            "-9223372036854775808, [1.0, 2.0, 3.0, 4.0, 5.0]",
            "3, []",
            "1, [4.0]",
        ],
    );
}

#[test]
fn rotations_of_rows_and_inside_a_map() {
    check(
        "entry f(k_0 : i64, xss_1 : [][]f64) -> ([][]f64, [][]f64) {
           let a_2 : [][]f64 = rotate xss_1 by k_0
           let b_3 : [][]f64 = map (xs_4 : []f64) in xss_1 { let ys_5 : []f64 = rotate xs_4 by k_0 => ys_5 }
           let c_6 : ([][]f64, [][]f64) = (a_2, b_3)
           => c_6
         }",
        &["1, [[1.0, 2.0, 3.0], [], [4.0]]", "-2, [[1.0, 2.0, 3.0], [], [4.0]]", "2, []"],
    );
}

#[test]
fn windows() {
    check(
        "entry f(n_0 : i64, k_1 : i64, xs_2 : []i64) -> ([][]i64, []i64) {
           let w_3 : [][]i64 = slide xs_2 size n_0 step k_1
           let s_4 : []i64 = map (r_5 : []i64) in w_3 {
             let t_6 : i64 = reduce (a_7 : i64, b_8 : i64) in r_5 from 0 { let c_9 : i64 = a_7 + b_8 => c_9 }
             => t_6
           }
           let p_10 : ([][]i64, []i64) = (w_3, s_4)
           => p_10
         }",
        &[
            "3, 1, [1, 2, 3, 4, 5]",
            "2, 2, [1, 2, 3, 4, 5]",
            "5, 9, [1, 2, 3, 4, 5]",
            "6, 1, [1, 2, 3, 4, 5]",
            "9223372036854775807, 9223372036854775807, [1, 2, 3]",
            "1, 1, []",
        ],
    );
}

#[test]
fn rows_in_step_with_rows_further_out() {
    // Each row of `a` runs beside every row of `b`: together they are more than `a` has elements.
    check(
        "entry f(a_0 : [][]i64, b_1 : [][]i64) -> [][][]i64 {
           let r_2 : [][][]i64 = map (x_3 : []i64) in a_0 {
             let s_4 : [][]i64 = map (y_5 : []i64) in b_1 {
               let t_6 : []i64 = map (p_7 : i64, q_8 : i64) in x_3, y_5 { let u_9 : i64 = p_7 * q_8 => u_9 }
               => t_6
             }
             => s_4
           }
           => r_2
         }",
        &["[[1, 2], [3, 4]], [[0, 1], [1, 2], [5, 6]]", "[[1], [2], [3]], [[4], [5]]", "[[]], [[], []]"],
    );
}

#[test]
fn padding() {
    for mode in ["clamp", "wrap", "mirror", "constant 7"] {
        check(
            &format!(
                "entry f(l_0 : i64, r_1 : i64, xs_2 : []i64) -> []i64 {{
                   let p_3 : []i64 = pad xs_2 left l_0 right r_1 {mode} => p_3
                 }}"
            ),
            &["0, 0, []", "0, 0, [1, 2]", "2, 3, [1, 2, 3]", "7, 8, [1, 2, 3]", "5, 4, [1]"],
        );
        let mode = mode.replace("constant 7", "constant new_9");
        check(
            &format!(
                "entry f(l_0 : i64, xss_2 : [][]i64, new_9 : []i64) -> [][]i64 {{
                   let p_3 : [][]i64 = pad xss_2 left l_0 right 2 {mode} => p_3
                 }}"
            ),
            &["1, [[1, 2], []], [5]", "4, [[1], [2, 3], [4]], []"],
        );
    }
}

#[test]
fn reshaping_and_transposing() {
    check(
        "entry f(n_0 : i64, m_1 : i64, xs_2 : []f64) -> ([][]f64, [][]f64, [][][]f64) {
           let a_3 : [][]f64 = reshape xs_2 to (n_0, m_1)
           let b_4 : [][]f64 = transpose a_3
           let c_5 : [][][]f64 = reshape xs_2 to (m_1, 1, n_0)
           let d_6 : ([][]f64, [][]f64, [][][]f64) = (a_3, b_4, c_5)
           => d_6
         }",
        &["2, 3, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", "6, 1, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", "0, 4, []", "3, 0, []"],
    );
    check(
        "check 0 : rows
         entry f(xsss_0 : [][][]i64) -> [][][]i64 {
           let t_1 : [][][]i64 = map (m_2 : [][]i64) in xsss_0 { let u_3 : [][]i64 = transpose m_2 => u_3 }
           => t_1
         }",
        &["[[[1, 2, 3], [4, 5, 6]], [], [[7]], [[], []]]", "[]"],
    );
}

#[test]
fn rows_and_elements() {
    check(
        "entry f(sizes_0 : []i64, xs_1 : []f64) -> ([][]f64, []f64) {
           let rows_2 : [][]f64 = partition xs_1 by sizes_0
           let back_3 : []f64 = flatten rows_2
           let both_4 : ([][]f64, []f64) = (rows_2, back_3)
           => both_4
         }",
        &["[2, 0, 3, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", "[], []", "[0, 0], []", "[4], [1.0, 2.0, 3.0, 4.0]"],
    );
    check(
        "entry f(xsss_0 : [][][]i64) -> ([][]i64, [][]i64) {
           let a_1 : [][]i64 = flatten xsss_0
           let b_2 : [][]i64 = map (xss_3 : [][]i64) in xsss_0 { let c_4 : []i64 = flatten xss_3 => c_4 }
           let d_5 : ([][]i64, [][]i64) = (a_1, b_2)
           => d_5
         }",
        &["[[[1, 2], [], [3]], [], [[4]], [[], [5, 6, 7]]]", "[]", "[[], [[]]]"],
    );
}
