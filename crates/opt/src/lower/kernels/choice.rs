//! Operators that choose: of two tuples the one that comes later, or earlier, in some order.
//!
//! `argmax(xs)` is the greatest of the pairs `(x, -i)`. Its operator is a page of comparisons, and which of two pairs it gives cannot be seen from any one of
//! them. So the comparisons are tried out: each pair of components is less, equal or greater, which for two components makes nine cases, and if what is chosen in all
//! of them is what one lexicographic order says, then the operator is the greatest (or least) by that order:
//!
//! ```text
//! p = a0 < b0; q = b0 < a0; r = a1 < b1; s = p | (not q & r); if s { b0, b1 } else { a0, a1 }
//!
//!           a1 < b1  a1 = b1  a1 > b1
//! a0 < b0      b        b        b         the greatest by component 0, then by component 1
//! a0 = b0      b      equal      a
//! a0 > b0      a        a        a
//! ```
//!
//! The greatest element does not depend on the order in which elements are compared, so it may be found in lanes ([`super::company`]).
//!
//! Declined: components that are carried along without being compared, since of equal tuples the first one would have to win; floats compared by `<` instead of their
//! total order, which NaN has no place in; more components than are tried out quickly.

use super::expr::{and, eq, lt, or, truth, unary};
use std::collections::BTreeMap;
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::flat::{Body, Expr as FlatExpr, Operator};
use terrace_ir::kernel::Expr;
use terrace_ir::{Atom, ValueId};

/// With more components there are too many cases.
const MOST: usize = 4;

/// An order of tuples; the operator gives the one that comes last.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The components as they are compared, and whether the greater one comes last.
    order: Vec<(usize, bool)>,
}

impl Choice {
    /// The choices that an operator makes among `components`, if nothing else becomes of them.
    pub fn all(operator: &Operator, components: &[usize], types: &[ScalarType]) -> Option<Vec<Choice>> {
        let mut decided: Vec<(Decision, Vec<usize>)> = Vec::new();
        for c in components {
            let own = decision(operator, *c)?;
            match decided.iter_mut().find(|(d, _)| *d == own) {
                Some((_, together)) => together.push(*c),
                None => decided.push((own, vec![*c])),
            }
        }
        decided.into_iter().map(|(by, together)| Choice::of(operator, by, &together, types)).collect()
    }

    fn of(operator: &Operator, by: Decision, components: &[usize], types: &[ScalarType]) -> Option<Choice> {
        if components.len() > MOST {
            return None;
        }
        let tried = Tried { operator, types, by };
        let fits = |choice: &Choice| {
            let mut cases = cases(components).into_iter();
            cases.all(|case| choice.takes_right(&case).is_none_or(|r| tried.takes_right(&case) == Some(r)))
        };
        orders(components).into_iter().map(|order| Choice { order }).find(fits)
    }

    /// The components that it is about.
    pub fn components(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().map(|(c, _)| *c)
    }

    /// Whether the right one is taken, given how its components compare; nobody can tell where all are equal.
    fn takes_right(&self, case: &Case) -> Option<bool> {
        let decides = self.order.iter().find(|(c, _)| case.get(c).is_some_and(|r| *r != Side::Equal));
        decides.map(|(c, greatest)| (case.get(c) == Some(&Side::Less)) == *greatest)
    }

    /// Whether the right values come after the left ones.
    pub fn prefers_right(&self, left: &[Expr], right: &[Expr], types: &[ScalarType]) -> Expr {
        let key = |c: usize, e: &Expr| match types[c].is_float() {
            true => unary(UnOp::Ordinal, e.clone()),
            false => e.clone(),
        };
        let mut after: Option<Expr> = None;
        for (c, greatest) in self.order.iter().rev() {
            let (l, r) = (key(*c, &left[*c]), key(*c, &right[*c]));
            let later = if *greatest { lt(l.clone(), r.clone()) } else { lt(r.clone(), l.clone()) };
            after = Some(match after {
                Some(after) => or(later, and(eq(l, r), after)),
                None => later,
            });
        }
        after.unwrap_or_else(|| truth(false))
    }
}

/// How the left one of two components compares with the right one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Less,
    Equal,
    Greater,
}

/// How all components compare.
type Case = BTreeMap<usize, Side>;

fn cases(components: &[usize]) -> Vec<Case> {
    let mut all = vec![Case::new()];
    for c in components {
        let sides = [Side::Less, Side::Equal, Side::Greater];
        all = all.iter().flat_map(|case| sides.map(|s| case.clone().into_iter().chain([(*c, s)]).collect())).collect();
    }
    all
}

