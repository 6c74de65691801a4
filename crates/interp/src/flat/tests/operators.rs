//! Every operator over every kind of dimension.

use super::{check, outcome};
use crate::flat::Options;
use terrace_ir::flat::Level;

const ADD: &str = "by (a_90 : i64 | b_91 : i64) { let c_92 : i64 = a_90 + b_91 => c_92 } from 0";

/// A test over one list of integers, `n_0` long in `xs_1`.
fn over_list(args: &str, result: &str, gives: &str, body: &str) -> String {
    format!(
        "test \"t\" t(n_0 : i64, xs_1 : i64[n_0]) -> ({result}) with ({args}) takes [length]i64 gives {gives} {{ {body} }}"
    )
}

/// A test over ragged rows: `n_0` rows, `off_1`, `count_2` elements in `xs_3`.
fn over_rows(args: &str, result: &str, gives: &str, body: &str) -> String {
    format!(
        "test \"t\" t(n_0 : i64, off_1 : i64[n_0 + 1], count_2 : i64, xs_3 : i64[count_2]) -> ({result})
         with ({args}) takes [length][off]i64 gives {gives} {{ {body} }}"
    )
}

#[test]
fn maps_run_over_every_point() {
    let squares = "let ys_2 : i64[n_0] = map grid [n_0] (i_3 | p_4) {
        let x_5 : i64 = xs_1[p_4]; let y_6 : i64 = x_5 * x_5; => y_6 } => n_0, ys_2";
    check(&over_list("[1, 2, 3]", "i64, i64[n_0]", "[length]i64", squares), "[1, 4, 9]");
    check(&over_list("[]", "i64, i64[n_0]", "[length]i64", squares), "[]");
    let indices = "let i_10 : i64[count_2], j_11 : i64[count_2], p_12 : i64[count_2], q_13 : i64[count_2] =
        map grid [n_0][off_1] (i_20, j_21 | p_22, q_23) { => i_20, j_21, p_22, q_23 }
        => n_0, off_1, count_2, i_10, j_11, p_12, q_13";
    let four = "i64, i64[n_0 + 1], i64, i64[count_2], i64[count_2], i64[count_2], i64[count_2]";
    check(
        &over_rows("[[7, 8], [], [9]]", four, "[length][off](i64, i64, i64, i64)", indices),
        "[[(0, 0, 0, 0), (0, 1, 0, 1)], [], [(2, 0, 2, 2)]]",
    );
    let thread = "let ys_2 : i64[n_0] = map thread [n_0] (i_3 | p_4) { => i_3 } => n_0, ys_2";
    check(&over_list("[5, 5]", "i64, i64[n_0]", "[length]i64", thread), "[0, 1]");
}

#[test]
fn reductions_fold_rows() {
    let total =
        format!("let s_2 : i64 = reduce grid [n_0] (i_3 | p_4) {ADD} {{ let x_5 : i64 = xs_1[p_4] => x_5 }} => s_2");
    check(&over_list("[1, 2, 3]", "i64", "i64", &total), "6");
    check(&over_list("[]", "i64", "i64", &total), "0");
    let rows = format!(
        "let s_10 : i64[n_0] = reduce grid [n_0][off_1] (i_20, j_21 | p_22, q_23) {ADD} {{
            let x_24 : i64 = xs_3[q_23] => x_24 }} => n_0, s_10"
    );
    check(&over_rows("[[1, 2], [], [4]]", "i64, i64[n_0]", "[length]i64", &rows), "[3, 0, 4]");
    let masked = format!(
        "let s_2 : i64 = reduce grid [n_0] (i_3 | p_4) {ADD} masked {{
            let x_5 : i64 = xs_1[p_4]; let k_6 : bool = x_5 > 1; => k_6, x_5 }} => s_2"
    );
    check(&over_list("[1, 2, 3]", "i64", "i64", &masked), "5");
    // The greatest and where it is first: an operator on pairs.
    let best = "let m_2 : i64, at_3 : i64 = reduce grid [n_0] (i_4 | p_5)
        by (a_10 : i64, ai_11 : i64 | b_12 : i64, bi_13 : i64) {
            let more_14 : bool = b_12 > a_10
            let v_15 : i64 = select(more_14, b_12, a_10)
            let vi_16 : i64 = select(more_14, bi_13, ai_11)
            => v_15, vi_16 } from -1, -1 { let x_6 : i64 = xs_1[p_5] => x_6, i_4 } => m_2, at_3";
    check(&over_list("[3, 8, 8, 1]", "i64, i64", "(i64, i64)", best), "(8, 1)");
}

