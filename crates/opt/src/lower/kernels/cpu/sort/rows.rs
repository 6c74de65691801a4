//! The first pass of a sort: rows that lie in one tile are sorted, and the rounds that the others need are found out.
//!
//! ```text
//! a row of a few points       every element moves forward to its place
//! a longer one                by digits, to and fro between the result and scratch memory
//! the rest                    which bits differ between neighbours, and whether any two are out of order
//! ```
//!
//! A digit starts at the lowest bit that differs and that no digit has yet. The host reads how many there are.

use super::{Digit, Part, Plan, Sort};
use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, and, binary, convert, eq, int, local, lt, max, or, quot, select, sub, truth};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::hint;
use crate::lower::kernels::points::count;
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::SortForm;
use terrace_ir::kernel::{ArrayId, Expr, LocalId, ParamId, Stmt};
use terrace_plan::host::{HostExpr, HostStmt, SlotType};

/// Rows of so many points and fewer are sorted by moving each element forward.
const SHORT: i64 = 40;

/// Values and bits of a digit in a row that lies in one tile.
const DIGITS: i64 = 256;
const BITS: i64 = 8;

/// What a tile says about the rows that it has parts of.
const IN_ORDER: i64 = 1;
const OUT_OF_ORDER: i64 = 2;

/// A row in memory while it is sorted: columns, each with scratch memory beside it, the keys first.
struct Columns {
    pairs: Vec<(ParamId, Expr, ParamId, ScalarType)>,
}

impl Columns {
    fn load(&self, k: usize, q: Expr) -> Expr {
        let (column, offset, ..) = &self.pairs[k];
        Expr::Load(*column, Box::new(add(offset.clone(), q)))
    }

    fn store(&self, b: &mut Builder<'_>, k: usize, q: Expr, value: Expr) {
        let (column, offset, ..) = &self.pairs[k];
        b.emit(Stmt::Store(*column, add(offset.clone(), q), value));
    }
}

