//! Operators that move elements, as tables: the operator, the array, what comes out.

use super::gives;

/// An operator on `xs_0`, with `a_1`, `b_2` and `c_3` as its numbers.
fn check(operator: &str, result: &str, array: &str, numbers: &[i64], expected: &str) {
    let text = format!(
        "entry f(xs_0 : []i64, a_1 : i64, b_2 : i64, c_3 : i64) -> {result} {{
           let r_4 : {result} = {operator}
           => r_4
         }}"
    );
    let number = |k: usize| numbers.get(k).copied().unwrap_or(0);
    gives(&text, &format!("{array}, {}, {}, {}", number(0), number(1), number(2)), expected);
}

#[test]
fn rotations_go_both_ways() {
    let rotate = |array, by, expected| check("rotate xs_0 by a_1", "[]i64", array, &[by], expected);
    rotate("[1, 2, 3]", 1, "[2, 3, 1]");
    rotate("[1, 2, 3]", 0, "[1, 2, 3]");
    rotate("[1, 2, 3]", -1, "[3, 1, 2]");
    rotate("[1, 2, 3]", 7, "[2, 3, 1]");
    rotate("[1, 2, 3]", i64::MIN, "[2, 3, 1]");
    rotate("[1, 2, 3]", i64::MAX, "[2, 3, 1]");
    rotate("[1]", 5, "[1]");
    rotate("[]", 5, "[]");
}

#[test]
fn pads_continue_an_array() {
    let pad = |mode: &str, array, left, right, expected| {
        check(&format!("pad xs_0 left a_1 right b_2 {mode}"), "[]i64", array, &[left, right, 9], expected);
    };
    pad("clamp", "[1, 2, 3]", 2, 1, "[1, 1, 1, 2, 3, 3]");
    pad("clamp", "[1]", 1, 2, "[1, 1, 1, 1]");
    pad("wrap", "[1, 2, 3]", 2, 1, "[2, 3, 1, 2, 3, 1]");
    pad("wrap", "[1, 2]", 5, 5, "[2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]");
    pad("mirror", "[1, 2, 3]", 2, 1, "[2, 1, 1, 2, 3, 3]");
    pad("mirror", "[1, 2]", 5, 3, "[1, 1, 2, 2, 1, 1, 2, 2, 1, 1]");
    pad("mirror", "[1]", 2, 2, "[1, 1, 1, 1, 1]");
    pad("constant c_3", "[1, 2]", 1, 2, "[9, 1, 2, 9, 9]");
    pad("constant c_3", "[]", 1, 2, "[9, 9, 9]");
    for mode in ["clamp", "wrap", "mirror", "constant 7"] {
        pad(mode, "[]", 0, 0, "[]");
        pad(mode, "[4, 5]", 0, 0, "[4, 5]");
    }
}

#[test]
fn windows_start_at_multiples_of_the_step() {
    let slide = |array, size, step, expected| {
        check("slide xs_0 size a_1 step b_2", "[][]i64", array, &[size, step], expected);
    };
    slide("[1, 2, 3, 4, 5]", 3, 2, "[[1, 2, 3], [3, 4, 5]]");
    slide("[1, 2, 3, 4]", 3, 2, "[[1, 2, 3]]");
    slide("[1, 2, 3]", 1, 1, "[[1], [2], [3]]");
    slide("[1, 2, 3]", 1, 5, "[[1]]");
    slide("[1, 2, 3]", 3, 1, "[[1, 2, 3]]");
    slide("[1, 2, 3]", 4, 1, "[]");
    slide("[1, 2, 3]", i64::MAX, i64::MAX, "[]");
    slide("[]", 1, 1, "[]");
}

#[test]
fn strided_slices_have_a_dimension_per_stride() {
    let one = |array, offset, count, stride, expected| {
        check("strided xs_0[a_1; b_2 by c_3]", "[]i64", array, &[offset, count, stride], expected);
    };
    one("[1, 2, 3, 4, 5]", 1, 2, 2, "[2, 4]");
    one("[1, 2, 3, 4, 5]", 4, 5, -1, "[5, 4, 3, 2, 1]");
    one("[1, 2]", 1, 3, 0, "[2, 2, 2]");
    one("[1, 2]", 100, 0, 7, "[]");
    one("[]", 0, 0, 0, "[]");
    let two = |array, numbers: [i64; 3], expected| {
        check("strided xs_0[a_1; 2 by b_2, c_3 by 1]", "[][]i64", array, &numbers, expected);
    };
    two("[1, 2, 3, 4, 5, 6]", [0, 3, 3], "[[1, 2, 3], [4, 5, 6]]");
    two("[1, 2, 3, 4, 5, 6]", [3, -3, 2], "[[4, 5], [1, 2]]");
    two("[1, 2, 3]", [0, 1, 2], "[[1, 2], [2, 3]]");
    two("[1]", [5, i64::MAX, 0], "[[], []]");
}

