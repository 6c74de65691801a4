//! Do the sizes that a type states hold for a value?
//!
//! ```text
//! [i < n][i + 1]f32   against [[1], [2, 3]] with n = 2   holds: row 0 has 1 element, row 1 has 2
//!                     against [[1], [2]]    with n = 2   row 1 has 1 where 2 is stated
//! ```
//!
//! Sizes mention integer values of the function, positions of enclosing dimensions, and size functions: `k(i, j)` is the
//! element at `[i, j]` of the array of integers that has the number of `k` in the function. At the border of an entry nothing
//! of this is computed yet, so names that only the arguments determine are *bound* first. A size is bound by the first
//! parameter that has it as an outermost length, else by the first row that has it as its length, 0 where there are no
//! rows. A size function is bound by the first parameter that has it alone as the length of rows.

use super::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::{Atom, Size, SizeFun, SizeVar};
use terrace_ir::core::Type;
use terrace_ir::value_of;

/// A length that is not what the type states.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) found: i64,
    pub(super) wanted: i64,
    /// Where the array with the wrong length is, from outside.
    pub(super) position: Vec<i64>,
}

/// What sizes may mention.
pub(super) trait Known {
    fn var(&self, var: SizeVar) -> Option<i64>;
    fn fun(&self, fun: SizeFun, args: &[i64]) -> Option<i64>;
}

/// In a function that runs: its values.
impl Known for [Value] {
    fn var(&self, var: SizeVar) -> Option<i64> {
        match self.get(value_of(var).index())? {
            Value::Scalar(s) => s.as_i64(),
            _ => None,
        }
    }

    fn fun(&self, fun: SizeFun, args: &[i64]) -> Option<i64> {
        let mut value = self.get(fun.0 as usize)?;
        for arg in args {
            value = match value {
                Value::Array(array) => array.items().get(usize::try_from(*arg).ok()?)?,
                _ => return None,
            };
        }
        match value {
            Value::Scalar(s) => s.as_i64(),
            _ => None,
        }
    }
}

/// At the border: what the arguments determine.
#[derive(Default)]
pub(super) struct Sizes {
    pub(super) vars: BTreeMap<SizeVar, i64>,
    funs: BTreeMap<(SizeFun, Vec<i64>), i64>,
}

impl Known for Sizes {
    fn var(&self, var: SizeVar) -> Option<i64> {
        self.vars.get(&var).copied()
    }

    fn fun(&self, fun: SizeFun, args: &[i64]) -> Option<i64> {
        self.funs.get(&(fun, args.to_vec())).copied()
    }
}

/// Checks every stated size at least `skip` dimensions deep; the first mismatch in index order is the one reported.
pub(super) fn check_shape<K: Known + ?Sized>(value: &Value, ty: &Type, known: &K, skip: usize) -> Result<(), Mismatch> {
    let mut walk = Walk { known, positions: Vec::new(), path: Vec::new() };
    walk.check(value, ty, skip)
}

struct Walk<'a, K: ?Sized> {
    known: &'a K,
    positions: Vec<(SizeVar, i64)>,
    path: Vec<i64>,
}

impl<K: Known + ?Sized> Walk<'_, K> {
    fn check(&mut self, value: &Value, ty: &Type, skip: usize) -> Result<(), Mismatch> {
        match ty {
            Type::Scalar(_) => Ok(()),
            Type::Tuple(types) => {
                value.as_tuple().iter().zip(types).try_for_each(|(part, ty)| self.check(part, ty, skip))
            }
            Type::Sum(variants) => {
                let (tag, fields) = value.as_variant();
                fields.iter().zip(&variants[tag].fields).try_for_each(|(part, ty)| self.check(part, ty, skip))
            }
            Type::Array(array) => {
                let items = value.items();
                if let (0, Some(size)) = (skip, &array.length) {
                    let found = items.len() as i64;
                    // A size beyond 64 bits is one that no array has.
                    let wanted = self.eval(size).unwrap_or(i64::MAX);
                    if found != wanted {
                        return Err(Mismatch { found, wanted, position: self.path.clone() });
                    }
                }
                if !states_sizes(&array.elem) {
                    return Ok(());
                }
                for (k, item) in items.iter().enumerate() {
                    self.path.push(k as i64);
                    self.positions.extend(array.position.map(|p| (p, k as i64)));
                    self.check(item, &array.elem, skip.saturating_sub(1))?;
                    if array.position.is_some() {
                        self.positions.pop();
                    }
                    self.path.pop();
                }
                Ok(())
            }
        }
    }

    fn eval(&self, size: &Size) -> Option<i64> {
        let var = |var| {
            let position = self.positions.iter().rev().find(|(p, _)| *p == var);
            position.map(|(_, k)| *k).or_else(|| self.known.var(var))
        };
        size.eval_with(&var, &|fun, args| self.known.fun(fun, args))
    }
}

