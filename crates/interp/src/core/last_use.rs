//! Which use of a value is its last one: what makes an update cheap.
//!
//! An update writes in place if nobody else sees the array. A value that is taken out of its slot at its last use is seen
//! by nobody else, so this pass marks last uses (here `^`), once per run:
//!
//! ```text
//! loop xs_1 = zeros_0 for i_2 < n do {
//!   let ys_3 = update xs_1 [i_2] = i_2        update ^xs_1 …
//!   => ys_3                                   => ^ys_3
//! }
//! ```
//!
//! It is liveness, backwards through each body. Three rules keep it right. A body that may run again leaves alone what
//! comes from outside of it. An operand that occurs twice in one statement is not taken. The sizes in types are looked up
//! later: integers, and arrays that a type mentions, stay where they are. And one makes it complete: a branch that does not use
//! what the other one uses for the last time drops it, by a statement of its own, as does a binding that nobody uses.
//!
//! The mark is the highest bit of the value's number; nothing but the interpreter sees it.

use std::collections::BTreeSet;
use terrace_base::{IdVec, Span};
use terrace_ir::core::visit::{Part, PartMut, free_values, walk};
use terrace_ir::core::{Body, Expr, Function, Lambda, LoopForm, Program, Stmt, StmtKind, Type, Value};
use terrace_ir::{Atom, FuncId, ValueId};

/// The bit of a value's number that says "take it out of its slot", or for a binding "drop it".
pub(super) const LAST: usize = 1 << 31;

/// The value that a statement binds which only drops others.
pub(super) const DROPPED: usize = LAST | (LAST - 1);

/// A function with its last uses marked.
pub(super) struct Code {
    pub(super) params: Vec<ValueId>,
    pub(super) body: Body,
    pub(super) slots: usize,
}

impl Code {
    fn unmarked(function: &Function) -> Code {
        Code { params: function.params.clone(), body: function.body.clone(), slots: function.values.len() }
    }
}

/// The functions that a call of one may reach; `moves` says whether last uses are marked.
pub(super) fn mark(program: &Program, entry: FuncId, moves: bool) -> IdVec<FuncId, Option<Code>> {
    let mut out: IdVec<FuncId, Option<Code>> = program.functions.iter().map(|_| None).collect();
    let mut open = vec![entry];
    while let Some(id) = open.pop() {
        if out[id].is_none() {
            let function = &program.functions[id];
            out[id] = Some(if moves { Marker::new(function).code() } else { Code::unmarked(function) });
            walk(&function.body, &mut |stmt| {
                if let StmtKind::Let { expr: Expr::Call { function, .. }, .. } = &stmt.kind {
                    open.push(*function);
                }
            });
        }
    }
    out
}

type Live = BTreeSet<ValueId>;

struct Marker<'a> {
    function: &'a Function,
    /// Values that are worth taking: no scalars, and nothing that a type mentions.
    movable: IdVec<ValueId, bool>,
}

