//! Checks that always hold are marked: engines skip them, and what only they needed can go.
//!
//! ```text
//! let out_4 : []f64 = generate (i_1 : i64) < n_0 { … check 2 index ok_3 (i_1, n_0) … }
//!                                                  proved 2 index ok_3 (i_1, n_0)      the counter is below n_0
//! ```
//!
//! What holds is found by `analysis::shapes`. A marked check keeps its place and its operands: the interpreter can still test it when
//! it is asked to, and `drop_proved` says what else may go. No mark is ever wrong to forget, which [`forget_proofs`] does for runs that
//! are to test everything.

use crate::analysis::shapes::{Analysis, analyse, mark_proved};
use terrace_ir::core::visit::walk_mut;
use terrace_ir::core::{Expr, Program, StmtKind};

/// Marks what can be proved; returns everything that was found out.
pub fn prove_checks(program: &mut Program) -> Analysis {
    let analysis = analyse(program);
    mark_proved(program, &analysis);
    analysis
}

/// Takes all marks away: every check is made.
pub fn forget_proofs(program: &mut Program) {
    for function in program.functions.iter_mut() {
        walk_mut(&mut function.body, &mut |stmt| match &mut stmt.kind {
            StmtKind::Check { proved, .. } => *proved = false,
            StmtKind::Let { expr: Expr::Ascribe { proved, .. }, .. } => *proved = false,
            StmtKind::Let { .. } => {}
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_ir::core::parse::parse;

    /// The checks of a program, with what stands before each of them.
    fn marks(program: &Program) -> Vec<String> {
        let text = program.to_string();
        let words = |line: &str| line.trim().split(' ').take(3).collect::<Vec<_>>().join(" ");
        let body = text.lines().skip_while(|l| l.starts_with("check"));
        body.map(words).filter(|l| l.starts_with("check ") || l.starts_with("proved ")).collect()
    }

    #[test]
    fn what_holds_is_marked_and_marks_can_be_forgotten() {
        let text = "check 0 : index
check 1 : index

entry f(xs_0 : []f64, k_1 : i64) -> f64 {
  let n_2 : i64 = length xs_0
  let ys_3 : []f64 = generate (i_4 : i64) < n_2 {
    let low_5 : bool = 0 <= i_4
    let high_6 : bool = i_4 < n_2
    let ok_7 : bool = low_5 & high_6
    check 0 index ok_7 (i_4, n_2)
    let x_8 : f64 = xs_0[i_4] after 0
    => x_8
  }
  let m_9 : i64 = length ys_3
  let low_10 : bool = 0 <= k_1
  let high_11 : bool = k_1 < m_9
  let ok_12 : bool = low_10 & high_11
  check 1 index ok_12 (k_1, m_9)
  let y_13 : f64 = ys_3[k_1] after 1
  => y_13
}
";
        let mut program = parse(text).expect("a program");
        prove_checks(&mut program);
        assert_eq!(marks(&program), ["proved 0 index", "check 1 index"]);
        forget_proofs(&mut program);
        assert_eq!(marks(&program), ["check 0 index", "check 1 index"]);
    }
}
