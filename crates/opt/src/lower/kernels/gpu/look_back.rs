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
//! The first warp asks for all of them at once, up to three per lane, waits for those that are not there yet, and joins them in a tree fixed
//! by `b` and `c`. A message is its value and a flag in one word, or two with the flag in each, so that nothing has to be fenced. Every
//! word is a sum over a fixed range in a fixed shape, so results do not depend on timing, and the longest chain of messages
//! is one hop per 1024 tiles.
//!
//! A row end among the near tiles hides everything before it, so the far words are not asked for then.
//!
//! Waiting is safe because a tile's number is a *ticket*, taken when its block starts: whoever is waited for has started.
//! Tiles beyond the true size of the space take a ticket and leave; nobody waits for them.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, and, convert, eq, int, local, lt, max, min, mul, not, or, quot, select, sub, truth};
use super::super::host::Host;
use super::super::host_expr::{hadd, hceil_div, hint, hmul};
use super::block::{Combine, Partial, bits, is_first};
use terrace_base::{Scalar, ScalarType, Span};
use terrace_ir::kernel::{Expr, LocalId, ParamId, Stmt};
use terrace_plan::host::{HostExpr, SlotId};

const OPEN: i32 = 1;
const CLOSED: i32 = 2;

/// The memory of a look-back, on the host side.
pub struct Mail {
    words: SlotId,
    types: Vec<ScalarType>,
    tiles: HostExpr,
}

impl Mail {
    /// Memory for messages of these types between `tiles` tiles: a counter, then two elements for each 4 bytes.
    pub fn new(host: &mut Host<'_>, types: &[ScalarType], tiles: &HostExpr, span: Span) -> Mail {
        let groups = hceil_div(tiles.clone(), 32);
        let tops = hceil_div(tiles.clone(), 1024);
        let messages = hadd(hadd(tiles.clone(), groups), hadd(tops, hint(2)));
        let count = hmul(messages, hint(places(types).1));
        let words = host.scratch("words", ScalarType::I32, count, span);
        host.zero(words);
        Mail { words, types: types.to_vec(), tiles: tiles.clone() }
    }
}

/// Where the values of a message lie in it, and how long it is.
fn places(types: &[ScalarType]) -> (Vec<i64>, i64) {
    let mut length = 0;
    let mut places = Vec::new();
    for ty in types {
        places.push(length);
        length += 2 * ty.size_bytes().div_ceil(4) as i64;
    }
    (places, length.max(2))
}

/// The memory of a look-back, in a kernel.
pub struct LookBack {
    words: ParamId,
    places: Vec<i64>,
    length: i64,
    tiles: Expr,
}

/// Messages that have been asked for, one per lane.
struct Asked {
    got: Partial,
    flags: Vec<LocalId>,
    at: Expr,
    count: Expr,
}

impl LookBack {
    /// Makes the memory a parameter.
    pub fn new(b: &mut Builder<'_>, mail: &Mail) -> LookBack {
        let words = b.scratch(mail.words);
        let tiles = Expr::Param(b.scalar("tiles", ScalarType::I64, mail.tiles.clone()));
        let (places, length) = places(&mail.types);
        LookBack { words, places, length, tiles }
    }

