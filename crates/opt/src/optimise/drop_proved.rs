//! Checks that are proved cost nothing: what they test goes, and what only they needed goes too.
//!
//! ```text
//! let n_2 : i64 = length xs_0
//! let ok_3 : bool = i_1 < n_2
//! proved 0 index ok_3 (i_1, n_2)         →      proved 0 index true (0, 0)
//! let x_4 : f64 = xs_0[i_1] after 0             let x_4 : f64 = xs_0[i_1] after 0
//! ```
//!
//! An empty check stays behind as a mark, and so does its number in `after`. A proof holds at its place: it may rest on a
//! branch that was taken or on a check that came before, and without the mark nothing would say that the statement must not
//! move away from there. The flattener emits nothing for a mark, and nothing for an ascription that is proved.
//!
//! Then the values go that only the proved checks used. It declines to remove anything that may stop the program or may not
//! end (checks, ascriptions, calls, loops), what a type mentions, and code that was dead before: later passes find that.

use crate::optimise::simplify_core::dead::remove_loose;
use std::collections::BTreeSet;
use terrace_base::Scalar;
use terrace_ir::core::visit::walk_mut;
use terrace_ir::core::{Function, Program, Stmt, StmtKind};
use terrace_ir::{Atom, ValueId};

/// Drops in all functions.
pub fn drop_proved(program: &mut Program) {
    program.functions.iter_mut().for_each(drop_in);
}

fn drop_in(function: &mut Function) {
    let mut loose: BTreeSet<ValueId> = BTreeSet::new();
    walk_mut(&mut function.body, &mut |stmt| {
        loose.extend(empty(stmt));
    });
    if loose.is_empty() {
        return;
    }
    remove_loose(function, loose);
}

