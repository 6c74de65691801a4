//! The order in which functions are looked at: callees first for summaries, callers first for contexts.
//!
//! Functions that call each other form a group. The groups come out of Tarjan's method callees first.

use std::collections::BTreeSet;
use terrace_ir::FuncId;
use terrace_ir::core::{Expr, Function, Program, StmtKind, visit};

/// Groups of functions that call each other, callees first, and whether a group is recursive.
pub(super) fn groups(program: &Program) -> Vec<(Vec<FuncId>, bool)> {
    let calls: Vec<BTreeSet<FuncId>> = program.functions.iter().map(callees).collect();
    let mut search = Search {
        calls: &calls,
        index: vec![None; calls.len()],
        low: vec![0; calls.len()],
        stack: Vec::new(),
        on_stack: vec![false; calls.len()],
        next: 0,
        groups: Vec::new(),
    };
    for f in program.functions.ids() {
        if search.index[f.index()].is_none() {
            search.visit(f);
        }
    }
    let recursive = |group: &[FuncId]| group.len() > 1 || calls[group[0].index()].contains(&group[0]);
    search.groups.into_iter().map(|g| (recursive(&g), g)).map(|(r, g)| (g, r)).collect()
}

fn callees(function: &Function) -> BTreeSet<FuncId> {
    let mut out = BTreeSet::new();
    visit::walk(&function.body, &mut |stmt| {
        if let StmtKind::Let { expr: Expr::Call { function, .. }, .. } = &stmt.kind {
            out.insert(*function);
        }
    });
    out
}

struct Search<'c> {
    calls: &'c [BTreeSet<FuncId>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    stack: Vec<FuncId>,
    on_stack: Vec<bool>,
    next: usize,
    groups: Vec<Vec<FuncId>>,
}

impl Search<'_> {
    /// Depth first without recursion: a chain of a hundred thousand calls is a program too.
    fn visit(&mut self, root: FuncId) {
        let mut path: Vec<(FuncId, Vec<FuncId>)> = vec![(root, self.enter(root))];
        while let Some((f, rest)) = path.last_mut() {
            let f = *f;
            match rest.pop() {
                Some(g) if self.index[g.index()].is_none() => {
                    let entered = (g, self.enter(g));
                    path.push(entered);
                }
                Some(g) if self.on_stack[g.index()] => {
                    let seen = self.index[g.index()].unwrap_or(usize::MAX);
                    self.low[f.index()] = self.low[f.index()].min(seen);
                }
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((caller, _)) = path.last() {
                        self.low[caller.index()] = self.low[caller.index()].min(self.low[f.index()]);
                    }
                    self.leave(f);
                }
            }
        }
    }

    fn enter(&mut self, f: FuncId) -> Vec<FuncId> {
        self.index[f.index()] = Some(self.next);
        self.low[f.index()] = self.next;
        self.next += 1;
        self.stack.push(f);
        self.on_stack[f.index()] = true;
        self.calls[f.index()].iter().rev().copied().collect()
    }

    fn leave(&mut self, f: FuncId) {
        if Some(self.low[f.index()]) != self.index[f.index()] {
            return;
        }
        let mut group = Vec::new();
        while let Some(g) = self.stack.pop() {
            self.on_stack[g.index()] = false;
            group.push(g);
            if g == f {
                break;
            }
        }
        group.reverse();
        self.groups.push(group);
    }
}