impl Sort<'_> {
    pub(super) fn rows(&self, host: &mut Host<'_>, bind: ValueId, tiles: &HostExpr, span: Span) -> Lowered<Plan> {
        let differing = host.scratch("differing", self.ordinals(), tiles.clone(), span);
        let state = host.scratch("state", ScalarType::I64, tiles.clone(), span);
        let digits = host.scratch("digits", ScalarType::I64, hint(self.bits()), span);
        let cell = host.new_slot("rounds", SlotType::Cell(ScalarType::I64));
        host.emit(HostStmt::AllocCell { to: cell });
        let name = host.kernel_name("sort_rows", &[bind]);
        let mut b = Builder::new(host, &name, 1, span);
        self.whole_rows(&mut b, |b, part| self.row(b, part))?;
        let (bits, found) = (b.var("bits", self.ordinals(), self.number(0)), b.var("found", ScalarType::I64, int(0)));
        self.cut_rows(&mut b, |b, part| self.look_at(b, part, bits, found))?;
        let (all_bits, all_states) = (b.scratch(differing), b.scratch(state));
        b.emit(Stmt::Store(all_bits, Expr::Tile, local(bits)));
        b.emit(Stmt::Store(all_states, Expr::Tile, local(found)));
        b.next_phase();
        let (bits, found) = (b.var("bits", self.ordinals(), self.number(0)), b.var("found", ScalarType::I64, int(0)));
        let points = count(&mut b, self.op, self.op.space.len())?;
        let size = self.tile_size(&mut b);
        let all = quot(add(points, sub(size.clone(), int(1))), size);
        b.for_("t", int(0), all, int(1), false, |b, t| {
            let own = Expr::Load(all_bits, Box::new(t.clone()));
            b.set(bits, binary(BinOp::Or, local(bits), own));
            b.set(found, max(local(found), Expr::Load(all_states, Box::new(t))));
            Ok(())
        })?;
        let rounds = b.var("rounds", ScalarType::I64, int(0));
        let list = b.scratch(digits);
        b.when(eq(local(found), int(OUT_OF_ORDER)), |b| {
            self.each_digit(b, bits, self.digit_bits(), |b, shift| {
                b.emit(Stmt::Store(list, local(rounds), convert(ScalarType::I64, shift)));
                b.set(rounds, add(local(rounds), int(1)));
                Ok(())
            })
        })?;
        b.when(eq(local(found), int(IN_ORDER)), |b| {
            b.emit(Stmt::Store(list, int(0), int(-1)));
            b.set(rounds, int(1));
            Ok(())
        })?;
        let out = b.cell_out(cell);
        b.emit(Stmt::StoreCell(out, local(rounds)));
        let finished = b.finish();
        host.launch(finished, vec![tiles.clone(), hint(1)]);
        let rounds = host.new_slot("rounds", SlotType::Host(ScalarType::I64));
        host.emit(HostStmt::Read { cells: vec![(cell, rounds)] });
        Ok(Plan { digits, rounds })
    }

    /// Neighbours in a part of a row: the bits in which they differ, and whether they are in order.
    fn look_at(&self, b: &mut Builder<'_>, part: &Part, bits: LocalId, found: LocalId) -> Lowered<()> {
        let falls = b.var("falls", self.ordinals(), self.number(0));
        let second = max(part.from.clone(), add(part.start.clone(), int(1)));
        b.for_("q", second, part.to.clone(), int(1), false, |b, q| {
            self.key_at(b, part, sub(q.clone(), int(1)), |b, key| {
                let before = b.let_("before", self.ordinals(), Expr::Ordinal(Box::new(key)));
                self.key_at(b, part, q, |b, key| {
                    let here = b.let_("here", self.ordinals(), Expr::Ordinal(Box::new(key)));
                    b.set(bits, binary(BinOp::Or, local(bits), binary(BinOp::Xor, here.clone(), before.clone())));
                    let fall = select(lt(here, before), self.number(1), self.number(0));
                    b.set(falls, binary(BinOp::Or, local(falls), fall));
                    Ok(())
                })
            })
        })?;
        let falls = binary(BinOp::Ne, local(falls), self.number(0));
        b.set(found, max(local(found), select(falls, int(OUT_OF_ORDER), int(IN_ORDER))));
        Ok(())
    }

    /// Runs `f` for every digit with a bit that differs, from the lowest on.
    fn each_digit<'h>(
        &self,
        b: &mut Builder<'h>,
        bits: LocalId,
        each: i64,
        f: impl FnOnce(&mut Builder<'h>, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        let shift = b.var("shift", self.ordinals(), self.number(0));
        let rest = |shift: LocalId| binary(BinOp::Shr, local(bits), local(shift));
        let zero = self.number(0);
        let inside = lt(local(shift), self.number(self.bits()));
        let more = and(inside, binary(BinOp::Ne, rest(shift), zero.clone()));
        b.while_(more, |b| {
            let lowest = binary(BinOp::And, rest(shift), self.number(1));
            b.if_(
                eq(lowest, zero),
                |b| {
                    b.set(shift, binary(BinOp::Add, local(shift), self.number(1)));
                    Ok(())
                },
                |b| {
                    f(b, local(shift))?;
                    b.set(shift, binary(BinOp::Add, local(shift), self.number(each)));
                    Ok(())
                },
            )
        })
    }

    fn columns(&self, b: &mut Builder<'_>) -> Columns {
        let result = b.scratch(self.result.slot);
        let spare = b.scratch(self.spare);
        let offset = match &self.result.offset {
            HostExpr::Const(Scalar::I64(n)) => int(*n),
            e => Expr::Param(b.scalar("offset", ScalarType::I64, e.clone())),
        };
        let mut pairs = Vec::new();
        if let Some([one, other]) = self.keys {
            pairs.push((b.scratch(one), int(0), b.scratch(other), self.key));
            pairs.push((result, offset, spare, ScalarType::I64));
        } else {
            pairs.push((result, offset, spare, self.key));
        }
        Columns { pairs }
    }

    /// A row that lies in one tile.
    fn row(&self, b: &mut Builder<'_>, part: &Part) -> Lowered<()> {
        let columns = self.columns(b);
        let (start, end) = (part.start.clone(), part.end.clone());
        b.for_("q", start.clone(), end.clone(), int(1), false, |b, q| {
            self.key_at(b, part, q.clone(), |b, key| {
                columns.store(b, 0, q.clone(), key);
                if self.form == SortForm::Order {
                    columns.store(b, 1, q.clone(), sub(q, start));
                }
                Ok(())
            })
        })?;
        let length = sub(end.clone(), part.start.clone());
        b.if_(
            lt(int(SHORT), length),
            |b| self.long_row(b, &columns, part),
            |b| {
                let second = add(part.start.clone(), int(1));
                b.for_("q", second, end, int(1), false, |b, q| self.move_forward(b, &columns, part, q))
            },
        )
    }

    fn move_forward(&self, b: &mut Builder<'_>, columns: &Columns, part: &Part, q: Expr) -> Lowered<()> {
        let values: Vec<Expr> = columns
            .pairs
            .iter()
            .enumerate()
            .map(|(k, (.., ty))| {
                let v = b.var("x", *ty, columns.load(k, q.clone()));
                local(v)
            })
            .collect();
        let own = b.var("own", self.ordinals(), Expr::Ordinal(Box::new(values[0].clone())));
        let at = b.var("at", ScalarType::I64, q);
        let before = || sub(local(at), int(1));
        let behind = lt(local(own), Expr::Ordinal(Box::new(columns.load(0, before()))));
        b.while_(and(lt(part.start.clone(), local(at)), behind), |b| {
            for k in 0..columns.pairs.len() {
                columns.store(b, k, local(at), columns.load(k, before()));
            }
            b.set(at, before());
            Ok(())
        })?;
        for (k, value) in values.into_iter().enumerate() {
            columns.store(b, k, local(at), value);
        }
        Ok(())
    }

    fn long_row(&self, b: &mut Builder<'_>, columns: &Columns, part: &Part) -> Lowered<()> {
        let bits = b.var("differs", self.ordinals(), self.number(0));
        let falls = b.var("falls", ScalarType::Bool, truth(false));
        let first = b.var("before", self.ordinals(), Expr::Ordinal(Box::new(columns.load(0, part.start.clone()))));
        b.for_("q", part.start.clone(), part.end.clone(), int(1), false, |b, q| {
            let here = b.let_("here", self.ordinals(), Expr::Ordinal(Box::new(columns.load(0, q))));
            b.set(bits, binary(BinOp::Or, local(bits), binary(BinOp::Xor, here.clone(), local(first))));
            b.set(falls, or(local(falls), lt(here.clone(), local(first))));
            b.set(first, here);
            Ok(())
        })?;
        let places = b.array("places", ScalarType::I64, DIGITS as usize, false);
        b.when(local(falls), |b| {
            self.each_digit(b, bits, BITS, |b, shift| self.row_round(b, columns, part, places, shift))
        })
    }

    /// One digit of a row that lies in one tile.
    fn row_round(
        &self,
        b: &mut Builder<'_>,
        columns: &Columns,
        part: &Part,
        places: ArrayId,
        shift: Expr,
    ) -> Lowered<()> {
        let (start, end) = (part.start.clone(), part.end.clone());
        let digit = Digit { shift, mask: self.number(DIGITS - 1) };
        let digit_at = |b: &mut Builder<'_>, q: Expr| {
            let ordinal = Expr::Ordinal(Box::new(columns.load(0, q)));
            b.let_("digit", ScalarType::I64, self.digit(ordinal, &digit))
        };
        clear(b, places, DIGITS)?;
        b.for_("q", start.clone(), end.clone(), int(1), false, |b, q| {
            let digit = digit_at(b, q);
            b.emit(Stmt::SetElement(places, digit.clone(), add(Expr::Element(places, Box::new(digit)), int(1))));
            Ok(())
        })?;
        let next = b.var("next", ScalarType::I64, start.clone());
        b.for_("d", int(0), int(DIGITS), int(1), false, |b, d| {
            let own = b.let_("own", ScalarType::I64, Expr::Element(places, Box::new(d.clone())));
            b.emit(Stmt::SetElement(places, d, local(next)));
            b.set(next, add(local(next), own));
            Ok(())
        })?;
        b.for_("q", start.clone(), end.clone(), int(1), false, |b, q| {
            let digit = digit_at(b, q.clone());
            let at = b.var("at", ScalarType::I64, Expr::Element(places, Box::new(digit.clone())));
            for (k, (.., spare, _)) in columns.pairs.iter().enumerate() {
                b.emit(Stmt::Store(*spare, local(at), columns.load(k, q.clone())));
            }
            b.emit(Stmt::SetElement(places, digit, add(local(at), int(1))));
            Ok(())
        })?;
        for (k, (.., spare, _)) in columns.pairs.iter().enumerate() {
            b.for_("q", start.clone(), end.clone(), int(1), true, |b, q| {
                columns.store(b, k, q.clone(), Expr::Load(*spare, Box::new(q)));
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// All counts become zero.
pub(super) fn clear(b: &mut Builder<'_>, counts: ArrayId, digits: i64) -> Lowered<()> {
    b.for_("d", int(0), int(digits), int(1), true, |b, d| {
        b.emit(Stmt::SetElement(counts, d, int(0)));
        Ok(())
    })
}
