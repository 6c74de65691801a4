//! The machine: statements, branches, loops and calls, one after the other.
//!
//! A run can stop in three ways, and the difference matters inside operators:
//!
//! ```text
//! Stop::Point     a check failed at this point: note it, leave the point, go on with the next one
//! Stop::Failure   the program stops
//! Stop::Bug       the program is wrong in a way that its compiler should have prevented
//! ```
//!
//! At the host level a failing check stops the program at once. Inside an operator every other point still runs, and the
//! operator stops the program when it is done, with the least failure (`semantics`: the least check, then the least index).
//! Operators are in `operator.rs`, bindings in `bind.rs`, calls from outside in `entry.rs`.

use super::column::Column;
use super::frame::{Frame, Value};
use super::memory::Memory;
use super::{Counts, Failure, Options};
use std::collections::BTreeMap;
use std::rc::Rc;
use terrace_base::{BinOp, Scalar, ScalarType, Span, convert, fma};
use terrace_ir::check::CheckId;
use terrace_ir::flat::note::Note;
use terrace_ir::flat::print::print_size;
use terrace_ir::flat::{Body, Expr, Level, Program, Stmt};
use terrace_ir::{Atom, FuncId, ValueId};
use terrace_plan::messages;
use terrace_plan::threshold::Guarded;

/// Why evaluation does not go on.
pub(crate) enum Stop {
    Point,
    Failure(Box<Failure>),
    Bug(Box<str>),
}

pub(crate) type Outcome<T> = Result<T, Stop>;

/// Bodies that may be open at once for each call that may: what the native stack is made for.
pub(crate) const BODIES_PER_CALL: usize = 16;

pub(crate) fn bug(text: impl Into<String>) -> Stop {
    Stop::Bug(text.into().into_boxed_str())
}

pub(crate) fn failure(kind: &'static str, text: &str, values: Vec<i64>, span: Span) -> Failure {
    let message = match kind {
        "bug" => format!("internal error: {text}"),
        _ => messages::message(kind, text, &values).title,
    };
    Failure {
        check: None,
        code: messages::code(kind),
        kind,
        text: text.to_string(),
        span,
        values,
        indices: Vec::new(),
        trace: Vec::new(),
        message,
    }
}

pub(crate) struct Machine<'p, A, M: Memory> {
    pub(crate) program: &'p Program<A>,
    pub(crate) options: &'p Options,
    pub(crate) memory: M,
    pub(crate) counts: Counts,
    /// Operators run, by kind and level; [`Counts`] gets them at the end.
    pub(crate) operators: BTreeMap<(&'static str, Level), u64>,
    /// Indices in the operators that are running.
    pub(crate) nest: Vec<i64>,
    /// How many operators are running.
    pub(crate) open: usize,
    /// The least failure of the operators that are running.
    pub(crate) least: Option<Box<Failure>>,
    /// The functions that are running, each with the place it was called from.
    calls: Vec<(FuncId, Span)>,
    pub(crate) bodies: usize,
    /// Columns that threads have kept and not taken yet.
    kept: Vec<Option<Rc<Column>>>,
}

