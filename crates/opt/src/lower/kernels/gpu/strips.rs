//! Tiles that stay in registers: each lane of a warp takes a few consecutive elements at a time, by one wide load.
//!
//! ```text
//! warp 0   row 0    lane 0: 0 1 2 3    lane 1: 4 5 6 7     …   lane 31: 124 … 127      a strip is 16 bytes at most
//!          row 1    lane 0: 128 …
//! warp 1   …        after all rows of warp 0
//! ```
//!
//! A warp reads a row of strips without gaps, and every element has a register of its own, so that a multiprocessor holds as many bytes as
//! it has registers for. That is what bounds kernels in which a tile waits for earlier ones: a tile lives about as long
//! whatever its size.
//!
//! A whole tile is asked for at once, columns that are read at the point itself by wide loads ([`Strips::compute`]). In the last
//! tile every point is tested. What a failing check does is described at [`super::items`].
//!
//! Declined: bodies that are not plain ([`super::items::is_plain`]); columns that do not begin with their buffer are read one by one.

use super::super::Lowered;
use super::super::body::may_fail;
use super::super::build::Builder;
use super::super::expr::{add, and, binary, convert, eq, int, local, lt, mul, not, quot, sub, truth};
use super::super::host::Host;
use super::block::{WARP, bits};
use super::items::masked;
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::flat::{Body, Descriptor, Expr as FlatExpr, Op};
use terrace_ir::kernel::{ArrayId, Expr, ParamId, Stmt};
use terrace_ir::{Atom, ValueId};

/// How much text the loops over a thread's elements may become when they are unrolled, in plain operations.
const UNROLLED: i64 = 640;

/// The shape of a tile.
#[derive(Clone, Copy, Debug)]
pub struct Strips {
    /// Threads of a block.
    pub block: i64,
    /// Strips of a thread.
    pub rows: i64,
    /// Elements of a strip; a power of two.
    pub wide: i64,
}

/// An element of a thread, inside the loops over its strips.
pub struct Element {
    /// Which strip.
    pub row: Expr,
    /// Which of all elements of the thread.
    pub index: Expr,
    /// Whether all its checks have held.
    pub ok: Expr,
}

impl Strips {
    /// A shape with about `items` elements per thread, for a body and what becomes of it.
    pub fn new(host: &Host<'_>, op: &Op, block: i64, items: i64, types: &[ScalarType]) -> Strips {
        let read = op.body.stmts.iter().filter_map(|s| match &s.expr {
            FlatExpr::Read { column, .. } => host.function.values[*column].ty.elem(),
            _ => None,
        });
        let largest = types.iter().copied().chain(read).map(ScalarType::size_bytes).max().unwrap_or(4) as i64;
        let items = items.min(UNROLLED / weight(&op.body).max(1)).max(1);
        let mut wide = (16 / largest).clamp(1, 4);
        while wide > items {
            wide /= 2;
        }
        Strips { block, rows: (items / wide).max(1), wide }
    }

    /// Elements of a thread.
    pub fn items(self) -> i64 {
        self.rows * self.wide
    }

    /// Elements of a warp.
    pub fn of_warp(self) -> i64 {
        self.items() * WARP
    }

    /// Elements of a tile.
    pub fn size(self) -> i64 {
        self.items() * self.block
    }

    /// The place of the thread's first element in the tile, an `i32`.
    pub fn own(self, b: &mut Builder<'_>) -> Expr {
        let warp = mul(quot(Expr::Thread, int(WARP)), int(self.of_warp()));
        let lane = mul(bits(Expr::Thread, int(WARP - 1)), int(self.wide));
        b.let_("own", ScalarType::I32, convert(ScalarType::I32, add(warp, lane)))
    }

    /// How far a strip of the thread lies behind the first one, an `i32`.
    pub fn behind(self, row: &Expr) -> Expr {
        convert(ScalarType::I32, mul(row.clone(), int(WARP * self.wide)))
    }

