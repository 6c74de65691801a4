//! What a statement of a kernel is made of: the one list that every walk uses.
//!
//! ```text
//! if c { a } else { b }      the bodies a, b
//! while c { a }              the body a
//! x = e                      none
//! ```

use super::Stmt;

impl Stmt {
    /// The statements that stand within this one.
    pub fn bodies(&self) -> Vec<&Vec<Stmt>> {
        match self {
            Stmt::If(_, a, b) => vec![a, b],
            Stmt::While(_, body) | Stmt::For { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::If(_, a, b) => vec![a, b],
            Stmt::While(_, body) | Stmt::For { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }
}
