//! The simplifier of Flat: what costs nothing to know is not computed.
//!
//! Four steps, repeated until nothing changes (a few rounds at most):
//! - `fold`: copies and constants are propagated, operations on constants and a few identities are computed, conditionals on
//!   constants are resolved, checks that are true are dropped (they are proved);
//! - `states`: a state that a loop never changes is its first value;
//! - `share`: a scalar or an operator that was computed before, in the same body or around it, is not computed again;
//! - `dead`: what nothing uses is removed, results of operators one by one. A check is never dead.

mod dead;
mod fold;
pub(crate) mod scalars;
mod share;
mod states;

use terrace_ir::flat::Program;

const ROUNDS: usize = 8;

/// Simplifies all functions.
pub fn simplify(program: &mut Program) {
    for function in program.functions.iter_mut() {
        for _ in 0..ROUNDS {
            let mut changed = fold::fold(function);
            changed |= states::remove_constant(function);
            changed |= share::share(function);
            changed |= dead::remove_dead(function);
            if !changed {
                break;
            }
        }
    }
}
