//! Operators: a body at every point of a space, and what is done with its results.
//!
//! Each kind is one loop over the steps of a cursor (`space.rs`):
//!
//! ```text
//! map      point: append            reduce   point: combine        row: append, start again
//! scan     point: combine, append   pack     point: append if kept row: append the count
//! ```
//!
//! The kinds that write where their points say are in `writes.rs`.
//!
//! Results go to memory as they come to be, so a result that overwrites what a later point needs is seen. Folds go from left to right and
//! start with the neutral element. A point where a check fails has no result: it is left out of folds, and
//! after the last point the operator stops.

use super::column::Column;
use super::frame::{Frame, Value};
use super::machine::{Machine, Outcome, Stop, binary, bug};
use super::memory::{Memory, RESULT};
use super::space::{Points, Step, read_int};
use std::rc::Rc;
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::flat::note::Note;
use terrace_ir::flat::{Expr, Level, Op, OpKind, Operator, Rows, ScanForm, Stmt, Type};
use terrace_ir::{Atom, ValueId};

/// A column that is being made.
pub(crate) struct Output<M: Memory> {
    id: ValueId,
    elem: ScalarType,
    pub(super) items: Vec<Option<Scalar>>,
    pub(super) place: M::Place,
    /// How many elements were made, where that is not all of them.
    pub(super) made: Option<u64>,
}

/// An operator that is running.
pub(super) struct Running<'p> {
    pub(super) op: &'p Op,
    points: Points<'p>,
    failed: bool,
}

impl<'p, A: Note, M: Memory> Machine<'p, A, M> {
    pub(crate) fn operator(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        op: &'p Op,
        binds: &'p [ValueId],
        span: Span,
    ) -> Outcome<()> {
        let rank = op.space.len();
        if rank == 0 || op.indices.len() != rank || op.positions.len() != rank {
            return Err(bug("a space, its indices and its positions differ in rank"));
        }
        *self.operators.entry((op.name(), op.level)).or_default() += 1;
        let nest = self.nest.len();
        self.nest.resize(nest + rank, 0);
        self.open += 1;
        self.memory.begin(op.level != Level::Thread);
        let mut running = Running { op, points: Points::new(op, nest), failed: false };
        let results = match &op.kind {
            OpKind::Map { rows } => self.map(frame, &mut running, *rows, binds, span)?,
            OpKind::Reduce { operator, neutral, masked } => {
                self.reduce(frame, &mut running, operator, neutral, *masked, binds)?
            }
            OpKind::Scan { operator, neutral, form } => {
                self.scan(frame, &mut running, operator, neutral, *form, binds)?
            }
            OpKind::Pack => self.pack(frame, &mut running, binds)?,
            OpKind::Scatter { dest, distinct } => self.scatter(frame, &mut running, dest, *distinct, binds)?,
            OpKind::Hist { operator, neutral, count } => {
                self.hist(frame, &mut running, operator, neutral, *count, binds)?
            }
            OpKind::Sort { form } => self.sort(frame, &mut running, binds, *form)?,
        };
        self.memory.end();
        self.open -= 1;
        self.nest.truncate(nest);
        if running.failed {
            return match self.least.take_if(|_| self.open == 0) {
                Some(least) => Err(Stop::Failure(least)),
                None => Err(Stop::Point),
            };
        }
        for (id, value) in results.scalars {
            self.bind_scalar(frame, id, value)?;
        }
        results.columns.into_iter().try_for_each(|out| self.bind_output(frame, out))
    }

    /// Goes to the next step and runs the body at a point; whether it got through.
    pub(super) fn step(&mut self, frame: &mut Frame<'p, A, M>, running: &mut Running<'p>) -> Outcome<(Step, bool)> {
        let step = running.points.next(self, frame)?;
        if step != Step::Point {
            return Ok((step, true));
        }
        self.counts.points += 1;
        self.memory.point(running.points.position() as u64);
        let body = &running.op.body;
        let through = self.attempt(running, |machine| machine.body(frame, body))?;
        Ok((step, through.is_some()))
    }

