//! Statements as OpenCL C, one per line.
//!
//! ```text
//! Let(q, …)                     int64_t q_3 = …;
//! Check { check: 4, … }         if (!(q_3 < n_p0)) terrace_fail(terrace_err, terrace_launch, 4, q_3, q_3, n_p0, 0);
//! Barrier                       MEET;                                barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
//! Atomic { min, bins, … }       combine_min_f32(bins_p1, b_4, x_5);  a buffer and a place in it
//! ```
//!
//! `While` is a plain loop: lowering leaves a loop whose check has failed by itself. The bound of a `For` is computed once.
//! A branch in which threads meet is cut there ([`crate::barriers`]). Declined: unrolling by hand, which OpenCL 1.2 has no word for.

use super::expr::{expr, operand};
use super::types::{of_bits, to_bits, variable};
use crate::barriers::meets;
use crate::shared::names;
use crate::shared::typing::{held, type_of};
use std::collections::BTreeSet;
use terrace_base::{BinOp, ScalarType};
use terrace_ir::kernel::{Expr, Kept, Kernel, LocalId, Stmt};

/// Lines of text with indentation.
pub struct Lines {
    text: String,
    /// How far lines are indented.
    pub depth: usize,
    marks_failure: bool,
    /// Variables that stand before the branch that gives them their values.
    pub declared: BTreeSet<LocalId>,
    numbers: usize,
    /// Whether there are atomic operations on 8 bytes.
    pub wide_atomics: bool,
}

