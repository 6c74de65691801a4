//! Flattening: nested parallelism becomes operators over flat spaces.
//!
//! A map inside a map is one operator over a space of two dimensions. The flattener walks Core with a *context*, the space
//! that surrounds the expression, and keeps every value as columns and recipes over that space (`rep.rs`):
//!
//! ```text
//! [sum([x * v[j] for (j, x) in row]) for row in rows]
//!
//! map over rows                      context [n]             row = off[p] … off[p + 1]
//!   map over row                     context [n][off]        x = val[q], j = col[q]
//!     x * v[j]                       scalar code             one `map grid [n][off]`
//!   sum                              context [n]             one `reduce grid [n][off]`
//! ```
//!
//! Four ways to translate an expression (Clifton-Everest's thesis, chapter 4, calls the first *avoid*):
//! - scalar code stays scalar code, inside the body of an operator (`plain.rs`);
//! - an array operator adds a dimension to the context: a regular one where the length is the same at all points, a closed form
//!   where it is a formula over the indices around (`formulas.rs`), else an irregular one (`lifted.rs`);
//! - a loop that only updates arrays element by element is one operator, in which each point runs its turns (`private`);
//! - a conditional over arrays, a loop that a thread cannot run, and a call of a recursive function, works on the points that take
//!   part: a conditional packs them into a context of their own and combines afterwards, a loop does each turn for all points
//!   that still run, a call becomes a call of the *lifted* function that takes all points at once (`branches.rs`, `loops.rs`,
//!   `calls.rs`). Recursion ends when no point is left: one host read per wave. Beside calls and loops stands a version in which each point
//!   is left to a thread (`kept.rs`, `lone_points.rs`).
//!
//! Before that, *labels* say of every value whether it is the same at all points, and of every array whether it is equally long
//! there (`labels`). What is the same is computed once, by the host, and a condition that is makes a choice for all points
//! (`uniform.rs`). Where values cross into a branch, a loop or a function, the label says in which form (`form.rs`,
//! `border.rs`); a function is translated once for each pattern of forms that it is called with.
//!
//! Arrays from outside are referred to, never replicated; rows picked, sliced or repeated are views. Equal lengths share one
//! descriptor. Everything comes out in its fully parallel form; `choose_versions` makes the other versions from it.
//!
//! Enums, and operators that only move elements, were spelled out before (`optimise/spell_out_*`). What it declines it reports as a
//! limit of the compiling back ends (the interpreter runs it).

mod border;
mod branches;
mod build;
mod calls;
mod entries;
mod entry_sizes;
mod env;
mod form;
mod formulas;
mod kept;
mod labels;
mod lifted;
mod lone_points;
mod loops;
mod merge;
mod operators;
mod plain;
mod planned;
mod private;
mod rearrange;
mod rep;
mod rowwise;
mod sizes;
mod stores;
mod uniform;
mod writes;

use crate::analysis::shapes::Analysis;
use crate::options::Options;
use build::Scope;
use env::Env;
use form::Form;
use labels::{Labels, Pattern};
pub use lone_points::LonePoints;
use rep::{Context, Ix, Rep};
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;
use terrace_base::{Diagnostic, IdVec, Span};
use terrace_ir::check::{CheckId, CheckInfo};
use terrace_ir::core;
use terrace_ir::flat::{self, Descriptor, Level, Space, Stmt};
use terrace_ir::{Atom, FuncId, ValueId};

/// Something that the flattener cannot translate yet; the message says what.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

type Types = IdVec<ValueId, core::Value>;

/// Flattens a program. Calls that are left in it must be recursive ones (`inline_calls` has run).
/// `analysis` and `points` are of this very program.
pub fn flatten(
    program: &core::Program,
    analysis: &Analysis,
    points: &LonePoints,
    options: &Options,
) -> Result<flat::Program> {
    let mut f = Flattener {
        core: program,
        analysis,
        options,
        labels: Labels::find(program, analysis, points, options.regularity),
        points,
        functions: IdVec::new(),
        versions: BTreeMap::new(),
        wanted: Vec::new(),
        kept_forms: BTreeMap::new(),
        relying: BTreeSet::new(),
        fun: Building::default(),
        source: FuncId::new(0),
        pattern: Pattern { lifted: false, alone: false, params: Vec::new() },
        counters: BTreeMap::new(),
        checks: program.checks.clone(),
        thresholds: IdVec::new(),
        lone: 0,
        binding: None,
        level: Level::Grid,
        span: Span::none(),
    };
    for (id, function) in program.functions.enumerate() {
        if function.role != core::Role::Internal {
            f.entry(id)?;
        }
    }
    while let Some((source, pattern, id)) = f.wanted.pop() {
        f.build_version(source, pattern, id)?;
    }
    let functions = f.functions.into_vec().into_iter().map(|x| x.expect("every function that is called was built"));
    Ok(flat::Program { functions: functions.collect(), checks: f.checks, thresholds: f.thresholds })
}

