//! How a GPU runs an operator: one launch, one tile per block.
//!
//! ```text
//! map               a point per thread and item                                             map.rs
//! map in a row      neighbours per thread, 16 bytes at a time                                wide.rs
//! map over a grid   a rectangle of points per block                                         squares.rs
//! matrix products   a square of points per block, its operands in shared memory             products.rs
//! reduce to scalar  tiles, then the last block to arrive combines                            reduce.rs
//! reduce of rows    tiles of whole rows and pieces of long ones, then the pieces are joined    rows.rs, pieces.rs
//! of short rows     of one length: a few lanes per row                                       lanes.rs
//! scan, pack        tiles with look-back: one pass over the data                             prefixes.rs, scan.rs, kept.rs, pack.rs
//! scatter           a launch over the destination, one over the points                     writes.rs
//! hist              few bins: copies of them per block; many: as scatter, with atomics       hist.rs, writes.rs
//! sort of one row   by digits: tiles learn what earlier ones have of each digit               sort.rs
//! thread level      one thread does everything                                              single.rs
//! block level       one block per point of the map around it                                group.rs
//! ```
//!
//! What they are made of: [`tiles`] (cutting a space), [`corners`] (the same for rows that stay whole), [`strips`] (tiles in registers), [`items`] (the points of one thread), [`apart`] (the same at constant distances), [`block`] (threads of a block
//! combine), [`look_back`] (tiles learn what came before them). Grids are launched by an upper bound of the size; a tile beyond the true size leaves at once.
//! Every combination has an order fixed by positions and tile sizes, never by timing.

pub mod apart;
pub mod block;
pub mod corners;
pub mod group;
pub mod hist;
pub mod items;
pub mod kept;
pub mod lanes;
pub mod look_back;
pub mod map;
pub mod pack;
pub mod pieces;
pub mod prefixes;
pub mod products;
pub mod reduce;
pub mod results;
pub mod rows;
pub mod scan;
pub mod segmented;
pub mod single;
pub mod sort;
pub mod squares;
pub mod staged;
pub mod strips;
pub mod tiles;
pub mod wide;
pub mod writes;

use super::host::Host;
use super::writes::{exact_operator, starts};
use super::{Lowered, Target};
use crate::lower::place_in_memory::is_one_point;
use terrace_base::Span;
use terrace_ir::ValueId;
use terrace_ir::flat::{Level, Op, OpKind, Stmt};

/// GPUs.
pub struct Gpu;

impl Target for Gpu {
    fn operator(&self, host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
        match &op.kind {
            _ if op.level == Level::Thread => single::lower(host, op, binds, span),
            OpKind::Map { .. } => map::lower(host, op, binds, span),
            OpKind::Reduce { operator, neutral, masked } => {
                let what = (operator, neutral.as_slice(), *masked);
                if op.space.len() == 1 {
                    reduce::lower(host, op, binds, what, span)
                } else {
                    rows::lower(host, op, binds, what, &results::Results::stored(binds), span)
                }
            }
            OpKind::Scan { operator, neutral, form } => scan::lower(host, op, binds, (operator, neutral, *form), span),
            OpKind::Pack => pack::lower(host, op, binds, span),
            OpKind::Scatter { .. } if is_one_point(op) && starts(host, op, binds).is_empty() => {
                single::lower(host, op, binds, span)
            }
            OpKind::Hist { .. } => match exact_operator(host, op, binds, span)? {
                Some(operator) => hist::lower(host, op, binds, operator, span),
                None => writes::lower(host, op, binds, span),
            },
            OpKind::Scatter { .. } => writes::lower(host, op, binds, span),
            OpKind::Sort { form } => sort::lower(host, op, binds, *form, span),
        }
    }

    fn several(&self, host: &mut Host<'_>, stmts: &[Stmt]) -> Lowered<usize> {
        let Some((place, results)) = results::Results::mapped(host, stmts) else { return Ok(0) };
        let (first, map) = (&stmts[0], &stmts[place]);
        let Some(OpKind::Reduce { operator, neutral, masked }) = first.expr.op().map(|op| &op.kind) else {
            return Ok(0);
        };
        stmts[1..place].iter().try_for_each(|s| host.stmt(self, s))?;
        host.before_overwriting(first)?;
        host.before_overwriting(map)?;
        if let Some(op) = first.expr.op() {
            rows::lower(host, op, &first.binds, (operator, neutral, *masked), &results, first.span)?;
        }
        Ok(place + 1)
    }

    fn concat(&self, host: &mut Host<'_>, bind: ValueId, columns: &[ValueId], span: Span) -> Lowered<()> {
        writes::concat(host, bind, columns, span)
    }
}
