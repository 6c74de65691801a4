//! Programs as Core text, with what they give or how they fail.

mod failures;
mod laws;
mod order;
mod rearrange;
mod sums;
mod updates;
mod verify_shapes;

use super::{Failure, Options, call, run};
use crate::flat::tests::show;
use terrace_base::Scalar;
use terrace_ir::FuncId;
use terrace_ir::core::{Program, Role};
use terrace_plan::data::Data;

fn program(text: &str) -> Program {
    let program = terrace_ir::core::parse::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    terrace_ir::core::verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program
}

/// Values as Core text writes them, with commas between.
fn data(text: &str) -> Vec<Data> {
    let text = format!("test \"t\" f() -> bool with ({text}) {{ => true }}");
    let program = terrace_ir::core::parse::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match &program.functions[FuncId::new(0)].role {
        Role::Test { arguments, .. } => arguments.clone(),
        other => panic!("{other:?}"),
    }
}

/// Runs the first function; arguments and result are text.
fn gives(text: &str, args: &str, expected: &str) {
    let found = call(&program(text), FuncId::new(0), data(args));
    let found = found.unwrap_or_else(|failure| panic!("{}\n{args}\n{text}", failure.message));
    assert_eq!(show(&found), expected, "{args}\n{text}");
}

fn int(n: i64) -> Data {
    Data::Scalar(Scalar::I64(n))
}

fn ints(ns: &[i64]) -> Data {
    Data::Array(ns.iter().map(|n| int(*n)).collect())
}

fn rows(rows: &[&[i64]]) -> Data {
    Data::Array(rows.iter().map(|r| ints(r)).collect())
}

/// Runs the first function.
fn check(text: &str, args: Vec<Data>, expected: Data) {
    let found = call(&program(text), FuncId::new(0), args);
    assert_eq!(found, Ok(expected), "{text}");
}

/// Runs the first function, which must fail with this kind, these values and at these positions.
fn check_failure(text: &str, args: Vec<Data>, kind: &str, values: &[i64], indices: &[i64]) -> Failure {
    let failure = call(&program(text), FuncId::new(0), args).expect_err(text);
    assert_eq!((failure.kind, &failure.values[..], &failure.indices[..]), (kind, values, indices), "{text}");
    failure
}

const DIVIDE_ALL: &str = "
check 0 : division
entry f(rows_0 : [][]i64, d_1 : i64) -> [][]i64 {
  let out_2 : [][]i64 = map (row_3 : []i64) in rows_0 {
    let inner_4 : []i64 = map (x_5 : i64) in row_3 { let q_6 : i64 = call quotient(x_5, d_1); => q_6 }
    => inner_4
  }
  => out_2
}
def quotient(a_0 : i64, b_1 : i64) -> i64 {
  let d_2 : i64 = a_0 - b_1
  let ok_3 : bool = d_2 != 0
  check 0 division ok_3 (a_0)
  let q_4 : i64 = a_0 / d_2 after 0
  => q_4
}";

#[test]
fn nested_maps_and_calls() {
    check(DIVIDE_ALL, vec![rows(&[&[20], &[], &[8, 4]]), int(10)], rows(&[&[2], &[], &[-4, -1]]));
}

#[test]
fn a_failure_has_values_positions_and_a_trace() {
    let args = vec![rows(&[&[3], &[1, 2, 10, 4]]), int(10)];
    let failure = check_failure(DIVIDE_ALL, args, "division", &[10], &[1, 2]);
    let names: Vec<&str> = failure.trace.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["quotient", "f"]);
    assert_eq!(failure.code, "T0904");
    assert_eq!(failure.message, "division of 10 by zero");
    assert_eq!(failure.to_diagnostic().title, failure.message);
}

