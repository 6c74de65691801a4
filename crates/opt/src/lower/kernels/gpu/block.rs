//! What the threads of a block work out together: one combination of all their values, or the prefixes of them.
//!
//! Every thread holds a *partial*: the combination of some consecutive elements, and, where rows matter, whether a row ended
//! among them; then the value covers only what came after the last end (`closed`). Partials of neighbours join:
//!
//! ```text
//! (a, open) (b, open)    = (a + b, open)          (a, c) (b, closed) = (b, closed)
//! (a, closed) (b, open)  = (a + b, closed)
//! ```
//!
//! Joining is associative, so a scan of partials carries values across threads and stops at row ends by itself. Lanes of a
//! warp talk by shuffles, warps through a word each in shared memory. The shape of the combination depends only on the
//! number of threads: the same bits on every run. Nothing assumes that the operator commutes.
//!
//! Blelloch, "Prefix sums and their applications", section 1.5, has the joined operator.

use super::super::build::Builder;
use super::super::expr::{add, and, eq, ge, int, local, lt, not, or, quot, sub, truth};
use super::super::{Lowered, body};
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::flat::Operator;
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Shuffle, Stmt};

/// Lanes of a warp.
pub const WARP: i64 = 32;

/// An associative operator inside a kernel.
pub struct Combine<'a> {
    /// The operator; none for sums of `i64` that the lowering itself needs.
    operator: Option<&'a Operator>,
    /// Its neutral element.
    pub neutral: Vec<Expr>,
    /// The types of its operands.
    pub types: Vec<ScalarType>,
}

/// The combination of some consecutive elements, in variables.
#[derive(Clone, Debug)]
pub struct Partial {
    /// The value, a tuple.
    pub values: Vec<LocalId>,
    /// Whether a row ended; none where there are no rows.
    pub closed: Option<LocalId>,
}

impl Partial {
    /// The value as expressions.
    pub fn exprs(&self) -> Vec<Expr> {
        self.values.iter().copied().map(local).collect()
    }

    /// Whether a row ended.
    pub fn is_closed(&self) -> Expr {
        self.closed.map_or(truth(false), local)
    }
}

