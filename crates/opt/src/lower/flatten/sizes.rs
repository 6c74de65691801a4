//! Sizes that types state: checks that values have them.
//!
//! ```text
//! xs : [n][m]f64                 at the host   check len(xs) == n
//!                                over [n]      check len(row) == m
//! ```
//!
//! Inside parallel code a stated size is checked at every point of the context, and the sizes of rows at every point of the context
//! with one dimension more. A size function, `k(i)`, is an element of an array of integers; where it has none there, the size is
//! one that no array has.

use super::build::{Scope, size_of};
use super::rep::{Arr, Context, Ix, Rep};
use super::{Env, Flattener, Result};
use std::cell::RefCell;
use std::collections::BTreeMap;
use terrace_algebra::{Size, SizeFun};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::check::CheckId;
use terrace_ir::core::Type;
use terrace_ir::flat::{self, OpKind};
use terrace_ir::{Atom, ValueId, value_of};

/// Whether a type states sizes of rows of an array.
pub(super) fn states_rows(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) | Type::Sum(_) => false,
        Type::Tuple(parts) => parts.iter().any(states_rows),
        Type::Array(a) => a.elem != a.elem.without_sizes(),
    }
}

impl Flattener<'_> {
    /// Checks that the lengths which a type states hold, in plain code; rows only at the host.
    pub(super) fn ascribe_plain(
        &mut self,
        rep: &Rep,
        ty: &Type,
        check: CheckId,
        env: &Env,
        scope: &Scope,
    ) -> Result<()> {
        if scope.positions.is_empty() {
            return self.ascribe(rep, ty, check, env, &Self::host());
        }
        match (rep, ty) {
            (Rep::Tuple(parts), Type::Tuple(types)) => {
                parts.iter().zip(types).try_for_each(|(r, t)| self.ascribe_plain(r, t, check, env, scope))
            }
            (Rep::Array(arr), Type::Array(at)) => {
                at.length.iter().for_each(|length| self.expect_length(arr, length, check, env, scope));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Checks that the lengths which a type states hold, at every point of a context.
    pub(super) fn ascribe(&mut self, rep: &Rep, ty: &Type, check: CheckId, env: &Env, cx: &Context) -> Result<()> {
        match (rep, ty) {
            (Rep::Tuple(parts), Type::Tuple(types)) => {
                parts.iter().zip(types).try_for_each(|(r, t)| self.ascribe(r, t, check, env, cx))
            }
            (Rep::Array(arr), Type::Array(at)) => {
                match &at.length {
                    Some(length) if cx.depth() == 0 => self.expect_length(arr, length, check, env, &Scope::default()),
                    Some(length) => {
                        self.op(&Scope::default(), cx, Vec::new(), OpKind::Map { rows: None }, |s, scope| {
                            s.expect_length(arr, length, check, env, scope);
                            Ok(Vec::new())
                        })?
                    }
                    None => {}
                }
                if !states_rows(ty) {
                    return Ok(());
                }
                let inner = self.iterate(cx, &Scope::default(), arr)?;
                let item = self.item_in(&inner, arr, cx.depth());
                let mut env = env.clone();
                if let Some(p) = at.position {
                    env.insert(value_of(p), Rep::Scalar(Ix::Index(cx.depth()), ScalarType::I64));
                }
                self.ascribe(&item, &at.elem, check, &env, &inner)
            }
            _ => Ok(()),
        }
    }

    fn expect_length(&mut self, arr: &Arr, length: &Size, check: CheckId, env: &Env, scope: &Scope) {
        let wanted = self.core_size(length, env, scope);
        let found = self.ix(&arr.len, scope);
        let cond = self.binary("fits", BinOp::Eq, found, wanted);
        self.push(Vec::new(), flat::Expr::Check { check, cond, values: vec![found, wanted] });
    }

    /// The value of a size of Core.
    pub(super) fn core_size(&mut self, size: &Size, env: &Env, scope: &Scope) -> Atom {
        let known: BTreeMap<_, _> = size
            .vars()
            .into_iter()
            .map(|var| (var, size_of(self.scalar(Atom::Var(value_of(var)), env, scope))))
            .collect();
        let size = size.substitute_all(&|var| known.get(&var).cloned());
        let looked_up = !size.funs().is_empty();
        let size = self.without_functions(size, env, scope);
        let v = self.size_value(&size);
        if let (true, false, Atom::Var(id)) = (scope.positions.is_empty(), looked_up, v) {
            self.fun.host_known.insert(id);
        }
        v
    }

    fn size_value(&mut self, size: &Size) -> Atom {
        match size.as_constant() {
            Some(c) => Atom::int(c),
            None => self.let_scalar("size", ScalarType::I64, flat::Expr::Size(size.clone())),
        }
    }

    /// The size with elements of arrays looked up; what it mentions besides is in Flat already.
    fn without_functions(&mut self, mut size: Size, env: &Env, scope: &Scope) -> Size {
        while !size.funs().is_empty() {
            let found: RefCell<Vec<(SizeFun, Vec<Size>)>> = RefCell::default();
            size.substitute_funs(&|fun, args| {
                let first = args.iter().all(|a| a.funs().is_empty());
                if first && !found.borrow().iter().any(|(f, a)| *f == fun && a == args) {
                    found.borrow_mut().push((fun, args.to_vec()));
                }
                None
            });
            let found = found.into_inner();
            assert!(!found.is_empty(), "some application has arguments without applications");
            let values: Vec<Size> = found
                .iter()
                .map(|(fun, args)| {
                    let at: Vec<Atom> = args.iter().map(|a| self.size_value(a)).collect();
                    let table = self.rep(Atom::Var(ValueId::new(fun.0 as usize)), env);
                    size_of(self.table_element(&table, &at, scope))
                })
                .collect();
            size = size.substitute_funs(&|fun, args| {
                let k = found.iter().position(|(f, a)| *f == fun && a == args)?;
                Some(values[k].clone())
            });
        }
        size
    }

    /// An element of a table of integers, or the largest integer where there is none.
    fn table_element(&mut self, table: &Rep, at: &[Atom], scope: &Scope) -> Atom {
        let (arr, (index, rest)) = match (table, at.split_first()) {
            (Rep::Array(arr), Some((index, rest))) => (arr, (*index, rest)),
            (Rep::Scalar(ix, ty), _) => {
                let x = self.ix(ix, scope);
                return match ty {
                    ScalarType::I64 => x,
                    _ => self.let_scalar("k", ScalarType::I64, flat::Expr::Convert(ScalarType::I64, x)),
                };
            }
            _ => unreachable!("a size function is an array of integers"),
        };
        let len = self.ix(&arr.len, scope);
        let low = self.binary("low", BinOp::Le, Atom::int(0), index);
        let high = self.binary("high", BinOp::Lt, index, len);
        let within = self.binary("within", BinOp::And, low, high);
        let item = self.item(arr, &Ix::Atom(index), None, None);
        let then = self
            .body(|s| Ok(vec![s.table_element(&item, rest, scope)]))
            .expect("looking up an element declines nothing");
        let otherwise = flat::Body { stmts: Vec::new(), results: vec![Atom::int(i64::MAX)] };
        let v = self.scalar_value("k", ScalarType::I64);
        self.push(vec![v], flat::Expr::If { cond: within, then, otherwise });
        v.into()
    }
}
