//! The simplifier of Core: before anything is flattened, what costs nothing to know is not computed, and nothing is computed inside that can be
//! computed outside.
//!
//! ```text
//! map (x) in xs {                          let n = length ys
//!   let n = length ys                      let s = reduce add ys
//!   let s = reduce add ys            →     map (x) in xs { let k = x * s  => k + n }
//!   let a = x * s   let b = x * s
//!   => a + n …
//! ```
//!
//! Four steps, repeated while they find something (a few rounds at most):
//! - `fold`: copies, constants, components of known tuples, lengths of known arrays, conditionals on constants;
//! - `share`: what was computed before, in the same body or around it, is not computed again, whole operators included;
//! - `dead`: what nothing uses and what cannot stop the program goes;
//! - `hoist`: what does not depend on the parameters of a function or loop around it moves out.
//!
//! No check goes, moves or changes its condition's meaning; a proved one stays as the mark of its place.

pub mod dead;
mod fold;
mod hoist;
mod share;

use terrace_ir::core::Program;

const ROUNDS: usize = 4;

/// Simplifies all functions.
pub fn simplify_core(program: &mut Program) {
    for function in program.functions.iter_mut() {
        for _ in 0..ROUNDS {
            let mut changed = fold::fold(function);
            changed |= share::share(function);
            dead::remove_dead(function);
            changed |= hoist::hoist(function);
            if !changed {
                break;
            }
        }
    }
}
