//! Statements as CUDA C, one per line.
//!
//! ```text
//! Let(q, …)                     long long q_3 = …;
//! Check { check: 4, … }         if (!(q_3 < n_p0)) terrace_fail(terrace_err, terrace_launch, 4, q_3, q_3, n_p0, 0);
//! Publish { flags, at, value }   terrace_store_release(&flags_p2[…], …);
//! ```
//!
//! An atomic addition that comes before all stores and loops passes nothing on from block to block: it needs no fences.
//!
//! `While` is a plain loop: lowering leaves a loop whose check has failed by itself. The bound of a `For` is computed once;
//! one with independent rounds (`simd`) is unrolled, so that the loads of all rounds are in flight together. A loop around such a one that
//! reads only shared memory is not: those have few rounds, and the compiler of CUDA would add code for what is left of several at once, which threads with
//! different numbers of rounds go through one after the other.

use super::expr::{expr, operand, slot};
use super::types::variable;
use crate::shared::names;
use crate::shared::typing::{held, type_of};
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::kernel::{ArrayId, Expr, Kept, Kernel, Stmt};

/// Lines of text with indentation.
pub struct Lines {
    text: String,
    depth: usize,
    marks_failure: bool,
    /// Whether a thread may have written to memory by now.
    has_stored: bool,
}

impl Lines {
    /// Nothing yet, inside a function. A failing check may have to leave a mark in the variable `failed`.
    pub fn new(marks_failure: bool) -> Lines {
        Lines { text: String::new(), depth: 1, marks_failure, has_stored: false }
    }

