//! Scatter, hist, sort and concat: what they give, what they count, and what they catch.

use super::{check, check_bug, outcome};
use crate::flat::Options;
use terrace_ir::flat::Level;

const ADD: &str = "by (a_90 : i64 | b_91 : i64) { let c_92 : i64 = a_90 + b_91 => c_92 } from 0";

/// A test over pairs, `n_0` long in `ks_1` and `xs_2`.
fn over_pairs(args: &str, result: &str, gives: &str, body: &str) -> String {
    format!(
        "test \"t\" t(n_0 : i64, ks_1 : i64[n_0], xs_2 : i64[n_0]) -> ({result}) with ({args}) takes [length](i64, i64)
         gives {gives} {{ {body} }}"
    )
}

fn scatter(args: &str, into: &str) -> String {
    let body = format!(
        "let dest_3 : i64[4] = [7, 7, 7, 7]
         let out_4 : i64[4] = scatter grid [n_0] (i_5 | p_6) into {into} {{
            let k_7 : i64 = ks_1[p_6]; let x_8 : i64 = xs_2[p_6] => k_7, x_8 }} => 4, out_4"
    );
    over_pairs(args, "i64, i64[4]", "[length]i64", &body)
}

#[test]
fn scatters_write_where_they_say() {
    check(&scatter("[(1, 10), (-1, 11), (3, 12)]", "dest_3"), "[7, 10, 7, 12]");
    check(&scatter("[(1, 10), (1, 11), (0, 5), (1, 12)]", "dest_3"), "[5, 12, 7, 7]");
    check(&scatter("[]", "dest_3"), "[7, 7, 7, 7]");
    check(&scatter("[(1, 10), (-5, 11), (-5, 12)]", "dest_3 distinct"), "[7, 10, 7, 7]");
    check_bug(&scatter("[(1, 10), (1, 11)]", "dest_3 distinct"), "position 1 is written twice");
    check_bug(&scatter("[(4, 10)]", "dest_3"), "position 4 is written of 4");
}

#[test]
fn scatters_count_what_they_write() {
    let counts = outcome(&scatter("[(1, 10), (-1, 11), (3, 12)]", "dest_3"), &Options::default()).1;
    assert_eq!(counts.operators[&("scatter", Level::Grid)], 1);
    assert_eq!((counts.points, counts.elements), (3, 4 + 2));
}

#[test]
fn several_destinations_share_positions() {
    let body = "let a_3 : i64[2] = [0, 0]
        let b_4 : bool[2] = [false, false]
        let u_5 : i64[2], v_6 : bool[2] = scatter thread [n_0] (i_7 | p_8) into a_3, b_4 {
            let k_9 : i64 = ks_1[p_8]; let x_10 : i64 = xs_2[p_8] => k_9, x_10, true } => 2, u_5, v_6";
    let text = over_pairs("[(1, 10)]", "i64, i64[2], bool[2]", "[length](i64, bool)", body);
    check(&text, "[(0, false), (10, true)]");
}

#[test]
fn bins_combine_in_order() {
    let hist = |args: &str, count: &str, by: &str| {
        let body = format!(
            "let out_3 : i64[{count}] = hist grid [n_0] (i_5 | p_6) bins {count} {by} {{
                let k_7 : i64 = ks_1[p_6]; let x_8 : i64 = xs_2[p_6] => k_7, x_8 }} => {count}, out_3"
        );
        over_pairs(args, &format!("i64, i64[{count}]"), "[length]i64", &body)
    };
    check(&hist("[(2, 1), (0, 5), (2, 3), (-1, 100)]", "4", ADD), "[5, 0, 4, 0]");
    check(&hist("[]", "0", ADD), "[]");
    // An operator that keeps the order of its operands: digits one after the other.
    let digits =
        "by (a_90 : i64 | b_91 : i64) { let c_92 : i64 = a_90 * 10; let d_93 : i64 = c_92 + b_91 => d_93 } from 0";
    check(&hist("[(0, 1), (1, 2), (0, 3), (0, 4)]", "2", digits), "[134, 2]");
    check_bug(&hist("[(2, 1)]", "2", ADD), "bin 2 of 2");
    check_bug(&hist("[(2, 1)]", "-1", ADD), "-1 bins");
}

#[test]
fn rows_are_sorted_stably() {
    let rows = |args: &str, keys: &str| {
        format!(
            "test \"t\" t(n_0 : i64, off_1 : i64[n_0 + 1], count_2 : i64, ks_3 : i64[count_2], xs_4 : f64[count_2])
                -> (i64, i64[n_0 + 1], i64, i64[count_2])
             with ({args}) takes [length][off](i64, f64) gives [length][off]i64 {{
             let r_5 : i64[count_2] = sort grid [n_0][off_1] (i_6, j_7 | p_8, q_9) {{
                let k_10 : i64 = ks_3[q_9]; let x_11 : f64 = xs_4[q_9] => {keys} }} => n_0, off_1, count_2, r_5 }}"
        )
    };
    let args = "[[(2, 1.0), (1, nan), (2, 0.0)], [], [(1, 0.0), (1, -0.0), (0, nan), (1, -inf)]]";
    check(&rows(args, "k_10"), "[[1, 0, 2], [], [2, 0, 1, 3]]");
    check(&rows(args, "x_11"), "[[2, 0, 1], [], [3, 1, 0, 2]]");
    check(&rows(args, "k_10, x_11"), "[[1, 2, 0], [], [2, 3, 1, 0]]");
    let sorted = rows(args, "k_10").replace("| p_8, q_9) {", "| p_8, q_9) keys {");
    check(&sorted, "[[1, 2, 2], [], [0, 1, 1, 1]]");
}

#[test]
fn whole_columns_follow_each_other() {
    let body = "let m_3 : i64 = 2 * n_0 let out_4 : i64[m_3] = concat(ks_1, xs_2) => m_3, out_4";
    let result = "i64, i64[m_3]";
    check(&over_pairs("[(1, 2), (3, 4)]", result, "[length]i64", body), "[1, 3, 2, 4]");
}
