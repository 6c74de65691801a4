//! Versions: how much of a nest's parallelism is used.
//!
//! The flattener makes everything parallel. That is one version of a nest, and often not the best: where the outer levels
//! alone fill the machine, the inner ones are better run one after the other. A strategy asks for one version everywhere
//! (`rows`); the strategy `auto` makes all versions of each nest (`nests`) and lets the host choose between them when the
//! sizes are known (`tree`):
//!
//! ```text
//! let outer = guard spmv.1.outer rows_len          is there enough to do without the inner level?
//! let total = if outer { map grid [rows_len] … }   a thread per row
//!             else { reduce grid [rows_len][off] … }   a thread per element
//! ```
//!
//! Several operators may be left to the threads of their outer points together, with the lengths of inner rows (`whole`).
//!
//! A recursive call in parallel code has versions too: in waves, or by a thread per point (`alone`).
//!
//! This is the incremental flattening of Munksgaard's thesis, section 7.2, with three differences: guards form a tree per nest whose
//! quantities are known to the host at no cost, statistics of irregular rows are among them, and the text of all versions is
//! at most six times that of one.

mod alone;
mod nests;
mod quantities;
mod report;
mod rows;
mod tree;
mod whole;

pub use report::{Choice, Missing, NestReport, reports};
pub use tree::BUDGET;

use crate::analysis::homes::Homes;
use crate::options::{Options, Strategy};
use nests::Uses;
use rows::Writer;
use terrace_base::{IdVec, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Body, Expr, Level, Op, OpKind, Program, Value};
use terrace_plan::Target;
use whole::Taken;

/// Chooses a version for every operator of the program, or makes all versions of every nest.
pub fn choose_versions(program: &mut Program, options: &Options) {
    let threads = alone::settle(program, options);
    if options.strategy == Strategy::Auto {
        tree::all_versions(program, options, &threads);
        return;
    }
    let mut seen = 0;
    for id in program.functions.ids().filter(|id| !threads.contains(id)) {
        let function = &mut program.functions[id];
        let uses = (options.strategy == Strategy::Outer).then(|| Uses::of(function));
        let mut body = std::mem::take(&mut function.body);
        if let Some(uses) = uses {
            whole_nests(&mut body, taken(options), &uses, &mut function.values);
        }
        rewrite(&mut body, &mut function.values, options, &mut seen);
        function.body = body;
    }
}

/// Which nests a thread may run as a whole. On a GPU, flat passes read inner rows in memory in their order, which neighbouring threads would not.
fn taken(options: &Options) -> Taken {
    if options.target == Target::C { Taken::Results } else { Taken::Lengths }
}

/// Nests that threads can run as a whole are run so.
fn whole_nests(body: &mut Body, taken: Taken, uses: &Uses, values: &mut IdVec<ValueId, Value>) {
    let mut rest = Vec::new();
    let mut stmts = std::mem::take(&mut body.stmts);
    while !stmts.is_empty() {
        if let Some((begin, nest)) = whole::whole(&stmts, taken, uses, values) {
            stmts.truncate(begin);
            stmts.extend(nest.others);
            rest.push(nest.map);
            continue;
        }
        let Some(mut stmt) = stmts.pop() else { break };
        if !matches!(stmt.expr, Expr::Op(_)) {
            stmt.expr.bodies_mut().into_iter().for_each(|b| whole_nests(b, taken, uses, values));
        }
        rest.push(stmt);
    }
    rest.reverse();
    body.stmts = rest;
}

fn rewrite(body: &mut Body, values: &mut IdVec<ValueId, Value>, options: &Options, seen: &mut u64) {
    let mut writer = Writer { values, out: Vec::new(), span: Span::none() };
    for mut stmt in std::mem::take(&mut body.stmts) {
        writer.span = stmt.span;
        match stmt.expr {
            Expr::If { ref mut then, ref mut otherwise, .. } => {
                rewrite(then, writer.values, options, seen);
                rewrite(otherwise, writer.values, options, seen);
                writer.out.push(stmt);
            }
            Expr::Loop { ref mut cond, ref mut body, .. } => {
                rewrite(cond, writer.values, options, seen);
                rewrite(body, writer.values, options, seen);
                writer.out.push(stmt);
            }
            // Threads that run rows already have no other version.
            Expr::Op(op) if op.level == Level::Grid && !(options.strategy == Strategy::Outer && runs_rows(&op)) => {
                *seen += 1;
                writer.version(*op, stmt.binds, pick(options.strategy, *seen));
            }
            _ => writer.out.push(stmt),
        }
    }
    body.stmts = writer.out;
}

fn runs_rows(op: &Op) -> bool {
    op.body.stmts.iter().any(|s| s.expr.op().is_some_and(|inner| matches!(inner.kind, OpKind::Reduce { .. })))
}

fn pick(strategy: Strategy, number: u64) -> Strategy {
    let Strategy::Mix(seed) = strategy else { return strategy };
    // A multiplicative hash: neighbouring numbers should not get neighbouring choices.
    let mixed = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    [Strategy::Seq, Strategy::Outer, Strategy::Block, Strategy::Flat][(mixed >> 61) as usize & 3]
}