fn orders(components: &[usize]) -> Vec<Vec<(usize, bool)>> {
    let Some(_) = components.first() else { return vec![Vec::new()] };
    let mut out = Vec::new();
    for first in components {
        let rest: Vec<usize> = components.iter().copied().filter(|c| c != first).collect();
        for order in orders(&rest) {
            out.extend([true, false].map(|greatest| [vec![(*first, greatest)], order.clone()].concat()));
        }
    }
    out
}

/// What decides about a component, and whether the right one is taken where it is true.
type Decision = (Atom, bool);

/// An operator whose comparisons are tried out.
struct Tried<'o> {
    operator: &'o Operator,
    types: &'o [ScalarType],
    by: Decision,
}

impl Tried<'_> {
    fn takes_right(&self, case: &Case) -> Option<bool> {
        let (decides, when) = self.by;
        Some(self.truth(&self.operator.body, &decides, case)? == when)
    }

    /// Whether a truth holds in a case.
    fn truth(&self, body: &Body, a: &Atom, case: &Case) -> Option<bool> {
        let v = match a {
            Atom::Const(Scalar::Bool(b)) => return Some(*b),
            Atom::Const(_) => return None,
            Atom::Var(v) => *v,
        };
        let truth = |a: &Atom| self.truth(body, a, case);
        match made(body, v)? {
            (FlatExpr::Atom(a), _) => truth(a),
            (FlatExpr::Unary(UnOp::Not, a), _) => Some(!truth(a)?),
            (FlatExpr::Select(c, a, b), _) => truth(if truth(c)? { a } else { b }),
            (FlatExpr::If { cond, then, otherwise }, i) => {
                let side = if truth(cond)? { then } else { otherwise };
                let result = side.results.get(i)?;
                side.stmts.is_empty().then(|| truth(result))?
            }
            (FlatExpr::Binary(op, a, b), _) => match (self.key(a), self.key(b)) {
                (Some((left, is_left)), Some((right, is_right))) if left == right && is_left != is_right => {
                    let (side, right_first) = (*case.get(&left)?, is_right);
                    let side = match (side, right_first) {
                        (Side::Less, true) => Side::Greater,
                        (Side::Greater, true) => Side::Less,
                        (side, _) => side,
                    };
                    compared(*op, side)
                }
                _ => match op {
                    BinOp::And => Some(truth(a)? & truth(b)?),
                    BinOp::Or => Some(truth(a)? | truth(b)?),
                    _ => None,
                },
            },
            _ => None,
        }
    }

    /// The component whose place in the total order an operand is, and whether it is that of the left one.
    fn key(&self, a: &Atom) -> Option<(usize, bool)> {
        let Atom::Var(v) = a else { return None };
        let component = |v: ValueId| {
            let on = |side: &[ValueId]| side.iter().position(|p| *p == v);
            on(&self.operator.left).map(|c| (c, true)).or_else(|| on(&self.operator.right).map(|c| (c, false)))
        };
        if let Some((c, is_left)) = component(*v) {
            return (!self.types[c].is_float()).then_some((c, is_left));
        }
        match made(&self.operator.body, *v)? {
            (FlatExpr::Unary(UnOp::Ordinal, Atom::Var(of)), _) => component(*of),
            _ => None,
        }
    }
}

fn compared(op: BinOp, side: Side) -> Option<bool> {
    Some(match op {
        BinOp::Lt => side == Side::Less,
        BinOp::Le => side != Side::Greater,
        BinOp::Gt => side == Side::Greater,
        BinOp::Ge => side != Side::Less,
        BinOp::Eq => side == Side::Equal,
        BinOp::Ne => side != Side::Equal,
        _ => return None,
    })
}

/// The expression that makes a value, and which of its results that is.
fn made(body: &Body, v: ValueId) -> Option<(&FlatExpr, usize)> {
    body.stmts.iter().find_map(|s| Some((&s.expr, s.binds.iter().position(|b| *b == v)?)))
}

/// What decides about a component, if one of both sides is taken whole.
fn decision(operator: &Operator, c: usize) -> Option<Decision> {
    let Atom::Var(result) = operator.body.results.get(c)? else { return None };
    let (left, right) = (Atom::Var(*operator.left.get(c)?), Atom::Var(*operator.right.get(c)?));
    let (cond, a, b) = match made(&operator.body, *result)? {
        (FlatExpr::Select(cond, a, b), _) => (cond, a, b),
        (FlatExpr::If { cond, then, otherwise }, i) if then.stmts.is_empty() && otherwise.stmts.is_empty() => {
            (cond, then.results.get(i)?, otherwise.results.get(i)?)
        }
        _ => return None,
    };
    match (*a == right && *b == left, *a == left && *b == right) {
        (true, _) => Some((*cond, true)),
        (_, true) => Some((*cond, false)),
        _ => None,
    }
}
