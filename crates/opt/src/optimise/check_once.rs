//! A check that says the same at every point is made once, before the operator.
//!
//! ```text
//! let () = map grid [n][m] (i, j | p, q) { check 1 zip ok (a, b) }      let none = (n <= 0) | (m <= 0)
//!                                                                        let fine = none | ok
//!                                                                        check 1 zip fine (a, b)
//!
//! reduce grid [n][m][k] (i, j, l | p, q, r) {                            let none = (n <= 0) | (m <= 0) | (k <= 0)
//!   let ok = l < w                                                       let fits = k <= w
//!   check 2 index ok (l, w)                                              let fine = none | fits
//!   let x = xs[…]                                                        let first = w max 0
//!   …                                                                    check 2 index fine (first, w)
//! ```
//!
//! Rows of one length are zipped at every pair of rows, and elements are taken by indices that run over a whole dimension. The
//! condition of such a check is made of numbers that no point changes, or compares an index with one of those: then it is known before any point
//! runs whether a point fails, and which is the first. What the check reports is what that point would have reported, except for its place among the points. An operator without points
//! checks nothing.
//!
//! What is left has no checks, so it can be fused, copied and cut as it could if the sizes had been stated.
//!
//! Checks leave in the order in which they stand, and none passes another one that stays, nor code that may not end: of two that fail, the
//! same one is reported as before.
//!
//! Declined: dimensions whose rows differ in length; numbers that are on the device, where the check would be a launch of its own; conditions on
//! positions or on several indices at once.

use crate::analysis::homes::Homes;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, Scalar, ScalarType, Span};
use terrace_ir::flat::visit::{has_checks, substitute_expr};
use terrace_ir::flat::{Body, Descriptor, Expr, Level, Op, Program, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId};

/// Takes checks out of operators, in all functions.
pub fn check_once(program: &mut Program) {
    if !program.functions.iter().any(|f| has_checks(&f.body)) {
        return;
    }
    let homes = Homes::of(program);
    for id in program.functions.ids() {
        let function = &mut program.functions[id];
        let mut leave = Leave { values: &mut function.values, device: &homes.function(id).device };
        leave.list(&mut function.body);
    }
}

struct Leave<'f> {
    values: &'f mut IdVec<ValueId, Value>,
    device: &'f BTreeSet<ValueId>,
}

/// A part of a condition that must hold at all points.
enum Part {
    /// The same at all points.
    Same(Atom),
    /// The index in a dimension is less than something that is the same at all points.
    Below(usize, Atom),
}

impl Part {
    fn dimension(&self) -> Option<usize> {
        match self {
            Part::Same(_) => None,
            Part::Below(d, _) => Some(*d),
        }
    }
}

