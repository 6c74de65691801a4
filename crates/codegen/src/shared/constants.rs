//! Constants that a printer has a shorter way for: division by 8 is a shift by 3.

use terrace_ir::kernel::Expr;

/// The exponent of a positive whole constant that is a power of two.
pub fn power_of_two(e: &Expr) -> Option<u32> {
    let Expr::Const(c) = e else { return None };
    let n = c.as_i64()?;
    (c.ty().is_int() && n > 0 && n.count_ones() == 1).then(|| n.trailing_zeros())
}
