//! Updates: what they give, and that they copy only what somebody else still sees.

use super::{data, gives, program};
use crate::core::{Options, run};
use terrace_ir::FuncId;

#[test]
fn elements_are_replaced() {
    let one = "entry f(xs_0 : []i64, i_1 : i64, v_2 : i64) -> ([]i64, []i64) {
      let ys_3 : []i64 = update xs_0[i_1] = v_2
      let r_4 : ([]i64, []i64) = (xs_0, ys_3)
      => r_4
    }";
    gives(one, "[1, 2, 3], 1, 9", "([1, 2, 3], [1, 9, 3])");
    gives(one, "[1], 0, 9", "([1], [9])");
    let deep = "entry f(m_0 : [][]i64, i_1 : i64, j_2 : i64, v_3 : i64) -> ([][]i64, [][]i64) {
      let y_4 : [][]i64 = update m_0[i_1, j_2] = v_3
      let r_5 : ([][]i64, [][]i64) = (m_0, y_4)
      => r_5
    }";
    gives(deep, "[[], [1], [2, 3]], 2, 1, 9", "([[], [1], [2, 3]], [[], [1], [2, 9]])");
    gives(deep, "[[], [1], [2, 3]], 1, 0, 9", "([[], [1], [2, 3]], [[], [9], [2, 3]])");
    let row = "entry f(m_0 : [][]i64, r_1 : []i64) -> [][]i64 { let y_2 : [][]i64 = update m_0[0] = r_1; => y_2 }";
    gives(row, "[[1, 2], [3]], [4, 5, 6]", "[[4, 5, 6], [3]]");
}

#[test]
fn strided_places_are_replaced() {
    let one = "entry f(xs_0 : []i64, o_1 : i64, c_2 : i64, s_3 : i64, vs_4 : []i64) -> ([]i64, []i64) {
      let ys_5 : []i64 = update xs_0[o_1; c_2 by s_3] = vs_4
      let r_6 : ([]i64, []i64) = (xs_0, ys_5)
      => r_6
    }";
    gives(one, "[1, 2, 3, 4, 5], 0, 3, 2, [7, 8, 9]", "([1, 2, 3, 4, 5], [7, 2, 8, 4, 9])");
    gives(one, "[1, 2, 3], 2, 3, -1, [7, 8, 9]", "([1, 2, 3], [9, 8, 7])");
    gives(one, "[1, 2, 3], 5, 0, 1, []", "([1, 2, 3], [1, 2, 3])");
    let two = "entry f(xs_0 : []i64, vs_1 : [][]i64) -> []i64 {
      let ys_2 : []i64 = update xs_0[1; 2 by 3, 2 by 1] = vs_1
      => ys_2
    }";
    gives(two, "[0, 0, 0, 0, 0, 0], [[1, 2], [3, 4]]", "[0, 1, 2, 0, 3, 4]");
    let own = "entry f(xs_0 : []i64) -> []i64 {
      let part_1 : []i64 = xs_0[0 .. 2]
      let ys_2 : []i64 = update xs_0[1; 2 by 1] = part_1
      => ys_2
    }";
    gives(own, "[1, 2, 3]", "[1, 1, 2]");
}

#[test]
fn the_last_of_several_writes_stays() {
    let text = "entry f(xs_0 : []i64, is_1 : []i64, vs_2 : []i64) -> ([]i64, []i64) {
      let ys_3 : []i64 = scatter xs_0 is_1 vs_2
      let r_4 : ([]i64, []i64) = (xs_0, ys_3)
      => r_4
    }";
    gives(text, "[1, 2, 3], [2, 0], [8, 9]", "([1, 2, 3], [9, 2, 8])");
    gives(text, "[1, 2, 3], [1, 1, 1], [7, 8, 9]", "([1, 2, 3], [1, 9, 3])");
    gives(text, "[1, 2], [], []", "([1, 2], [1, 2])");
    gives(text, "[], [], []", "([], [])");
}

