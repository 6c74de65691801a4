//! Reductions, scans and histograms whose operator is no scalar code are spelled out with operators that are.
//!
//! ```text
//! reduce (a, b) in rows from zeros { map (x, y) in a, b { x + y } }
//!   →  generate (j) < length zeros { reduce (x, y) in column j from zeros[j] { x + y } }
//! reduce (a, b) in xss from e { concat(a, b) }
//!   →  concat(e, flatten xss)
//! reduce (a, b) in xs from e { anything with arrays, loops over arrays, calls }
//!   →  loop ys = xs while length ys > 1 { ys = combined in pairs }
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `elementwise.rs` | an operator that works on rows element by element: the rows' elements are combined, not the rows |
//! | `waves.rs` | any other operator: log n waves of it in fixed order |
//!
//! The choice of the first is made by the form of the operator alone: a `map` over both operands, after tests of
//! their lengths. The tests run as they would have, once per row and against the neutral element's length, which is what all rows combined so far have.
//!
//! Declined: an operator that is scalar code all through stays as it is. Which element is combined with which depends on the number of
//! elements and on nothing else, so results are the same on every run (see decision 30).

mod elementwise;
mod waves;

use super::spell_out_views::build::Build;
use elementwise::elementwise;
use std::collections::BTreeMap;
use terrace_base::IdVec;
use terrace_ir::core::visit::walk;
use terrace_ir::core::{Body, Expr, Function, Lambda, LoopForm, Program, Stmt, StmtKind, Type, Value};
use terrace_ir::{Atom, FuncId, ValueId};

/// Spells out in all functions; recursive helpers become functions of the program.
pub fn spell_out_operators(program: &mut Program) {
    for id in program.functions.ids().collect::<Vec<_>>() {
        let function = &mut program.functions[id];
        let mut copies = BTreeMap::new();
        walk(&function.body, &mut |s| {
            if let StmtKind::Let { value, expr: Expr::Replicate { value: of, .. }, .. } = &s.kind {
                copies.insert(*value, *of);
            }
        });
        let first_new = program.functions.len();
        let function = &mut program.functions[id];
        let mut pass = Pass { name: function.name.clone(), copies, made: Vec::new(), first_new };
        let mut body = std::mem::replace(&mut function.body, Body { stmts: Vec::new(), result: Atom::int(0) });
        pass.spell_out(&mut body, &mut function.values);
        function.body = body;
        for made in pass.made {
            program.functions.push(made);
        }
    }
    let mut taken: Vec<String> = Vec::new();
    for function in program.functions.iter_mut() {
        while taken.contains(&function.name) {
            function.name.push('_');
        }
        taken.push(function.name.clone());
    }
}

struct Pass {
    name: String,
    /// What arrays that are one value again and again consist of.
    copies: BTreeMap<ValueId, Atom>,
    /// New functions, and the number of the first of them.
    made: Vec<Function>,
    first_new: usize,
}

impl Pass {
    fn next_function(&self) -> FuncId {
        FuncId::new(self.first_new + self.made.len())
    }

    fn spell_out(&mut self, body: &mut Body, values: &mut IdVec<ValueId, Value>) {
        let mut out = Vec::with_capacity(body.stmts.len());
        for mut stmt in std::mem::take(&mut body.stmts) {
            if let StmtKind::Let { value, expr, after } = &mut stmt.kind {
                expr.bodies_mut().into_iter().for_each(|b| self.spell_out(b, values));
                if is_wanted(expr, values) {
                    let mut build = Build::new(values, stmt.span, after.clone());
                    let new = self.spelled(&mut build, expr);
                    let mut stmts = build.stmts;
                    let kind = StmtKind::Let { value: *value, expr: new, after: std::mem::take(after) };
                    stmts.push(Stmt { kind, span: stmt.span });
                    // Rows of rows are taken apart level by level.
                    let mut new = Body { stmts, result: Atom::int(0) };
                    self.spell_out(&mut new, values);
                    out.extend(new.stmts);
                    continue;
                }
            }
            out.push(stmt);
        }
        body.stmts = out;
    }

