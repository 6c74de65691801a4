//! Barriers leave branches, in OpenCL.
//!
//! A branch that the whole work-group takes or leaves may contain a barrier. Compilers that run a work-group as loops over its threads
//! (all that target CPUs) make a copy of everything behind such a branch, for each one: the text of a look-back becomes a million blocks.
//! So the branch is cut where its threads meet, the pieces are guarded one by one, and all threads meet in any case:
//!
//! ```text
//! if (c) {                        const bool on_1 = c;
//!     int64_t x = …;              int64_t x = 0;
//!     barrier;            ─▶      if (on_1) { x = …; }
//!     y = x;                      barrier;
//! }                               if (on_1) { y = x; }
//! ```
//!
//! A loop in such a branch has no rounds where the branch is not taken, and needs no guard inside. What has no barrier stays as it is. The values do not
//! change: which branches are taken is the same for the whole work-group wherever a barrier is, the verifier says so.

use crate::opencl::expr::{expr, operand, shuffled};
use crate::opencl::stmt::Lines;
use crate::opencl::types::variable;
use crate::shared::names;
use crate::shared::used::Used;
use terrace_base::ScalarType;
use terrace_ir::kernel::{Expr, Kernel, LocalId, Stmt};

/// Whether all threads of the work-group meet in a statement.
pub fn meets(stmt: &Stmt) -> bool {
    let used = Used::of(std::slice::from_ref(stmt));
    used.barriers || used.shuffles
}

impl Lines {
    /// A branch in which threads meet.
    pub fn open_branch(&mut self, k: &Kernel, cond: &Expr, then: &[Stmt], otherwise: &[Stmt], guard: Option<&str>) {
        self.line("{");
        self.depth += 1;
        let on = self.fresh("on");
        let taken = guard.map_or_else(|| expr(k, cond), |g| format!("{g} && {}", operand(k, cond)));
        self.line(&format!("const bool {on} = {taken};"));
        self.guarded(k, then, &on);
        if !otherwise.is_empty() {
            let off = self.fresh("off");
            let before = guard.map_or_else(String::new, |g| format!("{g} && "));
            self.line(&format!("const bool {off} = {before}!{on};"));
            self.guarded(k, otherwise, &off);
        }
        self.depth -= 1;
        self.line("}");
    }

    /// Statements under a guard, cut where threads meet.
    fn guarded(&mut self, k: &Kernel, stmts: &[Stmt], guard: &str) {
        if !stmts.iter().any(meets) {
            self.piece(k, stmts, guard);
            return;
        }
        for v in stmts.iter().filter_map(declared_by) {
            if self.declared.insert(v) {
                let zero = if k.locals[v].ty == ScalarType::Bool { "false" } else { "0" };
                self.line(&format!("{} {} = {zero};", variable(k.locals[v].ty), names::local(k, v)));
            }
        }
        let mut rest = stmts;
        while let Some(first) = rest.first() {
            let count = rest.iter().take_while(|s| !meets(s)).count();
            if count > 0 {
                self.piece(k, &rest[..count], guard);
                rest = &rest[count..];
                continue;
            }
            self.meeting(k, first, guard);
            rest = &rest[1..];
        }
    }

    fn piece(&mut self, k: &Kernel, stmts: &[Stmt], guard: &str) {
        if stmts.is_empty() {
            return;
        }
        self.line(&format!("if ({guard}) {{"));
        self.nested(k, stmts);
        self.line("}");
    }

    fn meeting(&mut self, k: &Kernel, stmt: &Stmt, guard: &str) {
        match stmt {
            Stmt::Barrier => self.stmts(k, std::slice::from_ref(stmt)),
            Stmt::If(c, a, b) if a.iter().chain(b).any(meets) => self.open_branch(k, c, a, b, Some(guard)),
            Stmt::Let(v, Expr::Shuffle(kind, x, by)) | Stmt::Assign(v, Expr::Shuffle(kind, x, by)) => {
                self.line(&format!("{} = {};", names::local(k, *v), shuffled(k, *kind, x, by, Some(guard))));
            }
            Stmt::For { var, from, to, step, body, .. } => {
                let v = names::local(k, *var);
                let (from, to, by) = (operand(k, from), operand(k, to), expr(k, step));
                let head = format!("int64_t {v} = {guard} ? {from} : 0, {v}_end = {guard} ? {to} : 0");
                self.line(&format!("for ({head}; {v} < {v}_end; {v} += {by}) {{"));
                self.nested(k, body);
                self.line("}");
            }
            Stmt::While(c, body) => {
                self.line(&format!("while ({guard} && {}) {{", operand(k, c)));
                self.nested(k, body);
                self.line("}");
            }
            // Right as it is, and rare.
            other => self.piece(k, std::slice::from_ref(other), guard),
        }
    }
}

/// The variable that a statement declares.
fn declared_by(stmt: &Stmt) -> Option<LocalId> {
    match stmt {
        Stmt::Let(v, _)
        | Stmt::AtomicAdd { into: v, .. }
        | Stmt::Await { into: v, .. }
        | Stmt::StoreKept { into: v, .. } => Some(*v),
        _ => None,
    }
}
