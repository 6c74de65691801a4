//! Whole nests: a thread per outer point, which computes the lengths of inner rows as it comes to them.
//!
//! Flattening writes down how long every inner row is, adds these lengths up, and writes what every inner row reduces to:
//!
//! ```text
//! let len = map grid [n][off] (…) { f }              let total = map grid [n] (i | p) {
//! let offs = scan grid [count] len offsets              let t = reduce thread [off[p + 1] - off[p]] (j) {
//! let part = reduce grid [n][off][offs] { g }             let len = f
//! let total = reduce grid [n][off] { part }               let part = reduce thread [len] (k) { g }
//!                                                         => part } => t }
//! ```
//!
//! Neighbouring threads then often read the same elements, nothing but the results is stored, and there is no search for rows. Two
//! things are made: this version, and operators that count what each thread would do, for a guard.
//!
//! Counting is cheaper than the work: rows that lie one after the other are counted together, nothing but what lengths depend on is computed, and where all points have the same to do
//! there is no count.
//!
//! ```text
//! for j < n { steps += off[s + j + 1] - off[s + j] }        steps += off[s + n] - off[s]
//! ```
//!
//! It starts at a reduction and goes back through the operators that only it needs. Declined: on a GPU, where no lengths are computed
//! on the way (rows that lie in memory one after the other are read in order by the flat version); on a CPU, where no inner row is reduced; results that are read anywhere but at the
//! point they belong to; checks in more than one operator, whose order would show; operators that something else needs too.

use super::nests::Uses;
use crate::analysis::closed;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;
use terrace_base::{BinOp, IdVec, ScalarType, Span};
use terrace_ir::flat::visit::{
    free_values_of_expr, has_checks, refresh, refresh_operator, substitute_with_types, walk, walk_mut,
};
use terrace_ir::flat::{Body, Descriptor, Expr, Level, Op, OpKind, Operator, ScanForm, Space, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId, size_var};

/// A nest that threads can run as a whole.
pub(super) struct Whole {
    /// Its statements, in order; the last one is the reduction that gives the results.
    pub group: Vec<Stmt>,
    /// What else stood between them, which needs none of them.
    pub others: Vec<Stmt>,
    /// The operator that does all of it.
    pub map: Stmt,
    /// How the work of its outer points is found out; none where all of them have the same.
    pub work: Option<Work>,
}

/// What counts the innermost points of every outer one.
pub(super) struct Work {
    /// Binds their sum and the most of one.
    pub stmts: Vec<Stmt>,
    /// The sum.
    pub total: ValueId,
    /// The most of one outer point.
    pub most: ValueId,
}

/// Which nests are taken.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Taken {
    /// Those that compute lengths of inner rows.
    Lengths,
    /// Those too that would only write results of inner rows to memory.
    Results,
}

