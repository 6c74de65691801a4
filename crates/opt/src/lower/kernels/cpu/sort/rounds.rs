//! The rounds of a sort: counts, places, moves, for the rows that several tiles share.
//!
//! ```text
//! 3 rounds     keys ─▶ result ─▶ spare ─▶ result
//! 4 rounds     keys ─▶ spare ─▶ result ─▶ spare ─▶ result
//! ```
//!
//! Elements go to their places by whole cache lines: each digit has a buffer of one line, and what is in it when it is full is
//! written past the cache. A digit's first line of a tile, and its last, are shared with other tiles and are written element by element.
//!
//! The first round takes keys from where they come; the others go from one buffer to another, which the host exchanges. Where the order is
//! sorted, keys go along, except in the last round.

use super::{Digit, Part, Plan, Sort};
use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, and, convert, eq, int, le, local, lt, max, mul, not, quot, select, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hadd, hint, hmul};
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::SortForm;
use terrace_ir::kernel::{ArrayId, Expr, ParamId, Stmt};
use terrace_plan::host::{HostExpr, HostStmt, SlotId, SlotType};

/// Bytes of a line of the narrowest column that moves.
const LINE_BYTES: i64 = 64;

/// Slots of the host program that are exchanged between rounds.
struct Exchanged {
    from: Side,
    to: Side,
    /// The number of the round.
    round: SlotId,
    /// Whether it is the last one.
    last: SlotId,
}

struct Side {
    /// The result, or scratch memory.
    column: SlotId,
    /// Where it starts.
    offset: SlotId,
    /// Keys that go along.
    keys: Option<SlotId>,
}

