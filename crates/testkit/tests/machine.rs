//! Operators and spaces that few programs have, from Flat down to every machine.
//!
//! The programs are Flat as text, so that they test places, kernels and printed code apart from what flattening makes of source
//! programs. Each is a test with its arguments; what it gives, as the list says, is what the interpreters of Flat and Mem, C and
//! simulated CUDA give, with usual and with tiny tiles, under several schedules.

use terrace_codegen::{c, cuda, opencl};
use terrace_interp::{flat as run_flat, mem as run_mem};
use terrace_ir::FuncId;
use terrace_ir::flat::{Program, Role, parse::parse, verify::verify};
use terrace_opt::options::{Options, TileSizes};
use terrace_opt::pipeline::{to_kernels, to_mem};
use terrace_plan::Target;
use terrace_plan::data::Data;
use terrace_plan::host::HostStmt;
use terrace_runtime::{Backend, RunError, Runtime};
use terrace_testkit::setup::opencl_missing;

/// Programs and what they give.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "[7, 10, 7, 12]",
        "test \"literal_destination\" literal_destination(n_0 : i64, ks_1 : i64[n_0], xs_2 : i64[n_0]) -> (i64, i64[4])
           with ([(1, 10), (-1, 11), (3, 12)]) takes [length](i64, i64) gives [length]i64 {
           let dest_3 : i64[4] = [7, 7, 7, 7]
           let out_4 : i64[4] = scatter grid [n_0] (i_5 | p_6) into dest_3 distinct {
             let k_7 : i64 = ks_1[p_6]; let x_8 : i64 = xs_2[p_6] => k_7, x_8 } => 4, out_4 }",
    ),
    (
        "([5, 4, 3, 2, 1], [1, 2, 3, 4, 5])",
        "test \"parameter_is_copied\" parameter_is_copied(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0], i64, i64[n_0])
           with ([1, 2, 3, 4, 5]) takes [length]i64 gives ([length]i64, [length]i64) {
           let ys_2 : i64[n_0] = scatter grid [n_0] (i_3 | p_4) into xs_1 distinct {
             let a_5 : i64 = n_0 - 1; let b_6 : i64 = a_5 - i_3; let x_7 : i64 = xs_1[p_4] => b_6, x_7 }
           => n_0, ys_2, n_0, xs_1 }",
    ),
    // The body reads what other points overwrite: values are computed first.
    (
        "[50, 40, 30, 20, 10]",
        "test \"reversed_in_place\" reversed_in_place(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0])
           with ([1, 2, 3, 4, 5]) takes [length]i64 gives [length]i64 {
           let ys_2 : i64[n_0] = map grid [n_0] (i_3 | p_4) { let x_5 : i64 = xs_1[p_4]; let y_6 : i64 = x_5 * 10 => y_6 }
           let zs_7 : i64[n_0] = scatter grid [n_0] (i_8 | p_9) into ys_2 distinct {
             let a_10 : i64 = n_0 - 1; let b_11 : i64 = a_10 - i_8; let x_12 : i64 = ys_2[p_9] => b_11, x_12 }
           => n_0, zs_7 }",
    ),
    // A host-level read is delayed, but not beyond what overwrites its column.
    (
        "([99, 2, 3], 1)",
        "test \"delayed_read\" delayed_read(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0], i64)
           with ([1, 2, 3]) takes [length]i64 gives ([length]i64, i64) {
           let ys_2 : i64[n_0] = map grid [n_0] (i_3 | p_4) { let x_5 : i64 = xs_1[p_4] => x_5 }
           let old_6 : i64 = ys_2[0]
           let zs_7 : i64[n_0] = scatter grid [1] (i_8 | p_9) into ys_2 distinct { => 0, 99 }
           => n_0, zs_7, old_6 }",
    ),
    (
        "[1, 1, 2, 3, 5, 8, 13, 21, 34, 55]",
        "test \"updates_in_a_loop\" updates_in_a_loop(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0])
           with ([1, 1, 0, 0, 0, 0, 0, 0, 0, 0]) takes [length]i64 gives [length]i64 {
           let ys_2 : i64[n_0], k_3 : i64 = loop zs_4 : i64[n_0] = xs_1, i_5 : i64 = 2
             while { let go_6 : bool = i_5 < n_0 => go_6 } do {
               let a_7 : i64 = i_5 - 1
               let b_8 : i64 = i_5 - 2
               let x_9 : i64 = zs_4[a_7]
               let y_10 : i64 = zs_4[b_8]
               let z_11 : i64 = x_9 + y_10
               let us_12 : i64[n_0] = scatter grid [1] (j_13 | p_14) into zs_4 distinct { => i_5, z_11 }
               let next_15 : i64 = i_5 + 1
               => us_12, next_15 }
           => n_0, ys_2 }",
    ),
    // What was read before the loop is needed after it.
    (
        "([6, 2, 3], 1)",
        "test \"read_before_a_loop\" read_before_a_loop(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0], i64)
           with ([1, 2, 3]) takes [length]i64 gives ([length]i64, i64) {
           let own_20 : i64[n_0] = map grid [n_0] (i_21 | p_22) { let x_23 : i64 = xs_1[p_22] => x_23 }
           let old_24 : i64 = own_20[0]
           let ys_2 : i64[n_0], k_3 : i64 = loop zs_4 : i64[n_0] = own_20, i_5 : i64 = 0
             while { let go_6 : bool = i_5 < 5 => go_6 } do {
               let x_9 : i64 = zs_4[0]
               let z_11 : i64 = x_9 + 1
               let us_12 : i64[n_0] = scatter grid [1] (j_13 | p_14) into zs_4 distinct { => 0, z_11 }
               let next_15 : i64 = i_5 + 1
               => us_12, next_15 }
           => n_0, ys_2, old_24 }",
    ),
    // One branch writes in place; what was read before is needed after.
    (
        "([9, 2, 3], 1)",
        "test \"read_before_a_branch\" read_before_a_branch(n_0 : i64, xs_1 : i64[n_0], c_2 : bool) -> (i64, i64[n_0], i64)
           with ([1, 2, 3], true) takes [length]i64, bool gives ([length]i64, i64) {
           let own_20 : i64[n_0] = map grid [n_0] (i_21 | p_22) { let x_23 : i64 = xs_1[p_22] => x_23 }
           let old_24 : i64 = own_20[0]
           let ys_3 : i64[n_0] = if c_2 {
             let us_12 : i64[n_0] = scatter grid [1] (j_13 | p_14) into own_20 distinct { => 0, 9 } => us_12
           } else { => own_20 }
           => n_0, ys_3, old_24 }",
    ),
    // The old state is needed beside the new one.
    (
        "([7, 7, 7, 0], [7, 7, 0, 0])",
        "test \"state_still_needed\" state_still_needed(n_0 : i64, xs_1 : i64[n_0]) -> (i64, i64[n_0], i64, i64[n_0])
           with ([0, 0, 0, 0]) takes [length]i64 gives ([length]i64, [length]i64) {
           let ys_2 : i64[n_0], old_30 : i64[n_0], k_3 : i64 = loop zs_4 : i64[n_0] = xs_1, before_31 : i64[n_0] = xs_1, i_5 : i64 = 0
             while { let go_6 : bool = i_5 < 3 => go_6 } do {
               let us_12 : i64[n_0] = scatter grid [1] (j_13 | p_14) into zs_4 distinct { => i_5, 7 }
               let next_15 : i64 = i_5 + 1
               => us_12, zs_4, next_15 }
           => n_0, ys_2, n_0, old_30 }",
    ),
    // Positions of a deeper space, two destinations, one of them read where it is written.
    (
        "[(100, 5), (101, 6), (100, 7), (100, 8), (101, 9), (102, 10), (0, 0)]",
        "test \"ragged\" ragged(n_0 : i64, off_1 : i64[n_0 + 1], t_2 : i64, xs_3 : i64[t_2], m_4 : i64, a_5 : i64[m_4], b_6 : i64[m_4])
           -> (i64, i64[m_4], i64[m_4])
           with ([[5, 6], [], [7], [8, 9, 10]], [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)])
           takes [length][off]i64, [length](i64, i64) gives [length](i64, i64) {
           let c_7 : i64[m_4], d_8 : i64[m_4] = scatter grid [n_0][off_1] (i_9, j_10 | p_11, q_12 <= t_2) into a_5, b_6 distinct {
             let x_13 : i64 = xs_3[q_12]; let y_14 : i64 = j_10 + 100 => q_12, y_14, x_13 }
           => m_4, c_7, d_8 }",
    ),
    // The last point wins when a thread goes through them in order.
    (
        "[5, 12, 7, 7]",
        "test \"in_order\" in_order(n_0 : i64, ks_1 : i64[n_0], xs_2 : i64[n_0]) -> (i64, i64[4])
           with ([(1, 10), (1, 11), (0, 5), (1, 12)]) takes [length](i64, i64) gives [length]i64 {
           let dest_3 : i64[4] = [7, 7, 7, 7]
           let out_4 : i64[4] = scatter thread [n_0] (i_5 | p_6) into dest_3 {
             let k_7 : i64 = ks_1[p_6]; let x_8 : i64 = xs_2[p_6] => k_7, x_8 } => 4, out_4 }",
    ),
    (
        "[3, 0, 4, 30]",
        "test \"bins\" bins(n_0 : i64, ks_1 : i64[n_0], xs_2 : i64[n_0]) -> (i64, i64[4])
           with ([(0, 1), (2, 4), (-1, 100), (0, 2), (3, 10), (3, 20)]) takes [length](i64, i64) gives [length]i64 {
           let out_3 : i64[4] = hist grid [n_0] (i_5 | p_6) bins 4
             by (a_90 : i64 | b_91 : i64) { let c_92 : i64 = a_90 + b_91 => c_92 } from 0 {
             let k_7 : i64 = ks_1[p_6]; let x_8 : i64 = xs_2[p_6] => k_7, x_8 } => 4, out_3 }",
    ),
    // Any operator in a thread: the last value and how many there were.
    (
        "[(2, 2), (0, 0), (4, 1), (20, 2)]",
        "test \"bins_in_order\" bins_in_order(n_0 : i64, ks_1 : i64[n_0], xs_2 : i64[n_0]) -> (i64, i64[4], i64[4])
           with ([(0, 1), (2, 4), (-1, 100), (0, 2), (3, 10), (3, 20)]) takes [length](i64, i64) gives [length](i64, i64) {
           let out_3 : i64[4], many_4 : i64[4] = hist thread [n_0] (i_5 | p_6) bins 4
             by (a_90 : i64, m_93 : i64 | b_91 : i64, n_94 : i64) { let c_92 : i64 = m_93 + n_94 => b_91, c_92 } from 0, 0 {
             let k_7 : i64 = ks_1[p_6]; let x_8 : i64 = xs_2[p_6] => k_7, x_8, 1 } => 4, out_3, many_4 }",
    ),
    // A histogram and updates in a thread's own arrays.
    (
        "[(2, 1), (3, 0), (0, 3)]",
        "test \"local\" local(n_0 : i64, off_1 : i64[n_0 + 1], t_2 : i64, xs_3 : i64[t_2]) -> (i64, i64[n_0], i64[n_0])
           with ([[0, 1, 0], [0, 0, 0], [1, 1, 1]]) takes [length][off]i64 gives [length](i64, i64) {
           let c_7 : i64[n_0], d_8 : i64[n_0] = map grid [n_0] (i_9 | p_10) {
             let from_11 : i64 = off_1[p_10]
             let q_12 : i64 = p_10 + 1
             let to_13 : i64 = off_1[q_12]
             let m_14 : i64 = to_13 - from_11
             let bins_15 : i64[2] <= 2 = hist thread [m_14] (j_16 | r_17) bins 2
               by (a_90 : i64 | b_91 : i64) { let c_92 : i64 = a_90 + b_91 => c_92 } from 0 {
               let at_18 : i64 = from_11 + r_17; let k_19 : i64 = xs_3[at_18] => k_19, 1 }
             let turned_20 : i64[2] <= 2, s_21 : i64 = loop u_22 : i64[2] <= 2 = bins_15, k_23 : i64 = 0
               while { let go_24 : bool = k_23 < 2 => go_24 } do {
                 let x_25 : i64 = u_22[0]
                 let y_26 : i64 = u_22[1]
                 let v_27 : i64[2] <= 2 = scatter thread [1] (j_28 | r_29) into u_22 distinct { => 0, y_26 }
                 let w_30 : i64[2] <= 2 = scatter thread [1] (j_31 | r_32) into v_27 distinct { => 1, x_25 }
                 let next_33 : i64 = k_23 + 1
                 => w_30, next_33 }
             let first_34 : i64 = turned_20[0]
             let second_35 : i64 = turned_20[1]
             => first_34, second_35 }
           => n_0, c_7, d_8 }",
    ),
    (
        "[1, 2, 3, 9, 1, 2, 3]",
        "test \"joined\" joined(n_0 : i64, xs_1 : i64[n_0], m_2 : i64, ys_3 : i64[m_2]) -> (i64, i64[2*n_0 + m_2])
           with ([1, 2, 3], [9]) takes [length]i64, [length]i64 gives [length]i64 {
           let zs_4 : i64[2*n_0 + m_2] = concat(xs_1, ys_3, xs_1)
           let k_5 : i64 = size 2*n_0 + m_2
           => k_5, zs_4 }",
    ),
    // Rows of one matrix are equally long: one length and one start per matrix.
    (
        "([0, 1, 10, 11, 200, 210, 220], [1, 21, 0, 0, 200, 210, 220], [0, 1, 10, 21, 200, 210, 220])",
        "test \"per_ancestor\" per_ancestor(n_0 : i64, off_1 : i64[n_0 + 1], t_2 : i64, shapes_3 : i64[t_2])
           -> (i64, i64[k_9], i64, i64[m_21], i64, i64[k_9])
           with ([[2, 2], [2, 0], [0, 0], [3, 1]]) takes [length][off]i64 gives ([length]i64, [length]i64, [length]i64) {
           let rows_4 : i64[n_0] = map grid [n_0] (i_5 | p_6) { let a_7 : i64 = 2 * p_6; let r_8 : i64 = shapes_3[a_7] => r_8 }
           let cols_10 : i64[n_0] = map grid [n_0] (i_11 | p_12) {
             let a_13 : i64 = 2 * p_12; let b_14 : i64 = a_13 + 1; let r_15 : i64 = shapes_3[b_14] => r_15 }
           let rowoff_16 : i64[n_0 + 1] = scan grid [n_0] (i_17 | p_18)
             by (a_70 : i64 | b_71 : i64) { let c_72 : i64 = a_70 + b_71 => c_72 } from 0 offsets { let r_19 : i64 = rows_4[p_18] => r_19 }
           let base_20 : i64[n_0 + 1] = scan grid [n_0] (i_22 | p_23)
             by (a_73 : i64 | b_74 : i64) { let c_75 : i64 = a_73 + b_74 => c_75 } from 0 offsets {
             let r_24 : i64 = rows_4[p_23]; let c_25 : i64 = cols_10[p_23]; let s_26 : i64 = r_24 * c_25 => s_26 }
           let m_21 : i64 = rowoff_16[n_0]
           let k_9 : i64 = base_20[n_0]
           let xs_27 : i64[k_9] = map grid [n_0][rowoff_16][per 1 cols_10 from base_20] (i_28, j_29, l_30 | p_31, q_32, r_33) {
             let c_76 : bool = i_28 == 3
             let i_77 : i64 = select(c_76, 2, i_28)
             let a_34 : i64 = i_77 * 100; let b_35 : i64 = j_29 * 10; let c_36 : i64 = a_34 + b_35; let d_37 : i64 = c_36 + l_30 => d_37 }
           let ys_38 : i64[m_21] = reduce grid [n_0][rowoff_16][per 1 cols_10 from base_20] (i_39, j_40, l_41 | p_42, q_43, r_44)
             by (a_45 : i64 | b_46 : i64) { let c_47 : i64 = a_45 + b_46 => c_47 } from 0 { let x_48 : i64 = xs_27[r_44] => x_48 }
           let zs_50 : i64[k_9] = scan grid [n_0][rowoff_16][per 1 cols_10 from base_20] (i_51, j_52, l_53 | p_54, q_55, r_56)
             by (a_57 : i64 | b_58 : i64) { let c_59 : i64 = a_57 + b_58 => c_59 } from 0 inclusive { let x_60 : i64 = xs_27[r_56] => x_60 }
           => k_9, xs_27, m_21, ys_38, k_9, zs_50 }",
    ),
    // Sizes with powers of two, and with pieces.
    (
        "([0, 100, 101, 200, 201, 202, 203], [0, 10, 11, 20, 21, 30, 31])",
        "test \"powers\" powers(n_0 : i64) -> (i64, i64[2^n_0 - 1], i64, i64[t_30])
           with (3) takes i64 gives ([length]i64, [length]i64) {
           let xs_1 : i64[2^n_0 - 1] = map grid [n_0][(i_2) 2^i_2] (i_2, j_3 | p_4, q_5) {
             let a_6 : i64 = i_2 * 100; let b_7 : i64 = a_6 + j_3 => b_7 }
           let k_8 : i64 = size 2^n_0 - 1
           let m_9 : i64 = n_0 + 1
           let t_30 : i64 = 7
           let ys_10 : i64[t_30] = map grid [m_9][(i_12) min(i_12 + 1, n_0 - 1)] (i_12, j_13 | p_14, q_15) {
             let a_16 : i64 = i_12 * 10; let b_17 : i64 = a_16 + j_13 => b_17 }
           => k_8, xs_1, t_30, ys_10 }",
    ),
    (
        "index [4, 4] at [1]",
        "check 0 : index
         test \"failing\" failing(n_0 : i64, ks_1 : i64[n_0]) -> (i64, i64[4])
           with ([0, 4, 3, 5]) takes [length]i64 gives [length]i64 {
           let dest_3 : i64[4] = [7, 7, 7, 7]
           let out_4 : i64[4] = scatter grid [n_0] (i_5 | p_6) into dest_3 distinct {
             let k_7 : i64 = ks_1[p_6]
             let ok_8 : bool = k_7 < 4
             check 0 index ok_8 (k_7, 4)
             => k_7, 1 } => 4, out_4 }",
    ),
];

