//! How arrays are used: whether their elements are wanted one by one.
//!
//! ```text
//! let d = map …    dot = reduce (map … in d, d)    f = map … in d        twice element by element: worth spelling out
//! let r = map …    s = reduce + r                                        once: fusion makes one loop of it
//! let r = map …    => r                                                  a row of a regular array: stays one
//! let t = map …    t[k]                                                  searched by position: stays in memory
//! ```
//!
//! A position counts as a constant where it comes from a short operator around, which may be spelled out itself.

use super::super::state_lengths::{MOST, few};
use std::collections::BTreeMap;
use terrace_base::IdVec;
use terrace_ir::core::{Body, Expr, StmtKind, Type, Value};
use terrace_ir::{Atom, ValueId};

type Values = IdVec<ValueId, Value>;

/// Uses of one array, by kind.
#[derive(Clone, Copy, Default)]
struct Count {
    /// Gone through by a map.
    mapped: usize,
    /// One element is taken or replaced, at a position that is known or will be.
    picked: usize,
    /// One element is taken, anywhere.
    searched: usize,
    reduced: usize,
    /// The result of a body, or a part of it.
    given: usize,
    other: usize,
}

/// Uses of all arrays.
#[derive(Default)]
pub(super) struct Uses {
    counts: BTreeMap<ValueId, Count>,
    /// What a branch gives is what the conditional gives.
    becomes: BTreeMap<ValueId, ValueId>,
}

impl Uses {
    /// Adds what a body does.
    pub(super) fn learn(&mut self, body: &Body, values: &Values) {
        self.body(body, values, false);
    }

    fn body(&mut self, body: &Body, values: &Values, short: bool) {
        self.count(body.result, values, |c| c.given += 1);
        for stmt in &body.stmts {
            let StmtKind::Let { value, expr, .. } = &stmt.kind else { continue };
            match expr {
                Expr::Map { arrays, .. } => arrays.iter().for_each(|a| self.count(*a, values, |c| c.mapped += 1)),
                Expr::Filter { array, .. } => self.count(*array, values, |c| c.mapped += 1),
                Expr::Reduce { array, neutral, .. } => {
                    self.count(*array, values, |c| c.reduced += 1);
                    self.count(*neutral, values, |c| c.given += 1);
                }
                Expr::Index { array, index } if short || index.constant().is_some() => {
                    self.count(*array, values, |c| c.picked += 1)
                }
                Expr::Index { array, .. } => self.count(*array, values, |c| c.searched += 1),
                Expr::Update { array, indices, value } if indices.iter().all(|i| i.constant().is_some()) => {
                    self.count(*array, values, |c| c.picked += 1);
                    self.count(*value, values, |c| c.given += 1);
                }
                Expr::Length(_) => {}
                Expr::Tuple(items) => items.iter().for_each(|a| self.count(*a, values, |c| c.given += 1)),
                Expr::Loop { init, .. } => self.count(*init, values, |c| c.given += 1),
                _ => expr.operands().into_iter().for_each(|a| self.count(a, values, |c| c.other += 1)),
            }
            if let Expr::If { then, otherwise, .. } = expr {
                let results = [then.result, otherwise.result];
                self.becomes.extend(results.into_iter().filter_map(Atom::var).map(|v| (v, *value)));
            }
            let short =
                short || matches!(expr, Expr::Map { .. } | Expr::Generate { .. }) && count_of(expr, values).is_some();
            expr.bodies().into_iter().for_each(|b| self.body(b, values, short));
        }
    }

    fn count(&mut self, array: Atom, values: &Values, add: impl Fn(&mut Count)) {
        if let Atom::Var(v) = array
            && matches!(values[v].ty, Type::Array(_))
        {
            add(self.counts.entry(v).or_default());
        }
    }

    fn of(&self, array: ValueId) -> Count {
        let own = self.counts.get(&array).copied().unwrap_or_default();
        match self.becomes.get(&array) {
            None => own,
            Some(more) => {
                let more = self.of(*more);
                Count {
                    mapped: own.mapped + more.mapped,
                    picked: own.picked + more.picked,
                    searched: own.searched + more.searched,
                    reduced: own.reduced + more.reduced,
                    given: own.given + more.given,
                    other: own.other + more.other,
                }
            }
        }
    }

    /// Whether a short row is better spelled out, although nothing that it is made of is.
    pub(super) fn wants_elements(&self, row: ValueId) -> bool {
        let Count { mapped, picked, searched, reduced, other, .. } = self.of(row);
        searched + other == 0 && (picked > 0 || mapped > 1 || mapped == 1 && reduced > 0)
    }

    /// Whether an array of short rows is better an array of what the rows hold: it is only gone through, row by row.
    pub(super) fn wants_rows(&self, rows: ValueId) -> bool {
        let Count { mapped, picked, searched, reduced, given, other } = self.of(rows);
        mapped + picked + searched + reduced > 0 && given + other == 0
    }
}

/// A number of elements that is known and small.
pub(super) fn short(count: &Atom) -> Option<usize> {
    usize::try_from(count.constant()?.as_i64()?).ok().filter(|n| (1..=MOST as usize).contains(n))
}

/// How many elements a map or a generate has, if these are few.
pub(super) fn count_of(expr: &Expr, values: &Values) -> Option<usize> {
    match expr {
        Expr::Generate { count, .. } => short(count),
        Expr::Map { arrays, .. } => arrays.iter().find_map(|a| few(&values[a.var()?].ty)),
        _ => None,
    }
}
