//! Places that are right, and places that are wrong though the values are right.

use super::{Options, run};
use crate::flat::tests::{describe, subject};
use terrace_ir::flat::parse;
use terrace_ir::mem::{Program, erase, verify};

/// Runs a Mem program, and the Flat program that it is without places.
fn outcome(text: &str) -> (String, String) {
    let program: Program = parse::parse(text).unwrap();
    verify::verify(&program).unwrap();
    let (function, args) = subject(&program);
    let options = Options::default();
    let by_value = crate::flat::run(&erase::erase(&program), function, args.clone(), &options);
    (describe(run(&program, function, args, &options).0), describe(by_value.0))
}

/// Places that are right: both readings agree.
fn check(text: &str, expected: &str) {
    let (found, by_value) = outcome(text);
    assert_eq!(found, expected, "{text}");
    assert_eq!(by_value, expected);
}

/// Places that are wrong: the values alone show nothing.
fn check_wrong(text: &str, part: &str) {
    let (found, by_value) = outcome(text);
    assert!(found.starts_with("internal error") && found.contains(part), "{found}");
    assert!(!by_value.starts_with("internal error"), "{by_value}");
}

/// A test over a list of integers that gives one: `ys_9`, in the block `ym_8`.
fn over_list(body: &str) -> String {
    format!(
        "test \"t\" t(n_0 : i64, xm_1 : block, xs_2 : i64[n_0] @ xm_1 + 0 {{n_0 by 1}}) -> (i64, block, i64[n_0])
         with ([3, 1, 2]) takes [length]i64 gives [length]i64 {{ {body} => n_0, ym_8, ys_9 }}"
    )
}

const DOUBLE: &str = "{ let x_12 : i64 = xs_2[p_11]; let y_13 : i64 = x_12 * 2 => y_13 }";
const ADD: &str = "by (a_90 : i64 | b_91 : i64) { let c_92 : i64 = a_90 + b_91 => c_92 } from 0";

fn doubled(place: &str) -> String {
    format!("let ys_9 : i64[n_0] @ {place} = map grid [n_0] (i_10 | p_11) {DOUBLE}")
}

#[test]
fn columns_live_where_they_say() {
    let alloc =
        |count: &str, place: &str| over_list(&format!("let ym_8 : block = alloc i64 {count} {}", doubled(place)));
    check(&alloc("n_0", "ym_8 + 0 {n_0 by 1}"), "[6, 2, 4]");
    check(&alloc("2*n_0 + 1", "ym_8 + 2 {n_0 by 2}"), "[6, 2, 4]");
    check(&alloc("n_0", "ym_8 + n_0 - 1 {n_0 by -1}"), "[6, 2, 4]");
    check_wrong(&alloc("n_0", "ym_8 + 1 {n_0 by 1}"), "ys_9 at 2: element 3 of a block of 3");
    check_wrong(&alloc("n_0", "ym_8 + 0 {n_0 by -1}"), "ys_9 at 1: element -1 of a block of 3");
    check_wrong(&alloc("n_0", "ym_8 + 0 {n_0 by 0}"), "a race: two points write element 0");
}

#[test]
fn index_functions_have_any_rank() {
    // Four elements as two columns of two: the block holds the transpose.
    let text = |stride: &str| {
        format!(
            "test \"t\" t(n_0 : i64) -> (i64, block, i64[4], i64) with (4) takes i64 gives ([length]i64, i64) {{
            let m_1 : block = alloc i64 4
            let ys_2 : i64[4] @ m_1 + 0 {{2 by 1, 2 by {stride}}} = map grid [2][2] (i_3, j_4 | p_5, q_6) {{ => q_6 }}
            let y_7 : i64 = ys_2[1]
            => n_0, m_1, ys_2, y_7 }}"
        )
    };
    check(&text("2"), "([0, 1, 2, 3], 1)");
    check_wrong(&text("1"), "a race: two points write element 1");
}

