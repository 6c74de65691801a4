//! Places for arrays inside parallel bodies.
//!
//! A thread cannot allocate, so its local arrays get memory before the operator starts, for all points at once. How much
//! each point needs is known by the array's bound. If that is the same everywhere, point `q` has elements `q * bound` to
//! `(q + 1) * bound` of one block. If not, a *size kernel* computes the bound at every point, a scan turns the bounds into
//! starts, and their total is allocated: never the number of points times the largest bound.
//!
//! ```text
//! let r = map grid [n] (i | p) {                let sizes = map grid [n] (i' | p') { let k = ks[p']; k }
//!   let k = ks[p]                               let starts = scan grid [n] by add from 0 offsets { sizes[q] }
//!   let t : f64[k] bound k = map thread [k] …   let t_mem : block = alloc f64 starts[n]
//!   …                                           let r = map grid [n] (i | p) {
//! }                                               let s = starts[p]
//!                                                 let t : f64[k] @ t_mem + s {k by 1} = map thread [k] …
//! ```
//!
//! An array that a point returns as its row is placed in the result straight away. A branch's array has one place, which
//! both sides write; a loop's state has one place, to which the next state is copied. Where the loop writes over its state, that is the
//! place of the first state, if nobody needs that any more.
//!
//! What a block of threads would do stays with one thread where it makes arrays.
//!
//! The size kernel is the part of the body that the bound depends on, with the checks that stand before it. Declined: bounds
//! that depend on an inner operator's indices or on a local array.

use super::Placer;
use crate::lower::kernels::{Lowered, limit};
use std::collections::BTreeSet;
use terrace_algebra::{Dim, Lmad, Size};
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::flat::visit::{bound_values, free_values_of_expr, refresh_op, walk, walk_mut};
use terrace_ir::flat::{Body, Descriptor, Expr, Level, Op, OpKind, Operator, Rows, ScanForm, Stmt, Type};
use terrace_ir::mem::Place;
use terrace_ir::{Atom, ValueId, size_var, value_of};

/// One host-level operator while its local arrays are placed.
struct Outer<'o> {
    op: &'o Op,
    span: Span,
    inside: BTreeSet<ValueId>,
    /// What the body has to read first: starts of local arrays.
    prologue: Vec<Stmt>,
}