impl<'p, A: Note, M: Memory> Machine<'p, A, M> {
    pub(crate) fn new(program: &'p Program<A>, options: &'p Options, memory: M) -> Self {
        Machine {
            program,
            options,
            memory,
            counts: Counts::default(),
            operators: BTreeMap::new(),
            nest: Vec::new(),
            open: 0,
            least: None,
            calls: Vec::new(),
            bodies: 0,
            kept: Vec::new(),
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts { operators: self.operators.clone(), ..self.counts.clone() }
    }

    pub(crate) fn call(&mut self, id: FuncId, args: Vec<Value<M>>, from: Span) -> Outcome<Vec<Value<M>>> {
        let limit = self.options.depth_limit;
        if self.calls.len() >= limit {
            return Err(self.stop("depth", vec![limit as i64], from));
        }
        let Some(function) = self.program.functions.get(id) else {
            return Err(bug("a call of a function that does not exist"));
        };
        let mut frame = Frame::new(function);
        self.calls.push((id, from));
        self.counts.calls += 1;
        self.bind_all(&mut frame, &function.params, args)?;
        self.body(&mut frame, &function.body)?;
        let results = self.results(&frame, &function.body)?;
        if results.len() != function.results.len() {
            return Err(bug(format!("{} gives {} results", function.name, results.len())));
        }
        for (value, ty) in results.iter().zip(&function.results) {
            self.fits(&frame, value, ty, || format!("a result of {}", function.name))?;
        }
        self.calls.pop();
        Ok(results)
    }

    pub(crate) fn body(&mut self, frame: &mut Frame<'p, A, M>, body: &'p Body) -> Outcome<()> {
        let limit = self.options.depth_limit;
        if self.bodies >= limit.saturating_mul(BODIES_PER_CALL).saturating_add(1000) {
            let span = body.stmts.first().map_or(Span::none(), |s| s.span);
            return Err(self.stop("depth", vec![limit as i64], span));
        }
        self.bodies += 1;
        for stmt in &body.stmts {
            self.stmt(frame, stmt)?;
        }
        self.bodies -= 1;
        Ok(())
    }

    fn results(&self, frame: &Frame<'p, A, M>, body: &Body) -> Outcome<Vec<Value<M>>> {
        body.results.iter().map(|a| frame.get(*a)).collect()
    }

    fn stmt(&mut self, frame: &mut Frame<'p, A, M>, stmt: &'p Stmt) -> Outcome<()> {
        self.counts.statements += 1;
        if self.counts.statements > self.options.step_limit {
            let limit = self.options.step_limit.min(i64::MAX as u64) as i64;
            return Err(self.stop("steps", vec![limit], stmt.span));
        }
        match self.perform(frame, stmt) {
            Err(Stop::Bug(text)) => Err(self.bug_at(frame, stmt, &text)),
            other => other,
        }
    }

    #[cold]
    #[inline(never)]
    fn bug_at(&self, frame: &Frame<'p, A, M>, stmt: &Stmt, text: &str) -> Stop {
        let names: Vec<String> = stmt.binds.iter().map(|v| frame.name(*v)).collect();
        let text = match names.as_slice() {
            [] => format!("in `{}`: {text}", frame.function.name),
            names => format!("in `{}`, statement `{}`: {text}", frame.function.name, names.join(", ")),
        };
        Stop::Failure(self.fail(failure("bug", &text, Vec::new(), stmt.span)))
    }

    // Scalars first and the rest apart: a small native frame for the deep recursions.
    #[inline]
    fn perform(&mut self, frame: &mut Frame<'p, A, M>, stmt: &'p Stmt) -> Outcome<()> {
        let value = match &stmt.expr {
            Expr::Unary(op, a) => {
                let a = frame.scalar(*a)?;
                op.try_apply(a).ok_or_else(|| bug(format!("{} of {a}", op.word())))?
            }
            Expr::Binary(op, a, b) => binary(*op, frame.scalar(*a)?, frame.scalar(*b)?)?,
            Expr::Fma(a, b, c) => {
                let (a, b, c) = (frame.scalar(*a)?, frame.scalar(*b)?, frame.scalar(*c)?);
                if a.ty() != b.ty() || a.ty() != c.ty() || !a.ty().is_number() {
                    return Err(bug(format!("fma of {a}, {b} and {c}")));
                }
                fma(a, b, c)
            }
            Expr::Convert(ty, a) => convert(frame.scalar(*a)?, *ty),
            Expr::Select(c, a, b) => {
                let chosen = if frame.bool(*c)? { a } else { b };
                frame.scalar(*chosen)?
            }
            Expr::Size(size) => {
                let n = frame.size(size).ok_or_else(|| {
                    let text = print_size(&frame.function.values, size);
                    bug(format!("the size {text} has no value"))
                })?;
                let ty = stmt.binds.first().and_then(|v| frame.function.values[*v].ty.elem());
                Scalar::from_i64(ty.unwrap_or(ScalarType::I64), n)
            }
            Expr::Read { column, at } => {
                let at = frame.int(*at)?;
                self.read(frame, *column, at)?
            }
            Expr::Check { check, cond, values } => {
                if frame.bool(*cond)? {
                    return Ok(());
                }
                return Err(self.fail_check(frame, *check, values));
            }
            Expr::If { cond, then, otherwise } => {
                let chosen = if frame.bool(*cond)? { then } else { otherwise };
                self.body(frame, chosen)?;
                return self.move_results(frame, chosen, &stmt.binds);
            }
            Expr::Call { function, args } => return self.call_stmt(frame, stmt, *function, args),
            Expr::Keep { function, args } => return self.keep_stmt(frame, stmt, *function, args),
            Expr::Loop { state, cond, body } => return self.repeat(frame, stmt, state, cond, body),
            _ => return self.bulk(frame, stmt),
        };
        match stmt.binds.as_slice() {
            [id] => self.bind_scalar(frame, *id, value),
            binds => Err(bug(format!("one value for {} binds", binds.len()))),
        }
    }

    #[inline(never)]
    fn move_results(&mut self, frame: &mut Frame<'p, A, M>, body: &Body, binds: &[ValueId]) -> Outcome<()> {
        let results = self.results(frame, body)?;
        self.bind_all(frame, binds, results)
    }

    #[inline(never)]
    fn call_stmt(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        stmt: &'p Stmt,
        function: FuncId,
        args: &[Atom],
    ) -> Outcome<()> {
        if self.open > 0 {
            return Err(bug("a call inside an operator"));
        }
        let args = args.iter().map(|a| frame.get(*a)).collect::<Outcome<Vec<_>>>()?;
        let results = self.call(function, args, stmt.span)?;
        self.bind_all(frame, &stmt.binds, results)
    }

    /// A thread calls: what happens inside is at the host level of the function. A check that fails there fails at this point.
    #[inline(never)]
    fn keep_stmt(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        stmt: &'p Stmt,
        function: FuncId,
        args: &[Atom],
    ) -> Outcome<()> {
        if self.open == 0 {
            return Err(bug("a thread's call at the host level"));
        }
        let args = args.iter().map(|a| frame.get(*a)).collect::<Outcome<Vec<_>>>()?;
        let outside = (std::mem::take(&mut self.open), std::mem::take(&mut self.nest), self.least.take());
        let (calls, bodies) = (self.calls.len(), self.bodies);
        let outcome = self.call(function, args, stmt.span);
        self.calls.truncate(calls);
        self.bodies = bodies;
        (self.open, self.nest, self.least) = outside;
        let results = match outcome {
            Ok(results) => results,
            Err(Stop::Failure(mut failed)) if failed.check.is_some() => {
                failed.indices = self.nest.clone();
                self.note_least(failed);
                return Err(Stop::Point);
            }
            Err(stop) => return Err(stop),
        };
        let mut kept = Vec::new();
        for value in results {
            match value {
                Value::Block(_) => {}
                Value::Column(column, place) => {
                    self.holds(&Value::Column(column.clone(), place), "a column that is kept")?;
                    kept.push(Value::Scalar(Scalar::I64(self.kept.len() as i64)));
                    self.kept.push(Some(column));
                }
                scalar => kept.push(scalar),
            }
        }
        self.bind_all(frame, &stmt.binds, kept)
    }

    #[inline(never)]
    fn repeat(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        stmt: &'p Stmt,
        state: &'p [(ValueId, Atom)],
        cond: &'p Body,
        body: &'p Body,
    ) -> Outcome<()> {
        let ids: Vec<ValueId> = state.iter().map(|(id, _)| *id).collect();
        let mut current = state.iter().map(|(_, init)| frame.get(*init)).collect::<Outcome<Vec<_>>>()?;
        loop {
            self.bind_all(frame, &ids, current)?;
            self.body(frame, cond)?;
            let [again] = cond.results.as_slice() else {
                return Err(bug("a loop's condition is one bool"));
            };
            if !frame.bool(*again)? {
                break;
            }
            self.body(frame, body)?;
            current = self.results(frame, body)?;
        }
        let last = ids.iter().map(|id| frame.get(Atom::Var(*id))).collect::<Outcome<Vec<_>>>()?;
        self.bind_all(frame, &stmt.binds, last)
    }

    #[inline(never)]
    fn bulk(&mut self, frame: &mut Frame<'p, A, M>, stmt: &'p Stmt) -> Outcome<()> {
        if let Expr::Op(op) = &stmt.expr {
            return self.operator(frame, op, &stmt.binds, stmt.span);
        }
        let [id] = stmt.binds.as_slice() else {
            return Err(bug(format!("one value for {} binds", stmt.binds.len())));
        };
        match &stmt.expr {
            Expr::Atom(a) => {
                let value = frame.get(*a)?;
                self.bind(frame, *id, value)
            }
            Expr::MemoryLimit => {
                if self.open > 0 {
                    return Err(bug("the memory limit inside an operator"));
                }
                let bytes = self.options.memory_limit.min(i64::MAX as u64) as i64;
                self.bind_scalar(frame, *id, Scalar::I64(bytes))
            }
            Expr::Guard { threshold, quantity } => {
                if self.open > 0 {
                    return Err(bug("a guard inside an operator"));
                }
                let quantity = frame.int(*quantity)?;
                let threshold = self.program.thresholds.get(*threshold).ok_or_else(|| bug("an unknown threshold"))?;
                let passed = Guarded { name: threshold.name.clone(), quantity, threshold: threshold.value };
                let holds = passed.holds();
                if self.options.log_guards {
                    self.counts.guards.push(passed);
                }
                self.bind_scalar(frame, *id, Scalar::Bool(holds))
            }
            Expr::Literal(atoms) => {
                let mut out = self.output(frame, *id)?;
                for atom in atoms {
                    let value = frame.scalar(*atom)?;
                    self.push(frame, &mut out, value)?;
                }
                self.bind_output(frame, out)
            }
            Expr::Concat(columns) => self.concat(frame, columns, *id),
            Expr::Take(handle) => {
                let at = frame.int(*handle)?;
                let slot = usize::try_from(at).ok().and_then(|k| self.kept.get_mut(k));
                let Some(column) = slot.and_then(Option::take) else {
                    return Err(bug(format!("nothing is kept under {at}")));
                };
                let mut out = self.output(frame, *id)?;
                for at in 0..column.len() {
                    let value = column.get(at).ok_or_else(|| bug("a kept column has a gap"))?;
                    self.push(frame, &mut out, value)?;
                }
                self.bind_output(frame, out)
            }
            Expr::Alloc { elem, count } => {
                let Some(n) = frame.size(count).filter(|n| *n >= 0) else {
                    let text = print_size(&frame.function.values, count);
                    return Err(bug(format!("no block of {text} elements")));
                };
                self.counts.blocks += 1;
                self.counts.block_elements += n as u64;
                let block = self.memory.alloc(*elem, n).map_err(bug)?;
                frame.set(*id, Value::Block(block));
                Ok(())
            }
            _ => Err(bug("a statement that the machine does not know")),
        }
    }

    #[cold]
    #[inline(never)]
    fn fail_check(&mut self, frame: &Frame<'p, A, M>, id: CheckId, values: &[Atom]) -> Stop {
        let values: Outcome<Vec<i64>> = values.iter().map(|v| Ok(shown(frame.scalar(*v)?))).collect();
        let (values, info) = match (values, self.program.checks.get(id)) {
            (Ok(values), Some(info)) => (values, info),
            (Err(stop), _) => return stop,
            (_, None) => return bug("a check that the program does not list"),
        };
        let mut failed = failure(info.kind.word(), info.kind.text(), values, info.span);
        failed.check = Some(id);
        let failed = self.fail(failed);
        if self.open == 0 {
            return Stop::Failure(failed);
        }
        self.note_least(failed);
        Stop::Point
    }

    fn note_least(&mut self, failed: Box<Failure>) {
        let less = match &self.least {
            None => true,
            Some(least) => (failed.check, &failed.indices) < (least.check, &least.indices),
        };
        if less {
            self.least = Some(failed);
        }
    }

    pub(crate) fn stop(&self, kind: &'static str, values: Vec<i64>, span: Span) -> Stop {
        Stop::Failure(self.fail(failure(kind, "", values, span)))
    }

    pub(crate) fn fail(&self, mut failure: Failure) -> Box<Failure> {
        failure.indices = self.nest.clone();
        let mut reached = failure.span;
        for (function, from) in self.calls.iter().rev() {
            let name = self.program.functions[*function].name.clone();
            failure.trace.push((name, reached));
            reached = *from;
        }
        Box::new(failure)
    }
}

pub(crate) fn binary(op: BinOp, a: Scalar, b: Scalar) -> Outcome<Scalar> {
    let divides = matches!(op, BinOp::Div | BinOp::Rem) && b.ty().is_int();
    match op.try_apply(a, b) {
        _ if divides && b.as_i128() == Some(0) => Err(bug("a division by zero that no check guards")),
        Some(value) => Ok(value),
        None => Err(bug(format!("{a} {} {b}", op.symbol()))),
    }
}

// What a message shows must be an integer: floats and large unsigned ones are brought to the nearest.
fn shown(value: Scalar) -> i64 {
    match value {
        Scalar::U64(x) => x.min(i64::MAX as u64) as i64,
        other => convert(other, ScalarType::I64).as_i64().unwrap_or(0),
    }
}