#[test]
fn a_map_may_work_in_place() {
    check(&over_list(&format!("let ym_8 : block = xm_1 {}", doubled("xm_1 + 0 {n_0 by 1}"))), "[6, 2, 4]");
    // Every point reads its neighbour, in either direction: some order of the points is wrong.
    for (from, at) in [(0, 1), (1, 0)] {
        let body = format!(
            "let ym_8 : block = xm_1 let m_14 : i64 = n_0 - 1
             let zs_7 : i64[m_14] @ xm_1 + {from} {{m_14 by 1}} = map grid [m_14] (i_20 | p_21) {{
                let k_22 : i64 = p_21 + {at}; let x_24 : i64 = xs_2[k_22] => x_24 }}
             let ys_9 : i64[n_0] @ xm_1 + 0 {{n_0 by 1}} = xs_2"
        );
        check_wrong(&over_list(&body), "a race");
    }
    // In one thread the order is known: shifting down is right, shifting up is not.
    let shift = |from: &str, at: &str| {
        format!(
            "test \"t\" t(n_0 : i64, xm_1 : block, xs_2 : i64[n_0] @ xm_1 + 0 {{n_0 by 1}}) -> (i64, block, i64[2])
             with ([3, 1, 2]) takes [length]i64 gives [length]i64 {{
             let zs_7 : i64[2] @ xm_1 + {from} {{2 by 1}} = map thread [2] (i_20 | p_21) {{
                let k_22 : i64 = p_21 + {at}; let x_24 : i64 = xs_2[k_22] => x_24 }}
             => 2, xm_1, zs_7 }}"
        )
    };
    check(&shift("0", "1"), "[1, 2]");
    check_wrong(&shift("1", "0"), "xs_2 at 1: memory holds 3 where the value is 1");
}

#[test]
fn a_block_serves_again_when_its_column_is_dead() {
    let body = |read: &str| {
        over_list(&format!(
            "let ym_8 : block = alloc i64 n_0
             let zs_3 : i64[n_0] @ ym_8 + 0 {{n_0 by 1}} = map grid [n_0] (i_4 | p_5) {{ => i_4 }}
             {} {read}",
            doubled("ym_8 + 0 {n_0 by 1}")
        ))
    };
    check(&body(""), "[6, 2, 4]");
    check_wrong(&body("let z_6 : i64 = zs_3[1]"), "statement `z_6`: zs_3 at 1: memory holds 2 where the value is 1");
}

#[test]
fn folds_do_not_overwrite_what_they_read() {
    let scan = |place: &str, form: &str, length: &str| {
        format!(
            "let zs_3 : i64[{length}] @ {place} = scan grid [n_0] (i_4 | p_5) {ADD} {form} {{ let x_6 : i64 = xs_2[p_5] => x_6 }}"
        )
    };
    let rest = "let ym_8 : block = alloc i64 n_0
        let ys_9 : i64[n_0] @ ym_8 + 0 {n_0 by 1} = map grid [n_0] (i_10 | p_11) { let z_12 : i64 = zs_3[p_11] => z_12 }";
    let in_place = scan("xm_1 + 0 {n_0 by 1}", "inclusive", "n_0");
    check(&over_list(&format!("{in_place} {rest}")), "[3, 4, 6]");
    let packed = |place: &str| {
        over_list(&format!(
            "let zm_7 : block = alloc i64 n_0
             let m_20 : i64 <= n_0, zs_3 : i64[m_20] @ {place} + 0 {{m_20 by 1}} = pack grid [n_0] (i_4 | p_5) {{ let x_6 : i64 = xs_2[p_5] => true, x_6 }}
             {rest}"
        ))
    };
    check(&packed("zm_7"), "[3, 1, 2]");
    check_wrong(&packed("xm_1"), "is written, and read by another point");
}