impl Sort<'_> {
    pub(super) fn rounds(
        &self,
        host: &mut Host<'_>,
        bind: ValueId,
        tiles: &HostExpr,
        plan: &Plan,
        span: Span,
    ) -> Lowered<()> {
        let counts = host.scratch("counts", ScalarType::I64, hmul(tiles.clone(), hint(2 * self.digits())), span);
        let elem = if self.form == SortForm::Order { ScalarType::I64 } else { self.key };
        let mut side = || Side {
            column: host.new_slot("column", SlotType::Buffer(elem)),
            offset: host.new_slot("offset", SlotType::Host(ScalarType::I64)),
            keys: self.keys.map(|_| host.new_slot("along", SlotType::Buffer(self.key))),
        };
        let (from, to) = (side(), side());
        let round = host.new_slot("round", SlotType::Host(ScalarType::I64));
        let last = host.new_slot("last", SlotType::Host(ScalarType::Bool));
        let slots = Exchanged { from, to, round, last };
        let rounds = HostExpr::Slot(plan.rounds);
        let launches = vec![tiles.clone(), tiles.clone(), tiles.clone()];
        let all = host.nested(|host| {
            self.begin(host, &slots, plan);
            let first = self.round(host, bind, counts, plan, &slots, true, span)?;
            host.launch(first, launches.clone());
            let body = host.nested(|host| {
                self.exchange(host, &slots, plan);
                let next = self.round(host, bind, counts, plan, &slots, false, span)?;
                host.launch(next, launches);
                host.emit(HostStmt::Compute { to: round, expr: hadd(HostExpr::Slot(round), hint(1)) });
                Ok(())
            })?;
            let test = HostExpr::Binary(BinOp::Lt, Box::new(HostExpr::Slot(round)), Box::new(rounds.clone()));
            host.emit(HostStmt::Compute { to: round, expr: hint(1) });
            host.emit(HostStmt::While { cond: Vec::new(), test, body });
            Ok(())
        })?;
        let any = HostExpr::Binary(BinOp::Lt, Box::new(hint(0)), Box::new(rounds));
        host.emit(HostStmt::If { cond: any, then: all, otherwise: Vec::new() });
        Ok(())
    }

    /// The first round goes to the result if the number of rounds is odd.
    fn begin(&self, host: &mut Host<'_>, slots: &Exchanged, plan: &Plan) {
        let half = HostExpr::Binary(BinOp::Rem, Box::new(HostExpr::Slot(plan.rounds)), Box::new(hint(2)));
        let odd = HostExpr::Binary(BinOp::Eq, Box::new(half), Box::new(hint(1)));
        let (to, from) = (&slots.to, &slots.from);
        let ends = |result: &Side, other: &Side| {
            vec![
                HostStmt::Alias { to: result.column, from: self.result.slot },
                HostStmt::Compute { to: result.offset, expr: self.result.offset.clone() },
                HostStmt::Alias { to: other.column, from: self.spare },
                HostStmt::Compute { to: other.offset, expr: hint(0) },
            ]
        };
        host.emit(HostStmt::If { cond: odd, then: ends(to, from), otherwise: ends(from, to) });
        if let (Some([one, other]), Some(a), Some(b)) = (self.keys, to.keys, from.keys) {
            host.emit(HostStmt::Alias { to: a, from: one });
            host.emit(HostStmt::Alias { to: b, from: other });
        }
        let one = HostExpr::Binary(BinOp::Eq, Box::new(HostExpr::Slot(plan.rounds)), Box::new(hint(1)));
        host.emit(HostStmt::Compute { to: slots.last, expr: one });
        host.emit(HostStmt::Compute { to: slots.round, expr: hint(0) });
    }

    /// What was written is read.
    fn exchange(&self, host: &mut Host<'_>, slots: &Exchanged, plan: &Plan) {
        let (from, to) = (&slots.from, &slots.to);
        let mut buffers = vec![(from.column, to.column)];
        buffers.extend(from.keys.zip(to.keys));
        for (a, b) in buffers {
            let ty = host.slot(a).ty;
            let kept = host.new_slot("kept", ty);
            host.emit(HostStmt::Alias { to: kept, from: a });
            host.emit(HostStmt::Alias { to: a, from: b });
            host.emit(HostStmt::Alias { to: b, from: kept });
        }
        let kept = host.new_slot("kept", SlotType::Host(ScalarType::I64));
        host.emit(HostStmt::Compute { to: kept, expr: HostExpr::Slot(from.offset) });
        host.emit(HostStmt::Compute { to: from.offset, expr: HostExpr::Slot(to.offset) });
        host.emit(HostStmt::Compute { to: to.offset, expr: HostExpr::Slot(kept) });
        let after = hadd(HostExpr::Slot(slots.round), hint(1));
        let is_last = HostExpr::Binary(BinOp::Eq, Box::new(after), Box::new(HostExpr::Slot(plan.rounds)));
        host.emit(HostStmt::Compute { to: slots.last, expr: is_last });
    }

    #[allow(clippy::too_many_arguments)]
    fn round(
        &self,
        host: &mut Host<'_>,
        bind: ValueId,
        counts: SlotId,
        plan: &Plan,
        slots: &Exchanged,
        first: bool,
        span: Span,
    ) -> Lowered<crate::lower::kernels::build::Finished> {
        let name = host.kernel_name(if first { "sort_first" } else { "sort_next" }, &[bind]);
        let mut b = Builder::new(host, &name, 1, span);
        let source = Source { sort: self, slots, first };
        let digits = self.digits();
        let digit_of_round = |b: &mut Builder<'_>| {
            let list = b.input(plan.digits);
            let round = Expr::Param(b.scalar("round", ScalarType::I64, HostExpr::Slot(slots.round)));
            let from = b.var("from", ScalarType::I64, Expr::Load(list, Box::new(round)));
            let mask = select(lt(local(from), int(0)), self.number(0), self.number(digits - 1));
            Digit {
                shift: b.let_("shift", self.ordinals(), convert(self.ordinals(), local(from))),
                mask: b.let_("mask", self.ordinals(), mask),
            }
        };
        let all = b.scratch(counts);
        let in_tile = b.array("count", ScalarType::I64, digits as usize, false);
        let by = digit_of_round(&mut b);
        self.cut_rows(&mut b, |b, part| {
            super::rows::clear(b, in_tile, digits)?;
            b.for_("q", part.from.clone(), part.to.clone(), int(1), false, |b, q| {
                source.key(b, part, q, |b, key| {
                    let digit = self.digit(Expr::Ordinal(Box::new(key)), &by);
                    let digit = b.let_("digit", ScalarType::I64, digit);
                    let more = add(Expr::Element(in_tile, Box::new(digit.clone())), int(1));
                    b.emit(Stmt::SetElement(in_tile, digit, more));
                    Ok(())
                })
            })?;
            let base = b.let_("base", ScalarType::I64, part.counts(digits));
            b.for_("d", int(0), int(digits), int(1), true, |b, d| {
                b.emit(Stmt::Store(all, add(base, d.clone()), Expr::Element(in_tile, Box::new(d))));
                Ok(())
            })
        })?;
        b.next_phase();
        self.cut_rows(&mut b, |b, part| b.when(part.begins.clone(), |b| self.places(b, part, all)))?;
        b.next_phase();
        let by = digit_of_round(&mut b);
        let first_place = b.array("first", ScalarType::I64, digits as usize, false);
        let lines = source.lines(&mut b);
        self.cut_rows(&mut b, |b, part| {
            let base = b.let_("base", ScalarType::I64, part.counts(digits));
            b.for_("d", int(0), int(digits), int(1), true, |b, d| {
                let place = b.let_("place", ScalarType::I64, Expr::Load(all, Box::new(add(base, d.clone()))));
                b.emit(Stmt::SetElement(in_tile, d.clone(), place.clone()));
                b.emit(Stmt::SetElement(first_place, d, place));
                Ok(())
            })?;
            b.for_("q", part.from.clone(), part.to.clone(), int(1), false, |b, q| {
                source.key(b, part, q.clone(), |b, key| {
                    let digit = self.digit(Expr::Ordinal(Box::new(key.clone())), &by);
                    let digit = b.let_("digit", ScalarType::I64, digit);
                    let at = b.var("at", ScalarType::I64, Expr::Element(in_tile, Box::new(digit.clone())));
                    b.emit(Stmt::SetElement(in_tile, digit.clone(), add(local(at), int(1))));
                    let values = source.values(b, part, q, key);
                    lines.put(b, &digit, local(at), values);
                    let full = eq(lines.in_line(local(at)), int(lines.length - 1));
                    b.when(full, |b| {
                        let whole = b.let_("whole", ScalarType::I64, sub(local(at), int(lines.length - 1)));
                        let first = Expr::Element(first_place, Box::new(digit.clone()));
                        let first = b.let_("first", ScalarType::I64, first);
                        b.if_(
                            le(first.clone(), whole.clone()),
                            |b| lines.flush(b, &digit, whole),
                            |b| lines.flush_some(b, &digit, first, add(local(at), int(1))),
                        )
                    })
                })
            })?;
            b.for_("d", int(0), int(digits), int(1), false, |b, d| {
                let end = b.let_("end", ScalarType::I64, Expr::Element(in_tile, Box::new(d.clone())));
                let whole = sub(end.clone(), lines.in_line(end.clone()));
                let first = Expr::Element(first_place, Box::new(d.clone()));
                let from = b.let_("begin", ScalarType::I64, max(whole, first));
                lines.flush_some(b, &d, from, end)
            })
        })?;
        Ok(b.finish())
    }

    /// From counts to places, for a row that begins in this tile.
    fn places(&self, b: &mut Builder<'_>, part: &Part, counts: ParamId) -> Lowered<()> {
        let size = self.tile_size(b);
        let last = quot(sub(part.end.clone(), int(1)), size);
        let behind = b.let_("behind", ScalarType::I64, add(last, int(1)));
        let next = b.var("next", ScalarType::I64, part.start.clone());
        let digits = self.digits();
        b.for_("d", int(0), int(digits), int(1), false, |b, d| {
            b.for_("t", Expr::Tile, behind, int(1), false, |b, t| {
                let own = select(eq(t.clone(), Expr::Tile), int(1), int(0));
                let at = add(mul(add(add(t.clone(), t), own), int(digits)), d);
                let at = b.let_("at", ScalarType::I64, at);
                let count = b.var("count", ScalarType::I64, Expr::Load(counts, Box::new(at.clone())));
                b.emit(Stmt::Store(counts, at, local(next)));
                b.set(next, add(local(next), local(count)));
                Ok(())
            })
        })
    }
}

