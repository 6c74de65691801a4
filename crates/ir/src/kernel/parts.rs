//! What a statement or an expression of a kernel is made of: the one list that every walk uses.
//!
//! ```text
//! if c { a } else { b }      the bodies a, b
//! while c { a }              the body a
//! x = e                      none
//! fma(a, b, c)               the children a, b, c
//! ```

use super::{Expr, LocalId, Stmt};

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

impl Expr {
    /// The expressions that this one is made of.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Const(_) | Expr::Local(_) | Expr::Param(_) | Expr::Tile | Expr::Thread | Expr::Failed => Vec::new(),
            Expr::Unary(_, a) | Expr::Convert(_, a) | Expr::Ordinal(a) => vec![a],
            Expr::Load(_, a) | Expr::LoadFresh(_, a) | Expr::Element(_, a) => vec![a],
            Expr::Binary(_, a, b) | Expr::Quotient(a, b) | Expr::Exact(_, a, b) | Expr::Shuffle(_, a, b) => vec![a, b],
            Expr::Fma(a, b, c) | Expr::Select(a, b, c) => vec![a, b, c],
        }
    }

    /// The same, to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Const(_) | Expr::Local(_) | Expr::Param(_) | Expr::Tile | Expr::Thread | Expr::Failed => Vec::new(),
            Expr::Unary(_, a) | Expr::Convert(_, a) | Expr::Ordinal(a) => vec![a],
            Expr::Load(_, a) | Expr::LoadFresh(_, a) | Expr::Element(_, a) => vec![a],
            Expr::Binary(_, a, b) | Expr::Quotient(a, b) | Expr::Exact(_, a, b) | Expr::Shuffle(_, a, b) => vec![a, b],
            Expr::Fma(a, b, c) | Expr::Select(a, b, c) => vec![a, b, c],
        }
    }

    /// Whether a variable is read somewhere in it.
    pub fn mentions(&self, v: LocalId) -> bool {
        *self == Expr::Local(v) || self.children().into_iter().any(|c| c.mentions(v))
    }
}