#[test]
fn points_have_local_arrays_of_their_own() {
    let text = |bound: &str, read: &str| {
        over_list(&format!(
            "let tm_3 : block = alloc i64 2*n_0
             let ym_8 : block = alloc i64 n_0
             let ys_9 : i64[n_0] @ ym_8 + 0 {{n_0 by 1}} = map grid [n_0] (i_10 | p_11) {{
                let t_12 : i64[2] <= 2 @ tm_3 + {bound} {{2 by 1}} = map thread [2] (k_13 | q_14) {{ let a_15 : i64 = i_10 * 10; let b_16 : i64 = a_15 + k_13 => b_16 }}
                let y_17 : i64 = t_12[{read}] => y_17 }}"
        ))
    };
    check(&text("2*p_11", "1"), "[1, 11, 21]");
    check_wrong(&text("p_11", "1"), "statement `t_12`: t_12 at 0: a race: two points write element 1");
    check_wrong(&text("3*p_11", "1"), "element 6 of a block of 6");
}

#[test]
fn rows_are_built_in_place_or_copied() {
    let text = |place: &str| {
        format!(
            "test \"t\" t(n_0 : i64) -> (i64, block, i64[4]) with (2) takes i64 gives [length]i64 {{
            let am_1 : block = alloc i64 3
            let at_2 : i64[3] @ am_1 + 0 {{3 by 1}} = [0, 2, 4]
            let ym_3 : block = alloc i64 4
            let tm_4 : block = alloc i64 4
            let ys_5 : i64[4] @ ym_3 + 0 {{4 by 1}} = map grid [n_0] (i_6 | p_7) rows at_2 {{
                let s_8 : i64 = at_2[p_7]
                let t_9 : i64[2] <= 2 @ {place} {{2 by 1}} = map thread [2] (k_10 | q_11) {{ let v_12 : i64 = i_6 + k_10 => v_12 }}
                => t_9 }}
            => 4, ym_3, ys_5 }}"
        )
    };
    check(&text("ym_3 + s_8"), "[0, 1, 1, 2]");
    check(&text("tm_4 + s_8"), "[0, 1, 1, 2]");
    check_wrong(&text("ym_3 + 2 - s_8"), "a race");
}

#[test]
fn blocks_of_threads_race_too() {
    let text = |write: &str| {
        format!(
            "test \"t\" t(n_0 : i64) -> (i64) with (2) takes i64 gives i64 {{
            let tm_1 : block = alloc i64 16
            let ym_2 : block = alloc i64 n_0
            let ys_3 : i64[n_0] @ ym_2 + 0 {{n_0 by 1}} = map grid [n_0] (i_4 | p_5) {{
                let a_6 : i64[4] <= 4 @ tm_1 + 8*p_5 {{4 by 1}} = map block [4] (k_7 | q_8) {{ => k_7 }}
                let b_9 : i64[3] <= 3 @ tm_1 + {write} {{3 by 1}} = map block [3] (k_10 | q_11) {{ let j_12 : i64 = k_10 + 1; let x_13 : i64 = a_6[j_12] => x_13 }}
                let y_14 : i64 = b_9[0] => y_14 }}
            => n_0 }}"
        )
    };
    check(&text("8*p_5 + 4"), "2");
    check_wrong(&text("8*p_5"), "statement `b_9`: b_9 at 1: a race: element 1 is written, and read by another point");
}