#[test]
fn extents_are_the_least_and_the_greatest_position() {
    let extent = |strides: &str, numbers: [i64; 3], expected| {
        check(&format!("extent {strides}"), "(i64, i64)", "[]", &numbers, expected);
    };
    extent("[a_1; b_2 by c_3]", [3, 4, 2], "(3, 9)");
    extent("[a_1; b_2 by c_3]", [3, 4, -2], "(-3, 3)");
    extent("[a_1; b_2 by c_3]", [3, 0, 2], "(0, -1)");
    extent("[a_1; b_2 by c_3]", [3, 1, i64::MIN], "(3, 3)");
    extent("[a_1; b_2 by c_3]", [0, i64::MAX, i64::MAX], "(0, 9223372036854775807)");
    extent("[a_1; b_2 by c_3]", [-2, i64::MAX, i64::MIN], "(-9223372036854775808, -2)");
    extent("[a_1; 2 by b_2, 3 by c_3]", [10, -4, 5], "(6, 20)");
    extent("[a_1; 0 by b_2, 3 by c_3]", [10, -4, 5], "(0, -1)");
}

#[test]
fn a_slice_is_disjoint_if_each_stride_exceeds_what_the_smaller_ones_span() {
    let disjoint = |strides: &str, numbers: [i64; 3], expected| {
        check(&format!("disjoint {strides}"), "bool", "[]", &numbers, expected);
    };
    disjoint("[0; a_1 by b_2]", [5, 1, 0], "true");
    disjoint("[0; a_1 by b_2]", [5, -1, 0], "true");
    disjoint("[0; a_1 by b_2]", [2, 0, 0], "false");
    disjoint("[0; a_1 by b_2]", [1, 0, 0], "true");
    disjoint("[0; a_1 by b_2]", [0, 0, 0], "true");
    disjoint("[0; 2 by a_1, b_2 by 1]", [3, 3, 0], "true");
    disjoint("[0; 2 by a_1, b_2 by 1]", [2, 3, 0], "false");
    disjoint("[0; 2 by a_1, b_2 by 1]", [-3, 3, 0], "true");
    disjoint("[0; 3 by 1, 2 by a_1]", [-3, 0, 0], "true");
    disjoint("[0; 3 by a_1, 3 by b_2]", [2, 2, 0], "false");
    disjoint("[0; 9 by a_1, 0 by b_2]", [0, 0, 0], "true");
    disjoint("[0; a_1 by b_2, 2 by c_3]", [i64::MAX, i64::MAX, i64::MAX], "false");
    disjoint("[0; a_1 by b_2, 2 by c_3]", [i64::MAX, i64::MIN, 1], "true");
}

#[test]
fn a_flat_array_becomes_rows() {
    let partition = |array: &str, sizes: &str, expected| {
        let text = "entry f(xs_0 : []i64, sizes_1 : []i64) -> [][]i64 {
          let r_2 : [][]i64 = partition xs_0 by sizes_1
          => r_2
        }";
        gives(text, &format!("{array}, {sizes}"), expected);
    };
    partition("[1, 2, 3, 4]", "[1, 0, 3]", "[[1], [], [2, 3, 4]]");
    partition("[]", "[]", "[]");
    partition("[]", "[0, 0]", "[[], []]");
    check("reshape xs_0 to (a_1, b_2)", "[][]i64", "[1, 2, 3, 4, 5, 6]", &[2, 3], "[[1, 2, 3], [4, 5, 6]]");
    check("reshape xs_0 to (a_1, b_2)", "[][]i64", "[]", &[2, 0], "[[], []]");
    check("reshape xs_0 to (a_1, b_2)", "[][]i64", "[]", &[0, 2], "[]");
    let cube = |array, dims: &[i64], expected| {
        check("reshape xs_0 to (a_1, b_2, c_3)", "[][][]i64", array, dims, expected);
    };
    cube("[1, 2, 3, 4]", &[2, 1, 2], "[[[1, 2]], [[3, 4]]]");
    cube("[]", &[2, 0, 3], "[[], []]");
    cube("[]", &[1, 2, 0], "[[[], []]]");
}

#[test]
fn rows_become_columns_or_one_array() {
    let rows = |operator: &str, result: &str, array, expected| {
        let text = format!("entry f(xs_0 : [][]i64) -> {result} {{ let r_1 : {result} = {operator} xs_0; => r_1 }}");
        gives(&text, array, expected);
    };
    rows("transpose", "[][]i64", "[[1, 2, 3], [4, 5, 6]]", "[[1, 4], [2, 5], [3, 6]]");
    rows("transpose", "[][]i64", "[[1]]", "[[1]]");
    rows("transpose", "[][]i64", "[]", "[]");
    rows("transpose", "[][]i64", "[[], []]", "[]");
    rows("flatten", "[]i64", "[[1], [], [2, 3]]", "[1, 2, 3]");
    rows("flatten", "[]i64", "[[], []]", "[]");
    rows("flatten", "[]i64", "[]", "[]");
    let deep = "entry f(xs_0 : [][][]i64) -> [][]i64 { let r_1 : [][]i64 = flatten xs_0; => r_1 }";
    gives(deep, "[[[1], []], [], [[2, 3]]]", "[[1], [], [2, 3]]");
}
