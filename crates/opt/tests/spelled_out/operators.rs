//! Reductions, scans and histograms whose operator works on arrays; calls at the end.

use super::check;

/// Adds rows of one length.
const ADD: &str = "
    let n_100 : i64 = length a_98
    let m_101 : i64 = length b_99
    let ok_102 : bool = n_100 == m_101
    check 0 zip ok_102 (n_100, m_101)
    let out_103 : []i64 = map (x_104 : i64, y_105 : i64) in a_98, b_99 { let t_106 : i64 = x_104 + y_105 => t_106 } after 0
    => out_103";

/// Joins arrays from the last to the first: not the concatenation that the pass knows.
const JOIN: &str = "let out_100 : []i64 = concat(b_99, a_98) => out_100";

fn operator(body: &str, first: usize) -> String {
    let mut out = String::new();
    let mut rest = body;
    while let Some(at) = rest.find("_1").or_else(|| rest.find("_9")) {
        let at = rest.find("_9").map_or(at, |other| at.min(other));
        let digits: String = rest[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        let number: usize = digits.parse().expect("a number");
        out.push_str(&rest[..at]);
        out.push_str(&format!("_{}", number - 98 + first));
        rest = &rest[at + 1 + digits.len()..];
    }
    out + rest
}

#[test]
fn rows_element_by_element() {
    let text = format!(
        "check 0 : zip
         entry f(e_0 : []i64, rows_1 : [][]i64) -> ([]i64, [][]i64) {{
           let all_2 : []i64 = reduce (a_10 : []i64, b_11 : []i64) in rows_1 from e_0 {{ {} }}
           let prefixes_3 : [][]i64 = scan (a_30 : []i64, b_31 : []i64) in rows_1 from e_0 {{ {} }}
           let r_4 : ([]i64, [][]i64) = (all_2, prefixes_3)
           => r_4
         }}",
        operator(ADD, 10),
        operator(ADD, 30)
    );
    check(
        &text,
        &[
            "[0, 0], [[1, 2], [3, 4], [5, 6]]",
            "[7, 0, 1], [[1, 2, 3]]",
            "[0, 0], []",
            "[], [[], []]",
            "[0], [[1, 2]]",
            "[0, 0], [[1, 2], [3]]",
        ],
    );
}

#[test]
fn any_operator_in_waves() {
    let text = format!(
        "entry f(rows_0 : [][]i64, rowss_1 : [][][]i64, is_2 : []i64) -> ([]i64, [][]i64, [][]i64, [][]i64) {{
           let none_3 : []i64 = [] of i64
           let all_4 : []i64 = reduce (a_10 : []i64, b_11 : []i64) in rows_0 from none_3 {{ {} }}
           let prefixes_5 : [][]i64 = scan (a_20 : []i64, b_21 : []i64) in rows_0 from none_3 {{ {} }}
           let each_6 : [][]i64 = map (rows_7 : [][]i64) in rowss_1 {{
             let total_8 : []i64 = reduce (a_30 : []i64, b_31 : []i64) in rows_7 from none_3 {{ {} }}
             => total_8
           }}
           let bins_9 : [][]i64 = hist (a_40 : []i64, b_41 : []i64) in is_2, rows_0 < 3 from none_3 {{ {} }}
           let r_50 : ([]i64, [][]i64, [][]i64, [][]i64) = (all_4, prefixes_5, each_6, bins_9)
           => r_50
         }}",
        operator(JOIN, 10),
        operator(JOIN, 20),
        operator(JOIN, 30),
        operator(JOIN, 40)
    );
    check(
        &text,
        &[
            "[[1], [2, 3], [], [4], [5, 6]], [[[1], [2], [3]], [], [[4, 5]], [[6], []]], [2, 0, 0, 2, 2]",
            "[[1, 2]], [], [1]",
            "[], [[]], []",
        ],
    );
}

#[test]
fn rows_with_a_neutral_element_of_their_own() {
    check(
        "entry f(rows_0 : [][]i64, es_1 : []i64) -> ([]i64, [][]i64) {
           let r_2 : []i64 = map (row_3 : []i64, e_4 : i64) in rows_0, es_1 {
             let k_5 : i64 = reduce (a_6 : i64, b_7 : i64) in row_3 from e_4 {
               let c_8 : i64 = a_6 min b_7
               let d_9 : i64 = c_8 max e_4
               => d_9
             }
             => k_5
           }
           let s_10 : [][]i64 = map (row_11 : []i64, e_12 : i64) in rows_0, es_1 {
             let k_13 : []i64 = scan (a_14 : i64, b_15 : i64) in row_11 from e_12 { let c_16 : i64 = a_14 max b_15 => c_16 }
             => k_13
           }
           let p_17 : ([]i64, [][]i64) = (r_2, s_10)
           => p_17
         }",
        &["[[5, 3, 9], [], [1, 7]], [4, 8, 7]", "[], []", "[[], []], [1, 2]"],
    );
}

#[test]
fn arrays_in_order() {
    check(
        "entry f(xs_0 : []([]f64, i64), ys_1 : [][]i64) -> ([]bool, [][]i64) {
           let turned_2 : []([]f64, i64) = rotate xs_0 by 1
           let before_3 : []bool = map (a_4 : ([]f64, i64), b_5 : ([]f64, i64)) in xs_0, turned_2 {
             let p_6 : bool = precedes a_4 b_5
             => p_6
           }
           let sorted_7 : [][]i64 = sort ys_1 by ys_1
           let r_8 : ([]bool, [][]i64) = (before_3, sorted_7)
           => r_8
         }",
        &[
            "[([1.0], 2), ([1.0, nan], 1), ([-0.0], 5), ([0.0], 1), ([0.0], 1), ([], 0)], [[3], [1, 2], [], [1], [1, 2, 0], [1]]",
            "[], []",
        ],
    );
}

#[test]
fn enums_with_arrays() {
    let e = "<words([]u8) | rows([][]i64, bool) | nothing>";
    check(
        &format!(
            "entry f(xs_0 : []{e}, k_1 : i64) -> ([]i64, []{e}, {e}) {{
               let ns_2 : []i64 = map (x_3 : {e}) in xs_0 {{
                 let n_4 : i64 = match x_3 {{
                   words(w_5 : []u8) {{ let m_6 : i64 = length w_5 => m_6 }}
                   rows(r_7 : [][]i64, b_8 : bool) {{ let f_9 : []i64 = flatten r_7; let m_10 : i64 = length f_9 => m_10 }}
                   nothing {{ => -1 }}
                 }}
                 => n_4
               }}
               let turned_11 : []{e} = rotate xs_0 by k_1
               let one_12 : {e} = variant words([]) of {e}
               let r_13 : ([]i64, []{e}, {e}) = (ns_2, turned_11, one_12)
               => r_13
             }}"
        )
        .replace("let one_12", "let none_14 : []u8 = [] of u8\n let one_12")
        .replace("variant words([])", "variant words(none_14)"),
        &["[words@0([1u8, 2u8]), rows@1([[1], [2, 3]], true), nothing@2, rows@1([], false)], 1", "[], 0"],
    );
}
