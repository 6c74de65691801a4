//! An operator that works on rows element by element: combine elements instead of rows.
//!
//! ```text
//! reduce (a, b) in rows from e {                         checked = map (row) in rows { check 1 zip (length e, length row); row }
//!   check 1 zip (length a, length b)              →      generate (j) < length e {
//!   map (x, y) in a, b { x + y } after 1                   reduce (x, y) in generate (i) < length rows { checked[i][j] } from e[j] { x + y }
//! }                                                      }
//! ```
//!
//! A row combined so far is as long as the neutral element: the first combination has it on its left, and a map is as long
//! as what it runs over. So a test of lengths gives in each step what it gives with the neutral element on the left, and all
//! tests run beforehand, on all rows, with their codes and values. Where they are proved there is nothing to run.
//!
//! Only lengths may be tested: an operator that does anything else besides the map is left to `waves.rs`.

use super::{Names, Pass};
use crate::optimise::spell_out_views::build::Build;
use std::collections::BTreeSet;
use terrace_ir::check::CheckId;
use terrace_ir::core::visit::{free_values_of_lambda, walk_mut};
use terrace_ir::core::{Body, Expr, Lambda, Stmt, StmtKind, Type};
use terrace_ir::{Atom, ValueId};

/// An operator on rows, taken apart.
pub(super) struct Elementwise {
    params: [ValueId; 2],
    /// Tests of the lengths of both; none where all are proved.
    tests: Vec<Stmt>,
    /// What is done with elements.
    lambda: Lambda,
    /// Whether it takes them as a pair.
    zipped: bool,
    /// Whether it takes the second one first.
    turned: bool,
}

/// The operator on elements, if there is one.
pub(super) fn elementwise(operator: &Lambda) -> Option<Elementwise> {
    let [a, b] = operator.params[..] else { return None };
    let body = &operator.body;
    let names = Names::of(body);
    let (lambda, arrays) = match names.definition(body.result, body)? {
        Expr::Map { lambda, arrays } => (lambda, arrays),
        _ => return None,
    };
    let mut zipped = false;
    let mut arrays: Vec<Atom> = arrays.iter().map(|x| names.resolved(*x)).collect();
    if arrays.len() == 1
        && let Some(Expr::Zip(parts)) = names.definition(arrays[0], body)
    {
        arrays = parts.iter().map(|x| names.resolved(*x)).collect();
        zipped = true;
    }
    let sides = [Atom::Var(a), Atom::Var(b)];
    let turned = arrays == [sides[1], sides[0]];
    if arrays != sides && !turned {
        return None;
    }
    let (tests, checks) = tests_of(&body.stmts, sides)?;
    let inside: BTreeSet<ValueId> = body
        .stmts
        .iter()
        .filter_map(|s| match &s.kind {
            StmtKind::Let { value, .. } => Some(*value),
            StmtKind::Check { .. } => None,
        })
        .chain([a, b])
        .collect();
    if free_values_of_lambda(lambda).iter().any(|v| inside.contains(v)) {
        return None;
    }
    let mut lambda = lambda.clone();
    walk_mut(&mut lambda.body, &mut |stmt| {
        if let StmtKind::Let { after, .. } = &mut stmt.kind {
            after.retain(|c| !checks.contains(c));
        }
    });
    Some(Elementwise { params: [a, b], tests, lambda, zipped, turned })
}

impl Elementwise {
    /// The operator on elements.
    fn operator(&self, build: &mut Build<'_>) -> Lambda {
        if self.zipped {
            let pair = build.ty(Atom::Var(self.lambda.params[0]));
            let Type::Tuple(types) = &pair else { unreachable!("elements of a zip are tuples") };
            let params = [("x", types[0].clone()), ("y", types[1].clone())];
            return build.lambda(&params, |b, p| {
                let parts = if self.turned { vec![p[1], p[0]] } else { p.to_vec() };
                let pair = b.bind("pair", pair.clone(), Expr::Tuple(parts));
                b.apply(&self.lambda, &[pair])
            });
        }
        let mut operator = build.refreshed(&self.lambda);
        if self.turned {
            operator.params.swap(0, 1);
        }
        operator
    }
}

