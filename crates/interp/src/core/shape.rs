//! Do the sizes that a type states hold for a value?
//!
//! ```text
//! [i < n][i + 1]f32   against [[1], [2, 3]] with n = 2   holds: row 0 has 1 element, row 1 has 2
//!                     against [[1], [2]]    with n = 2   row 1 has 1 where 2 is stated
//! ```
//!
//! Sizes mention integer values of the function (looked up by the caller) and positions of enclosing dimensions. A size
//! name that only the arguments of an entry determine is *bound* first: by the first parameter that has it as an outermost
//! length, else by the first row that has it as its length, 0 where there are no rows. Size functions are not handled.

use super::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::{Size, SizeVar};
use terrace_ir::core::Type;

/// A length that is not what the type states.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) found: i64,
    pub(super) wanted: i64,
    /// Where the array with the wrong length is, from outside.
    pub(super) position: Vec<i64>,
}

/// Looks up an integer value of the function.
pub(super) type Lookup<'a> = &'a dyn Fn(SizeVar) -> Option<i64>;

/// Checks every stated size at least `skip` dimensions deep; the first mismatch in index order is the one reported.
pub(super) fn check_shape(value: &Value, ty: &Type, known: Lookup<'_>, skip: usize) -> Result<(), Mismatch> {
    let mut walk = Walk { known, positions: Vec::new(), path: Vec::new() };
    walk.check(value, ty, skip)
}

struct Walk<'a> {
    known: Lookup<'a>,
    positions: Vec<(SizeVar, i64)>,
    path: Vec<i64>,
}

impl Walk<'_> {
    fn check(&mut self, value: &Value, ty: &Type, skip: usize) -> Result<(), Mismatch> {
        match ty {
            Type::Scalar(_) => Ok(()),
            Type::Tuple(types) => {
                value.as_tuple().iter().zip(types).try_for_each(|(part, ty)| self.check(part, ty, skip))
            }
            Type::Array(array) => {
                let items = value.as_array().items();
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
        size.eval(&|var| {
            let position = self.positions.iter().rev().find(|(p, _)| *p == var);
            position.map(|(_, k)| *k).or_else(|| (self.known)(var))
        })
    }
}

/// Whether any size is stated anywhere in the type.
pub(super) fn states_sizes(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => false,
        Type::Tuple(types) => types.iter().any(states_sizes),
        Type::Array(array) => array.length.is_some() || states_sizes(&array.elem),
    }
}

/// Finds the values of size names that only the arguments determine; `bound` holds those known already.
pub(super) fn bind_sizes(args: &[(&Type, &Value)], bound: &mut BTreeMap<SizeVar, i64>) {
    let deepest = args.iter().map(|(ty, _)| depth(ty)).max().unwrap_or(0);
    for level in 0..deepest {
        for (ty, value) in args {
            bind_at(ty, Some(value), level, &mut BTreeSet::new(), bound);
        }
    }
}

fn depth(ty: &Type) -> usize {
    match ty {
        Type::Scalar(_) => 0,
        Type::Tuple(types) => types.iter().map(depth).max().unwrap_or(0),
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
        Type::Array(array) if level == 0 => {
            if let Some(name) = array.length.as_ref().and_then(Size::as_var)
                && !positions.contains(&name)
            {
                bound.entry(name).or_insert(value.map_or(0, |v| v.as_array().len() as i64));
            }
        }
        Type::Array(array) => {
            positions.extend(array.position);
            let row = value.and_then(|v| v.as_array().items().first());
            bind_at(&array.elem, row, level - 1, positions, bound);
            if let Some(p) = array.position {
                positions.remove(&p);
            }
        }
    }
}
