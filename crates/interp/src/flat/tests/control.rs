//! Scalars, branches, loops, calls, limits, and which failure is reported.

use super::{check, describe, outcome};
use crate::flat::Options;

fn of_one(arg: &str, result: &str, body: &str) -> String {
    format!("test \"t\" t(x_0 : i64) -> ({result}) with ({arg}) takes i64 gives {result} {{ {body} }}")
}

#[test]
fn scalars_branch_and_repeat() {
    check(
        &of_one(
            "7",
            "i64",
            "let y_1 : bool = x_0 > 5; let z_2 : i64 = if y_1 { let a_3 : i64 = x_0 * 2 => a_3 } else { => x_0 } => z_2",
        ),
        "14",
    );
    check(
        &of_one(
            "-7",
            "f64",
            "let a_1 : f64 = f64(x_0); let b_2 : f64 = abs a_1; let c_3 : f64 = fma(b_2, b_2, a_1) => c_3",
        ),
        "42.0",
    );
    let steps = "let n_1 : i64, k_2 : i64 = loop a_3 : i64 = x_0, b_4 : i64 = 0 while { let go_5 : bool = a_3 > 1 => go_5 } do {
        let h_6 : i64 = a_3 / 2; let c_7 : i64 = b_4 + 1 => h_6, c_7 } => k_2";
    check(&of_one("100", "i64", steps), "6");
    check(&of_one("0", "i64", steps), "0");
}

#[test]
fn columns_go_through_branches_and_loops() {
    // The state is swapped, which shows that it changes all at once.
    let body = "let a_1 : i64[2] = [x_0, 1]
        let b_2 : i64[2] = [2, 3]
        let p_3 : i64[2], q_4 : i64[2], k_5 : i64 = loop p_6 : i64[2] = a_1, q_7 : i64[2] = b_2, k_8 : i64 = 0 while {
            let go_9 : bool = k_8 < 3 => go_9 } do { let k_10 : i64 = k_8 + 1 => q_7, p_6, k_10 }
        let r_11 : i64 = p_3[0]
        => r_11";
    check(&of_one("9", "i64", body), "2");
    let body = "let c_1 : bool = x_0 < 0
        let n_2 : i64, ys_3 : i64[n_2] = if c_1 { let e_4 : i64[0] = [] => 0, e_4 } else { let e_5 : i64[1] = [x_0] => 1, e_5 }
        => n_2";
    check(&of_one("-1", "i64", body), "0");
    check(&of_one("1", "i64", body), "1");
}

const COUNT_DOWN: &str = "
    def down(n_0 : i64) -> (i64) {
        let last_1 : bool = n_0 == 0
        let r_2 : i64 = if last_1 { => 0 } else {
            let m_3 : i64 = n_0 - 1
            let r_4 : i64 = call down(m_3)
            let s_5 : i64 = r_4 + 1
            => s_5 }
        => r_2 }
    ";

#[test]
fn calls_nest_up_to_the_limit() {
    let text = |n: &str| format!("{COUNT_DOWN} {}", of_one(n, "i64", "let y_1 : i64 = call down(x_0) => y_1"));
    check(&text("5"), "5");
    check(&text("9900"), "9900");
    check(&text("-1"), "depth [10000] at []");
    let small = Options { depth_limit: 10, ..Options::default() };
    let (result, counts) = outcome(&text("-1"), &small);
    let failure = result.unwrap_err();
    assert_eq!(failure.trace.len(), 10);
    assert_eq!(failure.trace[0].0, "down");
    assert_eq!(failure.trace[9].0, "t");
    assert_eq!(counts.calls, 10);
}

#[test]
fn limits_are_options() {
    let text = of_one("0", "i64", "let m_1 : i64 = memory_limit => m_1");
    let options = Options { memory_limit: 64, ..Options::default() };
    assert_eq!(describe(outcome(&text, &options).0), "64");
    let endless = "let a_1 : i64 = loop b_2 : i64 = 0 while { let t_3 : bool = b_2 == 0 => t_3 } do { => b_2 } => a_1";
    let options = Options { step_limit: 100, ..Options::default() };
    assert_eq!(describe(outcome(&of_one("0", "i64", endless), &options).0), "steps [100] at []");
    let large = of_one("5000", "i64", "let ys_1 : i64[x_0] = map grid [x_0] (i_2 | p_3) { => i_2 } => x_0");
    let options = Options { element_limit: 1000, ..Options::default() };
    assert_eq!(describe(outcome(&large, &options).0), "memory [16016] at [1000]");
}

