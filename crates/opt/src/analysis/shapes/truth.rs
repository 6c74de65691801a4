//! What a boolean says about sizes.
//!
//! ```text
//! let ok_1 = 0 <= i          Claim(0 <= i)
//! let ok_2 = i < len_xs      Claim(i < len(xs))
//! let ok_3 = ok_1 & ok_2     All [ … ]
//! check 0 index ok_3         proved if all of it is; afterwards all of it is known
//! ```
//!
//! A truth is exact where nothing in it is `Unknown`; `Unknown` inside `All` and `Any` keeps the rest useful in one direction.

use terrace_algebra::{Claim, Size};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Truth {
    Unknown,
    Known(bool),
    Claim(Claim),
    /// All of them hold.
    All(Vec<Truth>),
    /// At least one holds.
    Any(Vec<Truth>),
}

impl Truth {
    pub(super) fn negate(&self) -> Truth {
        let each = |parts: &[Truth]| parts.iter().map(Truth::negate).collect();
        match self {
            Truth::Unknown => Truth::Unknown,
            Truth::Known(b) => Truth::Known(!b),
            Truth::Claim(claim) => Truth::Claim(claim.negate()),
            Truth::All(parts) => Truth::Any(each(parts)),
            Truth::Any(parts) => Truth::All(each(parts)),
        }
    }

    pub(super) fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::Known(false), _) | (_, Truth::Known(false)) => Truth::Known(false),
            (Truth::Known(true), t) | (t, Truth::Known(true)) => t,
            (Truth::Unknown, Truth::Unknown) => Truth::Unknown,
            (Truth::All(mut parts), t) => {
                parts.push(t);
                Truth::All(parts)
            }
            (a, b) => Truth::All(vec![a, b]),
        }
    }

    pub(super) fn or(self, other: Truth) -> Truth {
        self.negate().and(other.negate()).negate()
    }

    /// Whether it says exactly when the boolean is true.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Truth::Unknown => false,
            Truth::Known(_) | Truth::Claim(_) => true,
            Truth::All(parts) | Truth::Any(parts) => parts.iter().all(Truth::is_exact),
        }
    }

    /// Gives `see` every claim in it.
    pub(super) fn claims(&self, see: &mut dyn FnMut(&Claim)) {
        match self {
            Truth::Claim(claim) => see(claim),
            Truth::All(parts) | Truth::Any(parts) => parts.iter().for_each(|p| p.claims(see)),
            Truth::Unknown | Truth::Known(_) => {}
        }
    }

    /// The same with claims that `keep` refuses made unknown.
    pub(super) fn keep(&self, keep: &dyn Fn(&Size) -> bool) -> Truth {
        let each = |parts: &[Truth]| parts.iter().map(|p| p.keep(keep)).collect();
        match self {
            Truth::Claim(claim) => {
                let (a, b) = claim.sides();
                if keep(a) && keep(b) { self.clone() } else { Truth::Unknown }
            }
            Truth::All(parts) => Truth::All(each(parts)),
            Truth::Any(parts) => Truth::Any(each(parts)),
            _ => self.clone(),
        }
    }
}