impl<'a> Combine<'a> {
    /// An operator of the program.
    pub fn of(b: &mut Builder<'_>, operator: &'a Operator, neutral: &[terrace_ir::Atom]) -> Lowered<Combine<'a>> {
        let neutral = body::atoms(b, neutral)?;
        let types = operator.left.iter().map(|v| b.elem(*v)).collect();
        Ok(Combine { operator: Some(operator), neutral, types })
    }

    /// Sums of `i64`.
    pub fn counts() -> Combine<'static> {
        Combine { operator: None, neutral: vec![int(0)], types: vec![ScalarType::I64] }
    }

    /// Whether operands may be exchanged, as far as can be seen.
    pub fn commutes(&self) -> bool {
        self.operator.is_none_or(Operator::commutes)
    }

    /// `left + right`.
    pub fn apply(&self, b: &mut Builder<'_>, left: &[Expr], right: &[Expr]) -> Lowered<Vec<Expr>> {
        match self.operator {
            Some(operator) => b.combine(operator, left, right),
            None => Ok(left.iter().zip(right).map(|(l, r)| add(l.clone(), r.clone())).collect()),
        }
    }

    /// The values in variables of their own.
    pub fn vars(&self, b: &mut Builder<'_>, name: &str, init: &[Expr]) -> Vec<LocalId> {
        self.types.iter().zip(init).map(|(ty, e)| b.var(name, *ty, e.clone())).collect()
    }

    /// The neutral element as a partial.
    pub fn start(&self, b: &mut Builder<'_>, name: &str, rows: bool) -> Partial {
        let values = self.vars(b, name, &self.neutral);
        let closed = rows.then(|| b.var("closed", ScalarType::Bool, truth(false)));
        Partial { values, closed }
    }

    /// A partial with the value of another one.
    pub fn copy(&self, b: &mut Builder<'_>, name: &str, from: &Partial) -> Partial {
        let values = self.vars(b, name, &from.exprs());
        let closed = from.closed.map(|c| b.var("closed", ScalarType::Bool, local(c)));
        Partial { values, closed }
    }

    /// New values for variables, all at once.
    pub fn assign(&self, b: &mut Builder<'_>, to: &[LocalId], values: Vec<Expr>) {
        if let ([v], [e]) = (to, values.as_slice()) {
            b.set(*v, e.clone());
            return;
        }
        let saved = self.vars(b, "t", &values);
        for (v, t) in to.iter().zip(saved) {
            b.set(*v, local(t));
        }
    }

    /// `acc = acc + right`.
    pub fn push(&self, b: &mut Builder<'_>, acc: &[LocalId], right: &[Expr]) -> Lowered<()> {
        let right = self.held(b, right);
        let left: Vec<Expr> = acc.iter().copied().map(local).collect();
        let values = self.apply(b, &left, &right)?;
        self.assign(b, acc, values);
        Ok(())
    }

    /// `acc = acc + right`, where either may be what no elements combine to.
    pub fn join(&self, b: &mut Builder<'_>, acc: &[LocalId], right: &[Expr]) -> Lowered<()> {
        let left: Vec<Expr> = acc.iter().copied().map(local).collect();
        self.join_both(b, &left, right, acc)
    }

    /// `acc = left + acc`, where either may be what no elements combine to.
    pub fn push_front(&self, b: &mut Builder<'_>, left: &[Expr], acc: &[LocalId]) -> Lowered<()> {
        let right: Vec<Expr> = acc.iter().copied().map(local).collect();
        self.join_both(b, left, &right, acc)
    }

    /// `to = left + right`. An operator that may fail is not tried on a neutral element: without elements, nothing fails.
    fn join_both(&self, b: &mut Builder<'_>, left: &[Expr], right: &[Expr], to: &[LocalId]) -> Lowered<()> {
        let (left, right) = (self.held(b, left), self.held(b, right));
        let combined = |b: &mut Builder<'_>| {
            let values = self.apply(b, &left, &right)?;
            self.assign(b, to, values);
            Ok(())
        };
        if !self.may_fail() {
            return combined(b);
        }
        let taken = |values: &[Expr]| {
            let values = values.to_vec();
            move |b: &mut Builder<'_>| {
                self.assign(b, to, values);
                Ok(())
            }
        };
        b.if_(self.is_neutral(&left), taken(&right), |b| b.if_(self.is_neutral(&right), taken(&left), combined))
    }

    /// Whether the operator can fail.
    pub fn may_fail(&self) -> bool {
        self.operator.is_some_and(|o| body::may_fail(&o.body))
    }

    fn is_neutral(&self, values: &[Expr]) -> Expr {
        values.iter().zip(&self.neutral).fold(truth(true), |all, (v, n)| and(all, eq(v.clone(), n.clone())))
    }

    /// Operands that cost something to compute, computed once.
    fn held(&self, b: &mut Builder<'_>, values: &[Expr]) -> Vec<Expr> {
        if self.operator.is_none_or(|o| o.as_binary().is_some()) {
            return values.to_vec();
        }
        values.iter().zip(&self.types).map(|(e, ty)| b.let_("x", *ty, e.clone())).collect()
    }

    /// `acc = acc right`, joined.
    pub fn append(&self, b: &mut Builder<'_>, acc: &Partial, right: &[Expr], closed: Expr) -> Lowered<()> {
        let Some(c) = acc.closed else { return self.join(b, &acc.values, right) };
        b.if_(
            closed.clone(),
            |b| {
                self.assign(b, &acc.values, right.to_vec());
                Ok(())
            },
            |b| self.join(b, &acc.values, right),
        )?;
        b.set(c, or(local(c), closed));
        Ok(())
    }

    /// `acc = left acc`, joined.
    pub fn prepend(&self, b: &mut Builder<'_>, left: &[Expr], closed: Expr, acc: &Partial) -> Lowered<()> {
        let Some(c) = acc.closed else { return self.push_front(b, left, &acc.values) };
        b.when(not(local(c)), |b| self.push_front(b, left, &acc.values))?;
        b.set(c, or(local(c), closed));
        Ok(())
    }

    /// The partial of another lane.
    pub fn shuffle(&self, b: &mut Builder<'_>, kind: Shuffle, from: &Partial, by: Expr) -> Partial {
        let mut get = |v: LocalId, ty: ScalarType| {
            let e = Expr::Shuffle(kind, Box::new(local(v)), Box::new(by.clone()));
            b.var("other", ty, e)
        };
        let values = from.values.iter().zip(&self.types).map(|(v, ty)| get(*v, *ty)).collect();
        let closed = from.closed.map(|c| get(c, ScalarType::Bool));
        Partial { values, closed }
    }

    /// Room for partials in shared memory.
    pub fn shared(&self, b: &mut Builder<'_>, name: &str, count: i64, rows: bool) -> Shared {
        let count = count as usize;
        let values = self.types.iter().map(|ty| b.array(name, *ty, count, true)).collect();
        let closed = rows.then(|| b.array("closed_of", ScalarType::Bool, count, true));
        Shared { values, closed }
    }

    /// What the partials of all threads before each one join to, and what all of them join to; in every thread. Threads of the
    /// whole block take part.
    pub fn scan(&self, b: &mut Builder<'_>, own: &Partial, threads: i64) -> Lowered<(Partial, Partial)> {
        let (lane, warp) = (lane(b), warp(b));
        let rows = own.closed.is_some();
        let upto = self.copy(b, "upto", own);
        b.for_("k", int(0), int(5), int(1), true, |b, k| {
            let by = b.let_("by", ScalarType::I64, shift(k));
            let other = self.shuffle(b, Shuffle::Up, &upto, by.clone());
            b.when(ge(lane.clone(), by), |b| self.prepend(b, &other.exprs(), other.is_closed(), &upto))
        })?;
        let last = self.shuffle(b, Shuffle::Up, &upto, int(1));
        let before = self.start(b, "before", rows);
        let total = if threads > WARP {
            let warps = threads / WARP;
            let words = self.shared(b, "of_warp", warps, rows);
            b.when(eq(lane.clone(), int(WARP - 1)), |b| {
                words.set(b, warp.clone(), &upto.exprs(), upto.is_closed());
                Ok(())
            })?;
            b.emit(Stmt::Barrier);
            let total = self.start(b, "total", rows);
            b.for_("w", int(0), int(warps), int(1), true, |b, w| {
                b.when(eq(w.clone(), warp.clone()), |b| {
                    self.assign(b, &before.values, total.exprs());
                    if let (Some(c), Some(t)) = (before.closed, total.closed) {
                        b.set(c, local(t));
                    }
                    Ok(())
                })?;
                let (values, closed) = words.get(w);
                self.append(b, &total, &values, closed)
            })?;
            total
        } else {
            self.shuffle(b, Shuffle::Lane, &upto, int(WARP - 1))
        };
        b.when(ge(lane, int(1)), |b| self.append(b, &before, &last.exprs(), last.is_closed()))?;
        Ok((before, total))
    }

    /// The values of all threads combined, in the variables of thread 0; those of other threads become anything.
    pub fn fold(&self, b: &mut Builder<'_>, own: &[LocalId], threads: i64) -> Lowered<()> {
        let (lane, warp) = (lane(b), warp(b));
        let whole = Partial { values: own.to_vec(), closed: None };
        self.fold_lanes_of(b, own, WARP)?;
        if threads <= WARP {
            return Ok(());
        }
        let words = self.shared(b, "of_warp", threads / WARP, false);
        b.when(eq(lane, int(0)), |b| {
            words.set(b, warp, &whole.exprs(), truth(false));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        b.when(eq(Expr::Thread, int(0)), |b| {
            b.for_("w", int(1), int(threads / WARP), int(1), false, |b, w| {
                let (values, _) = words.get(w);
                self.join(b, own, &values)
            })
        })
    }

    /// The values of each `lanes` neighbouring lanes combined, in the variables of the first of them; those of the others become
    /// anything. `lanes` is a power of two, at most a warp.
    pub fn fold_lanes_of(&self, b: &mut Builder<'_>, own: &[LocalId], lanes: i64) -> Lowered<()> {
        let lane = lane(b);
        let whole = Partial { values: own.to_vec(), closed: None };
        b.for_("k", int(0), int(i64::from(lanes.ilog2())), int(1), false, |b, k| {
            let by = b.let_("by", ScalarType::I64, shift(k));
            let other = self.shuffle(b, Shuffle::Down, &whole, by.clone());
            if self.may_fail() {
                let pair = sub(add(by.clone(), by), int(1));
                let first = eq(bits(lane.clone(), pair), int(0));
                b.when(first, |b| self.join(b, own, &other.exprs()))
            } else {
                self.push(b, own, &other.exprs())
            }
        })
    }

    /// The partials of the first `count` lanes of a warp joined, in all lanes. Every lane of the warp takes part.
    pub fn fold_lanes(&self, b: &mut Builder<'_>, own: &Partial, count: Expr) -> Lowered<Partial> {
        let lane = lane(b);
        b.for_("k", int(0), int(5), int(1), true, |b, k| {
            let by = b.let_("by", ScalarType::I64, shift(k));
            let other = self.shuffle(b, Shuffle::Down, own, by.clone());
            b.when(lt(add(lane.clone(), by), count), |b| self.append(b, own, &other.exprs(), other.is_closed()))
        })?;
        Ok(self.shuffle(b, Shuffle::Lane, own, int(0)))
    }
}

/// Partials in shared memory.
pub struct Shared {
    values: Vec<ArrayId>,
    closed: Option<ArrayId>,
}

impl Shared {
    /// Puts one there.
    pub fn set(&self, b: &mut Builder<'_>, at: Expr, values: &[Expr], closed: Expr) {
        for (array, e) in self.values.iter().zip(values) {
            b.emit(Stmt::SetElement(*array, at.clone(), e.clone()));
        }
        if let Some(array) = self.closed {
            b.emit(Stmt::SetElement(array, at, closed));
        }
    }

    /// One of them, and whether a row ended in it.
    pub fn get(&self, at: Expr) -> (Vec<Expr>, Expr) {
        let element = |a: &ArrayId| Expr::Element(*a, Box::new(at.clone()));
        let closed = self.closed.as_ref().map_or(truth(false), element);
        (self.values.iter().map(element).collect(), closed)
    }
}

/// The number of the thread in its warp.
pub fn lane(b: &mut Builder<'_>) -> Expr {
    b.let_("lane", ScalarType::I64, bits(Expr::Thread, int(WARP - 1)))
}

/// The number of the warp in its block.
pub fn warp(b: &mut Builder<'_>) -> Expr {
    b.let_("warp", ScalarType::I64, quot(Expr::Thread, int(WARP)))
}

/// Whether this is the first thread of its block.
pub fn is_first() -> Expr {
    eq(Expr::Thread, int(0))
}

/// `a & b` of integers.
pub fn bits(a: Expr, b: Expr) -> Expr {
    and(a, b)
}

fn shift(k: Expr) -> Expr {
    super::super::expr::binary(BinOp::Shl, Expr::Const(Scalar::I64(1)), k)
}
