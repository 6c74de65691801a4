//! Versions in which one thread runs a whole point, recursion and loops and all.
//!
//! The flattener leaves a guard at every recursive call in parallel code, and at every map with a loop that the host would repeat: the points in waves
//! (or turns), or each by a thread (`crate::lower::flatten`, `kept.rs`, `lone_points.rs`). Here it is decided by whom:
//!
//! ```text
//! flat, block, any GPU    waves                                      the functions that threads would run go
//! outer, seq              threads, where there is memory             waves stay for where there is not
//! auto                    threads, where there are also many points,
//!                         and none has most of the elements          waves elsewhere, whose own calls ask again; waves of points that
//!                                                                    all take the same branches are better anyway
//! ```
//!
//! So a large array that is sorted alone starts in waves, and goes on in threads when it has fallen into enough parts. What waves run then has few points, and needs no
//! version with a thread per point.
//!
//! A thread has no other threads to share with: the operators of its functions are `thread` operators, whatever the strategy. On a GPU there is no such
//! version: its threads have no memory for arrays of any length.

use super::report::{Choice, Missing, NestReport};
use super::{pick, rewrite};
use crate::optimise::simplify::simplify;
use crate::options::{Options, Strategy, TileSizes};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{IdVec, Scalar, Span};
use terrace_ir::flat::visit::walk;
use terrace_ir::flat::{Body, Expr, Program, Role, Threshold, ThresholdId};
use terrace_ir::{Atom, FuncId, ValueId};
use terrace_plan::Target;

/// Decides who runs recursive calls; the functions that threads run, whose operators are now those of one thread.
pub(super) fn settle(program: &mut Program, options: &Options) -> BTreeSet<FuncId> {
    if asks(options) {
        tune(program, options);
        leave_even_calls(program);
    } else if !program.thresholds.is_empty() {
        let mut seen = 0;
        for function in program.functions.iter_mut() {
            decide(&mut function.body, options, &mut seen);
        }
        program.thresholds = IdVec::new();
        simplify(program);
        drop_unreached(program);
    }
    let threads = run_by_threads(program);
    let by_one = Options { strategy: Strategy::Seq, ..options.clone() };
    for id in &threads {
        let function = &mut program.functions[*id];
        let mut body = std::mem::take(&mut function.body);
        rewrite(&mut body, &mut function.values, &by_one, &mut 0);
        function.body = body;
    }
    threads
}

/// Whether guards are left for the host to answer.
fn asks(options: &Options) -> bool {
    options.strategy == Strategy::Auto && options.target == Target::C
}

/// A call that is a wave or left to threads.
struct Asked {
    guard: ThresholdId,
    span: Span,
    /// What the branch asks.
    alone: ValueId,
    /// Whether its waves are better in any case.
    even: bool,
}

fn asked(program: &Program, body: &Body, out: &mut Vec<Asked>) {
    let bound = |v: ValueId| body.stmts.iter().find(|s| s.binds == [v]);
    let guard_of = |alone: ValueId| {
        let Expr::If { cond: Atom::Var(many), .. } = &bound(alone)?.expr else { return None };
        let guard = bound(*many)?;
        if let Expr::Guard { threshold, .. } = guard.expr { Some((threshold, guard.span)) } else { None }
    };
    for stmt in &body.stmts {
        if let Expr::If { cond: Atom::Var(alone), otherwise, .. } = &stmt.expr
            && let Some((guard, span)) = guard_of(*alone)
        {
            let even = is_even(program, called(otherwise, false));
            out.push(Asked { guard, span, alone: *alone, even });
        }
        if stmt.expr.op().is_none() {
            stmt.expr.bodies().into_iter().for_each(|b| asked(program, b, out));
        }
    }
}

/// Whether all points of some calls take the same branches: then waves are a few operators per call, over rows that lie side by side, and there are as many
/// calls for all points together as a thread makes for one.
fn is_even(program: &Program, calls: BTreeSet<FuncId>) -> bool {
    // The points that take a branch with calls have a function of their own.
    let is_split = |f: FuncId| program.functions[f].name.contains("^wave");
    !calls.is_empty() && !reached(program, calls.into_iter()).into_iter().any(is_split)
}

/// Calls that are even stay in waves.
fn leave_even_calls(program: &mut Program) {
    let mut changed = false;
    for id in program.functions.ids() {
        let mut found = Vec::new();
        asked(program, &program.functions[id].body, &mut found);
        let even: BTreeSet<ValueId> = found.into_iter().filter(|a| a.even).map(|a| a.alone).collect();
        changed |= !even.is_empty();
        answer_no(&mut program.functions[id].body, &even);
    }
    if changed {
        simplify(program);
        drop_unreached(program);
    }
}

fn answer_no(body: &mut Body, asked: &BTreeSet<ValueId>) {
    for stmt in &mut body.stmts {
        if let Expr::If { cond, .. } = &mut stmt.expr
            && cond.var().is_some_and(|v| asked.contains(&v))
        {
            *cond = Atom::Const(Scalar::Bool(false));
        }
        stmt.expr.bodies_mut().into_iter().for_each(|b| answer_no(b, asked));
    }
}

