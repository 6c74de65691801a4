//! Expressions of the host program, written short.

use super::host::Host;
use super::sizes::{self, Arithmetic};
use super::{Lowered, limit};
use terrace_algebra::{Size, SumAtom};
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::ValueId;
use terrace_plan::host::HostExpr;

/// An `i64` constant.
pub fn hint(n: i64) -> HostExpr {
    HostExpr::Const(Scalar::I64(n))
}

fn as_int(e: &HostExpr) -> Option<i64> {
    match e {
        HostExpr::Const(Scalar::I64(n)) => Some(*n),
        _ => None,
    }
}

fn binary(op: BinOp, a: HostExpr, b: HostExpr) -> HostExpr {
    if let (HostExpr::Const(x), HostExpr::Const(y)) = (&a, &b)
        && let Some(value) = op.try_apply(*x, *y)
    {
        return HostExpr::Const(value);
    }
    match (op, as_int(&a), as_int(&b)) {
        (BinOp::Add, Some(0), _) | (BinOp::Mul, Some(1), _) => b,
        (BinOp::Add | BinOp::Sub, _, Some(0)) | (BinOp::Mul | BinOp::Div, _, Some(1)) => a,
        _ => HostExpr::Binary(op, Box::new(a), Box::new(b)),
    }
}

/// `a + b`.
pub fn hadd(a: HostExpr, b: HostExpr) -> HostExpr {
    binary(BinOp::Add, a, b)
}

/// `a * b`.
pub fn hmul(a: HostExpr, b: HostExpr) -> HostExpr {
    binary(BinOp::Mul, a, b)
}

/// `a / b`, rounded down.
pub fn hdiv(a: HostExpr, b: HostExpr) -> HostExpr {
    binary(BinOp::Div, a, b)
}

/// The smaller.
pub fn hmin(a: HostExpr, b: HostExpr) -> HostExpr {
    binary(BinOp::Min, a, b)
}

/// The larger.
pub fn hmax(a: HostExpr, b: HostExpr) -> HostExpr {
    binary(BinOp::Max, a, b)
}

/// `a / n`, rounded up.
pub fn hceil_div(a: HostExpr, n: usize) -> HostExpr {
    let n = n.max(1) as i64;
    binary(BinOp::Div, hadd(a, hint(n - 1)), hint(n))
}

/// Sizes over scalars that are on the host.
pub struct OnHost<'h, 'a> {
    /// The function.
    pub host: &'h Host<'a>,
    /// Where a message points.
    pub span: Span,
}

impl OnHost<'_, '_> {
    /// The value of a size.
    pub fn size(&mut self, s: &Size) -> Lowered<HostExpr> {
        sizes::size(self, s)
    }
}

impl Arithmetic for OnHost<'_, '_> {
    type Expr = HostExpr;

    fn int(&mut self, n: i64) -> HostExpr {
        hint(n)
    }

    fn variable(&mut self, v: ValueId) -> Lowered<HostExpr> {
        let slot = self.host.home(v).and_then(|h| h.host);
        let Some(slot) = slot else {
            let name = &self.host.function.values[v].name;
            return Err(limit(self.span, format!("the size `{name}_{v}` is not known on the host")));
        };
        let e = HostExpr::Slot(slot);
        let is_i64 = self.host.function.values[v].ty.elem() == Some(ScalarType::I64);
        Ok(if is_i64 { e } else { HostExpr::Convert(ScalarType::I64, Box::new(e)) })
    }

    fn binary(&mut self, op: BinOp, a: HostExpr, b: HostExpr) -> HostExpr {
        binary(op, a, b)
    }

    fn sum(&mut self, _: &SumAtom) -> Lowered<HostExpr> {
        Err(limit(self.span, "a sum of sizes without closed form on the host"))
    }

    fn element(&mut self, _: ValueId, _: HostExpr) -> Lowered<HostExpr> {
        Err(limit(self.span, "an element of a column on the host"))
    }

    fn span(&self) -> Span {
        self.span
    }
}
