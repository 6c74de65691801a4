//! What was computed before is not computed again.
//!
//! ```text
//! let a = map grid [n] (i | p) { let x = xs[p]  => x * x }
//! let b = map grid [n] (j | q) { let y = xs[q]  => y * y }        (gone: b becomes a)
//! ```
//!
//! Within a body, and from a body into those inside it, a scalar computation, a read or a whole operator that is equal to an earlier one, up to
//! the names of what it binds, is the earlier one. Nothing moves, so nothing is computed where it was not computed before. Columns never
//! change, so a read is as good as arithmetic. Equal expressions are found by their text, in one walk.

use std::collections::BTreeMap;
use terrace_base::Span;
use terrace_ir::flat::visit::{PartMut, substitute_with_types};
use terrace_ir::flat::{Body, Expr, Function};
use terrace_ir::{Atom, ValueId, replaced_in_size};

/// Numbers from here on stand for values that an expression binds itself.
const OWN: usize = 1 << 30;

struct Share {
    seen: BTreeMap<String, Vec<ValueId>>,
    renamed: BTreeMap<ValueId, Atom>,
}

/// Shares; says whether anything changed.
pub(super) fn share(function: &mut Function) -> bool {
    let mut share = Share { seen: BTreeMap::new(), renamed: BTreeMap::new() };
    let mut body = std::mem::take(&mut function.body);
    share.body(&mut body);
    let renamed = share.renamed;
    if !renamed.is_empty() {
        substitute_with_types(&mut body, &mut function.values, &renamed);
        for value in function.values.iter_mut() {
            value.substitute(&renamed);
        }
        function.results.iter_mut().for_each(|t| t.substitute(&renamed));
    }
    function.body = body;
    !renamed.is_empty()
}

impl Share {
    fn body(&mut self, body: &mut Body) {
        let mut own: Vec<String> = Vec::new();
        body.stmts.retain_mut(|stmt| {
            replace_operands(&mut stmt.expr, &self.renamed);
            stmt.expr.bodies_mut().into_iter().for_each(|b| self.body(b));
            if !worth_it(&stmt.expr) {
                return true;
            }
            let key = key(&stmt.expr);
            if let Some(old) = self.seen.get(&key) {
                self.renamed.extend(stmt.binds.iter().copied().zip(old.iter().map(|v| Atom::Var(*v))));
                return false;
            }
            self.seen.insert(key.clone(), stmt.binds.clone());
            own.push(key);
            true
        });
        for result in &mut body.results {
            replace(result, &self.renamed);
        }
        own.iter().for_each(|key| {
            self.seen.remove(key);
        });
    }
}

fn replace(atom: &mut Atom, names: &BTreeMap<ValueId, Atom>) {
    if let Some(to) = atom.var().and_then(|v| names.get(&v)) {
        *atom = *to;
    }
}

fn replace_column(column: &mut ValueId, names: &BTreeMap<ValueId, Atom>) {
    if let Some(Atom::Var(to)) = names.get(column) {
        *column = *to;
    }
}

/// Replaces what the expression itself mentions; bodies come later.
fn replace_operands(expr: &mut Expr, names: &BTreeMap<ValueId, Atom>) {
    expr.parts_mut(&mut |part| match part {
        PartMut::Use(a) => replace(a, names),
        PartMut::Column(v) | PartMut::Around(v) => replace_column(v, names),
        PartMut::Size(s) => *s = replaced_in_size(s, names),
        PartMut::Bind(_) | PartMut::Body(_) => {}
    });
}

fn worth_it(expr: &Expr) -> bool {
    // An empty literal does not say what it is a column of.
    !matches!(expr, Expr::Literal(items) if items.is_empty())
        && !matches!(
            expr,
            Expr::Atom(_)
                | Expr::Check { .. }
                | Expr::If { .. }
                | Expr::Loop { .. }
                | Expr::Call { .. }
                | Expr::Keep { .. }
                | Expr::Take(_)
                | Expr::MemoryLimit
                | Expr::Alloc { .. }
        )
}

/// A text that equal expressions have in common.
fn key(expr: &Expr) -> String {
    match expr {
        Expr::Op(_) => {
            let mut plain = expr.clone();
            rename(&mut plain, &mut BTreeMap::new());
            format!("{plain:?}")
        }
        other => format!("{other:?}"),
    }
}

fn fresh(v: &mut ValueId, names: &mut BTreeMap<ValueId, Atom>) {
    let new = ValueId::new(OWN + names.len());
    names.insert(*v, new.into());
    *v = new;
}

fn rename(expr: &mut Expr, names: &mut BTreeMap<ValueId, Atom>) {
    expr.parts_mut(&mut |part| match part {
        PartMut::Bind(v) => fresh(v, names),
        // Formal indices are names of the dimension.
        PartMut::Around(v) if !names.contains_key(v) => fresh(v, names),
        _ => {}
    });
    replace_formal(expr, names);
    expr.parts_mut(&mut |part| {
        if let PartMut::Body(body) = part {
            for stmt in &mut body.stmts {
                stmt.span = Span::none();
                rename(&mut stmt.expr, names);
                stmt.binds.iter_mut().for_each(|b| fresh(b, names));
            }
            body.results.iter_mut().for_each(|r| replace(r, names));
        }
    });
}

fn replace_formal(expr: &mut Expr, names: &BTreeMap<ValueId, Atom>) {
    expr.parts_mut(&mut |part| match part {
        PartMut::Use(a) => replace(a, names),
        PartMut::Column(v) => replace_column(v, names),
        PartMut::Size(s) => *s = replaced_in_size(s, names),
        PartMut::Around(_) | PartMut::Bind(_) | PartMut::Body(_) => {}
    });
}
