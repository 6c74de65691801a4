//! What the printers of C dialects share: names, types of expressions, what a phase mentions.

pub mod names;
pub mod typing;
pub mod used;
