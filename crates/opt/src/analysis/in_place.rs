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
//! A destination is written over if no column that may share its block ([`Classes`]) is used later (arrays that a loop exchanges do not share), no parameter of someone else is among
//! them, and no size is an element of one of them. A loop takes over the first value of a state as long as this still holds; otherwise
//! that value is copied first, once instead of in every round.
//!
//! A function *owns* the parameters that it may write over. An entry owns what it consumes. A function that the program itself calls
//! owns what it would like to write over, if no call on the way round to itself needs that afterwards; a call from elsewhere that does need it
//! copies it first:
//!
//! ```text
//! def fill(xs, lo, hi)  owns xs         entry: let ys = call fill(copy of xs, 0, n)
//!   let ys = scatter into xs { … }             … xs …
//!   let zs = call fill(ys, lo, mid)     ys is dead after this call
//!   call fill(zs, mid, hi)
//! ```

use super::exchanges::classes_with_exchanges;
use super::sharing::{Apart, Borders, Classes, live_after};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::IdVec;
use terrace_ir::flat::note::Note;
use terrace_ir::flat::visit::walk;
use terrace_ir::flat::{Descriptor, Expr, Function, OpKind, Program, Role, Stmt, Type};
use terrace_ir::{FuncId, ValueId};

/// What a function may do in place.
#[derive(Clone, Debug, Default)]
pub struct InPlace {
    /// Results of scatters that take the place of their destination.
    pub results: BTreeSet<ValueId>,
    /// States of loops inside bodies that take the place of their first value.
    pub taken: BTreeSet<ValueId>,
    /// Loop states whose first value is copied, and arguments that are.
    pub copied: Apart,
    /// Parameters that the function writes over.
    pub owned: BTreeSet<ValueId>,
    /// Classes in which something is written in place.
    classes: Classes,
}

impl InPlace {
    /// Whether a body, beyond what it writes, mentions something that shares a block with this column.
    pub fn is_read(&self, column: ValueId, used: &BTreeSet<ValueId>) -> bool {
        self.classes.meets(column, used)
    }
}

/// Which parameters each function owns, by number.
type Owned = IdVec<FuncId, BTreeSet<usize>>;

/// What the functions of a program of Flat may do in place.
pub fn in_place<A: Note>(program: &Program<A>) -> IdVec<FuncId, InPlace> {
    let borders = Borders::of(program);
    let mut owned = wishes(program, &borders);
    loop {
        let found: Vec<(FuncId, InPlace)> = program
            .functions
            .enumerate()
            .map(|(id, f)| (id, Search::new(f, &owned[id], &owned).solve(f, &borders)))
            .collect();
        let mut refused: BTreeSet<(FuncId, usize)> = BTreeSet::new();
        for (id, facts) in &found {
            walk(&program.functions[*id].body, &mut |stmt| {
                let Expr::Call { function: callee, .. } = &stmt.expr else { return };
                let around = program.functions[*callee].role == Role::Internal && reaches(program, *callee, *id);
                let here = stmt.binds.first().copied();
                let copied = facts.copied.arguments.iter().filter(|(bind, _)| around && Some(*bind) == here);
                refused.extend(copied.map(|(_, k)| (*callee, *k)));
            });
        }
        if refused.is_empty() {
            return found.into_iter().map(|(_, facts)| facts).collect();
        }
        for (id, k) in refused {
            owned[id].remove(&k);
        }
    }
}

/// What functions would like to own: entries what they consume, others what a scatter or a call may write to.
fn wishes<A: Note>(program: &Program<A>, borders: &Borders) -> Owned {
    let mut owned: Owned = program.functions.iter().map(|_| BTreeSet::new()).collect();
    // What a thread calls shares its arguments with other threads.
    let mut shared: BTreeSet<FuncId> = BTreeSet::new();
    for function in &program.functions {
        walk(&function.body, &mut |stmt| {
            if let Expr::Keep { function, .. } = &stmt.expr {
                shared.insert(*function);
            }
        });
    }
    loop {
        let mut changed = false;
        for (id, function) in program.functions.enumerate() {
            if shared.contains(&id) {
                continue;
            }
            let search = Search::new(function, &BTreeSet::new(), &owned);
            let classes = Classes::of(function, borders, &Apart::default());
            let written: BTreeSet<ValueId> = search.writes.iter().map(|w| classes.find(w.dest)).collect();
            for (k, p) in function.params.iter().enumerate() {
                let wanted = match function.role {
                    Role::Internal => function.values[*p].ty.is_column() && written.contains(&classes.find(*p)),
                    _ => function.owned.contains(p),
                };
                changed |= wanted && owned[id].insert(k);
            }
        }
        if !changed {
            return owned;
        }
    }
}

/// Whether a call of the first function may lead to one of the second.
fn reaches<A: Note>(program: &Program<A>, from: FuncId, to: FuncId) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(next) = open.pop() {
        if next == to {
            return true;
        }
        walk(&program.functions[next].body, &mut |stmt| {
            if let Expr::Call { function, .. } = &stmt.expr
                && seen.insert(*function)
            {
                open.push(*function);
            }
        });
    }
    false
}

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Writer {
    /// The scatter that has this result.
    Scatter(ValueId),
    /// A call, by the first value that it binds, to its argument of this number.
    Call(ValueId, usize),
}

/// A write, and what else the statement writes to or reads as a whole.
struct Write {
    key: ValueId,
    dest: ValueId,
    writer: Writer,
    others: Vec<ValueId>,
}

/// A state of a loop that is a column.
struct Entry {
    state: ValueId,
    /// Inside an operator's body, where the first value is copied unless it is written over.
    local: bool,
}

