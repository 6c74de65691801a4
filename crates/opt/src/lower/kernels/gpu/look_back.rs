//! Look-back: what a tile has to know about all tiles before it, in one pass and in one fixed order.
//!
//! A tile publishes the partial of its own elements and then asks what came before. The usual answer is to walk back to the
//! nearest tile that knows its whole prefix, but which one that is depends on timing, and so would the bits of a
//! floating-point sum. Here tiles are counted in base 32 and every published word covers a fixed range:
//!
//! ```text
//! tiles[t]    the partial of tile t                    published by tile t at once
//! groups[g]   the partials of the 32 tiles of group g   published by the last tile of the group
//! tops[a]     all tiles before 1024 a                   published by the last tile before 1024 a
//!
//! before(t) = tops[a] (groups[32 a] … groups[32 a + b - 1]) (tiles[t - c] … tiles[t - 1])      t = 1024 a + 32 b + c
//! ```
//!
//! The first warp waits for up to 31 words at a time, one per lane, and joins them in a tree fixed by `b` and `c`. Every
//! word is a sum over a fixed range in a fixed shape, so results do not depend on timing, and the longest chain of messages
//! is one hop per 1024 tiles.
//!
//! A row end among the near tiles hides everything before it, so the far words are not asked for then.
//!
//! Waiting is safe because a tile's number is a *ticket*, taken when its block starts: whoever is waited for has started.
//! Tiles beyond the true size of the space take a ticket and leave; nobody waits for them.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, and, convert, eq, int, local, lt, mul, not, or, quot, select, sub, truth};
use super::super::host::Host;
use super::super::host_expr::{hadd, hceil_div, hint};
use super::block::{Combine, Partial, bits, is_first};
use terrace_base::{Scalar, ScalarType, Span};
use terrace_ir::kernel::{Expr, LocalId, ParamId, Stmt};
use terrace_plan::host::{HostExpr, SlotId};

const OPEN: i32 = 1;
const CLOSED: i32 = 2;

/// The memory of a look-back, on the host side.
pub struct Mail {
    flags: SlotId,
    values: Vec<SlotId>,
    tiles: HostExpr,
}

impl Mail {
    /// Memory for messages of these types between `tiles` tiles.
    pub fn new(host: &mut Host<'_>, types: &[ScalarType], tiles: &HostExpr, span: Span) -> Mail {
        let groups = hceil_div(tiles.clone(), 32);
        let tops = hceil_div(tiles.clone(), 1024);
        let words = hadd(hadd(tiles.clone(), groups), hadd(tops, hint(2)));
        let flags = host.scratch("flags", ScalarType::I32, words.clone(), span);
        host.zero(flags);
        let values = types.iter().map(|ty| host.scratch("words", *ty, words.clone(), span)).collect();
        Mail { flags, values, tiles: tiles.clone() }
    }
}

/// The memory of a look-back, in a kernel.
pub struct LookBack {
    flags: ParamId,
    values: Vec<ParamId>,
    tiles: Expr,
}

impl LookBack {
    /// Makes the memory a parameter.
    pub fn new(b: &mut Builder<'_>, mail: &Mail) -> LookBack {
        let flags = b.scratch(mail.flags);
        let values = mail.values.iter().map(|slot| b.scratch(*slot)).collect();
        let tiles = Expr::Param(b.scalar("tiles", ScalarType::I64, mail.tiles.clone()));
        LookBack { flags, values, tiles }
    }

    /// The number of this block's tile; ends with a barrier.
    pub fn ticket(&self, b: &mut Builder<'_>) -> Lowered<Expr> {
        ticket(b, self.flags)
    }

    /// Publishes the tile's own partial, the same in all threads.
    pub fn announce(&self, b: &mut Builder<'_>, tile: &Expr, own: &Partial) -> Lowered<()> {
        b.when(is_first(), |b| {
            self.publish(b, tile.clone(), own);
            Ok(())
        })
    }

