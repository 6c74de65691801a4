//! Points that loop, side by side.
//!
//! A point with a `while` of its own is no vector code: neighbours leave after different numbers of rounds. So `LANES` points are run
//! together, each with its own copy of the variables, and whoever has left keeps what it has until all of them have:
//!
//! ```text
//! for q { x = …;                       for base, by 32 {
//!   while (c(x)) { x = f(x); }           every lane:  x_s[l] = …; runs_s[l] = c(x_s[l])
//!   out[q] = x;                          while one runs, every lane:  y = f(x_s[l]); x_s[l] = runs ? y : x_s[l]; runs_s[l] = runs & c(y)
//! }                                      every lane:  out[base + l] = x_s[l]
//!                                      }
//! ```
//!
//! Every point goes through the same operations as alone, so the bits are the same. Lanes behind the end repeat the last point and write
//! nothing. Declined: loops that read memory, which a lane that has left must not do; checks; loops in loops; divisions and library
//! functions, which do not vectorise; whatever carries a value from one point to the next.

use crate::c::expr::{expr, operand};
use crate::c::stmt::Lines;
use crate::c::types::variable;
use crate::shared::names;
use std::collections::BTreeSet;
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::kernel::{Expr, Kernel, LocalId, ParamKind, Stmt};

/// The bytes of the widest variable of all lanes together: two vectors of the largest size, so that one works while the other waits.
const BYTES: usize = 128;

/// A loop over points with one `while` in each.
pub struct Lanes<'s> {
    before: &'s [Stmt],
    cond: &'s Expr,
    round: &'s [Stmt],
    after: &'s [Stmt],
    /// What is set before the `while` and used in it or behind it.
    kept: Vec<LocalId>,
    /// The variable that is the condition, where it is one and nothing behind the loop uses it.
    goes: Option<LocalId>,
    lanes: usize,
}

