//! Matches as decisions.
//!
//! ```text
//! match (s, n) {                       match s {
//!   (circle(r), 0) => a(r),              circle(r): if n == 0 then a(r) else c
//!   (rect(w, _), _) => b(w),             rect(w, h): b(w)
//!   _ => c,                              point: c
//! }                                    }
//! ```
//!
//! First the decisions are found, as a tree over parts of the value: the first row of tests that is still possible decides
//! what is looked at next, and every branch keeps the rows that can still hold. Then the tree is written: a `match` per
//! enum, an `if` per literal or guard. An arm may be reached on several ways; if its text would be repeated more than a few
//! times, the number of the arm is computed first and the arms are chosen by it (`choice.rs` beside this file).
//!
//! Compare: Maranget, "Compiling pattern matching to good decision trees" (ML 2008). Columns are not reordered here.

use super::body::Lower;
use crate::declared::DeclaredKind;
use crate::typed::{Arm, Expr, Kind, Pattern, PatternKind};
use crate::types::Ty;
use std::collections::BTreeMap;
use terrace_base::{BinOp, Scalar, Span};
use terrace_ir::Atom;
use terrace_ir::check::CheckKind;
use terrace_ir::core::{self, Type};

/// A part of the value, by the order in which parts are found.
type Part = usize;

