//! An update of a part of an array is written to the array.
//!
//! `a with [s..t, u..v] = block` takes rows `s..t` of `a`, updates each of them, and puts them back: the rows are copied twice, and
//! whole, however few of their elements change. After flattening this is a copy of a run of `a`, a write to the copy, and a write of all
//! of it to where it came from:
//!
//! ```text
//! let c = map [k][w] (i, j | p, q) { => a[(s + i) * w + j] }
//! let d = scatter [k][m] … into c { => at, x }
//! let e = scatter [k][w] (i, j | p, q) into a { => (s + i) * w + j, d[q] }
//!
//! let e = scatter [k][m] … into a { => at + s * w, x }
//! ```
//!
//! What the copy shows must be one run of `a`: the place of point `q` is `q` plus something that no point changes. That is decided as an equation between
//! polynomials; these wrap around as the numbers of the program do, so it needs no ranges. A position below zero writes nothing, and must not be
//! moved to where it does: a test says so, unless the checks passed so far show that there is none (for a slice they do).
//!
//! Declined: a copy or an updated copy that something else reads too, rows that are not equally long, and parts that are no run (every second row).

use crate::analysis::places::{atom, minus, places, position};
use std::collections::BTreeMap;
use terrace_algebra::{Assumptions, Size};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::flat::visit::count_uses;
use terrace_ir::flat::{Body, Descriptor, Expr, Function, Op, OpKind, Program, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId, value_of};

/// Sums of numbers no farther from zero than this do not wrap around.
const FAR: i64 = 1 << 61;

/// Writes through parts, in all functions.
pub fn write_through_parts(program: &mut Program) {
    for function in program.functions.iter_mut() {
        let uses = count_uses(&function.body);
        let mut body = std::mem::take(&mut function.body);
        let mut around = Around { uses, conditions: BTreeMap::new(), passed: Vec::new() };
        around.list(&mut body, function);
        function.body = body;
    }
}

/// What is known where the walk is.
struct Around {
    uses: BTreeMap<ValueId, usize>,
    /// How conditions, and numbers, were computed.
    conditions: BTreeMap<ValueId, (BinOp, Atom, Atom)>,
    /// The conditions of checks that were passed on the way.
    passed: Vec<ValueId>,
}

impl Around {
    fn list(&mut self, body: &mut Body, function: &mut Function) {
        let before = self.passed.len();
        let mut k = 0;
        while k < body.stmts.len() {
            match &mut body.stmts[k].expr {
                // What stands in an operator is scalar code.
                Expr::Op(_) => {
                    if let Some(found) = find(&body.stmts, k, &self.uses) {
                        self.rewrite(&mut body.stmts, k, found, function);
                        // Two statements before it are gone.
                        k -= 2;
                    }
                }
                Expr::Binary(op, a, b) => {
                    let how = (*op, *a, *b);
                    self.conditions.extend(body.stmts[k].binds.first().map(|v| (*v, how)));
                }
                Expr::Check { cond: Atom::Var(v), .. } => self.passed.push(*v),
                expr => expr.bodies_mut().into_iter().for_each(|b| self.list(b, function)),
            }
            k += 1;
        }
        self.passed.truncate(before);
    }

    /// Whether no place that a point computes is below zero; these are lengths.
    fn is_inside(&self, op: &Op, at: &Atom, lengths: &[Descriptor]) -> bool {
        let Some(place) = places(op, at) else { return false };
        let mut known = Assumptions::new();
        let natural =
            op.indices.iter().map(|v| Atom::Var(*v)).chain(op.space.iter().chain(lengths).filter_map(|d| match d {
                Descriptor::Regular(length) => Some(*length),
                _ => None,
            }));
        natural.filter_map(|a| atom(&a)).for_each(|size| known.assume_nonnegative(&size));
        let mut open = self.passed.clone();
        while let Some(v) = open.pop() {
            match self.conditions.get(&v) {
                Some((BinOp::And, a, b)) => open.extend([a, b].into_iter().filter_map(|x| x.var())),
                Some((BinOp::Le, a, b)) => {
                    if let (Some(a), Some(b)) = (atom(a), atom(b)) {
                        known.assume_le(&a, &b);
                    }
                }
                _ => {}
            }
        }
        // A sum is one where neither side is so far from zero that it may wrap around.
        let far = [Size::constant(-FAR), Size::constant(FAR)];
        for v in place.vars() {
            let Some((BinOp::Add, a, b)) = self.conditions.get(&value_of(v)) else { continue };
            let (Some(a), Some(b)) = (atom(a), atom(b)) else { continue };
            let near = |x: &Size| known.prove_le(&far[0], x).is_yes() && known.prove_le(x, &far[1]).is_yes();
            if let (true, Some(sum)) = (near(&a) && near(&b), a.checked_add(&b)) {
                known.assume_eq(&Size::var(v), &sum);
            }
        }
        known.prove_le(&Size::zero(), &place).is_yes()
    }
}

