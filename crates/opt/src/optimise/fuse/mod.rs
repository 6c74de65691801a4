//! Fusion: operators over the same points become one.
//!
//! ```text
//! let t : f64[…] = map grid [n][off] (i, j | p, q) { … => x * v }        let s = reduce grid [n][off] … by add {
//! let s : f64[n] = reduce grid [n][off] (k, l | r, z) by add { t[z] }  →    … x * v
//!                                                                         }
//! ```
//!
//! `engine` decides, for any language that says what its operators are; `core` says it for Core, `flat` for Flat, where `rewrite` and `masks` do the work. The
//! rules are listed in the engine's head. Dear work is never done twice: loops, calls, functions such as `exp`, more than one gather
//! (Clifton-Everest's thesis, section 5.3, decides component by component; so does this). Checks move along with the body they stand in, and
//! run exactly as often as before.
//!
//! What was not fused can be listed with the reason ([`refusals`]). Declined: a map and a reduction over one space as one operator, because an
//! operator of Flat does one thing with the values at its points; and producers outside of the branch or loop that uses them.

mod core;
mod engine;
mod flat;
mod masks;
mod refusal;
mod rewrite;

pub(super) use self::core::computed_where_read;
pub use refusal::{Dear, Place, Reason, Refusal};

use engine::Engine;
use flat::Flat;
use std::collections::BTreeSet;
use terrace_base::IdVec;
use terrace_ir::flat::{Body, Expr, Program, Value};
use terrace_ir::{ValueId, core as ir_core};

/// Fuses in all functions.
pub fn fuse(program: &mut Program) {
    for function in program.functions.iter_mut() {
        each_body(&mut function.body, &mut function.values, true, &mut |body, values, host| {
            let stmts = std::mem::take(&mut body.stmts);
            body.stmts = Engine::new(&mut Flat { values, host }, stmts, returned(body)).run();
        });
    }
}

/// Fuses in all functions of a Core program.
pub fn fuse_core(program: &mut ir_core::Program) {
    for function in program.functions.iter_mut() {
        fuse_core_body(&mut function.body, &mut function.values);
    }
}

fn fuse_core_body(body: &mut ir_core::Body, values: &mut IdVec<ValueId, ir_core::Value>) {
    for stmt in &mut body.stmts {
        if let ir_core::StmtKind::Let { expr, .. } = &mut stmt.kind {
            expr.bodies_mut().into_iter().for_each(|b| fuse_core_body(b, values));
        }
    }
    let stmts = std::mem::take(&mut body.stmts);
    let returned = body.result.var().into_iter().collect();
    body.stmts = Engine::new(&mut core::Core { values }, stmts, returned).run();
}

/// What is not fused, and why, in all functions.
pub fn refusals(program: &Program) -> Vec<Refusal> {
    let mut out = Vec::new();
    for function in program.functions.iter() {
        let mut copy = function.clone();
        each_body(&mut copy.body, &mut copy.values, true, &mut |body, values, host| {
            let stmts = body.stmts.clone();
            out.extend(Engine::new(&mut Flat { values, host }, stmts, returned(body)).refusals());
        });
    }
    out
}

fn returned(body: &Body) -> BTreeSet<ValueId> {
    body.results.iter().filter_map(|a| a.var()).collect()
}

type Values = IdVec<ValueId, Value>;

/// Gives `f` every body, inner ones first, and whether it stands at the host level.
fn each_body(body: &mut Body, values: &mut Values, host: bool, f: &mut dyn FnMut(&mut Body, &mut Values, bool)) {
    for stmt in &mut body.stmts {
        let host = host && !matches!(stmt.expr, Expr::Op(_));
        stmt.expr.bodies_mut().into_iter().for_each(|b| each_body(b, values, host, f));
    }
    f(body, values, host);
}