impl Leave<'_> {
    /// At the host level.
    fn list(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.stmts.len());
        for mut stmt in std::mem::take(&mut body.stmts) {
            match &mut stmt.expr {
                Expr::Op(op) if op.level == Level::Grid && has_checks(&op.body) => {
                    self.operator(op, stmt.span, &mut out);
                }
                Expr::Op(_) => {}
                expr => expr.bodies_mut().into_iter().for_each(|b| self.list(b)),
            }
            out.push(stmt);
        }
        body.stmts = out;
    }

    fn operator(&mut self, op: &mut Op, span: Span, out: &mut Vec<Stmt>) {
        let regular = |d: &Descriptor| match d {
            Descriptor::Regular(length) => Some(*length),
            _ => None,
        };
        let Some(lengths) = op.space.iter().map(regular).collect::<Option<Vec<Atom>>>() else { return };
        if lengths.iter().any(|a| self.on_device(a)) {
            return;
        }
        let mut k = 0;
        while k < op.body.stmts.len() {
            let stmt = &op.body.stmts[k];
            let Expr::Check { .. } = stmt.expr else {
                if !is_scalar(&stmt.expr) {
                    return;
                }
                k += 1;
                continue;
            };
            let Some(check) = self.before(op, k, &lengths, span) else { return };
            out.extend(check);
            op.body.stmts.remove(k);
        }
    }

    fn on_device(&self, a: &Atom) -> bool {
        a.var().is_some_and(|v| self.device.contains(&v))
    }

    /// The statements that check before the operator what its statement `k` checks at every point.
    fn before(&mut self, op: &Op, k: usize, lengths: &[Atom], span: Span) -> Option<Vec<Stmt>> {
        let Expr::Check { check, cond, values } = &op.body.stmts[k].expr else { return None };
        let inside = Inside { op, stmts: &op.body.stmts[..k] };
        let mut parts = Vec::new();
        inside.parts(*cond, &mut parts)?;
        let dimensions: BTreeSet<usize> = parts.iter().filter_map(Part::dimension).collect();
        if dimensions.len() > 1 {
            return None;
        }
        let dimension = dimensions.first().copied();
        let mut moved = Moved { inside, leave: self, known: BTreeMap::new(), out: Vec::new(), span };
        // Whether all is well: the parts that are the same, then those about the index.
        let mut same = Atom::Const(Scalar::Bool(true));
        let mut limit: Option<Atom> = None;
        for part in parts {
            match part {
                Part::Same(a) => {
                    let a = moved.atom(a)?;
                    same = moved.bind("ok", ScalarType::Bool, Expr::Binary(BinOp::And, same, a));
                }
                Part::Below(_, a) => {
                    let a = moved.atom(a)?;
                    limit = Some(match limit {
                        Some(b) => moved.bind("limit", ScalarType::I64, Expr::Binary(BinOp::Min, a, b)),
                        None => a,
                    });
                }
            }
        }
        let mut fine = same;
        let mut first = Atom::int(0);
        if let (Some(limit), Some(d)) = (limit, dimension) {
            let fits = moved.bind("fits", ScalarType::Bool, Expr::Binary(BinOp::Le, lengths[d], limit));
            fine = moved.bind("ok", ScalarType::Bool, Expr::Binary(BinOp::And, same, fits));
            first = moved.bind("first", ScalarType::I64, Expr::Binary(BinOp::Max, limit, Atom::int(0)));
            first = moved.bind("first", ScalarType::I64, Expr::Select(same, first, Atom::int(0)));
        }
        for length in lengths {
            let none = moved.bind("none", ScalarType::Bool, Expr::Binary(BinOp::Le, *length, Atom::int(0)));
            fine = moved.bind("fine", ScalarType::Bool, Expr::Binary(BinOp::Or, none, fine));
        }
        // The first point that fails.
        for (d, index) in op.indices.iter().enumerate() {
            moved.known.insert(*index, if Some(d) == dimension { first } else { Atom::int(0) });
        }
        moved.known.insert(op.positions[0], moved.known[&op.indices[0]]);
        let values = values.iter().map(|v| moved.atom(*v)).collect::<Option<Vec<Atom>>>()?;
        let mut out = moved.out;
        out.push(Stmt { binds: Vec::new(), expr: Expr::Check { check: *check, cond: fine, values }, span });
        Some(out)
    }
}

/// What stands before a check in the body of an operator.
#[derive(Clone, Copy)]
struct Inside<'o> {
    op: &'o Op,
    stmts: &'o [Stmt],
}

impl Inside<'_> {
    fn bound(&self, v: ValueId) -> Option<&Expr> {
        self.stmts.iter().find(|s| s.binds.contains(&v)).map(|s| &s.expr)
    }

    /// The dimension that a value is the index in.
    fn dimension(&self, a: Atom) -> Option<usize> {
        let v = a.var()?;
        let first = (self.op.positions.first() == Some(&v)).then_some(0);
        self.op.indices.iter().position(|i| *i == v).or(first)
    }

    /// Whether it has one value at all points, and can be computed where there is none.
    fn is_same(&self, a: Atom) -> bool {
        let Atom::Var(v) = a else { return true };
        if self.op.indices.contains(&v) || self.op.positions.contains(&v) {
            return false;
        }
        match self.bound(v) {
            Some(expr) => is_total(expr) && expr.operands().into_iter().all(|x| self.is_same(x.into())),
            None => true,
        }
    }

    /// The parts of a condition; none where it is something else.
    fn parts(&self, cond: Atom, out: &mut Vec<Part>) -> Option<()> {
        if self.is_same(cond) {
            out.push(Part::Same(cond));
            return Some(());
        }
        match self.bound(cond.var()?)? {
            Expr::Atom(a) => self.parts(*a, out),
            Expr::Binary(BinOp::And, a, b) => {
                self.parts(*a, out)?;
                self.parts(*b, out)
            }
            Expr::Binary(BinOp::Lt, i, n) | Expr::Binary(BinOp::Gt, n, i) if self.is_same(*n) => {
                out.push(Part::Below(self.dimension(*i)?, *n));
                Some(())
            }
            // An index is not negative.
            Expr::Binary(BinOp::Le, Atom::Const(c), i) | Expr::Binary(BinOp::Ge, i, Atom::Const(c)) => {
                (self.dimension(*i).is_some() && c.as_i64()? <= 0).then_some(())
            }
            _ => None,
        }
    }
}