#[test]
fn scans_give_prefixes() {
    let inclusive = format!(
        "let s_10 : i64[count_2] = scan grid [n_0][off_1] (i_20, j_21 | p_22, q_23) {ADD} inclusive {{
            let x_24 : i64 = xs_3[q_23] => x_24 }} => n_0, off_1, count_2, s_10"
    );
    check(
        &over_rows("[[1, 2, 3], [], [4, 5]]", "i64, i64[n_0 + 1], i64, i64[count_2]", "[length][off]i64", &inclusive),
        "[[1, 3, 6], [], [4, 9]]",
    );
    let offsets = format!(
        "let o_2 : i64[n_0 + 1] = scan grid [n_0] (i_3 | p_4) {ADD} offsets {{
            let x_5 : i64 = xs_1[p_4] => x_5 }} let m_6 : i64 = n_0 + 1 => m_6, o_2"
    );
    let gives = "[length]i64";
    check(&over_list("[2, 0, 3]", "i64, i64[n_0 + 1]", gives, &offsets), "[0, 2, 2, 5]");
    check(&over_list("[]", "i64, i64[n_0 + 1]", gives, &offsets), "[0]");
}

#[test]
fn packs_keep_in_order() {
    let line = "let m_2 : i64 <= n_0, ys_3 : i64[m_2], is_4 : i64[m_2] = pack grid [n_0] (i_5 | p_6) {
        let x_7 : i64 = xs_1[p_6]; let k_8 : bool = x_7 > 2; => k_8, x_7, i_5 } => m_2, ys_3, is_4";
    check(
        &over_list("[3, 1, 4, 1, 5]", "i64, i64[m_2], i64[m_2]", "[length](i64, i64)", line),
        "[(3, 0), (4, 2), (5, 4)]",
    );
    let rows = "let koff_10 : i64[n_0 + 1], ys_11 : i64[m_12] = pack grid [n_0][off_1] (i_20, j_21 | p_22, q_23) {
            let x_24 : i64 = xs_3[q_23]; let k_25 : bool = x_24 > 2; => k_25, x_24 }
        let m_12 : i64 = koff_10[n_0] => n_0, koff_10, m_12, ys_11";
    // The total is read after the columns are made, so the type mentions a later value: such a program runs, but is not verified.
    let text = over_rows("[[3, 1], [1], [4, 5]]", "i64, i64[n_0 + 1], i64, i64[m_12]", "[length][off]i64", rows);
    let found = super::describe(outcome(&text, &Options::default()).0);
    assert_eq!(found, "[[3], [], [4, 5]]");
}

#[test]
fn closed_forms_need_no_columns() {
    let body = format!(
        "let m_2 : i64 = size (n_0^2 + n_0)/2
         let t_3 : i64[m_2] = map grid [n_0][(i_40) i_40 + 1] (i_20, j_21 | p_22, q_23) {{ let v_24 : i64 = i_20 * 10 let w_25 : i64 = v_24 + j_21 => w_25 }}
         let s_4 : i64[n_0] = reduce grid [n_0][(i_40) i_40 + 1] (i_30, j_31 | p_32, q_33) {ADD} {{ let x_34 : i64 = t_3[q_33] => x_34 }}
         => n_0, t_3, s_4"
    );
    check(
        &over_list("[0, 0, 0]", "i64, i64[m_2], i64[n_0]", "[length]([closed s0 + 1]i64, i64)", &body),
        "[([0], 0), ([10, 11], 21), ([20, 21, 22], 63)]",
    );
}