#[test]
fn bulk_operators() {
    check(
        "entry f(xs_0 : []i64) -> []i64 {
           let kept_1 : []i64 = filter (x_2 : i64) in xs_0 { let t_3 : bool = x_2 > 2; => t_3 }
           let sums_4 : []i64 = scan (a_5 : i64, b_6 : i64) in kept_1 from 0 { let t_7 : i64 = a_5 + b_6; => t_7 }
           let n_8 : i64 = length sums_4
           let ids_9 : []i64 = iota n_8
           let part_10 : []i64 = sums_4[1 .. n_8]
           let copies_11 : []i64 = replicate n_8 7
           let all_12 : []i64 = concat(ids_9, part_10, copies_11)
           => all_12
         }",
        vec![ints(&[1, 3, 2, 5, 4])],
        ints(&[0, 1, 2, 8, 12, 7, 7, 7]),
    );
    check(
        "entry f(xs_0 : []i64, ys_1 : []bool) -> [](i64, bool) {
           let pairs_2 : [](i64, bool) = zip(xs_0, ys_1)
           let n_3 : i64 = length pairs_2
           let out_4 : [](i64, bool) = generate (i_5 : i64) < n_3 {
             let m_6 : i64 = n_3 - 1
             let k_7 : i64 = m_6 - i_5
             let p_8 : (i64, bool) = pairs_2[k_7]
             => p_8
           }
           => out_4
         }",
        vec![ints(&[1, 2]), Data::Array(vec![Data::Scalar(true.into()), Data::Scalar(false.into())])],
        Data::Array(vec![
            Data::Tuple(vec![int(2), Data::Scalar(false.into())]),
            Data::Tuple(vec![int(1), Data::Scalar(true.into())]),
        ]),
    );
}

#[test]
fn reductions_run_from_left_to_right() {
    check(
        "entry f(xs_0 : []i64) -> i64 {
           let r_1 : i64 = reduce (a_2 : i64, b_3 : i64) in xs_0 from 100 { let t_4 : i64 = a_2 - b_3; => t_4 }
           => r_1
         }",
        vec![ints(&[1, 10, 30])],
        int(59),
    );
}

#[test]
fn loops() {
    check(
        "entry f(n_0 : i64) -> (i64, i64) {
           let s_1 : (i64, i64) = (0, 1)
           let fib_2 : (i64, i64) = loop s_3 : (i64, i64) = s_1 for i_4 < n_0 do {
             let a_5 : i64 = s_3.0
             let b_6 : i64 = s_3.1
             let c_7 : i64 = a_5 + b_6
             let t_8 : (i64, i64) = (b_6, c_7)
             => t_8
           }
           => fib_2
         }",
        vec![int(10)],
        Data::Tuple(vec![int(55), int(89)]),
    );
}

/// A function that never ends, with its call inside `depth` generators.
fn endless_in_parallel(depth: usize) -> String {
    let mut text = "entry f(n_0 : i64) -> i64 {\n".to_string();
    for k in 0..depth {
        text.push_str(&format!("let xs_{} : []i64 = generate (i_{} : i64) < 1 {{\n", 100 + k, 200 + k));
    }
    text.push_str("let t_2 : i64 = call f(n_0)\n => t_2\n");
    for k in (0..depth).rev() {
        text.push_str(&format!("}}\n let t_{} : i64 = xs_{}[0]\n => t_{}\n", 300 + k, 100 + k, 300 + k));
    }
    text + "}"
}

/// A function that never ends, with its call inside `depth` conditionals.
fn endless(depth: usize) -> String {
    let mut text = "entry f(n_0 : i64) -> i64 {\n let m_1 : i64 = n_0 + 1\n".to_string();
    for k in 0..depth {
        text.push_str(&format!("let t_{} : i64 = if true {{\n", 10 + k));
    }
    text.push_str("let t_2 : i64 = call f(m_1)\n => t_2\n");
    for k in (0..depth).rev() {
        text.push_str(&format!("}} else {{ => 0 }}\n => t_{}\n", 10 + k));
    }
    text + "}"
}

#[test]
fn endless_recursion_is_an_error_of_the_program() {
    for depth in [0, 1, 15, 40] {
        let failure = check_failure(&endless(depth), vec![int(0)], "depth", &[10_000], &[]);
        assert_eq!(failure.code, "T0909");
        let failure = call(&program(&endless_in_parallel(depth)), FuncId::new(0), vec![int(0)]);
        assert_eq!(failure.expect_err("it never ends").kind, "depth");
    }
    // What no stack holds is the same error, with the calls that were open.
    let options = Options { depth_limit: 50, ..Options::default() };
    let (result, _) = run(&program(&endless_in_parallel(90)), FuncId::new(0), vec![int(0)], &options);
    let failure = result.expect_err("it never ends");
    assert!(failure.kind == "depth" && failure.values[0] < 50, "{failure:?}");
}

