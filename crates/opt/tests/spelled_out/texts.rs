//! What the passes write, and what they leave to the flattener.

use super::{calls, compiled};
use terrace_opt::optimise;
use terrace_opt::options::Strategy;

/// The text of a program after the pass.
fn check_text(text: &str, expected: &str) {
    let (mut program, _) = calls(text, &[]);
    optimise::spell_out_sums::spell_out_sums(&mut program);
    optimise::spell_out_views::spell_out_views(&mut program);
    assert_eq!(program.to_string().trim(), expected.trim());
}

#[test]
fn the_text_says_what_was_made() {
    check_text(
        "check 0 : length
         entry f(k_0 : i64, xs_1 : []f64) -> []f64 {
           check 0 length true (k_0)
           let ys_2 : []f64 = rotate xs_1 by k_0 after 0
           => ys_2
         }",
        "
check 0 : length

entry f(k_0 : i64, xs_1 : []f64) -> []f64 {
  check 0 length true (k_0)
  let n_3 : i64 = length xs_1 after 0
  let some_4 : i64 = n_3 max 1 after 0
  let by_5 : i64 = k_0 % some_4 after 0
  let ys_2 : []f64 = generate (i_6 : i64) < n_3 {
    let j_7 : i64 = i_6 + by_5 after 0
    let ahead_8 : bool = j_7 < n_3 after 0
    let p_10 : i64 = if ahead_8 { => j_7 } else { let p_9 : i64 = j_7 - n_3 after 0; => p_9 } after 0
    let x_11 : f64 = xs_1[p_10] after 0
    => x_11
  } after 0
  => ys_2
}
",
    );
    check_text(
        "entry f(s_0 : <circle(f64) | none>) -> <circle(f64) | none> {
           let r_1 : f64 = match s_0 { circle(x_2 : f64) { => x_2 } none { => 0.5 } }
           let t_3 : <circle(f64) | none> = variant circle(r_1) of <circle(f64) | none>
           => t_3
         }",
        "
entry f(s_0 : (i32, f64)) -> (i32, f64) {
  let tag_4 : i32 = s_0.0
  let is_5 : bool = tag_4 == 0i32
  let r_1 : f64 = if is_5 { let x_2 : f64 = s_0.1; => x_2 } else { let chosen_6 : f64 = 0.5; => chosen_6 }
  let t_3 : (i32, f64) = (0i32, r_1)
  => t_3
}
",
    );
    // Constants are folded: nothing is left to compute.
    check_text(
        "entry f(x_0 : i64) -> (i64, i64) { let e_1 : (i64, i64) = extent [5; 3 by -2, 2 by 1] => e_1 }",
        "entry f(x_0 : i64) -> (i64, i64) {\n  let e_1 : (i64, i64) = (1, 6)\n  => e_1\n}",
    );
}

#[test]
fn what_is_not_spelled_out_is_flattened() {
    for text in [
        "entry f(xss_0 : [][]i64) -> [][]i64 {
           let y_1 : [][]i64 = map (xs_2 : []i64) in xss_0 { let z_3 : []i64 = scatter xs_2 xs_2 xs_2 => z_3 }
           => y_1
         }",
        "def g(xs_0 : []i64) -> []i64 { let y_1 : []i64 = sort xs_0 by xs_0 => y_1 }
         entry f(xss_0 : [][]i64) -> [][]i64 {
           let y_1 : [][]i64 = map (xs_2 : []i64) in xss_0 { let z_3 : []i64 = call g(xs_2) => z_3 }
           => y_1
         }",
        "entry f(xs_0 : []i64, ys_1 : [][][]i64) -> []i64 {
           let y_2 : []i64 = update xs_0[0; 2 by 4, 2 by 2, 2 by 1] = ys_1
           => y_2
         }",
    ] {
        let (program, _) = calls(text, &[]);
        assert_eq!(compiled(&program, Strategy::Flat).err(), None);
    }
    let unused = "def g(xs_0 : []f64) -> []f64 { let y_1 : []f64 = sort xs_0 by xs_0 => y_1 }
                  entry f(x_0 : i64) -> i64 { => x_0 }";
    assert!(compiled(&calls(unused, &[]).0, Strategy::Flat).is_ok());
}