/// Histograms of all types and operators that are atomic.
fn bins_of_all_types() -> Vec<(String, String)> {
    let mut out = Vec::new();
    for ty in ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"] {
        for (word, neutral, expected) in [
            ("add", "0", "[16, 0, 3, 0, 0, 0, 22]"),
            ("mul", "1", "[105, 1, 2, 1, 1, 1, 120]"),
            ("min", "100", "[1, 100, 1, 100, 100, 100, 10]"),
            ("max", "0", "[7, 0, 2, 0, 0, 0, 12]"),
            ("and", "15", "[1, 15, 0, 15, 15, 15, 8]"),
            ("or", "0", "[7, 0, 3, 0, 0, 0, 14]"),
            ("xor", "0", "[0, 0, 3, 0, 0, 0, 6]"),
        ] {
            out.push((bins(ty, word, neutral), expected.to_string()));
        }
    }
    for ty in ["f32", "f64"] {
        out.push((bins(ty, "min", "100.0"), "[1.0, 100.0, 1.0, 100.0, 100.0, 100.0, 10.0]".into()));
        out.push((bins(ty, "max", "-1.0"), "[7.0, -1.0, 2.0, -1.0, -1.0, -1.0, 12.0]".into()));
    }
    for (word, neutral, expected) in [
        ("and", "true", "[true, true, true, true, true, true, true]"),
        ("or", "false", "[true, false, true, false, false, false, true]"),
        ("xor", "false", "[false, false, false, false, false, false, false]"),
        ("min", "true", "[true, true, true, true, true, true, true]"),
        ("max", "false", "[true, false, true, false, false, false, true]"),
    ] {
        out.push((bins("bool", word, neutral), expected.to_string()));
    }
    out
}

