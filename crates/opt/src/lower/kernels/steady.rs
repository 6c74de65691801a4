//! Choices without branches, for conditions that no processor foresees.
//!
//! ```text
//! if later { => new } else { => old }          old ^ ((new ^ old) & -(uint64_t)later)
//! if kept { => x } else { => 0 }               x & -(uint64_t)kept
//! ```
//!
//! Inside the reduction of a row, a condition on an element is a coin: a wrong guess costs more than computing both sides. Here both sides are
//! computed and one is taken by its bits, which C compilers turn into conditional moves or vector code and never into a branch.
//! Floats are chosen by C's own `? :` on values that are there already. On a GPU everything is, everywhere: the threads of a warp that
//! disagree would run both sides anyway, one after the other.
//!
//! It declines sides that are not worth it or must not run: reads, checks, loops, division of integers, functions such as `exp`.

use super::Lowered;
use super::build::Builder;
use super::expr::{binary, convert, not, select, unary};
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::flat::{Body, Expr as FlatExpr, Stmt as FlatStmt};
use terrace_ir::kernel::Expr;
use terrace_ir::{Atom, ValueId};

/// Sides with more statements are branches after all.
const SHORT: usize = 8;

/// Whether a body can be computed whether or not it is wanted.
pub fn is_steady(body: &Body, is_whole: &dyn Fn(&Atom) -> bool) -> bool {
    body.stmts.len() <= SHORT && body.stmts.iter().all(|s| is_quick(&s.expr, is_whole))
}

/// Whether an expression is a few instructions that cannot fail.
pub fn is_quick(expr: &FlatExpr, is_whole: &dyn Fn(&Atom) -> bool) -> bool {
    use UnOp::{Abs, Neg, Not, Ordinal};
    match expr {
        FlatExpr::Atom(_) | FlatExpr::Fma(..) | FlatExpr::Convert(..) | FlatExpr::Select(..) => true,
        FlatExpr::Unary(op, _) => matches!(op, Neg | Not | Abs | Ordinal),
        FlatExpr::Binary(BinOp::Div | BinOp::Rem | BinOp::Pow | BinOp::Atan2, ..) => false,
        FlatExpr::Binary(BinOp::Min | BinOp::Max, a, _) => is_whole(a),
        FlatExpr::Binary(..) => true,
        FlatExpr::If { then, otherwise, .. } => is_steady(then, is_whole) && is_steady(otherwise, is_whole),
        _ => false,
    }
}

/// One of two values, both computed.
fn pick(ty: ScalarType, cond: Expr, a: Expr, b: Expr) -> Expr {
    if a == b {
        return a;
    }
    match (&a, &b) {
        (Expr::Const(Scalar::Bool(true)), _) => return binary(BinOp::Or, cond, b),
        (_, Expr::Const(Scalar::Bool(false))) => return binary(BinOp::And, cond, a),
        _ => {}
    }
    if !ty.is_int() || ty.size_bytes() < 4 || matches!(cond, Expr::Const(_)) {
        return select(cond, a, b);
    }
    let mask = |cond: Expr| unary(UnOp::Neg, convert(ty, cond));
    let zero = Expr::Const(Scalar::zero(ty));
    if b == zero {
        return binary(BinOp::And, a, mask(cond));
    }
    if a == zero {
        return binary(BinOp::And, b, mask(not(cond)));
    }
    let differing = binary(BinOp::Xor, a, b.clone());
    binary(BinOp::Xor, b, binary(BinOp::And, differing, mask(cond)))
}

impl Builder<'_> {
    /// Whether an operand is an integer.
    pub fn is_whole(&self, a: &Atom) -> bool {
        self.atom_type(a).is_int()
    }

    /// One of two values, both computed, as the device does it best.
    pub fn choose(&self, ty: ScalarType, cond: Expr, a: Expr, b: Expr) -> Expr {
        if self.target_is_cpu() { pick(ty, cond, a, b) } else { select(cond, a, b) }
    }

    /// A conditional, with both sides computed.
    pub fn steady_branch(&mut self, stmt: &FlatStmt, cond: Expr, then: &Body, otherwise: &Body) -> Lowered<()> {
        let mut sides = Vec::new();
        for body in [then, otherwise] {
            self.body(body, |_, results| {
                sides.push(results);
                Ok(())
            })?;
        }
        let (Some(b), Some(a)) = (sides.pop(), sides.pop()) else { return Ok(()) };
        let binds: Vec<ValueId> = stmt.binds.clone();
        for ((v, a), b) in binds.into_iter().zip(a).zip(b) {
            let (ty, name) = (self.elem(v), self.host.function.values[v].name.clone());
            let chosen = self.choose(ty, cond.clone(), a, b);
            let chosen = self.let_(&name, ty, chosen);
            self.define(v, chosen);
        }
        Ok(())
    }
}