impl<'a> Marker<'a> {
    fn new(function: &'a Function) -> Marker<'a> {
        let mut mentioned = BTreeSet::new();
        walk(&function.body, &mut |stmt| {
            if let StmtKind::Let { expr, .. } = &stmt.kind {
                expr.parts(&mut |part| {
                    if let Part::Type(ty) = part {
                        ty.sizes(&mut |size| mentioned.extend(size.funs().into_iter().map(|fun| fun.0 as usize)));
                    }
                });
            }
        });
        let movable =
            |(id, value): (ValueId, &Value)| !matches!(value.ty, Type::Scalar(_)) && !mentioned.contains(&id.index());
        Marker { function, movable: function.values.enumerate().map(movable).collect() }
    }

    fn code(&self) -> Code {
        let (mut params, mut body) = (self.function.params.clone(), self.function.body.clone());
        let mut live = Live::new();
        self.body(&mut body, &mut live);
        self.binders(&mut params, &mut live);
        Code { params, body, slots: self.function.values.len() }
    }

    /// Marks a body; `live` is what is used after it, and becomes what is used from its start on.
    fn body(&self, body: &mut Body, live: &mut Live) {
        self.uses(&mut [&mut body.result], live);
        for stmt in body.stmts.iter_mut().rev() {
            if let StmtKind::Let { value, expr, .. } = &mut stmt.kind {
                self.binders(std::slice::from_mut(value), live);
                self.expr(expr, live);
            }
        }
    }

    fn binders(&self, binders: &mut [ValueId], live: &mut Live) {
        for value in binders {
            if self.movable[*value] && !live.remove(value) {
                *value = marked(*value);
            }
        }
    }

    fn uses(&self, atoms: &mut [&mut Atom], live: &mut Live) {
        let used: Vec<ValueId> = atoms.iter().filter_map(|a| a.var()).filter(|v| self.movable[*v]).collect();
        for atom in atoms {
            if let Some(v) = atom.var()
                && self.movable[v]
                && !live.contains(&v)
                && used.iter().filter(|u| **u == v).count() == 1
            {
                **atom = Atom::Var(marked(v));
            }
        }
        live.extend(used);
    }

    fn expr(&self, expr: &mut Expr, live: &mut Live) {
        match expr {
            Expr::If { then, otherwise, .. } => self.branches(vec![(&mut [], then), (&mut [], otherwise)], live),
            Expr::Match { arms, .. } => {
                let arms = arms.iter_mut().map(|Lambda { params, body }| (params.as_mut_slice(), body));
                self.branches(arms.collect(), live);
            }
            Expr::Loop { state, form, body, .. } => {
                self.keep_free(body, live);
                if let LoopForm::While(cond) = form {
                    self.keep_free(cond, live);
                }
                live.remove(state);
                let mut inside = live.clone();
                self.body(body, &mut inside);
                if let LoopForm::While(cond) = form {
                    let mut inside = live.clone();
                    inside.insert(*state);
                    self.body(cond, &mut inside);
                } else {
                    self.binders(std::slice::from_mut(state), &mut inside);
                }
            }
            Expr::Map { lambda, .. }
            | Expr::Generate { lambda, .. }
            | Expr::Filter { predicate: lambda, .. }
            | Expr::Reduce { operator: lambda, .. }
            | Expr::Scan { operator: lambda, .. }
            | Expr::Hist { operator: lambda, .. } => {
                self.keep_free(&lambda.body, live);
                lambda.params.iter().for_each(|p| {
                    live.remove(p);
                });
                let mut inside = live.clone();
                self.body(&mut lambda.body, &mut inside);
                self.binders(&mut lambda.params, &mut inside);
            }
            _ => {}
        }
        let mut atoms = Vec::new();
        expr.parts_mut(&mut |part| {
            if let PartMut::Use(atom) = part {
                atoms.push(atom);
            }
        });
        self.uses(&mut atoms, live);
    }

    /// What a body that may run again uses from outside is used again after each run.
    fn keep_free(&self, body: &Body, live: &mut Live) {
        live.extend(free_values(body).into_iter().filter(|v| self.movable[*v]));
    }

    /// Bodies of which one runs: what only another one uses is dropped at the start.
    fn branches(&self, mut arms: Vec<(&mut [ValueId], &mut Body)>, live: &mut Live) {
        let mut before = Vec::new();
        for (params, body) in &mut arms {
            let mut inside = live.clone();
            self.body(body, &mut inside);
            self.binders(params, &mut inside);
            before.push(inside);
        }
        before.iter().for_each(|inside| live.extend(inside));
        for ((_, body), inside) in arms.into_iter().zip(&before) {
            let dead: Vec<Atom> = live.difference(inside).map(|v| Atom::Var(marked(*v))).collect();
            if !dead.is_empty() {
                let value = ValueId::new(DROPPED);
                let kind = StmtKind::Let { value, expr: Expr::Tuple(dead), after: Vec::new() };
                body.stmts.insert(0, Stmt { kind, span: Span::none() });
            }
        }
    }
}

fn marked(value: ValueId) -> ValueId {
    ValueId::new(value.index() | LAST)
}