impl Lines {
    /// Nothing yet, inside a function. A failing check may have to leave a mark in the variable `failed`.
    pub fn new(marks_failure: bool) -> Lines {
        Lines {
            text: String::new(),
            depth: 1,
            marks_failure,
            declared: BTreeSet::new(),
            numbers: 0,
            wide_atomics: false,
        }
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

    /// A name that nothing else has.
    pub fn fresh(&mut self, name: &str) -> String {
        self.numbers += 1;
        format!("terrace_{name}_{}", self.numbers)
    }

    /// The words that give a variable its first value.
    fn defined(&self, k: &Kernel, v: LocalId) -> String {
        let name = names::local(k, v);
        if self.declared.contains(&v) { name } else { format!("{} {name}", variable(k.locals[v].ty)) }
    }

    /// Statements in braces.
    pub fn nested(&mut self, k: &Kernel, stmts: &[Stmt]) {
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
        match stmt {
            Stmt::Let(v, e) => self.line(&format!("{} = {};", self.defined(k, *v), expr(k, e))),
            Stmt::Assign(v, e) => self.line(&format!("{} = {};", names::local(k, *v), expr(k, e))),
            Stmt::Store(p, at, e) => {
                self.line(&format!("{}[{}] = {};", names::param(k, *p), expr(k, at), expr(k, e)));
            }
            Stmt::StoreCell(p, e) => self.line(&format!("*{} = {};", names::param(k, *p), expr(k, e))),
            Stmt::SetElement(a, at, e) => {
                self.line(&format!("{}[{}] = {};", names::array(k, *a), expr(k, at), expr(k, e)));
            }
            Stmt::StoreRun { buffer, at, array, from, count } => {
                let (to, from) = (operand(k, at), operand(k, from));
                let (buffer, array) = (names::param(k, *buffer), names::array(k, *array));
                self.line(&format!("for (int i = 0; i < {count}; i++) {buffer}[{to} + i] = {array}[{from} + i];"));
            }
            Stmt::LoadWide { array, into, buffer, at, count } => {
                let (to, from) = (operand(k, into), operand(k, at));
                let (buffer, array) = (names::param(k, *buffer), names::array(k, *array));
                self.line(&format!("for (int i = 0; i < {count}; i++) {array}[{to} + i] = {buffer}[{from} + i];"));
            }
            Stmt::StoreWide { buffer, at, array, from, count } => {
                let (to, from) = (operand(k, at), operand(k, from));
                let (buffer, array) = (names::param(k, *buffer), names::array(k, *array));
                self.line(&format!("for (int i = 0; i < {count}; i++) {buffer}[{to} + i] = {array}[{from} + i];"));
            }
            Stmt::StoreKept { into, buffer, at, end: _, from, keep, count } => {
                let (kept, to, count) = (names::local(k, *into), operand(k, at), expr(k, count));
                let element = match from {
                    Kept::Array(array) => format!("{}[i]", names::array(k, *array)),
                    Kept::Buffer(buffer, position) => {
                        format!("{}[{} + i]", names::param(k, *buffer), expr(k, position))
                    }
                };
                let (buffer, keep) = (names::param(k, *buffer), names::array(k, *keep));
                self.line(&format!("{} = 0;", self.defined(k, *into)));
                self.line(&format!("for (int i = 0; i < {count}; i++) {{"));
                self.line(&format!("    if ({keep}[i]) {buffer}[{to} + {kept}++] = {element};"));
                self.line("}");
            }
            Stmt::If(c, then, otherwise) if then.iter().chain(otherwise).any(meets) => {
                self.open_branch(k, c, then, otherwise, None);
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
                self.line(&format!("while ({}) {{", expr(k, c)));
                self.nested(k, body);
                self.line("}");
            }
            Stmt::For { var, from, to, step, body, .. } => {
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
            Stmt::Barrier => self.line("MEET;"),
            Stmt::Check { check, cond, index, values } => {
                let mut shown: Vec<String> = values.iter().take(3).map(|e| as_i64(k, e)).collect();
                shown.resize(3, "0".into());
                let mark = if self.marks_failure { "failed = true, " } else { "" };
                self.line(&format!(
                    "if (!{}) {mark}terrace_fail(terrace_err, terrace_launch, {}, {}, {});",
                    operand(k, cond),
                    check.index(),
                    expr(k, index),
                    shown.join(", ")
                ));
            }
            Stmt::AtomicAdd { into, buffer, at, value } => {
                let ty = held(k.params[*buffer].kind);
                self.wide_atomics |= ty.size_bytes() == 8;
                let (v, p) = (self.defined(k, *into), names::param(k, *buffer));
                self.line(&format!("{v} = fetch_add_{ty}({p}, {}, {});", expr(k, at), expr(k, value)));
            }
            Stmt::Atomic { operator, buffer, at, value } => {
                let elem = held(k.params[*buffer].kind);
                self.wide_atomics |= elem.size_bytes() == 8;
                // A `bool` is a byte that holds 0 or 1.
                let (word, ty) = match (operator, elem) {
                    (BinOp::Min, ScalarType::Bool) => ("and", "u8"),
                    (BinOp::Max, ScalarType::Bool) => ("or", "u8"),
                    (operator, ScalarType::Bool) => (operator.word(), "u8"),
                    (operator, ty) => (operator.word(), ty.name()),
                };
                let (p, at, value) = (names::param(k, *buffer), expr(k, at), expr(k, value));
                self.line(&format!("combine_{word}_{ty}({p}, {at}, {value});"));
            }
            Stmt::AtomicElement { operator, array, at, value } => {
                let elem = k.arrays[*array].elem;
                self.wide_atomics |= elem.size_bytes() == 8;
                let (array, at, value) = (names::array(k, *array), expr(k, at), expr(k, value));
                self.line(&format!("gather_{}_{elem}({array}, {at}, {value});", operator.word()));
            }
            Stmt::Rank { into, counts, marks, at } => {
                let (v, at) = (self.defined(k, *into), expr(k, at));
                let (counts, marks) = (names::array(k, *counts), names::array(k, *marks));
                self.line(&format!("{v} = terrace_rank({counts}, {marks}, {at});"));
            }
            Stmt::Announce { words, at, count } => {
                let (p, at, count) = (names::param(k, *words), expr(k, at), expr(k, count));
                self.line(&format!("terrace_announce({p}, {at}, {count});"));
            }
            Stmt::Earlier { into, words, tops, tiles, tile, column, own } => {
                let (words, tops) = (names::param(k, *words), names::param(k, *tops));
                let args: Vec<String> = [tiles, tile, column, own].into_iter().map(|e| expr(k, e)).collect();
                let v = self.defined(k, *into);
                self.line(&format!("{v} = terrace_earlier({words}, {tops}, {});", args.join(", ")));
            }
            Stmt::Publish { flags, at, value } => {
                let (p, at, value) = (names::param(k, *flags), expr(k, at), expr(k, value));
                self.line(&format!("terrace_publish({p}, {at}, {value});"));
            }
            Stmt::Send { words, at, value, flag } => {
                let ty = type_of(k, value);
                let (p, at, flag) = (names::param(k, *words), expr(k, at), expr(k, flag));
                let bits = to_bits(ty, &expr(k, value));
                self.line(&format!("terrace_send({p}, {at}, {bits}, {}, {flag});", words_of(ty)));
            }
            Stmt::Receive { value, flag, words, at, wait } => {
                let ty = k.locals[*value].ty;
                let (p, at, v) = (names::param(k, *words), expr(k, at), names::local(k, *value));
                let word = if *wait { "receive" } else { "peek" };
                self.line(&format!("{} = terrace_{word}({p}, {at});", names::local(k, *flag)));
                let bits = format!("terrace_received({p}, {at}, {})", words_of(ty));
                self.line(&format!("{v} = {};", of_bits(ty, &bits)));
            }
            Stmt::Run { .. } | Stmt::Take { .. } => unreachable!("threads of GPUs run no functions"),
            Stmt::Await { into, flags, at } => {
                let (v, p) = (self.defined(k, *into), names::param(k, *flags));
                self.line(&format!("{v} = terrace_await({p}, {});", expr(k, at)));
            }
        }
    }
}

/// Words that a value takes when it is sent.
fn words_of(ty: ScalarType) -> usize {
    ty.size_bytes().div_ceil(4)
}

fn as_i64(k: &Kernel, e: &Expr) -> String {
    if type_of(k, e) == ScalarType::I64 { expr(k, e) } else { format!("(int64_t){}", operand(k, e)) }
}
