//! Operators that are not what `reduce` assumes, found by samples.

use super::{data, program, show};
use crate::core::{Options, run};
use terrace_ir::FuncId;

/// A reduction of `xs` by an operator on `a_2` and `b_3` that gives `c_4`.
fn check(ty: &str, operator: &str, neutral: &str, xs: &str, expected: &str) {
    let text = format!(
        "check 0 : division
         entry f(xs_0 : []{ty}, ne_1 : {ty}) -> {ty} {{
           let r_5 : {ty} = reduce (a_2 : {ty}, b_3 : {ty}) in xs_0 from ne_1 {{ {operator} => c_4 }}
           => r_5
         }}"
    );
    let options = Options { laws: true, ..Options::default() };
    let (result, _) = run(&program(&text), FuncId::new(0), data(&format!("{xs}, {neutral}")), &options);
    let found = match result {
        Ok(value) => show(&value),
        Err(failure) => format!("{}: {}", failure.kind, failure.text),
    };
    assert_eq!(found, expected, "{text}");
}

#[test]
fn samples_find_what_is_no_law() {
    check("i64", "let c_4 : i64 = a_2 + b_3", "0", "[5, 3, 1]", "9");
    check("i64", "let c_4 : i64 = a_2 + b_3", "1", "[5]", "law: 1 is not neutral: combined with 5 it gives 6");
    check("i64", "let c_4 : i64 = a_2 - b_3", "7", "[]", "7");
    check("i64", "let c_4 : i64 = a_2 - b_3", "0", "[0, 0, 0]", "0");
    check("i64", "let c_4 : i64 = a_2 - b_3", "0", "[5, 3, 1]", "law: 0 is not neutral: combined with 5 it gives -5");
    let weird =
        "let s_6 : i64 = a_2 + b_3 let p_7 : i64 = a_2 * b_3 let q_8 : i64 = p_7 * b_3 let c_4 : i64 = s_6 + q_8";
    let text = "law: the operator is not associative: with 1, 2 and 3 it gives 73 grouped from the left and 553 from the right";
    check("i64", weird, "0", "[1, 2, 3]", text);
}

#[test]
fn floats_may_differ_a_little_and_failing_samples_say_nothing() {
    check("f64", "let c_4 : f64 = a_2 + b_3", "0.0", "[0.1, 0.2, 0.3, 1.0e9]", "1000000000.6");
    check(
        "f64",
        "let c_4 : f64 = a_2 * b_3",
        "2.0",
        "[1.5]",
        "law: 2.0 is not neutral: combined with 1.5 it gives 3.0",
    );
    check("f64", "let c_4 : f64 = a_2 max b_3", "-inf", "[nan, 1.0, 2.0]", "nan");
    let fails = "let z_6 : bool = b_3 != 1 check 0 division z_6 (a_2) let c_4 : i64 = a_2 * b_3";
    check("i64", fails, "1", "[2, 3]", "6");
    check(
        "<none | some(i64)>",
        "let c_4 : <none | some(i64)> = a_2",
        "none@0",
        "[some@1(3)]",
        "law: none is not neutral: combined with some(3) it gives none",
    );
}