#[test]
fn deep_recursion_is_fine_below_the_limit() {
    let text = "entry f(n_0 : i64) -> i64 {
      let end_1 : bool = n_0 == 0
      let r_2 : i64 = if end_1 { => 0 } else {
        let m_3 : i64 = n_0 - 1
        let s_4 : i64 = call f(m_3)
        let t_5 : i64 = s_4 + n_0
        => t_5
      }
      => r_2
    }";
    check(text, vec![int(9_999)], int(49_995_000));
    let options = Options { depth_limit: 300_001, ..Options::default() };
    let (result, counts) = run(&program(text), FuncId::new(0), vec![int(300_000)], &options);
    assert_eq!((result, counts.calls), (Ok(int(45_000_150_000)), 300_001));
}

#[test]
fn limits_are_errors() {
    let options = Options { step_limit: 1000, ..Options::default() };
    let (result, counts) = run(&program(&endless(0)), FuncId::new(0), vec![int(0)], &options);
    assert_eq!(result.expect_err("it never ends").kind, "steps");
    assert_eq!(counts.statements, 1001);
    let big = "entry f(n_0 : i64) -> []i64 { let xs_1 : []i64 = iota n_0; => xs_1 }";
    check_failure(big, vec![int(1 << 40)], "memory", &[1 << 44], &[]);
}

#[test]
fn arguments_have_the_types_of_the_parameters() {
    let text = "entry f(xs_0 : []i64) -> []i64 { => xs_0 }";
    check_failure(text, vec![int(3)], "argument", &[], &[]);
    check_failure(text, vec![], "argument", &[], &[]);
    let floats = Data::Array(vec![Data::Scalar(Scalar::F64(1.0))]);
    let failure = check_failure(text, vec![floats], "argument", &[], &[]);
    assert_eq!(failure.message, "wrong argument: `xs` is the f64 1.0 where i64 is wanted");
}

const TRIANGLE: &str = "entry f(m_0 : [i_1 < n_2][i_1 + 1]i64, w_3 : []i64) -> i64 {
  let n_2 : i64 = length m_0
  => n_2
}";

#[test]
fn nested_sizes_of_arguments_are_checked_at_the_border() {
    let none = ints(&[]);
    check(TRIANGLE, vec![rows(&[&[1], &[2, 3]]), none.clone()], int(2));
    check(TRIANGLE, vec![rows(&[]), none.clone()], int(0));
    check_failure(TRIANGLE, vec![rows(&[&[1], &[2, 3], &[4]]), none], "parameter", &[1, 3], &[2]);
}

#[test]
fn a_size_that_only_rows_have_is_that_of_the_first_row() {
    let text = "entry f(m_0 : [][n_1]i64) -> i64 { let n_1 : i64 = length m_0; => n_1 }";
    check(text, vec![rows(&[&[1, 2], &[3, 4]])], int(2));
    check_failure(text, vec![rows(&[&[1, 2], &[3, 4], &[5]])], "parameter", &[1, 2], &[2]);
}

#[test]
fn a_size_function_is_the_lengths_of_the_rows_that_have_it_alone() {
    let border = "entry f(a_0 : [i_1 < n_2][k5(i_1)]i64, b_3 : [i_4 < n_2][k5(i_4) + 1]i64) -> i64 {
      let n_2 : i64 = length a_0
      => n_2
    }";
    gives(border, "[[], [1, 2]], [[1], [1, 2, 3]]", "2");
    check_failure(border, data("[[], [1, 2]], [[1], [1, 2]]"), "parameter", &[2, 3], &[1]);
    let inside = "check 0 : size \"k(i)\"
      entry f(m_0 : [][]i64, lens_1 : []i64) -> [][]i64 {
        let m_2 : [i_3 < _][k1(i_3)]i64 = ascribe m_0 : [i_3 < _][k1(i_3)]i64 check 0
        => m_2
      }";
    gives(inside, "[[], [1, 2]], [0, 2]", "[[], [1, 2]]");
    check_failure(inside, data("[[], [1, 2]], [0, 1]"), "size", &[2, 1], &[1]);
}

#[test]
fn ascriptions_are_checked_where_they_stand() {
    let text = "check 0 : size \"n\"
      entry f(m_0 : [][]i64, n_1 : i64) -> [][]i64 {
        let s_2 : [][n_1]i64 = ascribe m_0 : [][n_1]i64 check 0
        => s_2
      }";
    check(text, vec![rows(&[&[1, 2]]), int(2)], rows(&[&[1, 2]]));
    let failure = check_failure(text, vec![rows(&[&[1, 2], &[3]]), int(2)], "size", &[1, 2], &[1]);
    assert_eq!(failure.check.map(|c| c.index()), Some(0));
}
