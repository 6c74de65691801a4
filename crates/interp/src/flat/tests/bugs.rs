//! Programs that break a promise: each must be caught, with the statement and the column.

use super::check_bug;

const ADD: &str = "by (a_90 : i64 | b_91 : i64) { let c_92 : i64 = a_90 + b_91 => c_92 } from 0";

fn program(body: &str) -> String {
    format!(
        "test \"t\" t(n_0 : i64, xs_1 : i64[n_0]) -> (i64) with ([1, 2, 3]) takes [length]i64 gives i64 {{ {body} => n_0 }}"
    )
}

fn check(body: &str, part: &str) {
    check_bug(&program(body), part);
}

#[test]
fn reads_stay_inside() {
    check("let x_2 : i64 = xs_1[n_0]", "statement `x_2`: xs_1 is read at 3, but has 3 elements");
    check(
        "let ys_2 : i64[n_0] = map grid [n_0] (i_3 | p_4) { let k_5 : i64 = p_4 - 1; let x_6 : i64 = xs_1[k_5] => x_6 }",
        "statement `x_6`: xs_1 is read at -1, but has 3 elements",
    );
    check(
        "let at_2 : i64[4] = [0, 2, 4, 6]
         let ys_3 : i64[6] = map grid [n_0] (i_4 | p_5) rows at_2 { let l_6 : i64[1] = [i_4] => l_6 }
         let x_7 : i64 = ys_3[3]",
        "ys_3 is read at 3, in a gap between rows",
    );
}

#[test]
fn rows_fit_their_room() {
    check(
        "let at_2 : i64[4] = [0, 2, 4, 5]
         let ys_3 : i64[5] = map grid [n_0] (i_4 | p_5) rows at_2 { let l_6 : i64[2] = [i_4, i_4] => l_6 }",
        "l_6 has 2 elements for 4..5",
    );
    check(
        "let at_2 : i64[3] = [0, 2, 4]
         let ys_3 : i64[4] = map grid [n_0] (i_4 | p_5) rows at_2 { let l_6 : i64[1] = [i_4] => l_6 }",
        "at_2 is read at 3, but has 3 elements",
    );
}

#[test]
fn types_and_bounds_are_true() {
    check(
        "let ys_2 : i64[n_0 + 1] = map grid [n_0] (i_3 | p_4) { => i_3 }",
        "ys_2 has 3 elements, its type says n_0 + 1 = 4",
    );
    check(
        "let m_2 : i64 <= 2, ys_3 : i64[m_2] = pack grid [n_0] (i_4 | p_5) { => true, i_4 }",
        "m_2 is 3, above its bound 2 = 2",
    );
    check("let y_2 : i32 = n_0 + 1", "y_2 is of another type");
    check("let y_2 : i64 = n_0 + 1i32", "3 + 1i32");
    check("let y_2 : i64 = n_0 / 0", "a division by zero that no check guards");
    check("let y_2 : i64 = z_7 + 1 let z_7 : i64 = n_0 + 0", "z_7 is not bound");
}

#[test]
fn descriptors_agree_with_the_points() {
    let over = |space: &str, before: &str| {
        format!("{before} let s_5 : i64[n_0] = reduce grid [n_0]{space} (i_20, j_21 | p_22, q_23) {ADD} {{ => 1 }}")
    };
    check(&over("[off_2]", "let off_2 : i64[4] = [1, 1, 2, 3]"), "off_2 is 1 at 0, but 0 points come before");
    check(&over("[off_2]", "let off_2 : i64[4] = [0, 2, 1, 3]"), "a row of length -1");
    check(&over("[off_2]", "let off_2 : i64[5] = [0, 1, 2, 3, 4]"), "off_2 has 5 elements for 3 rows");
    let per = "let len_2 : i64[3] = [1, 1, 2] let base_3 : i64[4] = ";
    check(
        &over("[per 1 len_2 from base_3]", &format!("{per} [0, 1, 3, 4]")),
        "base_3 is 3 at 2, but 2 points come before",
    );
    check(
        &over("[per 1 len_2 from base_3]", &format!("{per} [0, 1, 2, 5]")),
        "base_3 is 5 at 3, but 4 points come before",
    );
}

#[test]
fn some_things_belong_to_the_host() {
    let text = format!(
        "def f(x_0 : i64) -> (i64) {{ => x_0 }} {}",
        program("let ys_2 : i64[n_0] = map grid [n_0] (i_3 | p_4) { let y_5 : i64 = call f(i_3) => y_5 }")
    );
    check_bug(&text, "a call inside an operator");
    check(
        "let ys_2 : i64[n_0] = map grid [n_0] (i_3 | p_4) { let y_5 : i64 = memory_limit => y_5 }",
        "the memory limit inside",
    );
}

#[test]
fn results_have_the_lengths_of_their_types() {
    check_bug(
        "def f(x_0 : i64) -> (i64[x_0]) { let ys_1 : i64[2] = [1, 2] => ys_1 }
         test \"t\" t(n_0 : i64) -> (i64) with (3) takes i64 gives i64 { let ys_1 : i64[n_0] = call f(n_0) => n_0 }",
        "a result of f has 2 elements, its type says x_0 = 3",
    );
}
