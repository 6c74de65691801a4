//! One algebra of sizes: everything symbolic that the compiler does with integers.
//!
//! ```
//! use terrace_algebra::{Assumptions, Size, SizeVar, sum};
//! let (n, i, j) = (SizeVar(0), SizeVar(1), SizeVar(2));
//! // A triangle `[i < n][i + 1]` has n(n+1)/2 elements, and element (i, j) lies inside.
//! let total = sum(i, &Size::var(n), &(Size::var(i) + 1));
//! assert_eq!(total.to_string(), "(s0^2 + s0)/2");
//! let at = sum(i, &Size::var(i), &(Size::var(i) + 1)) + Size::var(j);
//! let mut known = Assumptions::new();
//! known.assume_index(i, &Size::var(n));
//! known.assume_index(j, &(Size::var(i) + 1));
//! assert!(known.prove_lt(&at, &total).is_yes());
//! ```
//!
//! The rooms: [`Size`] and its parts (`expr`), arithmetic on the canonical form (`poly`, `divide`), minima
//! and maxima (`extreme`), powers of two (`power`), case distinctions (`split`), values (`eval`), half-open sums (`sum`, `closed`, `pieces`), how sizes print
//! (`display`), constant ranges (`interval`), the prover (`claim`, `facts` and `prove` are its face; behind it `store`, `equations`, `gather`,
//! `compact`, `ranges`, `learn`, `search`, `cancel`, `refute`, `explain`) and index functions (`lmad`). The numbers are mathematical integers: a program's value
//! enters only where it cannot wrap. The crate knows no other crate.

mod cancel;
mod claim;
mod closed;
mod compact;
mod display;
mod divide;
mod equations;
mod eval;
mod explain;
mod expr;
mod extreme;
mod facts;
mod gather;
mod interval;
mod learn;
mod lmad;
mod pieces;
mod poly;
mod power;
mod prove;
mod ranges;
mod refute;
mod search;
mod split;
mod store;
mod sum;

pub use claim::Claim;
pub use display::Shown;
pub use explain::Explanation;
pub use expr::{Atom, HeldOp, Monomial, Size, SizeFun, SizeVar, SumAtom};
pub use facts::{Assumptions, Mark};
pub use lmad::{Dim, Effort, Lmad, Triplet};
pub use prove::Answer;
pub use sum::{sum, sum_between};
