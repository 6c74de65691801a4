//! The total order: sorting and `precedes`.

use super::gives;

/// Sorts `items`, which must be distinct in the order, from several other orders.
fn check(ty: &str, items: &[&str]) {
    let sort = format!("entry f(xs_0 : []{ty}) -> []{ty} {{ let r_1 : []{ty} = sort xs_0 by xs_0; => r_1 }}");
    let precedes = format!("entry f(a_0 : {ty}, b_1 : {ty}) -> bool {{ let r_2 : bool = precedes a_0 b_1; => r_2 }}");
    let sorted = format!("[{}]", items.join(", "));
    let mut mixed = items.to_vec();
    for _ in 0..2 * items.len() {
        mixed.reverse();
        mixed.rotate_left(1);
        gives(&sort, &format!("[{}]", mixed.join(", ")), &sorted);
    }
    for (i, a) in items.iter().enumerate() {
        for (j, b) in items.iter().enumerate() {
            gives(&precedes, &format!("{a}, {b}"), if i < j { "true" } else { "false" });
        }
    }
}

#[test]
fn scalars() {
    check("i64", &["-9223372036854775808", "-1", "0", "1", "9223372036854775807"]);
    check("i8", &["-128i8", "-1i8", "0i8", "127i8"]);
    check("u64", &["0u64", "1u64", "9223372036854775808u64", "18446744073709551615u64"]);
    check("bool", &["false", "true"]);
    check("f64", &["-inf", "-1.5", "-5e-324", "-0.0", "0.0", "5e-324", "1.5", "inf", "nan"]);
    check("f32", &["-inff32", "-1.5f32", "-0.0f32", "0.0f32", "1.5f32", "inff32", "nanf32"]);
}

#[test]
fn nested_values_are_compared_part_by_part() {
    check("(i64, f64)", &["(-1, nan)", "(0, -0.0)", "(0, 0.0)", "(0, nan)", "(1, -inf)"]);
    check("[]i64", &["[]", "[-1, 9]", "[0]", "[0, -5]", "[0, 0, 0]", "[1]"]);
    check("[][]i64", &["[]", "[[]]", "[[], [1]]", "[[0], []]", "[[0, 1]]", "[[1]]"]);
    check("([]i64, bool)", &["([], true)", "([1], false)", "([1], true)", "([1, 0], false)"]);
}

#[test]
fn sums_are_compared_by_variant_first() {
    let ty = "<none | some(i64) | pair(i64, []i64)>";
    check(ty, &["none@0", "some@1(-5)", "some@1(3)", "pair@2(-9, [])", "pair@2(0, [])", "pair@2(0, [1])"]);
}

#[test]
fn sorting_is_stable() {
    let check = |ty: &str, keys: &str, items: &str, expected| {
        let text = format!(
            "entry f(keys_0 : []{ty}, xs_1 : []i64) -> []i64 {{ let r_2 : []i64 = sort xs_1 by keys_0; => r_2 }}"
        );
        gives(&text, &format!("{keys}, {items}"), expected);
    };
    check("i64", "[2, 1, 2, 1, 0]", "[10, 20, 30, 40, 50]", "[50, 20, 40, 10, 30]");
    check("bool", "[true, false, true, false]", "[1, 2, 3, 4]", "[2, 4, 1, 3]");
    check("f64", "[nan, 1.0, -0.0, nan, 0.0, -0.0]", "[1, 2, 3, 4, 5, 6]", "[3, 6, 5, 2, 1, 4]");
    check("()", "[(), (), ()]", "[3, 1, 2]", "[3, 1, 2]");
    check("i64", "[]", "[]", "[]");
    check("i64", "[7]", "[1]", "[1]");
}