    /// One more line.
    pub fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }

    fn nested(&mut self, k: &Kernel, stmts: &[Stmt]) {
        self.depth += 1;
        self.stmts(k, stmts);
        self.depth -= 1;
    }

    /// Statements, in order.
    pub fn stmts(&mut self, k: &Kernel, stmts: &[Stmt]) {
        for s in stmts {
            self.stmt(k, s);
        }
    }

    fn stmt(&mut self, k: &Kernel, stmt: &Stmt) {
        self.has_stored |= matches!(
            stmt,
            Stmt::Store(..)
                | Stmt::StoreRun { .. }
                | Stmt::StoreKept { .. }
                | Stmt::StoreWide { .. }
                | Stmt::Send { .. }
                | Stmt::StoreCell(..)
                | Stmt::Atomic { .. }
                | Stmt::Announce { .. }
                | Stmt::Publish { .. }
                | Stmt::While(..)
                | Stmt::For { .. }
        );
        match stmt {
            Stmt::Let(v, e) => {
                let ty = variable(k.locals[*v].ty);
                self.line(&format!("{ty} {} = {};", names::local(k, *v), expr(k, e)));
            }
            Stmt::Assign(v, e) => self.line(&format!("{} = {};", names::local(k, *v), expr(k, e))),
            Stmt::Store(p, at, e) => {
                self.line(&format!("{}[{}] = {};", names::param(k, *p), expr(k, at), expr(k, e)));
            }
            Stmt::StoreCell(p, e) => self.line(&format!("*{} = {};", names::param(k, *p), expr(k, e))),
            Stmt::SetElement(a, at, e) => {
                self.line(&format!("{}[{}] = {};", names::array(k, *a), slot(k, at), expr(k, e)));
            }
            Stmt::StoreRun { buffer, at, array, from, count } => {
                let (to, from) = (expr(k, at), expr(k, from));
                let (buffer, array) = (names::param(k, *buffer), names::array(k, *array));
                self.line(&format!("for (int i = 0; i < {count}; i++) {buffer}[{to} + i] = {array}[{from} + i];"));
            }
            Stmt::LoadWide { array, into, buffer, at, count } => {
                let (to, from) = (slot(k, into), expr(k, at));
                let (buffer, array) = (names::param(k, *buffer), names::array(k, *array));
                self.line(&format!("terrace_load_wide<{count}>(&{array}[{to}], &{buffer}[{from}]);"));
            }
            Stmt::StoreWide { buffer, at, array, from, count } => {
                let (to, from) = (expr(k, at), slot(k, from));
                let (buffer, array) = (names::param(k, *buffer), names::array(k, *array));
                self.line(&format!("terrace_store_wide<{count}>(&{buffer}[{to}], &{array}[{from}]);"));
            }
            Stmt::StoreKept { into, buffer, at, end: _, from, keep, count } => {
                let (kept, to, count) = (names::local(k, *into), expr(k, at), expr(k, count));
                let element = match from {
                    Kept::Array(array) => format!("{}[i]", names::array(k, *array)),
                    Kept::Buffer(buffer, position) => {
                        format!("{}[{} + i]", names::param(k, *buffer), expr(k, position))
                    }
                };
                let (buffer, keep) = (names::param(k, *buffer), names::array(k, *keep));
                self.line(&format!("{} {kept} = 0;", variable(ScalarType::I64)));
                self.line(&format!("for (int i = 0; i < {count}; i++) {{"));
                self.line(&format!("    if ({keep}[i]) {buffer}[{to} + {kept}++] = {element};"));
                self.line("}");
            }
            Stmt::If(c, then, otherwise) => {
                self.line(&format!("if ({}) {{", expr(k, c)));
                self.nested(k, then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.nested(k, otherwise);
                }
                self.line("}");
            }
            Stmt::While(c, body) => {
                if stays_rolled(body) {
                    self.line("#pragma unroll 1");
                }
                self.line(&format!("while ({}) {{", expr(k, c)));
                self.nested(k, body);
                self.line("}");
            }
            Stmt::For { .. } if together(k, stmt).is_some() => {
                self.line(&together(k, stmt).unwrap_or_default());
            }
            Stmt::For { var, from, to, step, body, simd } => {
                if *simd {
                    self.line("#pragma unroll");
                } else if !matches!(to, Expr::Const(_)) && stays_rolled(body) {
                    self.line("#pragma unroll 1");
                }
                let v = names::local(k, *var);
                let from = expr(k, from);
                let (init, end) = match to {
                    Expr::Const(_) => (format!("{v} = {from}"), expr(k, to)),
                    to => (format!("{v} = {from}, {v}_end = {}", expr(k, to)), format!("{v}_end")),
                };
                let ty = variable(k.locals[*var].ty);
                self.line(&format!("for ({ty} {init}; {v} < {end}; {v} += {}) {{", expr(k, step)));
                self.nested(k, body);
                self.line("}");
            }
            Stmt::Barrier => self.line("__syncthreads();"),
            Stmt::Check { check, cond, index, values } => {
                let mut shown: Vec<String> = values.iter().take(3).map(|e| self.as_i64(k, e)).collect();
                shown.resize(3, "0ll".into());
                let mark = if self.marks_failure { "failed = true, " } else { "" };
                self.line(&format!(
                    "if (!{}) {mark}terrace_fail(terrace_err, terrace_launch, {}ull, {}, {});",
                    operand(k, cond),
                    check.index(),
                    expr(k, index),
                    shown.join(", ")
                ));
            }
            Stmt::AtomicAdd { into, buffer, at, value } => {
                let ty = variable(k.locals[*into].ty);
                let function = if self.has_stored { "terrace_atomic_add" } else { "terrace_ticket" };
                self.line(&format!(
                    "{ty} {} = {function}(&{}[{}], {});",
                    names::local(k, *into),
                    names::param(k, *buffer),
                    expr(k, at),
                    expr(k, value)
                ));
            }
            Stmt::Atomic { operator, buffer, at, value } => {
                let is_bool = held(k.params[*buffer].kind) == ScalarType::Bool;
                let word = match operator {
                    // A `bool` is a byte that holds 0 or 1.
                    BinOp::Min if is_bool => "bit_and",
                    BinOp::Max if is_bool => "bit_or",
                    BinOp::And => "bit_and",
                    BinOp::Or => "bit_or",
                    BinOp::Xor => "bit_xor",
                    operator => operator.word(),
                };
                let byte = if is_bool { "(unsigned char)" } else { "" };
                let value = if is_bool { operand(k, value) } else { expr(k, value) };
                self.line(&format!(
                    "terrace_combine_{word}(&{}[{}], {byte}{value});",
                    names::param(k, *buffer),
                    expr(k, at)
                ));
            }
            Stmt::AtomicElement { operator, array, at, value } => {
                let word = match operator {
                    BinOp::And => "bit_and",
                    BinOp::Or => "bit_or",
                    BinOp::Xor => "bit_xor",
                    operator => operator.word(),
                };
                let (array, at, value) = (names::array(k, *array), slot(k, at), expr(k, value));
                self.line(&format!("terrace_gather_{word}(&{array}[{at}], {value});"));
            }
            Stmt::Rank { into, counts, marks, at } => {
                let (v, at) = (names::local(k, *into), slot(k, at));
                let (counts, marks) = (names::array(k, *counts), names::array(k, *marks));
                let ty = variable(k.locals[*into].ty);
                self.line(&format!("{ty} {v} = terrace_rank({counts}, {marks}, {at});"));
            }
            Stmt::Announce { words, at, count } => self.line(&format!(
                "terrace_announce(&{}[{}], {});",
                names::param(k, *words),
                expr(k, at),
                expr(k, count)
            )),
            Stmt::Earlier { into, words, tops, tiles, tile, column, own } => {
                let (words, tops) = (names::param(k, *words), names::param(k, *tops));
                let args: Vec<String> = [tiles, tile, column, own].into_iter().map(|e| expr(k, e)).collect();
                let (ty, v) = (variable(k.locals[*into].ty), names::local(k, *into));
                self.line(&format!("{ty} {v} = terrace_earlier({words}, {tops}, {});", args.join(", ")));
            }
            Stmt::Publish { flags, at, value } => self.line(&format!(
                "terrace_store_release(&{}[{}], {});",
                names::param(k, *flags),
                expr(k, at),
                expr(k, value)
            )),
            Stmt::Send { words, at, value, flag } => self.line(&format!(
                "terrace_send((unsigned long long*)&{}[{}], {}, {});",
                names::param(k, *words),
                expr(k, at),
                expr(k, value),
                expr(k, flag)
            )),
            Stmt::Receive { value, flag, words, at, wait } => self.line(&format!(
                "{} = terrace_{}((const unsigned long long*)&{}[{}], {});",
                names::local(k, *flag),
                if *wait { "receive" } else { "peek" },
                names::param(k, *words),
                expr(k, at),
                names::local(k, *value)
            )),
            Stmt::Run { .. } | Stmt::Take { .. } => unreachable!("threads of GPUs run no functions"),
            Stmt::Await { into, flags, at } => {
                let ty = variable(k.locals[*into].ty);
                self.line(&format!(
                    "{ty} {} = terrace_await(&{}[{}]);",
                    names::local(k, *into),
                    names::param(k, *flags),
                    expr(k, at)
                ));
            }
        }
    }

    fn as_i64(&self, k: &Kernel, e: &Expr) -> String {
        let text = expr(k, e);
        if type_of(k, e) == ScalarType::I64 { text } else { format!("(long long){}", operand(k, e)) }
    }
}

