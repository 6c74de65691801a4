//! Scalar expressions of the host program.
//!
//! Only the branch of a `Select` that is taken is evaluated.

use terrace_base::{Scalar, convert, fma};
use terrace_plan::host::HostExpr;

use super::{Executor, Value, bug};
use crate::error::RunError;

impl Executor<'_> {
    /// The value of an expression.
    pub(super) fn eval(&self, expr: &HostExpr) -> Result<Scalar, RunError> {
        match expr {
            HostExpr::Const(scalar) => Ok(*scalar),
            HostExpr::Slot(slot) => match self.frames.last().map(|f| f.get(*slot)) {
                Some(Ok(Value::Host(scalar))) => Ok(*scalar),
                Some(Err(error)) => Err(error),
                _ => bug(format!("slot {slot} holds no scalar")),
            },
            HostExpr::Unary(op, a) => {
                let a = self.eval(a)?;
                op.try_apply(a).map_or_else(|| bug(format!("{op} of {a:?}")), Ok)
            }
            HostExpr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                op.try_apply(a, b).map_or_else(|| bug(format!("{op} of {a:?} and {b:?}")), Ok)
            }
            HostExpr::Fma(a, b, c) => {
                let (a, b, c) = (self.eval(a)?, self.eval(b)?, self.eval(c)?);
                if !a.ty().is_float() || a.ty() != b.ty() || a.ty() != c.ty() {
                    return bug(format!("fma of {a:?}, {b:?} and {c:?}"));
                }
                Ok(fma(a, b, c))
            }
            HostExpr::Convert(to, a) => Ok(convert(self.eval(a)?, *to)),
            HostExpr::Select(c, a, b) => self.eval(if self.truth(c)? { a } else { b }),
            HostExpr::MemoryLimit => {
                let bytes = i64::try_from(self.space.wave_bytes()).unwrap_or(i64::MAX);
                Ok(Scalar::I64(bytes))
            }
            HostExpr::Workers => Ok(Scalar::I64(self.space.device.workers() as i64)),
        }
    }

    /// The value of a condition.
    pub(super) fn truth(&self, expr: &HostExpr) -> Result<bool, RunError> {
        let value = self.eval(expr)?;
        value.as_bool().map_or_else(|| bug(format!("{value:?} is no condition")), Ok)
    }

    /// The value of a count.
    pub(super) fn integer(&self, expr: &HostExpr) -> Result<i64, RunError> {
        let value = self.eval(expr)?;
        value.as_i64().map_or_else(|| bug(format!("{value:?} is no count")), Ok)
    }
}