    fn spelled(&mut self, build: &mut Build<'_>, expr: &Expr) -> Expr {
        match expr {
            Expr::Reduce { operator, neutral, array } => {
                if is_concat(operator) {
                    let ty = build.elem(*array);
                    let all = build.bind("all", ty, Expr::Flatten(*array));
                    return Expr::Concat(vec![*neutral, all]);
                }
                match elementwise(operator) {
                    Some(found) => self.reduce_columns(build, &found, *neutral, *array),
                    None => build.reduce_in_waves(operator, *neutral, *array),
                }
            }
            Expr::Scan { operator, neutral, array } => match elementwise(operator) {
                Some(found) => self.scan_columns(build, &found, *neutral, *array),
                None => self.scan_in_waves(build, operator, *neutral, *array),
            },
            Expr::Hist { operator, neutral, count, indices, values } => match elementwise(operator) {
                Some(found) => self.hist_columns(build, &found, *neutral, (*count, *indices), *values),
                None => build.hist_in_waves(operator, *neutral, *count, *indices, *values),
            },
            _ => unreachable!("asked for operators only"),
        }
    }
}

/// Whether an expression combines by an operator that a single thread does not do on numbers.
fn is_wanted(expr: &Expr, values: &IdVec<ValueId, Value>) -> bool {
    match expr {
        Expr::Reduce { operator, .. } | Expr::Scan { operator, .. } | Expr::Hist { operator, .. } => {
            !is_scalar(operator, values)
        }
        _ => false,
    }
}

fn is_scalar(operator: &Lambda, values: &IdVec<ValueId, Value>) -> bool {
    operator.params.iter().all(|p| values[*p].ty.is_flat()) && is_scalar_body(&operator.body, values)
}

fn is_scalar_body(body: &Body, values: &IdVec<ValueId, Value>) -> bool {
    body.stmts.iter().all(|stmt| {
        let StmtKind::Let { value, expr, .. } = &stmt.kind else { return true };
        let flat = |a: &Atom| a.var().is_none_or(|v| values[v].ty.is_flat());
        let known = match expr {
            Expr::Atom(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Fma(..) | Expr::Convert(..) => true,
            Expr::Tuple(_) | Expr::Project(..) | Expr::Index { .. } | Expr::Length(_) => true,
            Expr::Precedes(a, b) => flat(a) && flat(b),
            Expr::If { then, otherwise, .. } => is_scalar_body(then, values) && is_scalar_body(otherwise, values),
            Expr::Loop { form, body, .. } => {
                let cond = match form {
                    LoopForm::While(c) => is_scalar_body(c, values),
                    LoopForm::For { .. } => true,
                };
                cond && is_scalar_body(body, values)
            }
            _ => false,
        };
        known && matches!(&values[*value].ty, ty if ty.is_flat())
    })
}

/// Whether an operator joins two arrays.
fn is_concat(operator: &Lambda) -> bool {
    let [a, b] = operator.params[..] else { return false };
    let names = Names::of(&operator.body);
    let Some(Expr::Concat(parts)) = names.definition(operator.body.result, &operator.body) else { return false };
    let parts: Vec<Atom> = parts.iter().map(|p| names.resolved(*p)).collect();
    let only = operator
        .body
        .stmts
        .iter()
        .all(|s| matches!(&s.kind, StmtKind::Let { expr: Expr::Atom(_) | Expr::Concat(_), .. }));
    only && parts == [Atom::Var(a), Atom::Var(b)]
}

/// What is only another name of what.
struct Names(BTreeMap<ValueId, Atom>);

impl Names {
    fn of(body: &Body) -> Names {
        let mut names = BTreeMap::new();
        for stmt in &body.stmts {
            if let StmtKind::Let { value, expr: Expr::Atom(a), .. } = &stmt.kind {
                let a = a.var().and_then(|v| names.get(&v).copied()).unwrap_or(*a);
                names.insert(*value, a);
            }
        }
        Names(names)
    }

    fn resolved(&self, atom: Atom) -> Atom {
        atom.var().and_then(|v| self.0.get(&v).copied()).unwrap_or(atom)
    }

    /// What a value was bound to in the body.
    fn definition<'b>(&self, atom: Atom, body: &'b Body) -> Option<&'b Expr> {
        let wanted = self.resolved(atom).var()?;
        body.stmts.iter().find_map(|s| match &s.kind {
            StmtKind::Let { value, expr, .. } if *value == wanted => Some(expr),
            _ => None,
        })
    }
}

/// The type of an array of what an atom is.
fn array_of(build: &Build<'_>, atom: Atom) -> Type {
    Type::array(build.ty(atom))
}
