//! Checking mode: whatever the compiler claims to know about sizes is compared with what happens.
//!
//! ```text
//! proved 0 index ok (i, n)             ok is looked at all the same
//! let ys = map (x) in xs { … }         ys and every x must have the shapes that were inferred for them
//!   let zs = iota n                    regular: n is the same for all x
//! ```
//!
//! A claim that is false stops the run with an error of its own (T0998): the program is fine, the compiler is not. It comes
//! before any error of the program, because a claim must also hold in the elements that run beside one that fails.
//!
//! In this mode no value is taken out of its slot, so that sizes can be evaluated (`claims`); updates copy. Each call has a
//! frame beside the one of its values: where its parallel bodies are, in which iteration its loops are, and over how many
//! elements each regular operator ran before. The samples of `laws` are not looked at: there an operator is applied to
//! elements that it would not meet.

use super::claims::{Broken, Claim, Number, Scope};
use super::eval::{Machine, Outcome};
use super::failure::Failure;
use super::shape::Mismatch;
use super::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;
use terrace_base::Span;
use terrace_ir::check::CheckId;
use terrace_ir::core::print::value_name;
use terrace_ir::core::{Body, Expr, Stmt, StmtKind};
use terrace_ir::shape::{Parallel, Regularity, Shapes, SymbolId};
use terrace_ir::{FuncId, ValueId};

/// How many lengths a call remembers before it starts anew.
const REMEMBERED: usize = 1 << 16;

/// What a run is compared with, and what it did so far.
pub(super) struct Checking<'p> {
    shapes: &'p Shapes,
    /// The parallel operators of each function, by the values that they give.
    parallel: BTreeMap<(FuncId, ValueId), &'p Parallel>,
    frames: Vec<Frame>,
}

/// What is known about one call that is open.
struct Frame {
    function: FuncId,
    /// Where the parallel bodies are, by their first parameter; negative for those that do not run.
    counters: Vec<i64>,
    /// Which values are computed.
    bound: Vec<bool>,
    /// Values that are looked at again when another one is computed.
    waiting: BTreeMap<ValueId, BTreeSet<ValueId>>,
    /// The iterations that the open loops are in, from the outermost one on.
    loops: Vec<i64>,
    /// How many elements the regular operators ran over, for each combination of iterations.
    lengths: BTreeMap<(ValueId, Vec<i64>), i64>,
}