/// The statements beside the map, if they only test lengths, and the checks among them. Without a check to run, no statements.
fn tests_of(stmts: &[Stmt], sides: [Atom; 2]) -> Option<(Vec<Stmt>, BTreeSet<CheckId>)> {
    let mut tests = Vec::new();
    let mut checks = BTreeSet::new();
    let mut open = false;
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Let { expr: Expr::Map { .. } | Expr::Zip(_), .. } => continue,
            StmtKind::Let { expr: Expr::Length(of), .. } if sides.contains(of) => {}
            StmtKind::Let { expr: Expr::Atom(_), .. } => {}
            StmtKind::Let { expr: Expr::Unary(..) | Expr::Binary(..), after, .. } if after.is_empty() => {}
            StmtKind::Check { check, proved, .. } => {
                checks.insert(*check);
                open |= !proved;
            }
            _ => return None,
        }
        tests.push(stmt.clone());
    }
    Some((if open { tests } else { Vec::new() }, checks))
}

impl Pass {
    /// The rows, after all tests that combining them would have run.
    fn tested(&self, build: &mut Build<'_>, found: &Elementwise, neutral: Atom, rows: Atom) -> Atom {
        if found.tests.is_empty() {
            return rows;
        }
        let row = build.elem(rows);
        let lambda = build.lambda(&[("row", row)], |b, p| {
            let stmts = found.tests.clone();
            let tests =
                Lambda { params: found.params.to_vec(), body: Body { stmts, result: Atom::Var(found.params[1]) } };
            b.apply(&tests, &[neutral, p[0]])
        });
        let ty = build.ty(rows);
        build.bind("rows", ty, Expr::Map { lambda, arrays: vec![rows] })
    }

    /// Element `j` of the neutral element; where all are one value, that value.
    fn neutral_at(&mut self, build: &mut Build<'_>, neutral: Atom, j: Atom) -> Atom {
        match neutral.var().and_then(|v| self.copies.get(&v).copied()) {
            Some(value) => value,
            None => build.index("e", neutral, j),
        }
    }

    fn column(&self, build: &mut Build<'_>, rows: Atom, n: Atom, j: Atom) -> Atom {
        let elem = build.elem(rows);
        let column = build.generate("i", n, |b, i| {
            let row = b.index("row", rows, i);
            b.index("x", row, j)
        });
        build.bind("column", elem, column)
    }

    pub(super) fn reduce_columns(
        &mut self,
        build: &mut Build<'_>,
        found: &Elementwise,
        neutral: Atom,
        rows: Atom,
    ) -> Expr {
        let rows = self.tested(build, found, neutral, rows);
        let (n, m) = (build.length(rows), build.length(neutral));
        build.generate("j", m, |b, j| {
            let (neutral, array) = (self.neutral_at(b, neutral, j), self.column(b, rows, n, j));
            let ty = b.elem(array);
            let operator = found.operator(b);
            b.bind("all", ty, Expr::Reduce { operator, neutral, array })
        })
    }

    pub(super) fn scan_columns(
        &mut self,
        build: &mut Build<'_>,
        found: &Elementwise,
        neutral: Atom,
        rows: Atom,
    ) -> Expr {
        let ty = build.ty(rows);
        let rows = self.tested(build, found, neutral, rows);
        let (n, m) = (build.length(rows), build.length(neutral));
        let columns = build.generate("j", m, |b, j| {
            let (neutral, array) = (self.neutral_at(b, neutral, j), self.column(b, rows, n, j));
            let column = b.ty(array);
            let operator = found.operator(b);
            b.bind("prefixes", column, Expr::Scan { operator, neutral, array })
        });
        let columns = build.bind("columns", ty, columns);
        self.turned(build, columns, n, m)
    }

    pub(super) fn hist_columns(
        &mut self,
        build: &mut Build<'_>,
        found: &Elementwise,
        neutral: Atom,
        (count, indices): (Atom, Atom),
        rows: Atom,
    ) -> Expr {
        let ty = build.ty(rows);
        let rows = self.tested(build, found, neutral, rows);
        let (n, m) = (build.length(rows), build.length(neutral));
        let columns = build.generate("j", m, |b, j| {
            let (neutral, values) = (self.neutral_at(b, neutral, j), self.column(b, rows, n, j));
            let column = b.ty(values);
            let operator = found.operator(b);
            b.bind("all", column, Expr::Hist { operator, neutral, count, indices, values })
        });
        let columns = build.bind("columns", ty, columns);
        self.turned(build, columns, count, m)
    }

    /// `n` rows of `m` from `m` columns.
    fn turned(&self, build: &mut Build<'_>, columns: Atom, n: Atom, m: Atom) -> Expr {
        let row: Type = build.elem(columns);
        build.generate("i", n, |b, i| {
            let elements = b.generate("j", m, |b, j| {
                let column = b.index("column", columns, j);
                b.index("x", column, i)
            });
            b.bind("row", row, elements)
        })
    }
}