fn bins(ty: &str, operator: &str, neutral: &str) -> String {
    let name = format!("bins_{ty}_{operator}");
    let sign = match operator {
        "add" => "+",
        "mul" => "*",
        "and" => "&",
        "or" => "|",
        "xor" => "^",
        word => word,
    };
    let neutral = match ty {
        "f32" => format!("{neutral}f32"),
        "i64" | "f64" | "bool" => neutral.to_string(),
        ty => format!("{neutral}{ty}"),
    };
    format!(
        "test \"{name}\" {name}(n_0 : i64, ks_1 : i64[n_0], xs_2 : i64[n_0]) -> (i64, {ty}[7])
           with ([(0, 1), (0, 3), (0, 5), (0, 7), (2, 1), (2, 2), (6, 10), (6, 12)]) takes [length](i64, i64) gives [length]{ty} {{
           let out_3 : {ty}[7] = hist grid [n_0] (i_5 | p_6) bins 7
             by (a_90 : {ty} | b_91 : {ty}) {{ let c_92 : {ty} = a_90 {sign} b_91 => c_92 }} from {neutral} {{
             let k_7 : i64 = ks_1[p_6]; let w_8 : i64 = xs_2[p_6]; let x_9 : {ty} = {ty}(w_8) => k_7, x_9 }} => 7, out_3 }}"
    )
}

