//! Claims: comparisons of two sizes, as data.
//!
//! A [`Claim`] can be assumed, proved, explained, negated and printed, so that a guard of a program has one form on all these ways:
//!
//! ```text
//! i < n      negated   n <= i
//! i = n      negated   i != n
//! ```
//!
//! Declined: connectives. A conjunction is several claims; a disjunction is left to the client, who asks under each side.

use std::fmt;

use crate::expr::{Size, SizeFun, SizeVar};

/// A comparison of two sizes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Claim {
    /// The first is at most the second.
    Le(Size, Size),
    /// The first is below the second.
    Lt(Size, Size),
    /// Both are the same number.
    Eq(Size, Size),
    /// They are different numbers.
    Ne(Size, Size),
}

impl Claim {
    /// The claim that holds exactly where this one does not.
    pub fn negate(&self) -> Claim {
        let (a, b) = self.sides();
        let (a, b) = (a.clone(), b.clone());
        match self {
            Claim::Le(..) => Claim::Lt(b, a),
            Claim::Lt(..) => Claim::Le(b, a),
            Claim::Eq(..) => Claim::Ne(a, b),
            Claim::Ne(..) => Claim::Eq(a, b),
        }
    }

    /// Both sides, left and right.
    pub fn sides(&self) -> (&Size, &Size) {
        match self {
            Claim::Le(a, b) | Claim::Lt(a, b) | Claim::Eq(a, b) | Claim::Ne(a, b) => (a, b),
        }
    }

    /// The same comparison of changed sides.
    pub fn map(&self, change: &dyn Fn(&Size) -> Size) -> Claim {
        match self {
            Claim::Le(a, b) => Claim::Le(change(a), change(b)),
            Claim::Lt(a, b) => Claim::Lt(change(a), change(b)),
            Claim::Eq(a, b) => Claim::Eq(change(a), change(b)),
            Claim::Ne(a, b) => Claim::Ne(change(a), change(b)),
        }
    }

    /// The text with the caller's names for variables and functions.
    pub fn display(&self, vars: &dyn Fn(SizeVar) -> String, funs: &dyn Fn(SizeFun) -> String) -> String {
        let (a, b) = self.sides();
        format!("{} {} {}", a.display_with(vars, funs), self.operator(), b.display_with(vars, funs))
    }

    fn operator(&self) -> &'static str {
        match self {
            Claim::Le(..) => "<=",
            Claim::Lt(..) => "<",
            Claim::Eq(..) => "=",
            Claim::Ne(..) => "!=",
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (a, b) = self.sides();
        write!(f, "{a} {} {b}", self.operator())
    }
}
