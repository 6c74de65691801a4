//! Places for the results of scatters, and copies before loops.
//!
//! Where nobody needs the destination any more, the result takes its place and nothing is copied
//! ([`crate::analysis::in_place`]). The points run side by side, so none may read what another one writes. Where the
//! body does read the destination, positions and values are computed first and written afterwards:
//!
//! ```text
//! let ys = scatter grid [n] into xs {        let at, new = map grid [n] { i, xs[j] }
//!   … => i, xs[j]                            let ys @ place of xs = scatter grid [n] into xs {
//! }                                            => at[q], new[q]
//!                                            }
//! ```
//!
//! That costs as much as is written. It is not needed where there is one point that is computed once, nor where a point without checks reads
//! only the element that it writes. A scatter at grid level whose positions may repeat goes over its points more than once, so what they compute is
//! computed first too.

use super::Placer;
use crate::analysis::places::places;
use crate::lower::kernels::Lowered;
use std::collections::BTreeSet;
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::visit::{free_values_of_expr, has_checks, walk};
use terrace_ir::flat::{Body, Descriptor, Expr, Level, Op, OpKind, Stmt, Type};
use terrace_ir::mem::Place;
use terrace_ir::{Atom, ValueId};

impl Placer<'_> {
    /// A scatter at the host level.
    pub(super) fn host_scatter(&mut self, stmt: &Stmt, op: &Op) -> Lowered<()> {
        let OpKind::Scatter { dest, .. } = &op.kind else { return Ok(()) };
        let distinct = matches!(op.kind, OpKind::Scatter { distinct: true, .. });
        let alone = distinct && is_one_point(op) && stmt.binds.iter().all(|v| self.in_place.results.contains(v));
        let mut crowded = false;
        for (v, from) in stmt.binds.iter().zip(dest) {
            if self.in_place.results.contains(v) {
                self.values[*v].at = Some(self.place_of(*from, stmt.span)?);
                crowded |= !alone && !self.writes_apart(op, *from);
            } else {
                let count = self.count_for(*v, &stmt.binds, Some(op), stmt.span)?;
                let block = self.alloc(*v, count, stmt.span);
                self.place_whole(*v, block);
            }
        }
        let again = op.level == Level::Grid && matches!(op.kind, OpKind::Scatter { distinct: false, .. });
        let computes = !is_one_point(op) && !only_reads(op);
        let op = if crowded || (again && computes) { self.staged(op, stmt.span)? } else { op.clone() };
        let op = self.expand(&op, &stmt.binds, stmt.span)?;
        self.push(stmt.binds.clone(), Expr::Op(Box::new(op)), stmt.span);
        Ok(())
    }

    /// The place that a scatter inside a body takes over, if it does.
    pub(super) fn local_destination(
        &self,
        op: &Op,
        index: usize,
        v: ValueId,
        wanted: &[(ValueId, Place)],
    ) -> Option<Place> {
        let OpKind::Scatter { dest, .. } = &op.kind else { return None };
        let from = *dest.get(index)?;
        let there = self.in_place.results.contains(&v) && !wanted.iter().any(|(w, _)| *w == v);
        if there && (is_one_point(op) || self.writes_apart(op, from)) { self.values[from].at.clone() } else { None }
    }

    /// Whether no point reads what another one may have written, if the result has its destination's place.
    fn writes_apart(&self, op: &Op, dest: ValueId) -> bool {
        let columns = |used: BTreeSet<ValueId>| -> BTreeSet<ValueId> {
            used.into_iter().filter(|v| self.values[*v].ty.is_column()).collect()
        };
        let shared = |used: &BTreeSet<ValueId>| self.in_place.is_read(dest, used);
        if op.space.iter().any(|d| shared(&d.values())) {
            return false;
        }
        let mut used = BTreeSet::new();
        walk(&op.body, &mut |s| used.extend(free_values_of_expr(&s.expr)));
        if !shared(&columns(used)) {
            return true;
        }
        let distinct = matches!(op.kind, OpKind::Scatter { distinct: true, .. });
        let mut own = distinct && !has_checks(&op.body);
        walk(&op.body, &mut |s| {
            own &= match &s.expr {
                // A kernel has one name for a block that it writes to.
                Expr::Read { column, at } => {
                    (reads_own(op, at) && self.same_block(*column, dest)) || !shared(&BTreeSet::from([*column]))
                }
                // The bodies of the others are walked by themselves.
                expr if expr.bodies().is_empty() => !shared(&columns(free_values_of_expr(expr))),
                expr => !shared(&columns(expr.operands().into_iter().collect())),
            };
        });
        own
    }

    fn same_block(&self, a: ValueId, b: ValueId) -> bool {
        let block = |v: ValueId| self.values[v].at.as_ref().map(|place| place.block);
        block(a).is_some() && block(a) == block(b)
    }

    /// The scatter of positions and values that a map computes first.
    fn staged(&mut self, op: &Op, span: Span) -> Lowered<Op> {
        let points = self.points(op, span)?;
        let elems: Vec<ScalarType> = op.body.results.iter().map(|a| self.elem_of(a)).collect();
        let column = |elem: ScalarType| Type::Column { elem, length: points.clone() };
        let temporaries: Vec<ValueId> = elems.iter().map(|elem| self.fresh("staged", column(*elem))).collect();
        let first = Op { kind: OpKind::Map { rows: None }, ..op.clone() };
        let map = Stmt { binds: temporaries.clone(), expr: Expr::Op(Box::new(first)), span };
        self.host_stmt(&map)?;
        let n = self.int_value("n", points, span);
        let (index, position) = (self.fresh_int("i"), self.fresh_int("p"));
        let mut body = Body::default();
        for (column, elem) in temporaries.into_iter().zip(elems) {
            let x = self.fresh("x", Type::Scalar(elem));
            let read = Expr::Read { column, at: Atom::Var(position) };
            body.stmts.push(Stmt { binds: vec![x], expr: read, span });
            body.results.push(Atom::Var(x));
        }
        Ok(Op {
            level: op.level,
            space: vec![Descriptor::Regular(n)],
            indices: vec![index],
            positions: vec![position],
            body,
            kind: op.kind.clone(),
        })
    }

    fn elem_of(&self, a: &Atom) -> ScalarType {
        match a {
            Atom::Const(c) => c.ty(),
            Atom::Var(v) => self.values[*v].ty.elem().unwrap_or(ScalarType::I64),
        }
    }

    /// Copies the first values of those states that a loop writes over and does not own.
    pub(super) fn copy_inits(&mut self, vars: &[ValueId], inits: &mut [Atom], span: Span) -> Lowered<()> {
        for (v, init) in vars.iter().zip(inits) {
            if let Atom::Var(from) = *init
                && self.in_place.copied.states.contains(v)
            {
                *init = Atom::Var(self.copy_of(from, span)?);
            }
        }
        Ok(())
    }

    /// Copies the arguments that a call writes over and that are still needed, or someone else's.
    pub(super) fn copy_arguments(&mut self, stmt: &Stmt, args: &mut [Atom]) -> Lowered<()> {
        let Some(first) = stmt.binds.first() else { return Ok(()) };
        for (k, arg) in args.iter_mut().enumerate() {
            if let Atom::Var(from) = *arg
                && self.in_place.copied.arguments.contains(&(*first, k))
            {
                *arg = Atom::Var(self.copy_of(from, stmt.span)?);
            }
        }
        Ok(())
    }

    /// A copy of a column at the host level, in a block of its own.
    fn copy_of(&mut self, column: ValueId, span: Span) -> Lowered<ValueId> {
        let (ty, length) = (self.values[column].ty.clone(), self.length(column));
        let name = self.values[column].name.clone();
        let x = self.fresh("x", Type::Scalar(ty.elem().unwrap_or(ScalarType::I64)));
        let to = self.fresh(&name, ty);
        self.values[to].bound = self.values[column].bound.clone();
        let n = self.int_value("n", length, span);
        let (index, position) = (self.fresh_int("i"), self.fresh_int("p"));
        let read = Stmt { binds: vec![x], expr: Expr::Read { column, at: Atom::Var(position) }, span };
        let op = Op {
            level: Level::Grid,
            space: vec![Descriptor::Regular(n)],
            indices: vec![index],
            positions: vec![position],
            body: Body { stmts: vec![read], results: vec![Atom::Var(x)] },
            kind: OpKind::Map { rows: None },
        };
        self.host_stmt(&Stmt { binds: vec![to], expr: Expr::Op(Box::new(op)), span })?;
        Ok(to)
    }
}

/// Whether a place that a point reads is the one that it writes: the same name, or the same polynomial in its indices.
fn reads_own(op: &Op, at: &Atom) -> bool {
    let Some(own) = op.body.results.first() else { return false };
    at == own || places(op, at).is_some_and(|place| places(op, own) == Some(place))
}

/// Whether points do nothing but read elements at their own position.
fn only_reads(op: &Op) -> bool {
    let own = op.positions.last().map(|p| Atom::Var(*p));
    op.body.stmts.iter().all(|s| matches!(&s.expr, Expr::Read { at, .. } if Some(*at) == own))
}

/// Whether a space is known to have one point.
pub(crate) fn is_one_point(op: &Op) -> bool {
    op.space.iter().all(|d| matches!(d, Descriptor::Regular(a) if *a == Atom::int(1)))
}
