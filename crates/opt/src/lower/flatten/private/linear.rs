//! Whether a thread can run a loop on arrays of its own.
//!
//! It can where the arrays of the state are only read and updated element by element, and each turn hands on what the last update
//! gave: then every array has one place from the first turn to the last, and a turn costs what it does, not what it holds.
//!
//! ```text
//! loop cells = first for i < n do cells with [i] = cells[i - 1] + x         yes
//! loop (a, b) = … do (b, a with [i] = …)                                    no: the arrays change places
//! loop xs = … do (let ys = xs with [0] = 1 in ys with [1] = xs[0])          no: `xs` is read after it was updated
//! loop xs = … do [x + 1 for x in xs]                                        no: that is parallel code
//! ```
//!
//! Every array of the state is followed through the body as a *version*. An update ends one and begins the next; a version that has
//! ended must not be mentioned again. A loop inside takes over the versions that it starts from. Both sides of a branch start from the same versions, and
//! must end with versions of the same arrays.

use super::super::Types;
use super::super::plain::{is_scalar_stmt, is_thread_body};
use super::super::sizes::states_rows;
use std::collections::{BTreeMap, BTreeSet};
use terrace_ir::core::visit::free_values;
use terrace_ir::core::{Body, Expr, LoopForm, Stmt, StmtKind, Type};
use terrace_ir::{Atom, ValueId};

/// Whether a thread can run the loop: its state, its form and its body.
pub(in super::super) fn runs_alone(state: ValueId, form: &LoopForm, body: &Body, types: &Types) -> bool {
    let mut track = Track { types, made: BTreeMap::new(), ended: BTreeSet::new(), next: 0, depth: 0 };
    let Some(first) = track.state_of(&types[state].ty) else { return false };
    track.turns(state, &first, form, body).is_some()
}

/// What a value is, as far as the arrays of the state go.
#[derive(Clone, Debug, PartialEq)]
enum Made {
    /// A scalar, or something from outside.
    Other,
    Tuple(Vec<Made>),
    Array(Version),
}

/// An array of the state between two updates.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Version {
    id: usize,
    /// Which array of the state.
    slot: usize,
    /// Not a part of it.
    whole: bool,
    /// In how many loops it began.
    depth: usize,
}

struct Track<'t> {
    types: &'t Types,
    made: BTreeMap<ValueId, Made>,
    /// Versions that must not be mentioned any more.
    ended: BTreeSet<usize>,
    next: usize,
    depth: usize,
}