/// The nest that ends with the last statement, if it is one. `stmts` are what stands before it and it itself.
pub(super) fn whole(
    stmts: &[Stmt],
    taken: Taken,
    uses: &Uses,
    values: &mut IdVec<ValueId, Value>,
) -> Option<(usize, Whole)> {
    let (last, before) = stmts.split_last()?;
    let end = reduction(last)?;
    let begin = before.iter().rposition(|s| !may_move(s)).map_or(0, |at| at + 1);
    let window = &before[begin..];
    let mut inside = needed(window, last, end.space.len() - 1, values);
    // What something else needs stays outside, and so does what a thread cannot compute when it comes to it.
    for _ in 0..=window.len() {
        let group: Vec<Stmt> = pick(window, &inside).chain([last]).cloned().collect();
        let leaving = uses.leaving(&group, values);
        let shared: Vec<usize> =
            inside.iter().copied().filter(|k| window[*k].binds.iter().any(|v| leaving.contains(v))).collect();
        if !shared.is_empty() {
            inside.retain(|k| !shared.contains(k));
            continue;
        }
        let gives_rows = |s: &Stmt| s.expr.op().is_some_and(|op| matches!(op.kind, OpKind::Reduce { .. }));
        let worth = match taken {
            Taken::Lengths => group.iter().any(|s| is_offsets(&s.expr)),
            Taken::Results => {
                group.iter().any(|s| is_offsets(&s.expr)) || group.iter().filter(|s| gives_rows(s)).count() > 1
            }
        };
        if !worth {
            return None;
        }
        let mut nest = Nest::new(&group, end, values, last.span);
        match nest.map(last, end) {
            Err(Stuck::Everywhere) => return None,
            Err(Stuck::At(v)) => {
                let at = inside.iter().copied().find(|k| window[*k].binds.contains(&v))?;
                inside.remove(&at);
            }
            Ok(map) => {
                let checked = |s: &&Stmt| s.expr.bodies().into_iter().any(has_checks);
                let lengths = nest.used_offsets || taken == Taken::Results;
                if !lengths || group.iter().filter(checked).count() > 1 {
                    return None;
                }
                let first = *inside.first()?;
                let is_outside = |k: &usize| !inside.contains(k);
                if (first..window.len()).filter(is_outside).any(|k| checked(&&window[k])) {
                    return None;
                }
                let work = work(&map, end, values)?;
                let others = (0..window.len()).filter(is_outside).map(|k| window[k].clone()).collect();
                return Some((begin, Whole { group, others, map, work }));
            }
        }
    }
    None
}

fn pick<'a>(window: &'a [Stmt], inside: &'a BTreeSet<usize>) -> impl Iterator<Item = &'a Stmt> {
    inside.iter().map(|k| &window[*k])
}

/// The operator that a nest may end with.
fn reduction(stmt: &Stmt) -> Option<&Op> {
    let op = stmt.expr.op()?;
    let plain = |d: &Descriptor| !matches!(d, Descriptor::PerAncestor { .. });
    let fits = op.level == Level::Grid && op.space.len() > 1 && op.space.iter().all(plain);
    (fits && matches!(op.kind, OpKind::Reduce { .. })).then_some(op)
}

/// Whether a statement may change places with others that do not need it.
fn may_move(stmt: &Stmt) -> bool {
    match &stmt.expr {
        Expr::Op(op) => op.level == Level::Grid,
        Expr::Binary(op, ..) => !matches!(op, BinOp::Div | BinOp::Rem),
        expr => matches!(
            expr,
            Expr::Atom(_)
                | Expr::Unary(..)
                | Expr::Fma(..)
                | Expr::Convert(..)
                | Expr::Select(..)
                | Expr::Size(_)
                | Expr::Read { .. }
        ),
    }
}

fn is_offsets(expr: &Expr) -> bool {
    let Some(op) = expr.op() else { return false };
    match &op.kind {
        OpKind::Scan { operator, neutral, form: ScanForm::Offsets } => {
            operator.as_binary() == Some(BinOp::Add) && neutral == &[Atom::int(0)]
        }
        _ => false,
    }
}

/// The statements that the last one needs and that a thread with a point of its outer dimensions might run.
fn needed(window: &[Stmt], last: &Stmt, outer: usize, values: &IdVec<ValueId, Value>) -> BTreeSet<usize> {
    let fits = |s: &Stmt| match s.expr.op() {
        None => true,
        Some(op) => match &op.kind {
            OpKind::Map { rows: None } => op.space.len() >= outer,
            OpKind::Reduce { .. } => op.space.len() > outer,
            _ => is_offsets(&s.expr),
        },
    };
    let mentions = |s: &Stmt| {
        let mut all = free_values_of_expr(&s.expr);
        s.binds.iter().for_each(|v| all.extend(values[*v].mentioned()));
        all
    };
    let mut wanted = mentions(last);
    let mut inside = BTreeSet::new();
    for (k, stmt) in window.iter().enumerate().rev() {
        if fits(stmt) && stmt.binds.iter().any(|v| wanted.contains(v)) {
            wanted.extend(mentions(stmt));
            inside.insert(k);
        }
    }
    inside
}

/// Why a nest is not run as a whole: for good, or because of something that may be computed before it.
enum Stuck {
    Everywhere,
    At(ValueId),
}

