//! What a phase mentions, so that nothing is declared for nothing.

use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::kernel::{ArrayId, Expr, Kept, LocalId, ParamId, RunArg, Stmt};

/// What a phase mentions.
#[derive(Default)]
pub struct Used {
    /// Parameters, read or written.
    pub params: BTreeSet<ParamId>,
    /// Arrays of fixed size.
    pub arrays: BTreeSet<ArrayId>,
    mentions: BTreeMap<ArrayId, usize>,
    /// Buffers that are read or written at a variable plus something.
    pub parts: BTreeSet<(LocalId, ParamId)>,
    /// Buffers of which a loop reads several neighbours in every round.
    pub groups: BTreeSet<ParamId>,
    steps: BTreeSet<LocalId>,
    /// Whether it asks if a check has failed.
    pub failed: bool,
    /// Whether it checks.
    pub checks: bool,
    /// Whether a thread runs functions by itself, or takes what they gave.
    pub alone: bool,
    /// Whether it stores runs.
    pub runs: bool,
    /// Whether it asks for the number of the tile.
    pub tile: bool,
    /// Whether threads meet.
    pub barriers: bool,
    /// Whether lanes exchange values.
    pub shuffles: bool,
    /// Whether lanes with equal places are numbered.
    pub ranks: bool,
    /// Whether an expression is or becomes an `f64`.
    pub f64: bool,
}

impl Used {
    /// What these statements mention.
    pub fn of(stmts: &[Stmt]) -> Used {
        let mut used = Used::default();
        used.stmts(stmts);
        used
    }

    /// How often statements mention an array of fixed size.
    pub fn count_of_array(stmts: &[Stmt], array: ArrayId) -> usize {
        let mut used = Used::default();
        used.stmts(stmts);
        used.mentions.get(&array).copied().unwrap_or(0)
    }

    fn array(&mut self, array: ArrayId) {
        self.arrays.insert(array);
        *self.mentions.entry(array).or_default() += 1;
    }

    fn place(&mut self, p: ParamId, at: &Expr) {
        self.params.insert(p);
        let sum = if let Expr::Convert(ScalarType::I64, narrow) = at { narrow } else { at };
        if let Expr::Binary(BinOp::Add, base, by) | Expr::Exact(BinOp::Add, base, by) = sum
            && let Expr::Local(v) = **base
        {
            self.parts.insert((v, p));
            if self.steps.contains(&v) && matches!(**by, Expr::Const(_)) {
                self.groups.insert(p);
            }
        }
        self.exprs(&[at]);
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(_, e) | Stmt::Assign(_, e) => self.exprs(&[e]),
            Stmt::StoreCell(p, e) => {
                self.params.insert(*p);
                self.exprs(&[e]);
            }
            Stmt::Store(p, at, e) => {
                self.place(*p, at);
                self.exprs(&[e]);
            }
            Stmt::SetElement(a, at, e) => {
                self.array(*a);
                self.exprs(&[at, e]);
            }
            Stmt::StoreRun { buffer, at, array, from, .. } => {
                self.params.insert(*buffer);
                self.array(*array);
                self.runs = true;
                self.exprs(&[at, from]);
            }
            Stmt::StoreWide { buffer, at, array, from, .. } | Stmt::LoadWide { buffer, at, array, into: from, .. } => {
                self.params.insert(*buffer);
                self.array(*array);
                self.exprs(&[at, from]);
            }
            Stmt::StoreKept { buffer, at, end, from, keep, count, .. } => {
                self.params.insert(*buffer);
                match from {
                    Kept::Array(array) => self.array(*array),
                    Kept::Buffer(buffer, position) => {
                        self.params.insert(*buffer);
                        self.exprs(&[position]);
                    }
                }
                self.array(*keep);
                self.exprs(&[at, end, count]);
            }
            Stmt::If(c, a, b) => {
                self.exprs(&[c]);
                self.stmts(a);
                self.stmts(b);
            }
            Stmt::While(c, body) => {
                self.exprs(&[c]);
                self.stmts(body);
            }
            Stmt::For { var, from, to, step, body, .. } => {
                if matches!(step, Expr::Const(c) if c.as_i64().is_some_and(|n| n > 1)) {
                    self.steps.insert(*var);
                }
                self.exprs(&[from, to, step]);
                self.stmts(body);
            }
            Stmt::Barrier => self.barriers = true,
            Stmt::Check { cond, index, values, .. } => {
                self.checks = true;
                self.exprs(&[cond, index]);
                values.iter().for_each(|e| self.exprs(&[e]));
            }
            Stmt::AtomicAdd { buffer: p, at, value, .. }
            | Stmt::Atomic { buffer: p, at, value, .. }
            | Stmt::Publish { flags: p, at, value } => {
                self.params.insert(*p);
                self.exprs(&[at, value]);
            }
            Stmt::AtomicElement { array, at, value, .. } => {
                self.array(*array);
                self.exprs(&[at, value]);
            }
            Stmt::Rank { counts, marks, at, .. } => {
                self.array(*counts);
                self.array(*marks);
                self.ranks = true;
                self.exprs(&[at]);
            }
            Stmt::Announce { words, at, count } => {
                self.params.insert(*words);
                self.exprs(&[at, count]);
            }
            Stmt::Earlier { words, tops, tiles, tile, column, own, .. } => {
                self.params.extend([*words, *tops]);
                self.exprs(&[tiles, tile, column, own]);
            }
            Stmt::Send { words, at, value, flag } => {
                self.params.insert(*words);
                self.exprs(&[at, value, flag]);
            }
            Stmt::Run { args, index, .. } => {
                self.alone = true;
                self.checks = true;
                self.exprs(&[index]);
                for arg in args {
                    match arg {
                        RunArg::Value(e) => self.exprs(&[e]),
                        RunArg::Buffer(p) => {
                            self.params.insert(*p);
                        }
                    }
                }
            }
            Stmt::Take { buffer, at, handle, count } => {
                self.alone = true;
                self.params.insert(*buffer);
                self.exprs(&[at, handle, count]);
            }
            Stmt::Await { flags, at, .. } | Stmt::Receive { words: flags, at, .. } => {
                self.params.insert(*flags);
                self.exprs(&[at]);
            }
        }
    }

    fn exprs(&mut self, list: &[&Expr]) {
        for e in list {
            match e {
                Expr::Const(c) => self.f64 |= c.ty() == ScalarType::F64,
                Expr::Local(_) | Expr::Thread => {}
                Expr::Tile => self.tile = true,
                Expr::Failed => self.failed = true,
                Expr::Param(p) => {
                    self.params.insert(*p);
                }
                Expr::Load(p, a) | Expr::LoadFresh(p, a) => self.place(*p, a),
                Expr::Convert(to, a) => {
                    self.f64 |= *to == ScalarType::F64;
                    self.exprs(&[a]);
                }
                Expr::Unary(_, a) | Expr::Ordinal(a) => self.exprs(&[a]),
                Expr::Element(array, a) => {
                    self.array(*array);
                    self.exprs(&[a]);
                }
                Expr::Shuffle(_, a, b) => {
                    self.shuffles = true;
                    self.exprs(&[a, b]);
                }
                Expr::Binary(_, a, b) | Expr::Quotient(a, b) | Expr::Exact(_, a, b) => self.exprs(&[a, b]),
                Expr::Fma(a, b, c) | Expr::Select(a, b, c) => self.exprs(&[a, b, c]),
            }
        }
    }
}
