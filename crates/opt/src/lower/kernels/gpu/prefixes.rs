//! Prefixes of a tile that stays in registers: the scan of whole arrays and of equally long rows.
//!
//! ```text
//! 1. each lane scans its own strip                       3 1 4 1 -> 3 4 8 9
//! 2. the lanes of a row of strips scan their totals      shuffles: five per 128 elements
//! 3. rows of a warp are added up in order, then warps
//! 4. look-back gives what came before the tile
//! 5. element = (before the tile + warps before) + ((rows before + lanes before) + own prefix)
//! ```
//!
//! Equally long rows need no marks: the *column* of an element, which is its distance from the start of its row, says what it may be
//! joined with. Lane `l` takes the total of lane `l - d` if the column of its last element is at least `d` strips; an element
//! takes what was before its warp if it lies before the first row start in the warp. Rows that fill tiles exactly are never looked back for.
//!
//! The order in which elements are combined is fixed by the shape of tiles and the position. Declined, and left to
//! [`super::scan`]: rows of different lengths, bodies that are not plain, operators that are long or can fail.

use super::super::body::is_scalar;
use super::super::build::Builder;
use super::super::expr::{
    add, and, binary, convert, eq, ge, int, local, lt, max, min, mul, not, or, quot, select, sub, truth,
};
use super::super::host::Host;
use super::super::host_expr::{hceil_div, hint, hmax};
use super::super::sequential::store_all;
use super::super::{Lowered, points};
use super::block::{Combine, Partial, WARP, is_first, lane, warp};
use super::items::{is_plain, plus, small};
use super::look_back::{LookBack, Mail};
use super::strips::{Strips, is_regular};
use super::tiles::define_point;
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Descriptor, Op, Operator, ScanForm};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Shuffle, Stmt};
use terrace_plan::Target;

/// Threads of a block, and blocks that a multiprocessor holds.
const BLOCK: i64 = 256;
const RESIDENT: u32 = 2;
/// Bytes of elements that a thread holds: most of its registers.
const BYTES: usize = 320;
/// Statements up to which an operator is repeated for each element.
const SHORT: usize = 12;
/// More than any tile has.
const FAR: i64 = 1 << 29;

/// Whether a scan can be done in registers.
pub fn is_possible(host: &Host<'_>, op: &Op, operator: &Operator) -> bool {
    host.device == Target::Cuda
        && is_regular(op)
        && is_plain(&op.body)
        && operator.body.stmts.len() <= SHORT
        && operator.body.stmts.iter().all(|s| is_scalar(&s.expr))
}

