//! Which memory a value may share.
//!
//! ```text
//! let a = xs[2..5]            a shares { xs }
//! let p = (a, ys)             p shares ({ xs }, { ys }), component by component
//! let b = [x + 1 for x in a]  b shares { b }: a new array
//! ```
//!
//! A *root* is a value that owned its memory first: a parameter, or the result of an operator. Scalars share nothing.

use std::collections::BTreeSet;
use terrace_base::IdVec;
use terrace_ir::core::{Expr, Program, Type};
use terrace_ir::{FuncId, ValueId};

/// The owner of some memory: a value, or a component of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Root {
    pub(super) value: ValueId,
    pub(super) path: Vec<usize>,
}

/// What a value may share, component by component where it is a tuple.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shares {
    Whole(BTreeSet<Root>),
    Parts(Vec<Shares>),
}

impl Default for Shares {
    fn default() -> Shares {
        Shares::Whole(BTreeSet::new())
    }
}

impl Shares {
    /// A value that owns all its memory.
    pub(super) fn own(value: ValueId, ty: &Type) -> Shares {
        fn at(value: ValueId, ty: &Type, path: &mut Vec<usize>) -> Shares {
            match ty {
                _ if ty.is_flat() => Shares::default(),
                Type::Tuple(parts) => {
                    let mut shares = Vec::new();
                    for (k, part) in parts.iter().enumerate() {
                        path.push(k);
                        shares.push(at(value, part, path));
                        path.pop();
                    }
                    Shares::Parts(shares)
                }
                _ => Shares::Whole(BTreeSet::from([Root { value, path: path.clone() }])),
            }
        }
        at(value, ty, &mut Vec::new())
    }

    /// All roots.
    pub(super) fn roots(&self) -> BTreeSet<Root> {
        match self {
            Shares::Whole(roots) => roots.clone(),
            Shares::Parts(parts) => parts.iter().flat_map(Shares::roots).collect(),
        }
    }

    /// All roots, as those of one value without components.
    pub(super) fn flat(&self) -> Shares {
        Shares::Whole(self.roots())
    }

    /// A component.
    pub(super) fn part(&self, k: usize) -> Shares {
        match self {
            Shares::Whole(roots) => Shares::Whole(roots.clone()),
            Shares::Parts(parts) => parts.get(k).cloned().unwrap_or_default(),
        }
    }

    /// What a value of a type shares that was taken out of this one, wherever from.
    pub(super) fn within(&self, ty: &Type) -> Shares {
        match ty {
            _ if ty.is_flat() => Shares::default(),
            Type::Tuple(parts) => Shares::Parts(parts.iter().map(|p| self.within(p)).collect()),
            _ => self.flat(),
        }
    }

    /// What either of two values shares.
    pub(super) fn or(self, other: Shares) -> Shares {
        match (self, other) {
            (Shares::Parts(a), Shares::Parts(b)) if a.len() == b.len() => {
                Shares::Parts(a.into_iter().zip(b).map(|(x, y)| x.or(y)).collect())
            }
            (Shares::Parts(parts), Shares::Whole(roots)) | (Shares::Whole(roots), Shares::Parts(parts)) => {
                Shares::Parts(parts.into_iter().map(|p| p.or(Shares::Whole(roots.clone()))).collect())
            }
            (a, b) => {
                let mut roots = a.roots();
                roots.append(&mut b.roots());
                Shares::Whole(roots)
            }
        }
    }

    /// Every root replaced by others.
    pub(super) fn mapped(&self, f: &dyn Fn(&Root) -> BTreeSet<Root>) -> Shares {
        match self {
            Shares::Whole(roots) => Shares::Whole(roots.iter().flat_map(f).collect()),
            Shares::Parts(parts) => Shares::Parts(parts.iter().map(|p| p.mapped(f)).collect()),
        }
    }
}

/// Whether the operator shows the memory of its operands in another way.
pub(super) fn is_view(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Index { .. }
            | Expr::Slice { .. }
            | Expr::Strided { .. }
            | Expr::Zip(_)
            | Expr::Flatten(_)
            | Expr::Partition { .. }
            | Expr::Reshape { .. }
            | Expr::Slide { .. }
            | Expr::Transpose(_)
            | Expr::Variant { .. }
    )
}

/// Whether rows in the result may be rows of the operands.
pub(super) fn keeps_rows(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Filter { .. }
            | Expr::Replicate { .. }
            | Expr::Sort { .. }
            | Expr::Rotate { .. }
            | Expr::Pad { .. }
            | Expr::Reduce { .. }
            | Expr::Scan { .. }
            | Expr::Hist { .. }
    )
}

/// What the result of each function may share with its parameters; a root counts parameters here.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Summaries(IdVec<FuncId, Shares>);

impl Summaries {
    pub(super) fn new(program: &Program) -> Summaries {
        Summaries(IdVec::from_vec(program.functions.iter().map(|_| Shares::default()).collect()))
    }

    pub(super) fn of(&self, function: FuncId) -> &Shares {
        &self.0[function]
    }

    pub(super) fn grow(&mut self, function: FuncId, found: &Shares) {
        let before = self.0[function].clone();
        self.0[function] = before.or(found.clone());
    }
}