fn show(data: &Data) -> String {
    let list = |items: &[Data]| items.iter().map(show).collect::<Vec<_>>().join(", ");
    match data {
        Data::Scalar(s) => s.to_string().trim_end_matches(s.ty().name()).to_string(),
        Data::Tuple(parts) => format!("({})", list(parts)),
        Data::Array(items) => format!("[{}]", list(items)),
        Data::Variant(v) => format!("{}({})", v.name, list(&v.fields)),
    }
}

/// All programs in one.
fn whole() -> (Program, Vec<String>) {
    let mut cases: Vec<(String, String)> = PROGRAMS.iter().map(|(e, p)| (p.to_string(), e.to_string())).collect();
    cases.extend(bins_of_all_types());
    let is_check = |line: &&str| line.trim_start().starts_with("check 0 :");
    let mut text = "check 0 : index\n".to_string();
    for (program, _) in &cases {
        text += &program.lines().filter(|l| !is_check(l)).collect::<Vec<_>>().join("\n");
        text += "\n";
    }
    let program = parse(&text).unwrap_or_else(|e| panic!("{e}"));
    verify(&program).unwrap_or_else(|e| panic!("{e}"));
    (program, cases.into_iter().map(|(_, expected)| expected).collect())
}

fn arguments(program: &Program, id: FuncId) -> (String, Vec<Data>) {
    match &program.functions[id].role {
        Role::Test { name, arguments } => (name.clone(), arguments.clone()),
        other => panic!("{other:?}"),
    }
}