/// Takes the operands from a proved check.
fn empty(stmt: &mut Stmt) -> Vec<ValueId> {
    let operands = stmt.operands();
    match &mut stmt.kind {
        StmtKind::Check { cond, values, proved: true, .. } => {
            *cond = Atom::Const(Scalar::Bool(true));
            values.iter_mut().for_each(|v| *v = Atom::int(0));
            operands.into_iter().filter_map(Atom::var).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::drop_proved;
    use crate::options::Options;
    use crate::pipeline;
    use terrace_base::Timings;
    use terrace_ir::core::parse::parse;
    use terrace_ir::core::print::print;
    use terrace_ir::core::verify::verify;
    use terrace_ir::flat::visit::has_checks as flat_checks;

    /// Statements of a function of `xs_0`, `i_1` before and after.
    fn check(before: &str, after: &str) {
        let whole = |body: &str| {
            format!("check 0 : index\ncheck 1 : index\n\ndef f(xs_0 : []f64, i_1 : i64) -> f64 {{\n{body}}}\n")
        };
        let read = |body: &str| {
            let program = parse(&whole(body)).expect("the text of a test is Core");
            verify(&program).expect("the text of a test keeps the rules");
            program
        };
        let mut program = read(before);
        drop_proved(&mut program);
        verify(&program).expect("the result keeps the rules");
        assert_eq!(print(&program), print(&read(after)));
    }

    #[test]
    fn what_only_fed_a_proved_check_goes() {
        check(
            "let n_2 : i64 = length xs_0
             let low_3 : bool = 0 <= i_1
             let high_4 : bool = i_1 < n_2
             let ok_5 : bool = low_3 & high_4
             proved 0 index ok_5 (i_1, n_2)
             let x_6 : f64 = xs_0[i_1] after 0
             => x_6",
            "proved 0 index true (0, 0)
             let x_6 : f64 = xs_0[i_1] after 0
             => x_6",
        );
    }

    #[test]
    fn other_checks_keep_what_they_need() {
        check(
            "let n_2 : i64 = length xs_0
             let ok_3 : bool = i_1 < n_2
             let pair_4 : (bool, i64) = (ok_3, n_2)
             let same_5 : bool = pair_4.0
             check 1 index ok_3 (i_1, n_2)
             proved 0 index same_5 (i_1, n_2)
             let x_6 : f64 = xs_0[i_1] after 0, 1
             => x_6",
            "let n_2 : i64 = length xs_0
             let ok_3 : bool = i_1 < n_2
             check 1 index ok_3 (i_1, n_2)
             proved 0 index true (0, 0)
             let x_6 : f64 = xs_0[i_1] after 0, 1
             => x_6",
        );
    }

    #[test]
    fn operators_go_with_their_bodies_and_from_inside_bodies() {
        check(
            "let n_2 : i64 = length xs_0
             let ks_8 : []i64 = iota i_1
             let k_3 : i64 = reduce (a_4 : i64, b_5 : i64) in ks_8 from 0 { let c_6 : i64 = a_4 + n_2; => c_6 }
             let ok_7 : bool = k_3 == i_1
             proved 0 index ok_7 (k_3, i_1)
             => 1.0",
            "proved 0 index true (0, 0)
             => 1.0",
        );
        check(
            "let ys_2 : []f64 = map (x_3 : f64) in xs_0 {
               let n_4 : i64 = length xs_0
               let ok_5 : bool = i_1 < n_4
               proved 0 index ok_5 (i_1, n_4)
               let y_6 : f64 = xs_0[i_1] after 0
               => y_6
             }
             => 1.0",
            "let ys_2 : []f64 = map (x_3 : f64) in xs_0 {
               proved 0 index true (0, 0)
               let y_6 : f64 = xs_0[i_1] after 0
               => y_6
             }
             => 1.0",
        );
    }

    #[test]
    fn what_may_stop_or_is_mentioned_stays() {
        let same = |text: &str| check(text, text);
        same("let n_2 : i64 = length xs_0\ncheck 0 index true (n_2, n_2)\n=> 1.0");
        // Dead before, and no business of this pass.
        same("let n_2 : i64 = length xs_0\n=> 1.0");
        check(
            "let n_2 : i64 = length xs_0
             let ys_3 : [n_2]f64 = ascribe xs_0 : [n_2]f64 proved 1
             let k_4 : i64 = loop s_5 : i64 = i_1 while { let go_6 : bool = s_5 < 3; => go_6 } do { => s_5 }
             let t_7 : f64 = ys_3[0]
             proved 0 index true (n_2, k_4)
             => t_7",
            "let n_2 : i64 = length xs_0
             let ys_3 : [n_2]f64 = ascribe xs_0 : [n_2]f64 proved 1
             let k_4 : i64 = loop s_5 : i64 = i_1 while { let go_6 : bool = s_5 < 3; => go_6 } do { => s_5 }
             let t_7 : f64 = ys_3[0]
             proved 0 index true (0, 0)
             => t_7",
        );
    }

    /// How many checks are left on Flat, for rows `xss_0` that are indexed in parallel code.
    #[test]
    fn flattening_emits_nothing_for_what_is_proved() {
        let flat = |word: &str| {
            let text = format!(
                "check 0 : index
                 check 1 : size \"2\"
                 entry f(xss_0 : [][]f64, i_1 : i64) -> []f64 {{
                   let out_2 : []f64 = map (xs_3 : []f64) in xss_0 {{
                     let n_4 : i64 = length xs_3
                     let ok_5 : bool = i_1 < n_4
                     {word} 0 index ok_5 (i_1, n_4)
                     let ys_6 : [2]f64 = ascribe xs_3 : [2]f64 proved 1
                     let y_7 : f64 = ys_6[i_1] after 0, 1
                     let zs_8 : []f64 = map (z_9 : f64) in ys_6 {{ let w_10 : f64 = z_9 + y_7; => w_10 }}
                     let s_11 : f64 = reduce (a_12 : f64, b_13 : f64) in zs_8 from 0.0 {{ let c_14 : f64 = a_12 + b_13; => c_14 }}
                     => s_11
                   }}
                   => out_2
                 }}"
            );
            let program = parse(&text).expect("the text of a test is Core");
            let flat = pipeline::to_flat(&program, &Options::default(), &mut Timings::new());
            flat.expect("this can be flattened")
        };
        let checks = |word| flat(word).functions.iter().filter(|f| flat_checks(&f.body)).count();
        assert_eq!((checks("check"), checks("proved")), (1, 0));
    }
}
