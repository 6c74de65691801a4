//! The types of operators.

use super::Infer;
use crate::types::{Classes, Ty};
use crate::unify::Clash;
use terrace_base::{BinOp, Diagnostic, ScalarType, Span};
use terrace_syntax::ast::BinaryOp;

/// An operand: its type and where it stands.
pub(super) type Operand<'t> = (&'t Ty, Span);

impl Infer<'_, '_> {
    /// The type of `left op right`.
    pub(super) fn operator(&mut self, op: BinaryOp, op_span: Span, left: Operand<'_>, right: Operand<'_>) -> Ty {
        match op {
            BinaryOp::AndAlso | BinaryOp::OrElse => {
                for (ty, span) in [left, right] {
                    let why = format!("`{}` works on truth values", op.symbol());
                    self.expect(ty, &Ty::BOOL, span, Some((op_span, why)));
                }
                Ty::BOOL
            }
            BinaryOp::Concat => {
                let array = Ty::array(self.fresh(op_span));
                for (ty, span) in [left, right] {
                    let why = "`++` joins arrays of one type".to_string();
                    if !self.expect(ty, &array, span, Some((op_span, why))) {
                        return Ty::Error;
                    }
                }
                array
            }
            BinaryOp::Scalar(op) => self.scalar_operator(op, op_span, left, right),
        }
    }

    fn scalar_operator(&mut self, op: BinOp, op_span: Span, left: Operand<'_>, right: Operand<'_>) -> Ty {
        let failed = if op.is_comparison() { Ty::BOOL } else { Ty::Error };
        let classes = match op {
            BinOp::Eq | BinOp::Ne => Classes::EQ,
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Min | BinOp::Max => Classes::ORD,
            BinOp::And | BinOp::Or | BinOp::Xor => Classes::BITS,
            BinOp::Shl | BinOp::Shr => Classes::INT,
            BinOp::Pow | BinOp::Atan2 => Classes::FLOAT,
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => Classes::NUM,
        };
        let who = format!("`{}`", op.symbol());
        for (ty, span) in [left, right] {
            // An operand that can never fit is the better message than two operands that differ.
            if !matches!(self.unifier.head(ty), Ty::Var(_)) && !self.require(ty, classes, span, &who) {
                return failed;
            }
        }
        if let Err(clash) = self.unifier.unify(right.0, left.0, op_span) {
            self.operands_differ(clash, op, left, right);
            return failed;
        }
        if !self.require(left.0, classes, left.1, &who) {
            return failed;
        }
        if op.is_comparison() { Ty::BOOL } else { left.0.clone() }
    }

    fn operands_differ(&mut self, clash: Clash, op: BinOp, left: Operand<'_>, right: Operand<'_>) {
        if clash == Clash::Infinite {
            return self.clash(clash, right.0, left.0, right.1, None);
        }
        if self.unifier.is_broken(left.0) || self.unifier.is_broken(right.0) {
            self.errors += 1;
            return;
        }
        let (a, b) = (self.unifier.describe(left.0), self.unifier.describe(right.0));
        let title = format!("`{}` between {a} and {b}", op.symbol());
        let mut report = match &self.passed_by {
            Some(of) => {
                Diagnostic::error("T0100", title).primary(right.1, format!("`{of}` passes {a} and {b} to this"))
            }
            None => Diagnostic::error("T0100", title)
                .primary(right.1, format!("this is {b}"))
                .label(left.1, format!("this is {a}")),
        };
        for (operand, text) in [(left, &a), (right, &b)] {
            if let Some(origin) = self.unifier.origin(operand.0)
                && origin != left.1
                && origin != right.1
            {
                report = report.label(origin, format!("{text} because of this"));
            }
        }
        let number = |ty: &Ty| match self.unifier.head(ty) {
            Ty::Scalar(s) if s != ScalarType::Bool => Some(s),
            _ => None,
        };
        report = match (number(left.0), number(right.0)) {
            (Some(a), Some(b)) if b.is_float() || !a.is_float() && b.bits() > a.bits() => {
                report.hint(format!("numbers are converted by calls: `{b}(…)` around the left side"))
            }
            (Some(a), None) if !a.is_float() && matches!(self.unifier.head(right.0), Ty::Var(_)) => {
                report.hint(format!("`{a}` has no fractions: write a whole number, or `f64(…)` around the left side"))
            }
            (Some(a), Some(_)) => {
                report.hint(format!("numbers are converted by calls: `{a}(…)` around the right side"))
            }
            _ => report,
        };
        self.report(report);
    }
}
