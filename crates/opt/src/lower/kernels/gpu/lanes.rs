//! Reduction of rows that all have one, short length: a few lanes per row, straight from memory.
//!
//! Where rows are regular nobody has to look for them, and rows of at most a piece need no joining. So there is nothing to stage: the lanes of
//! a group read neighbouring elements of their row, several rounds at a time, and a tree over the lanes ends it.
//!
//! ```text
//! rows of up to 8 elements     a thread per row; versions choose another kernel for these
//! up to 128                    eight lanes per row, four rows per warp
//! up to 512                    a warp per row
//! ```
//!
//! The order is that of [`super::rows`]: the same row gives the same bits in both. Declined: operators that are not known to commute, whose
//! lanes would have to read runs.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, and, eq, int, le, local, lt, max, min, mul, quot, select, sub};
use super::super::host::Host;
use super::super::host_expr::{hceil_div, hmul};
use super::super::points::{self, Point};
use super::block::{Combine, WARP, bits};
use super::corners::{GROUP, Shape};
use super::items;
use super::reduce::take;
use super::results::Results;
use super::tiles::{Cut, define_in_row, define_point, needs_indices};
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::{Op, Operator};
use terrace_ir::kernel::Expr;
use terrace_ir::{Atom, ValueId};
use terrace_plan::host::HostExpr;

/// Elements that a lane asks for at once.
const AHEAD: i64 = 8;
/// Rows of a block, for each group of eight lanes.
const ROWS: i64 = 2;

/// Emits the launch; `flag` is 1 where it shall happen, else 0.
pub fn lower(
    host: &mut Host<'_>,
    op: &Op,
    binds: &[ValueId],
    (operator, neutral, masked): (&Operator, &[Atom], bool),
    results: &Results<'_>,
    (shape, flag): (&Shape, HostExpr),
    span: Span,
) -> Lowered<()> {
    let block = shape.cut.block;
    let per_block = block / GROUP * ROWS;
    let tiles = hmul(hceil_div(host.rows(op)?, per_block as usize), flag);
    let name = host.kernel_name("reduce_rows", binds);
    let mut b = Builder::new(host, &name, block as u32, span);
    let combine = Combine::of(&mut b, operator, neutral)?;
    let d = op.space.len() - 1;
    let rows = points::count(&mut b, op, d)?;
    let length = points::row_length(&mut b, op, d, &Point::default())?;
    let by = |b: &mut Builder<'_>, lanes: i64| {
        let lane = b.let_("lane", ScalarType::I64, bits(Expr::Thread, int(lanes - 1)));
        let group = b.let_("group", ScalarType::I64, quot(Expr::Thread, int(lanes)));
        let first = b.let_("first", ScalarType::I64, add(mul(Expr::Tile, int(per_block)), group.clone()));
        b.for_("r", int(0), int(per_block), int(block / lanes), false, |b, r| {
            let row = b.let_("row", ScalarType::I64, add(first, r));
            let mut is_row = lt(row.clone(), rows.clone());
            if block / lanes > per_block {
                is_row = and(is_row, lt(group, int(per_block)));
            }
            let is_row = b.let_("is_row", ScalarType::Bool, is_row);
            let start = b.let_("start", ScalarType::I64, mul(row.clone(), length.clone()));
            let acc = combine.vars(b, "acc", &combine.neutral);
            let cut = Cut { block: lanes, items: AHEAD };
            b.for_("base", int(0), length.clone(), int(cut.size()), false, |b, base| {
                let left = max(min(sub(length.clone(), base.clone()), int(cut.size())), int(0));
                let left = b.let_("left_here", ScalarType::I64, select(is_row.clone(), left, int(0)));
                let from = b.let_("from", ScalarType::I64, add(start, base));
                items::each_by(
                    b,
                    op,
                    cut,
                    &lane,
                    (&from, &left),
                    |b, _, q| define(b, op, d, &row, q),
                    |_, _| Ok(()),
                    |b, item, results| {
                        b.when(and(item.inside.clone(), item.ok.clone()), |b| take(b, &combine, &acc, results, masked))
                    },
                )
            })?;
            combine.fold_lanes_of(b, &acc, lanes)?;
            b.when(and(is_row, eq(lane, int(0))), |b| results.store(b, row, acc.iter().copied().map(local).collect()))
        })
    };
    b.set_index(mul(rows.clone(), length.clone()));
    b.if_(
        le(length.clone(), int(shape.short)),
        |b| by(b, 1),
        |b| b.if_(le(length.clone(), int(shape.medium)), |b| by(b, GROUP), |b| by(b, WARP)),
    )?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

fn define(b: &mut Builder<'_>, op: &Op, d: usize, row: &Expr, q: Expr) -> Lowered<()> {
    if !needs_indices(b, op) {
        return define_point(b, op, q, int(0), int(1));
    }
    b.set_index(q.clone());
    define_in_row(b, op, d, row.clone(), q)
}