struct Flattener<'a> {
    core: &'a core::Program,
    analysis: &'a Analysis,
    options: &'a Options,
    functions: IdVec<FuncId, Option<flat::Function>>,
    labels: Labels,
    /// The bodies of maps that threads may run.
    points: &'a LonePoints,
    /// The versions of functions that are called, by the forms of their arguments.
    versions: BTreeMap<(FuncId, Pattern), FuncId>,
    wanted: Vec<(FuncId, Pattern, FuncId)>,
    /// In which form bodies of maps give what they do to the threads that run them.
    kept_forms: BTreeMap<(FuncId, Pattern), Form>,
    /// Values of Core that were bound inside parallel code and exist only where its points do.
    relying: BTreeSet<(FuncId, ValueId)>,
    fun: Building,
    source: FuncId,
    pattern: Pattern,
    /// The index of the parallel body that has a value as its first parameter.
    counters: BTreeMap<ValueId, Ix>,
    /// The program's checks, and those of what entries are given.
    checks: IdVec<CheckId, CheckInfo>,
    /// What guards of recursive calls and of loops compare with.
    thresholds: IdVec<flat::ThresholdId, flat::Threshold>,
    /// How many have such guards.
    lone: usize,
    /// The value whose expression is being translated.
    binding: Option<ValueId>,
    level: Level,
    span: Span,
}

/// The Flat function being built.
#[derive(Default)]
struct Building {
    values: IdVec<ValueId, flat::Value>,
    stmts: Vec<Vec<Stmt>>,
    /// Offsets already computed, so that equal lengths share one descriptor.
    offsets: Vec<((Space, Ix), ValueId, Atom)>,
    /// The number of elements that each column of offsets ends with.
    totals: BTreeMap<ValueId, Atom>,
    /// Columns that have no element twice.
    distinct: BTreeSet<ValueId>,
    /// Integers that the host computes without asking the device.
    host_known: BTreeSet<ValueId>,
    /// Dimensions with closed forms: the space around, the length over indices, and the dimension.
    closed: Vec<(Space, Size, Descriptor)>,
    /// What integers of the host are, over other ones.
    known: BTreeMap<ValueId, Size>,
    /// Lengths of the arguments of an entry, which are not negative.
    lengths: BTreeSet<ValueId>,
    /// The number of points of a lifted function, which is not 0.
    points: Option<ValueId>,
}

impl<'a> Flattener<'a> {
    fn source(&self) -> &'a core::Function {
        &self.core.functions[self.source]
    }

    fn limit<T>(&self, what: &str) -> Result<T> {
        let text = format!("{what} cannot be flattened yet");
        Err(Box::new(
            Diagnostic::error("T0801", text)
                .primary(self.span, "this part of the program")
                .note("this is a limit of the compiling back ends, not an error in the program")
                .hint("run it with `--backend interp`"),
        ))
    }

    fn rep(&self, atom: Atom, env: &Env) -> Rep {
        match atom {
            Atom::Const(c) => Rep::Scalar(Ix::Atom(atom), c.ty()),
            Atom::Var(v) => env.get(&v).cloned().expect("a value is bound before it is used"),
        }
    }

    fn entry(&mut self, id: FuncId) -> Result<()> {
        let function = &self.core.functions[id];
        self.source = id;
        self.pattern = Labels::entry(self.core, id, self.options.regularity);
        self.counters.clear();
        self.span = function.span;
        self.fun = Building { stmts: vec![Vec::new()], ..Building::default() };
        let (params, owned, param_layouts, mut env) = self.entry_params(function)?;
        let result = self.plain_body(&function.body, &mut env, &Scope::default())?;
        let (leaves, layout) = self.entry_result(&result)?;
        let body = flat::Body { stmts: self.fun.stmts.pop().expect("one body"), results: leaves };
        self.span = function.span;
        let role = match &function.role {
            core::Role::Test { name, arguments } => {
                flat::Role::Test { name: name.clone(), arguments: arguments.clone() }
            }
            _ => flat::Role::Entry,
        };
        let mut built = self.finish(function.name.clone(), role, params, body, param_layouts, Some(layout));
        built.owned = owned;
        self.functions.push(Some(built));
        Ok(())
    }

    fn finish(
        &mut self,
        name: String,
        role: flat::Role,
        params: Vec<ValueId>,
        body: flat::Body,
        param_layouts: Vec<terrace_plan::layout::Layout>,
        result_layout: Option<terrace_plan::layout::Layout>,
    ) -> flat::Function {
        let fun = std::mem::take(&mut self.fun);
        let results = body.results.iter().map(|a| match a {
            Atom::Const(c) => flat::Type::Scalar(c.ty()),
            Atom::Var(v) => fun.values[*v].ty.clone(),
        });
        flat::Function {
            name,
            role,
            params,
            owned: Vec::new(),
            param_layouts,
            results: results.collect(),
            result_layout,
            body,
            values: fun.values,
            span: self.span,
        }
    }

    /// The context with no dimension: the host.
    fn host() -> Context {
        Context::default()
    }
}