#[test]
fn buckets_combine_in_order() {
    let text = |operator: &str| {
        format!(
            "entry f(n_0 : i64, is_1 : []i64, vs_2 : []i64) -> []i64 {{
               let h_3 : []i64 = hist (a_4 : i64, b_5 : i64) in is_1, vs_2 < n_0 from 100 {{
                 let c_6 : i64 = {operator}
                 => c_6
               }}
               => h_3
             }}"
        )
    };
    gives(&text("a_4 - b_5"), "3, [2, 0, 2], [5, 6, 7]", "[94, 100, 88]");
    gives(&text("b_5 - a_4"), "2, [0, 0], [1, 2]", "[101, 100]");
    gives(&text("a_4 - b_5"), "0, [], []", "[]");
    gives(&text("a_4 - b_5"), "2, [], []", "[100, 100]");
    let arrays = "entry f(is_0 : []i64, vs_1 : [][]i64) -> [][]i64 {
      let none_2 : []i64 = [] of i64
      let h_3 : [][]i64 = hist (a_4 : []i64, b_5 : []i64) in is_0, vs_1 < 2 from none_2 {
        let c_6 : []i64 = concat(a_4, b_5)
        => c_6
      }
      => h_3
    }";
    gives(arrays, "[1, 0, 1], [[1], [2, 3], [4]]", "[[2, 3], [1, 4]]");
}

/// Runs the first function; says how many elements its updates copied.
fn copies(text: &str, args: &str, expected: &str, copied: u64) {
    let (result, counts) = run(&program(text), FuncId::new(0), data(args), &Options::default());
    let result = result.unwrap_or_else(|f| panic!("{}\n{text}", f.message));
    assert_eq!((super::show(&result).as_str(), counts.copied), (expected, copied), "{text}");
}

/// A loop of `n` steps over `state`, whose body ends in `next_9`.
fn looped(state: &str, init: &str, form: &str, body: &str) -> String {
    format!(
        "entry f(n_0 : i64) -> {state} {{
           let xs_1 : []i64 = iota n_0
           {init}
           let out_3 : {state} = loop s_4 : {state} = init_2 {form} do {{ {body} => next_9 }}
           => out_3
         }}
         def put(xs_0 : *[]i64, i_1 : i64) -> []i64 {{ let ys_2 : []i64 = update xs_0[i_1] = 7; => ys_2 }}
         def maybe(xs_0 : *[]i64, i_1 : i64) -> []i64 {{
           let c_2 : bool = i_1 == 1
           let ys_3 : []i64 = if c_2 {{ => xs_0 }} else {{ let zs_4 : []i64 = update xs_0[i_1] = 7; => zs_4 }}
           => ys_3
         }}"
    )
}

#[test]
fn updates_in_a_loop_copy_nothing() {
    let each = |body: &str, expected: &str, copied: u64| {
        let text = looped("[]i64", "let init_2 : []i64 = xs_1", "for i_5 < n_0", body);
        copies(&text, "3", expected, copied);
    };
    each("let next_9 : []i64 = update s_4[i_5] = 7", "[7, 7, 7]", 0);
    each("let next_9 : []i64 = call put(s_4, i_5)", "[7, 7, 7]", 0);
    each("let next_9 : []i64 = call maybe(s_4, i_5)", "[7, 1, 7]", 0);
    each("let a_6 : []i64 = s_4 let n_7 : i64 = length a_6 let next_9 : []i64 = update a_6[i_5] = n_7", "[3, 3, 3]", 0);
    // The old value is used once more.
    each(
        "let a_6 : []i64 = update s_4[i_5] = 7 let b_7 : i64 = s_4[i_5] let next_9 : []i64 = update a_6[i_5] = b_7",
        "[0, 1, 2]",
        9,
    );
    // A value from outside stays what it is.
    each("let next_9 : []i64 = update xs_1[i_5] = 7", "[0, 1, 7]", 9);
    each(
        "let c_6 : bool = i_5 == 1 let next_9 : []i64 = if c_6 { => s_4 } else { let t_7 : []i64 = update s_4[i_5] = 7; => t_7 }",
        "[7, 1, 7]",
        0,
    );
    each(
        "let t_6 : [][]i64 = generate (j_7 : i64) < 2 { let u_8 : []i64 = update s_4[j_7] = 9; => u_8 } let next_9 : []i64 = t_6[1]",
        "[0, 9, 2]",
        18,
    );
    each("let is_6 : []i64 = [i_5] of i64 let next_9 : []i64 = scatter s_4 is_6 is_6", "[0, 1, 2]", 0);
    each("let is_6 : []i64 = [i_5] of i64 let next_9 : []i64 = update s_4[i_5; 1 by 1] = is_6", "[0, 1, 2]", 0);
}