/// Rows of a dimension on the way inwards.
#[derive(PartialEq)]
enum Rows {
    Regular(Atom),
    Offsets(ValueId),
    Formula(Size),
}

struct Dim {
    index: ValueId,
    position: ValueId,
    rows: Rows,
}

/// The body under construction at one depth, and what is known there.
#[derive(Default)]
struct Frame {
    stmts: Vec<Stmt>,
    /// Elements of columns, and lengths of rows by their offsets.
    known: BTreeMap<ValueId, Atom>,
}

struct Nest<'a> {
    values: &'a mut IdVec<ValueId, Value>,
    /// Who computes a column of the nest.
    makers: BTreeMap<ValueId, &'a Stmt>,
    /// How many dimensions a thread does not run.
    outer: usize,
    dims: Vec<Dim>,
    frames: Vec<Frame>,
    span: Span,
    used_offsets: bool,
    /// Positions among inner points, of which nobody knows where they begin.
    unknown: BTreeSet<ValueId>,
}

impl<'a> Nest<'a> {
    fn new(group: &'a [Stmt], end: &Op, values: &'a mut IdVec<ValueId, Value>, span: Span) -> Nest<'a> {
        let before = &group[..group.len() - 1];
        let makers = before.iter().flat_map(|s| s.binds.iter().map(move |v| (*v, s))).collect();
        let outer = end.space.len() - 1;
        let (dims, frames) = (Vec::new(), Vec::new());
        Nest { values, makers, outer, dims, frames, span, used_offsets: false, unknown: BTreeSet::new() }
    }

    /// All of it as a map over the outer dimensions; binds what the reduction binds.
    fn map(&mut self, last: &Stmt, end: &Op) -> Result<Stmt, Stuck> {
        for d in 0..self.outer {
            let rows = self.rows(end, d).ok_or(Stuck::Everywhere)?;
            self.dims.push(Dim { index: end.indices[d], position: end.positions[d], rows });
        }
        self.frames.push(Frame::default());
        let results = self.reduce(end, &last.binds)?;
        let frame = self.frames.pop().ok_or(Stuck::Everywhere)?;
        let op = Op {
            level: Level::Grid,
            space: end.space[..self.outer].to_vec(),
            indices: end.indices[..self.outer].to_vec(),
            positions: end.positions[..self.outer].to_vec(),
            body: Body { stmts: frame.stmts, results },
            kind: OpKind::Map { rows: None },
        };
        let expr = Expr::Op(Box::new(op));
        // What is left of the nest would have to be computed before, and where inner points lie nobody knows.
        let free = free_values_of_expr(&expr);
        if let Some(v) = free.iter().find(|v| self.makers.contains_key(v)) {
            return Err(Stuck::At(*v));
        }
        if !free.is_disjoint(&self.unknown) {
            return Err(Stuck::Everywhere);
        }
        Ok(Stmt { binds: last.binds.clone(), expr, span: last.span })
    }

    /// The rows of a dimension of an operator, over the indices on the way.
    fn rows(&self, op: &Op, d: usize) -> Option<Rows> {
        Some(match &op.space[d] {
            Descriptor::Regular(a) => Rows::Regular(*a),
            Descriptor::Irregular { off, .. } => Rows::Offsets(*off),
            dim @ Descriptor::Closed { .. } => {
                let known = |d: usize| self.dims.get(d).map_or(op.indices[d], |dim| dim.index);
                Rows::Formula(closed::length(dim, &|d| size_var(known(d)))?)
            }
            Descriptor::PerAncestor { .. } => return None,
        })
    }

    fn fresh(&mut self, name: &str, ty: ScalarType) -> ValueId {
        self.values.push(Value { name: name.to_string(), ty: Type::Scalar(ty), bound: None, at: () })
    }

    fn emit(&mut self, bind: ValueId, expr: Expr) {
        let stmt = Stmt { binds: vec![bind], expr, span: self.span };
        self.frames.last_mut().expect("a frame for each depth").stmts.push(stmt);
    }

    fn let_(&mut self, name: &str, expr: Expr) -> ValueId {
        let v = self.fresh(name, ScalarType::I64);
        self.emit(v, expr);
        v
    }

    /// A reduction of rows at the point on the way: its results there.
    fn reduce(&mut self, op: &Op, binds: &[ValueId]) -> Result<Vec<Atom>, Stuck> {
        let d = op.space.len() - 1;
        let OpKind::Reduce { operator, neutral, masked } = &op.kind else { return Err(Stuck::Everywhere) };
        let rows = self.rows(op, d).ok_or(Stuck::Everywhere)?;
        let (length, start) = self.length(&rows)?;
        let index = self.fresh("j", ScalarType::I64);
        let position = self.fresh("q", ScalarType::I64);
        self.dims.push(Dim { index, position, rows });
        self.frames.push(Frame::default());
        match start {
            Some(start) => self.emit(position, Expr::Binary(BinOp::Add, start.into(), index.into())),
            None => self.unknown.extend([position]),
        }
        let done = self.body(op, d + 1);
        let frame = self.frames.pop().ok_or(Stuck::Everywhere)?;
        self.dims.pop();
        let body = Body { stmts: frame.stmts, results: done? };
        let mut operator = operator.clone();
        refresh_operator(&mut operator, self.values);
        let kind = OpKind::Reduce { operator, neutral: neutral.clone(), masked: *masked };
        let t = self.fresh("t", ScalarType::I64);
        let row = Op {
            level: Level::Thread,
            space: Space::from([Descriptor::Regular(length)]),
            indices: vec![index],
            positions: vec![t],
            body,
            kind,
        };
        let mut totals = Vec::new();
        for b in binds {
            let (name, elem) = (self.values[*b].name.clone(), self.values[*b].ty.elem().ok_or(Stuck::Everywhere)?);
            totals.push(self.fresh(&name, elem));
        }
        let stmt = Stmt { binds: totals.clone(), expr: Expr::Op(Box::new(row)), span: self.span };
        self.frames.last_mut().expect("a frame for each depth").stmts.push(stmt);
        Ok(totals.into_iter().map(Atom::Var).collect())
    }

    /// How long a row is at the point on the way, and at which position it begins, where that is known.
    fn length(&mut self, rows: &Rows) -> Result<(Atom, Option<ValueId>), Stuck> {
        let parent = self.dims.last().map(|d| d.position).ok_or(Stuck::Everywhere)?;
        match rows {
            Rows::Regular(m) => {
                let known = !self.unknown.contains(&parent);
                let start = known.then(|| self.let_("start", Expr::Binary(BinOp::Mul, parent.into(), *m)));
                Ok((*m, start))
            }
            Rows::Formula(length) => Ok((self.let_("len", Expr::Size(length.clone())).into(), None)),
            Rows::Offsets(off) => match self.makers.get(off).copied() {
                Some(scan) => {
                    let depth = self.frames.len() - 1;
                    if let Some(length) = self.frames[depth].known.get(off) {
                        return Ok((*length, None));
                    }
                    let Some(op) = scan.expr.op().filter(|_| is_offsets(&scan.expr)) else {
                        return Err(Stuck::At(*off));
                    };
                    let length = self.body(op, 1)?.first().copied().ok_or(Stuck::Everywhere)?;
                    self.used_offsets = true;
                    self.frames[depth].known.insert(*off, length);
                    Ok((length, None))
                }
                None => {
                    let next = self.let_("next", Expr::Binary(BinOp::Add, parent.into(), Atom::int(1)));
                    let start = self.let_("start", Expr::Read { column: *off, at: parent.into() });
                    let end = self.let_("end", Expr::Read { column: *off, at: next.into() });
                    let length = self.let_("len", Expr::Binary(BinOp::Sub, end.into(), start.into()));
                    Ok((length.into(), Some(start)))
                }
            },
        }
    }

    /// The body of an operator over the first dimensions on the way, at this point: its statements, and what they give. An operator over one
    /// dimension may number the points of all dimensions on the way.
    fn body(&mut self, op: &Op, depth: usize) -> Result<Vec<Atom>, Stuck> {
        let mut map = BTreeMap::new();
        if op.space.len() == depth && depth == self.dims.len() {
            for (d, dim) in self.dims.iter().enumerate() {
                map.insert(op.indices[d], Atom::Var(dim.index));
                map.insert(op.positions[d], Atom::Var(dim.position));
            }
        } else if op.space.len() == 1 {
            let here = self.dims.last().ok_or(Stuck::Everywhere)?.position;
            map.insert(op.indices[0], Atom::Var(here));
            map.insert(op.positions[0], Atom::Var(here));
        } else {
            return Err(Stuck::Everywhere);
        }
        let mut body = op.body.clone();
        refresh(&mut body, self.values);
        substitute_with_types(&mut body, self.values, &map);
        let mut reads = BTreeSet::new();
        walk(&body, &mut |s| {
            if let Expr::Read { column, at } = &s.expr
                && self.makers.contains_key(column)
            {
                reads.insert((*column, at.var()));
            }
        });
        let mut found = BTreeMap::new();
        for (column, at) in reads {
            let depth = self.dims.iter().position(|d| Some(d.position) == at).ok_or(Stuck::At(column))? + 1;
            found.insert((column, at), self.element(column, depth)?);
        }
        walk_mut(&mut body, &mut |s| {
            if let Expr::Read { column, at } = &s.expr
                && let Some(known) = found.get(&(*column, at.var()))
            {
                s.expr = Expr::Atom(*known);
            }
        });
        self.frames.last_mut().expect("a frame for each depth").stmts.extend(body.stmts);
        Ok(body.results)
    }

    /// The element of a column of the nest at the point on the way that has so many dimensions.
    fn element(&mut self, column: ValueId, depth: usize) -> Result<Atom, Stuck> {
        let frame = depth.checked_sub(self.outer).ok_or(Stuck::At(column))?;
        if let Some(known) = self.frames[frame].known.get(&column) {
            return Ok(*known);
        }
        let maker = self.makers[&column];
        let op = maker.expr.op().ok_or(Stuck::At(column))?;
        let (dims, frames) = (self.dims.split_off(depth), self.frames.split_off(frame + 1));
        let same = |nest: &Self| (0..depth).all(|d| nest.rows(op, d).as_ref() == Some(&nest.dims[d].rows));
        let results = match &op.kind {
            OpKind::Map { rows: None } if op.space.len() == depth && same(self) => self.body(op, depth),
            OpKind::Reduce { .. } if op.space.len() == depth + 1 && same(self) => self.reduce(op, &maker.binds),
            _ => Err(Stuck::At(column)),
        };
        self.dims.extend(dims);
        self.frames.extend(frames);
        let results = results?;
        for (v, a) in maker.binds.iter().zip(results) {
            self.frames[frame].known.insert(*v, a);
        }
        Ok(self.frames[frame].known[&column])
    }
}

