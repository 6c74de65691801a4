//! Long columns: rows that lie across memory, cut into blocks that threads share.
//!
//! ```text
//! reduce grid [m][n] (i, j | p, q) { x[j * m + i] }         m sums over the columns of a matrix of n rows
//!
//! matrix       i: 64 columns     64 more
//! 4096 rows    tile 0            tile 1        a tile reads its rows one after the other, neighbouring columns as vectors,
//! 4096 rows    tile 2            tile 3        and leaves what its part of each column combines to
//! …                                            then: what the parts of a column combine to, from above
//! ```
//!
//! So the matrix is read once, as it lies. One column after the other would take a line of the cache for every element. The blocks, and the order in a
//! block, are those of every reduction ([`crate::lower::kernels::reduce`]): the bits do not depend on who is beside whom.
//!
//! A thread that runs a whole point by itself has nobody to share with: it takes its columns side by side, too, each from its first element to its last.
//!
//! Declined: what [`super::neighbours`] declines; reductions that read nothing across; sizes that are on the device; and, when the program runs, columns that are few
//! or short, which are left to [`super::reduce`].

use super::neighbours::{Neighbours, lies_across};
use super::reduce::by_rows;
use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, and, binary, ceil_quot, int, le, local, lt, min, mul, quot, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hceil_div, hint, hmul};
use crate::lower::kernels::points::{count, for_run, for_runs, integer, row_start};
use crate::lower::kernels::reduce::{Reduction, Row};
use crate::lower::kernels::sequential::store_all;
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::flat::{Descriptor, Op};
use terrace_ir::kernel::{Expr, Stmt};
use terrace_ir::{Atom, ValueId};
use terrace_plan::host::{HostExpr, HostStmt};

/// Columns of a tile.
const COLUMNS: usize = 64;

/// Fewer columns than this, side by side, fill no vector.
const LEAST: usize = 8;

