//! Reductions and scans in which every row has an operator or a neutral element of its own.
//!
//! An operator of Flat is one for all rows and mentions nothing that differs between them. So what differs travels with the
//! elements, and a flag says whether there is an element at all:
//!
//! ```text
//! [reduce (a, b) in row from e_p { a * k_p + b }]
//!   elements     (true, if first in its row then e_p * k_p + x else x, k_p)
//!   operator     (f, a, k) · (g, b, l) = if f { if g { (true, a * k + b, k) } else { (f, a, k) } } else { (g, b, l) }
//!   neutral      (false, 0, 0)
//!   result       if flag then the value else e_p
//! ```
//!
//! The row's own neutral element is combined with the first element, as the program would have done it, so that a check in
//! the operator sees it.

use super::build::{Scope, size_of};
use super::rep::{Arr, Context, Elem, Ix, Rep};
use super::{Env, Flattener, Result};
use crate::lower::flatten::lifted::is_uniform;
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::core::Lambda;
use terrace_ir::core::visit::free_values_of_lambda;
use terrace_ir::flat::{self, OpKind, Operator, ScanForm};
use terrace_ir::{Atom, ValueId};

/// What is combined, and what each row brings along.
struct Rowwise<'l> {
    lambda: &'l Lambda,
    neutral: Rep,
    used: Vec<(ValueId, Rep)>,
    env: Env,
}

impl Rowwise<'_> {
    fn carried(&self) -> Rep {
        Rep::Tuple(self.used.iter().map(|(_, rep)| rep.clone()).collect())
    }

    /// The values around the operator, with what the row brings along as given.
    fn env_with(&self, carried: Rep) -> Env {
        let Rep::Tuple(parts) = carried else { unreachable!("what is carried is a tuple") };
        let mut env = self.env.clone();
        env.extend(self.used.iter().map(|(v, _)| *v).zip(parts));
        env
    }
}