impl Track<'_> {
    fn begin(&mut self, slot: usize) -> Made {
        self.next += 1;
        Made::Array(Version { id: self.next, slot, whole: true, depth: self.depth })
    }

    /// The state of the whole loop; none if it has arrays that a thread cannot hold.
    fn state_of(&mut self, ty: &Type) -> Option<Made> {
        Some(match ty {
            Type::Scalar(_) => Made::Other,
            Type::Tuple(parts) => Made::Tuple(parts.iter().map(|p| self.state_of(p)).collect::<Option<_>>()?),
            Type::Array(_) => {
                let mut elem = ty;
                while let Type::Array(array) = elem {
                    elem = &array.elem;
                }
                elem.is_flat().then(|| self.begin(self.next))?
            }
            Type::Sum(_) => return None,
        })
    }

    fn of(&self, atom: Atom) -> Made {
        atom.var().and_then(|v| self.made.get(&v)).cloned().unwrap_or(Made::Other)
    }

    fn is_live(&self, made: &Made) -> bool {
        match made {
            Made::Other => true,
            Made::Tuple(parts) => parts.iter().all(|p| self.is_live(p)),
            Made::Array(version) => !self.ended.contains(&version.id),
        }
    }

    fn live(&self, atom: Atom) -> Option<Made> {
        Some(self.of(atom)).filter(|made| self.is_live(made))
    }

    fn mentions_live(&self, body: &Body) -> bool {
        free_values(body).into_iter().all(|v| self.made.get(&v).is_none_or(|made| self.is_live(made)))
    }

    /// Ends the versions of a value and begins new ones for it, in this loop.
    fn taken_over(&mut self, made: &Made) -> Option<Made> {
        Some(match made {
            Made::Other => Made::Other,
            Made::Tuple(parts) => Made::Tuple(parts.iter().map(|p| self.taken_over(p)).collect::<Option<_>>()?),
            Made::Array(version) if version.whole => {
                self.ended.insert(version.id);
                self.begin(version.slot)
            }
            Made::Array(_) => return None,
        })
    }

    /// What a loop gives that starts from `first`.
    fn turns(&mut self, state: ValueId, first: &Made, form: &LoopForm, body: &Body) -> Option<Made> {
        if !self.is_live(first) || !self.is_here(first) || !holds_arrays(&self.types[state].ty, first) {
            return None;
        }
        self.depth += 1;
        let own = self.taken_over(first)?;
        self.made.insert(state, own.clone());
        if let LoopForm::While(cond) = form
            && !(is_thread_body(cond, self.types) && self.mentions_live(cond))
        {
            return None;
        }
        let next = self.body(body)?;
        let stays = self.is_here(&next) && same_slots(&own, &next);
        self.depth -= 1;
        if stays { self.taken_over(&next) } else { None }
    }

    /// What one of two bodies gives, each from where the other one started.
    fn branches(&mut self, value: ValueId, then: &Body, otherwise: &Body) -> Option<Made> {
        let before = self.ended.clone();
        let a = self.body(then)?;
        let ended = std::mem::replace(&mut self.ended, before);
        let b = self.body(otherwise)?;
        self.ended.extend(ended);
        let mut slots = Vec::new();
        slots_of(&a, &mut slots);
        let apart = slots.iter().collect::<BTreeSet<_>>().len() == slots.len();
        let same = same_slots(&a, &b) && same_slots(&b, &a) && self.is_here(&a) && self.is_here(&b);
        if !apart || !same || !holds_arrays(&self.types[value].ty, &a) {
            return None;
        }
        self.taken_over(&b)?;
        self.taken_over(&a)
    }

    /// Whether all of it began in this loop: what an inner loop ended would be missed in its next turn.
    fn is_here(&self, made: &Made) -> bool {
        match made {
            Made::Other => true,
            Made::Tuple(parts) => parts.iter().all(|p| self.is_here(p)),
            Made::Array(version) => version.whole && version.depth == self.depth,
        }
    }

    fn body(&mut self, body: &Body) -> Option<Made> {
        for stmt in &body.stmts {
            if let StmtKind::Let { value, expr, .. } = &stmt.kind {
                let made = self.expr(*value, expr, stmt)?;
                self.made.insert(*value, made);
            }
        }
        self.live(body.result)
    }

    fn expr(&mut self, value: ValueId, expr: &Expr, stmt: &Stmt) -> Option<Made> {
        let flat = self.types[value].ty.is_flat();
        Some(match expr {
            Expr::Atom(a) => self.of(*a),
            Expr::Tuple(parts) => Made::Tuple(parts.iter().map(|p| self.of(*p)).collect()),
            Expr::Project(a, k) => match self.of(*a) {
                Made::Tuple(mut parts) => parts.swap_remove(*k),
                other => other,
            },
            Expr::Ascribe { value, ty, proved, .. } if *proved || !states_rows(ty) => self.of(*value),
            // It does not change.
            Expr::Length(_) => Made::Other,
            Expr::Index { array, .. } | Expr::Slice { array, .. } => match self.live(*array)? {
                Made::Array(version) if !flat => Made::Array(Version { whole: false, ..version }),
                _ => Made::Other,
            },
            Expr::Update { array, value: new, .. } => {
                let Made::Array(version) = self.live(*array)? else { return None };
                let scalar = new.var().is_none_or(|v| self.types[v].ty.is_flat());
                if !scalar || !version.whole || version.depth != self.depth {
                    return None;
                }
                self.ended.insert(version.id);
                self.begin(version.slot)
            }
            Expr::Loop { state, init, form, body } if !flat => self.turns(*state, &self.of(*init), form, body)?,
            Expr::If { then, otherwise, .. } if !flat => self.branches(value, then, otherwise)?,
            Expr::Zip(arrays) if arrays.iter().all(|a| self.of(*a) == Made::Other) => Made::Other,
            _ if is_scalar_stmt(stmt, self.types) => {
                let live = expr.bodies().into_iter().all(|body| self.mentions_live(body));
                live.then_some(Made::Other)?
            }
            _ => return None,
        })
    }
}

/// Whether all arrays of a type are followed: those from outside would be copied in every turn around.
fn holds_arrays(ty: &Type, made: &Made) -> bool {
    match (ty, made) {
        (Type::Tuple(parts), Made::Tuple(all)) => parts.iter().zip(all).all(|(p, m)| holds_arrays(p, m)),
        (Type::Array(_), Made::Array(_)) => true,
        (ty, _) => ty.is_flat(),
    }
}

fn slots_of(made: &Made, out: &mut Vec<usize>) {
    match made {
        Made::Other => {}
        Made::Tuple(parts) => parts.iter().for_each(|p| slots_of(p, out)),
        Made::Array(version) => out.push(version.slot),
    }
}

/// Whether each array is where it was.
fn same_slots(before: &Made, after: &Made) -> bool {
    match (before, after) {
        (Made::Tuple(a), Made::Tuple(b)) => a.iter().zip(b).all(|(a, b)| same_slots(a, b)),
        (Made::Array(a), Made::Array(b)) => a.slot == b.slot,
        // A tuple of scalars.
        (Made::Tuple(a), Made::Other) => a.iter().all(|a| same_slots(a, &Made::Other)),
        (Made::Array(_) | Made::Tuple(_), _) => false,
        (Made::Other, _) => true,
    }
}