    /// The loops over strips and their elements; unrolled.
    pub fn each<'h>(
        self,
        b: &mut Builder<'h>,
        own: &Expr,
        f: impl Fn(&mut Builder<'h>, &Expr, Expr, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        b.for_("row", int(0), int(self.rows), int(1), true, |b, row| {
            b.for_("k", int(0), int(self.wide), int(1), true, |b, k| {
                let index = add(mul(row.clone(), int(self.wide)), k.clone());
                let place = plus32(plus32(own.clone(), self.behind(&row)), convert(ScalarType::I32, k));
                let slot = b.let_("slot", ScalarType::I32, place);
                f(b, &row, index, slot)
            })
        })
    }

    /// Computes the body at `left` points from `first` on (at most a tile of them) and hands results to `take`; elements of
    /// the thread that lie beyond are left to `outside`. `define` says what the operator's indices are at a position.
    pub fn compute<'h>(
        self,
        b: &mut Builder<'h>,
        op: &Op,
        own: &Expr,
        (first, left): (&Expr, &Expr),
        define: impl Fn(&mut Builder<'h>, Expr) -> Lowered<()>,
        take: impl Fn(&mut Builder<'h>, &Element, Vec<Expr>) -> Lowered<()>,
        outside: impl Fn(&mut Builder<'h>, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        let fine = may_fail(&op.body).then(|| b.var("fine", ScalarType::Bool, truth(true)));
        let note = |b: &mut Builder<'h>, ok: &Expr| {
            if let Some(fine) = fine {
                b.set(fine, and(local(fine), ok.clone()));
            }
        };
        let columns = self.columns(b, op)?;
        let whole = b.let_("whole", ScalarType::Bool, eq(left.clone(), int(self.size())));
        b.if_(
            whole,
            |b| {
                let start = b.let_("start", ScalarType::I64, add(first.clone(), convert(ScalarType::I64, own.clone())));
                let arrays = self.load(b, &columns, &start)?;
                self.each(b, own, |b, row, index, slot| {
                    let q = add(first.clone(), convert(ScalarType::I64, slot.clone()));
                    let q = b.let_("q", ScalarType::I64, q);
                    define(b, q)?;
                    let known: Vec<(usize, Expr)> = columns
                        .iter()
                        .zip(&arrays)
                        .map(|((stmt, ..), a)| (*stmt, Expr::Element(*a, Box::new(index.clone()))))
                        .collect();
                    let (ok, results) = masked(b, &op.body, &known, None)?;
                    note(b, &ok);
                    take(b, &Element { row: row.clone(), index, ok }, results)
                })
            },
            |b| {
                let left = b.let_("left", ScalarType::I32, convert(ScalarType::I32, left.clone()));
                self.each(b, own, |b, row, index, slot| {
                    b.if_(
                        lt(slot.clone(), left.clone()),
                        |b| {
                            let q = add(first.clone(), convert(ScalarType::I64, slot));
                            let q = b.let_("q", ScalarType::I64, q);
                            define(b, q)?;
                            let (ok, results) = masked(b, &op.body, &[], None)?;
                            note(b, &ok);
                            take(b, &Element { row: row.clone(), index: index.clone(), ok }, results)
                        },
                        |b| outside(b, index.clone()),
                    )
                })
            },
        )?;
        let Some(fine) = fine else { return Ok(()) };
        b.when(not(local(fine)), |b| {
            b.for_("item", int(0), int(self.items()), int(1), false, |b, item| {
                let row = quot(item.clone(), int(self.wide));
                let k = sub(item, mul(row.clone(), int(self.wide)));
                let far = add(convert(ScalarType::I64, own.clone()), add(mul(row, int(WARP * self.wide)), k));
                let far = b.let_("far", ScalarType::I64, far);
                b.when(lt(far.clone(), left.clone()), |b| {
                    let q = b.let_("q", ScalarType::I64, add(first.clone(), far));
                    define(b, q)?;
                    b.body(&op.body, |_, _| Ok(()))
                })
            })
        })
    }

    /// Statements of the body that read a column at the point itself, with buffer and type, where wide loads are possible.
    fn columns(self, b: &mut Builder<'_>, op: &Op) -> Lowered<Vec<(usize, ParamId, ScalarType)>> {
        let mut columns = Vec::new();
        for (i, stmt) in op.body.stmts.iter().enumerate() {
            let FlatExpr::Read { column, at: Atom::Var(v) } = &stmt.expr else { continue };
            let is_point = op.positions.last() == Some(v) || op.space.len() == 1 && op.indices.first() == Some(v);
            if self.wide == 1 || !is_point || !begins_its_buffer(b, *column) {
                continue;
            }
            let ty = b.elem(*column);
            if let Expr::Load(param, _) = b.load(*column, int(0))? {
                columns.push((i, param, ty));
            }
        }
        Ok(columns)
    }

    fn load(
        self,
        b: &mut Builder<'_>,
        columns: &[(usize, ParamId, ScalarType)],
        start: &Expr,
    ) -> Lowered<Vec<ArrayId>> {
        let arrays: Vec<ArrayId> =
            columns.iter().map(|(_, _, ty)| b.array("loaded", *ty, self.items() as usize, false)).collect();
        b.for_("row", int(0), int(self.rows), int(1), true, |b, row| {
            for ((_, buffer, _), array) in columns.iter().zip(&arrays) {
                let at = add(start.clone(), convert(ScalarType::I64, self.behind(&row)));
                b.emit(Stmt::LoadWide {
                    array: *array,
                    into: mul(row.clone(), int(self.wide)),
                    buffer: *buffer,
                    at,
                    count: self.wide as usize,
                });
            }
            Ok(())
        })?;
        Ok(arrays)
    }

    /// Stores an element of each array per point of the tile.
    pub fn store(
        self,
        b: &mut Builder<'_>,
        own: &Expr,
        (first, left): (&Expr, &Expr),
        arrays: &[ArrayId],
        binds: &[ValueId],
    ) -> Lowered<()> {
        let whole = b.let_("whole", ScalarType::Bool, eq(left.clone(), int(self.size())));
        let one_by_one = |b: &mut Builder<'_>, array: &ArrayId, v: &ValueId, index: Expr, slot: Expr| {
            let q = add(first.clone(), convert(ScalarType::I64, slot));
            b.store(*v, q, Expr::Element(*array, Box::new(index)))
        };
        b.if_(
            whole,
            |b| {
                for (array, v) in arrays.iter().zip(binds) {
                    if self.wide == 1 || !begins_its_buffer(b, *v) {
                        self.each(b, own, |b, _, index, slot| one_by_one(b, array, v, index, slot))?;
                        continue;
                    }
                    b.for_("row", int(0), int(self.rows), int(1), true, |b, row| {
                        let place = plus32(own.clone(), self.behind(&row));
                        let at = add(first.clone(), convert(ScalarType::I64, place));
                        b.store_wide(*v, at, *array, mul(row, int(self.wide)), self.wide as usize)
                    })?;
                }
                Ok(())
            },
            |b| {
                let left = b.let_("left", ScalarType::I32, convert(ScalarType::I32, left.clone()));
                self.each(b, own, |b, _, index, slot| {
                    b.when(lt(slot.clone(), left.clone()), |b| {
                        arrays.iter().zip(binds).try_for_each(|(a, v)| one_by_one(b, a, v, index.clone(), slot.clone()))
                    })
                })
            },
        )
    }
}

/// How much text a body becomes, in plain operations.
fn weight(body: &Body) -> i64 {
    let one = |e: &FlatExpr| match e {
        FlatExpr::Unary(UnOp::Neg | UnOp::Not | UnOp::Abs, _) => 1,
        FlatExpr::Binary(BinOp::Pow | BinOp::Atan2, ..) => 32,
        FlatExpr::Binary(BinOp::Div | BinOp::Rem, ..) => 4,
        FlatExpr::Unary(..) => 16,
        _ => 1,
    };
    body.stmts.iter().map(|s| one(&s.expr)).sum()
}

/// Whether elements lie one beside the other from the start of the buffer on.
pub(super) fn begins_its_buffer(b: &Builder<'_>, column: ValueId) -> bool {
    let place = b.host.function.values[column].at.as_ref();
    b.is_dense(column) && place.is_some_and(|p| p.index.offset.as_constant() == Some(0))
}

/// Whether the rows of a space, if it has any, are equally long.
pub fn is_regular(op: &Op) -> bool {
    op.space.len() == 1 || matches!(op.space.last(), Some(Descriptor::Regular(_)))
}

fn plus32(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Add, a, b)
}
