//! Which rounds a sort takes: the digits of all keys, counted in one reading, and what follows from the counts.
//!
//! ```text
//! keys  0x0012 0x0017 0x0022      round 0: digits 12 17 22   begin at 0 1 2      from the keys to the result
//!                                 round 1: digit 00 only     no round
//! ```
//!
//! Blocks count in shared memory, as histograms do ([`super::super::hist`]). The plan of a round is a word: 0, or 1 and the sum of
//! [`FROM_KEYS`] where it is the first and [`TO_RESULT`] where an even number of rounds comes after it. If no digit differs, the first
//! round moves everything to where it is already: into the result.

use super::super::block::{Combine, is_first};
use super::{DIGITS, Sort};
use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{
    add, and, ceil_quot, convert, eq, int, local, lt, min, mul, not, or, select, sub, truth,
};
use crate::lower::kernels::gpu::hist::blocks_for;
use crate::lower::kernels::gpu::map::LIGHT_ITEMS;
use crate::lower::kernels::gpu::tiles::Cut;
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::hint;
use crate::lower::kernels::points;
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::kernel::{Expr, Stmt};
use terrace_plan::host::HostExpr;

/// The round reads the keys, not what the round before it has written.
pub(super) const FROM_KEYS: i64 = 2;
/// The round writes the result; others write beside it.
pub(super) const TO_RESULT: i64 = 4;

impl Sort<'_> {
    /// Counts the digits of all rounds.
    pub(super) fn count(&self, host: &mut Host<'_>, bind: ValueId, points: &HostExpr, span: Span) -> Lowered<()> {
        let cut = Cut::new(host, LIGHT_ITEMS);
        let blocks = blocks_for(host, points.clone(), cut);
        let name = host.kernel_name("digits", &[bind]);
        let mut b = Builder::new(host, &name, cut.block as u32, span);
        let all = self.rounds * DIGITS;
        let counts = b.array("counts", ScalarType::U32, all as usize, true);
        let one = Expr::Const(Scalar::U32(1));
        b.for_("q", Expr::Thread, int(all), int(cut.block), false, |b, q| {
            b.emit(Stmt::SetElement(counts, q, Expr::Const(Scalar::U32(0))));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        let n = points::count(&mut b, self.op, 1)?;
        let step = Expr::Param(b.scalar("blocks", ScalarType::I64, HostExpr::Slot(blocks)));
        let tiles = b.let_("tiles", ScalarType::I64, ceil_quot(n.clone(), cut.size()));
        let keys = b.array("keys", self.carried, cut.items as usize, false);
        b.for_("tile", Expr::Tile, tiles, step, false, |b, tile| {
            let base = b.let_("base", ScalarType::I64, add(mul(tile, int(cut.size())), Expr::Thread));
            let at = |item: Expr| add(base.clone(), mul(item, int(cut.block)));
            let last = b.let_("last", ScalarType::I64, sub(n.clone(), int(1)));
            b.for_("item", int(0), int(cut.items), int(1), true, |b, item| {
                let q = b.let_("q", ScalarType::I64, min(at(item.clone()), last));
                self.first_key(b, q, |b, key| {
                    b.emit(Stmt::SetElement(keys, item, key));
                    Ok(())
                })
            })?;
            b.for_("item", int(0), int(cut.items), int(1), true, |b, item| {
                b.when(lt(at(item.clone()), n), |b| {
                    for round in 0..self.rounds {
                        let key = Expr::Element(keys, Box::new(item.clone()));
                        let digit = self.digit(key, Expr::Const(self.shift(round)));
                        let at = add(convert(ScalarType::I64, digit), int(round * DIGITS));
                        b.emit(Stmt::AtomicElement { operator: BinOp::Add, array: counts, at, value: one.clone() });
                    }
                    Ok(())
                })
            })
        })?;
        b.emit(Stmt::Barrier);
        let totals = b.scratch(self.counts);
        b.for_("q", Expr::Thread, int(all), int(cut.block), false, |b, q| {
            let count = convert(ScalarType::I64, Expr::Element(counts, Box::new(q.clone())));
            let count = b.let_("count", ScalarType::I64, count);
            b.when(not(eq(count.clone(), int(0))), |b| {
                b.emit(Stmt::Atomic { operator: BinOp::Add, buffer: totals, at: q, value: count });
                Ok(())
            })
        })?;
        let finished = b.finish();
        host.launch(finished, vec![HostExpr::Slot(blocks)]);
        Ok(())
    }

    /// From counts to where digits begin, and to what each round does.
    pub(super) fn plan(&self, host: &mut Host<'_>, bind: ValueId, span: Span) -> Lowered<()> {
        let name = host.kernel_name("rounds", &[bind]);
        let (block, each) = (self.shape.block, self.shape.digits());
        let mut b = Builder::new(host, &name, block as u32, span);
        let n = points::count(&mut b, self.op, 1)?;
        let (counts, plan) = (b.input(self.counts), b.output(self.plan));
        let same = b.array("same", ScalarType::Bool, self.rounds as usize, true);
        let sums = Combine::counts();
        for round in 0..self.rounds {
            b.when(is_first(), |b| {
                b.emit(Stmt::SetElement(same, int(round), truth(false)));
                Ok(())
            })?;
            b.emit(Stmt::Barrier);
            let first = add(mul(Expr::Thread, int(each)), int(round * DIGITS));
            let first = b.let_("first", ScalarType::I64, first);
            let count = |m: Expr| Expr::Load(counts, Box::new(add(first.clone(), m)));
            let own = sums.start(&mut b, "own", false);
            b.for_("m", int(0), int(each), int(1), true, |b, m| {
                let count = b.let_("count", ScalarType::I64, count(m));
                b.when(eq(count.clone(), n.clone()), |b| {
                    b.emit(Stmt::SetElement(same, int(round), truth(true)));
                    Ok(())
                })?;
                sums.push(b, &own.values, &[count])
            })?;
            let (before, _) = sums.scan(&mut b, &own, block)?;
            b.for_("m", int(0), int(each), int(1), true, |b, m| {
                b.emit(Stmt::Store(plan, add(first.clone(), m.clone()), local(before.values[0])));
                sums.push(b, &before.values, &[count(m)])
            })?;
            b.emit(Stmt::Barrier);
        }
        b.when(is_first(), |b| {
            let same = |round: i64| Expr::Element(same, Box::new(int(round)));
            let all = (0..self.rounds).fold(truth(true), |all, round| and(all, same(round)));
            let all = b.let_("all_same", ScalarType::Bool, all);
            let needed = |round: i64| {
                if round == 0 { or(not(same(0)), all.clone()) } else { not(same(round)) }
            };
            // From the last round to the first: whether an even number of rounds comes afterwards, and whether there is one before.
            let even = b.var("even", ScalarType::Bool, truth(true));
            for round in (0..self.rounds).rev() {
                let earlier = (0..round).fold(truth(false), |any, r| or(any, needed(r)));
                let what = add(
                    int(1),
                    add(select(earlier, int(0), int(FROM_KEYS)), select(local(even), int(TO_RESULT), int(0))),
                );
                b.if_(
                    needed(round),
                    |b| {
                        b.emit(Stmt::Store(plan, int(self.rounds * DIGITS + round), what));
                        b.set(even, not(local(even)));
                        Ok(())
                    },
                    |b| {
                        b.emit(Stmt::Store(plan, int(self.rounds * DIGITS + round), int(0)));
                        Ok(())
                    },
                )?;
            }
            Ok(())
        })?;
        let finished = b.finish();
        host.launch(finished, vec![hint(1)]);
        Ok(())
    }
}