/// Launches the reduction, by columns where they are many and long enough; no if its columns cannot be read side by side.
pub(super) fn reduce(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<bool> {
    let (Some(lengths), true) = (known_lengths(host, op), lies_across(op)) else { return Ok(false) };
    let [above @ .., length] = lengths.as_slice() else { return Ok(false) };
    let Some(beside) = above.last().cloned() else { return Ok(false) };
    let (block, tile) = (host.tiles.cpu_reduce_block, host.tiles.cpu_tile);
    let (columns, least) = if tile < COLUMNS { (2, [2, 2]) } else { (COLUMNS, [LEAST, tile / COLUMNS]) };
    let rows = above.iter().cloned().fold(hint(1), hmul);
    let cut = Cut {
        op,
        binds,
        columns: columns as i64,
        block: block as i64,
        blocks: hceil_div(length.clone(), block),
        groups: hceil_div(rows.clone(), columns),
        rows,
    };
    let before = (host.names.clone(), host.slots.len());
    let mut fits = false;
    let then = host.nested(|host| {
        fits = cut.launch(host, span)?;
        Ok(())
    })?;
    if !fits {
        host.names = before.0;
        host.slots.truncate(before.1);
        return Ok(false);
    }
    let otherwise = host.nested(|host| by_rows(host, op, binds, span))?;
    let compare = |op: BinOp, a: HostExpr, b: HostExpr| HostExpr::Binary(op, Box::new(a), Box::new(b));
    let [many, long] =
        [(beside, least[0]), (length.clone(), least[1])].map(|(n, least)| compare(BinOp::Le, hint(least as i64), n));
    host.emit(HostStmt::If { cond: compare(BinOp::And, many, long), then, otherwise });
    Ok(true)
}

/// The same where one thread does all of it: columns side by side, and nothing is cut.
pub(super) fn reduce_alone(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<bool> {
    let regular = op.space.iter().all(|d| matches!(d, Descriptor::Regular(_)));
    let (Some(reduction), [_, .., Descriptor::Regular(length)], true) =
        (Reduction::of(op, None, true), op.space.as_slice(), regular && lies_across(op))
    else {
        return Ok(false);
    };
    let (columns, least) = if host.tiles.cpu_tile < COLUMNS { (2, 2) } else { (COLUMNS, LEAST) };
    let names = host.names.clone();
    let name = host.kernel_name("thread", binds);
    let mut b = Builder::new(host, &name, 1, span);
    let length = integer(&mut b, length)?;
    let mut fits = false;
    if let Some(neighbours) = Neighbours::of_columns(&mut b, op, &reduction, &length, columns as i64) {
        let d = op.space.len() - 1;
        let rows = count(&mut b, op, d)?;
        for_runs(&mut b, op, d, int(0), rows, |b, run| {
            let together = neighbours.together(b, run, &|b, p, value| store_all(b, binds, p, vec![value]))?;
            let Some(together) = together else { return Ok(()) };
            fits = true;
            let alone = b.nested(|b| {
                for_run(b, op, run, |b, parent| {
                    let start = row_start(b, op, d, parent)?;
                    let row = Row { parent: parent.clone(), start };
                    let total = reduction.row(b, &row, length.clone())?;
                    store_all(b, binds, parent.positions[d - 1].clone(), total)
                })
            })?;
            let many = le(int(least as i64), sub(run.to.clone(), run.from.clone()));
            b.emit(Stmt::If(and(lt(int(0), length), many), together, alone));
            Ok(())
        })?;
    }
    let finished = b.finish();
    if fits {
        host.launch(finished, vec![hint(1)]);
    } else {
        host.names = names;
    }
    Ok(fits)
}

struct Cut<'o> {
    op: &'o Op,
    binds: &'o [ValueId],
    /// Columns of a tile.
    columns: i64,
    /// Elements of a column in a tile.
    block: i64,
    /// Blocks of a column.
    blocks: HostExpr,
    /// Groups of columns.
    groups: HostExpr,
    /// All columns.
    rows: HostExpr,
}

impl Cut<'_> {
    fn launch(&self, host: &mut Host<'_>, span: Span) -> Lowered<bool> {
        let Some(reduction) = Reduction::of(self.op, None, true) else { return Ok(false) };
        let ([neutral], Some(operator)) = (reduction.neutral, reduction.operator.as_binary()) else {
            return Ok(false);
        };
        let Some(Descriptor::Regular(length)) = self.op.space.last() else { return Ok(false) };
        let ty = host.atom_type(neutral);
        let parts = host.scratch("parts", ty, hmul(self.blocks.clone(), self.rows.clone()), span);
        let name = host.kernel_name("reduce", self.binds);
        let mut b = Builder::new(host, &name, 1, span);
        let size = b.atom(length)?;
        let Some(neighbours) = Neighbours::of_columns(&mut b, self.op, &reduction, &size, self.columns) else {
            return Ok(false);
        };
        let d = self.op.space.len() - 1;
        let rows = count(&mut b, self.op, d)?;
        let across = b.let_("across", ScalarType::I64, ceil_quot(rows.clone(), self.columns));
        let down = b.let_("down", ScalarType::I64, quot(Expr::Tile, across.clone()));
        let right = b.let_("right", ScalarType::I64, sub(Expr::Tile, mul(down.clone(), across)));
        let (lo, hi) = self.range(&mut b, right, &rows);
        let from = b.let_("from", ScalarType::I64, mul(down.clone(), int(self.block)));
        let to = b.let_("to", ScalarType::I64, min(add(from.clone(), int(self.block)), size));
        let kept = b.scratch(parts);
        let first = b.let_("place", ScalarType::I64, mul(down, rows));
        let mut fits = true;
        for_runs(&mut b, self.op, d, lo, hi, |b, run| {
            let store = |b: &mut Builder<'_>, p: Expr, value: Expr| {
                b.emit(Stmt::Store(kept, add(first.clone(), p), value));
                Ok(())
            };
            let found = neighbours.parts(b, run, (from, to), &store)?;
            fits = found.is_some();
            found.into_iter().flatten().for_each(|s| b.emit(s));
            Ok(())
        })?;
        if !fits {
            return Ok(false);
        }
        b.next_phase();
        let rows = count(&mut b, self.op, d)?;
        let (lo, hi) = self.range(&mut b, Expr::Tile, &rows);
        let size = b.atom(length)?;
        let blocks = b.let_("blocks", ScalarType::I64, ceil_quot(size, self.block));
        let neutral = b.atom(neutral)?;
        b.for_("p", lo, hi, int(1), false, |b, p| {
            let total = b.var("total", ty, neutral);
            b.for_("k", int(0), blocks, int(1), false, |b, k| {
                let part = Expr::Load(kept, Box::new(add(mul(k, rows), p.clone())));
                b.set(total, binary(operator, local(total), part));
                Ok(())
            })?;
            store_all(b, self.binds, p, vec![local(total)])
        })?;
        let finished = b.finish();
        host.launch(finished, vec![hmul(self.blocks.clone(), self.groups.clone()), self.groups.clone()]);
        Ok(true)
    }

    /// The positions of a group of columns.
    fn range(&self, b: &mut Builder<'_>, group: Expr, rows: &Expr) -> (Expr, Expr) {
        let lo = b.let_("lo", ScalarType::I64, mul(group, int(self.columns)));
        let hi = b.let_("hi", ScalarType::I64, min(add(lo.clone(), int(self.columns)), rows.clone()));
        (lo, hi)
    }
}

/// The lengths of all dimensions, where the host knows them already.
fn known_lengths(host: &Host<'_>, op: &Op) -> Option<Vec<HostExpr>> {
    let known = |d: &Descriptor| match d {
        Descriptor::Regular(Atom::Const(c)) => Some(hint(c.as_i64()?)),
        Descriptor::Regular(Atom::Var(v)) if host.function.values[*v].ty.elem() == Some(ScalarType::I64) => {
            Some(HostExpr::Slot(host.home(*v)?.host?))
        }
        _ => None,
    };
    let lengths: Vec<HostExpr> = op.space.iter().map(known).collect::<Option<_>>()?;
    (lengths.len() > 1).then_some(lengths)
}
