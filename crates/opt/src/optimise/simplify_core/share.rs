//! What was computed before is not computed again.
//!
//! ```text
//! let a = reduce (x, y) in xs from 0 { => x + y }
//! let b = reduce (u, v) in xs from 0 { => u + v }       (gone: b becomes a)
//! ```
//!
//! Within a body, and from a body into those inside it, an expression that is equal to an earlier one up to the names of what it binds is
//! the earlier value. Nothing moves. Whatever the later one would have checked, the earlier one has; but checks of
//! different places have different numbers, so expressions with checks are never equal unless both came from one place.

use std::collections::BTreeMap;
use terrace_base::Span;
use terrace_ir::core::visit::PartMut;
use terrace_ir::core::{Body, Expr, Function, Stmt, StmtKind};
use terrace_ir::{Atom, ValueId};

/// Numbers from here on stand for values that an expression binds itself.
const OWN: usize = 1 << 30;

struct Share {
    seen: BTreeMap<String, ValueId>,
    renamed: BTreeMap<ValueId, Atom>,
}

/// Shares; says whether anything changed.
pub(super) fn share(function: &mut Function) -> bool {
    let mut share = Share { seen: BTreeMap::new(), renamed: BTreeMap::new() };
    share.body(&mut function.body);
    if share.renamed.is_empty() {
        return false;
    }
    function.values.iter_mut().for_each(|v| v.ty.substitute(&share.renamed));
    function.result.substitute(&share.renamed);
    true
}

impl Share {
    fn replace(&self, atom: &mut Atom) {
        if let Some(new) = atom.var().and_then(|v| self.renamed.get(&v)) {
            *atom = *new;
        }
    }

    fn body(&mut self, body: &mut Body) {
        let mut own: Vec<String> = Vec::new();
        body.stmts.retain_mut(|stmt| {
            match &mut stmt.kind {
                StmtKind::Check { cond, values, .. } => {
                    self.replace(cond);
                    values.iter_mut().for_each(|v| self.replace(v));
                }
                StmtKind::Let { value, expr, .. } => {
                    expr.parts_mut(&mut |part| match part {
                        PartMut::Use(a) => self.replace(a),
                        PartMut::Type(t) => t.substitute(&self.renamed),
                        PartMut::Body(_) | PartMut::Bind(_) => {}
                    });
                    expr.bodies_mut().into_iter().for_each(|b| self.body(b));
                    if !worth_it(expr) {
                        return true;
                    }
                    let key = key(expr);
                    if let Some(old) = self.seen.get(&key) {
                        self.renamed.insert(*value, Atom::Var(*old));
                        return false;
                    }
                    self.seen.insert(key.clone(), *value);
                    own.push(key);
                }
            }
            true
        });
        self.replace(&mut body.result);
        own.iter().for_each(|key| {
            self.seen.remove(key);
        });
    }
}

/// A copy is folded, and an ascription is a check.
fn worth_it(expr: &Expr) -> bool {
    !matches!(expr, Expr::Atom(_) | Expr::Ascribe { .. })
}

/// A text that equal expressions have in common.
fn key(expr: &Expr) -> String {
    let mut plain = expr.clone();
    if !plain.bodies().is_empty() {
        rename(&mut plain, &mut BTreeMap::new());
    }
    format!("{plain:?}")
}

fn rename(expr: &mut Expr, names: &mut BTreeMap<ValueId, Atom>) {
    let fresh = |v: &mut ValueId, names: &mut BTreeMap<ValueId, Atom>| {
        let new = ValueId::new(OWN + names.len());
        names.insert(*v, new.into());
        *v = new;
    };
    expr.parts_mut(&mut |part| {
        if let PartMut::Bind(v) = part {
            fresh(v, names)
        }
    });
    let known = |atom: &mut Atom, names: &BTreeMap<ValueId, Atom>| {
        if let Some(new) = atom.var().and_then(|v| names.get(&v)) {
            *atom = *new;
        }
    };
    expr.parts_mut(&mut |part| match part {
        PartMut::Use(a) => known(a, names),
        PartMut::Type(t) => t.substitute(names),
        PartMut::Bind(_) => {}
        PartMut::Body(body) => {
            for Stmt { kind, span } in &mut body.stmts {
                *span = Span::none();
                match kind {
                    StmtKind::Check { cond, values, .. } => {
                        known(cond, names);
                        values.iter_mut().for_each(|v| known(v, names));
                    }
                    StmtKind::Let { value, expr, .. } => {
                        rename(expr, names);
                        fresh(value, names);
                    }
                }
            }
            known(&mut body.result, names);
        }
    });
}