impl Placer<'_> {
    /// The operator with places for what its body binds; the statements that it needs before it are added.
    pub(super) fn expand(&mut self, op: &Op, binds: &[ValueId], span: Span) -> Lowered<Op> {
        let demoted = self.demoted(op);
        let op = demoted.as_ref().unwrap_or(op);
        let mut inside: BTreeSet<ValueId> = bound_values(&op.body).into_iter().collect();
        inside.extend(op.indices.iter().chain(&op.positions));
        let mut outer = Outer { op, span, inside, prologue: Vec::new() };
        let mut targets: Vec<Option<Place>> = vec![None; op.body.results.len()];
        if let OpKind::Map { rows: Some(rows) } = op.kind
            && op.body.results.iter().any(|r| self.is_column(r))
        {
            let q = op.positions[op.positions.len() - 1];
            let start = self.fresh_int("start");
            let expr = match rows {
                Rows::From(starts) => Expr::Read { column: starts, at: Atom::Var(q) },
                Rows::Apart(length) => Expr::Binary(BinOp::Mul, Atom::Var(q), length),
            };
            outer.prologue.push(Stmt { binds: vec![start], expr, span });
            for ((target, result), bind) in targets.iter_mut().zip(&op.body.results).zip(binds) {
                if self.is_column(result) {
                    let block = self.place_of(*bind, span)?.block;
                    *target = Some(Place { block, index: from(Size::var(size_var(start)), Size::zero()) });
                }
            }
        }
        let mut body = self.thread_body(&mut outer, &op.body, &targets)?;
        body.stmts.splice(0..0, outer.prologue);
        Ok(Op { body, ..op.clone() })
    }

    /// The operator with the work of a block given to a thread, where a block cannot do it: an array inside would be one for all
    /// threads of the block.
    fn demoted(&self, op: &Op) -> Option<Op> {
        let mut blocks = false;
        let mut fits = true;
        walk(&op.body, &mut |stmt| {
            fits &= !stmt.binds.iter().any(|v| self.values[*v].ty.is_column());
            if let Expr::Op(inner) = &stmt.expr
                && inner.level == Level::Block
            {
                blocks = true;
                fits &= matches!(inner.kind, OpKind::Reduce { .. }) && inner.space.len() == 1;
            }
        });
        if !blocks || fits {
            return None;
        }
        let mut op = op.clone();
        walk_mut(&mut op.body, &mut |stmt| {
            if let Expr::Op(inner) = &mut stmt.expr {
                inner.level = Level::Thread;
            }
        });
        Some(op)
    }

    /// A body in which the arrays among the results are put where `targets` says.
    fn thread_body(&mut self, outer: &mut Outer<'_>, body: &Body, targets: &[Option<Place>]) -> Lowered<Body> {
        let mut wanted: Vec<(ValueId, Place)> = Vec::new();
        for (result, target) in body.results.iter().zip(targets) {
            if let (Atom::Var(v), Some(place)) = (result, target)
                && self.is_column(result)
                && !wanted.iter().any(|(w, _)| w == v)
                && body.stmts.iter().any(|s| s.binds.contains(v) && !matches!(s.expr, Expr::Atom(_)))
            {
                wanted.push((*v, place.clone()));
            }
        }
        for stmt in body.stmts.iter().rev() {
            let Expr::Loop { state, .. } = &stmt.expr else { continue };
            for (first, bind) in self.taken_over(state, &stmt.binds) {
                let here = body.stmts.iter().any(|s| s.binds.contains(&first));
                if let Some((_, place)) = wanted.iter().find(|(w, _)| *w == bind).filter(|_| here) {
                    wanted.push((first, place.clone()));
                }
            }
        }
        let mut out = Vec::new();
        for stmt in &body.stmts {
            let stmt = self.thread_stmt(outer, stmt, &wanted, &mut out)?;
            out.push(stmt);
        }
        let mut results = Vec::new();
        for (result, target) in body.results.iter().zip(targets) {
            match (result, target) {
                (Atom::Var(v), Some(place)) if self.is_column(result) => {
                    let there = self.place_of(*v, outer.span)?;
                    let same = there.block == place.block && there.index.offset == place.index.offset;
                    results.push(if same { *result } else { self.copy(*v, place, &mut out, outer.span) });
                }
                _ => results.push(*result),
            }
        }
        results.extend_from_slice(&body.results[results.len()..]);
        Ok(Body { stmts: out, results })
    }

    fn thread_stmt(
        &mut self,
        outer: &mut Outer<'_>,
        stmt: &Stmt,
        wanted: &[(ValueId, Place)],
        out: &mut Vec<Stmt>,
    ) -> Lowered<Stmt> {
        let expr = match &stmt.expr {
            Expr::Op(op) => {
                for (i, v) in stmt.binds.iter().enumerate() {
                    match self.local_destination(op, i, *v, wanted) {
                        Some(place) => self.values[*v].at = Some(place),
                        None => self.place_local(outer, *v, wanted)?,
                    }
                }
                let targets = vec![None; op.body.results.len()];
                let body = self.thread_body(outer, &op.body, &targets)?;
                Expr::Op(Box::new(Op { body, ..(**op).clone() }))
            }
            Expr::Literal(_) | Expr::Take(_) => {
                for v in &stmt.binds {
                    self.place_local(outer, *v, wanted)?;
                }
                stmt.expr.clone()
            }
            Expr::Keep { function, args } => {
                Expr::Keep { function: *function, args: self.with_blocks(args, stmt.span)? }
            }
            Expr::Atom(Atom::Var(column)) if self.values[*column].ty.is_column() => {
                let place = self.place_of(*column, stmt.span)?;
                if let [to] = stmt.binds.as_slice() {
                    self.values[*to].at = Some(place);
                }
                stmt.expr.clone()
            }
            Expr::If { cond, then, otherwise } => {
                let mut targets = Vec::new();
                for v in &stmt.binds {
                    self.place_local(outer, *v, wanted)?;
                    targets.push(self.values[*v].at.clone());
                }
                let then = self.thread_body(outer, then, &targets)?;
                let otherwise = self.thread_body(outer, otherwise, &targets)?;
                Expr::If { cond: *cond, then, otherwise }
            }
            Expr::Loop { state, cond, body } => self.thread_loop(outer, stmt, state, cond, body, wanted, out)?,
            other => other.clone(),
        };
        Ok(Stmt { binds: stmt.binds.clone(), expr, span: stmt.span })
    }

    #[allow(clippy::too_many_arguments)]
    fn thread_loop(
        &mut self,
        outer: &mut Outer<'_>,
        stmt: &Stmt,
        state: &[(ValueId, Atom)],
        cond: &Body,
        body: &Body,
        wanted: &[(ValueId, Place)],
        out: &mut Vec<Stmt>,
    ) -> Lowered<Expr> {
        let mut first = Vec::new();
        for ((v, init), bind) in state.iter().zip(&stmt.binds) {
            let mut init = *init;
            if self.is_column(&Atom::Var(*v)) {
                match init {
                    Atom::Var(from) if self.can_stay(outer, *v, from, *bind, wanted) => {
                        self.values[*bind].at = self.values[from].at.clone();
                    }
                    _ => self.place_local(outer, *bind, wanted)?,
                }
                let place = self.place_of(*bind, stmt.span)?;
                self.values[*v].at = Some(place.clone());
                if let Atom::Var(from) = init
                    && self.values[from].at.as_ref() != Some(&place)
                {
                    init = self.copy(from, &place, out, stmt.span);
                }
            }
            first.push((*v, init));
        }
        let none = vec![None; cond.results.len()];
        let cond = self.thread_body(outer, cond, &none)?;
        let none = vec![None; body.results.len()];
        let mut body = self.thread_body(outer, body, &none)?;
        // A state that becomes another one is saved before that one is overwritten.
        let mut results = body.results.clone();
        let places: Vec<Option<Place>> = state.iter().map(|(v, _)| self.values[*v].at.clone()).collect();
        for (i, result) in results.iter_mut().enumerate() {
            if let Atom::Var(v) = *result
                && self.is_column(result)
            {
                let there = self.place_of(v, stmt.span)?;
                let other = |(j, p): (usize, &Option<Place>)| j != i && p.as_ref() == Some(&there);
                if places.iter().enumerate().any(other) {
                    let temporary = self.fresh("saved", self.values[v].ty.clone());
                    self.values[temporary].bound = self.values[v].bound.clone();
                    self.place_local(outer, temporary, &[])?;
                    let place = self.place_of(temporary, stmt.span)?;
                    *result = self.copy(v, &place, &mut body.stmts, stmt.span);
                }
            }
        }
        for (result, place) in results.iter_mut().zip(&places) {
            if let (Atom::Var(v), Some(place)) = (*result, place)
                && self.is_column(result)
                && self.values[v].at.as_ref() != Some(place)
            {
                *result = self.copy(v, place, &mut body.stmts, stmt.span);
            }
        }
        body.results = results;
        Ok(Expr::Loop { state: first, cond, body })
    }

    /// The first values of the states that a loop takes over, with what it binds for them.
    fn taken_over(&self, state: &[(ValueId, Atom)], binds: &[ValueId]) -> Vec<(ValueId, ValueId)> {
        let all = state.iter().zip(binds).filter(|((v, _), _)| self.in_place.taken.contains(v));
        all.filter_map(|((_, first), bind)| Some((first.var()?, *bind))).collect()
    }

    /// Whether a state can live where its first value, a local array, is.
    fn can_stay(
        &self,
        outer: &Outer<'_>,
        state: ValueId,
        first: ValueId,
        bind: ValueId,
        wanted: &[(ValueId, Place)],
    ) -> bool {
        let there = wanted.iter().find(|(w, _)| *w == bind).is_none_or(|(_, place)| {
            let own = self.values[first].at.as_ref();
            own.is_some_and(|own| own.block == place.block && own.index.offset == place.index.offset)
        });
        there && self.in_place.taken.contains(&state) && outer.inside.contains(&first)
    }

    /// A copy of a local array, at a place.
    fn copy(&mut self, column: ValueId, place: &Place, out: &mut Vec<Stmt>, span: Span) -> Atom {
        let (length, ty) = (self.length(column), self.values[column].ty.clone());
        let elem = ty.elem().unwrap_or(ScalarType::I64);
        let n = self.fresh_int("n");
        out.push(Stmt { binds: vec![n], expr: Expr::Size(length.clone()), span });
        let (index, position) = (self.fresh_int("i"), self.fresh_int("p"));
        let x = self.fresh("x", Type::Scalar(elem));
        let read = Stmt { binds: vec![x], expr: Expr::Read { column, at: Atom::Var(position) }, span };
        let op = Op {
            level: Level::Thread,
            space: vec![Descriptor::Regular(Atom::Var(n))],
            indices: vec![index],
            positions: vec![position],
            body: Body { stmts: vec![read], results: vec![Atom::Var(x)] },
            kind: OpKind::Map { rows: None },
        };
        let name = self.values[column].name.clone();
        let to = self.fresh(&name, ty);
        self.values[to].bound = self.values[column].bound.clone();
        self.values[to].at = Some(Place { block: place.block, index: from(place.index.offset.clone(), length) });
        out.push(Stmt { binds: vec![to], expr: Expr::Op(Box::new(op)), span });
        Atom::Var(to)
    }

    /// Gives a local array its place: the wanted one, or room of its own at every point.
    fn place_local(&mut self, outer: &mut Outer<'_>, v: ValueId, wanted: &[(ValueId, Place)]) -> Lowered<()> {
        if !self.values[v].ty.is_column() {
            return Ok(());
        }
        let length = self.length(v);
        if let Some((_, place)) = wanted.iter().find(|(w, _)| *w == v) {
            let index = from(place.index.offset.clone(), length);
            self.values[v].at = Some(Place { block: place.block, index });
            return Ok(());
        }
        let (bound, slice) = self.bound_of(outer, v)?;
        let points = self.points(outer.op, outer.span)?;
        let q = outer.op.positions[outer.op.positions.len() - 1];
        let Some(slice) = slice else {
            let count = self.host_bound(&(&points * &bound), &[]).unwrap_or(&points * &bound);
            let block = self.alloc(v, count, outer.span);
            let offset = Size::var(size_var(q)) * bound;
            self.values[v].at = Some(Place { block, index: from(offset, length) });
            return Ok(());
        };
        let starts = self.starts(outer, &points, bound, slice);
        let n = self.int_value("n", points, outer.span);
        let total = self.fresh_int("total");
        self.device.insert(total);
        self.push(vec![total], Expr::Read { column: starts, at: n }, outer.span);
        let block = self.alloc(v, Size::var(size_var(total)), outer.span);
        let start = self.fresh_int("start");
        let read = Expr::Read { column: starts, at: Atom::Var(q) };
        outer.prologue.push(Stmt { binds: vec![start], expr: read, span: outer.span });
        self.values[v].at = Some(Place { block, index: from(Size::var(size_var(start)), length) });
        Ok(())
    }

    /// The bound of a local array and, unless it is the same at every point, the statements that it depends on.
    fn bound_of(&self, outer: &Outer<'_>, v: ValueId) -> Lowered<(Size, Option<Vec<Stmt>>)> {
        let mut bound = self.values[v].bound.clone().unwrap_or_else(|| self.length(v));
        let top: BTreeSet<ValueId> = outer.op.body.stmts.iter().flat_map(|s| s.binds.iter().copied()).collect();
        let given: BTreeSet<ValueId> = outer.op.indices.iter().chain(&outer.op.positions).copied().collect();
        for _ in 0..4 {
            let deep: Vec<ValueId> = bound
                .vars()
                .into_iter()
                .map(value_of)
                .filter(|x| outer.inside.contains(x) && !top.contains(x) && !given.contains(x))
                .collect();
            if deep.is_empty() {
                break;
            }
            for x in deep {
                let larger = self.values[x].bound.clone().filter(|_| bound.terms().all(|(_, c)| c >= 0));
                let Some(larger) = larger else {
                    let name = &self.values[v].name;
                    return Err(limit(
                        outer.span,
                        format!("the size of the local array `{name}` has no bound outside"),
                    ));
                };
                bound = bound.substitute(size_var(x), &larger);
            }
        }
        if bound.vars().into_iter().all(|x| !outer.inside.contains(&value_of(x))) {
            return Ok((bound, None));
        }
        let mut needed: BTreeSet<ValueId> = bound.vars().into_iter().map(value_of).collect();
        let mut slice = Vec::new();
        for stmt in outer.op.body.stmts.iter().rev() {
            let bears = stmt.binds.iter().any(|x| needed.contains(x));
            let check = matches!(stmt.expr, Expr::Check { .. }) && !slice.is_empty();
            if !bears && !check {
                continue;
            }
            let is_local = |x: &ValueId| self.values[*x].ty.is_column() && outer.inside.contains(x);
            let uses = free_values_of_expr(&stmt.expr);
            if stmt.binds.iter().chain(&uses).any(is_local) {
                return Err(limit(outer.span, "the size of a local array depends on another local array"));
            }
            needed.extend(uses);
            slice.push(stmt.clone());
        }
        slice.reverse();
        Ok((bound, Some(slice)))
    }

    /// The size kernel and the scan of what it computes.
    fn starts(&mut self, outer: &Outer<'_>, points: &Size, bound: Size, mut slice: Vec<Stmt>) -> ValueId {
        let span = outer.span;
        let raw = self.fresh_int("bound");
        slice.push(Stmt { binds: vec![raw], expr: Expr::Size(bound), span });
        let size = self.fresh_int("size");
        let clamp = Expr::Binary(BinOp::Max, Atom::Var(raw), Atom::int(0));
        slice.push(Stmt { binds: vec![size], expr: clamp, span });
        let mut op = Op {
            level: outer.op.level,
            space: outer.op.space.clone(),
            indices: outer.op.indices.clone(),
            positions: outer.op.positions.clone(),
            body: Body { stmts: slice, results: vec![Atom::Var(size)] },
            kind: OpKind::Map { rows: None },
        };
        refresh_op(&mut op, &mut self.values);
        let column = |length: Size| Type::Column { elem: ScalarType::I64, length };
        let sizes = self.fresh("sizes", column(points.clone()));
        self.bind_column(sizes, Expr::Op(Box::new(op)), span);
        let n = self.int_value("n", points.clone(), span);
        let (index, position, x) = (self.fresh_int("i"), self.fresh_int("p"), self.fresh_int("x"));
        let (left, right, both) = (self.fresh_int("a"), self.fresh_int("b"), self.fresh_int("c"));
        let plus = Expr::Binary(BinOp::Add, Atom::Var(left), Atom::Var(right));
        let read = Expr::Read { column: sizes, at: Atom::Var(position) };
        let scan = Op {
            level: outer.op.level,
            space: vec![Descriptor::Regular(n)],
            indices: vec![index],
            positions: vec![position],
            body: Body { stmts: vec![Stmt { binds: vec![x], expr: read, span }], results: vec![Atom::Var(x)] },
            kind: OpKind::Scan {
                operator: Operator {
                    left: vec![left],
                    right: vec![right],
                    body: Body {
                        stmts: vec![Stmt { binds: vec![both], expr: plus, span }],
                        results: vec![Atom::Var(both)],
                    },
                },
                neutral: vec![Atom::Const(Scalar::I64(0))],
                form: ScanForm::Offsets,
            },
        };
        let starts = self.fresh("starts", column(points + 1));
        self.bind_column(starts, Expr::Op(Box::new(scan)), span);
        starts
    }

    fn bind_column(&mut self, column: ValueId, expr: Expr, span: Span) {
        let length = self.length(column);
        let count = self.host_bound(&length, &[]).unwrap_or(length);
        let block = self.alloc(column, count, span);
        self.place_whole(column, block);
        self.push(vec![column], expr, span);
    }
}

fn from(offset: Size, count: Size) -> Lmad {
    Lmad { offset, dims: vec![Dim { count, stride: Size::one() }] }
}