impl Flattener<'_> {
    /// Whether every row of the context is combined alike: by one operator, from one neutral element.
    pub(super) fn combines_alike(&self, lambda: &Lambda, neutral: &Rep, env: &Env, cx: &Context) -> bool {
        let free = free_values_of_lambda(lambda);
        cx.depth() == 0 || is_uniform(neutral) && free.iter().all(|v| env.get(v).is_none_or(is_uniform))
    }

    fn rowwise<'l>(&mut self, lambda: &'l Lambda, neutral: &Rep, env: &Env, cx: &Context) -> Result<Rowwise<'l>> {
        let mut used = Vec::new();
        for v in free_values_of_lambda(lambda) {
            if let Some(rep) = env.get(&v).filter(|rep| !is_uniform(rep)) {
                used.push((v, self.without_zips(rep, cx)?));
            }
        }
        Ok(Rowwise { lambda, neutral: neutral.clone(), used, env: env.clone() })
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn reduce_rowwise(
        &mut self,
        lambda: &Lambda,
        neutral: &Rep,
        arr: &Arr,
        name: &str,
        env: &Env,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        let rows = self.rowwise(lambda, neutral, env, cx)?;
        let inner = self.iterate(cx, scope, arr)?;
        let (operator, start, types) = self.flagged_operator(&rows)?;
        let binds: Vec<ValueId> = types.iter().map(|ty| self.column_value(name, *ty, size_of(cx.total()))).collect();
        let kind = OpKind::Reduce { operator, neutral: start, masked: false };
        self.flagged(&rows, arr, &inner, binds.clone(), kind, scope)?;
        let here = cx.position();
        let mut columns = binds.into_iter();
        let flag = Ix::read(columns.next().expect("a flag"), here.clone());
        let found = replaced(neutral, &mut |_| Ix::read(columns.next().expect("a column per scalar"), here.clone()));
        let elem = self.merge(cx, scope, &[(Some(flag), found), (None, neutral.clone())], name)?;
        Ok(self.element(&elem, &here, None))
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn scan_rowwise(
        &mut self,
        lambda: &Lambda,
        neutral: &Rep,
        arr: &Arr,
        name: &str,
        env: &Env,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        let rows = self.rowwise(lambda, neutral, env, cx)?;
        let inner = self.iterate(cx, scope, arr)?;
        let (operator, start, types) = self.flagged_operator(&rows)?;
        let binds: Vec<ValueId> = types.iter().map(|ty| self.column_value(name, *ty, size_of(inner.total()))).collect();
        let kind = OpKind::Scan { operator, neutral: start, form: ScanForm::Inclusive };
        self.flagged(&rows, arr, &inner, binds.clone(), kind, scope)?;
        let elem = columns_like(neutral, &mut binds.into_iter().skip(1));
        Ok(Rep::Array(self.collected(cx, &inner, elem)))
    }

    /// The operator over the elements with their flags and what their row brings along.
    fn flagged(
        &mut self,
        rows: &Rowwise<'_>,
        arr: &Arr,
        inner: &Context,
        binds: Vec<ValueId>,
        kind: OpKind,
        scope: &Scope,
    ) -> Result<()> {
        let level = inner.depth() - 1 + scope.positions.len();
        let item = self.item_in(inner, arr, level);
        self.op(scope, inner, binds, kind, |s, scope| {
            let index = s.ix(&Ix::Index(level), scope);
            let first = s.binary("first", BinOp::Eq, index, Atom::int(0));
            let then = s.body(|s| {
                let args = vec![rows.neutral.clone(), item.clone()];
                let rep = s.apply(rows.lambda, args, &rows.env, scope)?;
                Ok(s.leaves(&rep, scope))
            })?;
            let otherwise = s.body(|s| Ok(s.leaves(&item, scope)))?;
            let mut values = Vec::new();
            for a in &otherwise.results {
                let ty = s.scalar_type(*a);
                values.push(s.scalar_value("x", ty));
            }
            s.push(values.clone(), flat::Expr::If { cond: first, then, otherwise });
            let mut results = vec![Atom::Const(Scalar::Bool(true))];
            results.extend(values.into_iter().map(Atom::Var));
            results.extend(s.leaves(&rows.carried(), scope));
            Ok(results)
        })
    }

    /// The scalars of a value, and the starts and lengths of its arrays.
    fn leaves(&mut self, rep: &Rep, scope: &Scope) -> Vec<Atom> {
        recipes(rep).iter().map(|(ix, _)| self.ix(ix, scope)).collect()
    }

    /// The operator on flagged elements, its neutral element, and the types of both.
    fn flagged_operator(&mut self, rows: &Rowwise<'_>) -> Result<(Operator, Vec<Atom>, Vec<ScalarType>)> {
        let carried = rows.carried();
        let mut types = vec![ScalarType::Bool];
        types.extend(recipes(&rows.neutral).iter().chain(&recipes(&carried)).map(|(_, ty)| *ty));
        let start = types.iter().map(|ty| Atom::Const(Scalar::zero(*ty))).collect();
        let side =
            |s: &mut Self, name: &str| -> Vec<ValueId> { types.iter().map(|ty| s.scalar_value(name, *ty)).collect() };
        let (left, right) = (side(self, "a"), side(self, "b"));
        let count = recipes(&rows.neutral).len();
        let value = |side: &[ValueId]| {
            let mut values = side[1..].iter();
            replaced(&rows.neutral, &mut |_| Ix::Atom(Atom::Var(*values.next().expect("a value per scalar"))))
        };
        let level = std::mem::replace(&mut self.level, flat::Level::Thread);
        let scope = Scope::default();
        let atoms = |side: &[ValueId]| -> Vec<Atom> { side[1..].iter().map(|v| Atom::Var(*v)).collect() };
        let body = self.body(|s| {
            let then = s.body(|s| {
                let both = s.body(|s| {
                    let mut values = left[1 + count..].iter();
                    let carried =
                        replaced(&carried, &mut |_| Ix::Atom(Atom::Var(*values.next().expect("a value per scalar"))));
                    let env = rows.env_with(carried);
                    let rep = s.apply(rows.lambda, vec![value(&left), value(&right)], &env, &scope)?;
                    let mut out = s.leaves(&rep, &scope);
                    out.extend(left[1 + count..].iter().map(|v| Atom::Var(*v)));
                    Ok(out)
                })?;
                let first = s.body(|_| Ok(atoms(&left)))?;
                let binds: Vec<ValueId> = types[1..].iter().map(|ty| s.scalar_value("c", *ty)).collect();
                s.push(binds.clone(), flat::Expr::If { cond: right[0].into(), then: both, otherwise: first });
                Ok(binds.into_iter().map(Atom::Var).collect())
            })?;
            let otherwise = s.body(|_| Ok(atoms(&right)))?;
            let binds: Vec<ValueId> = types[1..].iter().map(|ty| s.scalar_value("c", *ty)).collect();
            s.push(binds.clone(), flat::Expr::If { cond: left[0].into(), then, otherwise });
            let mut out = vec![s.binary("some", BinOp::Or, left[0].into(), right[0].into())];
            out.extend(binds.into_iter().map(Atom::Var));
            Ok(out)
        });
        self.level = level;
        Ok((Operator { left, right, body: body? }, start, types))
    }
}

/// The recipes of a value: its scalars, and the starts and lengths of its arrays.
fn recipes(rep: &Rep) -> Vec<(Ix, ScalarType)> {
    match rep {
        Rep::Scalar(ix, ty) => vec![(ix.clone(), *ty)],
        Rep::Tuple(parts) => parts.iter().flat_map(recipes).collect(),
        Rep::Array(arr) => vec![(arr.start.clone(), ScalarType::I64), (arr.len.clone(), ScalarType::I64)],
    }
}

/// A value of the same form with other recipes.
fn replaced(rep: &Rep, next: &mut impl FnMut(ScalarType) -> Ix) -> Rep {
    match rep {
        Rep::Scalar(_, ty) => Rep::Scalar(next(*ty), *ty),
        Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| replaced(p, next)).collect()),
        Rep::Array(arr) => {
            let (start, len) = (next(ScalarType::I64), next(ScalarType::I64));
            Rep::Array(Arr { start, len, dim: None, total: None, ..arr.clone() })
        }
    }
}

fn columns_like(rep: &Rep, columns: &mut impl Iterator<Item = ValueId>) -> Elem {
    match rep {
        Rep::Scalar(_, ty) => Elem::Scalar(columns.next().expect("a column per scalar"), *ty),
        Rep::Tuple(parts) => Elem::Tuple(parts.iter().map(|p| columns_like(p, columns)).collect()),
        Rep::Array(_) => unreachable!("an operator works on scalars"),
    }
}