    /// Does something of a point; `None` where a check fails.
    pub(super) fn attempt<T>(
        &mut self,
        running: &mut Running<'p>,
        act: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<Option<T>> {
        let bodies = self.bodies;
        match act(self) {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Point) => {
                self.bodies = bodies;
                running.failed = true;
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    fn map(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        running: &mut Running<'p>,
        rows: Option<Rows>,
        binds: &'p [ValueId],
        span: Span,
    ) -> Outcome<Results<M>> {
        let results = &running.op.body.results;
        same(binds.len(), results.len())?;
        let mut outs = self.outputs(frame, binds)?;
        let copies = if A::PLACES { copies(running.op) } else { 0 };
        loop {
            let (step, through) = self.step(frame, running)?;
            if step == Step::End {
                break;
            }
            if step == Step::Row || !through {
                continue;
            }
            self.counts.copied += copies;
            let p = running.points.position();
            for (out, result) in outs.iter_mut().zip(results) {
                match (rows, frame.get(*result)?) {
                    (_, Value::Scalar(value)) => {
                        self.room(p + 1, span)?;
                        out.items.resize(p as usize + 1, None);
                        self.put(frame, out, p as usize, value)?;
                    }
                    (Some(rows), Value::Column(column, _)) => {
                        let Atom::Var(local) = *result else {
                            return Err(bug("a column is no constant"));
                        };
                        let (from, to) = match rows {
                            Rows::From(starts) => {
                                (read_int(self, frame, starts, p)?, read_int(self, frame, starts, p + 1)?)
                            }
                            Rows::Apart(length) => {
                                let length = frame.int(length)?;
                                (p * length, (p + 1) * length)
                            }
                        };
                        let length = column.len() as i64;
                        if from < 0 || from + length > to {
                            let name = frame.name(local);
                            let text = format!("{name} has {length} elements for {from}..{to}");
                            return Err(bug(text));
                        }
                        self.room(to, span)?;
                        if out.items.len() < to as usize {
                            out.items.resize(to as usize, None);
                        }
                        for k in 0..length {
                            let value = self.read(frame, local, k)?;
                            self.put(frame, out, (from + k) as usize, value)?;
                        }
                    }
                    _ => return Err(bug("a map gives an array, but has no rows")),
                }
            }
        }
        if let Some(Rows::From(rows)) = rows
            && !running.failed
        {
            let length = frame.column(rows)?.0.len() as i64;
            let points = running.points.count();
            if length != points + 1 {
                let name = frame.name(rows);
                let text = format!("{name} has {length} elements for {points} points");
                return Err(bug(text));
            }
            // Room after the last row, where the column is longer than its rows.
            for (out, result) in outs.iter_mut().zip(results) {
                let local = result.var().map(|v| &frame.function.values[v].ty);
                if let (Some(Type::Column { .. }), Type::Column { length, .. }) =
                    (local, &frame.function.values[out.id].ty)
                {
                    let end = read_int(self, frame, rows, points)?;
                    let wanted = frame.size(length).unwrap_or(end).max(end);
                    self.room(wanted, span)?;
                    out.items.resize(wanted as usize, None);
                }
            }
        }
        Ok(Results::columns(outs))
    }

    fn reduce(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        running: &mut Running<'p>,
        operator: &'p Operator,
        neutral: &[Atom],
        masked: bool,
        binds: &'p [ValueId],
    ) -> Outcome<Results<M>> {
        let results = &running.op.body.results;
        let (mask, results) = results.split_at(usize::from(masked).min(results.len()));
        same(binds.len(), results.len())?;
        let fold = Fold::new(operator, neutral, results)?;
        let single = running.op.space.len() == 1;
        let mut outs = match single {
            true => Vec::new(),
            false => self.outputs(frame, binds)?,
        };
        let mut last = Vec::new();
        let mut rows = 0;
        let mut current = fold.start(frame)?;
        loop {
            match self.step(frame, running)? {
                (Step::Point, true) => {
                    let part = mask.first().map_or(Ok(true), |m| frame.bool(*m))?;
                    if part {
                        self.attempt(running, |machine| fold.step(machine, frame, &mut current))?;
                    }
                }
                (Step::Point, false) => {}
                (Step::Row, _) => {
                    self.memory.point(RESULT + rows);
                    rows += 1;
                    for (out, value) in outs.iter_mut().zip(&current) {
                        self.push(frame, out, *value)?;
                    }
                    last = std::mem::replace(&mut current, fold.start(frame)?);
                }
                (Step::End, _) => break,
            }
        }
        Ok(Results {
            scalars: match single {
                true => binds.iter().copied().zip(last).collect(),
                false => Vec::new(),
            },
            columns: outs,
        })
    }

    fn scan(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        running: &mut Running<'p>,
        operator: &'p Operator,
        neutral: &[Atom],
        form: ScanForm,
        binds: &'p [ValueId],
    ) -> Outcome<Results<M>> {
        let results = &running.op.body.results;
        same(binds.len(), results.len())?;
        if form == ScanForm::Offsets && running.op.space.len() != 1 {
            return Err(bug("offsets along more than one dimension"));
        }
        let fold = Fold::new(operator, neutral, results)?;
        let mut outs = self.outputs(frame, binds)?;
        let mut current = fold.start(frame)?;
        loop {
            match self.step(frame, running)? {
                (Step::Point, through) => {
                    // The element must be read before its place may be overwritten.
                    let before = current.clone();
                    if through {
                        self.attempt(running, |machine| fold.step(machine, frame, &mut current))?;
                    }
                    let prefix = match form {
                        ScanForm::Inclusive => &current,
                        ScanForm::Offsets => &before,
                    };
                    for (out, value) in outs.iter_mut().zip(prefix) {
                        self.push(frame, out, *value)?;
                    }
                }
                (Step::Row, _) => {
                    if form == ScanForm::Offsets {
                        self.memory.point(RESULT);
                        for (out, value) in outs.iter_mut().zip(&current) {
                            self.push(frame, out, *value)?;
                        }
                    }
                    current = fold.start(frame)?;
                }
                (Step::End, _) => break,
            }
        }
        Ok(Results::columns(outs))
    }

    fn pack(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        running: &mut Running<'p>,
        binds: &'p [ValueId],
    ) -> Outcome<Results<M>> {
        let results = &running.op.body.results;
        same(binds.len(), results.len())?;
        let (Some((keep, results)), Some((kept, columns))) = (results.split_first(), binds.split_first()) else {
            return Err(bug("a pack without a condition"));
        };
        let single = running.op.space.len() == 1;
        let mut outs = self.outputs(frame, columns)?;
        let mut off = match single {
            true => None,
            false => Some(self.output(frame, *kept)?),
        };
        let mut count = 0;
        if let Some(off) = &mut off {
            self.memory.point(RESULT);
            self.push(frame, off, Scalar::I64(0))?;
        }
        loop {
            match self.step(frame, running)? {
                (Step::Point, true) if frame.bool(*keep)? => {
                    let values = results.iter().map(|r| frame.scalar(*r)).collect::<Outcome<Vec<_>>>()?;
                    self.memory.point(RESULT + count as u64);
                    for (out, value) in outs.iter_mut().zip(values) {
                        self.push(frame, out, value)?;
                    }
                    count += 1;
                }
                (Step::Point, _) => {}
                (Step::Row, _) => {
                    if let Some(off) = &mut off {
                        self.memory.point(RESULT + off.items.len() as u64);
                        self.push(frame, off, Scalar::I64(count))?;
                    }
                }
                (Step::End, _) => break,
            }
        }
        let scalars = match single {
            true => vec![(*kept, Scalar::I64(count))],
            false => Vec::new(),
        };
        Ok(Results { scalars, columns: off.into_iter().chain(outs).collect() })
    }

    pub(super) fn outputs(&mut self, frame: &Frame<'p, A, M>, binds: &[ValueId]) -> Outcome<Vec<Output<M>>> {
        binds.iter().map(|id| self.output(frame, *id)).collect()
    }

    /// A column to be made, empty yet.
    pub(crate) fn output(&mut self, frame: &Frame<'p, A, M>, id: ValueId) -> Outcome<Output<M>> {
        let Type::Column { elem, .. } = frame.function.values[id].ty else {
            return Err(bug(format!("{} is not a column", frame.name(id))));
        };
        let place = self.place(frame, id)?;
        Ok(Output { id, elem, items: Vec::new(), place, made: None })
    }

    /// Appends an element.
    pub(crate) fn push(&mut self, frame: &Frame<'p, A, M>, out: &mut Output<M>, value: Scalar) -> Outcome<()> {
        let at = out.items.len();
        if at >= self.options.element_limit {
            self.room(at as i64 + 1, frame.function.span)?;
        }
        out.items.push(None);
        self.put(frame, out, at, value)
    }

    pub(super) fn put(
        &mut self,
        frame: &Frame<'p, A, M>,
        out: &mut Output<M>,
        at: usize,
        value: Scalar,
    ) -> Outcome<()> {
        if value.ty() != out.elem {
            let (name, elem) = (frame.name(out.id), out.elem);
            return Err(bug(format!("{value} in {name}, a column of {elem}")));
        }
        out.items[at] = Some(value);
        let written = self.memory.write(&out.place, at, value);
        written.map_err(|e| bug(format!("{} at {at}: {e}", frame.name(out.id))))
    }

    pub(super) fn room(&self, count: i64, span: Span) -> Outcome<()> {
        if count as usize > self.options.element_limit {
            let bytes = count.saturating_mul(size_of::<Scalar>() as i64);
            return Err(self.stop("memory", vec![bytes], span));
        }
        Ok(())
    }

    /// Binds a column that is complete.
    pub(crate) fn bind_output(&mut self, frame: &mut Frame<'p, A, M>, out: Output<M>) -> Outcome<()> {
        let made = out.made.unwrap_or(out.items.len() as u64);
        match self.open {
            0 => self.counts.elements += made,
            _ => self.counts.local_elements += made,
        }
        let column = Rc::new(Column::with_gaps(out.elem, out.items));
        let value = Value::Column(column, out.place);
        self.fits_value(frame, &value, out.id)?;
        frame.set(out.id, value);
        Ok(())
    }
}

/// What an operator gives; scalars are bound first, types of columns mention them.
pub(super) struct Results<M: Memory> {
    scalars: Vec<(ValueId, Scalar)>,
    columns: Vec<Output<M>>,
}

impl<M: Memory> Results<M> {
    pub(super) fn columns(columns: Vec<Output<M>>) -> Results<M> {
        Results { scalars: Vec::new(), columns }
    }
}

/// A fold with its operator.
pub(super) struct Fold<'p, 'a> {
    operator: &'p Operator,
    plain: Option<BinOp>,
    neutral: &'a [Atom],
    results: &'a [Atom],
}

impl<'p, 'a> Fold<'p, 'a> {
    pub(super) fn new(operator: &'p Operator, neutral: &'a [Atom], results: &'a [Atom]) -> Outcome<Fold<'p, 'a>> {
        same(operator.left.len(), results.len())?;
        same(operator.right.len(), results.len())?;
        same(operator.body.results.len(), results.len())?;
        same(neutral.len(), results.len())?;
        Ok(Fold { operator, plain: operator.as_binary(), neutral, results })
    }

    pub(super) fn start<A, M: Memory>(&self, frame: &Frame<'p, A, M>) -> Outcome<Vec<Scalar>> {
        self.neutral.iter().map(|a| frame.scalar(*a)).collect()
    }

    /// Combines what has been folded with the results at the current point.
    pub(super) fn step<A: Note, M: Memory>(
        &self,
        machine: &mut Machine<'p, A, M>,
        frame: &mut Frame<'p, A, M>,
        current: &mut [Scalar],
    ) -> Outcome<()> {
        if let (Some(op), [left], [right]) = (self.plain, &mut *current, self.results) {
            *left = binary(op, *left, frame.scalar(*right)?)?;
            return Ok(());
        }
        for (k, result) in self.results.iter().enumerate() {
            let right = frame.scalar(*result)?;
            machine.bind_scalar(frame, self.operator.left[k], current[k])?;
            machine.bind_scalar(frame, self.operator.right[k], right)?;
        }
        machine.body(frame, &self.operator.body)?;
        for (k, result) in self.operator.body.results.iter().enumerate() {
            current[k] = frame.scalar(*result)?;
        }
        Ok(())
    }
}

pub(super) fn same(binds: usize, results: usize) -> Outcome<()> {
    match binds == results {
        true => Ok(()),
        false => Err(bug(format!("{results} results for {binds} binds"))),
    }
}

/// How many elements a point of a map only copies: all of its results, or none.
fn copies(op: &Op) -> u64 {
    let own = op.positions.last().map(|p| Atom::Var(*p));
    let copied = |stmt: &Stmt| matches!(&stmt.expr, Expr::Read { at, .. } if Some(*at) == own);
    let only = op.body.stmts.len() == op.body.results.len() && op.body.stmts.iter().all(copied);
    if only { op.body.results.len() as u64 } else { 0 }
}