/// What is to be decided, in order.
enum Tree<'a> {
    Arm {
        arm: usize,
        names: Vec<(&'a Pattern, Part)>,
        /// If there is a guard: what follows where it does not hold.
        otherwise: Option<Box<Tree<'a>>>,
    },
    Project {
        part: Part,
        components: Vec<(usize, Part)>,
        then: Box<Tree<'a>>,
    },
    Switch {
        part: Part,
        arms: Vec<(Vec<Part>, Tree<'a>)>,
    },
    Test {
        part: Part,
        literal: &'a Expr,
        then: Box<Tree<'a>>,
        otherwise: Box<Tree<'a>>,
    },
    /// No arm fits; exhaustive matches do not get here.
    Stuck,
}

/// An arm that is still possible, with what remains to be tested.
#[derive(Clone)]
struct Row<'a> {
    tests: Vec<(Part, &'a Pattern)>,
    names: Vec<(&'a Pattern, Part)>,
    arm: usize,
}

/// How often the text of an arm may be repeated.
const REPEATS: usize = 3;

struct Builder<'l, 'a> {
    arms: &'a [Arm],
    /// How many fields each variant of a pattern's enum has.
    fields: &'l dyn Fn(&Pattern) -> Vec<usize>,
    parts: usize,
    nodes: usize,
    uses: Vec<usize>,
}

impl<'a> Builder<'_, 'a> {
    fn part(&mut self) -> Part {
        self.parts += 1;
        self.parts - 1
    }

    /// The decisions; none if the tree would be too large.
    fn build(&mut self, rows: Vec<Row<'a>>) -> Option<Tree<'a>> {
        self.nodes += 1;
        if self.nodes > 64 + 8 * self.arms.len() {
            return None;
        }
        let rows = normal(rows)?;
        let Some(first) = rows.first() else {
            return Some(Tree::Stuck);
        };
        let taken_apart = rows.iter().flat_map(|r| &r.tests).find(|(_, p)| components(p).is_some());
        if let Some((part, _)) = taken_apart {
            let part = *part;
            return self.project(part, rows);
        }
        let Some((part, pattern)) = first.tests.first().copied() else {
            let (arm, names) = (first.arm, first.names.clone());
            self.uses[arm] += 1;
            if self.uses[arm] > REPEATS && !is_small(&self.arms[arm].body) {
                return None;
            }
            let otherwise = match self.arms[arm].guard {
                Some(_) => Some(Box::new(self.build(rows[1..].to_vec())?)),
                None => None,
            };
            return Some(Tree::Arm { arm, names, otherwise });
        };
        match &pattern.kind {
            PatternKind::Variant { .. } => {
                let mut arms = Vec::new();
                for (tag, count) in (self.fields)(pattern).into_iter().enumerate() {
                    let fields: Vec<Part> = (0..count).map(|_| self.part()).collect();
                    let rows = rows.iter().filter_map(|r| as_variant(r, part, tag, &fields)).collect();
                    arms.push((fields, self.build(rows)?));
                }
                Some(Tree::Switch { part, arms })
            }
            PatternKind::Literal(literal) => {
                let then = rows.iter().filter_map(|r| as_literal(r, part, literal, true)).collect();
                let then = Box::new(self.build(then)?);
                let otherwise = rows.iter().filter_map(|r| as_literal(r, part, literal, false)).collect();
                let otherwise = Box::new(self.build(otherwise)?);
                Some(Tree::Test { part, literal, then, otherwise })
            }
            _ => unreachable!("rows are in normal form"),
        }
    }

    fn project(&mut self, part: Part, mut rows: Vec<Row<'a>>) -> Option<Tree<'a>> {
        let mut named: BTreeMap<usize, Part> = BTreeMap::new();
        for row in &mut rows {
            let (here, mut rest): (Vec<_>, Vec<_>) = row.tests.drain(..).partition(|(p, _)| *p == part);
            let mut tests = Vec::new();
            for (k, pattern) in here.iter().filter_map(|(_, p)| components(p)).flatten() {
                let component = *named.entry(k).or_insert_with(|| {
                    self.parts += 1;
                    self.parts - 1
                });
                tests.push((component, pattern));
            }
            tests.append(&mut rest);
            row.tests = tests;
        }
        let then = Box::new(self.build(rows)?);
        Some(Tree::Project { part, components: named.into_iter().collect(), then })
    }
}

/// The components that a pattern looks at, if it takes a tuple or record apart.
fn components(pattern: &Pattern) -> Option<Vec<(usize, &Pattern)>> {
    match &pattern.kind {
        PatternKind::Tuple(parts) => Some(parts.iter().enumerate().collect()),
        PatternKind::Record(fields) => Some(fields.iter().map(|(k, p)| (*k, p)).collect()),
        _ => None,
    }
}

/// Names become bindings, and a row with alternatives one row for each; none if that would be too many.
fn normal(rows: Vec<Row<'_>>) -> Option<Vec<Row<'_>>> {
    let mut out = Vec::new();
    let mut open: Vec<Row<'_>> = rows.into_iter().rev().collect();
    while let Some(mut row) = open.pop() {
        let mut alternatives = None;
        let mut tests = Vec::new();
        for (part, pattern) in std::mem::take(&mut row.tests) {
            match &pattern.kind {
                PatternKind::Wildcard => {}
                PatternKind::Name(_) => row.names.push((pattern, part)),
                // A component that nothing looks at needs no test.
                _ if is_open(pattern) => {}
                PatternKind::Or(all) if alternatives.is_none() => alternatives = Some((tests.len(), part, all)),
                _ => tests.push((part, pattern)),
            }
        }
        match alternatives {
            None => {
                row.tests = tests;
                out.push(row);
            }
            Some((at, part, all)) => {
                for pattern in all.iter().rev() {
                    let mut tests = tests.clone();
                    tests.insert(at, (part, pattern));
                    open.push(Row { tests, names: row.names.clone(), arm: row.arm });
                }
            }
        }
        if out.len() + open.len() > 1000 {
            return None;
        }
    }
    Some(out)
}

/// Whether a pattern fits everything and binds nothing.
fn is_open(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Wildcard => true,
        PatternKind::Tuple(parts) => parts.iter().all(is_open),
        PatternKind::Record(fields) => fields.iter().all(|(_, p)| is_open(p)),
        _ => false,
    }
}

fn as_variant<'a>(row: &Row<'a>, part: Part, tag: usize, fields: &[Part]) -> Option<Row<'a>> {
    let mut tests = Vec::new();
    for (p, pattern) in &row.tests {
        match &pattern.kind {
            PatternKind::Variant { tag: wanted, fields: inner } if *p == part => {
                if *wanted != tag {
                    return None;
                }
                tests.extend(fields.iter().copied().zip(inner));
            }
            _ => tests.push((*p, *pattern)),
        }
    }
    Some(Row { tests, names: row.names.clone(), arm: row.arm })
}

fn as_literal<'a>(row: &Row<'a>, part: Part, literal: &Expr, holds: bool) -> Option<Row<'a>> {
    let mut tests = Vec::new();
    for (p, pattern) in &row.tests {
        match &pattern.kind {
            PatternKind::Literal(other) if *p == part => match (same_literal(literal, other), holds) {
                (true, true) => {}
                (true, false) | (false, true) => return None,
                // What is not true is false.
                (false, false) if matches!(other.kind, Kind::Bool(_)) => {}
                (false, false) => tests.push((*p, *pattern)),
            },
            _ => tests.push((*p, *pattern)),
        }
    }
    Some(Row { tests, names: row.names.clone(), arm: row.arm })
}

fn same_literal(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (Kind::Int(x), Kind::Int(y)) | (Kind::NegativeInt(x), Kind::NegativeInt(y)) => x == y,
        (Kind::Int(x), Kind::NegativeInt(y)) | (Kind::NegativeInt(x), Kind::Int(y)) => *x == 0 && *y == 0,
        (Kind::Bool(x), Kind::Bool(y)) => x == y,
        (Kind::Str(x), Kind::Str(y)) => x == y,
        _ => match (real(a), real(b)) {
            (Some(x), Some(y)) => x == y,
            _ => false,
        },
    }
}

fn real(e: &Expr) -> Option<f64> {
    match &e.kind {
        Kind::Real(x) => Some(*x),
        Kind::Int(n) => Some(*n as f64),
        Kind::NegativeInt(n) => Some(-(*n as f64)),
        Kind::Unary(terrace_base::UnOp::Neg, e) => real(e).map(|x| -x),
        _ => None,
    }
}

