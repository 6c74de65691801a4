//! What Core is to the fusion engine: maps over arrays, before anything is flattened.
//!
//! ```text
//! let t = map (row) in rows { map (x) in row { => f x } }             let s = map (row) in rows {
//! let s = map (r) in t { reduce add r }                          →      let r = map (x) in row { => f x }
//!                                                                       => reduce add r
//!                                                                     }
//! ```
//!
//! Here the elements are arrays, and after fusion no nested array is built; on Flat the same happens to scalars. A map is read in place by a
//! map over its result, and elsewhere by an index. Declined: reductions, scans and filters as consumers (they take an array and no function
//! of its elements; Flat fuses those), and neighbours (a map gives one array here).

use super::engine::{Kind, Language, Meeting, Node, Uses, Work};
use super::refusal::{Dear, Place, Reason};
use crate::optimise::total::calls_a_function;
use std::collections::BTreeMap;
use terrace_base::{IdVec, Span};
use terrace_ir::check::CheckId;
use terrace_ir::core::visit::{bound_values, refresh, substitute_with_types, walk};
use terrace_ir::core::{Body, Expr, Lambda, LoopForm, Stmt, StmtKind, Value};
use terrace_ir::{Atom, ValueId};

/// The statements of one body of Core.
pub(super) struct Core<'a> {
    /// The function's values.
    pub values: &'a mut IdVec<ValueId, Value>,
}

fn main_of(place: &[Stmt]) -> Option<(ValueId, &Expr)> {
    match &place.last()?.kind {
        StmtKind::Let { value, expr, .. } => Some((*value, expr)),
        StmtKind::Check { .. } => None,
    }
}

/// The function that gives the elements of an array.
fn producer_of(place: &[Stmt]) -> Option<&Lambda> {
    match main_of(place)?.1 {
        Expr::Map { lambda, .. } | Expr::Generate { lambda, .. } => Some(lambda),
        _ => None,
    }
}

fn stops_itself(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Check { proved, .. } => !proved,
        StmtKind::Let { expr, .. } => match expr {
            Expr::Ascribe { proved, .. } => !proved,
            Expr::Loop { form: LoopForm::While(_), .. } | Expr::Call { .. } => true,
            _ => false,
        },
    }
}

fn relies_itself(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Let { expr, after, .. } if !after.is_empty() || matches!(expr, Expr::Call { .. } | Expr::Loop { .. }))
}

/// Gives `f` the statement and every statement inside it.
fn each(stmt: &Stmt, f: &mut dyn FnMut(&Stmt)) {
    f(stmt);
    if let StmtKind::Let { expr, .. } = &stmt.kind {
        expr.bodies().into_iter().for_each(|b| walk(b, f));
    }
}

fn dear(expr: &Expr) -> Option<Dear> {
    match expr {
        Expr::Call { .. } => Some(Dear::Call),
        e if calls_a_function(e) => Some(Dear::Function),
        Expr::If { .. } | Expr::Match { .. } => None,
        e if e.operator_name().is_some() => Some(Dear::Loop),
        _ => None,
    }
}

/// The uses that an expression makes, at any depth.
fn count(expr: &Expr, uses: &mut BTreeMap<ValueId, Uses>) {
    let whole = |a: Atom, uses: &mut BTreeMap<ValueId, Uses>| {
        if let Atom::Var(v) = a {
            uses.entry(v).or_default().whole += 1;
        }
    };
    match expr {
        Expr::Index { array, index } => {
            if let Atom::Var(v) = array {
                uses.entry(*v).or_default().elsewhere += 1;
            }
            whole(*index, uses);
        }
        other => other.operands().into_iter().for_each(|a| whole(a, uses)),
    }
    for body in expr.bodies() {
        for stmt in &body.stmts {
            match &stmt.kind {
                StmtKind::Let { expr, .. } => count(expr, uses),
                StmtKind::Check { .. } => stmt.operands().into_iter().for_each(|a| whole(a, uses)),
            }
        }
        whole(body.result, uses);
    }
}

