//! Shape analysis: what is known about sizes before anything is flattened.
//!
//! ```text
//! def mv(xss: [][]f64, ys: []f64) = [[x + y for x in xs, y in ys] for xs in xss]
//!
//! mv[n, m](xss: [n][m]f64, ys: [m]f64) -> [n][m]f64      the inner zip makes all rows as long as ys
//! the zip's check remains (any caller may be wrong); both maps are regular after it
//! ```
//!
//! Three papers meet here. From *Shapes and Flattening* (000): types annotated with sizes, integers that carry their value, function types "for all
//! sizes there exist sizes", dimension functions that parallel maps instantiate and generalise. From *Preserving Regularity* (002): branches and
//! loops that keep shapes keep regularity, and so do those whose condition does not depend on the parallel code around. From position-dependent
//! arrays (003): lengths that are formulas over positions. Beyond them: an equality is a fact only where the check that establishes it
//! dominates; guards, products and bounds refine what is known; checks that hold are found and marked.
//!
//! The walk over a function is in `walk`; functions are walked callees first, to know what a call ensures, then callers first, to know
//! what all calls show about their arguments. A recursive group is walked until its summaries no longer change, starting from "never comes
//! back"; what changes twice is given up.

mod arrays;
mod calls;
mod control;
mod deps;
mod groups;
mod knowledge;
mod literals;
mod loops;
mod parallel;
mod reasons;
mod regularity;
mod report;
mod scalars;
mod signature;
mod symbols;
pub mod text;
mod truth;
mod walk;
mod words;

pub use report::{CheckReport, Status};
pub use signature::Signature;

use calls::{Context, Ensures, Summaries, Summary};
use std::collections::BTreeMap;
use terrace_ir::FuncId;
use terrace_ir::core::{Expr, Program, Role, Stmt, StmtKind, visit};
use terrace_ir::shape::{FunctionShapes, Shapes};
use walk::{Spot, Verdict, Walk};

const ROUNDS: usize = 6;

/// What was found out about a program.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The shapes of all values.
    pub shapes: Shapes,
    verdicts: BTreeMap<FuncId, BTreeMap<Spot, Verdict>>,
    sketches: BTreeMap<FuncId, signature::Sketch>,
    /// Checks that fail in every run of a function, whatever its arguments are.
    certain: BTreeMap<FuncId, Vec<Spot>>,
}

impl Analysis {
    /// Takes over what `other` found out about functions that this one has not seen.
    pub fn add(&mut self, other: Analysis) {
        let Analysis { shapes, verdicts, sketches, certain } = other;
        let known = self.shapes.functions.len();
        for function in shapes.functions.into_vec().into_iter().skip(known) {
            self.shapes.functions.push(function);
        }
        self.verdicts.extend(verdicts.into_iter().filter(|(f, _)| f.index() >= known));
        self.sketches.extend(sketches.into_iter().filter(|(f, _)| f.index() >= known));
        self.certain.extend(certain.into_iter().filter(|(f, _)| f.index() >= known));
    }
}

/// Finds the sizes of everything, and the checks that always hold.
pub fn analyse(program: &Program) -> Analysis {
    let groups = groups::groups(program);
    let mut summaries = Summaries::new();
    let mut own = Own::default();
    for (group, recursive) in &groups {
        summarise(program, group, *recursive, &mut summaries, &mut own);
    }
    let mut contexts: BTreeMap<FuncId, Context> = BTreeMap::new();
    let mut found: BTreeMap<FuncId, Found> = BTreeMap::new();
    for (group, recursive) in groups.iter().rev() {
        look(program, group, *recursive, &summaries, &mut contexts, &mut found);
    }
    let mut shapes = Shapes::default();
    let mut verdicts = BTreeMap::new();
    for f in program.functions.ids() {
        let found = found.remove(&f).expect("every function is in a group");
        shapes.functions.push(found.shapes);
        verdicts.insert(f, found.verdicts);
    }
    Analysis { shapes, verdicts, sketches: own.sketches, certain: own.certain }
}

/// Marks the checks that always hold.
pub fn mark_proved(program: &mut Program, analysis: &Analysis) {
    for (function, verdicts) in program.functions.iter_mut().zip(analysis.verdicts.values()) {
        visit::walk_mut(&mut function.body, &mut |stmt| {
            let holds = spot(stmt).and_then(|spot| verdicts.get(&spot)) == Some(&Verdict::Proved);
            match &mut stmt.kind {
                StmtKind::Check { proved, .. } => *proved |= holds,
                StmtKind::Let { expr: Expr::Ascribe { proved, .. }, .. } => *proved |= holds,
                StmtKind::Let { .. } => {}
            }
        });
    }
}

