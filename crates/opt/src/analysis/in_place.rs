//! Which scatters may write over their destination.
//!
//! A scatter gives a new column: the destination with some elements replaced. Where nothing reads the destination any more, its block
//! can simply be written to, and an update costs what it writes, not what it leaves alone:
//!
//! ```text
//! loop (xs = xs0, i = 0) while i < n {          xs is dead after the scatter: written in place.
//!   let ys = scatter grid [1] into xs { … }     xs0 is the caller's: copied once, before the loop.
//!   => ys, i + 1
//! }
//! ```
//!
//! A destination is written over if no column that may share its block ([`Classes`]) is used later, no parameter is among them, and
//! no size is an element of one of them. A loop takes over the first value of a state as long as this still holds; otherwise
//! that value is copied first, once instead of in every round.
//!
//! Declined: parameters of functions that the program itself calls, though a caller may not need them any more.

use super::sharing::{Classes, live_after};
use std::collections::{BTreeMap, BTreeSet};
use terrace_ir::ValueId;
use terrace_ir::flat::note::Note;
use terrace_ir::flat::visit::walk;
use terrace_ir::flat::{Descriptor, Expr, Function, OpKind, Stmt, Type};

/// What a function may do in place.
#[derive(Clone, Debug, Default)]
pub struct InPlace {
    /// Results of scatters that take the place of their destination.
    pub results: BTreeSet<ValueId>,
    /// Loop states whose first value is copied.
    pub copied: BTreeSet<ValueId>,
    /// Classes in which something is written in place.
    classes: Classes,
}

/// A scatter: its destination and its result, and what else it writes to.
struct Write {
    key: ValueId,
    dest: ValueId,
    bind: ValueId,
    others: Vec<ValueId>,
}

/// A state of a loop that is a column.
struct Entry {
    state: ValueId,
    /// Inside an operator's body, where the first value is copied anyway.
    local: bool,
}

impl InPlace {
    /// Analyses a function of Flat.
    pub fn of<A: Note>(function: &Function<A>) -> InPlace {
        let search = Search::new(function);
        if search.writes.is_empty() {
            return InPlace::default();
        }
        search.solve(function)
    }

    /// Whether a body, beyond what it writes, mentions something that shares a block with this column.
    pub fn is_read(&self, column: ValueId, used: &BTreeSet<ValueId>) -> bool {
        self.classes.meets(self.classes.find(column), used)
    }
}

struct Search {
    writes: Vec<Write>,
    entries: Vec<Entry>,
    live: BTreeMap<ValueId, BTreeSet<ValueId>>,
    /// Columns that are never written over.
    kept: BTreeSet<ValueId>,
}

impl Search {
    fn new<A: Note>(function: &Function<A>) -> Search {
        let mut search =
            Search { writes: Vec::new(), entries: Vec::new(), live: BTreeMap::new(), kept: BTreeSet::new() };
        let is_column = |v: &ValueId| function.values[*v].ty.is_column();
        search.kept.extend(function.params.iter().copied().filter(is_column));
        let mut local = BTreeSet::new();
        walk(&function.body, &mut |stmt| {
            if let Expr::Op(op) = &stmt.expr {
                walk(&op.body, &mut |inner| local.extend(inner.binds.first().copied()));
            }
        });
        walk(&function.body, &mut |stmt| search.stmt(stmt, &local, &is_column));
        if search.writes.is_empty() {
            return search;
        }
        search.keep_sizes(function);
        search.live = live_after(function, &|stmt| match &stmt.expr {
            Expr::Op(op) => matches!(op.kind, OpKind::Scatter { .. }),
            _ => false,
        });
        search
    }

    fn stmt(&mut self, stmt: &Stmt, local: &BTreeSet<ValueId>, is_column: &dyn Fn(&ValueId) -> bool) {
        let Some(key) = stmt.binds.first().copied() else { return };
        match &stmt.expr {
            Expr::Op(op) => {
                let OpKind::Scatter { dest, .. } = &op.kind else { return };
                for (i, (dest_i, bind)) in dest.iter().zip(&stmt.binds).enumerate() {
                    let others = without(dest, i);
                    self.writes.push(Write { key, dest: *dest_i, bind: *bind, others });
                }
            }
            Expr::Loop { state, .. } => {
                let columns = state.iter().map(|(v, _)| *v).filter(is_column);
                self.entries.extend(columns.map(|state| Entry { state, local: local.contains(&key) }));
            }
            _ => {}
        }
    }

    /// An element of a column that is a size must stay what it is.
    fn keep_sizes<A: Note>(&mut self, function: &Function<A>) {
        let mut sizes = Vec::new();
        for value in function.values.iter() {
            sizes.extend(value.bound.clone());
            if let Type::Column { length, .. } = &value.ty {
                sizes.push(length.clone());
            }
        }
        walk(&function.body, &mut |stmt| match &stmt.expr {
            Expr::Size(s) => sizes.push(s.clone()),
            Expr::Op(op) => sizes.extend(op.space.iter().filter_map(|d| match d {
                Descriptor::Closed { length, .. } => Some(length.clone()),
                _ => None,
            })),
            _ => {}
        });
        self.kept.extend(sizes.iter().flat_map(|s| s.funs()).map(|f| ValueId::new(f.0 as usize)));
    }

    /// The results of scatters after which nothing needs what the block of the destination held.
    fn writable(&self, classes: &Classes) -> BTreeSet<ValueId> {
        let free = |w: &&Write| {
            let class = classes.find(w.dest);
            let shared = w.others.iter().any(|o| classes.find(*o) == class);
            let live = self.live.get(&w.key).is_some_and(|live| classes.meets(class, live));
            !shared && !live && !classes.meets(class, &self.kept)
        };
        self.writes.iter().filter(free).map(|w| w.bind).collect()
    }

    fn solve<A: Note>(&self, function: &Function<A>) -> InPlace {
        let with = |apart: &BTreeSet<ValueId>| Classes::of(function, &|v| apart.contains(&v));
        let written = |classes: &Classes, results: &BTreeSet<ValueId>, v: ValueId| {
            let class = classes.find(v);
            self.writes.iter().any(|w| results.contains(&w.bind) && classes.find(w.dest) == class)
        };
        // All first values apart: what could be written over then. Where nothing is, a loop just takes over.
        let mut apart: BTreeSet<ValueId> = self.entries.iter().map(|e| e.state).collect();
        let classes = with(&apart);
        let mut results = self.writable(&classes);
        let plain = |e: &&Entry| !e.local && !written(&classes, &results, e.state);
        for e in self.entries.iter().filter(plain).collect::<Vec<_>>() {
            apart.remove(&e.state);
        }
        let mut classes = with(&apart);
        results = &results & &self.writable(&classes);
        // The others are taken over where that disturbs nothing.
        for e in self.entries.iter().filter(|e| !e.local) {
            if !apart.remove(&e.state) {
                continue;
            }
            let joined = with(&apart);
            if results.is_subset(&self.writable(&joined)) {
                classes = joined;
            } else {
                apart.insert(e.state);
            }
        }
        let local: BTreeSet<ValueId> = self.entries.iter().filter(|e| e.local).map(|e| e.state).collect();
        InPlace { results, copied: &apart - &local, classes }
    }
}

fn without<T: Clone>(list: &[T], index: usize) -> Vec<T> {
    list.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, x)| x.clone()).collect()
}
