//! `a * b + c` becomes `fma(a, b, c)`: one rounding instead of two.
//!
//! ```text
//! let t = mul a x                 let r = fma a x y
//! let r = add t y
//! ```
//!
//! Whether a multiplication and an addition are rounded together changes the result, so it must not be left to four
//! different C compilers. It is decided here, once, before anything runs the program, the interpreter included; every printer
//! turns its compiler's own contraction off. Only a product that nothing else uses is contracted, and only within one body:
//! contraction never moves work.

use std::collections::BTreeMap;
use terrace_base::BinOp;
use terrace_ir::core::visit::count_uses;
use terrace_ir::core::{Body, Expr, Program, StmtKind};
use terrace_ir::{Atom, ValueId};

/// Contracts all functions.
pub fn contract_fma(program: &mut Program) {
    for function in program.functions.iter_mut() {
        let uses = count_uses(&function.body);
        let is_float = |v: ValueId| function.values[v].ty.scalar().is_some_and(|s| s.is_float());
        contract(&mut function.body, &uses, &is_float);
    }
}

fn contract(body: &mut Body, uses: &BTreeMap<ValueId, usize>, is_float: &dyn Fn(ValueId) -> bool) {
    let mut products: BTreeMap<ValueId, (Atom, Atom)> = BTreeMap::new();
    let mut gone = Vec::new();
    for stmt in &mut body.stmts {
        let StmtKind::Let { value, expr, .. } = &mut stmt.kind else { continue };
        expr.bodies_mut().into_iter().for_each(|b| contract(b, uses, is_float));
        match *expr {
            Expr::Binary(BinOp::Mul, a, b) if is_float(*value) && uses.get(value) == Some(&1) => {
                products.insert(*value, (a, b));
            }
            Expr::Binary(BinOp::Add, a, b) => {
                let product = |x: Atom| x.var().filter(|v| products.contains_key(v));
                let found = product(a).map(|t| (t, b)).or_else(|| product(b).map(|t| (t, a)));
                if let Some((t, other)) = found
                    && let Some((x, y)) = products.remove(&t)
                {
                    *expr = Expr::Fma(x, y, other);
                    gone.push(t);
                }
            }
            _ => {}
        }
    }
    body.stmts.retain(|s| !matches!(&s.kind, StmtKind::Let { value, .. } if gone.contains(value)));
}
