//! What the printers of C dialects share: arithmetic, names, types of expressions, what a phase mentions.

pub mod arithmetic;
pub mod names;
pub mod typing;
pub mod used;