fn is_small(body: &Expr) -> bool {
    matches!(body.kind, Kind::Local(_) | Kind::Int(_) | Kind::NegativeInt(_) | Kind::Real(_) | Kind::Bool(_))
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn matching(&mut self, value: &'a Expr, arms: &'a [Arm], span: Span) -> Atom {
        // A written tuple is not built only to be taken apart.
        let tuple = match &value.kind {
            Kind::Tuple(parts) if arms.iter().all(|a| components(&a.pattern).is_some() || is_open(&a.pattern)) => {
                Some(parts)
            }
            _ => None,
        };
        let atoms: Vec<Atom> = match tuple {
            Some(parts) => parts.iter().map(|p| self.expr(p)).collect(),
            None => vec![self.expr(value)],
        };
        let rows = arms.iter().enumerate().map(|(arm, a)| {
            let tests = match (tuple, components(&a.pattern)) {
                (None, _) => vec![(0, &a.pattern)],
                (Some(_), Some(parts)) => parts,
                (Some(_), None) => Vec::new(),
            };
            Row { tests, names: Vec::new(), arm }
        });
        let rows: Vec<Row<'a>> = rows.collect();
        let tree = {
            let fields = |p: &Pattern| self.field_counts(p);
            let uses = vec![0; arms.len()];
            let mut builder = Builder { arms, fields: &fields, parts: atoms.len(), nodes: 0, uses };
            builder.build(rows)
        };
        let result = self.ty(&arms[0].body.ty);
        match tree {
            Some(tree) => {
                let mut parts = atoms.into_iter().enumerate().collect();
                self.decide(&tree, arms, &mut parts, &result, span)
            }
            None => {
                let atom = match (tuple, &atoms[..]) {
                    (None, [atom]) => *atom,
                    _ => {
                        let ty = self.ty(&value.ty);
                        self.emit("pair", ty, core::Expr::Tuple(atoms), value.span)
                    }
                };
                self.choose(atom, arms, &result, span)
            }
        }
    }

    fn field_counts(&self, pattern: &Pattern) -> Vec<usize> {
        match self.frame().checked.unifier.head(&pattern.ty) {
            Ty::Named(id, _) => match &self.all.module.declared[id.index()].kind {
                DeclaredKind::Enum(variants) => variants.iter().map(|v| v.fields.len()).collect(),
                _ => unreachable!("only enums have variants"),
            },
            _ => unreachable!("inference gives variants a declared type"),
        }
    }

    fn decide(
        &mut self,
        tree: &Tree<'a>,
        arms: &'a [Arm],
        parts: &mut BTreeMap<Part, Atom>,
        result: &Type,
        span: Span,
    ) -> Atom {
        match tree {
            Tree::Stuck => {
                let never = Atom::Const(Scalar::Bool(false));
                self.check(CheckKind::Assert("no arm of this match fits".to_string()), never, Vec::new(), span);
                self.default_value(result, span)
            }
            Tree::Arm { arm, names, otherwise } => {
                let arm = &arms[*arm];
                for (pattern, part) in names {
                    self.bind(pattern, parts[part], pattern.span);
                }
                let (Some(guard), Some(otherwise)) = (&arm.guard, otherwise) else {
                    return self.expr(&arm.body);
                };
                let cond = self.expr(guard);
                let then = self.body(|l| l.expr(&arm.body));
                let otherwise = self.body(|l| l.decide(otherwise, arms, parts, result, span));
                self.emit("t", result.clone(), core::Expr::If { cond, then, otherwise }, arm.span)
            }
            Tree::Project { part, components, then } => {
                for (k, new) in components {
                    let component = self.project(parts[part], *k, span);
                    parts.insert(*new, component);
                }
                self.decide(then, arms, parts, result, span)
            }
            Tree::Switch { part, arms: branches } => {
                let value = parts[part];
                if let Some((tag, fields)) = value.var().and_then(|v| self.variants.get(&v)).cloned() {
                    let (names, tree) = &branches[tag];
                    parts.extend(names.iter().copied().zip(fields));
                    return self.decide(tree, arms, parts, result, span);
                }
                let lambdas = self.arms(value, |l, tag, fields| {
                    let (names, tree) = &branches[tag];
                    l.may_be_named(fields);
                    parts.extend(names.iter().copied().zip(fields.iter().copied()));
                    l.decide(tree, arms, parts, result, span)
                });
                self.emit("t", result.clone(), core::Expr::Match { value, arms: lambdas }, span)
            }
            Tree::Test { part, literal, then, otherwise } => {
                let value = parts[part];
                let (cond, swap) = match literal.kind {
                    Kind::Bool(b) => (value, !b),
                    _ => {
                        let wanted = self.plain_literal(literal);
                        (self.compare(BinOp::Eq, value, wanted, literal.span), false)
                    }
                };
                let (then, otherwise) = if swap { (otherwise, then) } else { (then, otherwise) };
                let then = self.body(|l| l.decide(then, arms, parts, result, span));
                let otherwise = self.body(|l| l.decide(otherwise, arms, parts, result, span));
                self.emit("t", result.clone(), core::Expr::If { cond, then, otherwise }, span)
            }
        }
    }
}