impl Language for Core<'_> {
    type Stmt = Stmt;

    fn node(&self, place: &[Stmt]) -> Node {
        let mut uses: BTreeMap<ValueId, Uses> = BTreeMap::new();
        let mut bound = Vec::new();
        let mut binds = Vec::new();
        let (mut stops, mut relies) = (false, false);
        for stmt in place {
            match &stmt.kind {
                StmtKind::Let { value, expr, .. } => {
                    binds.push(*value);
                    bound.push(*value);
                    bound.extend(expr.binders());
                    expr.bodies().into_iter().for_each(|b| bound.extend(bound_values(b)));
                    count(expr, &mut uses);
                    if let Expr::Map { arrays, .. } = expr {
                        for v in arrays.iter().filter_map(|a| a.var()) {
                            let entry = uses.entry(v).or_default();
                            entry.whole -= 1;
                            entry.in_place += 1;
                        }
                    }
                }
                StmtKind::Check { .. } => {
                    for v in stmt.operands().into_iter().filter_map(Atom::var) {
                        uses.entry(v).or_default().whole += 1;
                    }
                    // A proved one stops nothing, but what relies on it must not stand before it.
                    stops = true;
                }
            }
            each(stmt, &mut |s| {
                stops |= stops_itself(s);
                relies |= relies_itself(s);
            });
        }
        for b in &bound {
            for v in self.values[*b].ty.free_values() {
                uses.entry(v).or_default().in_type = true;
            }
        }
        bound.iter().for_each(|b| {
            uses.remove(b);
        });
        let kind = match (main_of(place), place.len()) {
            (Some(_), 1) if producer_of(place).is_some() => Kind::Map,
            (Some(_), _) => Kind::Consumer,
            (None, _) => Kind::Other,
        };
        Node { binds, uses, kind, stops, relies, family: None }
    }

    fn meeting(&self, producer: &[Stmt], consumer: &[Stmt]) -> Meeting {
        let Some((array, from)) = main_of(producer) else { return Meeting::Apart(Reason::NoOperator) };
        match main_of(consumer) {
            Some((_, Expr::Map { arrays, .. })) if arrays.contains(&array.into()) => match from {
                Expr::Map { .. } => Meeting::Equal,
                _ if arrays.iter().all(|a| *a == Atom::Var(array)) => Meeting::Equal,
                _ => Meeting::Apart(Reason::Spaces),
            },
            _ => Meeting::AnyPosition,
        }
    }

    fn work(&self, producer: &[Stmt], _: &[ValueId]) -> Work {
        let mut out = Work { dear: None, reads: 0, gathers: 0 };
        let (Some(lambda), Some((array, expr))) = (producer_of(producer), main_of(producer)) else { return out };
        if let Expr::Map { arrays, .. } = expr {
            out.reads += arrays.len();
        }
        let nested = self.values[array].ty.elem().is_none_or(|t| !t.is_flat());
        let mut found = nested.then_some(Dear::Loop);
        walk(&lambda.body, &mut |stmt| {
            if let StmtKind::Let { expr, .. } = &stmt.kind {
                found = found.or(dear(expr));
                if matches!(expr, Expr::Index { .. }) {
                    out.reads += 1;
                    out.gathers += 1;
                }
            }
        });
        out.dear = found.map(|d| Reason::Dear(d, Place::OtherPositions));
        out
    }

    fn shared(&self, _: &[Stmt], _: &[ValueId], _: &[ValueId]) -> Option<Reason> {
        None
    }

    fn absorb(&mut self, producer: &[Stmt], _: &[ValueId], consumer: &mut Vec<Stmt>, copy: bool) {
        let Some((array, from)) = main_of(producer) else { return };
        let Some(mut main) = consumer.pop() else { return };
        let relies = producer.last().map(|s| match &s.kind {
            StmtKind::Let { after, .. } => after.clone(),
            StmtKind::Check { .. } => Vec::new(),
        });
        let mut element = Element { array, from, relies: relies.unwrap_or_default(), values: self.values };
        if let StmtKind::Let { expr, after, .. } = &mut main.kind
            && element.in_place(expr, copy)
        {
            rely_on(after, &element.relies);
        }
        element.stmt(main, consumer);
    }

    fn forget(&mut self, producer: &mut Vec<Stmt>, _: &[ValueId]) {
        producer.clear();
    }

    fn join(&mut self, first: &[Stmt], second: &[Stmt]) -> Vec<Stmt> {
        [first, second].concat()
    }

    fn masks(&self, _: &[Stmt], _: &[Stmt]) -> Result<bool, Reason> {
        Err(Reason::NoMask)
    }

    fn counts(&self, _: &[Stmt], _: &[Stmt]) -> bool {
        false
    }

    fn mask(&mut self, _: &[Stmt], consumer: &[Stmt], _: bool) -> Vec<Stmt> {
        consumer.to_vec()
    }

    fn name(&self, value: ValueId) -> String {
        self.values[value].name.clone()
    }

    fn span(&self, place: &[Stmt]) -> Span {
        place.last().map_or(Span::none(), |s| s.span)
    }
}

fn rely_on(own: &mut Vec<CheckId>, more: &[CheckId]) {
    own.extend(more.iter().filter(|c| !own.contains(c)).copied().collect::<Vec<_>>());
}

