//! Nested values in every layout, in and out.

use super::check;

/// A test that gives back what it takes.
fn same(arg: &str, params: &str, names: &str, types: &str, layout: &str) -> String {
    format!("test \"t\" t({params}) -> ({types}) with ({arg}) takes {layout} gives {layout} {{ => {names} }}")
}

fn check_same(arg: &str, params: &[(&str, &str)], layout: &str) {
    check(&text(arg, params, layout), arg);
}

fn check_refused(arg: &str, params: &[(&str, &str)], layout: &str, expected: &str) {
    check(&text(arg, params, layout), expected);
}

fn text(arg: &str, params: &[(&str, &str)], layout: &str) -> String {
    let list = |f: &dyn Fn(&(&str, &str)) -> String| params.iter().map(f).collect::<Vec<_>>().join(", ");
    same(
        arg,
        &list(&|(n, t)| format!("{n} : {t}")),
        &list(&|(n, _)| n.to_string()),
        &list(&|(_, t)| t.to_string()),
        layout,
    )
}

const RAGGED: &[(&str, &str)] =
    &[("n_0", "i64"), ("off_1", "i64[n_0 + 1]"), ("c_2", "i64"), ("x_3", "i32[c_2]"), ("y_4", "f64[c_2]")];

#[test]
fn every_layout_goes_in_and_out() {
    check_same("(1, true)", &[("a_0", "i64"), ("b_1", "bool")], "(i64, bool)");
    check_same("[]", &[("n_0", "i64"), ("x_1", "i64[n_0]")], "[length]i64");
    check_same("[[(1i32, 0.5)], [], [(2i32, 1.5), (3i32, 2.0)]]", RAGGED, "[length][off](i32, f64)");
    check_same("[]", RAGGED, "[length][off](i32, f64)");
    let regular = [("n_0", "i64"), ("m_1", "i64"), ("x_2", "i64[n_0*m_1]")];
    check_same("[[1, 2], [3, 4], [5, 6]]", &regular, "[length][length]i64");
    check_same("[[], []]", &regular, "[length][length]i64");
    let triangle = [("n_0", "i64"), ("x_1", "i64[(n_0^2 + n_0)/2]")];
    check_same("[[1], [2, 3], [4, 5, 6]]", &triangle, "[length][closed s0 + 1]i64");
    let stated = [("m_0", "i64"), ("n_1", "i64"), ("x_2", "i64[n_1*m_0]")];
    check_same("(2, [[1, 2], [3, 4]])", &stated, "(i64, [length][closed s100]i64)");
    let deep = [
        ("n_0", "i64"),
        ("off_1", "i64[n_0 + 1]"),
        ("start_2", "i64[n_0]"),
        ("c_3", "i64"),
        ("off_4", "i64[c_3 + 1]"),
        ("d_5", "i64"),
        ("x_6", "i64[d_5]"),
    ];
    check_same("[[[1], [], [2, 3]], [], [[4]]]", &deep, "[length][off start][off]i64");
}

#[test]
fn rows_that_are_not_packed_are_found() {
    let text = "test \"t\" t(x_0 : i64) -> (i64, i64[3], i64[2], i64, i64[4], i64, i64[4]) with (7)
        takes i64 gives [length][off start][off]i64 {
        let off_1 : i64[3] = [0, 1, 3]
        let start_2 : i64[2] = [2, 0]
        let inner_3 : i64[4] = [0, 1, 1, 4]
        let xs_4 : i64[4] = [x_0, 1, 2, 3]
        => 2, off_1, start_2, 3, inner_3, 4, xs_4 }";
    check(text, "[[[1, 2, 3]], [[7], []]]");
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let triangle = [("n_0", "i64"), ("x_1", "i64[(n_0^2 + n_0)/2]")];
    check_refused("[[1], [2]]", &triangle, "[length][closed s0 + 1]i64", "parameter [1, 2] at [1]");
    let regular = [("n_0", "i64"), ("m_1", "i64"), ("x_2", "i64[n_0*m_1]")];
    check_refused("[[1], [2], []]", &regular, "[length][length]i64", "parameter [0, 1] at [2]");
    check_refused("[[1], 2]", &regular, "[length][length]i64", "argument [] at []");
    check_refused("[[1i32]]", &regular, "[length][length]i64", "argument [] at []");
}

#[test]
fn a_refusal_names_the_parameter() {
    let params = [("m_len_0", "i64"), ("m_1", "i64[(m_len_0^2 + m_len_0)/2]")];
    let text = text("[[1], [2]]", &params, "[length][closed s0 + 1]i64");
    let failure = super::outcome(&text, &crate::flat::Options::default()).0;
    assert_eq!(failure.unwrap_err().text, "m");
}