/// Operators that count the innermost points of each outer one; nothing where that is the same for all of them.
fn work(map: &Stmt, end: &Op, values: &mut IdVec<ValueId, Value>) -> Option<Option<Work>> {
    let Expr::Op(op) = &map.expr else { return None };
    let mut op = (**op).clone();
    let Type::Column { length, .. } = values[*map.binds.first()?].ty.clone() else { return None };
    let int = |values: &mut IdVec<ValueId, Value>, name: &str| {
        values.push(Value { name: name.to_string(), ty: Type::Scalar(ScalarType::I64), bound: None, at: () })
    };
    let mut steps = count_steps(&mut op.body, values)?;
    let one = steps.pop()?;
    if !varies(&op, &one) {
        return Some(None);
    }
    op.body.results = vec![one];
    let steps = values.push(Value {
        name: "steps".to_string(),
        ty: Type::Column { elem: ScalarType::I64, length: length.clone() },
        bound: values[map.binds[0]].bound.clone(),
        at: (),
    });
    let mut counted = Body {
        stmts: vec![Stmt { binds: vec![steps], expr: Expr::Op(Box::new(op)), span: map.span }],
        results: vec![],
    };
    let stmt = |bind: ValueId, expr: Expr| Stmt { binds: vec![bind], expr, span: map.span };
    let n = int(values, "n");
    counted.stmts.push(stmt(n, Expr::Size(length)));
    let (i, p, x) = (int(values, "i"), int(values, "p"), int(values, "x"));
    values[p].bound = values[end.positions[end.space.len() - 2]].bound.clone();
    let (a, b, c, most_a, most_b, most_c) =
        (int(values, "a"), int(values, "b"), int(values, "c"), int(values, "a"), int(values, "b"), int(values, "c"));
    let body = Body {
        stmts: vec![
            stmt(c, Expr::Binary(BinOp::Add, a.into(), b.into())),
            stmt(most_c, Expr::Binary(BinOp::Max, most_a.into(), most_b.into())),
        ],
        results: vec![c.into(), most_c.into()],
    };
    let operator = Operator { left: vec![a, most_a], right: vec![b, most_b], body };
    let read = stmt(x, Expr::Read { column: steps, at: p.into() });
    let sum = Op {
        level: Level::Grid,
        space: Space::from([Descriptor::Regular(n.into())]),
        indices: vec![i],
        positions: vec![p],
        body: Body { stmts: vec![read], results: vec![x.into(), x.into()] },
        kind: OpKind::Reduce { operator, neutral: vec![Atom::int(0), Atom::int(0)], masked: false },
    };
    let (total, most) = (int(values, "total"), int(values, "most"));
    counted.stmts.push(Stmt { binds: vec![total, most], expr: Expr::Op(Box::new(sum)), span: map.span });
    counted.results = vec![total.into(), most.into()];
    let named = refresh(&mut counted, values);
    let new = |v: ValueId| named.get(&v).and_then(|a| a.var());
    let (total, most) = (new(total)?, new(most)?);
    Some(Some(Work { stmts: counted.stmts, total, most }))
}