/// Which verdict belongs to a statement.
fn spot(stmt: &Stmt) -> Option<Spot> {
    match &stmt.kind {
        StmtKind::Check { check, cond, .. } => Some(Spot::Check(*check, cond.var())),
        StmtKind::Let { value, expr: Expr::Ascribe { check, .. }, .. } => Some(Spot::Ascription(*check, *value)),
        StmtKind::Let { .. } => None,
    }
}

/// What a function shows without its callers.
#[derive(Default)]
struct Own {
    sketches: BTreeMap<FuncId, signature::Sketch>,
    certain: BTreeMap<FuncId, Vec<Spot>>,
}

/// What the last walk over a function found.
struct Found {
    shapes: FunctionShapes,
    verdicts: BTreeMap<Spot, Verdict>,
}

/// Callees first: what a call ensures.
fn summarise(program: &Program, group: &[FuncId], recursive: bool, summaries: &mut Summaries, own: &mut Own) {
    if recursive {
        summaries.extend(group.iter().map(|f| (*f, Summary::Never)));
    }
    for round in 0..ROUNDS {
        let mut changed = false;
        for f in group {
            let mut walk = start(program, *f, summaries);
            let (shape, data) = walk.body(&program.functions[*f].body);
            walk.find_first_rows();
            let never = walk.dead;
            own.sketches.insert(*f, walk.sketch(&shape));
            own.certain.insert(*f, report::certain(&walk.verdicts));
            let new = walk.summary(&shape, data);
            let old = summaries.get(f);
            let last = round + 2 >= ROUNDS;
            let next = match old {
                _ if !recursive => Summary::Known(Box::new(new)),
                _ if never && !last => Summary::Never,
                Some(Summary::Known(old)) => Summary::Known(Box::new(calls::widen(old, new, last))),
                _ if last => Summary::Known(Box::new(calls::widen(&new.clone(), new, true))),
                _ => Summary::Known(Box::new(new)),
            };
            changed |= !same(summaries.get(f), &next);
            summaries.insert(*f, next);
        }
        if !recursive || !changed {
            break;
        }
    }
}

fn same(old: Option<&Summary>, new: &Summary) -> bool {
    match (old, new) {
        (Some(Summary::Never), Summary::Never) => true,
        (Some(Summary::Known(a)), Summary::Known(b)) => Ensures::same(a, b),
        _ => false,
    }
}

/// Callers first: everything, with what all calls show.
fn look(
    program: &Program,
    group: &[FuncId],
    recursive: bool,
    summaries: &Summaries,
    contexts: &mut BTreeMap<FuncId, Context>,
    found: &mut BTreeMap<FuncId, Found>,
) {
    for f in group {
        if program.functions[*f].role != Role::Internal {
            contexts.entry(*f).or_default().forget();
        }
    }
    let rounds = if recursive { ROUNDS } else { 1 };
    for round in 0..rounds {
        let mut inner: Vec<(FuncId, Context)> = Vec::new();
        for f in group {
            let mut walk = start(program, *f, summaries);
            let context = contexts.get(f).cloned().unwrap_or_default();
            walk.called_in_parallel = context.in_parallel;
            walk.last = true;
            walk.rely_on(&context, *f);
            walk.body(&program.functions[*f].body);
            let sites = std::mem::take(&mut walk.sites);
            found.insert(*f, finish(walk));
            let (own, others): (Vec<_>, Vec<_>) = sites.into_iter().partition(|(g, _)| group.contains(g));
            inner.extend(own);
            // Earlier rounds count too: that can only make less known.
            others.into_iter().for_each(|(g, c)| shown(contexts, g, c));
        }
        if !recursive {
            return;
        }
        let before: Vec<Option<Context>> = group.iter().map(|f| contexts.get(f).cloned()).collect();
        for (g, mut c) in inner {
            if round + 2 >= rounds {
                c.forget();
            }
            if program.functions[g].role == Role::Internal {
                shown(contexts, g, c);
            } else {
                let context = contexts.entry(g).or_default();
                context.varying.extend(c.varying);
                context.varying_data.extend(c.varying_data);
                context.in_parallel |= c.in_parallel;
            }
        }
        let after: Vec<Option<Context>> = group.iter().map(|f| contexts.get(f).cloned()).collect();
        if before == after {
            return;
        }
    }
}

fn shown(contexts: &mut BTreeMap<FuncId, Context>, callee: FuncId, context: Context) {
    match contexts.get_mut(&callee) {
        Some(known) => known.meet(&context),
        None => {
            contexts.insert(callee, context);
        }
    }
}

fn start<'p>(program: &'p Program, f: FuncId, summaries: &'p Summaries) -> Walk<'p> {
    let mut walk = Walk::new(program, &program.functions[f], summaries);
    walk.parameters();
    walk
}

fn finish(mut walk: Walk) -> Found {
    walk.give_reasons();
    let shapes = FunctionShapes {
        symbols: walk.symbols.table,
        values: walk.shapes,
        parallel: walk.parallel.into_values().collect(),
    };
    Found { shapes, verdicts: walk.verdicts }
}