/// A statement in which the elements of a map are computed where it reads single ones, and what that takes before it.
pub(in crate::optimise) fn computed_where_read(
    map: &Stmt,
    reader: Stmt,
    values: &mut IdVec<ValueId, Value>,
) -> Vec<Stmt> {
    let StmtKind::Let { value, expr, after } = &map.kind else { return vec![reader] };
    let mut out = Vec::new();
    Element { array: *value, from: expr, relies: after.clone(), values }.stmt(reader, &mut out);
    out
}

/// The elements of an array, to be computed where they are needed.
struct Element<'a> {
    array: ValueId,
    from: &'a Expr,
    /// The checks that the array relies on: who computes its elements relies on them too.
    relies: Vec<CheckId>,
    values: &'a mut IdVec<ValueId, Value>,
}

impl Element<'_> {
    /// The body that gives an element for these parameters.
    fn body(&mut self, lambda: &Lambda, params: &[Atom], copy: bool) -> Body {
        let mut body = lambda.body.clone();
        if copy {
            refresh(&mut body, self.values);
        }
        let map: BTreeMap<ValueId, Atom> = lambda.params.iter().copied().zip(params.iter().copied()).collect();
        substitute_with_types(&mut body, self.values, &map);
        body
    }

    fn param(&mut self, like: ValueId) -> ValueId {
        let value = self.values[like].clone();
        self.values.push(Value { name: value.name, ty: value.ty.without_sizes() })
    }

    /// A map over the array computes its elements first; says whether it was one.
    fn in_place(&mut self, expr: &mut Expr, copy: bool) -> bool {
        let Expr::Map { lambda: to, arrays } = expr else { return false };
        if !arrays.contains(&self.array.into()) {
            return false;
        }
        let (lambda, sources, count) = match self.from {
            Expr::Map { lambda, arrays } => (lambda, arrays.clone(), None),
            Expr::Generate { lambda, count } => (lambda, Vec::new(), Some(*count)),
            _ => return false,
        };
        let params: Vec<ValueId> = lambda.params.iter().map(|p| if copy { self.param(*p) } else { *p }).collect();
        let atoms: Vec<Atom> = params.iter().map(|p| Atom::Var(*p)).collect();
        let front = self.body(lambda, &atoms, copy);
        let mut known = BTreeMap::new();
        let (mut new_params, mut new_arrays) = (params, sources);
        for (param, array) in to.params.iter().zip(arrays.iter()) {
            if *array == Atom::Var(self.array) {
                known.insert(*param, front.result);
            } else {
                new_params.push(*param);
                new_arrays.push(*array);
            }
        }
        let mut body = std::mem::replace(&mut to.body, Body { stmts: Vec::new(), result: Atom::int(0) });
        substitute_with_types(&mut body, self.values, &known);
        body.stmts.splice(0..0, front.stmts);
        let lambda = Lambda { params: new_params, body };
        *expr = match count {
            None => Expr::Map { lambda, arrays: new_arrays },
            Some(count) => Expr::Generate { lambda, count },
        };
        true
    }

    /// Puts a statement in which elements are computed where they are read.
    fn stmt(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        if let StmtKind::Let { expr, after, .. } = &mut stmt.kind {
            match expr {
                Expr::Index { array, index } if *array == Atom::Var(self.array) => {
                    rely_on(after, &self.relies);
                    let (index, after) = (*index, after.clone());
                    let result = self.element(index, &after, span, out);
                    *expr = Expr::Atom(result);
                }
                other => other.bodies_mut().into_iter().for_each(|b| {
                    for inner in std::mem::take(&mut b.stmts) {
                        self.stmt(inner, &mut b.stmts);
                    }
                }),
            }
        }
        out.push(stmt);
    }

    fn element(&mut self, index: Atom, after: &[CheckId], span: Span, out: &mut Vec<Stmt>) -> Atom {
        let (lambda, params) = match self.from {
            Expr::Generate { lambda, .. } => (lambda, vec![index]),
            Expr::Map { lambda, arrays } => {
                let mut params = Vec::new();
                for (param, array) in lambda.params.iter().zip(arrays) {
                    let value = self.param(*param);
                    let expr = Expr::Index { array: *array, index };
                    out.push(Stmt { kind: StmtKind::Let { value, expr, after: after.to_vec() }, span });
                    params.push(value.into());
                }
                (lambda, params)
            }
            _ => return index,
        };
        let mut body = self.body(lambda, &params, true);
        // Whatever made the index safe makes its element safe.
        for stmt in &mut body.stmts {
            if let StmtKind::Let { after: own, .. } = &mut stmt.kind {
                rely_on(own, after);
            }
        }
        out.extend(body.stmts);
        body.result
    }
}
