//! Which columns may lie in one block of memory, and what is still needed after a statement.
//!
//! Columns get blocks of their own, but a block is handed on: by another name, out of a branch, around a loop, through a
//! call, and from the destination of a scatter to its result.
//!
//! ```text
//! let ys = if c { xs } else { map … }       xs and ys may share a block
//! loop (s = ys) { … => t }                  s and t do; ys too, unless it is copied before the loop
//! let zs = call f(ys)                       ys and zs do if f may hand its parameter back
//! ```
//!
//! [`Classes`] says so without regard to order: columns in different classes never share, and what loops exchange may know better (`exchanges.rs`). In Flat its members are columns; in
//! Mem, where a column says in which block it lies, they are blocks. [`Borders`] says it of the parameters and results of each function. [`live_after`]
//! regards order: it walks backwards and knows for chosen statements which values something later uses, on any path and in any later round
//! of a loop or point of an operator around.

use super::exchanges::Exchanged;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::IdVec;
use terrace_ir::flat::note::Note;
use terrace_ir::flat::visit::{free_values, free_values_of_expr, walk};
use terrace_ir::flat::{Body, Expr, Function, OpKind, Program, Stmt, Type};
use terrace_ir::{Atom, FuncId, ValueId};

/// Which parameters and results of each function may share a block.
#[derive(Clone, Debug, Default)]
pub struct Borders {
    /// Per function, parameters first and then results: the number of the first one that it may share with.
    functions: IdVec<FuncId, Vec<usize>>,
}

impl Borders {
    /// Analyses a program of Flat or Mem. Sharing only grows while the functions are looked at, so this ends.
    pub fn of<A: Note>(program: &Program<A>) -> Borders {
        let apart = |f: &Function<A>| (0..f.params.len() + f.results.len()).collect();
        let mut borders = Borders { functions: program.functions.iter().map(apart).collect() };
        loop {
            let mut changed = false;
            for (id, function) in program.functions.enumerate() {
                let classes = Classes::of(function, &borders, &Apart::default());
                let results = function.body.results.iter().map(|a| a.var());
                let all: Vec<Option<ValueId>> = function.params.iter().map(|p| Some(*p)).chain(results).collect();
                let class = |v: &Option<ValueId>| v.filter(|v| shares(function, *v)).map(|v| classes.find(v));
                let first = |k: usize| match class(&all[k]) {
                    Some(own) => all.iter().position(|v| class(v) == Some(own)).unwrap_or(k),
                    None => k,
                };
                let found: Vec<usize> = (0..all.len()).map(first).collect();
                changed |= found != borders.functions[id];
                borders.functions[id] = found;
            }
            if !changed {
                return borders;
            }
        }
    }
}

/// Whether a value can share a block with another: a column of Flat, a block of Mem.
fn shares<A: Note>(function: &Function<A>, v: ValueId) -> bool {
    match &function.values[v].ty {
        Type::Column { .. } => !A::PLACES,
        Type::Block => A::PLACES,
        Type::Scalar(_) => false,
    }
}

/// What is copied first, and so shares no block with where it comes from.
#[derive(Clone, Debug, Default)]
pub struct Apart {
    /// Loop states whose first value is.
    pub states: BTreeSet<ValueId>,
    /// Arguments of calls: the first value that the call binds, and the number of the argument.
    pub arguments: BTreeSet<(ValueId, usize)>,
}

/// Classes of columns that may share a block.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    parent: BTreeMap<ValueId, ValueId>,
    /// What never shares within a round of a loop though it is of one class.
    pub(super) exchanged: Vec<Exchanged>,
}

impl Classes {
    /// The classes of a function.
    pub fn of<A: Note>(function: &Function<A>, borders: &Borders, apart: &Apart) -> Classes {
        Classes::except(function, borders, apart, None)
    }

    /// The classes of a function within one round of a loop, which is named by the first value that it binds: nothing is handed into it, around it or out of it.
    pub(super) fn except<A: Note>(
        function: &Function<A>,
        borders: &Borders,
        apart: &Apart,
        round: Option<ValueId>,
    ) -> Classes {
        let mut classes = Classes::default();
        let sharing = |a: &Atom| a.var().filter(|v| shares(function, *v));
        walk(&function.body, &mut |stmt| match &stmt.expr {
            Expr::Atom(a) => classes.join_all(stmt.binds.first().copied(), sharing(a)),
            Expr::If { then, otherwise, .. } => {
                for (i, bind) in stmt.binds.iter().enumerate() {
                    for body in [then, otherwise] {
                        classes.join_all(Some(*bind), body.results.get(i).and_then(&sharing));
                    }
                }
            }
            Expr::Loop { state, body, .. } if round.is_none() || stmt.binds.first().copied() != round => {
                for (i, (v, init)) in state.iter().enumerate() {
                    if !shares(function, *v) {
                        continue;
                    }
                    classes.join_all(Some(*v), stmt.binds.get(i).copied());
                    classes.join_all(Some(*v), body.results.get(i).and_then(&sharing));
                    if !apart.states.contains(v) {
                        classes.join_all(Some(*v), sharing(init));
                    }
                }
            }
            Expr::Call { function: callee, args } => {
                let copied = |k: usize| stmt.binds.first().is_some_and(|b| apart.arguments.contains(&(*b, k)));
                let args = args.iter().enumerate().map(|(k, a)| sharing(a).filter(|_| !copied(k)));
                let results = stmt.binds.iter().map(|v| Some(*v));
                let all: Vec<Option<ValueId>> = args.chain(results).collect();
                let mut groups: BTreeMap<usize, ValueId> = BTreeMap::new();
                for (first, v) in borders.functions[*callee].iter().zip(all) {
                    if let Some(v) = v.filter(|v| shares(function, *v)) {
                        classes.join(*groups.entry(*first).or_insert(v), v);
                    }
                }
            }
            Expr::Op(op) => {
                if let (false, OpKind::Scatter { dest, .. }) = (A::PLACES, &op.kind) {
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

    /// From now on two classes are one.
    pub fn join(&mut self, a: ValueId, b: ValueId) {
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

    /// Whether two columns may share a block.
    pub fn may_share(&self, a: ValueId, b: ValueId) -> bool {
        let apart = |of: &Exchanged| of.get(&a).zip(of.get(&b)).is_some_and(|(a, b)| a != b);
        self.find(a) == self.find(b) && !self.exchanged.iter().any(apart)
    }

    /// Whether a set has something that may share a block with a column.
    pub fn meets(&self, column: ValueId, set: &BTreeSet<ValueId>) -> bool {
        set.iter().any(|v| self.may_share(column, *v))
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
                _ => self.note(stmt, &live),
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