impl<'s> Lanes<'s> {
    /// The body of a loop over points, if they can run side by side.
    pub fn of(k: &Kernel, var: LocalId, body: &'s [Stmt]) -> Option<Lanes<'s>> {
        let at = body.iter().position(|s| matches!(s, Stmt::While(..)))?;
        let (before, rest) = body.split_at(at);
        let (Stmt::While(cond, round), after) = (&rest[0], &rest[1..]) else { return None };
        let mut own = Scope::default();
        own.stmts(before);
        let mut inside = Scope::default();
        inside.exprs(&[cond]);
        inside.stmts(round);
        let mut behind = Scope::default();
        behind.stmts(after);
        let fits = own.is_plain && !own.stores && inside.is_plain && !inside.stores && !inside.loads && behind.is_plain;
        let is_vector = !own.is_slow && !inside.is_slow;
        let top: BTreeSet<LocalId> =
            before.iter().filter_map(|s| if let Stmt::Let(v, _) = s { Some(*v) } else { None }).collect();
        let known = |s: &Scope| s.assigned.iter().all(|v| s.declared.contains(v) || top.contains(v));
        let stores_are_out = after.iter().all(|s| match s {
            Stmt::Store(p, ..) => matches!(k.params[*p].kind, ParamKind::Output(_)),
            Stmt::If(_, a, b) => !a.iter().chain(b).any(|s| matches!(s, Stmt::Store(..))),
            _ => true,
        });
        // The position would have to be known in every round.
        let uses_position = inside.mentioned.contains(&var);
        if !(fits && is_vector && stores_are_out && known(&own) && known(&inside) && known(&behind)) || uses_position {
            return None;
        }
        let used: BTreeSet<LocalId> = inside.mentioned.union(&behind.mentioned).copied().collect();
        let goes = match cond {
            Expr::Local(v) if top.contains(v) && !behind.mentioned.contains(v) => Some(*v),
            _ => None,
        };
        let kept: Vec<LocalId> = top.into_iter().filter(|v| used.contains(v) && Some(*v) != goes).collect();
        let widest = kept.iter().map(|v| k.locals[*v].ty.size_bytes()).max()?.max(4);
        Some(Lanes { before, cond, round, after, kept, goes, lanes: BYTES / widest })
    }

    /// The loop `for var in from .. to`.
    pub fn print(&self, lines: &mut Lines, k: &Kernel, var: LocalId, from: &str, to: &str) {
        let (q, lanes) = (names::local(k, var), self.lanes);
        let name = |v: LocalId| names::local(k, v);
        // A byte beside words would have to be widened and narrowed in every round.
        let stored = |ty: ScalarType| if ty == ScalarType::Bool { "int32_t" } else { variable(ty) };
        let ty = |v: LocalId| k.locals[v].ty;
        lines.line(&format!("for (int64_t {q}_base = {from}; {q}_base < {to}; {q}_base += {lanes}) {{"));
        lines.depth += 1;
        lines.line(&format!("const int {q}_room = (int)min_i64({to} - {q}_base, {lanes});"));
        for v in &self.kept {
            lines.line(&format!("{} {}_s[{lanes}];", stored(ty(*v)), name(*v)));
        }
        lines.line(&format!("int32_t runs_s[{lanes}], active = 0;"));
        lines.line("#pragma omp simd reduction(| : active)");
        lines.line(&format!("for (int l = 0; l < {lanes}; l++) {{"));
        lines.depth += 1;
        lines.line(&format!("const int64_t {q} = {q}_base + (l < {q}_room ? l : {q}_room - 1);"));
        lines.stmts(k, self.before);
        for v in &self.kept {
            lines.line(&format!("{0}_s[l] = {0};", name(*v)));
        }
        lines.line(&format!("const int32_t runs = {};", expr(k, self.cond)));
        lines.line("runs_s[l] = runs, active |= runs;");
        lines.depth -= 1;
        lines.line("}");
        lines.line("while (active) {");
        lines.depth += 1;
        lines.line("active = 0;");
        lines.line("#pragma omp simd reduction(| : active)");
        lines.line(&format!("for (int l = 0; l < {lanes}; l++) {{"));
        lines.depth += 1;
        let mut inside = Scope::default();
        inside.exprs(&[self.cond]);
        inside.stmts(self.round);
        let load = |v: LocalId| {
            let test = if ty(v) == ScalarType::Bool { " != 0" } else { "" };
            format!("{} {1} = {1}_s[l]{test};", variable(ty(v)), name(v))
        };
        self.kept.iter().filter(|v| inside.mentioned.contains(v)).for_each(|v| lines.line(&load(*v)));
        lines.line("const int32_t runs = runs_s[l];");
        self.goes.iter().for_each(|v| lines.line(&format!("bool {} = runs != 0;", name(*v))));
        lines.stmts(k, self.round);
        for v in self.kept.iter().filter(|v| inside.assigned.contains(v)) {
            lines.line(&format!("{0}_s[l] = runs ? {0} : {0}_s[l];", name(*v)));
        }
        lines.line(&format!("const int32_t next = runs & {};", operand(k, self.cond)));
        lines.line("runs_s[l] = next, active |= next;");
        lines.depth -= 1;
        lines.line("}");
        lines.depth -= 1;
        lines.line("}");
        lines.line(&format!("for (int l = 0; l < {q}_room; l++) {{"));
        lines.depth += 1;
        lines.line(&format!("const int64_t {q} = {q}_base + l;"));
        let mut behind = Scope::default();
        behind.stmts(self.after);
        self.kept.iter().filter(|v| behind.mentioned.contains(v)).for_each(|v| lines.line(&load(*v)));
        lines.stmts(k, self.after);
        lines.depth -= 1;
        lines.line("}");
        lines.depth -= 1;
        lines.line("}");
    }
}

/// What statements set, mention and do.
struct Scope {
    declared: BTreeSet<LocalId>,
    assigned: BTreeSet<LocalId>,
    mentioned: BTreeSet<LocalId>,
    is_plain: bool,
    is_slow: bool,
    loads: bool,
    stores: bool,
}

impl Default for Scope {
    fn default() -> Scope {
        let none = BTreeSet::new;
        Scope {
            declared: none(),
            assigned: none(),
            mentioned: none(),
            is_plain: true,
            is_slow: false,
            loads: false,
            stores: false,
        }
    }
}

impl Scope {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(v, e) => {
                    self.declared.insert(*v);
                    self.exprs(&[e]);
                }
                Stmt::Assign(v, e) => {
                    self.assigned.insert(*v);
                    self.mentioned.insert(*v);
                    self.exprs(&[e]);
                }
                Stmt::Store(_, at, e) => {
                    self.stores = true;
                    self.exprs(&[at, e]);
                }
                Stmt::If(c, a, b) => {
                    self.exprs(&[c]);
                    self.stmts(a);
                    self.stmts(b);
                }
                _ => self.is_plain = false,
            }
        }
    }

    fn exprs(&mut self, list: &[&Expr]) {
        for e in list {
            match e {
                Expr::Local(v) => {
                    self.mentioned.insert(*v);
                }
                Expr::Const(_) | Expr::Param(_) | Expr::Tile | Expr::Thread => {}
                Expr::Failed | Expr::Shuffle(..) | Expr::LoadFresh(..) | Expr::Element(..) => self.is_plain = false,
                Expr::Load(_, a) => {
                    self.loads = true;
                    self.exprs(&[a]);
                }
                Expr::Unary(op, a) => {
                    use UnOp::{Abs, Ceil, Cosh, Exp, Floor, Log, Neg, Not, Sqrt, Trunc};
                    self.is_slow |= !matches!(op, Neg | Not | Abs | Sqrt | Exp | Log | Cosh | Floor | Ceil | Trunc);
                    self.exprs(&[a]);
                }
                Expr::Binary(op, a, b) => {
                    let divides = matches!(op, BinOp::Div | BinOp::Rem) && !matches!(**b, Expr::Const(_));
                    self.is_slow |= divides || matches!(op, BinOp::Pow | BinOp::Atan2);
                    self.exprs(&[a, b]);
                }
                Expr::Convert(_, a) | Expr::Ordinal(a) => self.exprs(&[a]),
                Expr::Quotient(a, b) => {
                    self.is_slow = true;
                    self.exprs(&[a, b]);
                }
                Expr::Exact(_, a, b) => self.exprs(&[a, b]),
                Expr::Fma(a, b, c) | Expr::Select(a, b, c) => self.exprs(&[a, b, c]),
            }
        }
    }
}
