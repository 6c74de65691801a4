//! Running totals of integers, by vectors.
//!
//! Each total needs the one before, but sums, minima and maxima of integers are the same in any grouping: a vector of them takes a few shuffles, and one more
//! step to add what came before. OpenMP has a word for such a loop, and C compilers know how it is done; where they have no vectors, it is the loop
//! that it was:
//!
//! ```text
//! for q {                          uint64_t acc_t = acc;
//!   acc = acc + x[q];              #pragma omp simd reduction(inscan, + : acc_t)
//!   out[q] = acc;                  for q {
//! }                                  { acc_t += x[q]; }
//!                                    #pragma omp scan inclusive(acc_t)
//!                                    { out[q] = acc_t; }
//!                                  }
//!                                  acc = acc_t;
//! ```
//!
//! Declined: floats, whose sums depend on the grouping; small integers; and loops that do anything else.

use terrace_base::{BinOp, ScalarType};
use terrace_ir::kernel::{Expr, Kernel, LocalId, ParamId, Stmt};

/// A loop that keeps a total and writes it at each point.
pub struct Totals<'s> {
    /// The variable of the total.
    pub of: LocalId,
    /// What combines it with a value.
    pub op: BinOp,
    /// What each point combines it with.
    pub value: &'s Expr,
    /// What is computed before.
    pub before: &'s [Stmt],
    /// What writes the total.
    pub store: &'s Stmt,
}

impl Totals<'_> {
    /// How OpenMP calls the operator.
    pub fn word(&self) -> &'static str {
        match self.op {
            BinOp::Min => "min",
            BinOp::Max => "max",
            _ => "+",
        }
    }

    /// The type that the totals have: sums wrap, as those of unsigned integers do.
    pub fn ty(&self, k: &Kernel) -> ScalarType {
        match (self.op, k.locals[self.of].ty) {
            (BinOp::Add, ScalarType::I32) => ScalarType::U32,
            (BinOp::Add, ScalarType::I64) => ScalarType::U64,
            (_, ty) => ty,
        }
    }
}

/// The loop as one that keeps running totals of integers.
pub fn totals<'s>(k: &Kernel, body: &'s [Stmt]) -> Option<Totals<'s>> {
    let [before @ .., Stmt::Assign(of, Expr::Binary(op, old, value)), store @ Stmt::Store(to, at, written)] = body
    else {
        return None;
    };
    let wide = matches!(k.locals[*of].ty, ScalarType::I32 | ScalarType::I64 | ScalarType::U32 | ScalarType::U64);
    let known = matches!(op, BinOp::Add | BinOp::Min | BinOp::Max);
    let own = Expr::Local(*of);
    if !wide || !known || **old != own || *written != own || value.mentions(*of) || at.mentions(*of) {
        return None;
    }
    let fine = |e: &Expr| !e.mentions(*of) && !loads_from(e, *to, Some(at));
    // What is computed before is a block of its own.
    let lets = before.iter().all(|s| matches!(s, Stmt::Let(v, e) if fine(e) && !at.mentions(*v)));
    (lets && fine(value) && !loads_from(at, *to, None)).then_some(Totals { of: *of, op: *op, value, before, store })
}

/// Whether an element of a buffer is read anywhere but at one place.
fn loads_from(e: &Expr, buffer: ParamId, but: Option<&Expr>) -> bool {
    let here = matches!(e, Expr::Load(p, at) | Expr::LoadFresh(p, at) if *p == buffer && Some(&**at) != but);
    here || e.children().into_iter().any(|c| loads_from(c, buffer, but))
}