#[test]
fn rows_may_be_equal_within_an_ancestor() {
    // Two matrices, 2 by 1 and 1 by 3: rows per matrix, then columns per matrix.
    let body = "let rows_2 : i64[3] = [0, 2, 3]
        let cols_3 : i64[2] = [1, 3]
        let base_4 : i64[3] = [0, 2, 5]
        let x_5 : i64[5] = map grid [2][rows_2][per 1 cols_3 from base_4] (i_20, j_21, k_22 | p_23, q_24, r_25) {
            let a_26 : i64 = i_20 * 100; let b_27 : i64 = j_21 * 10; let c_28 : i64 = a_26 + b_27
            let d_29 : i64 = c_28 + k_22; let e_30 : i64 = q_24 * 1000; let f_31 : i64 = d_29 + e_30 => f_31 }
        => 5, x_5";
    check(&over_list("[]", "i64, i64[5]", "[length]i64", body), "[0, 1010, 2100, 2101, 2102]");
}

#[test]
fn local_arrays_become_rows() {
    // Row p has p + 1 elements, with room for 4.
    let body = format!(
        "let four_2 : i64[n_0] = map grid [n_0] (i_10 | p_11) {{ => 4 }}
         let at_3 : i64[n_0 + 1] = scan grid [n_0] (i_12 | p_13) {ADD} offsets {{ let x_14 : i64 = four_2[p_13] => x_14 }}
         let ys_4 : i64[4*n_0], len_5 : i64[n_0] = map grid [n_0] (i_20 | p_21) rows at_3 {{
            let m_22 : i64 = i_20 + 1
            let local_23 : i64[m_22] <= 4 = map thread [m_22] (k_24 | q_25) {{ let v_26 : i64 = i_20 * 10; let w_27 : i64 = v_26 + k_24 => w_27 }}
            => local_23, m_22 }}
         let off_6 : i64[n_0 + 1] = scan grid [n_0] (i_30 | p_31) by (a_93 : i64 | b_94 : i64) {{ let c_95 : i64 = a_93 + b_94 => c_95 }} from 0 offsets {{ let x_32 : i64 = len_5[p_31] => x_32 }}
         let start_7 : i64[n_0] = map grid [n_0] (i_33 | p_34) {{ let x_35 : i64 = at_3[p_34] => x_35 }}
         let total_8 : i64 = size 4*n_0
         => n_0, off_6, start_7, total_8, ys_4"
    );
    let text = over_list("[0, 0, 0]", "i64, i64[n_0 + 1], i64[n_0], i64, i64[4*n_0]", "[length][off start]i64", &body);
    check(&text, "[[0], [10, 11], [20, 21, 22]]");
    let (_, counts) = outcome(&text, &Options::default());
    assert_eq!(counts.operators[&("map", Level::Thread)], 3);
    assert_eq!(counts.operators[&("map", Level::Grid)], 3);
    assert_eq!(counts.operators[&("scan", Level::Grid)], 2);
    assert_eq!(counts.points, 5 * 3 + 6);
    assert_eq!((counts.elements, counts.local_elements), (3 + 4 + 12 + 3 + 4 + 3, 6));
}

#[test]
fn blocks_of_threads_work_on_a_row() {
    let body = format!(
        "let s_10 : i64[n_0] = map grid [n_0] (i_20 | p_22) {{
            let from_23 : i64 = off_1[p_22]; let next_24 : i64 = p_22 + 1; let to_25 : i64 = off_1[next_24]
            let m_26 : i64 = to_25 - from_23
            let s_27 : i64 = reduce block [m_26] (k_28 | q_29) {ADD} {{ let at_30 : i64 = from_23 + k_28; let x_31 : i64 = xs_3[at_30] => x_31 }}
            => s_27 }} => n_0, s_10"
    );
    check(&over_rows("[[1, 2], [], [4]]", "i64, i64[n_0]", "[length]i64", &body), "[3, 0, 4]");
}