/// Whether a value of an operator's body depends on the point.
fn varies(op: &Op, value: &Atom) -> bool {
    let mut own: BTreeSet<ValueId> = op.indices.iter().chain(&op.positions).copied().collect();
    for stmt in &op.body.stmts {
        if !free_values_of_expr(&stmt.expr).is_disjoint(&own) {
            own.extend(&stmt.binds);
        }
    }
    value.var().is_some_and(|v| own.contains(&v))
}

/// The lengths of rows that lie one after the other add up to where the last one ends less where the first one begins: `off[s + n] - off[s]`, where each
/// round of a loop of `n` rounds computes `off[s + j + 1] - off[s + j]`.
struct Beside {
    off: ValueId,
    first: Atom,
}

/// Whether a length in the body of a loop is that of one of such rows.
fn beside(op: &Op, length: Atom) -> Option<Beside> {
    let made = |v: Atom| {
        let stmt = op.body.stmts.iter().find(|s| v.var().is_some_and(|v| s.binds == [v]))?;
        Some(&stmt.expr)
    };
    let Expr::Binary(BinOp::Sub, end, start) = made(length)? else { return None };
    let (Expr::Read { column: a, at: next }, Expr::Read { column: b, at: here }) = (made(*end)?, made(*start)?) else {
        return None;
    };
    let Expr::Binary(BinOp::Add, p, one) = made(*next)? else { return None };
    let Expr::Binary(BinOp::Add, first, index) = made(*here)? else { return None };
    let own = |v: &Atom| v.var() == op.indices.first().copied();
    let outside = made(*first).is_none();
    let binds = op.body.stmts.iter().any(|s| s.binds.contains(a));
    let fits = a == b && p == here && *one == Atom::int(1) && own(index) && outside && !binds;
    fits.then_some(Beside { off: *a, first: *first })
}