    /// The number of this block's tile; ends with a barrier.
    pub fn ticket(&self, b: &mut Builder<'_>) -> Lowered<Expr> {
        ticket(b, self.words, self.tiles.clone())
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
            let near = self.ask(b, op, own, sub(tile.clone(), c.clone()), c.clone())?;
            let first = add(groups_at.clone(), mul(top.clone(), int(32)));
            let far = self.ask(b, op, own, first, d.clone())?;
            let some = select(lt(int(0), top.clone()), int(1), int(0));
            let all = self.ask(b, op, own, add(tops_at.clone(), top.clone()), some)?;
            b.when(lt(int(0), c.clone()), |b| {
                let near = self.gather(b, op, &near)?;
                set(b, op, &before, &near);
                Ok(())
            })?;
            b.when(and(ends_group.clone(), is_first()), |b| {
                self.publish_joined(b, op, add(groups_at.clone(), group.clone()), &before, own)
            })?;
            let enough = self.is_closed(b, &before)?;
            b.when(and(or(needed.clone(), ends_top.clone()), not(enough)), |b| {
                b.when(lt(int(0), d.clone()), |b| {
                    let far = self.gather(b, op, &far)?;
                    op.prepend(b, &far.exprs(), far.is_closed(), &before)
                })?;
                b.when(lt(int(0), top.clone()), |b| {
                    let all = self.gather(b, op, &all)?;
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

    fn publish(&self, b: &mut Builder<'_>, message: Expr, own: &Partial) {
        let at = b.let_("to", ScalarType::I64, self.place(message));
        let flag = |n: i32| Expr::Const(Scalar::I32(n));
        let flag = select(own.is_closed(), flag(CLOSED), flag(OPEN));
        for (place, v) in self.places.iter().zip(&own.values) {
            let at = add(at.clone(), int(*place));
            b.emit(Stmt::Send { words: self.words, at, value: local(*v), flag: flag.clone() });
        }
    }

    /// Where a message begins; the first one is after the counter.
    fn place(&self, message: Expr) -> Expr {
        mul(add(message, int(1)), int(self.length))
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

    /// Looks at `count` messages from `first` on, one per lane of the first warp, without waiting.
    fn ask(&self, b: &mut Builder<'_>, op: &Combine<'_>, like: &Partial, first: Expr, count: Expr) -> Lowered<Asked> {
        let got = op.start(b, "got", like.closed.is_some());
        let flags: Vec<LocalId> =
            self.places.iter().map(|_| b.var("flag", ScalarType::I32, Expr::Const(Scalar::I32(0)))).collect();
        let at = b.let_("from", ScalarType::I64, self.place(add(first, Expr::Thread)));
        let asked = Asked { got, flags, at, count };
        b.when(lt(Expr::Thread, asked.count.clone()), |b| {
            (0..self.places.len()).for_each(|i| self.receive(b, &asked, i, false));
            Ok(())
        })?;
        Ok(asked)
    }

    fn receive(&self, b: &mut Builder<'_>, asked: &Asked, i: usize, wait: bool) {
        let at = add(asked.at.clone(), int(self.places[i]));
        let (value, flag) = (asked.got.values[i], asked.flags[i]);
        b.emit(Stmt::Receive { value, flag, words: self.words, at, wait });
    }

    /// What was asked for, joined; in all lanes of the first warp. The other warps only come along, so that shuffles
    /// stand where the whole block is.
    fn gather(&self, b: &mut Builder<'_>, op: &Combine<'_>, asked: &Asked) -> Lowered<Partial> {
        b.when(lt(Expr::Thread, asked.count.clone()), |b| {
            for i in 0..self.places.len() {
                b.when(eq(local(asked.flags[i]), Expr::Const(Scalar::I32(0))), |b| {
                    self.receive(b, asked, i, true);
                    Ok(())
                })?;
            }
            if let (Some(closed), Some(flag)) = (asked.got.closed, asked.flags.first()) {
                b.set(closed, eq(local(*flag), Expr::Const(Scalar::I32(CLOSED))));
            }
            Ok(())
        })?;
        op.fold_lanes(b, &asked.got, asked.count.clone())
    }
}

fn set(b: &mut Builder<'_>, op: &Combine<'_>, to: &Partial, from: &Partial) {
    op.assign(b, &to.values, from.exprs());
    if let (Some(t), Some(f)) = (to.closed, from.closed) {
        b.set(t, local(f));
    }
}

/// The next number of a counter (the first word of `counter`), the same in all threads; ends with a barrier. Nobody takes more than `most`, and
/// whoever looks at the kernel should see that.
pub fn ticket(b: &mut Builder<'_>, counter: ParamId, most: Expr) -> Lowered<Expr> {
    let slot = b.array("ticket_of", ScalarType::I64, 1, true);
    b.when(is_first(), |b| {
        let old: LocalId = b.local("ticket", ScalarType::I32);
        let one = Expr::Const(Scalar::I32(1));
        b.emit(Stmt::AtomicAdd { into: old, buffer: counter, at: int(0), value: one });
        let number = min(max(convert(ScalarType::I64, local(old)), int(0)), most);
        b.emit(Stmt::SetElement(slot, int(0), number));
        Ok(())
    })?;
    b.emit(Stmt::Barrier);
    Ok(b.let_("tile", ScalarType::I64, Expr::Element(slot, Box::new(int(0)))))
}
