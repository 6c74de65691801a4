//! Which functions are inferred together, and what their types leave open.
//!
//! ```text
//! def even(n) = n == 0 || odd(n - 1)         one group: even, odd
//! def odd(n) = n != 0 && even(n - 1)
//! def all_even(ns) = all(map(even, ns))      a group of its own, after them
//! ```
//!
//! A function that states all its types needs no waiting for, so calls of it do not join groups. Within a group types stay
//! the same; afterwards what is open in a function's type becomes a type parameter. Numbers that only the result mentions
//! become `i64` or `f64` instead, because no caller would expect `def two() = 2` to have many types.
//!
//! The groups are the strongly connected components of the calls, found by Tarjan's method.

use super::{Draft, Infer, Module, Progress, settle};
use crate::errors;
use crate::names::Def;
use crate::signature::SizedType;
use crate::types::{Classes, Ty, TyVar, Unifier};
use std::collections::{BTreeMap, BTreeSet};
use terrace_syntax::ast::{self, ExprKind};
use terrace_syntax::visit::for_each_child;

/// The functions in groups, callees first.
pub(super) fn groups(module: &Module<'_>) -> Vec<Vec<usize>> {
    let calls: Vec<Vec<usize>> = (0..module.functions.len()).map(|k| calls_of(module, k)).collect();
    components(&calls)
}

impl Module<'_> {
    /// Whether all types of a function are stated.
    fn is_stated(&self, k: usize) -> bool {
        let source = self.functions[k].source;
        source.result.is_some() && source.params.iter().all(|p| p.ty.is_some())
    }
}

/// The functions whose types must be known before those of `k`. A local name may hide a function: then there is one too many.
fn calls_of(module: &Module<'_>, k: usize) -> Vec<usize> {
    let source = module.functions[k].source;
    let here = module.headers[k].module;
    let params: BTreeSet<&str> = source.params.iter().flat_map(|p| p.pattern.names()).map(|(n, _)| n).collect();
    let mut found = BTreeSet::new();
    let mut todo: Vec<&ast::Expr> = vec![&source.body];
    while let Some(expr) = todo.pop() {
        let def = match &expr.kind {
            ExprKind::Var(name) if !params.contains(name.as_str()) => module.names.value(here, name),
            ExprKind::Field { value, name } => match &value.kind {
                ExprKind::Var(q) => module.names.import(here, q).and_then(|m| module.names.value_in(m, &name.text)),
                _ => None,
            },
            _ => None,
        };
        if let Some(Def::Function(callee)) = def
            && !module.is_stated(callee)
        {
            found.insert(callee);
        }
        for_each_child(expr, &mut |child| todo.push(child));
    }
    found.into_iter().collect()
}