/// The number of innermost points of a loop over rows that all lie one after the other, without looking at each.
fn steps_beside(op: &Op, length: Atom, span: Span, values: &mut IdVec<ValueId, Value>) -> Option<(Vec<Stmt>, Atom)> {
    let mut out = Vec::new();
    let mut sum = length;
    let mut put = |name: &str, expr: Expr| {
        let v = values.push(Value { name: name.to_string(), ty: Type::Scalar(ScalarType::I64), bound: None, at: () });
        out.push(Stmt { binds: vec![v], expr, span });
        Atom::Var(v)
    };
    for row in op.body.stmts.iter().filter_map(|s| s.expr.op()) {
        let [Descriptor::Regular(inner)] = row.space.as_slice() else { return None };
        if row.body.stmts.iter().any(|s| s.expr.op().is_some()) {
            return None;
        }
        let Beside { off, first } = beside(op, *inner)?;
        let behind = put("behind", Expr::Binary(BinOp::Add, first, length));
        let end = put("end", Expr::Read { column: off, at: behind });
        let start = put("start", Expr::Read { column: off, at: first });
        let all = put("all", Expr::Binary(BinOp::Sub, end, start));
        sum = put("steps", Expr::Binary(BinOp::Add, sum, all));
    }
    Some((out, sum))
}