#[test]
fn updates_of_parts_of_a_state_copy_nothing() {
    let pair = "([]i64, i64)";
    let init = "let init_2 : ([]i64, i64) = (xs_1, 0)";
    let body = "let a_6 : []i64 = s_4.0 let k_7 : i64 = s_4.1
                let b_8 : []i64 = update a_6[k_7] = 7 let l_10 : i64 = k_7 + 1
                let next_9 : ([]i64, i64) = (b_8, l_10)";
    copies(&looped(pair, init, "for i_5 < n_0", body), "3", "([7, 7, 7], 3)", 0);
    let cond = "while { let c_11 : i64 = s_4.1 let x_12 : []i64 = s_4.0 let n_13 : i64 = length x_12
                let unused_14 : []i64 = s_4.0 let d_15 : bool = c_11 < n_13; => d_15 }";
    copies(&looped(pair, init, cond, body), "3", "([7, 7, 7], 3)", 0);
    // One branch uses the state once more, the other does not.
    let branch = "let a_6 : []i64 = s_4.0 let c_7 : bool = i_5 < 1
                  let k_8 : i64 = if c_7 { => 0 } else { let l_10 : i64 = s_4.1; => l_10 }
                  let b_11 : []i64 = update a_6[k_8] = 7 let m_12 : i64 = k_8 + 1
                  let next_9 : ([]i64, i64) = (b_11, m_12)";
    copies(&looped(pair, init, "for i_5 < n_0", branch), "3", "([7, 7, 7], 3)", 0);
    let sum = "<none | some([]i64, i64)>";
    let init = format!("let init_2 : {sum} = variant some(xs_1, 5) of {sum}");
    let body = format!(
        "let next_9 : {sum} = match s_4 {{
           none {{ => s_4 }}
           some(a_6 : []i64, k_7 : i64) {{
             let b_8 : []i64 = update a_6[i_5] = k_7
             let t_10 : {sum} = variant some(b_8, k_7) of {sum}
             => t_10
           }}
         }}"
    );
    copies(&looped(sum, &init, "for i_5 < n_0", &body), "3", "some@1([5, 5, 5], 5)", 0);
    let rows = "let row_6 : []i64 = iota 2 let init_2 : [][]i64 = replicate n_0 row_6";
    let body = "let next_9 : [][]i64 = update s_4[i_5, 1] = 7";
    // Replicated rows are one: each is copied when it is first written, and only it.
    copies(&looped("[][]i64", rows, "for i_5 < n_0", body), "3", "[[0, 7], [0, 7], [0, 7]]", 4);
}

#[test]
fn accumulators_are_updated_in_place() {
    let text = "entry f(n_0 : i64) -> []i64 {
      let zeros_1 : []i64 = replicate n_0 0
      let xss_2 : [][]i64 = generate (i_3 : i64) < n_0 { let t_4 : []i64 = [i_3] of i64; => t_4 }
      let r_5 : []i64 = reduce (a_6 : []i64, b_7 : []i64) in xss_2 from zeros_1 {
        let k_8 : i64 = b_7[0]
        let c_9 : []i64 = update a_6[k_8] = k_8
        => c_9
      }
      => r_5
    }";
    copies(text, "4", "[0, 1, 2, 3]", 0);
}