/// Emits the launch of a scan.
pub fn lower(
    host: &mut Host<'_>,
    op: &Op,
    binds: &[ValueId],
    (operator, neutral, form): (&Operator, &[terrace_ir::Atom], ScanForm),
    span: Span,
) -> Lowered<()> {
    let types: Vec<ScalarType> =
        binds.iter().map(|v| host.function.values[*v].ty.elem().unwrap_or(ScalarType::I64)).collect();
    let bytes: usize = types.iter().map(|ty| ty.size_bytes()).sum();
    let strips = match host.tiles.gpu_block {
        0..256 => Strips::new(host, op, host.tiles.gpu_block.max(32) as i64, host.tiles.gpu_items as i64, &types),
        _ => Strips::new(host, op, BLOCK, (BYTES / bytes.max(4)) as i64, &types),
    };
    let count = host.points(op, binds)?;
    let tiles = hmax(hceil_div(count, strips.size() as usize), hint(1));
    let mail = Mail::new(host, &types, &tiles, span);

    let name = host.kernel_name("scan", binds);
    let mut b = Builder::new(host, &name, strips.block as u32, span);
    if strips.block == BLOCK {
        b.want_resident(RESIDENT);
    }
    let combine = Combine::of(&mut b, operator, neutral)?;
    let look = LookBack::new(&mut b, &mail);
    let length = row_length(&mut b, op)?;
    let cross = length.as_ref().map_or(truth(true), |m| {
        let whole = mul(quot(int(strips.size()), m.clone()), m.clone());
        b.let_("cross", ScalarType::Bool, lt(whole, int(strips.size())))
    });
    let number = b.var("tile", ScalarType::I64, Expr::Tile);
    b.when(cross.clone(), |b| {
        let ticket = look.ticket(b)?;
        b.set(number, ticket);
        Ok(())
    })?;
    let number = local(number);
    let count = points::count(&mut b, op, op.space.len())?;
    let count = b.let_("n", ScalarType::I64, count);
    let used = quot(add(count.clone(), int(strips.size() - 1)), int(strips.size()));
    let used = b.let_("used", ScalarType::I64, max(used, int(1)));
    b.when(lt(number.clone(), used.clone()), |b| {
        b.set_index(count.clone());
        let base = b.let_("base", ScalarType::I64, mul(number.clone(), int(strips.size())));
        let left = min(sub(count.clone(), base.clone()), int(strips.size()));
        let left = b.let_("here", ScalarType::I64, left);
        let rows = length.map(|m| Rows::new(b, m, strips, &base));
        let own = strips.own(b);
        let prefixes = Prefixes { strips, combine: &combine, rows, offsets: form == ScanForm::Offsets, own };
        let arrays = prefixes.load(b, op, (&base, &left), &types)?;
        let (before, total) = prefixes.of_tile(b, &arrays)?;
        let earlier = combine.start(b, "earlier", false);
        let needed = prefixes.rows.as_ref().map_or(lt(int(0), number.clone()), |r| r.continues.clone());
        let needed = b.let_("needed", ScalarType::Bool, needed);
        let got = combine.shared(b, "earlier", 1, false);
        b.when(cross, |b| {
            look.announce(b, &number, &total)?;
            let found = look.before(b, &combine, &number, &total, &needed)?;
            b.when(is_first(), |b| {
                got.set(b, int(0), &found.exprs(), truth(false));
                Ok(())
            })?;
            b.emit(Stmt::Barrier);
            combine.assign(b, &earlier.values, got.get(int(0)).0);
            Ok(())
        })?;
        let start = combine.vars(b, "start", &before.exprs());
        b.when(and(needed.clone(), not(before.is_closed())), |b| combine.push_front(b, &earlier.exprs(), &start))?;
        prefixes.finish(b, &arrays, &start, &or(needed.clone(), lt(int(WARP - 1), Expr::Thread)))?;
        strips.store(b, &prefixes.own, (&base, &left), &arrays, binds)?;
        if form != ScanForm::Offsets {
            return Ok(());
        }
        b.when(and(is_first(), eq(add(number, int(1)), used)), |b| {
            let all = combine.vars(b, "all", &total.exprs());
            b.when(needed, |b| combine.push_front(b, &earlier.exprs(), &all))?;
            store_all(b, binds, count.clone(), all.into_iter().map(local).collect())
        })
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

/// What has to be known of equally long rows. Columns and lengths are `i32`; where rows are longer than that, they are
/// cut down so that all comparisons within a tile come out the same.
struct Rows {
    /// The length of a row.
    length: Expr,
    /// The column of the thread's first element.
    column: Expr,
    /// How far columns move from a strip of the thread to the next one.
    hop: Expr,
    /// The place in the warp of its first row start, or more than it has.
    first_start: Expr,
    /// Whether the tile begins inside a row.
    continues: Expr,
}

impl Rows {
    fn new(b: &mut Builder<'_>, m: Expr, strips: Strips, base: &Expr) -> Rows {
        let rem = |b: &mut Builder<'_>, name: &str, q: Expr| {
            let q = b.let_("q", ScalarType::I64, q);
            b.let_(name, ScalarType::I64, sub(q.clone(), mul(quot(q, m.clone()), m.clone())))
        };
        let at_warp = mul(quot(Expr::Thread, int(WARP)), int(strips.of_warp()));
        let base_column = rem(b, "base_column", base.clone());
        let warp_column = rem(b, "warp_column", add(base_column.clone(), at_warp));
        let at_lane = mul(and(Expr::Thread, int(WARP - 1)), int(strips.wide));
        let column = rem(b, "column", add(warp_column.clone(), at_lane));
        let near = b.let_("near", ScalarType::I64, min(m.clone(), int(2 * FAR)));
        let short = |e: Expr| convert(ScalarType::I32, e);
        let clipped = max(min(column.clone(), int(FAR)), sub(near.clone(), sub(m.clone(), column)));
        let first = select(eq(warp_column.clone(), int(0)), int(0), min(sub(m.clone(), warp_column), int(FAR)));
        let hop = rem(b, "hop", int((WARP - 1) * strips.wide));
        Rows {
            column: b.let_("col", ScalarType::I32, short(clipped)),
            hop: b.let_("step", ScalarType::I32, short(hop)),
            first_start: b.let_("first_start", ScalarType::I32, short(first)),
            length: b.let_("length", ScalarType::I32, short(near)),
            continues: not(eq(base_column, int(0))),
        }
    }
}

/// The length of rows, if there are any; at least 1.
fn row_length(b: &mut Builder<'_>, op: &Op) -> Lowered<Option<Expr>> {
    let Some(Descriptor::Regular(m)) = op.space.last().filter(|_| op.space.len() > 1) else { return Ok(None) };
    let m = points::integer(b, m)?;
    Ok(Some(b.let_("m", ScalarType::I64, max(m, int(1)))))
}

struct Prefixes<'a> {
    strips: Strips,
    combine: &'a Combine<'a>,
    rows: Option<Rows>,
    offsets: bool,
    own: Expr,
}

impl Prefixes<'_> {
    /// The elements of the thread, in registers.
    fn load(&self, b: &mut Builder<'_>, op: &Op, range: (&Expr, &Expr), types: &[ScalarType]) -> Lowered<Vec<ArrayId>> {
        let arrays: Vec<ArrayId> =
            types.iter().map(|ty| b.array("x", *ty, self.strips.items() as usize, false)).collect();
        let neutral = &self.combine.neutral;
        self.strips.compute(
            b,
            op,
            &self.own,
            range,
            |b, q| define_point(b, op, q, int(0), int(1)),
            |b, element, results| {
                for ((array, e), n) in arrays.iter().zip(results).zip(neutral) {
                    b.emit(Stmt::SetElement(*array, element.index.clone(), select(element.ok.clone(), e, n.clone())));
                }
                Ok(())
            },
            |b, index| {
                for (array, n) in arrays.iter().zip(neutral) {
                    b.emit(Stmt::SetElement(*array, index.clone(), n.clone()));
                }
                Ok(())
            },
        )?;
        Ok(arrays)
    }

    /// Prefixes within the warp; what the warps before join to, and what all of them do.
    fn of_tile(&self, b: &mut Builder<'_>, arrays: &[ArrayId]) -> Lowered<(Partial, Partial)> {
        let (combine, wide) = (self.combine, self.strips.wide);
        let (lane, warp) = (lane(b), warp(b));
        let whole = combine.start(b, "rows_before", false);
        let column = self.rows.as_ref().map(|r| b.var("column", ScalarType::I32, r.column.clone()));
        b.for_("row", int(0), int(self.strips.rows), int(1), true, |b, row| {
            let at = |k: i64| add(mul(row.clone(), int(wide)), int(k));
            let x = |k: i64| -> Vec<Expr> { arrays.iter().map(|a| Expr::Element(*a, Box::new(at(k)))).collect() };
            let put = |b: &mut Builder<'_>, k: i64, values: Vec<Expr>| {
                for (a, e) in arrays.iter().zip(values) {
                    b.emit(Stmt::SetElement(*a, at(k), e));
                }
            };
            let (starts, first_column, last_column) = self.starts(b, column);
            let s = if self.offsets {
                let acc = combine.vars(b, "acc", &combine.neutral);
                for k in 0..wide {
                    let own = combine.vars(b, "own", &x(k));
                    put(b, k, acc.iter().copied().map(local).collect());
                    combine.push(b, &acc, &own.into_iter().map(local).collect::<Vec<_>>())?;
                }
                acc
            } else {
                let acc = combine.vars(b, "acc", &x(0));
                for k in 1..wide {
                    let own: Vec<Expr> = combine.vars(b, "own", &x(k)).into_iter().map(local).collect();
                    let left: Vec<Expr> = acc.iter().copied().map(local).collect();
                    let mut joined = combine.apply(b, &left, &own)?;
                    if let Some(start) = starts.get(k as usize) {
                        let pairs = joined.into_iter().zip(own);
                        joined = pairs.map(|(both, alone)| select(start.clone(), alone, both)).collect();
                    }
                    combine.assign(b, &acc, joined);
                    put(b, k, acc.iter().copied().map(local).collect());
                }
                acc
            };
            // What a lane can be joined with: so many lanes before it.
            let reach = match &last_column {
                Some(c) => {
                    let strips = binary(BinOp::Shr, c.clone(), small(wide.ilog2() as i32));
                    min(convert(ScalarType::I64, strips), lane.clone())
                }
                None => lane.clone(),
            };
            let reach = b.let_("reach", ScalarType::I64, reach);
            let upto = Partial { values: s, closed: None };
            for by in [1, 2, 4, 8, 16] {
                let other = combine.shuffle(b, Shuffle::Up, &upto, int(by));
                b.when(ge(reach.clone(), int(by)), |b| combine.push_front(b, &other.exprs(), &upto.values))?;
            }
            let before = combine.shuffle(b, Shuffle::Up, &upto, int(1));
            let all = combine.shuffle(b, Shuffle::Lane, &upto, int(WARP - 1));
            let joined = combine.vars(b, "before", &before.exprs());
            b.if_(
                eq(lane.clone(), int(0)),
                |b| {
                    combine.assign(b, &joined, whole.exprs());
                    Ok(())
                },
                |b| {
                    // The row of strips before is part of the same row of elements up to here.
                    let far = match &first_column {
                        Some(c) => lt(times(&lane, wide), c.clone()),
                        None => truth(true),
                    };
                    b.when(far, |b| combine.push_front(b, &whole.exprs(), &joined))
                },
            )?;
            let open = b.var("open", ScalarType::Bool, truth(true));
            for k in 0..wide {
                if let Some(start) = starts.get(k as usize) {
                    b.set(open, and(local(open), not(start.clone())));
                }
                let value = combine.vars(b, "value", &x(k));
                let exprs: Vec<Expr> = joined.iter().copied().map(local).collect();
                if self.rows.is_some() {
                    b.when(local(open), |b| combine.push_front(b, &exprs, &value))?;
                } else {
                    combine.push_front(b, &exprs, &value)?;
                }
                put(b, k, value.into_iter().map(local).collect());
            }
            match last_column {
                Some(c) => {
                    let c = Expr::Shuffle(Shuffle::Lane, Box::new(c), Box::new(int(WARP - 1)));
                    let c = b.let_("end_column", ScalarType::I32, c);
                    b.if_(
                        ge(c, small((WARP * wide) as i32)),
                        |b| combine.join(b, &whole.values, &all.exprs()),
                        |b| {
                            combine.assign(b, &whole.values, all.exprs());
                            Ok(())
                        },
                    )
                }
                None => combine.join(b, &whole.values, &all.exprs()),
            }
        })?;
        self.of_warps(b, &whole, (&lane, &warp))
    }

    /// Whether each element of a strip starts a row, and the columns of first and last; moves the column to the next strip.
    fn starts(&self, b: &mut Builder<'_>, column: Option<LocalId>) -> (Vec<Expr>, Option<Expr>, Option<Expr>) {
        let (Some(rows), Some(column)) = (&self.rows, column) else { return (Vec::new(), None, None) };
        let mut starts = Vec::new();
        let first = local(b.var("c", ScalarType::I32, local(column)));
        let mut c = first.clone();
        for k in 0..self.strips.wide {
            if k > 0 {
                let next = b.let_("next", ScalarType::I32, plus(c, small(1)));
                let wraps = eq(next.clone(), rows.length.clone());
                c = b.let_("c", ScalarType::I32, select(wraps, small(0), next));
            }
            starts.push(b.let_("starts", ScalarType::Bool, eq(c.clone(), small(0))));
        }
        let next = plus(plus(c.clone(), small(1)), rows.hop.clone());
        let next = b.let_("next", ScalarType::I32, next);
        let wrapped = binary(BinOp::Sub, next.clone(), rows.length.clone());
        b.set(column, select(lt(next.clone(), rows.length.clone()), next, wrapped));
        (starts, Some(first), Some(c))
    }

    fn of_warps(
        &self,
        b: &mut Builder<'_>,
        whole: &Partial,
        (lane, warp): (&Expr, &Expr),
    ) -> Lowered<(Partial, Partial)> {
        let (combine, has_rows) = (self.combine, self.rows.is_some());
        let ended = self.rows.as_ref().map(|r| lt(r.first_start.clone(), small(self.strips.of_warp() as i32)));
        let warps = self.strips.block / WARP;
        let before = combine.start(b, "warps_before", has_rows);
        let total = combine.start(b, "total", has_rows);
        if warps == 1 {
            combine.assign(b, &total.values, whole.exprs());
            if let (Some(c), Some(ended)) = (total.closed, ended) {
                b.set(c, ended);
            }
            return Ok((before, total));
        }
        let words = combine.shared(b, "of_warp", warps, has_rows);
        b.when(eq(lane.clone(), int(0)), |b| {
            words.set(b, warp.clone(), &whole.exprs(), ended.unwrap_or_else(|| truth(false)));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        b.for_("w", int(0), int(warps), int(1), true, |b, w| {
            b.when(eq(w.clone(), warp.clone()), |b| {
                combine.assign(b, &before.values, total.exprs());
                if let (Some(c), Some(t)) = (before.closed, total.closed) {
                    b.set(c, local(t));
                }
                Ok(())
            })?;
            let (values, closed) = words.get(w);
            combine.append(b, &total, &values, closed)
        })?;
        Ok((before, total))
    }

    /// Joins what came before the warp to its elements, up to the first row start; nothing where `some` says so.
    fn finish(&self, b: &mut Builder<'_>, arrays: &[ArrayId], start: &[LocalId], some: &Expr) -> Lowered<()> {
        let start: Vec<Expr> = start.iter().copied().map(local).collect();
        let in_warp = mul(quot(Expr::Thread, int(WARP)), int(self.strips.of_warp()));
        let in_warp = b.let_("warp_at", ScalarType::I32, convert(ScalarType::I32, in_warp));
        b.when(some.clone(), |b| {
            self.strips.each(b, &self.own, |b, _, index, slot| {
                let value: Vec<Expr> = arrays.iter().map(|a| Expr::Element(*a, Box::new(index.clone()))).collect();
                let value = self.combine.vars(b, "value", &value);
                match &self.rows {
                    Some(rows) => {
                        let at = binary(BinOp::Sub, slot, in_warp.clone());
                        b.when(lt(at, rows.first_start.clone()), |b| self.combine.push_front(b, &start, &value))?;
                    }
                    None => self.combine.push_front(b, &start, &value)?,
                }
                for (a, v) in arrays.iter().zip(value) {
                    b.emit(Stmt::SetElement(*a, index.clone(), local(v)));
                }
                Ok(())
            })
        })
    }
}

fn times(lane: &Expr, wide: i64) -> Expr {
    convert(ScalarType::I32, mul(lane.clone(), int(wide)))
}
