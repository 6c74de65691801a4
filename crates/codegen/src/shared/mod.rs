//! What the printers of C dialects share: arithmetic, constants, names, the plan around the texts, types of expressions, what a phase mentions.

pub mod arithmetic;
pub mod constants;
pub mod names;
pub mod plan;
pub mod typing;
pub mod used;
