//! What tiles of a scan with rows tell each other.
//!
//! A tile announces what its elements combine to, and learns what the tiles before it do ([`super::look_back`]). One
//! thread gets the answer; here it comes to all of them, through shared memory:
//!
//! ```text
//! announce(total)   before(tile)  →  earlier[0]   barrier
//! ```

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{int, local};
use super::block::{Combine, Partial, is_first};
use super::look_back::LookBack;
use super::tiles::Tile;
use terrace_ir::kernel::{ArrayId, Expr, Stmt};

/// Tells later tiles about this one and gets what [`earlier`] says.
pub fn exchange(
    b: &mut Builder<'_>,
    look: &LookBack,
    combine: &Combine<'_>,
    tile: &Tile<'_>,
    total: &Partial,
    needed: &Expr,
) -> Lowered<Vec<ArrayId>> {
    look.announce(b, &tile.number, total)?;
    earlier(b, look, combine, tile, total, needed)
}

/// What the tiles before this one join to, in shared memory; ends with a barrier.
pub fn earlier(
    b: &mut Builder<'_>,
    look: &LookBack,
    combine: &Combine<'_>,
    tile: &Tile<'_>,
    total: &Partial,
    needed: &Expr,
) -> Lowered<Vec<ArrayId>> {
    let arrays: Vec<ArrayId> = combine.types.iter().map(|ty| b.array("earlier", *ty, 1, true)).collect();
    let before = look.before(b, combine, &tile.number, total, needed)?;
    b.when(is_first(), |b| {
        for (array, v) in arrays.iter().zip(&before.values) {
            b.emit(Stmt::SetElement(*array, int(0), local(*v)));
        }
        Ok(())
    })?;
    b.emit(Stmt::Barrier);
    Ok(arrays)
}

/// One element of each array.
pub fn elements(arrays: &[ArrayId], at: Expr) -> Vec<Expr> {
    arrays.iter().map(|a| Expr::Element(*a, Box::new(at.clone()))).collect()
}
