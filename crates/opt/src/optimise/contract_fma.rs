//! `a * b + c` becomes `fma(a, b, c)`: one rounding instead of two.
//!
//! ```text
//! let t = mul a x                 let r = fma a x y
//! let r = add t y
//!
//! let t = mul a x                 let m = neg a
//! let r = sub y t                 let r = fma m x y
//! ```
//!
//! Whether a multiplication and an addition are rounded together changes the result, so it must not be left to four
//! different C compilers. It is decided here, once, before anything runs the program, the interpreter included; every printer
//! turns its compiler's own contraction off. Only a product that nothing else uses is contracted, and only within one body:
//! contraction never moves work. Negation is exact, and machines have it inside their fused instructions. Of two products in a sum or difference the left
//! one is contracted.

use std::collections::BTreeMap;
use terrace_base::{BinOp, IdVec, UnOp};
use terrace_ir::core::visit::count_uses;
use terrace_ir::core::{Body, Expr, Program, Stmt, StmtKind, Value};
use terrace_ir::{Atom, ValueId};

/// Contracts all functions.
pub fn contract_fma(program: &mut Program) {
    for function in program.functions.iter_mut() {
        let uses = count_uses(&function.body);
        contract(&mut function.body, &uses, &mut function.values);
    }
}

fn contract(body: &mut Body, uses: &BTreeMap<ValueId, usize>, values: &mut IdVec<ValueId, Value>) {
    let mut products: BTreeMap<ValueId, (Atom, Atom)> = BTreeMap::new();
    let mut gone = Vec::new();
    let mut stmts = Vec::with_capacity(body.stmts.len());
    for mut stmt in std::mem::take(&mut body.stmts) {
        if let StmtKind::Let { value, expr, .. } = &mut stmt.kind {
            expr.bodies_mut().into_iter().for_each(|b| contract(b, uses, values));
            let is_float = values[*value].ty.scalar().is_some_and(|s| s.is_float());
            match *expr {
                Expr::Binary(BinOp::Mul, a, b) if is_float && uses.get(value) == Some(&1) => {
                    products.insert(*value, (a, b));
                }
                Expr::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) if is_float => {
                    let left = a.var().and_then(|t| Some((t, products.remove(&t)?)));
                    let right =
                        if left.is_some() { None } else { b.var().and_then(|t| Some((t, products.remove(&t)?))) };
                    let on_left = left.is_some();
                    if let Some((t, (x, y))) = left.or(right) {
                        gone.push(t);
                        let ty = values[*value].ty.clone();
                        let mut negated = |x: Atom| {
                            let minus = values.push(Value { name: "minus".into(), ty: ty.clone() });
                            let expr = Expr::Unary(UnOp::Neg, x);
                            let kind = StmtKind::Let { value: minus, expr, after: Vec::new() };
                            stmts.push(Stmt { kind, span: stmt.span });
                            Atom::Var(minus)
                        };
                        *expr = match (op, on_left) {
                            (BinOp::Add, true) => Expr::Fma(x, y, b),
                            (BinOp::Add, false) => Expr::Fma(x, y, a),
                            (_, true) => Expr::Fma(x, y, negated(b)),
                            (_, false) => Expr::Fma(negated(x), y, a),
                        };
                    }
                }
                _ => {}
            }
        }
        stmts.push(stmt);
    }
    stmts.retain(|s| !matches!(&s.kind, StmtKind::Let { value, .. } if gone.contains(value)));
    body.stmts = stmts;
}
