//! `(a ++ b) ++ c` becomes one concatenation of three arrays, so that nothing is copied twice.
//!
//! A concatenation that nothing else uses is spliced into the one that uses it.

use std::collections::BTreeMap;
use terrace_ir::core::visit::count_uses;
use terrace_ir::core::{Body, Expr, Program, StmtKind};
use terrace_ir::{Atom, ValueId};

/// Merges in all functions.
pub fn merge_concats(program: &mut Program) {
    for function in program.functions.iter_mut() {
        let uses = count_uses(&function.body);
        merge(&mut function.body, &uses);
    }
}

fn merge(body: &mut Body, uses: &BTreeMap<ValueId, usize>) {
    let mut known: BTreeMap<ValueId, Vec<Atom>> = BTreeMap::new();
    let mut gone = Vec::new();
    for stmt in &mut body.stmts {
        let StmtKind::Let { value, expr, .. } = &mut stmt.kind else { continue };
        expr.bodies_mut().into_iter().for_each(|b| merge(b, uses));
        let Expr::Concat(parts) = expr else { continue };
        let mut all = Vec::new();
        for part in parts.iter() {
            match part.var().and_then(|v| known.remove(&v).map(|inner| (v, inner))) {
                Some((v, inner)) => {
                    gone.push(v);
                    all.extend(inner);
                }
                None => all.push(*part),
            }
        }
        *parts = all.clone();
        if uses.get(value) == Some(&1) {
            known.insert(*value, all);
        }
    }
    body.stmts.retain(|s| !matches!(&s.kind, StmtKind::Let { value, .. } if gone.contains(value)));
}