/// Whether a loop with this body is left as it is: there is a loop in it that is unrolled, and nothing but shared memory is read.
fn stays_rolled(body: &[Stmt]) -> bool {
    has_unrolled(body) && !has_loads(body)
}

fn has_unrolled(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match s {
        Stmt::For { body, simd, .. } => *simd || has_unrolled(body),
        Stmt::While(_, body) => has_unrolled(body),
        Stmt::If(_, a, b) => has_unrolled(a) || has_unrolled(b),
        _ => false,
    })
}

fn has_loads(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match s {
        Stmt::Let(_, e) | Stmt::Assign(_, e) | Stmt::SetElement(_, _, e) => is_loaded(e),
        Stmt::For { body, .. } | Stmt::While(_, body) => has_loads(body),
        Stmt::If(_, a, b) => has_loads(a) || has_loads(b),
        Stmt::LoadWide { .. } => true,
        _ => false,
    })
}

fn is_loaded(e: &Expr) -> bool {
    match e {
        Expr::Load(..) | Expr::LoadFresh(..) => true,
        Expr::Unary(_, x) | Expr::Convert(_, x) | Expr::Ordinal(x) => is_loaded(x),
        Expr::Binary(_, x, y) | Expr::Exact(_, x, y) => is_loaded(x) || is_loaded(y),
        Expr::Fma(x, y, z) | Expr::Select(x, y, z) => [x, y, z].iter().any(|e| is_loaded(e)),
        _ => false,
    }
}

/// A loop that only divides, or takes roots of, the elements of arrays: by one call that has one branch for all rare cases.
fn together(k: &Kernel, stmt: &Stmt) -> Option<String> {
    let Stmt::For { var, from: Expr::Const(from), to: Expr::Const(to), step: Expr::Const(step), body, .. } = stmt
    else {
        return None;
    };
    let [Stmt::SetElement(array, at, value)] = body.as_slice() else { return None };
    let n = to.as_i64()?;
    let each = match k.locals[*var].ty {
        ScalarType::I64 => Expr::Local(*var),
        _ => Expr::Convert(ScalarType::I64, Box::new(Expr::Local(*var))),
    };
    let whole =
        |a: ArrayId| !k.arrays[a].shared && k.arrays[a].elem == ScalarType::F32 && k.arrays[a].count as i64 == n;
    let of = |e: &Expr| match e {
        Expr::Element(a, i) if **i == each && whole(*a) => Some(names::array(k, *a)),
        _ => None,
    };
    // The rare cases are computed from the same arrays again.
    let apart = |e: &Expr| !matches!(e, Expr::Element(a, _) if a == array);
    if from.as_i64() != Some(0) || step.as_i64() != Some(1) || *at != each || !whole(*array) {
        return None;
    }
    let to = names::array(k, *array);
    match value {
        Expr::Binary(_, a, b) if !apart(a) || !apart(b) => None,
        Expr::Unary(_, a) if !apart(a) => None,
        Expr::Binary(BinOp::Div, a, b) => Some(format!("terrace_divide<{n}>({to}, {}, {});", of(a)?, of(b)?)),
        Expr::Unary(UnOp::Sqrt, a) => Some(format!("terrace_roots<{n}>({to}, {});", of(a)?)),
        _ => None,
    }
}