/// Whether any size is stated anywhere in the type.
fn states_sizes(ty: &Type) -> bool {
    let mut found = false;
    ty.sizes(&mut |_| found = true);
    found
}

/// Finds the values of size names that only the arguments determine; `bound` holds those known already.
pub(super) fn bind_sizes(args: &[(&Type, &Value)], bound: &mut Sizes) {
    let deepest = args.iter().map(|(ty, _)| depth(ty)).max().unwrap_or(0);
    for level in 0..deepest {
        for (ty, value) in args {
            bind_at(ty, Some(value), level, &mut BTreeSet::new(), &mut bound.vars);
        }
    }
    for (ty, value) in args {
        bind_rows(ty, value, &mut Vec::new(), &mut bound.funs);
    }
}

fn depth(ty: &Type) -> usize {
    match ty {
        Type::Scalar(_) => 0,
        Type::Tuple(types) => types.iter().map(depth).max().unwrap_or(0),
        Type::Sum(variants) => variants.iter().flat_map(|v| &v.fields).map(depth).max().unwrap_or(0),
        Type::Array(array) => 1 + depth(&array.elem),
    }
}

fn bind_at(
    ty: &Type,
    value: Option<&Value>,
    level: usize,
    positions: &mut BTreeSet<SizeVar>,
    bound: &mut BTreeMap<SizeVar, i64>,
) {
    match ty {
        Type::Scalar(_) => {}
        Type::Tuple(types) => {
            for (k, ty) in types.iter().enumerate() {
                bind_at(ty, value.map(|v| &v.as_tuple()[k]), level, positions, bound);
            }
        }
        // What a variant would hold that is not there has no size.
        Type::Sum(variants) => {
            if let Some((tag, fields)) = value.map(Value::as_variant) {
                for (ty, field) in variants[tag].fields.iter().zip(fields) {
                    bind_at(ty, Some(field), level, positions, bound);
                }
            }
        }
        Type::Array(array) if level == 0 => {
            if let Some(name) = array.length.as_ref().and_then(Size::as_var)
                && !positions.contains(&name)
            {
                bound.entry(name).or_insert(value.map_or(0, |v| v.as_array().len() as i64));
            }
        }
        Type::Array(array) => {
            positions.extend(array.position);
            let rows = value.map_or(&[][..], Value::items);
            match array.elem {
                Type::Scalar(_) => {}
                Type::Array(_) => bind_at(&array.elem, rows.first(), level - 1, positions, bound),
                // Of several rows, the first that has the variant decides.
                _ if !rows.is_empty() => {
                    rows.iter().for_each(|row| bind_at(&array.elem, Some(row), level - 1, positions, bound))
                }
                _ => bind_at(&array.elem, None, level - 1, positions, bound),
            }
            if let Some(p) = array.position {
                positions.remove(&p);
            }
        }
    }
}

/// Size functions that stand alone as the length of rows.
fn bind_rows(
    ty: &Type,
    value: &Value,
    positions: &mut Vec<(Option<SizeVar>, i64)>,
    bound: &mut BTreeMap<(SizeFun, Vec<i64>), i64>,
) {
    match ty {
        Type::Scalar(_) => {}
        Type::Tuple(types) => {
            types.iter().zip(value.as_tuple()).for_each(|(ty, part)| bind_rows(ty, part, positions, bound))
        }
        Type::Sum(variants) => {
            let (tag, fields) = value.as_variant();
            let types = &variants[tag].fields;
            types.iter().zip(fields).for_each(|(ty, part)| bind_rows(ty, part, positions, bound))
        }
        Type::Array(array) => {
            if let Some(Atom::Apply { fun, args }) = array.length.as_ref().and_then(Size::as_atom) {
                let at = |size: &Size| positions.iter().rev().find(|(p, _)| *p == size.as_var()).map(|(_, k)| *k);
                if let Some(args) = args.iter().map(at).collect::<Option<Vec<i64>>>() {
                    bound.entry((*fun, args)).or_insert(value.as_array().len() as i64);
                }
            }
            let mut mentions_functions = false;
            array.elem.sizes(&mut |size| mentions_functions |= !size.funs().is_empty());
            if mentions_functions {
                for (k, item) in value.items().iter().enumerate() {
                    positions.push((array.position, k as i64));
                    bind_rows(&array.elem, item, positions, bound);
                    positions.pop();
                }
            }
        }
    }
}