/// Makes the loops of a body count what is in them; gives the sum of all, last. What they computed before is computed only if lengths
/// depend on it.
fn count_steps(body: &mut Body, values: &mut IdVec<ValueId, Value>) -> Option<Vec<Atom>> {
    let int = |values: &mut IdVec<ValueId, Value>, name: &str| {
        values.push(Value { name: name.to_string(), ty: Type::Scalar(ScalarType::I64), bound: None, at: () })
    };
    let mut out = Vec::new();
    let mut sums: Vec<Atom> = vec![Atom::int(1)];
    for stmt in std::mem::take(&mut body.stmts) {
        let Some(op) = stmt.expr.op().cloned() else {
            out.push(stmt);
            continue;
        };
        let span = stmt.span;
        let [Descriptor::Regular(length)] = op.space.as_slice() else { return None };
        if !op.body.stmts.iter().any(|s| s.expr.op().is_some()) {
            sums.push(*length);
            out.push(stmt);
            continue;
        }
        if let Some((stmts, steps)) = steps_beside(&op, *length, span, values) {
            out.extend(stmts);
            out.push(stmt);
            sums.push(steps);
            continue;
        }
        let mut inner = op.clone();
        inner.body.results = count_steps(&mut inner.body, values)?;
        let (a, b, c, all) = (int(values, "a"), int(values, "b"), int(values, "c"), int(values, "steps"));
        let add = Stmt { binds: vec![c], expr: Expr::Binary(BinOp::Add, a.into(), b.into()), span };
        let operator =
            Operator { left: vec![a], right: vec![b], body: Body { stmts: vec![add], results: vec![c.into()] } };
        inner.kind = OpKind::Reduce { operator, neutral: vec![Atom::int(0)], masked: false };
        let mut again = Body {
            stmts: vec![Stmt { binds: vec![all], expr: Expr::Op(Box::new(inner)), span }],
            results: vec![all.into()],
        };
        refresh(&mut again, values);
        out.extend(again.stmts);
        out.push(stmt);
        sums.extend(again.results);
    }
    let mut sum = sums.remove(0);
    for x in sums {
        let both = int(values, "steps");
        out.push(Stmt { binds: vec![both], expr: Expr::Binary(BinOp::Add, sum, x), span: Span::none() });
        sum = both.into();
    }
    // Backwards: what is left out may be all that others were for. A check that goes with it is made by whichever version runs; one that is left is what reads rely on.
    let mut used: BTreeSet<ValueId> = sum.var().into_iter().collect();
    let mut kept = Vec::new();
    for stmt in out.into_iter().rev() {
        if matches!(stmt.expr, Expr::Check { .. }) || stmt.binds.iter().any(|v| used.contains(v)) {
            used.extend(free_values_of_expr(&stmt.expr));
            kept.push(stmt);
        }
    }
    kept.reverse();
    body.stmts = kept;
    Some(vec![sum])
}