#[test]
fn the_least_failure_is_reported() {
    let checks = "check 0 : index check 1 : assert \"small\" ";
    let body = |first: &str, second: &str| {
        format!(
            "{checks} test \"t\" t(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0]) with ([4, 20, 3, 9, 30]) takes [length]i64 gives [length]i64 {{
            let ys_2 : i64[n_0] = map grid [n_0] (i_3 | p_4) {{
                let x_5 : i64 = xs_1[p_4]; let a_6 : bool = x_5 < {first}; check 1 assert a_6 ()
                let b_7 : bool = x_5 < {second}; check 0 index b_7 (x_5, 5)
                => x_5 }} => n_0, ys_2 }}"
        )
    };
    check(&body("100", "100"), "[4, 20, 3, 9, 30]");
    check(&body("100", "5"), "index [20, 5] at [1]");
    check(&body("10", "100"), "assert [] at [1]");
    // The least check wins, though a smaller index failed another one.
    check(&body("10", "9"), "index [9, 5] at [3]");
}

#[test]
fn a_failure_inside_leaves_the_rest_of_its_point() {
    let text = "check 0 : index check 1 : assert \"unreached\"
        test \"t\" t(n_0 : i64) -> (i64, i64[n_0]) with (3) takes i64 gives [length]i64 {
            let ys_1 : i64[n_0] = map grid [n_0] (i_2 | p_3) {
                let s_4 : i64 = reduce thread [4] (k_5 | q_6) by (a_7 : i64 | b_8 : i64) { let c_9 : i64 = a_7 + b_8 => c_9 } from 0 {
                    let v_10 : i64 = i_2 + k_5; let ok_11 : bool = v_10 < 4; check 0 index ok_11 (v_10, 4)
                    => v_10 }
                let never_12 : bool = s_4 < 0; check 1 assert never_12 ()
                => s_4 }
            => n_0, ys_1 }";
    // Point 0 gets through the fold and fails check 1; the others fail check 0, point 1 first, at its fourth step.
    check(text, "index [4, 4] at [1, 3]");
}

#[test]
fn a_check_in_a_combining_operator_counts() {
    let text = "check 0 : assert \"no overflow\"
        test \"t\" t(n_0 : i64, xs_1 : i64[n_0]) -> (i64) with ([4, 20, 3]) takes [length]i64 gives i64 {
            let s_2 : i64 = reduce grid [n_0] (i_3 | p_4) by (a_5 : i64 | b_6 : i64) {
                let c_7 : i64 = a_5 + b_6; let ok_8 : bool = c_7 < 10; check 0 assert ok_8 () => c_7 } from 0 {
                let x_9 : i64 = xs_1[p_4] => x_9 }
            => s_2 }";
    check(text, "assert [] at [1]");
}

/// A thread's call: what it gives is kept, and taken once.
#[test]
fn threads_call_and_take_what_is_kept() {
    let program = |check: &str, again: &str| {
        format!(
            "check 0 : assert \"small\"
            def twice(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0]) {{
              let ok_5 : bool = n_0 < {check}
              check 0 assert ok_5 ()
              let ys_2 : i64[n_0] = map grid [n_0] (i_3 | q_4) {{ let x_6 : i64 = xs_1[q_4]; let y_7 : i64 = x_6 * 2 => y_7 }}
              => n_0, ys_2
            }}
            test \"t\" t(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[6]) with ([1, 2, 3]) takes [length]i64 gives [length]i64 {{
              let n_2 : i64[2], h_3 : i64[2] = map grid [2] (i_4 | q_5) {{
                let m_6 : i64, h_7 : i64 = keep twice(n_0, xs_1) => m_6, h_7
              }}
              let off_8 : i64[3] = [0, 3, 6]
              let ys_9 : i64[6] = map grid [2] (i_10 | q_11) rows off_8 {{
                let h_12 : i64 = h_3[{again}]
                let row_13 : i64[n_0] = take h_12
                => row_13
              }}
              => 6, ys_9
            }}"
        )
    };
    check(&program("4", "q_11"), "[2, 4, 6, 2, 4, 6]");
    check(&program("3", "q_11"), "assert [] at [0]");
    super::check_bug(&program("4", "0"), "nothing is kept under 0");
}
