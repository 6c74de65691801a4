//! Reduction along the last dimension of a space with rows, in one kernel, whatever the rows look like.
//!
//! Tiles are cut from the merged list of elements and row ends ([`super::tiles`]). A thread walks its run of the list: elements are
//! combined, and at a row end the value belongs to that row. Only two values are not finished there: the first row that ends
//! in the run, which may have begun before it, and what is left open at the end of the run.
//!
//! ```text
//! run of a thread      3 4 | 5 | 6        first row: 7 + what came before; the next row: 5, stored; open: 6
//! before, in the tile  a scan of the open parts of all threads that stops at row ends
//! before the tile      look-back over earlier tiles, only if the tile's first row began there
//! ```
//!
//! So a row longer than many tiles is the work of many blocks, and each row is written exactly once: by the thread at its
//! end. A tile without any row end is a plain sum, if the operator commutes: no run, no shared memory. Empty rows are row ends without elements, and cost what an element costs. A masked point counts as the neutral
//! element.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{and, int, local, not, select, truth};
use super::super::host::Host;
use super::super::sequential::store_all;
use super::block::{Combine, Partial, is_first};
use super::look_back::{LookBack, Mail};
use super::reduce::take;
use super::tiles::{Cut, Tile};
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Op, Operator};
use terrace_ir::kernel::{ArrayId, Expr, Stmt};

/// Emits the launch of a reduction of rows.
pub fn lower(
    host: &mut Host<'_>,
    op: &Op,
    binds: &[ValueId],
    (operator, neutral, masked): (&Operator, &[terrace_ir::Atom], bool),
    span: Span,
) -> Lowered<()> {
    let types: Vec<ScalarType> =
        binds.iter().map(|v| host.function.values[*v].ty.elem().unwrap_or(ScalarType::I64)).collect();
    let cut = Cut::staged(host, op, types.iter().map(|ty| ty.size_bytes()).sum());
    let tiles = cut.tiles(host, op, binds)?;
    let mail = Mail::new(host, &types, &tiles, span);

    let name = host.kernel_name("reduce_rows", binds);
    let mut b = Builder::new(host, &name, cut.block as u32, span);
    let combine = Combine::of(&mut b, operator, neutral)?;
    let look = LookBack::new(&mut b, &mail);
    let number = look.ticket(&mut b)?;
    Tile::enter(&mut b, op, cut, number, |b, tile| {
        let open = combine.start(b, "open", true);
        let Some(ended) = open.closed else { return Ok(()) };
        let first = combine.vars(b, "first", &combine.neutral);
        let first_row = b.var("first_end", ScalarType::I64, int(0));
        let runs = |b: &mut Builder<'_>| {
            let values = stage(b, tile, &combine, masked)?;
            tile.walk(
                b,
                |b, slot| combine.push(b, &open.values, &elements(&values, slot)),
                |b, row| {
                    b.if_(
                        local(ended),
                        |b| store_all(b, binds, row.clone(), open.exprs()),
                        |b| {
                            combine.assign(b, &first, open.exprs());
                            b.set(first_row, row.clone());
                            b.set(ended, truth(true));
                            Ok(())
                        },
                    )?;
                    combine.assign(b, &open.values, combine.neutral.clone());
                    Ok(())
                },
            )
        };
        if combine.commutes() {
            let sum = |b: &mut Builder<'_>, results| take(b, &combine, &open.values, results, masked);
            b.if_(tile.is_in_one_row(), |b| tile.each_in_one_row(b, sum), runs)?;
        } else {
            runs(b)?;
        }
        let (before, total) = combine.scan(b, &open, cut.block)?;
        let needed = b.let_("needed", ScalarType::Bool, and(tile.ends_a_row(), tile.continues.clone()));
        let earlier = exchange(b, &look, &combine, tile, &total, &needed)?;
        b.when(local(ended), |b| {
            combine.push_front(b, &before.exprs(), &first)?;
            b.when(and(needed, not(before.is_closed())), |b| {
                combine.push_front(b, &elements(&earlier, int(0)), &first)
            })?;
            let values = first.iter().copied().map(local).collect();
            store_all(b, binds, local(first_row), values)
        })
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

fn stage(b: &mut Builder<'_>, tile: &Tile<'_>, combine: &Combine<'_>, masked: bool) -> Lowered<Vec<ArrayId>> {
    let neutral = combine.neutral.clone();
    if !masked {
        return tile.stage(b, &combine.types, &neutral, |_, results| results);
    }
    let mut defaults = vec![truth(false)];
    defaults.extend(neutral.iter().cloned());
    tile.stage(b, &combine.types, &defaults, |b, results| {
        let mut results = results.into_iter();
        let keep = results.next().unwrap_or_else(|| truth(false));
        let keep = b.let_("keep", ScalarType::Bool, keep);
        results.zip(&neutral).map(|(e, n)| select(keep.clone(), e, n.clone())).collect()
    })
}

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
