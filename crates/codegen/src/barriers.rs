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
    used.barriers || used.shuffles || used.ranks
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
                let ty = variable(k.locals[*var].ty);
                let head = format!("{ty} {v} = {guard} ? {from} : 0, {v}_end = {guard} ? {to} : 0");
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
        | Stmt::Rank { into: v, .. }
        | Stmt::Earlier { into: v, .. }
        | Stmt::Await { into: v, .. }
        | Stmt::StoreKept { into: v, .. } => Some(*v),
        Stmt::Run { ok, .. } => Some(*ok),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_base::{IdVec, Scalar, Span};
    use terrace_ir::kernel::{Array, ArrayId, Local, Shuffle};

    fn int(n: i64) -> Expr {
        Expr::Const(Scalar::I64(n))
    }

    fn kernel(body: Vec<Stmt>) -> Kernel {
        let local = |name: &str, ty| Local { name: name.to_string(), ty };
        Kernel {
            name: "k".to_string(),
            params: IdVec::new(),
            locals: vec![local("x", ScalarType::I64), local("y", ScalarType::F64)].into_iter().collect(),
            arrays: vec![Array { name: "a".to_string(), elem: ScalarType::I64, count: 4, shared: true }]
                .into_iter()
                .collect(),
            phases: vec![body],
            block: 32,
            resident: 1,
            small: None,
            span: Span::none(),
        }
    }

    fn lines_of(body: Vec<Stmt>) -> Vec<String> {
        let text = crate::opencl::kernel(&kernel(body)).text;
        let all = text.lines().map(str::trim).skip_while(|l| !l.starts_with("if (terrace_stopped")).skip(1);
        all.map(str::to_string).collect()
    }

    #[test]
    fn a_branch_is_cut_where_threads_meet() {
        let (x, y) = (LocalId::new(0), LocalId::new(1));
        let other = Expr::Shuffle(Shuffle::Up, Box::new(Expr::Local(y)), Box::new(int(1)));
        let set = |n| Stmt::SetElement(ArrayId::new(0), int(n), Expr::Local(x));
        let inner = Stmt::If(
            Expr::Binary(terrace_base::BinOp::Lt, Box::new(int(2)), Box::new(Expr::Tile)),
            vec![Stmt::Barrier],
            vec![set(3)],
        );
        let branch = Stmt::If(
            Expr::Binary(terrace_base::BinOp::Lt, Box::new(int(1)), Box::new(Expr::Tile)),
            vec![Stmt::Let(x, int(7)), set(0), Stmt::Barrier, set(1), Stmt::Let(y, other), inner],
            vec![],
        );
        let wanted = [
            "{",
            "const bool terrace_on_1 = 1 < ((int64_t)get_group_id(0));",
            "int64_t x_0 = 0;",
            "double y_1 = 0;",
            "if (terrace_on_1) {",
            "x_0 = 7;",
            "a_a0[0] = x_0;",
            "}",
            "MEET;",
            "if (terrace_on_1) {",
            "a_a0[1] = x_0;",
            "}",
            "y_1 = as_double(shuffle_up(terrace_exchange, as_ulong(y_1), 1));",
            "{",
            "const bool terrace_on_2 = terrace_on_1 && (2 < ((int64_t)get_group_id(0)));",
            "MEET;",
            "const bool terrace_off_3 = terrace_on_1 && !terrace_on_2;",
            "if (terrace_off_3) {",
            "a_a0[3] = x_0;",
            "}",
            "}",
            "}",
            "}",
        ];
        assert_eq!(lines_of(vec![branch]), wanted);
    }

    #[test]
    fn a_branch_without_a_meeting_stays() {
        let branch = Stmt::If(Expr::Failed, vec![Stmt::Let(LocalId::new(0), int(7))], vec![]);
        assert_eq!(lines_of(vec![branch]), ["bool failed = false;", "if (failed) {", "int64_t x_0 = 7;", "}", "}"]);
    }
}