/// The three statements of the pattern; the last one is where the search began.
struct Found {
    copy: usize,
    update: usize,
    array: ValueId,
    run: Size,
}

fn find(stmts: &[Stmt], back: usize, uses: &BTreeMap<ValueId, usize>) -> Option<Found> {
    let op = stmts[back].expr.op()?;
    let array = only_destination(op)?;
    let ([at, Atom::Var(value)], own) = (op.body.results.as_slice(), position(op)?) else { return None };
    let Expr::Read { column: updated, at: from } = definition(&op.body, *value)? else { return None };
    if places(op, from)? != own {
        return None;
    }
    let run = minus(&places(op, at)?, &own)?;
    let update = bound_at(stmts, back, *updated, uses)?;
    let copied = only_destination(stmts[update].expr.op()?)?;
    let copy = bound_at(stmts, update, copied, uses)?;
    let taken = stmts[copy].expr.op()?;
    let ([Atom::Var(value)], OpKind::Map { rows: None }) = (taken.body.results.as_slice(), &taken.kind) else {
        return None;
    };
    let Expr::Read { column, at } = definition(&taken.body, *value)? else { return None };
    let same = *column == array && taken.space == op.space && minus(&places(taken, at)?, &position(taken)?)? == run;
    let fixed = run.vars().into_iter().map(value_of).all(|v| !taken.indices.contains(&v) && !op.indices.contains(&v));
    (same && fixed && run.funs().is_empty()).then_some(Found { copy, update, array, run })
}

/// The one column that a scatter without collisions writes to.
fn only_destination(op: &Op) -> Option<ValueId> {
    match &op.kind {
        OpKind::Scatter { dest, distinct: true } if dest.len() == 1 => Some(dest[0]),
        _ => None,
    }
}

/// Which earlier statement binds a value, and only that one, which is used once.
fn bound_at(stmts: &[Stmt], before: usize, value: ValueId, uses: &BTreeMap<ValueId, usize>) -> Option<usize> {
    let k = stmts[..before].iter().rposition(|s| s.binds == [value])?;
    (uses.get(&value) == Some(&1)).then_some(k)
}

fn definition(body: &Body, value: ValueId) -> Option<&Expr> {
    body.stmts.iter().find(|s| s.binds == [value]).map(|s| &s.expr)
}