/// Where a round takes its elements from, and where to.
struct Source<'s> {
    sort: &'s Sort<'s>,
    slots: &'s Exchanged,
    first: bool,
}

impl Source<'_> {
    fn offset(&self, b: &mut Builder<'_>, side: &Side) -> Expr {
        Expr::Param(b.scalar("offset", ScalarType::I64, HostExpr::Slot(side.offset)))
    }

    fn key<'h>(
        &self,
        b: &mut Builder<'h>,
        part: &Part,
        q: Expr,
        f: impl FnOnce(&mut Builder<'h>, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        if self.first {
            return self.sort.key_at(b, part, q, f);
        }
        let side = &self.slots.from;
        let load = match side.keys {
            Some(keys) => Expr::Load(b.input(keys), Box::new(q)),
            None => {
                let column = b.input(side.column);
                Expr::Load(column, Box::new(add(self.offset(b, side), q)))
            }
        };
        let key = b.let_("key", self.sort.key, load);
        f(b, key)
    }

    /// What moves, in the order of the lines.
    fn values(&self, b: &mut Builder<'_>, part: &Part, q: Expr, key: Expr) -> Vec<Expr> {
        let from = &self.slots.from;
        if self.slots.to.keys.is_none() {
            return vec![key];
        }
        let moved = if self.first {
            sub(q, part.start.clone())
        } else {
            let column = b.input(from.column);
            Expr::Load(column, Box::new(add(self.offset(b, from), q)))
        };
        vec![moved, key]
    }

    /// The buffers of a tile.
    fn lines(&self, b: &mut Builder<'_>) -> Lines {
        let to = &self.slots.to;
        let elem = if to.keys.is_some() { ScalarType::I64 } else { self.sort.key };
        let length = LINE_BYTES / self.sort.key.size_bytes() as i64;
        let count = (self.sort.digits() * length) as usize;
        let mut columns = vec![(b.output(to.column), self.offset(b, to), b.array("lines", elem, count, false), None)];
        if let Some(keys) = to.keys {
            let last = Expr::Param(b.scalar("last", ScalarType::Bool, HostExpr::Slot(self.slots.last)));
            let buffer = b.array("key_lines", self.sort.key, count, false);
            columns.push((b.output(keys), int(0), buffer, Some(not(last))));
        }
        Lines { length, columns }
    }
}

