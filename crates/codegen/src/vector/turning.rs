//! Loops that compute sines and cosines, and look only afterwards whether an argument was too large.
//!
//! An argument of a million or less is turned back to the first quarter by a few multiplications; a larger one needs more of `pi`, for which the library is asked. A loop that could
//! call the library at any point is no vector code. So it notes that a point would have to, and goes on; if one was noted, which hardly ever happens, the loop is run again, with calls:
//!
//! ```text
//! for q { out[q] = cos(x[q]); }      is_far = 0
//!                                    for q { is_far |= |x[q]| > 2^20;  out[q] = near_cos(x[q]); }
//!                                    if is_far { for q { out[q] = |x[q]| > 2^20 ? library_cos(x[q]) : near_cos(x[q]); } }
//! ```
//!
//! Every element gets the same bits in either loop. In the text both loops are the same: `far` names the note in the first one, and nothing in the second
//! (`shared::arithmetic`). Declined: loops that may not run twice, because they change what they read, or call, check or loop inside.

use std::collections::BTreeSet;
use terrace_base::UnOp;
use terrace_ir::kernel::{Expr, LocalId, ParamId, Stmt};

/// Whether a loop over points computes sines or cosines, and may run twice.
pub fn looks_later(body: &[Stmt]) -> bool {
    let mut seen = Seen::default();
    seen.stmts(body);
    seen.turns && seen.is_plain && seen.assigned.is_subset(&seen.bound) && seen.stored.is_disjoint(&seen.loaded)
}

struct Seen {
    turns: bool,
    is_plain: bool,
    bound: BTreeSet<LocalId>,
    assigned: BTreeSet<LocalId>,
    stored: BTreeSet<ParamId>,
    loaded: BTreeSet<ParamId>,
}

impl Default for Seen {
    fn default() -> Seen {
        let none = BTreeSet::new;
        Seen {
            turns: false,
            is_plain: true,
            bound: none(),
            assigned: none(),
            stored: BTreeSet::new(),
            loaded: BTreeSet::new(),
        }
    }
}

impl Seen {
    fn stmts(&mut self, list: &[Stmt]) {
        for s in list {
            match s {
                Stmt::Let(v, e) => {
                    self.bound.insert(*v);
                    self.expr(e);
                }
                Stmt::Assign(v, e) => {
                    self.assigned.insert(*v);
                    self.expr(e);
                }
                Stmt::Store(p, at, e) => {
                    self.stored.insert(*p);
                    self.expr(at);
                    self.expr(e);
                }
                Stmt::If(c, a, b) => {
                    self.expr(c);
                    self.stmts(a);
                    self.stmts(b);
                }
                _ => self.is_plain = false,
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Const(_) | Expr::Local(_) | Expr::Param(_) | Expr::Tile => {}
            Expr::Unary(op, a) => {
                use UnOp::{Acos, Asin, Atan, Cos, Sin, Sinh, Tan, Tanh};
                self.turns |= matches!(op, Sin | Cos);
                // One call makes the loop scalar code in any case.
                self.is_plain &= !matches!(op, Tan | Asin | Acos | Atan | Sinh | Tanh);
                self.expr(a);
            }
            Expr::Convert(_, a) | Expr::Ordinal(a) => self.expr(a),
            Expr::Load(p, a) => {
                self.loaded.insert(*p);
                self.expr(a);
            }
            Expr::Binary(_, a, b) | Expr::Quotient(a, b) => [a, b].into_iter().for_each(|e| self.expr(e)),
            Expr::Fma(a, b, c) | Expr::Select(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            _ => self.is_plain = false,
        }
    }
}