    /// What the tiles before this one join to, once it has announced its own partial. The whole block runs this; the result is
    /// right in its first warp. Where the answer is not `needed`, which must be the same for the block, it may be anything.
    pub fn before(
        &self,
        b: &mut Builder<'_>,
        op: &Combine<'_>,
        tile: &Expr,
        own: &Partial,
        needed: &Expr,
    ) -> Lowered<Partial> {
        let c = b.let_("c", ScalarType::I64, bits(tile.clone(), int(31)));
        let group = b.let_("group", ScalarType::I64, quot(tile.clone(), int(32)));
        let d = b.let_("d", ScalarType::I64, bits(group.clone(), int(31)));
        let top = b.let_("top", ScalarType::I64, quot(tile.clone(), int(1024)));
        let groups_at = self.tiles.clone();
        let tops_at = b.let_(
            "tops_at",
            ScalarType::I64,
            add(self.tiles.clone(), quot(add(self.tiles.clone(), int(31)), int(32))),
        );
        let ends_group = b.let_("ends_group", ScalarType::Bool, eq(c.clone(), int(31)));
        let ends_top = b.let_("ends_top", ScalarType::Bool, and(ends_group.clone(), eq(d.clone(), int(31))));
        let before = op.start(b, "before", own.closed.is_some());
        b.when(or(needed.clone(), ends_group.clone()), |b| {
            b.when(lt(int(0), c.clone()), |b| {
                let first = sub(tile.clone(), c.clone());
                let near = self.gather(b, op, own, first, c.clone())?;
                set(b, op, &before, &near);
                Ok(())
            })?;
            b.when(and(ends_group.clone(), is_first()), |b| {
                self.publish_joined(b, op, add(groups_at.clone(), group.clone()), &before, own)
            })?;
            let enough = self.is_closed(b, &before)?;
            b.when(and(or(needed.clone(), ends_top.clone()), not(enough)), |b| {
                b.when(lt(int(0), d.clone()), |b| {
                    let first = add(groups_at.clone(), mul(top.clone(), int(32)));
                    let far = self.gather(b, op, own, first, d.clone())?;
                    op.prepend(b, &far.exprs(), far.is_closed(), &before)
                })?;
                b.when(lt(int(0), top.clone()), |b| {
                    let word = add(tops_at.clone(), top.clone());
                    let all = self.gather(b, op, own, word, int(1))?;
                    op.prepend(b, &all.exprs(), all.is_closed(), &before)
                })
            })?;
            b.when(and(ends_top.clone(), is_first()), |b| {
                let word = add(tops_at.clone(), add(top.clone(), int(1)));
                self.publish_joined(b, op, word, &before, own)
            })
        })?;
        Ok(before)
    }

    /// Whether a row ended in what the first thread has, for the whole block.
    fn is_closed(&self, b: &mut Builder<'_>, before: &Partial) -> Lowered<Expr> {
        let Some(closed) = before.closed else { return Ok(truth(false)) };
        let shared = b.array("enough", ScalarType::Bool, 1, true);
        b.when(is_first(), |b| {
            b.emit(Stmt::SetElement(shared, int(0), local(closed)));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        Ok(b.let_("enough", ScalarType::Bool, Expr::Element(shared, Box::new(int(0)))))
    }

    fn publish(&self, b: &mut Builder<'_>, word: Expr, own: &Partial) {
        for (param, v) in self.values.iter().zip(&own.values) {
            b.emit(Stmt::Store(*param, word.clone(), local(*v)));
        }
        let flag = |n: i32| Expr::Const(Scalar::I32(n));
        let value = select(own.is_closed(), flag(CLOSED), flag(OPEN));
        b.emit(Stmt::Publish { flags: self.flags, at: add(word, int(1)), value });
    }

    fn publish_joined(
        &self,
        b: &mut Builder<'_>,
        op: &Combine<'_>,
        word: Expr,
        before: &Partial,
        own: &Partial,
    ) -> Lowered<()> {
        let all = op.copy(b, "all", before);
        op.append(b, &all, &own.exprs(), own.is_closed())?;
        self.publish(b, word, &all);
        Ok(())
    }

    /// `count` words from `first` on, joined; in all lanes of the first warp. The other warps only come along, so that shuffles
    /// stand where the whole block is.
    fn gather(
        &self,
        b: &mut Builder<'_>,
        op: &Combine<'_>,
        like: &Partial,
        first: Expr,
        count: Expr,
    ) -> Lowered<Partial> {
        let got = op.start(b, "got", like.closed.is_some());
        b.when(lt(Expr::Thread, count.clone()), |b| {
            let word = b.let_("word", ScalarType::I64, add(first, Expr::Thread));
            let flag = b.local("flag", ScalarType::I32);
            b.emit(Stmt::Await { into: flag, flags: self.flags, at: add(word.clone(), int(1)) });
            for (param, v) in self.values.iter().zip(&got.values) {
                b.set(*v, Expr::LoadFresh(*param, Box::new(word.clone())));
            }
            if let Some(closed) = got.closed {
                b.set(closed, eq(local(flag), Expr::Const(Scalar::I32(CLOSED))));
            }
            Ok(())
        })?;
        op.fold_lanes(b, &got, count)
    }
}

fn set(b: &mut Builder<'_>, op: &Combine<'_>, to: &Partial, from: &Partial) {
    op.assign(b, &to.values, from.exprs());
    if let (Some(t), Some(f)) = (to.closed, from.closed) {
        b.set(t, local(f));
    }
}

/// The next number of a counter (the first word of `counter`), the same in all threads; ends with a barrier.
pub fn ticket(b: &mut Builder<'_>, counter: ParamId) -> Lowered<Expr> {
    let slot = b.array("ticket_of", ScalarType::I64, 1, true);
    b.when(is_first(), |b| {
        let old: LocalId = b.local("ticket", ScalarType::I32);
        let one = Expr::Const(Scalar::I32(1));
        b.emit(Stmt::AtomicAdd { into: old, buffer: counter, at: int(0), value: one });
        b.emit(Stmt::SetElement(slot, int(0), convert(ScalarType::I64, local(old))));
        Ok(())
    })?;
    b.emit(Stmt::Barrier);
    Ok(b.let_("tile", ScalarType::I64, Expr::Element(slot, Box::new(int(0)))))
}