fn options(target: Target, tiles: TileSizes) -> Options {
    Options { target, tiles, ..Options::default() }
}

/// What differs from what is expected.
pub fn differences() -> Vec<String> {
    let (program, expected) = whole();
    let mut out = Vec::new();
    let mut note = |engine: &str, id: FuncId, found: String| {
        let wanted = &expected[id.index()];
        if found != *wanted {
            out.push(format!("{} on {engine}: found {found}, wanted {wanted}", program.functions[id].name));
        }
    };
    let mut timings = terrace_base::Timings::new();
    let describe = |r: Result<Data, run_flat::Failure>| match r {
        Ok(data) => show(&data),
        Err(f) if f.kind == "bug" => f.message,
        Err(f) => format!("{} {:?} at {:?}", f.kind, f.values, f.indices),
    };
    for id in program.functions.ids() {
        let (_, args) = arguments(&program, id);
        note("flat", id, describe(run_flat::call(&program, id, args).map(|r| r.0)));
    }
    let mut cases: Vec<(Target, TileSizes)> =
        [Target::C, Target::Cuda].into_iter().flat_map(|t| [(t, TileSizes::NORMAL), (t, TileSizes::TINY)]).collect();
    cases.extend(opencl_missing().is_none().then_some((Target::OpenCl, TileSizes::TINY)));
    for (target, tiles) in cases {
        let options = options(target, tiles);
        let mem = to_mem(&program, &options, &mut timings).unwrap_or_else(|e| panic!("{e:?}"));
        for id in program.functions.ids() {
            let (_, args) = arguments(&program, id);
            note("mem", id, describe(run_mem::call(&mem, id, args).map(|r| r.0)));
        }
        let kernels = to_kernels(&mem, &options, &mut timings).unwrap_or_else(|e| panic!("{e:?}"));
        let plan = match target {
            Target::C => c::print(&kernels),
            Target::Cuda => cuda::print(&kernels),
            Target::OpenCl => opencl::print(&kernels),
        };
        let engines = match target {
            Target::C => vec![Backend::Cpu { threads: 2 }],
            Target::Cuda => (0..3).map(|seed| Backend::CudaSim { seed }).collect(),
            Target::OpenCl => vec![Backend::OpenCl { device: 0 }],
        };
        for engine in engines {
            let runtime = Runtime::new(engine, Default::default()).unwrap_or_else(|e| panic!("{e:?}"));
            let loaded = runtime.load(&plan).unwrap_or_else(|e| panic!("{e:?}"));
            for id in program.functions.ids() {
                let (name, args) = arguments(&program, id);
                let found = match loaded.call(name.as_str(), &args) {
                    Ok((data, _)) => show(&data),
                    Err(RunError::Check { check, values, index }) => {
                        format!("{} {:?} at [{index}]", plan.checks[check as usize].kind, &values[..2])
                    }
                    Err(other) => format!("{other:?}"),
                };
                note(&format!("{engine:?} {tiles:?}"), id, found);
            }
        }
    }
    out
}

#[test]
fn every_machine_agrees() {
    let found = differences();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// An update in a loop allocates nothing in the loop, and copies its first value once where it must.
#[test]
fn updates_are_in_place() {
    let (program, _) = whole();
    let mut timings = terrace_base::Timings::new();
    let mem = to_mem(&program, &Options::default(), &mut timings).unwrap_or_else(|e| panic!("{e:?}"));
    let kernels = to_kernels(&mem, &Options::default(), &mut timings).unwrap_or_else(|e| panic!("{e:?}"));
    let count = |name: &str| {
        let function = kernels.functions.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("{name}"));
        let allocs = |stmts: &[HostStmt]| stmts.iter().filter(|s| matches!(s, HostStmt::Alloc { .. })).count();
        let inside = function.body.iter().map(|s| match s {
            HostStmt::While { body, .. } => allocs(body),
            _ => 0,
        });
        (allocs(&function.body), inside.sum::<usize>())
    };
    assert_eq!(count("updates_in_a_loop"), (1, 0));
    assert_eq!(count("read_before_a_loop"), (1, 0));
    assert_eq!(count("state_still_needed").1, 1);
}
