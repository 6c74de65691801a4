//! What a printer has a shorter way for: division by 8 is a shift by 3, a sum that never wraps is `+`.

use terrace_base::BinOp;
use terrace_ir::kernel::Expr;

/// The exponent of a positive whole constant that is a power of two.
pub fn power_of_two(e: &Expr) -> Option<u32> {
    let Expr::Const(c) = e else { return None };
    let n = c.as_i64()?;
    (c.ty().is_int() && n > 0 && n.count_ones() == 1).then(|| n.trailing_zeros())
}

/// How C writes an operation of [`Expr::Exact`].
pub fn sign(op: BinOp) -> &'static str {
    match op {
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        _ => "+",
    }
}