impl<'p> Checking<'p> {
    pub(super) fn new(shapes: &'p Shapes) -> Checking<'p> {
        let all = shapes.functions.enumerate().flat_map(|(id, f)| f.parallel.iter().map(move |p| ((id, p.value), p)));
        Checking { shapes, parallel: all.collect(), frames: Vec::new() }
    }

    pub(super) fn open(&mut self, function: FuncId, slots: usize) {
        self.frames.push(Frame {
            function,
            counters: vec![-1; slots],
            bound: vec![false; slots],
            waiting: BTreeMap::new(),
            loops: Vec::new(),
            lengths: BTreeMap::new(),
        });
    }

    /// How many loops are open in the innermost call.
    pub(super) fn loops(&self) -> usize {
        self.frames.last().map_or(0, |f| f.loops.len())
    }

    /// Closes what was opened since so many calls, and in the last of them so many loops, were open.
    pub(super) fn back_to(&mut self, calls: usize, loops: usize) {
        self.frames.truncate(calls);
        if let Some(frame) = self.frames.last_mut() {
            frame.loops.truncate(loops);
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function runs")
    }
}

impl<'p> Machine<'p> {
    /// A body starts: what it binds is not computed yet.
    #[inline]
    pub(super) fn start(&mut self, body: &Body) {
        if let Some(checking) = &mut self.checking {
            let frame = checking.frame();
            for stmt in &body.stmts {
                if let StmtKind::Let { value, .. } = &stmt.kind {
                    frame.bound[value.index()] = false;
                }
            }
        }
    }

    /// Says where a parallel body runs now; negative when it has ended.
    #[inline]
    pub(super) fn at(&mut self, first: ValueId, position: i64) {
        if let Some(checking) = &mut self.checking {
            checking.frame().counters[first.index()] = position;
        }
    }

    /// Opens a loop.
    #[inline]
    pub(super) fn open_loop(&mut self) {
        if let Some(checking) = &mut self.checking {
            checking.frame().loops.push(0);
        }
    }

    #[inline]
    pub(super) fn next_iteration(&mut self) {
        if let Some(checking) = &mut self.checking
            && let Some(k) = checking.frame().loops.last_mut()
        {
            *k += 1;
        }
    }

    #[inline]
    pub(super) fn close_loop(&mut self) {
        if let Some(checking) = &mut self.checking {
            checking.frame().loops.pop();
        }
    }

    /// A statement, and everything that is claimed about it.
    #[inline(never)]
    pub(super) fn checked_stmt(&mut self, stmt: &'p Stmt) -> Outcome<()> {
        match &stmt.kind {
            StmtKind::Let { value, expr, .. } => {
                let count = self.elements(expr);
                let result = match expr {
                    Expr::Binary(op, a, b) => Value::Scalar(op.apply(*self.scalar(a), *self.scalar(b))),
                    _ => self.expr(expr, stmt.span)?,
                };
                let count = count.or(match &result {
                    Value::Array(array) => Some(array.len() as i64),
                    _ => None,
                });
                self.set(*value, result);
                if let Some(count) = count {
                    self.check_parallel(*value, count, stmt.span)?;
                }
                self.bound(std::slice::from_ref(value), stmt.span)
            }
            StmtKind::Check { cond, .. } if self.bool(*cond) => Ok(()),
            StmtKind::Check { check, values, proved: true, .. } => {
                let values: Vec<String> = values.iter().map(|v| self.scalar(v).to_string()).collect();
                Err(self.proof_is_wrong(*check, &format!("it fails with {}", values.join(", ")), stmt.span))
            }
            StmtKind::Check { check, values, .. } => Err(self.failed_check(*check, values)),
        }
    }

    /// Over how many elements an operator runs, where its operands say so.
    fn elements(&mut self, expr: &Expr) -> Option<i64> {
        let array = match expr {
            Expr::Map { arrays, .. } => *arrays.first()?,
            Expr::Filter { array, .. } | Expr::Reduce { array, .. } | Expr::Scan { array, .. } => *array,
            Expr::Hist { values, .. } | Expr::Scatter { values, .. } => *values,
            Expr::Generate { count, .. } | Expr::Iota(count) | Expr::Replicate { count, .. } => {
                return Some(self.int(*count));
            }
            _ => return None,
        };
        Some(self.with(&array, |a| a.as_array().len() as i64))
    }

    /// Values that have just been bound, all of them before the first is looked at.
    #[inline]
    pub(super) fn bound(&mut self, values: &[ValueId], span: Span) -> Outcome<()> {
        match &mut self.checking {
            Some(checking) => {
                let frame = checking.frame();
                values.iter().for_each(|v| frame.bound[v.index()] = true);
                let mut looked: Vec<ValueId> = values.to_vec();
                looked.extend(values.iter().filter_map(|v| frame.waiting.remove(v)).flatten());
                self.check_bound(&looked, span)
            }
            None => Ok(()),
        }
    }

    fn check_bound(&mut self, values: &[ValueId], span: Span) -> Outcome<()> {
        let Some(checking) = &self.checking else { return Ok(()) };
        let Some((function, scope)) = self.scope(checking) else { return Ok(()) };
        let mut waiting = Vec::new();
        for id in values {
            if let Some(shape) = scope.shapes.values.get(id) {
                let found = scope.check(*id, &scope.slots[id.index()], shape);
                let later = found.map_err(|broken| self.shape_is_wrong(function, scope, *id, &broken, span))?;
                waiting.extend(later.into_iter().map(|v| (v, *id)));
            }
        }
        if let Some(checking) = &mut self.checking {
            let frame = checking.frame();
            waiting.into_iter().for_each(|(v, id)| {
                frame.waiting.entry(v).or_default().insert(id);
            });
        }
        Ok(())
    }

    fn scope<'a>(&'a self, checking: &'a Checking) -> Option<(FuncId, Scope<'a>)> {
        let frame = checking.frames.last()?;
        let shapes = checking.shapes.functions.get(frame.function)?;
        Some((
            frame.function,
            Scope { shapes, slots: self.frame_slots(), counters: &frame.counters, bound: &frame.bound },
        ))
    }

    /// A parallel operator that runs over so many elements here.
    fn check_parallel(&mut self, value: ValueId, count: i64, span: Span) -> Outcome<()> {
        let Some(checking) = &self.checking else { return Ok(()) };
        let Some((function, scope)) = self.scope(checking) else { return Ok(()) };
        let Some(parallel) = checking.parallel.get(&(function, value)).copied() else { return Ok(()) };
        let Parallel { operator, regularity, depth, .. } = *parallel;
        if regularity == Regularity::Irregular {
            return Ok(());
        }
        let claim = match scope.compare(&parallel.length, &[], i128::from(count)) {
            Number::Right | Number::Unknown | Number::Later(_) => None,
            wanted => Some(self.size_text(function, scope, &parallel.length, &wanted)),
        };
        if let Some(claim) = claim {
            let found = format!("that `{operator}` runs over {claim} elements, but it runs over {count}");
            return Err(self.claim_is_wrong(&found, span));
        }
        let Some(checking) = &mut self.checking else { return Ok(()) };
        let frame = checking.frame();
        if regularity == Regularity::Regular && depth > 0 {
            if frame.lengths.len() > REMEMBERED {
                frame.lengths.clear();
            }
            let before = *frame.lengths.entry((value, frame.loops.clone())).or_insert(count);
            if before != count {
                let found = format!(
                    "that all runs of this `{operator}` are equally long, but they run over {before} and {count}"
                );
                return Err(self.claim_is_wrong(&found, span));
            }
        }
        Ok(())
    }

    /// An ascription that was proved, and is wrong.
    pub(super) fn sizes_are_wrong(&self, check: CheckId, miss: &Mismatch, span: Span) -> Box<Failure> {
        let Mismatch { found, wanted, position } = miss;
        self.proof_is_wrong(check, &format!("at {position:?} there are {found} elements and not {wanted}"), span)
    }

    fn proof_is_wrong(&self, check: CheckId, what: &str, span: Span) -> Box<Failure> {
        let info = &self.program.checks[check];
        let kind = info.kind.word();
        let span = if info.span.is_none() { span } else { info.span };
        self.claim_is_wrong(&format!("that the check {check} ({kind}) always holds, but {what}"), span)
    }

    fn shape_is_wrong(&self, function: FuncId, scope: Scope, id: ValueId, broken: &Broken, span: Span) -> Box<Failure> {
        let name = format!("{}{}", value_name(&self.program.functions[function].values, id), broken.place);
        let text = match &broken.claim {
            Claim::Form => format!("another form for `{name}` than it has"),
            Claim::Size { length, size, wanted, found } => {
                let what = if *length { "the length of " } else { "" };
                let claim = self.size_text(function, scope, size, wanted);
                format!("that {what}`{name}` is {claim}, but it is {found}")
            }
        };
        self.claim_is_wrong(&text, span)
    }

    /// A size that is not what it should be, with its value.
    fn size_text(&self, function: FuncId, scope: Scope, size: &Size, wanted: &Number) -> String {
        let values = &self.program.functions[function].values;
        let names = |v: ValueId| value_name(values, v);
        let text = scope.shapes.show(size, &names);
        match wanted {
            Number::Wrong(n, 1) if text == n.to_string() => text,
            Number::Wrong(n, 1) => format!("{text} = {n}"),
            Number::Wrong(n, by) => format!("{text} = {n}/{by}"),
            Number::Missing(symbol) => {
                format!("{text}, where {} does not exist", self.symbol_text(scope, *symbol, &names))
            }
            Number::Right | Number::Unknown | Number::Later(_) => text,
        }
    }

    fn symbol_text(&self, scope: Scope, symbol: SymbolId, names: &dyn Fn(ValueId) -> String) -> String {
        scope.shapes.show(&Size::var(terrace_algebra::SizeVar(symbol.index() as u32)), names)
    }

    fn claim_is_wrong(&self, claim: &str, span: Span) -> Box<Failure> {
        self.fail(Failure::new("claim", &format!("the compiler claims {claim}"), Vec::new(), span))
    }
}