/// A line per digit and column, in a private array.
struct Lines {
    /// Elements of a line.
    length: i64,
    /// Where a column is and starts, its lines, and whether it is written at all.
    columns: Vec<(ParamId, Expr, ArrayId, Option<Expr>)>,
}

impl Lines {
    /// Where in its line an element is.
    fn in_line(&self, at: Expr) -> Expr {
        and(at, int(self.length - 1))
    }

    fn put(&self, b: &mut Builder<'_>, digit: &Expr, at: Expr, values: Vec<Expr>) {
        let slot = add(mul(digit.clone(), int(self.length)), self.in_line(at));
        let slot = b.let_("slot", ScalarType::I64, slot);
        for ((.., lines, _), value) in self.columns.iter().zip(values) {
            b.emit(Stmt::SetElement(*lines, slot.clone(), value));
        }
    }

    /// Writes a column, if it is written.
    fn each<'h>(
        &self,
        b: &mut Builder<'h>,
        f: impl Fn(&mut Builder<'h>, ParamId, &Expr, ArrayId) -> Lowered<()>,
    ) -> Lowered<()> {
        self.columns.iter().try_for_each(|(column, offset, lines, wanted)| match wanted {
            None => f(b, *column, offset, *lines),
            Some(wanted) => b.when(wanted.clone(), |b| f(b, *column, offset, *lines)),
        })
    }

    /// Writes a whole line.
    fn flush(&self, b: &mut Builder<'_>, digit: &Expr, whole: Expr) -> Lowered<()> {
        self.each(b, |b, buffer, offset, array| {
            let from = mul(digit.clone(), int(self.length));
            let at = add(offset.clone(), whole.clone());
            b.emit(Stmt::StoreRun { buffer, at, array, from, count: self.length as usize });
            Ok(())
        })
    }

    /// Writes elements of one line.
    fn flush_some(&self, b: &mut Builder<'_>, digit: &Expr, from: Expr, to: Expr) -> Lowered<()> {
        self.each(b, |b, column, offset, lines| {
            b.for_("p", from.clone(), to.clone(), int(1), false, |b, p| {
                let slot = add(mul(digit.clone(), int(self.length)), self.in_line(p.clone()));
                let value = Expr::Element(lines, Box::new(slot));
                b.emit(Stmt::Store(column, add(offset.clone(), p), value));
                Ok(())
            })
        })
    }
}
