//! Allocations leave loops.
//!
//! A block that every round allocates anew, always for as many elements, is allocated once, before the loop. If what lies there crosses to the next
//! round, that round must not write over it: the loop then has two blocks that change places.
//!
//! ```text
//! loop (m, xs @ m = a, as) while … do {          let p = alloc f64 n; let q = alloc f64 n
//!   let b = alloc f64 n                          loop (m, xs @ m = a, as; next = p; other = q) while … do {
//!   let ys @ b = map … xs …                        let ys @ next = map … xs …
//!   => b, ys                                       => next, ys; other; next
//! }                                              }
//! ```
//!
//! The first round reads `a` and writes `p`, the second one reads `p` and writes `q`, the third one reads `q` and writes `p` again; `a` is never written to. Where
//! nobody needs `a` after the first round, it is `q`.
//!
//! The number of elements must be the length of a column that exists before the loop. So a loop that takes no round allocates nothing that
//! could be too large, or negative.

use super::{Facts, length};
use crate::analysis::sharing::Borders;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;
use terrace_base::{IdVec, ScalarType};
use terrace_ir::flat::visit::{bound_values, free_values, substitute, walk};
use terrace_ir::flat::{Body, Expr, Stmt, Type};
use terrace_ir::mem::{self, Value};
use terrace_ir::{Atom, ValueId, value_of};

/// Takes allocations out of loops, from the innermost one outwards.
pub fn hoist(program: &mut mem::Program) {
    let borders = Borders::of(program);
    for function in program.functions.iter_mut() {
        let mut any = false;
        walk(&function.body, &mut |stmt| any |= matches!(stmt.expr, Expr::Loop { .. }));
        if !any {
            continue;
        }
        let Some(facts) = Facts::of(function, &borders, &|stmt| matches!(stmt.expr, Expr::Loop { .. })) else {
            continue;
        };
        let (mut body, mut values) = (function.body.clone(), function.values.clone());
        let mut hoist = Hoist { facts, values: &mut values, places: BTreeMap::new() };
        hoist.list(&mut body);
        let places = hoist.places;
        for value in values.iter_mut() {
            if let Some(place) = &mut value.at
                && let Some(block) = places.get(&place.block)
            {
                place.block = *block;
            }
        }
        function.body = body;
        function.values = values;
    }
}

struct Hoist<'f, 'v> {
    facts: Facts<'f>,
    values: &'v mut IdVec<ValueId, Value>,
    /// New names of blocks.
    places: BTreeMap<ValueId, ValueId>,
}

impl Hoist<'_, '_> {
    fn list(&mut self, body: &mut Body) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut body.stmts) {
            if !matches!(stmt.expr, Expr::Op(_)) {
                stmt.expr.bodies_mut().into_iter().for_each(|b| self.list(b));
            }
            if matches!(stmt.expr, Expr::Loop { .. }) {
                self.leave(&mut stmt, &mut out);
            }
            out.push(stmt);
        }
        body.stmts = out;
    }

    /// Moves what can be moved from a loop to the statements before it.
    fn leave(&mut self, stmt: &mut Stmt, before: &mut Vec<Stmt>) {
        let key = stmt.binds.first().copied();
        let Expr::Loop { state, cond, body } = &mut stmt.expr else { return };
        let mut inside: BTreeSet<ValueId> = bound_values(body).into_iter().chain(bound_values(cond)).collect();
        inside.extend(state.iter().map(|(v, _)| *v));
        let outside = free_values(body).into_iter().chain(state.iter().filter_map(|(_, init)| init.var()));
        let lengths: Vec<Size> =
            outside.filter(|v| !inside.contains(v)).filter_map(|v| length(self.facts.function, v).cloned()).collect();
        let is_outside =
            |size: &Size| size.funs().is_empty() && size.vars().into_iter().all(|v| !inside.contains(&value_of(v)));
        let candidates: Vec<(ValueId, ScalarType, Size)> = body
            .stmts
            .iter()
            .filter_map(|s| match (&s.expr, s.binds.as_slice()) {
                (Expr::Alloc { elem, count }, [block]) if lengths.contains(count) && is_outside(count) => {
                    Some((*block, *elem, count.clone()))
                }
                _ => None,
            })
            .collect();
        for (block, elem, count) in candidates {
            let Some(class) = self.facts.class(block) else { continue };
            let crossing: Vec<usize> = (0..state.len())
                .filter(|k| self.facts.class(state[*k].0) == Some(class) && self.facts.is_block(state[*k].0))
                .collect();
            let Some(at) = body.stmts.iter().position(|s| s.binds == [block]) else { continue };
            match crossing.as_slice() {
                [] => before.push(body.stmts.remove(at)),
                [k] if body.results[*k] == Atom::Var(block) && self.is_exact(body, block, &count) => {
                    let span = body.stmts.remove(at).span;
                    let alloc = || Expr::Alloc { elem, count: count.clone() };
                    let name = self.values[block].name.clone();
                    let [first, next, other, last, end] = [(); 5].map(|()| self.values.push(block_named(&name)));
                    before.push(Stmt { binds: vec![first], expr: alloc(), span });
                    let free = self.first_is_free(key, class, state[*k], &state.clone(), &elem, &count);
                    let spare = match free {
                        Some(init) => init,
                        None => {
                            let second = self.values.push(block_named(&name));
                            before.push(Stmt { binds: vec![second], expr: alloc(), span });
                            second
                        }
                    };
                    substitute(body, &BTreeMap::from([(block, Atom::Var(next))]));
                    self.places.insert(block, next);
                    state.extend([(next, Atom::Var(first)), (other, Atom::Var(spare))]);
                    body.results.extend([Atom::Var(other), Atom::Var(next)]);
                    stmt.binds.extend([last, end]);
                }
                _ => {}
            }
        }
    }

    /// Whether what crosses to the next round is as long as its block. The host goes by what was allocated where only the device knows the
    /// length, and of a block that changes places it does not know that.
    fn is_exact(&self, body: &Body, block: ValueId, count: &Size) -> bool {
        let mut columns = body.results.iter().filter_map(|a| a.var()).filter(|v| self.facts.block(*v) == Some(block));
        columns.all(|v| length(self.facts.function, v) == Some(count))
    }

    /// The block of a state's first value, if the loop may write to it and it is as large.
    fn first_is_free(
        &self,
        key: Option<ValueId>,
        class: ValueId,
        (_, init): (ValueId, Atom),
        state: &[(ValueId, Atom)],
        elem: &ScalarType,
        count: &Size,
    ) -> Option<ValueId> {
        let (key, init) = (key?, init.var()?);
        let function = self.facts.function;
        let column = state
            .iter()
            .filter_map(|(_, a)| a.var())
            .find(|v| self.facts.block(*v) == Some(init) && length(function, *v) == Some(count))?;
        let alike = function.values[column].ty.elem() == Some(*elem) && super::is_whole(function, column);
        (alike && !self.facts.is_needed(class, key, init)).then_some(init)
    }
}

fn block_named(name: &str) -> Value {
    Value { name: name.to_string(), ty: Type::Block, bound: None, at: None }
}