/// From where on guards hold if nobody has tuned them. Waves cost some launches per level, and threads are only as good as they share: 64
/// points, of which the largest has at most a sixteenth of all elements, keep any usual number of threads busy.
fn tune(program: &mut Program, options: &Options) {
    let (points, balance, long) = if options.tiles == TileSizes::TINY { (3, 2, 2) } else { (64, 16, 16) };
    for threshold in program.thresholds.iter_mut() {
        threshold.value = match threshold.name.rsplit('.').next() {
            Some("balanced") => balance,
            Some("long") => long,
            _ => points,
        };
    }
}

/// Guards are answered now. In a mixture each gets an answer of its own, and threads take the points where both say so.
fn decide(body: &mut Body, options: &Options, seen: &mut u64) {
    for stmt in &mut body.stmts {
        if let Expr::Guard { .. } = stmt.expr {
            *seen += 1;
            let strategy = pick(options.strategy, *seen);
            let threads = options.target == Target::C && matches!(strategy, Strategy::Outer | Strategy::Seq);
            stmt.expr = Expr::Atom(Atom::Const(Scalar::Bool(threads)));
        }
        stmt.expr.bodies_mut().into_iter().for_each(|b| decide(b, options, seen));
    }
}

fn called(body: &Body, by_threads: bool) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    walk(body, &mut |s| match &s.expr {
        Expr::Call { function, .. } if !by_threads => {
            found.insert(*function);
        }
        Expr::Keep { function, .. } => {
            found.insert(*function);
        }
        _ => {}
    });
    found
}

fn reached(program: &Program, from: impl Iterator<Item = FuncId>) -> BTreeSet<FuncId> {
    let mut seen: BTreeSet<FuncId> = from.collect();
    let mut open: Vec<FuncId> = seen.iter().copied().collect();
    while let Some(next) = open.pop() {
        open.extend(called(&program.functions[next].body, false).into_iter().filter(|f| seen.insert(*f)));
    }
    seen
}

/// The functions that threads call, and those that these call.
pub(super) fn run_by_threads(program: &Program) -> BTreeSet<FuncId> {
    reached(program, program.functions.iter().flat_map(|f| called(&f.body, true)))
}

/// The functions that waves run only where threads do not: where there are few points, or one has most of the elements.
pub(super) fn run_by_waves(program: &Program) -> BTreeSet<FuncId> {
    let mut from = BTreeSet::new();
    for function in &program.functions {
        let mut found = Vec::new();
        asked(program, &function.body, &mut found);
        walk(&function.body, &mut |s| match &s.expr {
            Expr::If { cond: Atom::Var(v), otherwise, .. } if found.iter().any(|a| a.alone == *v) => {
                from.extend(called(otherwise, false));
            }
            _ => {}
        });
    }
    &reached(program, from.into_iter()) - &run_by_threads(program)
}

fn drop_unreached(program: &mut Program) {
    let entries = program.functions.enumerate().filter(|(_, f)| f.role != Role::Internal).map(|(id, _)| id);
    let wanted = reached(program, entries);
    let mut new = BTreeMap::new();
    let mut kept = IdVec::new();
    for (id, function) in program.functions.enumerate().filter(|(id, _)| wanted.contains(id)) {
        new.insert(id, kept.push(function.clone()));
    }
    program.functions = kept;
    for function in program.functions.iter_mut() {
        renumber(&mut function.body, &new);
    }
}

fn renumber(body: &mut Body, new: &BTreeMap<FuncId, FuncId>) {
    for stmt in &mut body.stmts {
        if let Expr::Call { function, .. } | Expr::Keep { function, .. } = &mut stmt.expr {
            *function = new[function];
        }
        stmt.expr.bodies_mut().into_iter().for_each(|b| renumber(b, new));
    }
}

/// Which versions recursive calls in parallel code have; of the program before anything was decided.
pub(super) fn reports(program: &Program, options: &Options) -> Vec<NestReport> {
    let threads = run_by_threads(program);
    let mut tuned = program.clone();
    tune(&mut tuned, options);
    let by_name = |name: &str| tuned.thresholds.iter().find(|t| t.name == name).cloned();
    let test = |threshold: Threshold, then| Choice::Test {
        threshold,
        then: Box::new(then),
        otherwise: Box::new(Choice::Version("flat")),
    };
    let mut out = Vec::new();
    for (_, function) in program.functions.enumerate().filter(|(id, _)| !threads.contains(id)) {
        let mut found = Vec::new();
        asked(program, &function.body, &mut found);
        for call in found {
            let first = &program.thresholds[call.guard];
            let Some(name) = first.name.strip_suffix(".outer") else { continue };
            let mut missing = Vec::new();
            let mut tree = Choice::Version("flat");
            let mut lacks = |version, why: &str| missing.push(Missing { version, why: why.to_string() });
            match options.target {
                Target::C if call.even => {
                    lacks("outer", "all points take the same branches, and waves are a few operators per call");
                }
                Target::C => {
                    tree = Choice::Version("outer");
                    for threshold in
                        ["long", "balanced", "outer"].iter().filter_map(|guard| by_name(&format!("{name}.{guard}")))
                    {
                        tree = test(threshold, tree);
                    }
                }
                Target::Cuda | Target::OpenCl => {
                    lacks("outer", "a thread of a GPU has no memory for arrays of any length");
                }
            }
            lacks("block", "a recursion is not shared by a block");
            out.push(NestReport {
                name: name.to_string(),
                span: call.span,
                operators: vec!["recursive call".to_string()],
                tree,
                missing,
            });
        }
    }
    out
}
