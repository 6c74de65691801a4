//! Values of sums: made, matched, passed in and out.

use super::{check_failure, data, gives, program};
use crate::core::call;
use terrace_ir::FuncId;

const AREA: &str = "entry f(s_0 : <circle(f64) | rect(f64, f64) | nothing>) -> f64 {
  let a_1 : f64 = match s_0 {
    circle(r_2 : f64) { let t_3 : f64 = r_2 * 3.0; => t_3 }
    rect(w_4 : f64, h_5 : f64) { let t_6 : f64 = w_4 * h_5; => t_6 }
    nothing { => 0.0 }
  }
  => a_1
}";

#[test]
fn the_arm_of_the_variant_runs() {
    gives(AREA, "circle@0(2.0)", "6.0");
    gives(AREA, "rect@1(2.0, 5.0)", "10.0");
    gives(AREA, "nothing@2", "0.0");
}

#[test]
fn variants_are_made_and_nest() {
    let text = "entry f(xs_0 : [][]i64) -> []<none | some((i64, []i64))> {
      let out_1 : []<none | some((i64, []i64))> = map (row_2 : []i64) in xs_0 {
        let n_3 : i64 = length row_2
        let empty_4 : bool = n_3 == 0
        let r_5 : <none | some((i64, []i64))> = if empty_4 {
          let v_6 : <none | some((i64, []i64))> = variant none of <none | some((i64, []i64))>
          => v_6
        } else {
          let p_7 : (i64, []i64) = (n_3, row_2)
          let v_8 : <none | some((i64, []i64))> = variant some(p_7) of <none | some((i64, []i64))>
          => v_8
        }
        => r_5
      }
      => out_1
    }";
    gives(text, "[[1, 2], [], [3]]", "[some@1((2, [1, 2])), none@0, some@1((1, [3]))]");
    gives(text, "[]", "[]");
}

#[test]
fn a_check_in_an_arm_counts_only_where_it_runs() {
    let text = "check 0 : division
      entry f(xs_0 : []<whole(i64) | none>) -> []i64 {
        let out_1 : []i64 = map (x_2 : <whole(i64) | none>) in xs_0 {
          let r_3 : i64 = match x_2 {
            whole(n_4 : i64) {
              let ok_5 : bool = n_4 != 0
              check 0 division ok_5 (7)
              let q_6 : i64 = 7 / n_4 after 0
              => q_6
            }
            none { => 0 }
          }
          => r_3
        }
        => out_1
      }";
    gives(text, "[whole@0(2), none@1]", "[3, 0]");
    check_failure(text, data("[none@1, whole@0(0), whole@0(0)]"), "division", &[7], &[1]);
}

#[test]
fn arguments_have_the_form_of_the_sum() {
    let fails = |argument: &str, message: &str| {
        let failure = call(&program(AREA), FuncId::new(0), data(argument)).expect_err("it does not fit");
        assert_eq!(failure.message, format!("wrong argument: `s` is {message}"));
    };
    let wanted = "where circle(f64) | rect(f64, f64) | nothing is wanted";
    fails("circle@0", &format!("the variant `circle` with 0 fields {wanted}"));
    fails("other@7(1.0)", &format!("the variant `other` with 1 fields {wanted}"));
    fails("1.0", &format!("the f64 1.0 {wanted}"));
    fails("circle@0(3)", "the i64 3 where f64 is wanted");
}

#[test]
fn sizes_in_sums_hold_where_the_variant_is() {
    let text = "entry f(n_0 : i64, xs_1 : []<none | some([n_0]i64)>) -> i64 { let n_2 : i64 = length xs_1; => n_2 }";
    gives(text, "2, [none@0, some@1([1, 2])]", "2");
    check_failure(text, data("2, [none@0, some@1([1, 2]), some@1([1])]"), "parameter", &[1, 2], &[2]);
    let bound = "entry f(xs_0 : []<none | some([n_1]i64)>) -> i64 { let n_1 : i64 = length xs_0; => n_1 }";
    gives(bound, "[none@0, some@1([1]), some@1([2])]", "3");
    gives(bound, "[none@0]", "1");
    check_failure(bound, data("[none@0, some@1([1, 2]), some@1([1])]"), "parameter", &[1, 2], &[2]);
}