impl Around {
    fn rewrite(&self, stmts: &mut Vec<Stmt>, back: usize, found: Found, function: &mut Function) {
        let lengths = stmts[back].expr.op().map(|op| op.space.clone()).unwrap_or_default();
        let updated = std::mem::replace(&mut stmts[found.update].expr, Expr::Literal(Vec::new()));
        let (Expr::Op(mut op), span) = (updated, stmts[found.update].span) else { return };
        let mut fresh = |name: &str, ty: ScalarType| {
            function.values.push(Value { name: name.to_string(), ty: Type::Scalar(ty), bound: None, at: () })
        };
        let run = fresh("run", ScalarType::I64);
        let [none, behind, place] =
            [("none", ScalarType::Bool), ("k", ScalarType::I64), ("k", ScalarType::I64)].map(|(n, t)| fresh(n, t));
        let at = op.body.results[0];
        let inside = self.is_inside(&op, &at, &lengths);
        let mut add = |v: ValueId, expr: Expr| op.body.stmts.push(Stmt { binds: vec![v], expr, span });
        // At the point, where whoever compares places sees what it is; compilers take it out of loops.
        add(run, Expr::Size(found.run));
        add(behind, Expr::Binary(BinOp::Add, at, Atom::Var(run)));
        if !inside {
            add(none, Expr::Binary(BinOp::Lt, at, Atom::int(0)));
            add(place, Expr::Select(Atom::Var(none), Atom::int(-1), Atom::Var(behind)));
        }
        op.body.results[0] = Atom::Var(if inside { behind } else { place });
        op.kind = OpKind::Scatter { dest: vec![found.array], distinct: true };
        stmts[back].expr = Expr::Op(op);
        stmts.remove(found.update);
        stmts.remove(found.copy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_ir::flat::{parse::parse, print::print, verify::verify};

    const HEAD: &str = "check 0 : slice

def f(s_0 : i64, k_1 : i64, w_2 : i64, m_3 : i64, c_4 : i64, a_5 : f64[100]) -> (f64[100]) {
";

    const PATTERN: &str = "  let n_6 : i64 = k_1 * w_2
  let c_7 : f64[n_6] = map grid [k_1][w_2] (i_8, j_9 | p_10, q_11) {
    let x_12 : i64 = s_0 + p_10
    let x_13 : i64 = x_12 * w_2
    let x_14 : i64 = x_13 + j_9
    let x_15 : f64 = a_5[x_14]
    => x_15
  }
  let d_16 : f64[n_6] = scatter grid [k_1][m_3] (i_17, j_18 | p_19, q_20) into c_7 distinct {
    let x_21 : i64 = p_19 * w_2
    let x_22 : i64 = c_4 + j_18
    let x_23 : i64 = x_21 + x_22
    => x_23, 1.0
  }
  let e_24 : f64[100] = scatter grid [k_1][w_2] (i_25, j_26 | p_27, q_28) into a_5 distinct {
    let x_29 : i64 = s_0 + i_25
    let x_30 : i64 = x_29 * w_2
    let x_31 : i64 = x_30 + j_26
    let x_32 : f64 = d_16[q_28]
    => x_31, x_32
  }
  => e_24
}
";

    fn after(text: &str) -> String {
        let mut program = parse(text).unwrap_or_else(|e| panic!("{e}"));
        verify(&program).unwrap_or_else(|e| panic!("{e}"));
        write_through_parts(&mut program);
        verify(&program).unwrap_or_else(|e| panic!("{e}"));
        print(&program)
    }

    #[test]
    fn one_write_is_left_and_a_test_where_nothing_is_known() {
        let text = after(&format!("{HEAD}{PATTERN}"));
        assert!(!text.contains("map grid") && text.matches("scatter").count() == 1, "{text}");
        assert!(text.contains("into a_5") && text.contains("size s_0*w_2") && text.contains("select("), "{text}");
    }

    #[test]
    fn checks_that_were_passed_show_that_places_are_inside() {
        let check = "  let ok_40 : bool = 0 <= c_4\n  check 0 slice ok_40 (c_4, c_4, c_4)\n";
        let text = after(&format!("{HEAD}{check}{PATTERN}"));
        assert!(text.matches("scatter").count() == 1 && !text.contains("select("), "{text}");
    }

    #[test]
    fn sums_are_followed_where_they_cannot_wrap() {
        let moved = PATTERN.replace("c_4 + j_18", "c_41 + j_18");
        let check = |limit: &str| {
            let sum =
                "  let c_41 : i64 = c_4 + 1\n  let ok_40 : bool = 0 <= c_4\n  check 0 slice ok_40 (c_4, c_4, c_4)\n";
            after(&format!("{HEAD}{sum}{limit}{moved}"))
        };
        let below = "  let ok_42 : bool = c_4 <= 1000\n  check 0 slice ok_42 (c_4, c_4, c_4)\n";
        assert!(check("").contains("select("));
        assert!(!check(below).contains("select("));
    }

    #[test]
    fn other_parts_stay() {
        for (old, new) in [("s_0 + i_25", "c_4 + i_25"), ("x_12 * w_2", "x_12 * m_3"), ("d_16[q_28]", "d_16[p_27]")] {
            let text = after(&format!("{HEAD}{}", PATTERN.replace(old, new)));
            assert_eq!(text.matches("scatter").count(), 2, "{text}");
        }
    }
}