/// Strongly connected components, each after those it leads to.
fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let n = edges.len();
    let (mut index, mut low, mut on_stack) = (vec![NEW; n], vec![0; n], vec![false; n]);
    let (mut stack, mut out, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..n {
        if index[root] != NEW {
            continue;
        }
        // Each frame: a node and how many of its edges were followed.
        let mut frames = vec![(root, 0)];
        while let Some((node, edge)) = frames.pop() {
            if edge == 0 {
                (index[node], low[node], on_stack[node]) = (next, next, true);
                next += 1;
                stack.push(node);
            }
            if let Some(&to) = edges[node].get(edge) {
                frames.push((node, edge + 1));
                if index[to] == NEW {
                    frames.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            if low[node] == index[node] {
                let at = stack.iter().rposition(|s| *s == node).unwrap_or(0);
                let mut group = stack.split_off(at);
                group.iter().for_each(|m| on_stack[*m] = false);
                group.sort_unstable();
                out.push(group);
            }
            if let Some((parent, _)) = frames.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    out
}

impl Module<'_> {
    /// Infers functions that call each other, and finds their type parameters.
    pub(super) fn infer_group(&mut self, members: &[usize]) {
        self.refuse_partial_headers(members);
        let mut unifier = Unifier::default();
        for k in members {
            let source = self.functions[*k].source;
            let header = &self.headers[*k];
            let params = header.params.iter().zip(&source.params);
            let params = params.map(|(known, param)| match &param.ty {
                Some(_) => known.ty.plain(),
                None => unifier.fresh_any(Classes::NONE, param.pattern.span),
            });
            let params: Vec<Ty> = params.collect();
            let result = match &header.result {
                Some((result, _)) => result.plain(),
                None => unifier.fresh(Classes::NONE, source.body.span),
            };
            self.open.insert(*k, (params, result));
        }
        let types = self.open.clone();
        if let [only] = members
            && self.is_stated(*only)
        {
            // Its own calls may then be at other types.
            self.open.clear();
        }
        let mut drafts = Vec::new();
        for (k, (params, result)) in &types {
            let here = self.headers[*k].module;
            let infer = Infer::new(self, Some(*k), here, std::mem::take(&mut unifier));
            let (draft, after) = infer.function(*k, params, result);
            drafts.push(draft);
            unifier = after;
        }
        self.open.clear();
        self.default_results(&types, &mut unifier);
        let open: BTreeMap<usize, Vec<TyVar>> = types
            .iter()
            .map(|(k, (params, result))| {
                let mut vars = Vec::new();
                if !self.headers[*k].exported {
                    params.iter().chain([result]).for_each(|ty| unifier.open_in(ty, &mut vars));
                }
                (*k, vars)
            })
            .collect();
        let count = drafts.len();
        for (n, draft) in drafts.into_iter().enumerate() {
            let own = if n + 1 == count { std::mem::take(&mut unifier) } else { unifier.clone() };
            let (params, result) = &types[&draft.function];
            self.close(draft, own, params, result, &open);
        }
    }

    /// Type names of one function have no meaning in another, so a group can only share types that have none.
    fn refuse_partial_headers(&mut self, members: &[usize]) {
        if members.len() < 2 {
            return;
        }
        for k in members {
            if !self.headers[*k].type_params.is_empty() {
                let others = members.iter().filter(|m| *m != k).map(|m| self.headers[*m].name.as_str());
                let others = errors::listed(others);
                let header = &self.headers[*k];
                self.reports.push(errors::types_needed(&header.name, header.name_span, &others));
            }
        }
    }

    /// Numbers that no parameter of the group mentions get their defaults; constants and entries have no type parameters.
    fn default_results(&self, types: &BTreeMap<usize, (Vec<Ty>, Ty)>, unifier: &mut Unifier) {
        let mut in_params = Vec::new();
        for (params, _) in types.values() {
            params.iter().for_each(|ty| unifier.open_in(ty, &mut in_params));
        }
        for (k, (_, result)) in types {
            let header = &self.headers[*k];
            let mut in_result = Vec::new();
            unifier.open_in(result, &mut in_result);
            for var in in_result {
                if header.exported || header.constant || !in_params.contains(&var) {
                    unifier.default_number(var);
                }
            }
        }
    }

    /// Makes type parameters of what is open in a function's type, and completes its header.
    fn close(
        &mut self,
        mut draft: Draft,
        mut unifier: Unifier,
        params: &[Ty],
        result: &Ty,
        open: &BTreeMap<usize, Vec<TyVar>>,
    ) {
        let k = draft.function;
        let header = &mut self.headers[k];
        for var in &open[&k] {
            let classes = unifier.classes_of(*var).without(Classes::VALUE);
            unifier.settle(*var, Ty::Param(header.type_params.len()));
            let name = free_name(&header.type_params);
            header.type_params.push((name, classes));
        }
        unifier.params = header.type_params.clone();
        for ((known, param), ty) in header.params.iter_mut().zip(&self.functions[k].source.params).zip(params) {
            if param.ty.is_none() {
                known.ty = SizedType::Plain(unifier.resolve(ty));
            }
        }
        if draft.pending {
            settle::settle(&mut draft.body, &unifier, open, k, &self.headers);
        }
        let (from_header, patterns) = (draft.from_header, std::mem::take(&mut draft.patterns));
        let checked = self.finish(draft, unifier);
        let header = &mut self.headers[k];
        for (known, mut pattern) in header.params.iter_mut().zip(patterns) {
            settle::resolve_pattern(&mut pattern, &checked.unifier);
            known.pattern = pattern;
        }
        header.locals = checked.locals[..from_header].to_vec();
        for local in &mut header.locals {
            local.ty = checked.unifier.resolve(&local.ty);
        }
        self.results[k] = Some(checked.unifier.resolve(result));
        self.functions[k].progress = Progress::Done(Box::new(checked));
    }
}

/// A name for an inferred type parameter.
fn free_name(taken: &[(String, Classes)]) -> String {
    let letters = ["t", "u", "v", "w"];
    let numbered = (1..).flat_map(|n| letters.iter().map(move |l| format!("{l}{n}")));
    let mut names = letters.iter().map(|l| l.to_string()).chain(numbered);
    names.find(|name| taken.iter().all(|(t, _)| t != name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn callees_come_first() {
        let check = |edges: &[&[usize]], expected: &[&[usize]]| {
            let edges: Vec<Vec<usize>> = edges.iter().map(|e| e.to_vec()).collect();
            assert_eq!(components(&edges), expected);
        };
        check(&[&[1], &[2], &[]], &[&[2], &[1], &[0]]);
        check(&[&[1], &[0]], &[&[0, 1]]);
        check(&[&[1, 2], &[2], &[1, 3], &[3]], &[&[3], &[1, 2], &[0]]);
        check(&[&[], &[0], &[1, 2]], &[&[0], &[1], &[2]]);
    }
}