/// Code of a point, computed before the operator.
struct Moved<'o, 'l, 'f> {
    inside: Inside<'o>,
    leave: &'l mut Leave<'f>,
    known: BTreeMap<ValueId, Atom>,
    out: Vec<Stmt>,
    span: Span,
}

impl Moved<'_, '_, '_> {
    fn bind(&mut self, name: &str, ty: ScalarType, expr: Expr) -> Atom {
        let value = Value { name: name.to_string(), ty: Type::Scalar(ty), bound: None, at: () };
        let v = self.leave.values.push(value);
        self.out.push(Stmt { binds: vec![v], expr, span: self.span });
        v.into()
    }

    /// An operand; none where it cannot be computed on the host.
    fn atom(&mut self, a: Atom) -> Option<Atom> {
        let Atom::Var(v) = a else { return Some(a) };
        if let Some(done) = self.known.get(&v) {
            return Some(*done);
        }
        let Some(expr) = self.inside.bound(v) else {
            let of_the_op = self.inside.op.indices.contains(&v) || self.inside.op.positions.contains(&v);
            return (!of_the_op && !self.leave.on_device(&a)).then_some(a);
        };
        if !is_total(expr) {
            return None;
        }
        let mut expr = expr.clone();
        let mut map = BTreeMap::new();
        for x in expr.operands() {
            map.insert(x, self.atom(x.into())?);
        }
        substitute_expr(&mut expr, &map);
        let ty = self.leave.values[v].ty.elem()?;
        let name = self.leave.values[v].name.clone();
        let moved = self.bind(&name, ty, expr);
        self.known.insert(v, moved);
        Some(moved)
    }
}

/// Whether an expression is a scalar that takes a fixed time: nothing in it may fail or not end.
fn is_scalar(expr: &Expr) -> bool {
    is_total(expr) || matches!(expr, Expr::Read { .. } | Expr::Binary(..) | Expr::Literal(_))
}

/// Whether an expression has a result for any operands.
fn is_total(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(BinOp::Div | BinOp::Rem, _, b) => b.constant().is_some_and(|c| c.as_i64().is_some_and(|n| n != 0)),
        Expr::Atom(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Fma(..) => true,
        Expr::Convert(..) | Expr::Select(..) | Expr::Size(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::check_once;
    use terrace_ir::flat::{parse::parse, print::print, verify::verify};

    /// A function with these statements before and after the pass.
    fn passed(stmts: &str) -> [String; 2] {
        let head = "check 0 : zip\ncheck 1 : index\n\ndef f(n_0 : i64, m_1 : i64, w_2 : i64, ok_3 : bool, xs_4 : f64[100]) -> (i64) {\n";
        let text = format!("{head}{stmts}  => n_0\n}}\n");
        let mut program = parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let before = print(&program);
        check_once(&mut program);
        verify(&program).unwrap_or_else(|e| panic!("{e}\n{}", print(&program)));
        [before, print(&program)]
    }

    /// The operator has no check any more, and before it stands what is expected.
    fn leaves(stmts: &str, expected: &[&str]) {
        let [_, found] = passed(stmts);
        let (before, inside) = found.split_once("let () = map").unwrap_or_else(|| panic!("{found}"));
        assert!(!inside.contains("check"), "{found}");
        expected.iter().for_each(|line| assert!(before.contains(line), "{line} in\n{found}"));
    }

    #[test]
    fn what_is_the_same_everywhere_is_checked_once() {
        let text = "  let () = map grid [n_0][m_1] (i_5, j_6 | p_7, q_8) { check 0 zip ok_3 (n_0, w_2) }\n";
        leaves(text, &[": bool = n_0 <= 0\n", ": bool = m_1 <= 0\n", "check 0 zip fine_", " (n_0, w_2)\n"]);
    }

    #[test]
    fn an_index_is_compared_by_its_last_value() {
        let text = "  let () = map grid [n_0][m_1] (i_5, j_6 | p_7, q_8) {
    let low_9 : bool = 0 <= j_6
    let high_10 : bool = j_6 < w_2
    let both_11 : bool = low_9 & high_10
    check 1 index both_11 (j_6, w_2)
  }
";
        leaves(text, &[": bool = m_1 <= w_2\n", ": i64 = w_2 max 0\n", "check 1 index fine_", " (first_"]);
    }

    #[test]
    fn what_points_find_out_stays_and_nothing_passes_it() {
        let [before, after] = passed(
            "  let () = map grid [n_0] (i_5 | p_6) {
    let x_7 : f64 = xs_4[i_5]
    let low_8 : bool = 0.0 < x_7
    check 1 index low_8 (i_5, w_2)
    check 0 zip ok_3 (n_0, w_2)
  }
",
        );
        assert_eq!(before, after);
    }
}
