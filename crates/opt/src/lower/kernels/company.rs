//! Reductions of tuples, component by component.
//!
//! `(sum, minimum, maximum)` of one array are fused into one reduction whose operator is a body of three statements. As a whole it is nothing that a processor
//! has; but each component is one operation on operands of its own, and combines as it would alone:
//!
//! ```text
//! (a0, a1, a2 | b0, b1, b2) { t0 = a0 + b0; t1 = a1 min b1; t2 = a2 max b2 }           +     min   max       three arrays of lanes
//! (a0, a1, a2 | b0, b1, b2) { t0 = a0 + b0; if a1 < b1 { b1, b2 } else { a1, a2 } }    +     in turn         one, and the rest one by one
//! (a0, a1, a2 | b0, b1, b2) { t0 = a0 + b0; if … { b1, b2 } else { a1, a2 } }            +     the later of two  three
//! ```
//!
//! So a sum has the same bits alone and in company, and a loop over tuples is vector code. Components that are more than one operation, or that others
//! look at, choose together which tuple is the later one ([`super::choice`]), in lanes, or else combine left to right as [`super::reduce`] says, behind
//! each group of lanes. What decides about the association is the operator, nothing else: not the body, its checks or the space.
//!
//! Declined: tuples without a sum or product of floats in which nothing is chosen, which loops combine just as well, or whose values take more than reading them; sums of floats of two sizes, whose lanes
//! differ in number; tuples of very many.

use super::build::{Builder, zero};
use super::choice::Choice;
use super::expr::{and, binary, local, select};
use super::reduce::{Reduction, assign_all, element};
use super::steady::{is_quick, is_steady};
use super::{Lowered, limit};
use std::collections::BTreeSet;
use terrace_base::{BinOp, ScalarType};
use terrace_ir::flat::visit::free_values_of_expr;
use terrace_ir::flat::{Expr as FlatExpr, Operator};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt};
use terrace_ir::{Atom, ValueId};

/// More arrays of lanes than this have no room in registers.
const MOST: usize = 16;

/// How the components of a reduction with lanes combine.
pub struct Company {
    /// Per component: the operation that it is, if it is one; the others combine in turn.
    pub ops: Vec<Option<BinOp>>,
    /// What the others choose together, if that is all they do.
    pub choices: Vec<Choice>,
    /// The number of lanes.
    pub lanes: i64,
    /// Whether the order of combination cannot be seen.
    pub exact: bool,
}

/// What the lanes are kept in.
pub struct Kept {
    /// Per component: its lanes, or what a group has of one that combines in turn.
    pub arrays: Vec<ArrayId>,
    /// Which elements of a group take part, where a component that combines in turn has to know.
    pub keep: Option<ArrayId>,
}

impl Company {
    /// Whether some components combine in turn.
    pub fn has_others(&self) -> bool {
        self.ops.contains(&None) && self.choices.is_empty()
    }

    /// Whether a component combines in lanes.
    pub fn is_in_lanes(&self, component: usize) -> bool {
        self.ops[component].is_some() || !self.choices.is_empty()
    }
}

/// The operation that each component is, where it is one on its own operands and no other component uses them.
pub fn own_operations(operator: &Operator) -> Vec<Option<BinOp>> {
    let variable = |a: &Atom| if let Atom::Var(v) = a { Some(*v) } else { None };
    let made_by = |v: ValueId| operator.body.stmts.iter().position(|s| s.binds == [v]);
    let made: Vec<Option<usize>> = operator.body.results.iter().map(|r| variable(r).and_then(made_by)).collect();
    let is_own = |i: usize, a: &Atom, b: &Atom| {
        let sides = (operator.left.get(i), operator.right.get(i));
        matches!(sides, (Some(l), Some(r)) if *a == Atom::Var(*l) && *b == Atom::Var(*r))
    };
    let mut ops: Vec<Option<BinOp>> = Vec::new();
    for (i, at) in made.iter().enumerate() {
        ops.push(match at.map(|at| &operator.body.stmts[at].expr) {
            Some(FlatExpr::Binary(op, a, b)) if is_own(i, a, b) => Some(*op),
            _ => None,
        });
    }
    loop {
        // What everything else uses, be it only for a check.
        let own: Vec<Option<usize>> = made.iter().zip(&ops).filter(|(_, op)| op.is_some()).map(|(at, _)| *at).collect();
        let mut used = BTreeSet::new();
        for (_, stmt) in operator.body.stmts.iter().enumerate().filter(|(at, _)| !own.contains(&Some(*at))) {
            used.extend(free_values_of_expr(&stmt.expr));
        }
        let others = operator.body.results.iter().zip(&ops).filter(|(_, op)| op.is_none());
        used.extend(others.filter_map(|(r, _)| variable(r)));
        let is_used = |i: usize| {
            let result = variable(&operator.body.results[i]);
            [Some(operator.left[i]), Some(operator.right[i]), result].iter().flatten().any(|v| used.contains(v))
        };
        let Some(shared) = (0..ops.len()).find(|i| ops[*i].is_some() && is_used(*i)) else { return ops };
        ops[shared] = None;
    }
}

