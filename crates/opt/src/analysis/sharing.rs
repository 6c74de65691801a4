//! Which columns may lie in one block of memory, and what is still needed after a statement.
//!
//! Columns get blocks of their own, but a block is handed on: by another name, out of a branch, around a loop, through a
//! call, and from the destination of a scatter to its result.
//!
//! ```text
//! let ys = if c { xs } else { map … }       xs and ys may share a block
//! loop (s = ys) { … => t }                  s and t do; ys too, unless it is copied before the loop
//! ```
//!
//! [`Classes`] says so without regard to order: columns in different classes never share. [`live_after`] regards order: it
//! walks backwards and knows for chosen statements which values something later uses, on any path and in any later round of a loop
//! or point of an operator around.

use std::collections::{BTreeMap, BTreeSet};
use terrace_ir::flat::note::Note;
use terrace_ir::flat::visit::{free_values, free_values_of_expr, walk};
use terrace_ir::flat::{Body, Expr, Function, OpKind, Stmt};
use terrace_ir::{Atom, ValueId};

/// Classes of columns that may share a block.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    parent: BTreeMap<ValueId, ValueId>,
}

impl Classes {
    /// The classes of a function. The first value of a loop's state shares with the state unless `apart` says otherwise.
    pub fn of<A: Note>(function: &Function<A>, apart: &dyn Fn(ValueId) -> bool) -> Classes {
        let mut classes = Classes::default();
        let column = |a: &Atom| a.var().filter(|v| function.values[*v].ty.is_column());
        walk(&function.body, &mut |stmt| match &stmt.expr {
            Expr::Atom(a) => classes.join_all(stmt.binds.first().copied(), column(a)),
            Expr::If { then, otherwise, .. } => {
                for (i, bind) in stmt.binds.iter().enumerate() {
                    for body in [then, otherwise] {
                        classes.join_all(Some(*bind), body.results.get(i).and_then(&column));
                    }
                }
            }
            Expr::Loop { state, body, .. } => {
                for (i, (v, init)) in state.iter().enumerate() {
                    if !function.values[*v].ty.is_column() {
                        continue;
                    }
                    classes.join_all(Some(*v), stmt.binds.get(i).copied());
                    classes.join_all(Some(*v), body.results.get(i).and_then(&column));
                    if !apart(*v) {
                        classes.join_all(Some(*v), column(init));
                    }
                }
            }
            Expr::Call { args, .. } => {
                let results = stmt.binds.iter().copied().filter(|v| function.values[*v].ty.is_column());
                let all: Vec<ValueId> = args.iter().filter_map(&column).chain(results).collect();
                for pair in all.windows(2) {
                    classes.join(pair[0], pair[1]);
                }
            }
            Expr::Op(op) => {
                if let OpKind::Scatter { dest, .. } = &op.kind {
                    for (bind, dest) in stmt.binds.iter().zip(dest) {
                        classes.join(*bind, *dest);
                    }
                }
            }
            _ => {}
        });
        classes
    }

    fn join_all(&mut self, a: Option<ValueId>, b: Option<ValueId>) {
        if let (Some(a), Some(b)) = (a, b) {
            self.join(a, b);
        }
    }

    fn join(&mut self, a: ValueId, b: ValueId) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parent.insert(a.max(b), a.min(b));
        }
    }

    /// The least column of a column's class.
    pub fn find(&self, mut v: ValueId) -> ValueId {
        while let Some(p) = self.parent.get(&v) {
            v = *p;
        }
        v
    }

    /// Whether a set has a column of this class.
    pub fn meets(&self, class: ValueId, set: &BTreeSet<ValueId>) -> bool {
        set.iter().any(|v| self.find(*v) == class)
    }
}

/// What is used after (and, of a loop, during) each statement that `wanted` chooses, under the first value that it binds. What
/// the statement itself binds is left out.
pub fn live_after<A: Note>(
    function: &Function<A>,
    wanted: &dyn Fn(&Stmt) -> bool,
) -> BTreeMap<ValueId, BTreeSet<ValueId>> {
    let mut walk = Walk { wanted, found: BTreeMap::new() };
    walk.body(&function.body, BTreeSet::new());
    walk.found
}

struct Walk<'a> {
    wanted: &'a dyn Fn(&Stmt) -> bool,
    found: BTreeMap<ValueId, BTreeSet<ValueId>>,
}

impl Walk<'_> {
    fn body(&mut self, body: &Body, mut live: BTreeSet<ValueId>) {
        live.extend(body.results.iter().filter_map(|a| a.var()));
        for stmt in body.stmts.iter().rev() {
            for v in &stmt.binds {
                live.remove(v);
            }
            let uses = free_values_of_expr(&stmt.expr);
            match &stmt.expr {
                Expr::If { then, otherwise, .. } => {
                    self.note(stmt, &live);
                    self.body(then, live.clone());
                    self.body(otherwise, live.clone());
                }
                // What is free in something that runs again is needed again.
                Expr::Loop { state, cond, body } => {
                    let mut around: BTreeSet<ValueId> = free_values(cond);
                    around.extend(free_values(body));
                    state.iter().for_each(|(v, _)| {
                        around.remove(v);
                    });
                    around.extend(&live);
                    self.note(stmt, &around);
                    self.body(cond, around.clone());
                    self.body(body, around);
                }
                Expr::Op(op) => {
                    self.note(stmt, &live);
                    let mut around = uses.clone();
                    around.extend(&live);
                    self.body(&op.body, around);
                }
                _ => {}
            }
            live.extend(uses);
        }
    }

    fn note(&mut self, stmt: &Stmt, live: &BTreeSet<ValueId>) {
        if let Some(first) = stmt.binds.first()
            && (self.wanted)(stmt)
        {
            self.found.insert(*first, live.clone());
        }
    }
}