#[test]
fn blocks_come_out_of_branches_loops_and_calls() {
    let fill = |id: usize, block: &str, value: &str| {
        format!(
            "let zs_{id} : i64[n_0] @ {block} + 0 {{n_0 by 1}} = map grid [n_0] (i_{} | p_{}) {{ => {value} }}",
            id + 1,
            id + 2
        )
    };
    let branch = |given: &str| {
        over_list(&format!(
            "let am_3 : block = alloc i64 n_0 {} let c_30 : bool = n_0 > 2
             let ym_8 : block, ys_9 : i64[n_0] @ ym_8 + 0 {{n_0 by 1}} = if c_30 {{ => {given}, zs_20 }} else {{ => xm_1, xs_2 }}",
            fill(20, "am_3", "7")
        ))
    };
    check(&branch("am_3"), "[7, 7, 7]");
    check_wrong(&branch("xm_1"), "ys_9 at 0: memory holds 3 where the value is 7");
    let repeat = |given: &str| {
        over_list(&format!(
            "let k_3 : i64, ym_8 : block, ys_9 : i64[n_0] @ ym_8 + 0 {{n_0 by 1}} =
               loop j_4 : i64 = 0, sm_5 : block = xm_1, ss_6 : i64[n_0] @ sm_5 + 0 {{n_0 by 1}} = xs_2 while {{ let go_7 : bool = j_4 < 3 => go_7 }} do {{
                 let l_40 : i64 = j_4 + 1
                 let bm_41 : block = alloc i64 n_0
                 let ns_42 : i64[n_0] @ bm_41 + 0 {{n_0 by 1}} = map grid [n_0] (i_43 | p_44) {{ let x_45 : i64 = ss_6[p_44]; let y_46 : i64 = x_45 + 1 => y_46 }}
                 => l_40, {given}, ns_42 }}"
        ))
    };
    check(&repeat("bm_41"), "[6, 4, 5]");
    check_wrong(&repeat("sm_5"), "ss_6 at 0: memory holds 3 where the value is 4");
    let called = |block: &str| {
        let callee = format!(
            "def f(n_0 : i64, xm_1 : block, xs_2 : i64[n_0] @ xm_1 + 0 {{n_0 by 1}}) -> (block, i64[n_0]) {{
             let am_3 : block = alloc i64 n_0 {} => am_3, zs_20 }}",
            fill(20, "am_3", "n_0")
        );
        let body = format!(
            "let zm_3 : block = alloc i64 n_0 let ym_8 : block, ys_9 : i64[n_0] @ ym_8 + 0 {{n_0 by 1}} = call f(n_0, {block}, xs_2)"
        );
        format!("{callee} {}", over_list(&body))
    };
    check(&called("xm_1"), "[3, 3, 3]");
    check_wrong(&called("zm_3"), "xs_2 at 0: memory was never written where the value is 3");
}

#[test]
fn failures_are_those_of_flat() {
    let text = "check 0 : index
        test \"t\" t(n_0 : i64, xm_1 : block, xs_2 : i64[n_0] @ xm_1 + 0 {n_0 by 1}) -> (i64) with ([3, 1, 2]) takes [length]i64 gives i64 {
            let ym_3 : block = alloc i64 n_0
            let ys_4 : i64[n_0] @ ym_3 + 0 {n_0 by 1} = map grid [n_0] (i_5 | p_6) {
                let x_7 : i64 = xs_2[p_6]; let ok_8 : bool = x_7 < 2; check 0 index ok_8 (x_7, 2) => x_7 }
            => n_0 }";
    check(text, "index [3, 2] at [0]");
}

#[test]
fn a_scatter_may_work_in_place() {
    let write = |alloc: &str, place: &str, at: &str| {
        over_list(&format!(
            "let ym_8 : block = {alloc}
             let ys_9 : i64[n_0] @ {place} + 0 {{n_0 by 1}} = scatter grid [2] (i_10 | p_11) into xs_2 distinct {{
                let k_12 : i64 = {at}; let x_13 : i64 = xs_2[k_12] let y_14 : i64 = x_13 * 10 => p_11, y_14 }}"
        ))
    };
    for (alloc, place) in [("alloc i64 n_0", "ym_8"), ("xm_1", "xm_1")] {
        check(&write(alloc, place, "p_11 + 0"), "[30, 10, 2]");
    }
    check(&write("alloc i64 n_0", "ym_8", "1 - p_11"), "[10, 30, 2]");
    check_wrong(&write("xm_1", "xm_1", "1 - p_11"), "a race");
    // What was overwritten is gone.
    let late = over_list(
        "let ym_8 : block = xm_1
         let zs_7 : i64[n_0] @ xm_1 + 0 {n_0 by 1} = scatter grid [1] (i_10 | p_11) into xs_2 distinct { => 0, 9 }
         let ys_9 : i64[n_0] @ xm_1 + 0 {n_0 by 1} = map grid [n_0] (i_14 | p_15) {
            let x_16 : i64 = xs_2[p_15] => x_16 }",
    );
    check_wrong(&late, "memory holds 9 where the value is 3");
}