impl Reduction<'_> {
    /// How the components combine, where some of them do so in lanes.
    pub fn company(&self, b: &Builder<'_>) -> Option<Company> {
        let types = self.types(b);
        if !b.target_is_cpu() || types.len() > MOST {
            return None;
        }
        let in_lanes = |op: BinOp, ty: ScalarType| ty.is_float() && matches!(op, BinOp::Add | BinOp::Mul);
        let mut ops = own_operations(self.operator);
        let mut sizes = BTreeSet::new();
        for (op, ty) in ops.iter_mut().zip(&types) {
            *op = op.filter(|op| in_lanes(*op, *ty) || terrace_base::is_exact(*op, *ty));
            sizes.extend(op.filter(|op| in_lanes(*op, *ty)).map(|_| ty.size_bytes()));
        }
        let others: Vec<usize> = (0..ops.len()).filter(|i| ops[*i].is_none()).collect();
        let choices = Choice::all(self.operator, &others, &types).unwrap_or_default();
        let exact = sizes.is_empty();
        let size = match sizes.pop_first() {
            Some(size) if sizes.is_empty() => size,
            None if !choices.is_empty() && self.reads_only(b) => types.iter().map(|ty| ty.size_bytes()).max()?,
            _ => return None,
        };
        Some(Company { ops, choices, lanes: if size == 4 { 16 } else { 8 }, exact })
    }

    /// Whether the body is straight code of a few instructions.
    pub fn reads_only(&self, b: &Builder<'_>) -> bool {
        let whole = |a: &Atom| b.is_whole(a);
        let reads = |e: &FlatExpr| matches!(e, FlatExpr::Read { .. } | FlatExpr::Size(_));
        self.ok.is_none() && self.op.body.stmts.iter().all(|s| reads(&s.expr) || is_quick(&s.expr, &whole))
    }

    /// The values that come later, of lane `l` and `values`, into that lane.
    pub fn choose_lane(
        &self,
        b: &mut Builder<'_>,
        company: &Company,
        arrays: &[ArrayId],
        l: &Expr,
        mask: Option<Expr>,
        values: &[Expr],
    ) {
        let types = self.types(b);
        for choice in &company.choices {
            let mut old: Vec<Expr> = types.iter().map(|ty| zero(*ty)).collect();
            for i in choice.components() {
                old[i] = b.let_("old", types[i], element(arrays[i], l.clone()));
            }
            let later = choice.prefers_right(&old, values, &types);
            let later = mask.clone().map_or(later.clone(), |mask| and(mask, later));
            let later = b.let_("later", ScalarType::Bool, later);
            for i in choice.components() {
                let new = select(later.clone(), values[i].clone(), old[i].clone());
                b.emit(Stmt::SetElement(arrays[i], l.clone(), new));
            }
        }
    }

    /// `vars = vars op values` of a tuple on a CPU: first the components that are operations of their own, then the others together.
    pub fn fold_company(
        &self,
        b: &mut Builder<'_>,
        vars: &[LocalId],
        mask: Option<Expr>,
        values: &[Expr],
    ) -> Lowered<()> {
        let ops = own_operations(self.operator);
        for ((v, op), x) in vars.iter().zip(&ops).zip(values) {
            if let Some(op) = op {
                let new = binary(*op, local(*v), x.clone());
                let new = match &mask {
                    Some(mask) => select(mask.clone(), new, local(*v)),
                    None => new,
                };
                b.set(*v, new);
            }
        }
        self.fold_others(b, &ops, vars, mask, values)
    }

    /// The same for components without an operation, and for them alone.
    pub fn fold_others(
        &self,
        b: &mut Builder<'_>,
        ops: &[Option<BinOp>],
        vars: &[LocalId],
        mask: Option<Expr>,
        values: &[Expr],
    ) -> Lowered<()> {
        if !ops.contains(&None) {
            return Ok(());
        }
        if values.len() != ops.len() {
            return Err(limit(b.span(), "this reduction"));
        }
        let types = self.types(b);
        // What the operations of their own would compute is not looked at, and not there in the end.
        let of_others = |list: Vec<Expr>| -> Vec<Expr> {
            list.into_iter()
                .zip(ops)
                .zip(&types)
                .map(|((e, op), ty)| if op.is_some() { zero(*ty) } else { e })
                .collect()
        };
        let left = of_others(vars.iter().map(|v| local(*v)).collect());
        let right = of_others(values.to_vec());
        let others = |list: Vec<Expr>| list.into_iter().zip(ops).filter(|(_, op)| op.is_none()).map(|(e, _)| e);
        let own: Vec<LocalId> = vars.iter().zip(ops).filter(|(_, op)| op.is_none()).map(|(v, _)| *v).collect();
        match mask {
            None => {
                let new = b.combine(self.operator, &left, &right)?;
                assign_all(b, &own, others(new).collect());
                Ok(())
            }
            Some(mask) if b.is_steady() && is_steady(&self.operator.body, &|a| b.is_whole(a)) => {
                let new = b.combine(self.operator, &left, &right)?;
                let mut next = Vec::new();
                for (new, v) in others(new).zip(&own) {
                    let ty = b.local_type(*v);
                    let chosen = b.choose(ty, mask.clone(), new, local(*v));
                    next.push(local(b.var("next", ty, chosen)));
                }
                assign_all(b, &own, next);
                Ok(())
            }
            Some(mask) => b.when(mask, |b| {
                let new = b.combine(self.operator, &left, &right)?;
                assign_all(b, &own, others(new).collect());
                Ok(())
            }),
        }
    }
}