struct Search {
    writes: Vec<Write>,
    entries: Vec<Entry>,
    live: BTreeMap<ValueId, BTreeSet<ValueId>>,
    /// Columns that are never written over.
    kept: BTreeSet<ValueId>,
    owned: BTreeSet<ValueId>,
}

impl Search {
    fn new<A: Note>(function: &Function<A>, own: &BTreeSet<usize>, owned: &Owned) -> Search {
        let is_column = |v: &ValueId| function.values[*v].ty.is_column();
        let (mut kept, mut mine) = (BTreeSet::new(), BTreeSet::new());
        for (k, p) in function.params.iter().enumerate().filter(|(_, p)| is_column(p)) {
            if own.contains(&k) {
                mine.insert(*p)
            } else {
                kept.insert(*p)
            };
        }
        let mut search = Search { writes: Vec::new(), entries: Vec::new(), live: BTreeMap::new(), kept, owned: mine };
        let mut local = BTreeSet::new();
        walk(&function.body, &mut |stmt| {
            if let Expr::Op(op) = &stmt.expr {
                walk(&op.body, &mut |inner| local.extend(inner.binds.first().copied()));
            }
        });
        walk(&function.body, &mut |stmt| search.stmt(stmt, &local, &is_column, owned));
        if search.writes.is_empty() {
            return search;
        }
        search.keep_sizes(function);
        search.live = live_after(function, &|stmt| match &stmt.expr {
            Expr::Op(op) => matches!(op.kind, OpKind::Scatter { .. }),
            expr => matches!(expr, Expr::Call { .. }),
        });
        search
    }

    fn stmt(&mut self, stmt: &Stmt, local: &BTreeSet<ValueId>, is_column: &dyn Fn(&ValueId) -> bool, owned: &Owned) {
        let Some(key) = stmt.binds.first().copied() else { return };
        match &stmt.expr {
            Expr::Op(op) => {
                let OpKind::Scatter { dest, .. } = &op.kind else { return };
                for (i, (dest_i, bind)) in dest.iter().zip(&stmt.binds).enumerate() {
                    let others = without(dest, i);
                    self.writes.push(Write { key, dest: *dest_i, writer: Writer::Scatter(*bind), others });
                }
            }
            Expr::Call { function, args } => {
                let columns: Vec<(usize, ValueId)> =
                    args.iter().enumerate().filter_map(|(k, a)| Some((k, a.var().filter(is_column)?))).collect();
                for (i, (k, dest)) in columns.iter().enumerate() {
                    if owned[*function].contains(k) {
                        let others = without(&columns, i).into_iter().map(|(_, v)| v).collect();
                        self.writes.push(Write { key, dest: *dest, writer: Writer::Call(key, *k), others });
                    }
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

    /// The writes after which nothing needs what the block of the destination held.
    fn free(&self, classes: &Classes) -> BTreeSet<Writer> {
        let free = |w: &&Write| {
            let class = classes.find(w.dest);
            let shared = w.others.iter().any(|o| classes.may_share(w.dest, *o));
            let live = self.live.get(&w.key).is_some_and(|live| classes.meets(w.dest, live));
            !shared && !live && !self.kept.iter().any(|kept| classes.find(*kept) == class)
        };
        self.writes.iter().filter(free).map(|w| w.writer).collect()
    }

    fn solve<A: Note>(&self, function: &Function<A>, borders: &Borders) -> InPlace {
        if self.writes.is_empty() {
            return InPlace::default();
        }
        let with = |apart: &Apart| classes_with_exchanges(function, borders, apart);
        let calls = |free: &BTreeSet<Writer>| {
            let all = self.writes.iter().filter(|w| !free.contains(&w.writer));
            all.filter_map(|w| if let Writer::Call(key, k) = w.writer { Some((key, k)) } else { None }).collect()
        };
        let written = |classes: &Classes, free: &BTreeSet<Writer>, v: ValueId| {
            let class = classes.find(v);
            self.writes.iter().any(|w| free.contains(&w.writer) && classes.find(w.dest) == class)
        };
        // All first values apart: what could be written over then. Where nothing is, a loop just takes over.
        let states = self.entries.iter().map(|e| e.state).collect();
        let mut apart = Apart { states, arguments: BTreeSet::new() };
        let classes = with(&apart);
        let mut results = self.free(&classes);
        let plain = |e: &&Entry| !e.local && !written(&classes, &results, e.state);
        for e in self.entries.iter().filter(plain).collect::<Vec<_>>() {
            apart.states.remove(&e.state);
        }
        let mut classes = with(&apart);
        results = &results & &self.free(&classes);
        apart.arguments = calls(&results);
        // The others are taken over where that disturbs nothing.
        for e in &self.entries {
            if e.local && !written(&classes, &results, e.state) || !apart.states.remove(&e.state) {
                continue;
            }
            let joined = with(&apart);
            if results.is_subset(&self.free(&joined)) {
                classes = joined;
            } else {
                apart.states.insert(e.state);
            }
        }
        let local: BTreeSet<ValueId> = self.entries.iter().filter(|e| e.local).map(|e| e.state).collect();
        let owned = self.owned.iter().copied().filter(|p| written(&classes, &results, *p)).collect();
        let taken = &local - &apart.states;
        let states = &apart.states - &local;
        let scatters = results.iter().filter_map(|w| if let Writer::Scatter(v) = w { Some(*v) } else { None });
        let results = scatters.collect();
        InPlace { results, taken, copied: Apart { states, arguments: apart.arguments }, owned, classes }
    }
}

fn without<T: Clone>(list: &[T], index: usize) -> Vec<T> {
    list.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, x)| x.clone()).collect()
}
